//! Layers with weights.

use heddle_arch::requantise::{Rounding, Scale};
use heddle_network::Network;
use heddle_network::Shape;
use heddle_network::file::{FullyConnectedFile, KindFile, PaddingFile, ScaledFile};

use super::{Kind, activation};
use crate::exact::{Difference, channel, int32, single};
use crate::lower::Lowering;
use crate::lower::layers::{Lowered, Made, Source, layer_of};
use crate::lower::windows::{Windows, windows};
use crate::model::{Format, Operator, Quantised, Tensor, Window};
use crate::onnx::layers::{Terms, plain, product};
use crate::onnx::reader::{Reader, Value};
use crate::onnx::schema::Node;
use crate::report::{Exact, Inexact};
use crate::scale::{bounds, scale};
use crate::tflite::{schema, window};

rows! {
    tflite &["CONV_2D", "DEPTHWISE_CONV_2D"] => |operator, name| match name {
        "CONV_2D" => {
            let options = operator.options::<schema::Convolution<'_>>()?;
            let stride = [options.stride_h(), options.stride_w()];
            let dilation = [options.dilation_h(), options.dilation_w()];
            let window = window(options.padding(), stride, dilation);
            Some((Kind::Convolution(window), options.activation()))
        }
        _ => {
            let options = operator.options::<schema::Depthwise<'_>>()?;
            let stride = [options.stride_h(), options.stride_w()];
            let dilation = [options.dilation_h(), options.dilation_w()];
            let window = window(options.padding(), stride, dilation);
            Some((Kind::Depthwise(window), options.activation()))
        }
    },
    onnx &["Conv", "QLinearConv"] => |reader, node| {
        let mut terms = Terms::two(|reader, node, shape, operands| {
            let (kind, weights, shape) = reader.convolution(node, &shape, operands)?;
            operands.tensors[1] = weights;
            Ok((kind, shape))
        });
        terms.bias = true;
        reader.layer(node, &terms)
    },
    as "conv2d", "same arithmetic; of .onnx files compared where outputs rise", "symmetric weights, any groups; bias of int32";

    tflite &["FULLY_CONNECTED"] => |operator, _| Some((Kind::FullyConnected, activation(operator))),
    as "fully_connected", "compared where outputs rise; if not, --inexact fully_connected", "symmetric weights; of several rows a conv2d 1x1";

    onnx &["Gemm", "MatMul", "QGemm", "QLinearMatMul"] => matrix,
    as "fully_connected", "compared where outputs rise", "constant symmetric weights, one row; bias of int32, also by an Add";
}

/// A product of matrices, or of one and weights.
pub fn matrix<'a>(reader: &mut Reader<'a>, node: &'a Node) -> Result<Value<'a>, String> {
    let mut terms = Terms::two(|reader, node, shape, operands| {
        let other = &reader.tensors[operands.tensors[1]];
        if plain(&node.operator) == "MatMul" && other.data.is_none() {
            let shape = product(&shape, &other.shape)?;
            return Ok((Kind::BatchMatmul([false; 2]), shape));
        }
        let (weights, shape) = reader.rows(node, &shape, operands)?;
        operands.tensors[1] = weights;
        Ok((Kind::FullyConnected, shape))
    });
    terms.bias = plain(&node.operator) == "Gemm";
    reader.layer(node, &terms)
}

pub fn lower(lowering: &mut Lowering<'_>, operator: &Operator, output: usize) -> Lowered {
    let output = lowering.model.tensors[output].quantised()?;
    match operator.kind {
        Kind::Convolution(window) => lowering.convolution(operator, window, output, false),
        Kind::Depthwise(window) => lowering.convolution(operator, window, output, true),
        _ => lowering.fully_connected(operator, output),
    }
}

/// Weights of a layer, and how its sums are scaled.
pub struct Weighted {
    /// The windows of a convolution; none of a fully connected layer.
    pub windows: Option<Windows>,
    pub groups: u32,
    pub weights: Vec<i8>,
    pub text: String,
    pub plane: Shape,
    pub scales: Vec<Scale>,
    pub rounding: Rounding,
    pub exact: Exact,
}

