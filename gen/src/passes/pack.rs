//! Array packing: signals called `a$0`, `a$1`, ... become one array, printed as one vector.
//!
//! Signals and ports of children are grouped by their name without indices; [`build`] makes one net
//! per group and the table that kernels look names up in. An array with rows of different lengths
//! is an error.

mod children;
mod nets;

pub use nets::build;

use crate::blocks::Signal;
use crate::error::Fault;
use std::collections::BTreeMap;

/// An array of signals of one block.
#[derive(Debug, Clone)]
pub struct Group<'a> {
    /// Name without indices.
    pub key: String,
    /// Sizes.
    pub dims: Vec<usize>,
    /// First element.
    pub first: &'a Signal,
    /// Values, for constants.
    pub values: Vec<u128>,
}

/// Splits `cell$3$x` into `cell$x` and `[3]`.
fn split(name: &str) -> (String, Vec<usize>) {
    let mut keys = Vec::new();
    let mut index = Vec::new();
    for piece in name.split('$') {
        match piece.parse::<usize>() {
            Ok(i) => index.push(i),
            Err(_) => keys.push(piece),
        }
    }
    (keys.join("$"), index)
}

/// Sizes of an array from the indices of its elements, which arrive row-major.
fn dims_of(key: &str, indices: &[Vec<usize>]) -> Result<Vec<usize>, Fault> {
    let rank = indices[0].len();
    let size = |d: usize| indices.iter().map(|i| i[d] + 1).max().unwrap_or(0);
    if indices.iter().any(|i| i.len() != rank) {
        return Err(Fault::Ragged(key.replace('$', ".")));
    }
    let dims: Vec<usize> = (0..rank).map(size).collect();
    if dims.iter().product::<usize>() != indices.len() {
        return Err(Fault::Ragged(key.replace('$', ".")));
    }
    Ok(dims)
}

/// An array of things: name without indices, sizes, elements row-major.
type Array<T> = (String, Vec<usize>, Vec<T>);

/// Groups named things by their name without indices, in order of first appearance.
fn group<'a, T>(items: impl Iterator<Item = (&'a str, T)>) -> Result<Vec<Array<T>>, Fault> {
    let mut order: Vec<(String, Vec<Vec<usize>>, Vec<T>)> = Vec::new();
    let mut at: BTreeMap<String, usize> = BTreeMap::new();
    for (name, item) in items {
        let (key, index) = split(name);
        let slot = *at.entry(key.clone()).or_insert_with(|| {
            order.push((key, Vec::new(), Vec::new()));
            order.len() - 1
        });
        order[slot].1.push(index);
        order[slot].2.push(item);
    }
    let mut out = Vec::new();
    for (key, indices, items) in order {
        let dims = dims_of(&key, &indices)?;
        out.push((key, dims, items));
    }
    Ok(out)
}

/// The signals of a block as arrays.
pub fn groups(signals: &[Signal]) -> Result<Vec<Group<'_>>, Fault> {
    let named = signals.iter().map(|s| (s.name.as_str(), s));
    let mut out = Vec::new();
    for (key, dims, items) in group(named)? {
        out.push(Group {
            first: items[0],
            values: items.iter().map(|s| s.value).collect(),
            key,
            dims,
        });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_grouped_row_major() {
        let names = ["a$0$0", "a$0$1", "a$1$0", "a$1$1", "b", "c$0$x", "c$1$x"];
        let got = group(names.iter().map(|n| (*n, ()))).expect("rectangular");
        let got: Vec<_> = got.into_iter().map(|(k, d, _)| (k, d)).collect();
        let want = [("a", vec![2, 2]), ("b", vec![]), ("c$x", vec![2])];
        assert_eq!(got, want.map(|(k, d)| (k.to_string(), d)));
    }

    #[test]
    fn ragged_arrays_are_refused() {
        let names = ["a$0$0", "a$0$1", "a$1$0"];
        let got = group(names.iter().map(|n| (*n, ())));
        assert_eq!(got, Err(Fault::Ragged("a".into())));
    }
}
