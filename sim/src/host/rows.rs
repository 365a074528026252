//! Operators that make one element of several.

use heddle_arch::requantise::ScaledOutput;

use super::{View, byte};

/// Place of the largest of each `depth` values, the first of several.
///
/// # Panics
/// If `depth` is 0.
#[must_use]
pub fn arg_max(values: &[i8], depth: usize) -> Vec<u32> {
    let place = |row: &[i8]| {
        let largest = (0..row.len()).rev().max_by_key(|&place| row[place]);
        largest.expect("a row has an element") as u32
    };
    values.chunks_exact(depth).map(place).collect()
}

/// The mean of values, halves away from 0.
///
/// # Panics
/// If there are none.
#[must_use]
pub fn rounded_mean(values: &[i64]) -> i8 {
    let (sum, count) = (values.iter().sum::<i64>(), values.len() as i64);
    ((2 * sum + sum.signum() * count) / (2 * count)) as i8
}

/// The mean over some dimensions: the sum of (x - zero point), whose scale is already divided by their number.
#[must_use]
pub fn mean(tensor: View<'_>, axes: &[usize], zero_point: i8, output: &ScaledOutput) -> Vec<i8> {
    let kept = |axis: usize| match axes.contains(&axis) {
        true => 1,
        false => tensor.shape[axis],
    };
    let mut sums = vec![0i64; (0..tensor.shape.len()).map(kept).product()];
    for (number, &value) in tensor.values.iter().enumerate() {
        let (mut rest, mut stride, mut place) = (number, 1, 0);
        for axis in (0..tensor.shape.len()).rev() {
            if kept(axis) > 1 {
                place += rest % tensor.shape[axis] * stride;
            }
            rest /= tensor.shape[axis];
            stride *= kept(axis);
        }
        sums[place] += i64::from(value) - i64::from(zero_point);
    }
    sums.into_iter().map(|sum| byte(sum, output)).collect()
}
