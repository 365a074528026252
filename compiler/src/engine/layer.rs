//! Layers as the sparse cluster takes them.

use heddle_arch::isa::sparse::ChannelScale;
use heddle_arch::params::Params;
use heddle_arch::requantise::{Rounding, threshold};
use heddle_network::{Layer, Padding, Work};

use crate::product::{WeightPlan, pooled};
use crate::sparse::{Shape, Values};

/// A layer for the cluster.
pub(super) struct Suited {
    /// Its sizes, in one way or several.
    pub shapes: Vec<Shape>,
    /// Distance of the rows and columns of the input that it takes.
    pub step: [u32; 2],
}

/// Whether the cluster of a machine can do any layer; else why it cannot.
pub(crate) fn serves(params: &Params) -> Result<(), String> {
    let [rows, cols] = [params.array.rows, params.array.cols];
    match rows == cols {
        true => Ok(()),
        false => Err(format!(
            "array.rows is {rows}, expected array.cols, which is {cols}"
        )),
    }
}

/// The layer, if the cluster can do it; else why it cannot.
pub(super) fn suited(layer: &Layer, plan: &WeightPlan, params: &Params) -> Result<Suited, String> {
    let depthwise = layer.groups > 1;
    let one_to_one = [layer.groups, layer.output.channels] == [layer.input.channels; 2];
    let [down, right] = layer.stride;
    // One place of the kernel and no padding: what is between the strides is not loaded.
    let point = layer.kernel == [1, 1] && layer.padding == Padding::default();
    let wrong = [
        (
            layer.work() != Work::Weighted || pooled(layer, params).is_some(),
            format!("{} is no convolution", layer.kind.name()),
        ),
        (
            plan.reduction.flattening().is_some() || !plan.orders.is_plain(),
            "its taps or rows are laid out for the array; ask for --mapping channel".to_string(),
        ),
        (
            depthwise && !one_to_one,
            "its groups have several channels".to_string(),
        ),
        (
            layer.dilation != [1, 1] && layer.kernel != [1, 1],
            "its kernel is dilated".to_string(),
        ),
        (
            layer.kernel.iter().any(|side| *side > 16),
            "its kernel has more than 16 rows or columns".to_string(),
        ),
        (
            !point && (down != right || ![1, 2, 4].contains(&down)),
            format!("its stride is {down} x {right}, expected 1, 2 or 4 in rows and columns"),
        ),
    ];
    if let Some((_, reason)) = wrong.into_iter().find(|(is_wrong, _)| *is_wrong) {
        return Err(reason);
    }
    serves(params)?;
    let Padding { top, left, .. } = layer.padding;
    let output = [layer.output.height, layer.output.width];
    let own = if point { 1 } else { down };
    // With a single result any stride is right. The larger it is, the fewer products are made in vain, and the more lists.
    let strides = match output {
        [1, 1] if !point => [1, 2, 4]
            .into_iter()
            .filter(|stride| *stride >= own)
            .collect(),
        _ => vec![own],
    };
    let shape = |stride| Shape {
        input: match point {
            true => output,
            false => [layer.input.height, layer.input.width],
        },
        inputs: layer.input.channels,
        kernel: layer.kernel,
        stride,
        padding: [top, left],
        output,
        outputs: layer.output.channels,
        depthwise,
    };
    Ok(Suited {
        shapes: strides.into_iter().map(shape).collect(),
        step: if point { layer.stride } else { [1, 1] },
    })
}

/// Its weights. Biases, scales and bounds are those of the array.
pub(super) fn values(layer: &Layer) -> Values {
    let [rows, cols] = layer.kernel;
    let places = || (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
    let inputs = layer.group_inputs();
    let mut weights = Vec::new();
    for output in 0..layer.output.channels {
        for (row, col) in places() {
            weights.extend((0..inputs).map(|input| layer.weight(output, input, row, col)));
        }
    }
    Values {
        weights,
        channels: vec![ChannelScale::default(); layer.output.channels as usize],
        threshold: threshold(layer.inputs[0].zero_point),
        bounds: [0, 0],
        rounding: Rounding::Double,
    }
}
