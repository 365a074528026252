//! Constants of operators that the host runs: scales as the reference kernels round them.

use std::collections::BTreeSet;

use heddle_arch::requantise::{Rounding, Scale};
use heddle_network::file::{
    AddFile, ConstantFile, InputScalesFile, KindFile, MulFile, ScaledFile, SquaredDifferenceFile,
};

use super::int32::{self, Scaled};
use crate::model::{Activation, Quantised};
use crate::report::Exact;
use crate::scale::{bounds, divided, scale};

/// Bits by which sums and squared differences shift their inputs to the left.
const SUM_SHIFT: u32 = 20;
const DIFFERENCE_SHIFT: u32 = 7;

/// All bytes.
const ALL: (i8, i8) = (i8::MIN, i8::MAX);

/// Of a softmax, whose output has scale 1/256 and zero point -128: the scale of its input in steps of 2^-26.
///
/// # Errors
/// If there is no such scale.
pub fn softmax(input: Quantised, beta: f32) -> Result<Scale, String> {
    let step = f64::from(beta) * f64::from(input.scale) * f64::from(1 << 26);
    match step > 1.0 {
        true => scale(step),
        false => Err(format!(
            "its inputs have steps of {step} / 2^26, expected more than 1"
        )),
    }
}

/// Of a sum, or of a difference.
///
/// # Errors
/// If a scale cannot be had.
pub fn sum(
    inputs: [Quantised; 2],
    output: Quantised,
    bounds: (i8, i8),
    subtract: bool,
    constant: Option<ConstantFile>,
) -> Result<KindFile, String> {
    let (inputs, twice) = halved(inputs)?;
    let last = twice / (f64::from(1 << SUM_SHIFT) * f64::from(output.scale));
    // The reference kernel takes no larger one.
    if last >= 1.0 {
        return Err(format!(
            "its sums are scaled by {last}, expected less than 1"
        ));
    }
    let scaled = ScaledFile::new(&[scale(last)?], bounds);
    Ok(AddFile {
        inputs,
        scaled,
        subtract,
        constant,
    }
    .into())
}

/// Of a squared difference.
///
/// # Errors
/// If a scale cannot be had.
pub fn squared_difference(
    inputs: [Quantised; 2],
    output: Quantised,
    constant: Option<ConstantFile>,
) -> Result<KindFile, String> {
    let (inputs, twice) = halved(inputs)?;
    let steps = f64::from(1 << (2 * DIFFERENCE_SHIFT));
    let last = twice * twice / (steps * f64::from(output.scale));
    // The reference kernel takes no larger one.
    if last >= 1.0 {
        return Err(format!(
            "its squares are scaled by {last}, expected less than 1"
        ));
    }
    let scaled = ScaledFile::new(&[scale(last)?], ALL);
    Ok(SquaredDifferenceFile {
        inputs,
        scaled,
        constant,
    }
    .into())
}

/// Of a product.
///
/// # Errors
/// If a scale cannot be had.
pub fn product(
    inputs: [Quantised; 2],
    output: Quantised,
    bounds: (i8, i8),
    rounding: Rounding,
    constant: Option<ConstantFile>,
) -> Result<KindFile, String> {
    let scaled = ScaledFile::new(&[product_scale(inputs, output, rounding)?], bounds);
    Ok(MulFile {
        scaled,
        rounding: Some(rounding),
        constant,
    }
    .into())
}

/// The scale of a product, which the reference computes in single precision, an .onnx file (rounded once) in double precision.
///
/// # Errors
/// If it cannot be had.
pub fn product_scale(
    inputs: [Quantised; 2],
    output: Quantised,
    rounding: Rounding,
) -> Result<Scale, String> {
    let [first, second] = inputs.map(|input| input.scale);
    scale(match rounding {
        Rounding::Double => (first * second / output.scale).into(),
        Rounding::Single => f64::from(first) * f64::from(second) / f64::from(output.scale),
    })
}