impl Lowering<'_> {
    /// A convolution, or a depthwise one, whose outputs are the last dimension of the weights.
    fn convolution(
        &self,
        operator: &Operator,
        window: Window,
        output: Quantised,
        depthwise: bool,
    ) -> Lowered {
        let source = self.plane_source(operator, 0)?;
        let weights = self.weights(operator)?;
        let refused = |expected: &str| {
            let (name, shape) = (weights.name, &weights.shape);
            Some(format!(
                "weights {name:?} have shape {shape:?}, expected {expected}"
            ))
        };
        let &[outer, height, width, inner] = &weights.shape[..] else {
            return Err(refused("4 dimensions"));
        };
        let channels = source.plane.channels;
        let (outputs, groups) = match depthwise {
            true => (inner, channels),
            false => (outer, channels / inner.min(channels)),
        };
        let fits = if depthwise {
            outer == 1
        } else {
            groups * inner == channels
        };
        if !fits || outputs % groups != 0 {
            return Err(refused(&format!("them for {channels} channels")));
        }
        check_outputs(outputs)?;
        let axis = if depthwise { 3 } else { 0 };
        let values = weight_values(weights, axis)?;
        let [outer, places, inner] = [outer, height * width, inner].map(|size| size as usize);
        // From output, place, input, or place, output, to output, input, place.
        let ordered = (0..outer).flat_map(|o| {
            let values = &values;
            let row = move |i: usize| {
                (0..places).map(move |place| values[(o * places + place) * inner + i])
            };
            (0..inner).flat_map(row)
        });
        let windows =
            windows(window, [height, width], source.plane, outputs)?.padded(source.value.padding);
        if windows.padding != PaddingFile::default() {
            source.check_zero()?;
        }
        let ordered: Vec<i8> = ordered.collect();
        let (scales, exact) = self.scales(operator, &source, &ordered, (output, outputs))?;
        let weighted = Weighted {
            weights: ordered,
            groups,
            text: format!(
                "conv2d {}{}",
                windows.text(),
                match depthwise || groups == channels && groups > 1 {
                    true => ", depthwise",
                    false => "",
                }
            ),
            plane: windows.output,
            windows: Some(windows),
            scales,
            rounding: self.model.format.rounding(),
            exact,
        };
        self.completed(operator, &source, weighted, output)
    }

    /// How the sums of each output are scaled, whose weights lie one after another: as the reference kernels of .tflite files do, or so
    /// that outputs rise where they do in onnxruntime, as far as a scale does that.
    pub fn scales(
        &self,
        operator: &Operator,
        source: &Source<'_>,
        rows: &[i8],
        (output, outputs): (Quantised, u32),
    ) -> Result<(Vec<Scale>, Exact), String> {
        let weights = self.weights(operator)?;
        if self.model.format == Format::Tflite {
            let scales = reals(source, weights, output, outputs).map(scale);
            return Ok((scales.collect::<Result<_, _>>()?, Exact::Yes));
        }
        let bias = self.bias(operator, source, outputs)?;
        let reals = weights.scales.iter().cycle();
        let reals = reals.map(|&scale| source.quantised.scale * scale / output.scale);
        let rows = rows.chunks_exact(rows.len() / bias.len());
        let largest = rows.zip(bias).map(|(row, bias)| largest_sum(row, bias));
        let (scales, difference) = risen(reals.zip(largest), single)?;
        Ok((scales, Exact::of(difference)))
    }

    /// Rows of weights for the elements in the order of the file: they are put in that of the plane.
    fn fully_connected(&self, operator: &Operator, output: Quantised) -> Lowered {
        let source = self.source(operator, 0)?;
        let weights = self.weights(operator)?;
        let plane = source.value.plane;
        let &[outputs, terms] = &weights.shape[..] else {
            let (name, shape) = (weights.name, &weights.shape);
            return Err(Some(format!(
                "weights {name:?} have shape {shape:?}, expected 2 dimensions"
            )));
        };
        check_outputs(outputs)?;
        let is_one = plane.elements() == terms as usize;
        // Rows lie side by side, their elements in the channels.
        let are_channels = self.model.format == Format::Tflite && plane.channels == terms;
        if !is_one && (!are_channels || plane != source.plane) {
            let found = plane.elements();
            return Err(Some(format!(
                "multiplies rows of {terms}, and its input has {found} elements: expected one row"
            )));
        }
        let values = weight_values(weights, 0)?;
        let channels = if is_one {
            self.model.format.interleaved(plane)
        } else {
            1
        };
        let ordered = values.chunks_exact(terms as usize).flat_map(|row| {
            (0..channels).flat_map(move |channel| row[channel..].iter().step_by(channels).copied())
        });
        let ordered: Vec<i8> = ordered.collect();
        let (scales, exact) = match self.model.format {
            Format::Tflite => {
                let bias = self.bias(operator, &source, outputs)?;
                let largest = values.chunks_exact(terms as usize).zip(bias);
                let largest = largest.map(|(row, bias)| largest_sum(row, bias));
                let reals = reals(&source, weights, output, outputs);
                let (scales, difference) = risen(reals.zip(largest), channel)?;
                self.accept(difference, Inexact::FullyConnected)?;
                (scales, Exact::of(difference))
            }
            Format::Onnx => self.scales(operator, &source, &ordered, (output, outputs))?,
        };
        let output_plane = Shape {
            channels: outputs,
            ..if is_one { Shape::of([1; 3]) } else { plane }
        };
        let weighted = Weighted {
            windows: (!is_one).then(|| Windows::plain([1, 1], output_plane)),
            groups: 1,
            weights: ordered,
            text: match is_one {
                true => "fully_connected",
                false => "conv2d 1x1",
            }
            .to_string(),
            plane: output_plane,
            scales,
            rounding: Rounding::Single,
            exact,
        };
        self.completed(operator, &source, weighted, output)
    }

    pub fn weights(&self, operator: &Operator) -> Result<&Tensor<'_>, String> {
        self.operand(operator, 1)
            .ok_or_else(|| "has no weights".to_string())
    }

    /// The bias of each output: a single one of an .onnx file is that of all. What is float32 counts in steps of the sums.
    fn bias(
        &self,
        operator: &Operator,
        source: &Source<'_>,
        outputs: u32,
    ) -> Result<Vec<i32>, String> {
        let outputs = outputs as usize;
        let Some(tensor) = self.operand(operator, 2) else {
            return Ok(vec![0; outputs]);
        };
        let (name, count) = (tensor.name, tensor.elements());
        let is_one = count == 1 && self.model.format == Format::Onnx;
        if count != outputs && !is_one {
            let element = tensor.element.name();
            return Err(format!(
                "bias {name:?} has {count} {element}, expected {outputs}"
            ));
        }
        let all = (0..outputs).map(|channel| channel % count);
        if let Some(found) = tensor.int32() {
            return Ok(all.map(|place| found[place]).collect());
        }
        let Some(found) = tensor.float32() else {
            let element = tensor.element.name();
            return Err(format!(
                "bias {name:?} is {element}, expected constant int32"
            ));
        };
        let steps = bias_steps(source, self.weights(operator)?, outputs);
        let biases = all.zip(steps).map(|(place, step)| {
            let steps = (f64::from(found[place]) / step).round_ties_even();
            let fits = steps.abs() < 31f64.exp2();
            fits.then_some(steps as i32)
                .ok_or_else(|| format!("bias {name:?} has {}, which leaves 32 bits", found[place]))
        });
        biases.collect()
    }

    /// How a bias of float32 that counts in steps of the sums differs from the real one: outputs rise at other sums.
    fn bias_difference(
        &self,
        operator: &Operator,
        (source, output): (&Source<'_>, Quantised),
        (weights, biases): (&[i8], &[i32]),
    ) -> Result<Option<Difference>, String> {
        let held = self.operand(operator, 2);
        let Some(found) = held.and_then(Tensor::float32) else {
            return Ok(None);
        };
        let steps = bias_steps(source, self.weights(operator)?, biases.len());
        let rows = weights.chunks_exact(weights.len() / biases.len());
        let channels = biases.iter().zip(rows).zip(steps).enumerate();
        let all = channels.map(|(channel, ((&bias, row), step))| {
            let real = f64::from(found[channel % found.len()]) / step;
            moved_rises(
                real,
                bias,
                f64::from(output.scale) / step,
                largest_sum(row, 0),
            )
        });
        Ok(Some(all.fold(Difference::default(), Difference::and)))
    }

    /// The layer with bias and scales.
    pub fn completed(
        &self,
        operator: &Operator,
        source: &Source<'_>,
        weighted: Weighted,
        output: Quantised,
    ) -> Lowered {
        let Weighted {
            weights, scales, ..
        } = weighted;
        let outputs = scales.len();
        let mut bias = self.bias(operator, source, outputs as u32)?;
        let of_bias = self.bias_difference(operator, (source, output), (&weights, &bias))?;
        let of_bias = of_bias.map_or(Exact::Yes, Exact::Compared);
        // What the network takes for 0 may differ from what the file takes for it.
        let distance = i64::from(source.value.zero_point) - i64::from(source.quantised.zero_point);
        for (bias, weights) in bias
            .iter_mut()
            .zip(weights.chunks_exact(weights.len() / outputs))
        {
            let sum: i64 = weights.iter().map(|&weight| i64::from(weight)).sum();
            let moved = i32::try_from(i64::from(*bias) + distance * sum);
            *bias = moved.map_err(|_| format!("bias {bias} leaves 32 bits"))?;
        }
        check_left_shift(&scales, &bias, &weights)?;
        let scaled = ScaledFile::new(&scales, bounds(operator.activation, output)?);
        let kind: KindFile = match weighted.windows {
            Some(windows) => windows
                .convolution(weighted.groups, weights, bias, scaled, weighted.rounding)
                .into(),
            None => FullyConnectedFile {
                output_features: outputs as u32,
                weights,
                bias,
                scaled,
                rounding: weighted.rounding,
            }
            .into(),
        };
        Ok(Made {
            layer: layer_of(&[source], output, kind),
            text: weighted.text,
            exact: weighted.exact.and(of_bias),
            plane: weighted.plane,
            zero_point: output.zero_point,
        })
    }
}

