//! Vectors whose elements feed each other without a register: `sum[i + 1] = sum[i] + x[i]`.
//!
//! As continuous assignments to one packed vector they look like a loop to tools that treat the
//! vector as a whole (Verilator's UNOPTFLAT). One process that assigns the elements in order
//! says the same and has no loop.

use crate::cells::{Cell, reads, written};
use crate::ir::{Net, NetId, NetKind, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// Groups of nets that must be assigned together in one process.
pub fn find(nets: &[Net], body: &[Stmt], continuous: &BTreeSet<Cell>) -> Vec<BTreeSet<NetId>> {
    let mut edges: BTreeMap<NetId, BTreeSet<NetId>> = BTreeMap::new();
    for s in body {
        let Stmt::Assign(target, value) = s else {
            continue;
        };
        if continuous.contains(&written(nets, target).0) {
            let from = edges.entry(target.net).or_default();
            reads(nets, value, &mut |c| {
                from.insert(c.0);
            });
        }
    }
    let mut groups: Vec<BTreeSet<NetId>> = Vec::new();
    for net in edges.keys() {
        if groups.iter().any(|g| g.contains(net)) {
            continue;
        }
        let forward = reach(*net, &edges);
        if !forward.contains(net) {
            continue;
        }
        let both = |n: &&NetId| reach(**n, &edges).contains(net);
        let group: BTreeSet<NetId> = forward.iter().filter(both).copied().collect();
        let local = |n: &NetId| matches!(nets[*n].kind, NetKind::Local | NetKind::Out);
        if group.iter().all(local) && in_order(nets, body, &group) {
            groups.push(group);
        }
    }
    groups
}

/// Nets that a net depends on.
fn reach(from: NetId, edges: &BTreeMap<NetId, BTreeSet<NetId>>) -> BTreeSet<NetId> {
    let mut seen = BTreeSet::new();
    let mut stack = vec![from];
    while let Some(net) = stack.pop() {
        for to in edges.get(&net).into_iter().flatten() {
            if seen.insert(*to) {
                stack.push(*to);
            }
        }
    }
    seen
}

/// Does the kernel write every element before it reads it?
fn in_order(nets: &[Net], body: &[Stmt], group: &BTreeSet<NetId>) -> bool {
    let mut done: BTreeSet<Cell> = BTreeSet::new();
    for s in body {
        let Stmt::Assign(target, value) = s else {
            continue;
        };
        if group.contains(&target.net) {
            let mut ok = true;
            reads(nets, value, &mut |c| {
                ok &= !group.contains(&c.0) || done.contains(&c);
            });
            if !ok {
                return false;
            }
            done.insert(written(nets, target).0);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Expr, Target};
    use crate::passes::fold::not;

    fn net(kind: NetKind) -> Net {
        Net {
            name: "x".into(),
            rust: "x".into(),
            dims: vec![4],
            width: 8,
            signed: false,
            clock: false,
            kind,
            doc: String::new(),
            labels: Vec::new(),
            part_of: None,
        }
    }

    fn copy(to: usize, from: usize) -> Stmt {
        let target = Target {
            net: 0,
            lsb: (8 * to).into(),
            width: 8,
        };
        Stmt::Assign(target, not(Expr::bits_of(0, 8 * from, 8)))
    }

    #[test]
    fn a_chain_in_order_becomes_one_process() {
        let nets = [net(NetKind::Local)];
        let body = [copy(1, 0), copy(2, 1), copy(3, 2)];
        let all: BTreeSet<Cell> = (0..4).map(|e| (0, e)).collect();
        // Element 0 is not written here, so reading it is not in order.
        assert!(find(&nets, &body, &all).is_empty());
        let target = Target {
            net: 0,
            lsb: 0.into(),
            width: 8,
        };
        let mut whole = vec![Stmt::Assign(target, Expr::number(8, 1))];
        whole.extend(body);
        assert_eq!(find(&nets, &whole, &all), [BTreeSet::from([0])]);
    }
}
