//! Windows whose elements go through pooling.

use heddle_arch::isa::{ROW_TENSOR, Reduction};
use heddle_arch::params::{MachineUnit, Params};
use heddle_arch::word::WORD_BYTES;
use heddle_network::{Layer, Padding, Work};

use crate::layout::PixelOrder;

/// Most elements of a window.
const MOST: u64 = 256;

/// Whether windows can go through the pooling of the machine.
pub(crate) fn check_windows(layer: &Layer, params: &Params) -> Result<(), String> {
    let [height, width] = layer.kernel;
    let size = u64::from(height) * u64::from(width);
    if size > MOST {
        return Err(format!(
            "window is {height} x {width}, expected at most {MOST} elements"
        ));
    }
    // A window passes through the results buffer as a whole; parts of a row are whole words.
    let needed = size * u64::from(layer.output.width.min(WORD_BYTES));
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
pub(crate) fn pooled(layer: &Layer, params: &Params) -> Option<Reduction> {
    match layer.work() {
        Work::Window(heddle_network::Reduction::Largest) => Some(Reduction::Max),
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
    let equal = || layer.weights.windows(2).all(|pair| pair[0] == pair[1]);
    let single = layer.output.height * layer.output.width == 1;
    let sums = layer.is_depthwise() && single && equal() && layer.bias.iter().all(parts);
    let inner = || layer.inputs[0].tensor > 0;
    matches!(layer.work(), Work::Window(_)) || (sums && inner())
}

/// Whether the only window of a layer may be walked plane by plane of the phases of blocks, with the zeros that are there where
/// another phase has one more row or column: they add nothing, but the bias comes with them too.
pub(crate) fn sums_phases(layer: &Layer, params: &Params) -> bool {
    let size = [layer.input.height, layer.input.width];
    let elements = phased_elements(layer);
    let whole = layer.kernel == size
        && layer.padding == Padding::default()
        && layer.dilation == [1, 1]
        && layer.output.height * layer.output.width == 1;
    let parts = |bias: &i32| i64::from(*bias) % i64::from(elements) == 0;
    pooled(layer, params) == Some(Reduction::Sum)
        && whole
        && u64::from(elements) <= MOST
        && elements <= params.results_buffer.depth
        && layer.bias.iter().all(parts)
}

/// Elements of all planes of phases of a channel.
pub(super) fn phased_elements(layer: &Layer) -> u32 {
    let order = PixelOrder::Phased;
    let [height, width] = order.plane_size([layer.input.height, layer.input.width]);
    order.planes_of_group() * height * width
}