/// Scales of outputs whose reference scales in floating point, each a real number and its largest sum, and how they differ.
fn risen<T>(
    outputs: impl Iterator<Item = (T, i64)>,
    found: impl Fn(T, i64) -> Result<(Scale, Difference), String>,
) -> Result<(Vec<Scale>, Difference), String> {
    let mut scales = Vec::new();
    let mut difference = Difference::default();
    for (real, largest) in outputs {
        let (scale, one) = found(real, largest)?;
        scales.push(scale);
        difference = difference.and(one);
    }
    Ok((scales, difference))
}

/// What a step of the sums of each output is, in real numbers.
fn bias_steps<'a>(
    source: &Source<'_>,
    weights: &'a Tensor<'_>,
    outputs: usize,
) -> impl Iterator<Item = f64> + use<'a> {
    let input = f64::from(source.quantised.scale);
    let scales = weights.scales.iter().cycle().take(outputs);
    scales.map(move |&scale| input * f64::from(scale))
}

/// Sums without bias whose output is another one with a whole bias in place of the real one, of all up to the largest; all count in steps
/// of the sums, of which an output has so many.
fn moved_rises(real: f64, bias: i32, output: f64, largest: i64) -> Difference {
    let rises =
        |bias: f64| move |place: i32| ((f64::from(place) + 0.5) * output - bias).ceil() as i64;
    let (one, other) = (rises(real), rises(bias.into()));
    let within = |sum: i64| sum.clamp(-largest, largest);
    let wrong = (-OUTPUTS..OUTPUTS).map(|place| within(one(place)).abs_diff(within(other(place))));
    let wrong = wrong.sum();
    Difference {
        cases: 2 * largest as u64 + 1,
        wrong,
        most: u32::from(wrong > 0),
    }
}

