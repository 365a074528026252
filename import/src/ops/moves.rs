//! Operators that put values in other places.

use heddle_network::file::{ConcatFile, KindFile, ResizeBilinearFile, ResizeFile, SliceFile};
use heddle_network::{Alignment, Axis, Permutation, Shape};

use super::{Kind, flags};
use crate::fold::Part;
use crate::lower::Lowering;
use crate::lower::layers::{Lowered, Made, Refused, Source, moving};
use crate::model::{Activation, Operator};
use crate::report::Exact;
use crate::tflite::schema;

/// Most tensors that a layer puts one after another.
const CONCAT_MAX: usize = 8;

rows! {
    tflite &["CONCATENATION"] => |operator, _| {
        let options = operator.options::<schema::Concatenation<'_>>();
        let axis = options.as_ref().and_then(|options| options.axis());
        let activation = options.and_then(|options| options.activation());
        Some((Kind::Concat(axis.unwrap_or(0)), activation))
    },
    onnx &["Concat", "QLinearConcat"] => |reader, node| reader.joined(node),
    as "concat, by the host", "same bytes", "2 to 8 results of one scale; in .onnx files those of another are means of one place before";

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

    tflite &["RESIZE_NEAREST_NEIGHBOR"] => |operator, _| match flags(operator) {
        [true, _] => None,
        [false, half_pixels] => Some((Kind::ResizeNearest(half_pixels), None)),
    },
    onnx &["Resize"] => |reader, node| reader.placed(node),
    as "resize, by the host", "same bytes", "whole multiples of height and width, each element repeated: no aligned corners; mode nearest";

    tflite &["SLICE", "SPLIT", "STRIDED_SLICE"] => |operator, name| {
        let kind = match name {
            "SLICE" => Kind::Slice,
            "SPLIT" => Kind::Split(0, 1),
            _ => strided(operator)?,
        };
        Some((kind, None))
    },
    onnx &["Slice", "Split"] => |reader, node| match &node.operator[..] {
        "Slice" => reader.placed(node),
        _ => reader.split(node),
    },
    as "slice, by the host", "same bytes", "constants; stride 1, in .tflite files equal parts";

    tflite &["TRANSPOSE"] => |_, _| Some((Kind::Transpose, None)),
    onnx &["Transpose"] => |reader, node| reader.placed(node),
    as "transpose, by the host where its tensors are planes", "same bytes", "a constant order that leaves the batch where it is";
}

/// A part of a tensor, if its dimensions stay where they are.
fn strided(operator: schema::Operator<'_>) -> Option<Kind> {
    let Some(options) = operator.options::<schema::StridedSlice<'_>>() else {
        return Some(Kind::StridedSlice([0; 3]));
    };
    let mask = |found: Option<i32>| found.unwrap_or(0);
    let others = mask(options.ellipsis_mask()) | mask(options.new_axis_mask());
    let masks = [
        options.begin_mask(),
        options.end_mask(),
        options.shrink_axis_mask(),
    ];
    let is_plain = others == 0 && !options.offset().unwrap_or(false);
    is_plain.then(|| Kind::StridedSlice(masks.map(mask)))
}

/// Values that pass unchanged to other places.
pub fn lower(lowering: &mut Lowering<'_>, operator: &Operator, output: usize) -> Lowered {
    let source = lowering.plane_source(operator, 0)?;
    lowering.check_same(operator, output)?;
    let (kind, plane): (KindFile, Shape) = match operator.kind {
        Kind::Concat(axis) => return lowering.concat(operator, axis),
        Kind::Transpose => lowering.transpose(operator, source.plane)?,
        Kind::ResizeBilinear(alignment) => lowering.bilinear(source.plane, output, alignment)?,
        Kind::ResizeNearest(half_pixels) => lowering.resize(source.plane, output, half_pixels)?,
        _ => lowering.slice(operator, source.plane, output)?,
    };
    Ok(passed(&[&source], kind, plane))
}

