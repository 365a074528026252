//! Forwarding: what reads an element that is only a copy or a constant reads its source.
//!
//! Kernels of networks carry values from stage to stage; once their arrays are nets of their own
//! ([`scatter`](super::scatter)), many of these are plain copies, which no reader wants to follow.

use crate::cells;
use crate::ir::{Expr, NetId, Netlist, Stmt};
use crate::passes::schedule::Schedule;
use std::collections::{BTreeMap, BTreeSet};

/// Takes copies and constants out of the processes of a schedule.
pub fn forward(netlist: &Netlist, schedule: &mut Schedule) {
    loop {
        let copies = copies(netlist, schedule);
        if copies.is_empty() {
            return;
        }
        let is_copy = |s: &Stmt| matches!(s, Stmt::Assign(t, _) if copies.contains_key(&t.net));
        for list in &mut schedule.comb {
            list.retain(|s| !is_copy(s));
            while matches!(list.last(), Some(Stmt::Comment(_))) {
                list.pop();
            }
        }
        schedule.comb.retain(|list| !list.is_empty());
        let source = |e: &Expr| {
            e.map_nets(&mut |net, lsb, width| {
                let whole = copies.get(&net)?.clone();
                Some(crate::passes::fold::slice(whole, lsb.constant()?, width))
            })
        };
        for (_, _, value) in &mut schedule.continuous {
            *value = source(value);
        }
        for list in schedule.comb.iter_mut().chain([&mut schedule.body]) {
            *list = cells::map_expressions(std::mem::take(list), &mut |e| source(&e));
        }
    }
}

/// Elements that are always equal to a constant, or to bits whose value is final where they are read.
fn copies(netlist: &Netlist, schedule: &Schedule) -> BTreeMap<NetId, Expr> {
    let mut assigned: BTreeMap<NetId, usize> = BTreeMap::new();
    for list in &schedule.comb {
        cells::assignments(list, &mut |t, _| *assigned.entry(t.net).or_default() += 1);
    }
    let element = |net: NetId| netlist.nets[net].part_of.is_some();
    let once: BTreeSet<NetId> = { schedule.comb.iter().flatten() }
        .filter_map(|s| match s {
            Stmt::Assign(t, _) if t.width == netlist.nets[t.net].width => Some(t.net),
            _ => None,
        })
        .filter(|net| assigned[net] == 1 && element(*net))
        .collect();
    let mut out: BTreeMap<NetId, Expr> = BTreeMap::new();
    for s in schedule.comb.iter().flatten() {
        let Stmt::Assign(t, value) = s else { continue };
        let is_copy = match value {
            Expr::Const { .. } => true,
            // A copy of a copy waits for the next round.
            Expr::Sel { net, .. } => {
                !out.contains_key(net) && (once.contains(net) || !assigned.contains_key(net))
            }
            _ => false,
        };
        let read = |copy: &Expr| {
            let mut found = false;
            copy.visit_nets(&mut |net, _, _| found |= net == t.net);
            found
        };
        if is_copy && once.contains(&t.net) && !out.values().any(read) {
            out.insert(t.net, value.clone());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::NetKind;
    use crate::passes::fold::not;
    use crate::samples::{assign, net, netlist, read};

    #[test]
    fn copies_of_copies_and_constants_are_read_at_their_source() {
        let mut nets = vec![
            net("x", NetKind::In, &[], 1),
            net("y", NetKind::Out, &[], 1),
        ];
        for name in ["a", "b", "zero", "inverse"] {
            let mut element = net(name, NetKind::Local, &[], 1);
            element.part_of = Some("stage".into());
            nets.push(element);
        }
        let list = vec![
            assign(&nets, 2, 0, read(&nets, 0, 0)),
            Stmt::Comment("Next stage".into()),
            assign(&nets, 3, 0, read(&nets, 2, 0)),
            assign(&nets, 4, 0, Expr::number(1, 0)),
            assign(&nets, 5, 0, not(read(&nets, 3, 0))),
        ];
        let last = assign(&nets, 1, 0, read(&nets, 5, 0));
        let Stmt::Assign(y, value) = last else {
            unreachable!()
        };
        let mut schedule = Schedule {
            continuous: vec![(Vec::new(), y, value)],
            comb: vec![list],
            ..Schedule::default()
        };
        let inverse = assign(&nets, 5, 0, not(read(&nets, 0, 0)));
        let netlist = netlist(nets, Vec::new());
        forward(&netlist, &mut schedule);
        let comment = Stmt::Comment("Next stage".into());
        assert_eq!(schedule.comb, [vec![comment, inverse]]);
    }
}
