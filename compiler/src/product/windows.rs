//! Windows whose elements go through pooling.

use heddle_arch::isa::{ROW_TENSOR, Reduction};
use heddle_arch::network::{Layer, LayerKind};
use heddle_arch::params::{MachineUnit, Params};

/// Whether windows can go through the pooling of the machine.
pub(crate) fn check_windows(layer: &Layer, params: &Params) -> Result<(), String> {
    let [height, width] = layer.kernel;
    let size = u64::from(height) * u64::from(width);
    if size > 256 {
        return Err(format!(
            "window is {height} x {width}, expected at most 256 elements"
        ));
    }
    // A window passes through the results buffer as a whole; parts of a row are whole words.
    let needed = size * u64::from(layer.output.width.min(8));
    let depth = params.results_buffer.depth;
    if u64::from(depth) < needed {
        return Err(format!(
            "windows of {size} elements need a results_buffer.depth of {needed}, it is {depth}"
        ));
    }
    // Loops over the window and over the pixels.
    let unit = MachineUnit::Stream;
    match params.traversal.row_loops(unit, ROW_TENSOR) {
        loops @ ..4 => Err(format!(
            "{} needs 4 loops in row {ROW_TENSOR} of the stream unit, {} gives {loops}",
            layer.kind.name(),
            params.traversal.unit_field(unit, "traversal.loops"),
        )),
        _ => Ok(()),
    }
}

/// What pooling makes of the windows of a layer; none if the layer does without. Means are sums that the scale
/// divides; without pooling, or if a window is too large, they are depthwise convolutions.
pub(crate) fn reduction(layer: &Layer, params: &Params) -> Option<Reduction> {
    match layer.kind {
        LayerKind::MaxPool2d => Some(Reduction::Max),
        _ if params.post.pooling && is_mean(layer) => {
            check_windows(layer, params).ok().map(|()| Reduction::Sum)
        }
        _ => None,
    }
}

/// Whether a layer adds up windows: a mean, or a convolution of each channel with equal weights and one window. That
/// would load weights for each place; with several windows they serve them all.
fn is_mean(layer: &Layer) -> bool {
    let [height, width] = layer.kernel;
    let size = i64::from(height) * i64::from(width);
    // Each element of the window brings the bias along.
    let parts = |bias: &i32| i64::from(*bias) % size == 0;
    match layer.kind {
        LayerKind::AveragePool2d => true,
        LayerKind::Conv2d => {
            let channels = [layer.groups, layer.output.channels];
            let inner = layer.inputs[0].tensor > 0;
            inner
                && channels == [layer.input.channels; 2]
                && layer.output.height * layer.output.width == 1
                && layer.weights.windows(2).all(|pair| pair[0] == pair[1])
                && layer.bias.iter().all(parts)
        }
        _ => false,
    }
}

/// Slots for each result of a layer.
pub(crate) fn window(layer: &Layer, params: &Params) -> u32 {
    match reduction(layer, params) {
        Some(_) => layer.kernel[0] * layer.kernel[1],
        None => 1,
    }
}
