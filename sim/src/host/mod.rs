//! Operators that the host runs between two runs of the machine, byte for byte as the TensorFlow Lite reference kernels.
//!
//! All of it is arithmetic of integers: scales are multipliers and shifts, as in the layers of a network. Functions of one
//! byte are tables of 256 entries and need nothing here.

mod pairs;
mod resize;
mod rows;
mod softmax;

use heddle_arch::requantise::{Rounding, ScaledOutput};

use crate::network::requantise::output_value;

pub use pairs::{broadcast, prelu, product, squared_difference, sum};
pub use resize::{Between, between, bilinear};
pub use rows::{arg_max, mean, rounded_mean};
pub use softmax::softmax;

/// A tensor of any number of dimensions, the last of which moves fastest.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Sizes; none for a single value.
    pub shape: &'a [usize],
    /// As many values as the shape has places.
    pub values: &'a [i8],
}

/// The output for a sum, which is held in 32 bits.
fn byte(sum: i64, output: &ScaledOutput) -> i8 {
    let sum = sum.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
    rounded(sum, output, Rounding::Double)
}

/// The output for a sum with one of the roundings.
fn rounded(sum: i32, output: &ScaledOutput, rounding: Rounding) -> i8 {
    let ScaledOutput {
        scale,
        zero_point,
        min,
        max,
    } = *output;
    output_value(sum, scale, rounding, zero_point, min, max)
}
