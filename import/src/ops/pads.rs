//! Zeros around a tensor: the padding of convolutions, or a layer.

use heddle_network::Shape;
use heddle_network::file::{PadFile, PaddingFile};

use super::{Kind, moves::passed};
use crate::lower::layers::{Lowered, Refused};
use crate::lower::windows::windows;
use crate::lower::{Lowering, Value};
use crate::model::{Format, Operator};

/// Most zeros on a side.
const ZEROS_MAX: i32 = 1 << 16;

rows! {
    tflite &["PAD", "PADV2"] => |_, _| Some((Kind::Pad, None)),
    onnx &["Pad"] => |reader, node| reader.moved(node),
    as "no layer where convolutions alone read it: their padding; else pad, by the host", "same bytes",
    "a constant number of zeros, or of another byte in PADV2, around any dimension but the batch";
}

/// A layer that puts zeros around a tensor.
pub fn lower(lowering: &mut Lowering<'_>, operator: &Operator, output: usize) -> Lowered {
    let source = lowering.plane_source(operator, 0)?;
    lowering.check_same(operator, output)?;
    let zeros = lowering.zeros(operator)?;
    let value = lowering.pad_value(operator)?;
    let value = value.unwrap_or(source.quantised.zero_point);
    let sides = source.plane.sides();
    let sides = [0, 1, 2].map(|i| zeros[i][0] + sides[i] + zeros[i][1]);
    let kind = PadFile {
        start: zeros.map(|[before, _]| before),
        output_shape: sides,
        stride: None,
        value: (value != source.value.zero_point).then_some(value),
    };
    Ok(passed(&[&source], kind, Shape::of(sides)))
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

    /// The byte of a constant that lies around a tensor, if it is not zero.
    fn pad_value(&self, operator: &Operator) -> Result<Option<i8>, Refused> {
        let tensor = self.operand(operator, 2);
        let Some(tensor) = tensor.filter(|_| self.model.format == Format::Tflite) else {
            return Ok(None);
        };
        let (own, zero) = (tensor.quantised()?, self.operand(operator, 0));
        let is_same = zero.is_some_and(|zero| zero.quantised() == Ok(own));
        match tensor.int8().as_deref() {
            Some(&[value]) if is_same => Ok(Some(value).filter(|&value| value != own.zero_point)),
            _ => Err(Some(format!(
                "pads with {:?}, expected a constant byte of the scale of its input",
                tensor.name
            ))),
        }
    }

    /// Whether zeros around a tensor can be the padding of all that reads it: convolutions whose kernels are larger than that.
    pub fn is_padding(&self, operator: &Operator, output: usize) -> bool {
        let (Ok([[0, 0], zeros @ ..]), Ok(None)) = (self.zeros(operator), self.pad_value(operator))
        else {
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
