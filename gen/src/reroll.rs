//! Generate loops: consecutive things that differ only in bit positions, and by equal steps,
//! become one loop.

use crate::expr::concat;
use crate::ir::{BinOp, Expr, Index, Item, Stmt, Target};
use std::collections::BTreeSet;

/// Fewest statements that become a `for` in a process.
const MIN_STATEMENTS: usize = 4;

/// A group of items that repeats.
pub type Bundle = Vec<Item>;

/// Things whose bit positions can be visited in a fixed order.
pub trait Indexed: Clone + PartialEq {
    /// Calls `f` for every position, and clears what distinguishes instances of an array.
    fn each(&mut self, f: &mut dyn FnMut(&mut Index));
}

impl Indexed for Expr {
    fn each(&mut self, f: &mut dyn FnMut(&mut Index)) {
        match self {
            Expr::Const { .. } => {}
            Expr::Sel { lsb, .. } => f(lsb),
            Expr::Pick { lsb, index, .. } => {
                f(lsb);
                index.each(f);
            }
            Expr::Not(e) | Expr::Neg(e) | Expr::Reduce(_, e) | Expr::Repeat(_, e) => e.each(f),
            Expr::Slice { of, .. } => of.each(f),
            Expr::Bin(_, l, r) => {
                l.each(f);
                r.each(f);
            }
            Expr::Concat(parts) => parts.iter_mut().for_each(|e| e.each(f)),
            Expr::Mux(c, t, e) => {
                c.each(f);
                t.each(f);
                e.each(f);
            }
        }
    }
}

impl Indexed for Stmt {
    fn each(&mut self, f: &mut dyn FnMut(&mut Index)) {
        match self {
            Stmt::Assign(t, e) => {
                f(&mut t.lsb);
                e.each(f);
            }
            Stmt::If(c, a, b) => {
                c.each(f);
                a.each(f);
                b.each(f);
            }
            Stmt::Case(e, arms) => {
                e.each(f);
                for (label, body) in arms {
                    if let Some(label) = label {
                        label.each(f);
                    }
                    body.each(f);
                }
            }
            Stmt::For(_, _, _, body) => body.each(f),
            Stmt::Comment(_) => {}
        }
    }
}

impl<T: Indexed> Indexed for Vec<T> {
    fn each(&mut self, f: &mut dyn FnMut(&mut Index)) {
        self.iter_mut().for_each(|x| x.each(f));
    }
}

impl Indexed for Item {
    fn each(&mut self, f: &mut dyn FnMut(&mut Index)) {
        match self {
            Item::Assign(t, e) => {
                f(&mut t.lsb);
                e.each(f);
            }
            Item::Instance(i) => {
                i.index.clear();
                i.ports.iter_mut().for_each(|c| c.value.each(f));
            }
            Item::Comb(body) => body.each(f),
            Item::Clocked(c) => {
                if let Some((test, body)) = &mut c.reset {
                    test.each(f);
                    body.each(f);
                }
                if let Some(e) = &mut c.enable {
                    e.each(f);
                }
                c.body.each(f);
            }
            Item::Comment(_) => {}
            Item::Loop(_, _, _, items) => items.each(f),
        }
    }
}

/// Splits a thing into its shape and its positions.
fn shape<T: Indexed>(x: &T) -> (T, Vec<i64>) {
    let mut skeleton = x.clone();
    let mut bases = Vec::new();
    skeleton.each(&mut |i| bases.push(std::mem::take(&mut i.base)));
    (skeleton, bases)
}

/// Longest run from the front that is one thing repeated: its length and steps.
fn run<T: Indexed>(shapes: &[(T, Vec<i64>)]) -> (usize, Vec<i64>) {
    let [(skeleton, first), (next_skeleton, second), ..] = shapes else {
        return (1, Vec::new());
    };
    if skeleton != next_skeleton {
        return (1, Vec::new());
    }
    let steps: Vec<i64> = second.iter().zip(first).map(|(b, a)| b - a).collect();
    let fits = |(n, (s, bases)): (usize, &(T, Vec<i64>))| {
        let at = |(a, step): (&i64, &i64)| a + step * n as i64;
        s == skeleton && first.iter().zip(&steps).map(at).eq(bases.iter().copied())
    };
    let length = shapes.iter().enumerate().take_while(|x| fits(*x)).count();
    (length, steps)
}

/// The repeated thing, with the loop variable in its positions.
fn template<T: Indexed>(skeleton: &T, first: &[i64], steps: &[i64], from: i64, depth: usize) -> T {
    let mut out = skeleton.clone();
    let mut at = 0;
    out.each(&mut |index| {
        index.base = first[at] - steps[at] * from;
        if steps[at] != 0 {
            index.terms.insert(0, (depth, steps[at]));
        }
        at += 1;
    });
    out
}

