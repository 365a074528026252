//! Generate loops: consecutive things that differ only in bit positions, and by equal steps,
//! become one loop, or one operation on a vector ([`vector`]).
//!
//! Everything before this pass works on single elements of arrays. [`roll`] and [`roll_array`] find
//! runs among items, [`statements()`] does so inside processes, [`items`] puts the contents of a
//! module in order. Irregular edges stay outside the loop.

pub mod items;
mod shape;
mod statements;
mod vector;

pub use statements::{is_plain, statements};
pub use vector::vectors;

use crate::ir::Item;
use shape::{run, shape, template};

/// Depth of loop variables inside processes, apart from those of generate loops.
pub const PROCESS_LOOP: usize = 8;

/// A group of items that repeats.
pub type Bundle = Vec<Item>;

/// Rolls bundles that belong to the elements of an array, row-major.
pub fn roll_array(bundles: Vec<Bundle>, dims: &[usize], depth: usize) -> Bundle {
    if let [1, rest @ ..] = dims {
        // An array of one element has no loop.
        return roll_array(bundles, rest, depth);
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Expr, Target};
    use crate::passes::fold::not;

    fn assign(to: usize, from: usize) -> Item {
        let target = Target {
            net: 0,
            lsb: to.into(),
            width: 8,
        };
        Item::Assign(target, not(Expr::bits_of(1, from, 8)))
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
    fn scattered_equals_become_a_loop_for_each_run_of_neighbours() {
        let copy = |at: usize| {
            Item::Assign(
                Target {
                    net: 2,
                    lsb: at.into(),
                    width: 8,
                },
                Expr::bits_of(3, at, 8),
            )
        };
        let position = |item: &Item| match item {
            Item::Assign(target, _) => target.lsb.base as usize / 8,
            other => panic!("{other:?}"),
        };
        // Two shapes by turns, in falling order; the fourth element is missing.
        let items = [6, 5, 4, 2, 1, 0].map(|n| [assign(8 * n, 8 * n), copy(8 * n)]);
        let out = roll_like(items.into_iter().flatten().collect(), &position, 0);
        let loops: Vec<_> = out
            .iter()
            .map(|item| match item {
                Item::Loop(0, from, to, body) => (*from, *to, body.len()),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(loops, [(0, 3, 1), (4, 7, 1), (0, 3, 1), (4, 7, 1)]);
    }
}
