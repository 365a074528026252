//! Operators that put elements in other places, as constants say: parts, copies, mirrors, other orders.

use std::rc::Rc;

use heddle_network::Shape;
use heddle_network::file::{GatherFile, KindFile, ResizeFile, SliceFile};

use super::Kind;
use super::moves::passed;
use crate::fold::{Array, Elements, Folder, Step, View};
use crate::lower::Lowering;
use crate::lower::layers::Lowered;
use crate::model::{Format, Operator};

/// What each channel, row and column of a tensor adds to the number of the element that is there; elements of the tensor that is read are
/// counted in the order channel, row, column.
pub type Sources = [Vec<u32>; 3];

rows! {
    tflite &["SLICE", "SPLIT", "SPLIT_V", "STRIDED_SLICE", "UNPACK"] => |_, _| None,
    onnx &["Slice", "Split"] => |reader, node| match &node.operator[..] {
        "Slice" => reader.placed(node),
        _ => reader.split(node),
    },
    as "slice, or gather where places lie apart, by the host", "same bytes", "parts that constants say";

    tflite &["BROADCAST_TO", "DEPTH_TO_SPACE", "GATHER", "MIRROR_PAD", "SPACE_TO_DEPTH", "TILE"] => |_, _| None,
    onnx &["DepthToSpace", "Expand", "Gather", "SpaceToDepth", "Tile"] => |reader, node| reader.placed(node),
    as "gather, by the host; no layer of constants alone: computed at import", "same bytes", "places that constants say";

    tflite &["RESIZE_NEAREST_NEIGHBOR"] => |_, _| None,
    onnx &["Resize"] => |reader, node| reader.placed(node),
    as "resize by whole multiples, else gather, by the host", "same bytes", "any size and option of RESIZE_NEAREST_NEIGHBOR; mode nearest; linear is float32, by the host";
}

/// What an operator does that moves elements so, and the shape that it makes.
///
/// # Errors
/// If it does not fit what it reads, or the elements lie in no plane.
pub fn moved(
    format: Format,
    folder: &mut Folder,
    step: &Step,
    (shape, others): (&[u32], &[Array]),
) -> Result<(Kind, Vec<u32>), String> {
    let plane = |shape: &[u32]| {
        let found = format.plane(shape);
        found.ok_or_else(|| {
            format!("reads or makes {shape:?}, expected a batch of 1 and sides of at most 65536")
        })
    };
    let [from, [channels, height, width]] = [plane(shape)?, plane(shape)?].map(Shape::sides);
    let apart = [(channels, height * width), (height, width), (width, 1)];
    let view = View::new(&format.in_order(apart)).reshaped(shape)?;
    let made = folder.moved(step, &view, others);
    let made = made.ok_or("moves no elements")??;
    let shape = made.shape().to_vec();
    let to = plane(&shape)?;
    let planes = made.reshaped(&format.in_order(to.sides()))?;
    let found = planes.sources().and_then(|found| found.try_into().ok());
    let sources: Sources = format.of_order(found.ok_or("takes elements that there are not")?);
    let same = from == to.sides()
        && sources
            .iter()
            .zip(apart)
            .all(|(source, (_, step))| is_every(source, step, 1));
    let kind = match same {
        true => Kind::Reshape,
        false => Kind::Gather(Rc::new(sources)),
    };
    Ok((kind, shape))
}

/// Whether places follow each other in such steps, each so many times.
fn is_every(source: &[u32], step: u32, times: usize) -> bool {
    let first = source[0];
    let mut places = source.iter().enumerate();
    places.all(|(at, &found)| found == first + (at / times) as u32 * step)
}

/// A part, a larger plane, or elements of any places.
pub fn lower(lowering: &mut Lowering<'_>, operator: &Operator, output: usize) -> Lowered {
    let source = lowering.plane_source(operator, 0)?;
    lowering.check_same(operator, output)?;
    let Kind::Gather(sources) = &operator.kind else {
        return Err(Some("no layer does this".to_string()));
    };
    let plane = Shape::of([0, 1, 2].map(|i| sources[i].len() as u32));
    let kind = part(sources, source.plane, plane)
        .or_else(|| repeated(sources, source.plane, plane))
        .unwrap_or_else(|| {
            let [channels, rows, columns] = (**sources).clone();
            let file = GatherFile {
                channels,
                rows,
                columns,
            };
            file.into()
        });
    Ok(passed(&[&source], kind, plane))
}

/// A part of a tensor, if neighbours stay neighbours.
fn part(sources: &Sources, from: Shape, to: Shape) -> Option<KindFile> {
    let [_, height, width] = from.sides();
    let steps = [height * width, width, 1];
    let all = sources.iter().zip(steps);
    if !all.clone().all(|(source, step)| is_every(source, step, 1)) {
        return None;
    }
    let first: u32 = sources.iter().map(|source| source[0]).sum();
    let start = [first / steps[0], first % steps[0] / width, first % width];
    let fits = [0, 1, 2].map(|i| start[i] + to.sides()[i] <= from.sides()[i]);
    let file = SliceFile {
        start,
        output_shape: to.sides(),
    };
    fits.iter().all(|&fits| fits).then(|| file.into())
}

/// A larger plane, if each element comes as often as the others.
fn repeated(sources: &Sources, from: Shape, to: Shape) -> Option<KindFile> {
    let [_, height, width] = from.sides();
    let steps = [height * width, width, 1];
    let times = [0, 1, 2].map(|i| to.sides()[i] / from.sides()[i]);
    let is_repeated = |i: usize| {
        to.sides()[i] == times[i] * from.sides()[i]
            && sources[i][0] == 0
            && is_every(&sources[i], steps[i], times[i] as usize)
    };
    let file = ResizeFile {
        scale_factor: [times[1], times[2]],
    };
    (times[0] == 1 && times[1] > 0 && times[2] > 0 && (0..3).all(is_repeated)).then(|| file.into())
}
