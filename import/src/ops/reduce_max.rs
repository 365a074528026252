//! Largest value over dimensions: windows of the array, where these are height and width.

use heddle_arch::{isa::Pooling, word::WORD_BYTES};
use heddle_network::file::{MaxPool2dFile, ReduceMaxFile};

use super::{Kind, moves::passed};
use crate::lower::layers::Lowered;
use crate::lower::{Lowering, windows::Windows};
use crate::model::Operator;

rows! {
    tflite &["REDUCE_MAX"] => |_, _| Some((Kind::ReduceMax, None)),
    onnx &["GlobalMaxPool", "ReduceMax"] => |reader, node| reader.reduced(node, Kind::ReduceMax),
    as "max_pool2d over height and width, rows first above 256 places; else reduce_max, by the host", "same bytes",
    "any dimensions but the batch; scale and zero point pass unchanged";
}

/// A window of the whole plane, or of its rows and then of the column that is left.
pub fn lower(lowering: &mut Lowering<'_>, operator: &Operator, output: usize) -> Lowered {
    let source = lowering.plane_source(operator, 0)?;
    lowering.check_same(operator, output)?;
    let (over, axes, plane) = lowering.over(operator, source.plane)?;
    let sides = source.plane.sides();
    let [height, width] = [1, 2].map(|i| if over[i] { sides[i] } else { 1 });
    // A machine collects windows for the outputs of a word at once.
    let fits = |places| places * plane.width.min(WORD_BYTES) <= Pooling::WINDOW_MAX;
    if over[0] || !fits(height) || !fits(width) {
        return Ok(passed(&[&source], ReduceMaxFile { axes }, plane));
    }
    let pool = |kernel| {
        let window = Windows::plain(kernel, plane).file();
        passed(&[&source], MaxPool2dFile { window }, plane)
    };
    let mut made = pool([height, if fits(height * width) { width } else { 1 }]);
    made.text = format!("max_pool2d {height}x{width}");
    if !fits(height * width) {
        let rows = pool([1, width]).layer;
        made.layer.inputs = Some(vec![lowering.push(output, "rows", rows)]);
        made.text += ", rows first";
    }
    Ok(made)
}
