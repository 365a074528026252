//! Tables of functions of one byte, as the reference kernels compute them.

use heddle_arch::requantise::{Rounding, Scale, quantise_output};
use heddle_network::ops::float32::{Function as Real, Halves, quantised};

use super::int32::{holds, multiplied, shifted};
use super::{Difference, hard_swish, inverse_root};
use crate::model::{Activation, Quantised};
use crate::report::Exact;
use crate::scale::{bounds, reference_bounds, scale};

/// A function of one byte.
#[derive(Debug, Clone, Copy)]
pub enum Function {
    /// The absolute value.
    Abs,
    /// One of real numbers, rounded where the kernels round.
    Real(fn(f32) -> f32),
    /// One of real numbers, whose steps lose what is behind the point.
    Truncated(fn(f32) -> f32),
    /// The byte with the other sign, whatever it stands for, as the reference has it.
    Negative,
    /// One of real numbers as an .onnx file has it, of two numbers of its own.
    Float(Real, [f32; 2]),
    /// x times x + 3, cut to 0 to 6, over 6.
    HardSwish,
    /// x from 0 on, x times this below.
    LeakyRelu(f32),
    /// x from 0 on, x times the real value of this byte below.
    Prelu(i8, Quantised),
    /// x.
    Quantize,
    /// x, cut as an activation does.
    Cut(Activation),
    /// 1 over the square root; the largest byte for 0 and below, which the reference refuses.
    Rsqrt,
}

/// The outputs for -128 to 127.
///
/// # Errors
/// If a scale cannot be had.
pub fn table(function: Function, input: Quantised, output: Quantised) -> Result<[i8; 256], String> {
    if let Some((sides, activation)) = slopes(function, input, output) {
        return sloped(input, output, sides, activation);
    }
    match function {
        Function::Real(at) => Ok(real(at, f32::round, input, output)),
        Function::Truncated(at) => Ok(real(at, f32::trunc, input, output)),
        Function::Negative => Ok(std::array::from_fn(|place| {
            ((place as i32 - 128) as i8).wrapping_neg()
        })),
        Function::Float(function, numbers) => Ok(float(|x| function.at(x, numbers), input, output)),
        Function::HardSwish => hard_swish::table(input, output),
        _ => inverse_root::table(input, output),
    }
}

/// Whether a table is that of the reference, whose int32 may wrap.
///
/// # Errors
/// If a scale cannot be had.
pub fn table_exact(
    function: Function,
    input: Quantised,
    output: Quantised,
    table: &[i8; 256],
) -> Result<Exact, String> {
    let Some((sides, activation)) = slopes(function, input, output) else {
        return Ok(Exact::Yes);
    };
    let [below, above] = scaled(sides)?;
    let zero_point = i64::from(input.zero_point);
    let mut ends = [(128 + zero_point, below), (127 - zero_point, above)].into_iter();
    let is_held =
        ends.all(|(largest, (scale, factor))| holds(largest * i64::from(factor.abs()), scale));
    let bounds = reference_bounds(activation, output);
    if is_held && bounds.is_held {
        return Ok(Exact::Yes);
    }
    let reference = each(input, |x| {
        let (scale, factor) = if x < 0 { below } else { above };
        // The multiplier has the sign of a slope, and what is shifted that of x.
        let found = match function {
            Function::LeakyRelu(_) if factor < 0 => shifted(x, scale).saturating_neg(),
            _ => shifted(x * factor, scale),
        };
        let found = multiplied(found, scale).wrapping_add(output.zero_point.into());
        found.max(bounds.min).min(bounds.max) as i8
    });
    let pairs = table.iter().zip(reference);
    let pairs = pairs.map(|(&one, other)| (one.into(), other.into()));
    Ok(Exact::Compared(Difference::of(pairs)))
}

/// What a function that is x times a factor on either side of 0 has there: real scale and whole factor below, the same from there on; and
/// what cuts it.
fn slopes(
    function: Function,
    input: Quantised,
    output: Quantised,
) -> Option<([(f64, i32); 2], Activation)> {
    // In single precision, as the kernels have it.
    let ratio = input.scale / output.scale;
    let sides = |below: f32, factor| [(below.into(), factor), (ratio.into(), 1)];
    let plain = |sides| Some((sides, Activation::None));
    match function {
        Function::Quantize => {
            let ratio = f64::from(input.scale) / f64::from(output.scale);
            plain([(ratio, 1); 2])
        }
        Function::Abs => plain(sides(ratio, -1)),
        Function::Cut(activation) => Some((sides(ratio, 1), activation)),
        Function::LeakyRelu(alpha) => {
            let below = input.scale * alpha.abs() / output.scale;
            plain(sides(below, if alpha < 0.0 { -1 } else { 1 }))
        }
        Function::Prelu(slope, quantised) => {
            let below = input.scale * quantised.scale / output.scale;
            let factor = i32::from(slope) - i32::from(quantised.zero_point);
            plain(sides(below, factor))
        }
        _ => None,
    }
}

fn scaled(sides: [(f64, i32); 2]) -> Result<[(Scale, i32); 2], String> {
    let [below, above] = sides.map(|(real, factor)| Ok::<_, String>((scale(real)?, factor)));
    Ok([below?, above?])
}

/// Every byte, from the lowest on, and its distance from the zero point.
pub(super) fn each(input: Quantised, make: impl Fn(i32) -> i8) -> [i8; 256] {
    std::array::from_fn(|place| make(place as i32 - 128 - i32::from(input.zero_point)))
}

/// x times a factor, scaled: one for x below 0, one from there on.
fn sloped(
    input: Quantised,
    output: Quantised,
    sides: [(f64, i32); 2],
    activation: Activation,
) -> Result<[i8; 256], String> {
    let (min, max) = bounds(activation, output)?;
    let [below, above] = scaled(sides)?;
    Ok(each(input, |x| {
        let (scale, factor): (Scale, i32) = if x < 0 { below } else { above };
        quantise_output(
            x * factor,
            scale,
            Rounding::Double,
            output.zero_point,
            min,
            max,
        )
    }))
}

/// A function of real numbers in single precision, whose steps become whole so.
fn real(
    at: fn(f32) -> f32,
    whole: fn(f32) -> f32,
    input: Quantised,
    output: Quantised,
) -> [i8; 256] {
    let steps = 1.0 / output.scale;
    each(input, |x| {
        let steps = whole(at(input.scale * x as f32) * steps);
        byte(steps as i32, output)
    })
}

/// As docs/import.md has it: all in single precision but the function, whose exact value is rounded to it; halves of a step to even.
fn float(at: impl Fn(f64) -> f64, input: Quantised, output: Quantised) -> [i8; 256] {
    each(input, |x| {
        let y = at((x as f32 * input.scale).into()) as f32;
        quantised(y, output.scale, output.zero_point, Halves::Even)
    })
}

/// The byte so many steps above zero.
fn byte(steps: i32, output: Quantised) -> i8 {
    let byte = steps.saturating_add(output.zero_point.into());
    byte.clamp(i8::MIN.into(), i8::MAX.into()) as i8
}
