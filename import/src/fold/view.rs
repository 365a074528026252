//! Where the elements of a tensor come from, while operators move them, without a list of all of them.

use std::cmp::Ordering;

use super::{Elements, check_rank};

/// Most places of dimensions that become others.
const PLACES_MAX: u64 = 1 << 21;

/// A tensor whose elements are those of another one: the sum of what its place along each dimension says, from the first number on, is
/// the number of the element there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    first: i64,
    shape: Vec<u32>,
    /// As many numbers for each dimension as it has places.
    parts: Vec<Vec<i64>>,
}

impl View {
    /// A tensor of such sizes, whose neighbours along each dimension are so far apart.
    pub fn new(sizes: &[(u32, u32)]) -> View {
        let part = |&(size, step): &(u32, u32)| {
            let places = 0..i64::from(size);
            places.map(|place| place * i64::from(step)).collect()
        };
        View {
            first: 0,
            shape: sizes.iter().map(|&(size, _)| size).collect(),
            parts: sizes.iter().map(part).collect(),
        }
    }

    /// For each dimension the numbers, none of which is below 0; none without a dimension.
    pub fn sources(mut self) -> Option<Vec<Vec<u32>>> {
        let least = |part: &Vec<i64>| part.iter().copied().min().unwrap_or(0);
        let all: i64 = self.first + self.parts.iter().map(least).sum::<i64>();
        for part in &mut self.parts {
            let least = least(part);
            part.iter_mut().for_each(|number| *number -= least);
        }
        let first = self.parts.first_mut()?;
        first.iter_mut().for_each(|number| *number += all);
        let parts = self.parts.into_iter();
        let whole = |part: Vec<i64>| {
            let numbers = part.into_iter().map(|number| u32::try_from(number).ok());
            numbers.collect::<Option<Vec<u32>>>()
        };
        parts.map(whole).collect()
    }

    /// Of neighbouring dimensions one, whose last place moves fastest.
    fn joined(parts: &[Vec<i64>]) -> Vec<i64> {
        parts.iter().fold(vec![0], |all, part| {
            let along = |start: i64| part.iter().map(move |number| start + number);
            all.into_iter().flat_map(along).collect()
        })
    }

    /// Of one dimension that begins with 0 several of these sizes; none if their numbers are no sums.
    fn split(part: &[i64], sizes: &[u32]) -> Option<Vec<Vec<i64>>> {
        let mut step = part.len();
        let parts = sizes.iter().map(|&size| {
            step /= size as usize;
            let numbers = part.iter().step_by(step).take(size as usize);
            numbers.copied().collect()
        });
        let parts: Vec<Vec<i64>> = parts.collect();
        (Self::joined(&parts) == part).then_some(parts)
    }
}

impl Elements for View {
    fn shape(&self) -> &[u32] {
        &self.shape
    }

    /// Numbers of each dimension are listed, not elements.
    fn cost(sizes: &[u64]) -> u64 {
        sizes.iter().fold(0, |all, &size| all.saturating_add(size))
    }

    fn picked(&self, places: &[Vec<usize>]) -> View {
        let pairs = self.parts.iter().zip(places);
        let pick = |(part, places): (&Vec<i64>, &Vec<usize>)| -> Vec<i64> {
            places.iter().map(|&place| part[place]).collect()
        };
        View {
            first: self.first,
            shape: places.iter().map(|places| places.len() as u32).collect(),
            parts: pairs.map(pick).collect(),
        }
    }

    fn transposed(&self, order: &[usize]) -> View {
        View {
            first: self.first,
            shape: order.iter().map(|&axis| self.shape[axis]).collect(),
            parts: order.iter().map(|&axis| self.parts[axis].clone()).collect(),
        }
    }

    /// Neighbouring dimensions on both sides that have as many elements stand for each other.
    fn reshaped(&self, shape: &[u32]) -> Result<View, String> {
        check_rank(shape)?;
        let product = |sizes: &[u32]| sizes.iter().map(|&size| u64::from(size)).product::<u64>();
        if product(&self.shape) != product(shape) || shape.contains(&0) {
            return Err(format!("makes {shape:?} of {:?}", self.shape));
        }
        let (mut first_number, mut parts) = (self.first, Vec::new());
        let (mut from, mut to) = (0, 0);
        loop {
            let (start, first) = (from, to);
            (from, to) = (self.shape.len().min(from + 1), shape.len().min(to + 1));
            loop {
                let (has, makes) = (
                    product(&self.shape[start..from]),
                    product(&shape[first..to]),
                );
                match has.cmp(&makes) {
                    Ordering::Less => from += 1,
                    Ordering::Greater => to += 1,
                    Ordering::Equal => break,
                }
            }
            // Sides of 1 at the end belong to the last ones.
            if to == shape.len() {
                from = self.shape.len();
            }
            if product(&shape[first..to]) > PLACES_MAX {
                return Err(format!("makes {shape:?} of {:?}", self.shape));
            }
            let mut one = Self::joined(&self.parts[start..from]);
            let least = one[0];
            one.iter_mut().for_each(|number| *number -= least);
            first_number += least;
            let split = Self::split(&one, &shape[first..to]);
            parts.extend(split.ok_or_else(|| {
                format!("moves elements to {shape:?} in a way that is no sum of its dimensions")
            })?);
            if to == shape.len() {
                break;
            }
        }
        Ok(View {
            first: first_number,
            shape: shape.to_vec(),
            parts,
        })
    }
}