/// Whether products of all bytes, or of those of a constant in this place, are those of the reference.
///
/// # Errors
/// If a scale cannot be had.
pub fn product_exact(
    inputs: [Quantised; 2],
    constant: Option<(usize, &[i8])>,
    output: Quantised,
    activation: Activation,
) -> Result<Exact, String> {
    let mut values = inputs.map(|input| distances(i8::MIN..=i8::MAX, input));
    if let Some((place, constant)) = constant {
        values[place] = distances(constant.iter().copied(), inputs[place]);
    }
    let scale = product_scale(inputs, output, Rounding::Double)?;
    let scaled = Scaled::of(scale, output, bounds(activation, output)?);
    let [first, second] = values;
    products_exact(first.into_iter(), &second, &scaled)
}

/// Of a value from zero on, and of its product with one of these slopes below; and whether they are those of the reference.
///
/// # Errors
/// If a scale cannot be had.
pub fn prelu(
    inputs: [Quantised; 2],
    slopes: &[i8],
    output: Quantised,
) -> Result<(ScaledFile, Exact), String> {
    let above = scale((inputs[0].scale / output.scale).into())?;
    let below = product_scale(inputs, output, Rounding::Double)?;
    let values = distances(i8::MIN..=i8::MAX, inputs[0]).into_iter();
    let (negative, positive): (Vec<i64>, Vec<i64>) = values.partition(|&value| value < 0);
    let slopes = distances(slopes.iter().copied(), inputs[1]);
    let exact = |values: Vec<i64>, factors: &[i64], scale| {
        products_exact(values.into_iter(), factors, &Scaled::of(scale, output, ALL))
    };
    let exact = exact(positive, &[1], above)?.and(exact(negative, &slopes, below)?);
    Ok((ScaledFile::new(&[above, below], ALL), exact))
}

/// Of a mean of `count` elements, and whether it is that of the reference.
///
/// # Errors
/// If a scale cannot be had, or if it may not be and has too many sums.
///
/// # Panics
/// If `count` is 0.
pub fn mean(
    input: Quantised,
    output: Quantised,
    count: u32,
) -> Result<(ScaledFile, Exact), String> {
    let real = f64::from(input.scale) / f64::from(output.scale);
    let scale = divided(scale(real)?, count)?;
    let (zero, count) = (i64::from(input.zero_point), i64::from(count));
    let (least, most) = ((-128 - zero) * count, (127 - zero) * count);
    let sums = (0..(most - least + 1) as usize).map(|step| least + step as i64);
    let exact = int32::exact(sums, most.max(-least), &Scaled::of(scale, output, ALL))?;
    Ok((ScaledFile::new(&[scale], ALL), exact))
}

/// Whether products of these are those of the reference.
fn products_exact(
    values: impl Iterator<Item = i64>,
    factors: &[i64],
    scaled: &Scaled,
) -> Result<Exact, String> {
    let products = values.flat_map(|value| factors.iter().map(move |factor| value * factor));
    let products: Vec<i64> = products.collect();
    let largest = products.iter().map(|sum| sum.abs()).max().unwrap_or(0);
    int32::exact(products.into_iter(), largest, scaled)
}

/// The distances from their zero point of the bytes that occur among these.
fn distances(values: impl Iterator<Item = i8>, quantised: Quantised) -> Vec<i64> {
    let seen: BTreeSet<i64> = values.map(i64::from).collect();
    let zero_point = i64::from(quantised.zero_point);
    seen.into_iter().map(|value| value - zero_point).collect()
}

/// Inputs in units of twice the larger scale, and that.
fn halved(inputs: [Quantised; 2]) -> Result<(InputScalesFile, f64), String> {
    let twice = 2.0 * f64::from(inputs[0].scale.max(inputs[1].scale));
    let [first, second] = inputs.map(|input| scale(f64::from(input.scale) / twice));
    let scales = [first?, second?];
    let scales = InputScalesFile {
        input_multiplier: scales.map(Scale::multiplier),
        input_shift: scales.map(Scale::shift),
    };
    Ok((scales, twice))
}
