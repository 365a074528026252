//! Constants of operators that the host runs: scales as the reference kernels round them.

use heddle_arch::requantise::{Rounding, Scale, ScaledInput, ScaledOutput, requantise};

use crate::model::Quantised;
use crate::scale::{divided, scale};

/// Bits by which sums and squared differences shift their inputs to the left.
pub(crate) const SUM_SHIFT: u32 = 20;
pub(crate) const DIFFERENCE_SHIFT: u32 = 7;

/// Constants of an operator on two tensors.
pub type Pair = ([ScaledInput; 2], ScaledOutput);

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

/// Of a sum or a difference.
///
/// # Errors
/// If a scale cannot be had.
pub fn sum(inputs: [Quantised; 2], output: Quantised, bounds: (i8, i8)) -> Result<Pair, String> {
    let (inputs, twice) = halved(inputs)?;
    let last = twice / (f64::from(1 << SUM_SHIFT) * f64::from(output.scale));
    // The reference kernel takes no larger one.
    match last < 1.0 {
        true => Ok((inputs, scaled(last, output, bounds)?)),
        false => Err(format!(
            "its sums are scaled by {last}, expected less than 1"
        )),
    }
}

/// Of a squared difference.
///
/// # Errors
/// If a scale cannot be had.
pub fn squared_difference(inputs: [Quantised; 2], output: Quantised) -> Result<Pair, String> {
    let (inputs, twice) = halved(inputs)?;
    let steps = f64::from(1 << (2 * DIFFERENCE_SHIFT));
    let last = twice * twice / (steps * f64::from(output.scale));
    Ok((inputs, scaled(last, output, (i8::MIN, i8::MAX))?))
}

/// Of a product, whose scale the reference computes in single precision, an .onnx file (rounded once) in double precision.
///
/// # Errors
/// If a scale cannot be had.
pub fn product(
    inputs: [Quantised; 2],
    output: Quantised,
    bounds: (i8, i8),
    rounding: Rounding,
) -> Result<ScaledOutput, String> {
    let [first, second] = inputs.map(|input| input.scale);
    let real = match rounding {
        Rounding::Double => (first * second / output.scale).into(),
        Rounding::Single => f64::from(first) * f64::from(second) / f64::from(output.scale),
    };
    scaled(real, output, bounds)
}

/// Of a value from zero on, and of its product with a slope below.
///
/// # Errors
/// If a scale cannot be had.
pub fn prelu(inputs: [Quantised; 2], output: Quantised) -> Result<[ScaledOutput; 2], String> {
    let above = inputs[0].scale / output.scale;
    let bounds = (i8::MIN, i8::MAX);
    Ok([
        scaled(above.into(), output, bounds)?,
        product(inputs, output, bounds, Rounding::Double)?,
    ])
}

/// Of a mean of `count` elements.
///
/// # Errors
/// If a scale cannot be had.
///
/// # Panics
/// If `count` is 0.
pub fn mean(input: Quantised, output: Quantised, count: u32) -> Result<ScaledOutput, String> {
    let real = f64::from(input.scale) / f64::from(output.scale);
    let mut found = scaled(real, output, (i8::MIN, i8::MAX))?;
    found.scale = divided(found.scale, count)?;
    Ok(found)
}

/// (x - zero point) 2^shift, scaled.
pub(crate) fn scaled_input(x: i8, input: ScaledInput, shift: u32) -> i32 {
    let difference = i32::from(x) - i32::from(input.zero_point);
    requantise(difference << shift, input.scale, Rounding::Double)
}

/// Inputs in units of twice the larger scale, and that.
fn halved(inputs: [Quantised; 2]) -> Result<([ScaledInput; 2], f64), String> {
    let twice = 2.0 * f64::from(inputs[0].scale.max(inputs[1].scale));
    let halved = inputs.map(|input| {
        Ok::<_, String>(ScaledInput {
            zero_point: input.zero_point,
            scale: scale(f64::from(input.scale) / twice)?,
        })
    });
    let [first, second] = halved;
    Ok(([first?, second?], twice))
}

fn scaled(real: f64, output: Quantised, (min, max): (i8, i8)) -> Result<ScaledOutput, String> {
    Ok(ScaledOutput {
        scale: scale(real)?,
        zero_point: output.zero_point,
        min,
        max,
    })
}

#[cfg(test)]
mod tests {
    use heddle_network::ops::softmax::softmax as golden;

    use super::*;
    use crate::exact::recorded::Recorded;

    #[test]
    fn rows_of_every_length_have_the_softmax_of_the_reference_kernel() {
        let mut recorded = Recorded::open("softmax.npz");
        let values = recorded.int8("input");
        let (scales, betas) = (recorded.float32("scales"), recorded.float32("betas"));
        let mut expected = &recorded.int8("output")[..];
        for (number, (scale, beta)) in scales.into_iter().zip(betas).enumerate() {
            let length = number + 1;
            let (row, rest) = expected.split_at(length);
            let scale = softmax(
                Quantised {
                    scale,
                    zero_point: 0,
                },
                beta,
            )
            .unwrap();
            let found = golden(&values[length..2 * length], scale);
            assert!(found == row, "row of {length}: {found:?}, expected {row:?}");
            expected = rest;
        }
        assert!(expected.is_empty());
    }

    #[test]
    fn short_rows_have_the_softmax_of_the_reference_kernel() {
        let mut recorded = Recorded::open("softmax.npz");
        let (values, expected) = (recorded.int8("short"), recorded.int8("short_output"));
        let scales = recorded.float32("short_scales");
        let size = values.len() / scales.len();
        let sets = values.chunks_exact(size).zip(expected.chunks_exact(size));
        for ((values, expected), scale) in sets.zip(scales) {
            let zero_point = 0;
            let scale = softmax(Quantised { scale, zero_point }, 1.0).unwrap();
            let found: Vec<i8> = values
                .chunks(3)
                .flat_map(|row| golden(row, scale))
                .collect();
            assert!(found == expected, "{scale:?}");
        }
        assert_eq!(values.len(), 60_000);
    }

    #[test]
    fn equal_bytes_have_equal_shares() {
        let quantised = Quantised {
            scale: 0.05,
            zero_point: 0,
        };
        let scale = softmax(quantised, 1.0).unwrap();
        for (number, share) in Recorded::open("softmax.npz")
            .int8("equal")
            .into_iter()
            .enumerate()
        {
            let row = vec![7; number + 1];
            let expected = vec![share; row.len()];
            assert_eq!(golden(&row, scale), expected);
        }
        // The reference kernel has no result for these.
        assert_eq!(golden(&[7; 5000], scale), [-128; 5000]);
    }
}