/// The largest sum, of either sign, that these weights and a bias can make.
fn largest_sum(weights: &[i8], bias: i32) -> i64 {
    let terms = weights
        .iter()
        .map(|weight| i64::from(weight.unsigned_abs()));
    255 * terms.sum::<i64>() + i64::from(bias.unsigned_abs())
}

/// Outputs on either side of the zero point, at most.
const OUTPUTS: i32 = 255;

/// No more outputs than a network has, before each of them gets a scale.
pub fn check_outputs(outputs: u32) -> Result<(), String> {
    match outputs <= Network::SIZE_MAX {
        true => Ok(()),
        false => Err(format!(
            "has {outputs} outputs, expected at most {}",
            Network::SIZE_MAX
        )),
    }
}

/// A left shift may not lose bits: the reference kernels say nothing of what comes out then.
pub fn check_left_shift(scales: &[Scale], bias: &[i32], weights: &[i8]) -> Result<(), String> {
    let rows = weights.chunks_exact(weights.len() / scales.len());
    for (channel, ((scale, bias), row)) in scales.iter().zip(bias).zip(rows).enumerate() {
        let largest = largest_sum(row, *bias);
        int32::check(largest, *scale).map_err(|fault| format!("channel {channel} {fault}"))?;
    }
    Ok(())
}

/// The real scale of each output channel, multiplied in double precision as the reference kernels do.
pub fn reals(
    source: &Source<'_>,
    weights: &Tensor<'_>,
    output: Quantised,
    outputs: u32,
) -> impl Iterator<Item = f64> {
    let (input, output) = (f64::from(source.quantised.scale), f64::from(output.scale));
    let all = weights.scales.iter().cycle().take(outputs as usize);
    all.map(move |&scale| input * f64::from(scale) / output)
}

/// The elements of weights, and that their scales are those of a layer.
pub fn weight_values(weights: &Tensor<'_>, axis: usize) -> Result<Vec<i8>, String> {
    let name = weights.name;
    let values = weights.int8().ok_or_else(|| {
        format!(
            "weights {name:?} are {}, expected constant int8",
            weights.element.name()
        )
    })?;
    if let Some(zero_point) = weights
        .zero_points
        .iter()
        .find(|&&zero_point| zero_point != 0)
    {
        return Err(format!(
            "weights {name:?} have zero point {zero_point}, expected 0: quantise with symmetric weights"
        ));
    }
    let outputs = weights.shape[axis] as usize;
    let count = weights.scales.len();
    if count != 1 && (count != outputs || weights.axis != axis) {
        return Err(format!(
            "weights {name:?} have {count} scales along dimension {}, expected 1, or {outputs} along {axis}",
            weights.axis
        ));
    }
    match weights
        .scales
        .iter()
        .all(|&scale| scale.is_finite() && scale >= 0.0)
    {
        true => Ok(values),
        false => Err(format!("weights {name:?} have a scale below 0")),
    }
}
