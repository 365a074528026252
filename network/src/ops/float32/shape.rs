//! The shape that a step makes, and what it costs.

use super::array::elements;
use super::{Over, Step, Window};

/// Most dimensions.
const RANK_MAX: usize = 6;

impl Step {
    /// The shape that it makes of tensors of these shapes.
    ///
    /// # Errors
    /// What does not fit.
    pub fn shape(&self, of: &[&[u32]]) -> Result<Vec<u32>, String> {
        let first = *of.first().ok_or("reads nothing")?;
        let mut shape = first.to_vec();
        match self {
            Step::Function { numbers, .. } => {
                if numbers.iter().any(|number| !number.is_finite()) {
                    return Err(format!(
                        "has numbers {numbers:?}, expected those that float32 has"
                    ));
                }
            }
            Step::Pair { .. } => return common(first, of[1]),
            Step::Reduce { axes, .. } => {
                for &axis in axes {
                    *side(&mut shape, axis)? = 1;
                }
            }
            Step::Pool { over, window, .. } => {
                if !matches!(over, Over::Mean | Over::Max) {
                    return Err(format!("has over {over:?}, expected mean or max"));
                }
                window.check(&mut shape)?;
            }
            Step::Conv { window, groups, .. } => {
                window.check(&mut shape)?;
                shape = window.convolution(first, of[1], *groups, shape)?;
            }
            Step::Gather { sources, .. } => {
                check_sources(sources, elements(first))?;
                shape = sources.iter().map(|list| list.len() as u32).collect();
            }
            Step::Reshape { shape: to, .. } => {
                if elements(to) != elements(first) || to.len() > RANK_MAX {
                    return Err(format!(
                        "has shape {to:?} for elements of {first:?}, expected as many, in at most \
                         {RANK_MAX} dimensions"
                    ));
                }
                shape.clone_from(to);
            }
            Step::Concat { axis, .. } => return joined(of, *axis),
            Step::Matmul { .. } => return product(first, of[1]),
        }
        Ok(shape)
    }

    /// How many terms it adds or compares to make such a shape.
    pub(super) fn terms(&self, of: &[&[u32]], shape: &[u32]) -> u64 {
        let each = match self {
            Step::Reduce { .. } => return elements(of[0]),
            Step::Pool { window, .. } => elements(&window.kernel),
            Step::Conv { .. } => elements(&of[1][1..]),
            Step::Matmul { .. } => of[0].last().map_or(1, |&terms| terms.into()),
            _ => 1,
        };
        elements(shape).saturating_mul(each)
    }
}

impl Window {
    /// Makes of height and width those of the windows, each of which has a place inside the input.
    fn check(&self, shape: &mut [u32]) -> Result<(), String> {
        let sizes = shape.last_chunk_mut::<2>();
        let sizes =
            sizes.ok_or("reads fewer than two dimensions, expected height and width last")?;
        for (axis, side) in sizes.iter_mut().enumerate() {
            let (size, step) = (i64::from(*side), i64::from(self.dilation[axis]));
            let [before, _] = self.padding[axis].map(i64::from);
            let is_empty = |at: u32| {
                let start = i64::from(at) * i64::from(self.stride[axis]) - before;
                let first = if start < 0 {
                    (-start + step - 1) / step
                } else {
                    0
                };
                first >= self.kernel[axis].into() || start + first * step >= size
            };
            if let Some(at) = (0..self.output[axis]).find(|&at| is_empty(at)) {
                return Err(format!(
                    "has a window {at} along {axis} beside the input, expected a place of it in each"
                ));
            }
            *side = self.output[axis];
        }
        Ok(())
    }

    /// The shape of a convolution, of which height and width are there already.
    fn convolution(
        &self,
        image: &[u32],
        weights: &[u32],
        groups: u32,
        mut shape: Vec<u32>,
    ) -> Result<Vec<u32>, String> {
        match (image, weights) {
            (&[_, channels, _, _], &[outputs, inner, height, width])
                if [height, width] == self.kernel
                    && outputs % groups == 0
                    && inner.checked_mul(groups) == Some(channels) =>
            {
                shape[1] = outputs;
                Ok(shape)
            }
            _ => Err(format!(
                "has weights {weights:?} in {groups} groups for {image:?}, expected outputs, \
                 channels of a group, and the kernel {:?}",
                self.kernel
            )),
        }
    }
}

/// A dimension that there is.
fn side(shape: &mut [u32], axis: u32) -> Result<&mut u32, String> {
    let rank = shape.len();
    let found = shape.get_mut(axis as usize);
    found.ok_or_else(|| format!("has axis {axis}, expected one of {rank} dimensions"))
}

/// The sides that two shapes have in common, the last ones beside each other.
fn common(one: &[u32], other: &[u32]) -> Result<Vec<u32>, String> {
    let (long, short) = if one.len() < other.len() {
        (other, one)
    } else {
        (one, other)
    };
    let mut shape = long.to_vec();
    let more = long.len() - short.len();
    for (side, &size) in shape[more..].iter_mut().zip(short) {
        match (*side, size) {
            (found, size) if found == size => {}
            (1, size) => *side = size,
            (_, 1) => {}
            _ => {
                return Err(format!(
                    "reads {one:?} and {other:?}, expected sides that are equal or 1"
                ));
            }
        }
    }
    Ok(shape)
}

/// The shape of products of matrices.
fn product(one: &[u32], other: &[u32]) -> Result<Vec<u32>, String> {
    match (one, other) {
        ([batches @ .., rows, terms], [others @ .., inner, columns]) if terms == inner => {
            Ok([&common(batches, others)?[..], &[*rows, *columns]].concat())
        }
        _ => Err(format!(
            "multiplies {one:?} and {other:?}, expected matrices that fit"
        )),
    }
}

/// No sum of numbers may be that of an element that is not there.
fn check_sources(sources: &[Vec<u32>], has: u64) -> Result<(), String> {
    let largest = |list: &Vec<u32>| u64::from(list.iter().copied().max().unwrap_or(0));
    let (last, count) = (sources.iter().map(largest).sum::<u64>(), sources.len());
    match last < has && count <= RANK_MAX {
        true => Ok(()),
        false => Err(format!(
            "has sources of {count} dimensions that reach element {last}, expected at most \
             {RANK_MAX} and less than {has}"
        )),
    }
}

/// The shape of tensors one after another.
fn joined(of: &[&[u32]], axis: u32) -> Result<Vec<u32>, String> {
    let mut shape = of[0].to_vec();
    let mut all = 0u32;
    for other in of {
        let mut other = other.to_vec();
        let more = std::mem::replace(side(&mut other, axis)?, *side(&mut shape, axis)?);
        all = all.checked_add(more).ok_or("joins too many places")?;
        if other != shape {
            return Err(format!(
                "joins {of:?} along {axis}, expected other sides to be equal"
            ));
        }
    }
    *side(&mut shape, axis)? = all;
    Ok(shape)
}
