//! Constants of operators that the host runs: scales as the reference kernels round them.

use heddle_arch::requantise::{Rounding, Scale, ScaledInput, ScaledOutput, requantise};

use super::int32;
use crate::model::Quantised;
use crate::report::Exact;
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
    // The reference kernel takes no larger one.
    match last < 1.0 {
        true => Ok((inputs, scaled(last, output, (i8::MIN, i8::MAX))?)),
        false => Err(format!(
            "its squares are scaled by {last}, expected less than 1"
        )),
    }
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

/// Whether means of `count` elements are those of the reference.
///
/// # Errors
/// If they may not be, and have too many sums.
pub fn mean_exact(input: Quantised, count: u32, mean: &ScaledOutput) -> Result<Exact, String> {
    let (zero, count) = (i64::from(input.zero_point), i64::from(count));
    let (least, most) = ((-128 - zero) * count, (127 - zero) * count);
    let sums = (0..(most - least + 1) as usize).map(|step| least + step as i64);
    int32::exact(sums, most.max(-least), mean)
}

/// Whether values of a tensor from zero on, and their products with these slopes below, are those of the reference.
///
/// # Errors
/// None: they are few.
pub fn prelu_exact(
    inputs: [Quantised; 2],
    slopes: &[i8],
    [above, below]: &[ScaledOutput; 2],
) -> Result<Exact, String> {
    let [zero, of_slopes] = inputs.map(|input| i64::from(input.zero_point));
    let values = (-128..=127).map(|byte| byte - zero);
    let (negative, positive): (Vec<i64>, Vec<i64>) = values.partition(|&value| value < 0);
    let products = distinct(slopes).into_iter().flat_map(|slope| {
        let factor = i64::from(slope) - of_slopes;
        negative.iter().map(move |value| value * factor)
    });
    let products: Vec<i64> = products.collect();
    let exact = |sums: Vec<i64>, output| {
        let largest = sums.iter().map(|sum| sum.abs()).max().unwrap_or(0);
        int32::exact(sums.into_iter(), largest, output)
    };
    Ok(exact(positive, above)?.and(exact(products, below)?))
}

