//! Zeros around a tensor: the padding of convolutions, or a layer.

use heddle_network::Shape;
use heddle_network::file::{PadFile, PaddingFile};

use super::Kind;
use crate::lower::layers::{Lowered, Refused, made, moving};
use crate::lower::windows::windows;
use crate::lower::{Lowering, Value};
use crate::model::Operator;

/// Most zeros on a side.
const ZEROS_MAX: i32 = 1 << 16;

rows! {
    tflite &["PAD"] => |_, _| Some((Kind::Pad, None)),
    onnx &["Pad"] => |reader, node| reader.moved(node),
    as "no layer where convolutions alone read it: their padding; else pad, by the host", "same bytes",
    "a constant number of zeros, around any dimension but the batch";
}

/// A layer that puts zeros around a tensor.
pub fn lower(lowering: &mut Lowering<'_>, operator: &Operator, output: usize) -> Lowered {
    let source = lowering.plane_source(operator, 0)?;
    source.check_zero()?;
    lowering.check_same(operator, output)?;
    let zeros = lowering.zeros(operator)?;
    let sides = source.plane.sides();
    let sides = [0, 1, 2].map(|i| zeros[i][0] + sides[i] + zeros[i][1]);
    let kind = PadFile {
        start: zeros.map(|[before, _]| before),
        output_shape: sides,
        stride: None,
    };
    let layer = moving(&[&source], kind);
    Ok(made(layer, "pad", Shape::of(sides), source.quantised))
}

impl Lowering<'_> {
    /// Zeros before and behind channels, height and width, from a constant with both for each dimension.
    fn zeros(&self, operator: &Operator) -> Result<[[u32; 2]; 3], Refused> {
        let amounts = self.integers(operator, 1)?;
        let dimensions = self.dimensions(operator, 0)?;
        if amounts.len() != 2 * dimensions.len() {
            let (found, rank) = (amounts.len(), dimensions.len());
            return Err(Some(format!("has {found} values for {rank} dimensions")));
        }
        let mut zeros = [[0; 2]; 3];
        for (pair, dimension) in amounts.chunks_exact(2).zip(dimensions) {
            match (pair, dimension) {
                ([0, 0], None) => {}
                (&[before, behind], Some(dimension))
                    if [before, behind]
                        .iter()
                        .all(|side| (0..ZEROS_MAX).contains(side)) =>
                {
                    zeros[dimension] = [before as u32, behind as u32];
                }
                _ => {
                    return Err(Some(format!(
                        "pads by {amounts:?}, expected none around the batch and less than {ZEROS_MAX}"
                    )));
                }
            }
        }
        Ok(zeros)
    }

    /// Whether zeros around a tensor can be the padding of all that reads it: convolutions whose kernels are larger than that.
    pub fn is_padding(&self, operator: &Operator, output: usize) -> bool {
        let Ok([[0, 0], zeros @ ..]) = self.zeros(operator) else {
            return false;
        };
        let plane = self.model.format.plane(&self.model.tensors[output].shape);
        let fits = |reader: &Operator| {
            let (Kind::Convolution(window) | Kind::Depthwise(window)) = reader.kind else {
                return false;
            };
            let kernel = match self.operand(reader, 1).map(|weights| &weights.shape[..]) {
                Some(&[_, height, width, _]) => [height, width],
                _ => return false,
            };
            let Some(Ok(own)) = plane.map(|plane| windows(window, kernel, plane, 1)) else {
                return false;
            };
            let own = own.padding.sides();
            (0..2).all(|axis| {
                let reach = (kernel[axis] - 1) * window.dilation[axis];
                (0..2).all(|side| zeros[axis][side] + own[axis][side] <= reach)
            })
        };
        let operators = self.model.operators.iter().enumerate();
        let mut readers = operators.filter(|(index, reader)| {
            self.needed.contains(index) && reader.inputs.contains(&Some(output))
        });
        !self.model.outputs.contains(&output) && readers.all(|(_, reader)| fits(reader))
    }

    /// The tensor with zeros around it for its readers.
    pub fn padded(&self, operator: &Operator, value: &Value) -> Result<Value, String> {
        self.plane_source(operator, 0)
            .and_then(|source| Ok(source.check_zero()?))
            .map_err(Option::unwrap_or_default)?;
        let zeros = self.zeros(operator).map_err(Option::unwrap_or_default)?;
        let padding = PaddingFile::of([zeros[1], zeros[2]]);
        Ok(Value {
            padding,
            ..value.clone()
        })
    }
}
