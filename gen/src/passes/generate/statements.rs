//! Loops, joined assignments and `case` inside processes.

use super::shape::{run, shape, template};
use super::vectors;
use crate::cells;
use crate::ir::{BinOp, Expr, Stmt, Target};
use crate::passes::fold::concat;
use std::collections::BTreeSet;

/// Fewest statements that become a `for` in a process.
const MIN_STATEMENTS: usize = 4;

/// Rolls and merges the statements of a process.
pub fn statements(list: Vec<Stmt>, depth: usize) -> Vec<Stmt> {
    let inner = |s| match s {
        Stmt::If(c, a, b) => {
            let a = statements(a, depth);
            Stmt::If(c, a, statements(b, depth))
        }
        Stmt::Case(e, arms) => {
            let arm = |(l, b)| (l, statements(b, depth));
            Stmt::Case(e, arms.into_iter().map(arm).collect())
        }
        s => s,
    };
    let list: Vec<Stmt> = decode(list.into_iter().map(inner).collect());
    let list = widen(list);
    let shapes: Vec<_> = list.iter().map(shape).collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < list.len() {
        let (length, steps) = run(&shapes[at..]);
        let nested = matches!(list[at], Stmt::For(..) | Stmt::Comment(_));
        if length >= MIN_STATEMENTS && !nested && steps.iter().any(|s| *s != 0) {
            let (skeleton, first) = &shapes[at];
            let body = vec![template(skeleton, first, &steps, 0, depth)];
            out.push(Stmt::For(depth, 0, length, body));
            at += length;
        } else {
            out.push(list[at].clone());
            at += 1;
        }
    }
    out
}

/// Is a joined value so simple that one assignment of the whole vector reads best?
pub fn is_plain(e: &Expr, elems: usize) -> bool {
    match e {
        Expr::Sel { .. } | Expr::Const { .. } => true,
        Expr::Repeat(_, e) => is_plain(e, elems),
        Expr::Concat(parts) => {
            let simple = |e: &Expr| match e {
                Expr::Repeat(_, e) => matches!(**e, Expr::Sel { .. } | Expr::Const { .. }),
                e => matches!(e, Expr::Sel { .. } | Expr::Const { .. }),
            };
            parts.len() <= 2.max(8.min(elems)) && parts.len() <= 8 && parts.iter().all(simple)
        }
        _ => false,
    }
}

/// Joins assignments of neighbouring bits where the value is simple, or one operation for all of them.
fn widen(list: Vec<Stmt>) -> Vec<Stmt> {
    let mut out: Vec<Stmt> = Vec::new();
    let mut at = 0;
    while at < list.len() {
        let Stmt::Assign(first, value) = &list[at] else {
            out.push(list[at].clone());
            at += 1;
            continue;
        };
        let mut run = vec![(first.clone(), value.clone())];
        let mut end = first.lsb.base + first.width as i64;
        for s in &list[at + 1..] {
            match s {
                Stmt::Assign(t, e)
                    if t.net == first.net
                        && t.lsb.base == end
                        && t.lsb.terms == first.lsb.terms =>
                {
                    // A value that reads the bits just assigned must stay behind them.
                    let mut own = false;
                    e.visit_nets(&mut |net, _, _| own |= net == first.net);
                    if own {
                        break;
                    }
                    end += t.width as i64;
                    run.push((t.clone(), e.clone()));
                }
                _ => break,
            }
        }
        at += run.len();
        let joined = concat(run.iter().rev().map(|(_, e)| e.clone()).collect());
        let simple = matches!(joined, Expr::Sel { .. } | Expr::Repeat(..)) || joined.is_zero();
        if run.len() > 1 && simple {
            let width = joined.width();
            let target = Target {
                width,
                ..first.clone()
            };
            run = vec![(target, joined)];
        }
        out.extend(vectors(run).into_iter().map(|(t, e)| Stmt::Assign(t, e)));
    }
    out
}

/// Turns `if (s == 0) ..; if (s == 1) ..; if (s == 2) ..` into a `case`.
fn decode(list: Vec<Stmt>) -> Vec<Stmt> {
    let test = |s: &Stmt| match s {
        Stmt::If(Expr::Bin(BinOp::Eq, l, r), body, other) if other.is_empty() => {
            let value = r.value()?;
            Some(((**l).clone(), (**r).clone(), value, body.clone()))
        }
        _ => None,
    };
    let mut out = Vec::new();
    let mut at = 0;
    while at < list.len() {
        let mut arms = Vec::new();
        let mut seen = BTreeSet::new();
        let mut subject = None;
        for s in &list[at..] {
            let Some((l, r, value, body)) = test(s) else {
                break;
            };
            let first = subject.get_or_insert_with(|| l.clone());
            let mut read = BTreeSet::new();
            l.visit_nets(&mut |net, _, _| {
                read.insert(net);
            });
            let mut changes = false;
            cells::assignments(&body, &mut |t, _| changes |= read.contains(&t.net));
            if *first != l || changes || !seen.insert(value) {
                break;
            }
            arms.push((Some(r), body));
        }
        if let (Some(subject), true) = (subject, arms.len() >= 3) {
            at += arms.len();
            arms.push((None, Vec::new()));
            out.push(Stmt::Case(subject, arms));
        } else {
            out.push(list[at].clone());
            at += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_with_different_numbers_become_a_case() {
        let one = |n: u128| {
            let test = Expr::Bin(
                BinOp::Eq,
                Box::new(Expr::bits_of(5, 0, 2)),
                Box::new(Expr::number(2, n)),
            );
            let target = Target {
                net: 0,
                lsb: 0.into(),
                width: 8,
            };
            let body = vec![Stmt::Assign(target, Expr::bits_of(1, 8 * n as usize, 8))];
            Stmt::If(test, body, Vec::new())
        };
        let out = decode(vec![one(0), one(1), one(2)]);
        assert!(matches!(out.as_slice(), [Stmt::Case(_, arms)] if arms.len() == 4));
        let twice = decode(vec![one(0), one(0), one(0)]);
        assert_eq!(twice.len(), 3);
    }

    #[test]
    fn neighbouring_assignments_are_joined() {
        let one = |i: usize| {
            let target = Target {
                net: 0,
                lsb: (8 * i).into(),
                width: 8,
            };
            Stmt::Assign(target, Expr::bits_of(1, 8 * i, 8))
        };
        let out = widen(vec![one(0), one(1), one(2)]);
        assert!(matches!(out.as_slice(), [Stmt::Assign(t, _)] if t.width == 24));
    }
}
