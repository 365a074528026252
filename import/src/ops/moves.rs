//! Operators that put values in other places.

use heddle_network::file::{ConcatFile, KindFile, ResizeBilinearFile};
use heddle_network::{Alignment, Axis, Permutation, Shape};

use super::Kind;
use crate::lower::Lowering;
use crate::lower::layers::{Lowered, Made, Refused, Source, moving};
use crate::model::{Activation, Operator};
use crate::report::Exact;
use crate::tflite::schema;

rows! {
    tflite &["PACK"] => |_, _| None,
    as "reshape of each and concat, by the host; of constants no layer: computed at import", "same bytes", "results of one scale";

    tflite &["CONCATENATION"] => |operator, _| {
        let options = operator.options::<schema::Concatenation<'_>>();
        let axis = options.as_ref().and_then(|options| options.axis());
        let activation = options.and_then(|options| options.activation());
        Some((Kind::Concat(axis.unwrap_or(0)), activation))
    },
    onnx &["Concat", "QLinearConcat"] => |reader, node| reader.joined(node),
    as "concat, by the host", "same bytes", "results of one scale; in .onnx files those of another are means of one place before";

    tflite &["RESIZE_BILINEAR"] => |operator, _| {
        let options = operator.options::<schema::Bilinear<'_>>();
        let corners = options.as_ref().and_then(|options| options.align_corners());
        let centers = options.and_then(|options| options.half_pixel_centers());
        let alignment = match [corners, centers].map(|found| found.unwrap_or(false)) {
            [false, false] => Alignment::Origin,
            [false, true] => Alignment::HalfPixelCenters,
            [true, false] => Alignment::AlignCorners,
            // The reference refuses both.
            [true, true] => return None,
        };
        Some((Kind::ResizeBilinear(alignment), None))
    },
    as "resize_bilinear, by the host", "same arithmetic", "a plane of another size";

    tflite &["TRANSPOSE"] => |_, _| Some((Kind::Transpose, None)),
    onnx &["Transpose"] => |reader, node| reader.transposed(node),
    as "transpose, by the host where its tensors are planes", "same bytes", "a constant order that leaves the batch where it is";
}

/// Values that pass unchanged to other places.
pub fn lower(lowering: &mut Lowering<'_>, operator: &Operator, output: usize) -> Lowered {
    let source = lowering.plane_source(operator, 0)?;
    lowering.check_same(operator, output)?;
    let (kind, plane): (KindFile, Shape) = match operator.kind {
        Kind::Concat(axis) => return lowering.concat(operator, axis),
        Kind::Transpose => lowering.transpose(operator, source.plane)?,
        Kind::ResizeBilinear(alignment) => lowering.bilinear(source.plane, output, alignment)?,
        _ => return Err(None),
    };
    Ok(passed(&[&source], kind, plane))
}

impl Lowering<'_> {
    fn concat(&self, operator: &Operator, axis: i32) -> Lowered {
        let count = operator.inputs.len();
        if count < 2 {
            return Err(Some(format!("joins {count} tensors, expected 2")));
        }
        if operator.activation != Activation::None {
            return Err(Some("has an activation, expected none".to_string()));
        }
        let sources: Vec<Source<'_>> = (0..count)
            .map(|i| self.plane_source(operator, i))
            .collect::<Result<_, _>>()?;
        let first = &sources[0];
        let same = |source: &Source<'_>| {
            source.quantised == first.quantised && source.value.zero_point == first.value.zero_point
        };
        if !sources.iter().all(same) {
            return Err(Some(
                "joins tensors of several scales or zero points, expected one".to_string(),
            ));
        }
        let dimension = self.dimension(&self.dimensions(operator, 0)?, axis)?;
        let dimension = dimension.ok_or_else(|| "joins batches, expected one".to_string())?;
        let mut sides = first.plane.sides();
        sides[dimension] = sources
            .iter()
            .map(|source| source.plane.sides()[dimension])
            .sum();
        let axis = Axis::ALL[dimension];
        let sources: Vec<&Source<'_>> = sources.iter().collect();
        Ok(passed(&sources, ConcatFile { axis }, Shape::of(sides)))
    }

    fn transpose(&self, operator: &Operator, plane: Shape) -> Result<(KindFile, Shape), Refused> {
        let order = self.integers(operator, 1)?;
        // Dimensions as a transpose of a network counts them: the batch is 0.
        let places: Vec<usize> = self
            .dimensions(operator, 0)?
            .into_iter()
            .map(|found| found.map_or(0, |i| i + 1))
            .collect();
        let mut axes = [0u8, 1, 2, 3];
        let is_order = (0..places.len() as i32).all(|axis| order.contains(&axis))
            && order.len() == places.len();
        if !is_order {
            return Err(Some(format!(
                "has the order {order:?}, expected each dimension once"
            )));
        }
        for (to, &from) in order.iter().enumerate() {
            axes[places[to]] = places[from as usize] as u8;
        }
        let sides = [1, plane.channels, plane.height, plane.width];
        let [batch, sides @ ..] = axes.map(|axis| sides[usize::from(axis)]);
        if batch != 1 {
            return Err(Some(format!(
                "has the order {order:?}, which makes a batch of {batch}, expected 1"
            )));
        }
        let kind = Permutation {
            axes,
            ..Permutation::default()
        };
        Ok((kind.into(), Shape::of(sides)))
    }

    fn bilinear(
        &self,
        plane: Shape,
        output: usize,
        alignment: Alignment,
    ) -> Result<(KindFile, Shape), Refused> {
        let found = self.model.format.plane(&self.model.tensors[output].shape);
        let found = found.filter(|found| found.channels == plane.channels);
        let found = found.ok_or_else(|| "makes no plane of as many channels".to_string())?;
        let kind = ResizeBilinearFile {
            output_shape: found.sides(),
            alignment,
        };
        Ok((kind.into(), found))
    }
}

/// A layer that passes the values of these tensors on, called by its kind.
pub fn passed(sources: &[&Source<'_>], kind: impl Into<KindFile>, plane: Shape) -> Made {
    let layer = moving(sources, kind);
    Made {
        text: layer.kind.name().to_string(),
        layer,
        exact: Exact::Yes,
        plane,
        zero_point: sources[0].value.zero_point,
    }
}