/// The bytes that occur among these.
pub fn distinct(values: &[i8]) -> Vec<i8> {
    let mut seen = [false; 256];
    for &value in values {
        seen[(i32::from(value) + 128) as usize] = true;
    }
    (i8::MIN..=i8::MAX)
        .filter(|&value| seen[(i32::from(value) + 128) as usize])
        .collect()
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
    use std::collections::BTreeMap;

    use heddle_sim::host::{self as golden, View};

    use super::*;
    use crate::exact::recorded::{Case, Recorded, each_of_a_network};
    use crate::model::{Kind, Tensor};

    /// What the golden kernel gives for a model; `None` for an operator that the host does not run.
    fn output(case: &Case<'_>) -> Option<Vec<i32>> {
        let shapes: Vec<Vec<usize>> = (0..case.inputs.len())
            .map(|input| case.shape(input))
            .collect();
        let view = |number: usize| View {
            shape: &shapes[number],
            values: &case.inputs[number],
        };
        let depth = *shapes[0].last().unwrap_or(&1);
        let inputs = || [case.input(0), case.input(1)];
        let zeros = || inputs().map(|input| input.zero_point);
        let views = || [view(0), view(1)];
        let bytes = match case.operator.kind.clone() {
            Kind::Softmax(beta) => {
                let scale = softmax(case.input(0), beta).unwrap();
                golden::softmax(&case.inputs[0], depth, scale)
            }
            Kind::ArgMax => {
                // The kernel is of the last dimension.
                let axis = case.operator.inputs[1].map(|index| &case.model.tensors[index]);
                let axis = axis.and_then(Tensor::int32).unwrap()[0];
                if axis + 1 != shapes[0].len() as i32 {
                    return None;
                }
                let places = golden::arg_max(&case.inputs[0], depth);
                return Some(places.into_iter().map(|place| place as i32).collect());
            }
            kind @ (Kind::Add | Kind::Sub) => {
                let (scaled, output) = sum(inputs(), case.output(), case.bounds()).unwrap();
                golden::sum(views(), &scaled, kind == Kind::Sub, &output).unwrap()
            }
            Kind::Mul => {
                let output =
                    product(inputs(), case.output(), case.bounds(), Rounding::Double).unwrap();
                golden::product(views(), zeros(), &output, Rounding::Double).unwrap()
            }
            Kind::SquaredDifference => {
                let (scaled, output) = squared_difference(inputs(), case.output()).unwrap();
                golden::squared_difference(views(), &scaled, &output).unwrap()
            }
            Kind::Prelu => {
                let outputs = prelu(inputs(), case.output()).unwrap();
                golden::prelu(views(), zeros(), &outputs).unwrap()
            }
            Kind::Mean => {
                let axes = case.operator.inputs[1].map(|index| &case.model.tensors[index]);
                let rank = shapes[0].len() as i32;
                let axes = axes.and_then(Tensor::int32).unwrap();
                let axes: Vec<usize> = axes
                    .iter()
                    .map(|axis| axis.rem_euclid(rank) as usize)
                    .collect();
                let count: usize = axes.iter().map(|&axis| shapes[0][axis]).product();
                let output = mean(case.input(0), case.output(), count as u32).unwrap();
                golden::mean(view(0), &axes, case.input(0).zero_point, &output)
            }
            _ => return None,
        };
        Some(bytes.into_iter().map(i32::from).collect())
    }

    #[test]
    fn host_kernels_give_the_bytes_of_the_reference_kernels() {
        let mut compared: BTreeMap<String, u32> = BTreeMap::new();
        Recorded::open("operators.npz").each_operator(|recorded, name, case| {
            let Some(found) = output(case) else {
                return;
            };
            let array = format!("{name}/output");
            let expected: Vec<i32> = match case.operator.kind {
                Kind::ArgMax => {
                    let words = recorded.words(&array);
                    words.into_iter().map(i32::from_le_bytes).collect()
                }
                _ => recorded.int8(&array).into_iter().map(i32::from).collect(),
            };
            assert!(
                found == expected,
                "{name}: {found:?}, expected {expected:?}"
            );
            let operator = case.operator.name.split(' ').next().unwrap();
            *compared.entry(operator.to_string()).or_default() += 1;
        });
        let least = [
            ("ADD", 20),
            ("ARG_MAX", 4),
            ("MEAN", 10),
            ("MUL", 20),
            ("PRELU", 6),
            ("SOFTMAX", 4),
            ("SQUARED_DIFFERENCE", 12),
            ("SUB", 12),
        ];
        for (operator, least) in least {
            assert!(compared[operator] >= least, "{operator}: {compared:?}");
        }
    }

    #[test]
    fn host_kernels_of_a_transformer_give_the_bytes_of_the_reference_kernels() {
        let mut compared = 0;
        each_of_a_network("transformer", |case, expected| {
            if let Some(found) = output(case) {
                let expected: Vec<i32> = expected.iter().copied().map(i32::from).collect();
                assert!(found == expected, "{}: {found:?}", case.operator.name);
                compared += 1;
            }
        });
        // Two layer norms of ten operators less their roots, the sums in front of them, softmax and its factor.
        assert_eq!(compared, 2 * 9 + 2 + 2);
    }

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
            let found = golden::softmax(&values[length..2 * length], length, scale);
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
            assert!(golden::softmax(values, 3, scale) == expected, "{scale:?}");
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
            assert_eq!(golden::softmax(&row, row.len(), scale), expected);
        }
        // The reference kernel has no result for these.
        assert_eq!(golden::softmax(&[7; 5000], 5000, scale), [-128; 5000]);
    }
}
