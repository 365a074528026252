//! Operators of rows: a softmax, places of the largest, and means that are none of whole planes.

use heddle_network::file::{ArgMaxFile, LayerFile, MeanFile, SoftmaxFile};
use heddle_network::{Axis, PLACE_BYTES, Shape};

use super::Lowering;
use super::layers::{Made, Refused, layer_of, made};
use crate::exact::host;
use crate::model::{Activation, Kind, Operator, Quantised};
use crate::report::Exact;

impl Lowering<'_> {
    /// A softmax over the last dimension with the output that the reference kernel asks for; none if it cannot be a layer.
    pub(super) fn softmax(&self, operator: &Operator, output: usize) -> Option<Made> {
        let Kind::Softmax(beta) = operator.kind else {
            return None;
        };
        let output = self.model.tensors[output].quantised().ok()?;
        let is_share = output.scale == 1.0 / 256.0 && output.zero_point == i8::MIN;
        let source = self.plane_source(operator, 0).ok()?;
        let scale = host::softmax(source.quantised, beta).ok()?;
        // The last dimension of the file.
        let dimension = *self.dimensions(operator, 0).ok()?.last()?;
        let axis = Axis::ALL[dimension?];
        (is_share && operator.activation == Activation::None).then(|| {
            let kind = SoftmaxFile {
                axis,
                multiplier: vec![scale.multiplier()],
                shift: vec![scale.shift()],
            };
            let layer = LayerFile {
                output_zero_point: None,
                ..layer_of(&[&source], output, kind)
            };
            made(layer, "softmax", source.plane, output)
        })
    }

    /// The place of the largest in each row of a dimension.
    pub(super) fn arg_max(&self, operator: &Operator, output: usize) -> Result<Made, Refused> {
        let source = self.plane_source(operator, 0)?;
        let dimensions = self.dimensions(operator, 0)?;
        let &[axis] = &self.integers(operator, 1)?[..] else {
            return Err(Some("has several axes, expected one".to_string()));
        };
        let dimension = self.dimension(&dimensions, axis)?;
        let dimension = dimension.ok_or_else(|| {
            let read: Vec<usize> = operator.inputs.iter().flatten().copied().collect();
            let way_out = self.way_out(&read);
            format!("has axis {axis}, which is the batch, expected another dimension{way_out}")
        })?;
        let mut sides = source.plane.sides();
        sides[dimension] = 1;
        let rows = Shape::of(sides).elements();
        let found = &self.model.tensors[output];
        if found.elements() != rows {
            return Err(Some(format!(
                "makes {rows} places, the file says {:?}",
                found.shape
            )));
        }
        sides[dimension] = PLACE_BYTES;
        Ok(Made {
            layer: LayerFile::new(
                vec![source.value.name.clone()],
                ArgMaxFile {
                    axis: Axis::ALL[dimension],
                },
            ),
            text: "arg_max".to_string(),
            exact: Exact::Yes,
            plane: Shape::of(sides),
            zero_point: 0,
        })
    }

    /// A mean over some of the dimensions.
    pub(super) fn mean_over(
        &self,
        operator: &Operator,
        output: Quantised,
    ) -> Result<Made, Refused> {
        let source = self.plane_source(operator, 0)?;
        source.check_zero()?;
        let dimensions = self.dimensions(operator, 0)?;
        let mut over = [false; 3];
        for axis in self.integers(operator, 1)? {
            let dimension = self.dimension(&dimensions, axis)?;
            if let Some(dimension) = dimension {
                over[dimension] = true;
            }
        }
        let sides = source.plane.sides();
        let kept = [0, 1, 2].map(|i| if over[i] { 1 } else { sides[i] });
        let plane = Shape::of(kept);
        let count = (source.plane.elements() / plane.elements()) as u32;
        let (scaled, exact) = host::mean(source.quantised, output, count)?;
        let axes: Vec<Axis> = (Axis::ALL.into_iter().zip(over))
            .filter(|(_, over)| *over)
            .map(|(axis, _)| axis)
            .collect();
        if axes.is_empty() {
            return Err(Some(
                "is the mean over no dimension but the batch".to_string(),
            ));
        }
        let layer = layer_of(&[&source], output, MeanFile { axes, scaled });
        Ok(Made {
            exact,
            ..made(layer, "mean", plane, output)
        })
    }
}
