//! Transposed convolutions: convolutions of a plane whose elements lie apart, with the kernel turned round.

use heddle_network::Network;
use heddle_network::Shape;
use heddle_network::file::{PadFile, PaddingFile};

use super::Kind;
use super::weighted::{Weighted, check_outputs, reals, weight_values};
use crate::lower::Lowering;
use crate::lower::layers::{Lowered, Refused, Source, moving};
use crate::lower::windows::{Windows, windows};
use crate::model::{Operator, Quantised};
use crate::report::Exact;
use crate::scale::scale;
use crate::tflite::{schema, window};

rows! {
    tflite &["TRANSPOSE_CONV"] => |operator, _| {
        let options = operator.options::<schema::TransposeConvolution<'_>>()?;
        let stride = [options.stride_h(), options.stride_w()];
        let window = window(options.padding(), stride, [None; 2]);
        Some((Kind::TransposeConvolution(window), options.activation()))
    },
    as "conv2d, of a pad by the host that puts zeros between the elements", "same arithmetic", "symmetric weights; bias of int32";
}

/// How a convolution covers an axis of the output of the transposed one.
struct Axis {
    /// Places of the plane that it reads: zeros lie between the elements.
    side: u32,
    /// Distance of the elements there.
    step: u32,
    /// Padding before and behind.
    padding: [u32; 2],
}

impl Axis {
    /// An axis of `input` elements that makes `output` places, of which `cut` before the first belong to no output.
    fn new(input: u32, output: u32, kernel: u32, stride: u32, cut: u32) -> Result<Axis, String> {
        let spread = u64::from(input - 1) * u64::from(stride) + 1;
        // What no element reaches lies in the plane itself: a layer has less padding than its kernel.
        let end = u64::from(output + cut);
        let behind = end.saturating_sub(spread).min(u64::from(kernel - 1));
        let side = end - behind;
        let most = Network::SIZE_MAX;
        if spread > side || side > u64::from(most) {
            return Err(format!(
                "makes {output} of {input} places with stride {stride}, expected {spread} to {most}"
            ));
        }
        Ok(Axis {
            side: side as u32,
            step: if input > 1 { stride } else { 1 },
            padding: [kernel - 1 - cut, behind as u32],
        })
    }
}

/// A convolution, and in front of it a layer that puts zeros between the elements if there are any.
pub fn lower(lowering: &mut Lowering<'_>, operator: &Operator, output: usize) -> Lowered {
    let Kind::TransposeConvolution(window) = operator.kind else {
        return Err(None);
    };
    let quantised = lowering.model.tensors[output].quantised()?;
    let plane = lowering.asked_plane(operator, output)?;
    let source = lowering.plane_source(operator, 0)?;
    source.check_zero()?;
    let kernel = match lowering.weights(operator)?.shape[..] {
        [_, height, width, _] => [height, width],
        _ => return Err(Some("has weights that are no kernels".to_string())),
    };
    let cut = windows(window, kernel, plane, plane.channels)?.padding;
    let Shape { height, width, .. } = source.plane;
    let stride = window.stride;
    let axes = [
        Axis::new(height, plane.height, kernel[0], stride[0], cut.top)?,
        Axis::new(width, plane.width, kernel[1], stride[1], cut.left)?,
    ];
    let mut made = lowering.turned(operator, &source, plane, kernel, &axes, quantised)?;
    let sides = [source.plane.channels, axes[0].side, axes[1].side];
    let steps = [axes[0].step, axes[1].step];
    if sides != source.plane.sides() || steps != [1, 1] {
        let kind = PadFile {
            start: [0; 3],
            output_shape: sides,
            stride: Some(steps),
            value: None,
        };
        let layer = moving(&[&source], kind);
        let name = lowering.push(output, "spread", layer);
        made.layer.inputs = Some(vec![name]);
        made.text = format!("{} of a pad, on the host", made.text);
    }
    Ok(made)
}

impl Lowering<'_> {
    /// The shape that a constant asks for, which must be that of the output.
    fn asked_plane(&self, operator: &Operator, output: usize) -> Result<Shape, Refused> {
        let asked = self.integers(operator, 3)?;
        let shape = &self.model.tensors[output].shape;
        let same = asked.len() == shape.len()
            && asked
                .iter()
                .zip(shape)
                .all(|(&asked, &size)| i64::from(asked) == i64::from(size));
        let plane = self
            .model
            .format
            .plane(shape)
            .filter(|_| same && shape.len() == 4);
        plane.ok_or_else(|| {
            Some(format!(
                "asks for the shape {asked:?}, and the file says {shape:?}"
            ))
        })
    }

    /// The convolution with the kernel turned round.
    fn turned(
        &self,
        operator: &Operator,
        source: &Source<'_>,
        plane: Shape,
        kernel: [u32; 2],
        axes: &[Axis; 2],
        output: Quantised,
    ) -> Lowered {
        let weights = self.weights(operator)?;
        let channels = source.plane.channels;
        if weights.shape[0] != plane.channels || weights.shape[3] != channels {
            let (name, shape, outputs) = (weights.name, &weights.shape, plane.channels);
            return Err(Some(format!(
                "weights {name:?} have shape {shape:?}, expected them from {channels} to {outputs} channels"
            )));
        }
        check_outputs(plane.channels)?;
        let values = weight_values(weights, 0)?;
        let inputs = channels as usize;
        let outputs = values.chunks_exact((kernel[0] * kernel[1]) as usize * inputs);
        // From output, place, input to output, input, place from the last one on.
        let ordered = outputs.flat_map(|values| {
            (0..inputs).flat_map(move |i| values[i..].iter().step_by(inputs).rev().copied())
        });
        let windows = Windows {
            padding: PaddingFile::of([axes[0].padding, axes[1].padding]),
            ..Windows::plain(kernel, plane)
        };
        let weighted = Weighted {
            weights: ordered.collect(),
            text: format!("conv2d {}", windows.text()),
            groups: 1,
            windows: Some(windows),
            plane,
            scales: reals(source, weights, output, plane.channels)
                .map(scale)
                .collect::<Result<_, _>>()?,
            rounding: self.model.format.rounding(),
            exact: Exact::Yes,
        };
        self.completed(operator, source, weighted, output)
    }
}