/// Rolls bundles that belong to the elements of an array, row-major.
pub fn roll_array(bundles: Vec<Bundle>, dims: &[usize], depth: usize) -> Bundle {
    if dims.len() > 1 {
        let inner: usize = dims[1..].iter().product();
        let rows = bundles
            .chunks(inner)
            .map(|c| roll_array(c.to_vec(), &dims[1..], depth + 1));
        let rows: Vec<Bundle> = rows.collect();
        return roll(rows, 0, depth);
    }
    roll(bundles, 0, depth)
}

/// Rolls consecutive bundles; the first one has loop index `from`.
pub fn roll(bundles: Vec<Bundle>, from: usize, depth: usize) -> Bundle {
    let shapes: Vec<_> = bundles.iter().map(shape).collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bundles.len() {
        let (length, steps) = run(&shapes[at..]);
        let large = bundles[at]
            .iter()
            .any(|i| matches!(i, Item::Instance(_) | Item::Loop(..)));
        // Equal things at equal places are one thing, not a loop.
        let moves = steps.iter().any(|s| *s != 0);
        if moves && length >= if large { 2 } else { 3 } {
            let (skeleton, first) = &shapes[at];
            let start = from + at;
            let body = template(skeleton, first, &steps, start as i64, depth);
            out.push(Item::Loop(depth, start, start + length, body));
            at += length;
        } else {
            out.extend(bundles[at].clone());
            at += 1;
        }
    }
    out
}

/// Rolls items that share a shape wherever they stand; a loop takes the place of its first
/// item. `position` gives the loop index of an item.
pub fn roll_like(items: Vec<Item>, position: &dyn Fn(&Item) -> usize, depth: usize) -> Vec<Item> {
    let shapes: Vec<Item> = items.iter().map(|i| shape(i).0).collect();
    let mut out = Vec::new();
    let mut done = vec![false; items.len()];
    for at in 0..items.len() {
        if done[at] {
            continue;
        }
        let mut group: Vec<usize> = (at..items.len())
            .filter(|i| !done[*i] && shapes[*i] == shapes[at])
            .collect();
        group.sort_by_key(|i| position(&items[*i]));
        for i in &group {
            done[*i] = true;
        }
        let mut start = 0;
        for n in 1..=group.len() {
            let broken = n == group.len()
                || position(&items[group[n]]) != position(&items[group[n - 1]]) + 1;
            if broken {
                let bundles = group[start..n].iter().map(|i| vec![items[*i].clone()]);
                let from = position(&items[group[start]]);
                out.extend(roll(bundles.collect(), from, depth));
                start = n;
            }
        }
    }
    out
}

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

/// Joins assignments of neighbouring bits.
fn widen(list: Vec<Stmt>) -> Vec<Stmt> {
    let mut out: Vec<Stmt> = Vec::new();
    let mut at = 0;
    while at < list.len() {
        let Stmt::Assign(first, value) = &list[at] else {
            out.push(list[at].clone());
            at += 1;
            continue;
        };
        let mut values = vec![value.clone()];
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
                    values.push(e.clone());
                }
                _ => break,
            }
        }
        let count = values.len();
        values.reverse();
        let joined = concat(values);
        if count > 1 && (matches!(joined, Expr::Sel { .. } | Expr::Repeat(..)) || joined.is_zero())
        {
            let target = Target {
                net: first.net,
                lsb: first.lsb.clone(),
                width: joined.width(),
            };
            out.push(Stmt::Assign(target, joined));
            at += count;
        } else {
            out.push(list[at].clone());
            at += 1;
        }
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
            crate::cells::assignments(&body, &mut |t, _| changes |= read.contains(&t.net));
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

    fn assign(to: usize, from: usize) -> Item {
        let target = Target {
            net: 0,
            lsb: to.into(),
            width: 8,
        };
        Item::Assign(target, crate::expr::not(Expr::bits_of(1, from, 8)))
    }

    #[test]
    fn equal_steps_become_a_loop_and_edges_stay_outside() {
        let items = vec![
            vec![assign(0, 96)],
            vec![assign(8, 0)],
            vec![assign(16, 8)],
            vec![assign(24, 16)],
        ];
        let out = roll(items, 0, 0);
        let Item::Loop(0, 1, 4, body) = &out[1] else {
            panic!("{out:?}")
        };
        assert_eq!(out[0], assign(0, 96));
        let Item::Assign(target, _) = &body[0] else {
            panic!("{body:?}")
        };
        assert_eq!(
            (target.lsb.base, target.lsb.terms.as_slice()),
            (0, &[(0, 8)][..])
        );
    }

    #[test]
    fn rows_and_columns_become_nested_loops() {
        let all = (0..12).map(|i| vec![assign(8 * i, 8 * i)]).collect();
        let out = roll_array(all, &[3, 4], 0);
        let [Item::Loop(0, 0, 3, rows)] = out.as_slice() else {
            panic!("{out:?}")
        };
        assert!(matches!(rows.as_slice(), [Item::Loop(1, 0, 4, _)]));
    }

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
