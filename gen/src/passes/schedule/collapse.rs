//! Several assignments of one signal as a single one, where the expression stays readable.

use super::{Positions, is_final, positions};
use crate::cells::{self, Cell, reads, written};
use crate::ir::{Expr, Net, NetId, Stmt, Target};
use crate::passes::fold::{mux, slice};
use std::collections::{BTreeMap, BTreeSet};

/// Largest expression that replaces a chain of assignments.
const MAX_COLLAPSED: usize = 48;

/// Replaces chains of unconditional assignments of one cell by one assignment.
pub fn collapse(nets: &[Net], body: Vec<Stmt>) -> Vec<Stmt> {
    let mut chains: BTreeMap<Cell, usize> = BTreeMap::new();
    let mut excluded = BTreeSet::new();
    for s in &body {
        let top = matches!(s, Stmt::Assign(..));
        cells::assignments(std::slice::from_ref(s), &mut |t, _| {
            let (cell, bits) = written(nets, t);
            *chains.entry(cell).or_default() += 1;
            if !top || bits != u128::MAX {
                excluded.insert(cell);
            }
        });
    }
    chains.retain(|cell, count| *count > 1 && !excluded.contains(cell));
    loop {
        if chains.is_empty() {
            return body;
        }
        match substitute(nets, &body, &chains) {
            Ok(body) => return body,
            Err(cell) => {
                chains.remove(&cell);
            }
        }
    }
}

/// One attempt; the error is a cell whose value grows too large.
fn substitute(
    nets: &[Net],
    body: &[Stmt],
    chains: &BTreeMap<Cell, usize>,
) -> Result<Vec<Stmt>, Cell> {
    let mut left = chains.clone();
    let mut current: BTreeMap<Cell, Expr> = BTreeMap::new();
    let mut out = Vec::new();
    for s in body {
        let mut replace = |e: Expr| {
            e.map_nets(&mut |net, lsb, width| {
                let each = nets[net].width;
                let at = usize::try_from(lsb.base).ok()?;
                let value = current.get(&(net, at / each))?;
                (at % each + width <= each).then(|| slice(value.clone(), at % each, width))
            })
        };
        let s = map_one(s.clone(), &mut replace);
        if let Stmt::Assign(target, value) = &s {
            let cell = written(nets, target).0;
            if let Some(count) = left.get_mut(&cell) {
                *count -= 1;
                if value.size() > MAX_COLLAPSED {
                    return Err(cell);
                }
                if *count > 0 {
                    current.insert(cell, value.clone());
                    continue;
                }
                current.remove(&cell);
            }
        }
        out.push(s);
    }
    Ok(out)
}

fn map_one(s: Stmt, f: &mut impl FnMut(Expr) -> Expr) -> Stmt {
    let mut list = cells::map_expressions(vec![s], f);
    list.pop().expect("one statement in, one out")
}

/// Turns `y = a; if (c) y = b;` into one assignment with a condition, where the `if` assigns
/// nothing else.
pub fn choose(nets: &[Net], registers: &BTreeSet<NetId>, mut body: Vec<Stmt>) -> Vec<Stmt> {
    let positions = positions(nets, &body);
    let mut dead = BTreeSet::new();
    for (cell, at) in &positions {
        if registers.contains(&cell.0) {
            continue;
        }
        let Some((first, value)) = chosen(nets, &positions, &body, *cell, at) else {
            continue;
        };
        let last = *at.last().unwrap_or(&first);
        let width = nets[cell.0].width;
        let target = Target {
            net: cell.0,
            lsb: (cell.1 * width).into(),
            width,
        };
        body[last] = Stmt::Assign(target, value);
        if first != last {
            dead.insert(first);
        }
    }
    let mut position = 0;
    body.retain(|_| {
        position += 1;
        !dead.contains(&(position - 1))
    });
    body
}

fn chosen(
    nets: &[Net],
    positions: &Positions,
    body: &[Stmt],
    cell: Cell,
    at: &[usize],
) -> Option<(usize, Expr)> {
    let whole = |t: &Target| {
        let (c, bits) = written(nets, t);
        c == cell && bits == u128::MAX
    };
    let single = |list: &[Stmt]| match list {
        [Stmt::Assign(t, e)] if whole(t) => Some(e.clone()),
        _ => None,
    };
    let value = match at {
        [a, b] => match (&body[*a], &body[*b]) {
            (Stmt::Assign(t, default), Stmt::If(c, then, other))
                if whole(t) && other.is_empty() =>
            {
                mux(c.clone(), single(then)?, default.clone())
            }
            _ => return None,
        },
        [a] => match &body[*a] {
            Stmt::If(c, then, other) => mux(c.clone(), single(then)?, single(other)?),
            _ => return None,
        },
        _ => return None,
    };
    let mut ok = value.size() <= MAX_COLLAPSED;
    reads(nets, &value, &mut |c| {
        ok &= at.iter().all(|p| is_final(positions, c, *p));
    });
    ok.then_some((at[0], value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{BinOp, NetKind};
    use crate::passes::fold::{binary, not};
    use crate::samples::{assign, net, read};

    fn nets() -> Vec<Net> {
        vec![
            net("x", NetKind::In, &[], 8),
            net("y", NetKind::Out, &[], 8),
        ]
    }

    #[test]
    fn a_chain_of_assignments_is_one_expression() {
        let nets = nets();
        let (x, y) = (read(&nets, 0, 0), read(&nets, 1, 0));
        let sum = |e| binary(BinOp::Add, e, x.clone());
        let body = vec![
            assign(&nets, 1, 0, not(x.clone())),
            assign(&nets, 1, 0, sum(y)),
        ];
        let want = assign(&nets, 1, 0, sum(not(x.clone())));
        assert_eq!(collapse(&nets, body), [want]);
    }

    #[test]
    fn a_chain_that_grows_too_large_stays() {
        let nets = nets();
        let double = binary(BinOp::Xor, not(read(&nets, 1, 0)), read(&nets, 1, 0));
        let mut body = vec![assign(&nets, 1, 0, read(&nets, 0, 0))];
        body.extend((0..8).map(|_| assign(&nets, 1, 0, double.clone())));
        assert_eq!(collapse(&nets, body.clone()), body);
    }

    #[test]
    fn registers_keep_their_conditions() {
        let nets = nets();
        let (x, zero) = (read(&nets, 0, 0), Expr::number(8, 0));
        let when = Stmt::If(Expr::bits_of(0, 0, 1), vec![assign(&nets, 1, 0, x)], vec![]);
        let body = vec![assign(&nets, 1, 0, zero), when];
        assert_eq!(choose(&nets, &BTreeSet::from([1]), body.clone()), body);
        let chosen = choose(&nets, &BTreeSet::new(), body);
        assert!(matches!(
            chosen.as_slice(),
            [Stmt::Assign(_, Expr::Mux(..))]
        ));
    }
}
