//! Operators on two tensors, element by element.

use heddle_arch::requantise::{Rounding, ScaledInput, ScaledOutput};

use super::{View, byte, rounded};
use crate::network::requantise::scale_accumulator;

/// Bits by which a sum shifts its inputs to the left.
const SUM_SHIFT: u32 = 20;
/// Bits by which a squared difference does.
const DIFFERENCE_SHIFT: u32 = 7;

/// The sum of both, or their difference; `None` unless their shapes fit.
#[must_use]
pub fn sum(
    tensors: [View<'_>; 2],
    inputs: &[ScaledInput; 2],
    subtracts: bool,
    output: &ScaledOutput,
) -> Option<Vec<i8>> {
    each(tensors, |first, second| {
        let first = scaled(first, &inputs[0], SUM_SHIFT);
        let second = scaled(second, &inputs[1], SUM_SHIFT);
        let sum = if subtracts {
            first - second
        } else {
            first + second
        };
        byte(sum, output)
    })
}

/// The product of both; `None` unless their shapes fit.
#[must_use]
pub fn product(
    tensors: [View<'_>; 2],
    zero_points: [i8; 2],
    output: &ScaledOutput,
    rounding: Rounding,
) -> Option<Vec<i8>> {
    each(tensors, |first, second| {
        let first = i32::from(first) - i32::from(zero_points[0]);
        let second = i32::from(second) - i32::from(zero_points[1]);
        rounded(first * second, output, rounding)
    })
}

/// The first from its zero point on, and times the second below it, each with an output of its own; `None` unless their
/// shapes fit.
#[must_use]
pub fn prelu(
    tensors: [View<'_>; 2],
    zero_points: [i8; 2],
    [above, below]: &[ScaledOutput; 2],
) -> Option<Vec<i8>> {
    each(tensors, |first, slope| {
        let first = i64::from(first) - i64::from(zero_points[0]);
        let slope = i64::from(slope) - i64::from(zero_points[1]);
        match first >= 0 {
            true => byte(first, above),
            false => byte(first * slope, below),
        }
    })
}

/// The square of the difference of both; `None` unless their shapes fit.
#[must_use]
pub fn squared_difference(
    tensors: [View<'_>; 2],
    inputs: &[ScaledInput; 2],
    output: &ScaledOutput,
) -> Option<Vec<i8>> {
    each(tensors, |first, second| {
        let first = scaled(first, &inputs[0], DIFFERENCE_SHIFT);
        let difference = first - scaled(second, &inputs[1], DIFFERENCE_SHIFT);
        byte(difference * difference, output)
    })
}

/// (x - zero point) 2^shift, scaled.
fn scaled(x: i8, input: &ScaledInput, shift: u32) -> i64 {
    let difference = i32::from(x) - i32::from(input.zero_point);
    scale_accumulator(difference << shift, input.scale, Rounding::Double).into()
}

/// The shape of what is made of two: sizes are compared from the last one on, and a 1 or none stands for any size.
#[must_use]
pub fn broadcast(first: &[usize], second: &[usize]) -> Option<Vec<usize>> {
    let rank = first.len().max(second.len());
    (0..rank)
        .map(
            |axis| match (size(first, rank, axis), size(second, rank, axis)) {
                (one, other) if one == other => Some(one),
                (1, size) | (size, 1) => Some(size),
                _ => None,
            },
        )
        .collect()
}

/// Size of a dimension of a shape with as many as `rank`.
fn size(shape: &[usize], rank: usize, axis: usize) -> usize {
    (axis + shape.len())
        .checked_sub(rank)
        .map_or(1, |axis| shape[axis])
}

/// Place in a tensor of what element `number` of `shape` is made of.
fn place(tensor: &View<'_>, shape: &[usize], number: usize) -> usize {
    let (mut rest, mut stride, mut found) = (number, 1, 0);
    for (axis, &places) in shape.iter().enumerate().rev() {
        let size = size(tensor.shape, shape.len(), axis);
        if size > 1 {
            found += rest % places * stride;
        }
        rest /= places;
        stride *= size;
    }
    found
}

fn each(tensors: [View<'_>; 2], make: impl Fn(i8, i8) -> i8) -> Option<Vec<i8>> {
    let [first, second] = tensors;
    let shape = broadcast(first.shape, second.shape)?;
    let at = |tensor: &View<'_>, number| tensor.values[place(tensor, &shape, number)];
    let numbers = 0..shape.iter().product();
    Some(
        numbers
            .map(|number| make(at(&first, number), at(&second, number)))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_aligned_at_their_last_dimension() {
        for (first, second, expected) in [
            (&[1, 4, 3][..], &[3][..], Some(vec![1, 4, 3])),
            (&[4, 1], &[5, 1, 3], Some(vec![5, 4, 3])),
            (&[2, 3], &[], Some(vec![2, 3])),
            (&[2, 3], &[2], None),
            (&[2, 3], &[2, 1, 2], None),
        ] {
            assert_eq!(broadcast(first, second), expected, "{first:?} {second:?}");
            assert_eq!(broadcast(second, first), expected, "{second:?} {first:?}");
        }
    }
}