impl Lowering<'_> {
    fn concat(&self, operator: &Operator, axis: i32) -> Lowered {
        let count = operator.inputs.len();
        if !(2..=CONCAT_MAX).contains(&count) {
            return Err(Some(format!(
                "joins {count} tensors, expected 2 to {CONCAT_MAX}"
            )));
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

    fn resize(
        &self,
        plane: Shape,
        output: usize,
        half_pixels: bool,
    ) -> Result<(KindFile, Shape), Refused> {
        let found = self.model.format.plane(&self.model.tensors[output].shape);
        let found = found.ok_or_else(|| "makes no plane".to_string())?;
        let factors = [(found.height, plane.height), (found.width, plane.width)];
        // The reference kernels divide in single precision.
        let nearest = |(to, from): (u32, u32)| {
            let step = from as f32 / to as f32;
            let offset = if half_pixels { 0.5 } else { 0.0 };
            (0..to).all(|at| ((at as f32 + offset) * step).floor() as u32 == at / (to / from))
        };
        let fits = |(to, from): (u32, u32)| to % from == 0 && nearest((to, from));
        if found.channels != plane.channels || !factors.into_iter().all(fits) {
            return Err(Some(format!(
                "makes {} x {} of {} x {}, expected whole multiples",
                found.height, found.width, plane.height, plane.width
            )));
        }
        let scale_factor = factors.map(|(to, from)| to / from);
        Ok((ResizeFile { scale_factor }.into(), found))
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

    fn slice(
        &self,
        operator: &Operator,
        plane: Shape,
        output: usize,
    ) -> Result<(KindFile, Shape), Refused> {
        let dimensions = self.dimensions(operator, 0)?;
        let mut start = [0; 3];
        let mut sides = plane.sides();
        for (number, dimension) in dimensions.iter().enumerate() {
            let &Some(dimension) = dimension else {
                continue;
            };
            let has = sides[dimension];
            let (from, size) = self.part(operator, number, dimensions.len(), has)?;
            if size == 0 || from.checked_add(size).is_none_or(|end| end > has) {
                return Err(Some(format!(
                    "takes {size} from {from} on of {has}, expected at least 1 within them"
                )));
            }
            (start[dimension], sides[dimension]) = (from, size);
        }
        let (found, expected) = (
            self.model.tensors[output].elements(),
            Shape::of(sides).elements(),
        );
        if found != expected {
            return Err(Some(format!(
                "takes {expected} elements, the file says {found}"
            )));
        }
        let kind = SliceFile {
            start,
            output_shape: sides,
        };
        Ok((kind.into(), Shape::of(sides)))
    }

    /// Where a part starts along a dimension that has so many places, and its size there.
    fn part(
        &self,
        operator: &Operator,
        number: usize,
        rank: usize,
        has: u32,
    ) -> Result<(u32, u32), Refused> {
        let at = |input: usize| -> Result<i64, Refused> {
            let found = self.integers(operator, input)?;
            let value = found.get(number).filter(|_| found.len() == rank);
            Ok(i64::from(*value.ok_or_else(|| {
                format!("has {} values for {rank} dimensions", found.len())
            })?))
        };
        let (from, size) = match operator.kind {
            Kind::Split(part, parts) => {
                let axis = self.integers(operator, 1)?;
                let &[axis] = &axis[..] else {
                    return Err(Some("is split along no single dimension".to_string()));
                };
                let (part, parts) = (part as u32, parts as u32);
                match axis.rem_euclid(rank as i32) as usize == number {
                    true if has % parts != 0 => {
                        return Err(Some(format!(
                            "splits {has} in {parts} parts, expected equal ones"
                        )));
                    }
                    true => (i64::from(has / parts * part), i64::from(has / parts)),
                    false => (0, i64::from(has)),
                }
            }
            Kind::StridedSlice(masks) => {
                let part = Part::masked([at(1)?, at(2)?, at(3)?], masks, number);
                if part.step != 1 {
                    return Err(Some("has a stride, expected 1".to_string()));
                }
                let (from, count) = part.of(has)?;
                (from, count.into())
            }
            _ => {
                let (from, size) = (at(1)?, at(2)?);
                let rest = i64::from(has) - from;
                (from, if size == -1 { rest } else { size })
            }
        };
        let whole = |value: i64| {
            u32::try_from(value).map_err(|_| format!("takes {size} from {from} on of {has}"))
        };
        Ok((whole(from)?, whole(size)?))
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
