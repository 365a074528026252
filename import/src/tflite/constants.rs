//! Operators whose results are known before the network runs: constants, and the sizes of tensors.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::schema;
use crate::fold::{Arithmetic, Array, Folder, Number, Part, Step, place};
use crate::model::{Activation, Kind, Model, Operator, Tensor};
use crate::ops::{flags, gathers::moved};

/// What makes a tensor that may be known.
pub enum Source {
    /// The sizes of another one.
    Shape,
    /// Other constants, by this.
    Step(Step),
    /// The first input, in the shape of the result.
    Reshape,
    /// The first input, its elements in the type of the result.
    Cast,
    /// A part of the first input, from where and of what size the others say.
    Slice,
    /// The same: begin, end and stride; and masks of a bit for each dimension.
    StridedSlice([i32; 3]),
    /// A part of this number of the equal ones along the dimension that the second input says, and how many there are.
    Split(usize, usize),
    /// The same of parts of the sizes that the second input says, along the dimension that the third one says.
    SplitSizes(usize),
    /// The place of this number along a dimension, which goes.
    Unpack(usize, i64),
    /// Another order of dimensions.
    Transpose,
    /// The first input in the shape that the second one says, each dimension of one place as often as that.
    Broadcast,
    /// Places around the first input that mirror those inside, as many as the second one says; the outermost one too or not.
    Mirror(bool),
    /// A plane of the size of the result, of the nearest elements: aligned corners, seen from the middle of an element.
    Nearest([bool; 2]),
    /// Blocks of this side between channels and the plane: to the plane or to the channels.
    Blocks(i32, bool),
    /// The product over the dimensions that the second input says, and whether they are kept.
    Product(bool),
}

/// What the operators of a graph make, as far as it may be known, by the tensors that they make.
pub type Sources = BTreeMap<usize, Source>;

/// What an operator makes as the output of this number: of this name, and read as this.
pub fn source(
    options: schema::Operator<'_>,
    name: &str,
    operator: &Operator,
    part: usize,
) -> Option<Source> {
    let number = |found: Option<i32>| i64::from(found.unwrap_or(0));
    let is_plain = matches!(operator.activation, Activation::None);
    if let Some(source) = mover(options, name, (part, operator.outputs.len())) {
        return Some(source);
    }
    if operator.outputs.len() != 1 {
        return None;
    }
    let step = match (name, &operator.kind) {
        (_, Kind::Reshape) => return Some(Source::Reshape),
        (_, &Kind::Concat(axis)) if is_plain => Step::Concat(axis.into()),
        (_, Kind::Add) if is_plain => Step::Pairs(Arithmetic::Add),
        (_, Kind::Sub) if is_plain => Step::Pairs(Arithmetic::Sub),
        (_, Kind::Mul) if is_plain => Step::Pairs(Arithmetic::Mul),
        ("SHAPE", _) => return Some(Source::Shape),
        ("CAST", _) => return Some(Source::Cast),
        ("PACK", _) => {
            let options = options.options::<schema::Pack<'_>>();
            Step::Pack(number(options.and_then(|options| options.axis())))
        }
        ("GATHER", _) => {
            let options = options.options::<schema::Gather<'_>>();
            let batches = options
                .as_ref()
                .and_then(|options| options.batch_dimensions());
            let axis = options.and_then(|options| options.axis());
            (number(batches) == 0).then(|| Step::Gather(number(axis)))?
        }
        ("REDUCE_PROD", _) => {
            let options = options.options::<schema::Reducer<'_>>();
            let keeps = options.and_then(|options| options.keeps()).unwrap_or(false);
            return Some(Source::Product(keeps));
        }
        ("RANGE", _) => Step::Range,
        ("TILE", _) => Step::Tile,
        ("FILL", _) => Step::Fill,
        _ => return None,
    };
    Some(Source::Step(step))
}

/// The same of one that moves elements alone.
fn mover(
    options: schema::Operator<'_>,
    name: &str,
    (part, parts): (usize, usize),
) -> Option<Source> {
    let found = match name {
        "SLICE" => Source::Slice,
        "STRIDED_SLICE" => Source::StridedSlice(masks(options)?),
        "SPLIT" => return Some(Source::Split(part, parts)),
        "SPLIT_V" => return Some(Source::SplitSizes(part)),
        "UNPACK" => {
            let axis = options.options::<schema::Pack<'_>>();
            let axis = axis.and_then(|options| options.axis()).unwrap_or(0);
            return Some(Source::Unpack(part, axis.into()));
        }
        "TRANSPOSE" => Source::Transpose,
        "BROADCAST_TO" => Source::Broadcast,
        "MIRROR_PAD" => {
            let mode = options.options::<schema::Mirror<'_>>();
            Source::Mirror(mode.and_then(|options| options.mode()).unwrap_or(0) == 1)
        }
        "RESIZE_NEAREST_NEIGHBOR" => Source::Nearest(flags(options)),
        "DEPTH_TO_SPACE" | "SPACE_TO_DEPTH" => {
            let side = options.options::<schema::Block<'_>>()?.side()?;
            Source::Blocks(side, name == "DEPTH_TO_SPACE")
        }
        _ => return None,
    };
    (parts == 1).then_some(found)
}

/// Bits of three masks stand for dimensions that begin at 0, that go to the end, and that have one place and are left out; none if
/// dimensions are added.
fn masks(operator: schema::Operator<'_>) -> Option<[i32; 3]> {
    let Some(options) = operator.options::<schema::StridedSlice<'_>>() else {
        return Some([0; 3]);
    };
    let mask = |found: Option<i32>| found.unwrap_or(0);
    let others = mask(options.ellipsis_mask()) | mask(options.new_axis_mask());
    let masks = [
        options.begin_mask(),
        options.end_mask(),
        options.shrink_axis_mask(),
    ];
    let is_plain = others == 0 && !options.offset().unwrap_or(false);
    is_plain.then(|| masks.map(mask))
}

/// Makes constants of all tensors that can be known. Their operators read nothing that is computed later any more.
pub fn fold(model: &mut Model<'_>, sources: &Sources) {
    let mut folder = Folder::default();
    for index in 0..model.operators.len() {
        let operator = &model.operators[index];
        let &[output] = &operator.outputs[..] else {
            continue;
        };
        let tensor = &model.tensors[output];
        let (Some(source), Some(element), None) =
            (sources.get(&output), number(tensor), &tensor.data)
        else {
            continue;
        };
        let inputs: Vec<usize> = operator.inputs.iter().flatten().copied().collect();
        let Some(found) = computed(model, &mut folder, source, &inputs, output) else {
            continue;
        };
        let fits = |array: Array| match array.element == element {
            true => Ok(array),
            false => Err(format!(
                "makes {}, and its tensor is {}",
                array.element.name(),
                element.name()
            )),
        };
        let operator = &mut model.operators[index];
        match found.and_then(fits) {
            Ok(array) => {
                let tensor = &mut model.tensors[output];
                tensor.data = Some(Cow::Owned(array.bytes()));
                tensor.shape = array.shape;
                operator.kind = Kind::Constant;
                operator
                    .inputs
                    .retain(|input| input.is_some_and(|input| model.tensors[input].data.is_some()));
            }
            Err(reason) => operator.kind = Kind::Refused(reason),
        }
    }
    reshape(model);
}

/// Results that take a shape that was computed: that of the file may be from before.
fn reshape(model: &mut Model<'_>) {
    let computed: Vec<usize> = (model.operators.iter())
        .filter(|operator| matches!(operator.kind, Kind::Constant))
        .flat_map(|operator| operator.outputs.clone())
        .collect();
    for operator in &model.operators {
        let (&[Some(input), Some(shape)], &[output]) =
            (&operator.inputs[..], &operator.outputs[..])
        else {
            continue;
        };
        if !matches!(operator.kind, Kind::Reshape) || !computed.contains(&shape) {
            continue;
        }
        let count = model.tensors[input].elements();
        let asked = model.tensors[shape].int32().unwrap_or_default();
        let mut known = asked.iter().filter(|&&size| size != -1);
        let known = known.try_fold(1usize, |product, &size| {
            product.checked_mul(usize::try_from(size).ok()?)
        });
        let open = asked.iter().filter(|&&size| size == -1).count();
        let (Some(known @ 1..), 0..=1) = (known, open) else {
            continue;
        };
        let sizes = asked.iter().map(|&size| match size {
            -1 => count / known,
            size => size as usize,
        });
        let sizes: Vec<usize> = sizes.collect();
        if sizes.iter().product::<usize>() == count && sizes.len() <= super::RANK_MAX {
            model.tensors[output].shape = sizes.into_iter().map(|size| size as u32).collect();
        }
    }
}

/// The type of a tensor, if it is computed with.
fn number(tensor: &Tensor<'_>) -> Option<Number> {
    Number::named(tensor.element.name()).filter(|_| tensor.scales.is_empty())
}

/// What an operator makes of constants; none if one of its inputs is none.
fn computed(
    model: &Model<'_>,
    folder: &mut Folder,
    source: &Source,
    inputs: &[usize],
    output: usize,
) -> Option<Result<Array, String>> {
    let mut tensors = inputs.iter().map(|&input| &model.tensors[input]);
    if let Source::Shape = source {
        let sizes: Vec<i64> = (tensors.next()?.shape.iter())
            .map(|&size| size.into())
            .collect();
        return Some(Ok(Array {
            element: number(&model.tensors[output])?,
            shape: vec![sizes.len() as u32],
            values: sizes,
        }));
    }
    let is_known = |tensor: &Tensor<'_>| {
        number(tensor).is_some() && (tensor.data.is_some() || tensor.elements() == 0)
    };
    if inputs.is_empty() || !tensors.clone().all(is_known) {
        return None;
    }
    let read = |tensor: &Tensor<'_>| {
        folder.spend(&tensor.shape)?;
        let element = number(tensor).expect("it is known");
        Ok::<_, String>(Array::of_bytes(
            element,
            &tensor.shape,
            tensor.data.as_deref().unwrap_or_default(),
        ))
    };
    let arrays = tensors.map(read).collect::<Result<Vec<_>, _>>();
    Some(arrays.and_then(|mut arrays| {
        let step = source.step(&arrays[0].shape, &arrays[1..], &model.tensors[output])?;
        if !source.reads_others() {
            arrays.truncate(1);
        }
        folder.evaluate(&step, &arrays)
    }))
}

/// Makes of operators that move bytes as constants say what they do.
pub fn gather(model: &mut Model<'_>, sources: &Sources) {
    let mut folder = Folder::default();
    for index in 0..model.operators.len() {
        let operator = &model.operators[index];
        let (&[output], Some(&Some(input))) = (&operator.outputs[..], operator.inputs.first())
        else {
            continue;
        };
        let is_transpose = matches!(operator.kind, Kind::Transpose);
        let source = sources.get(&output).filter(|source| source.moves());
        let (Some(source), Kind::Refused(_) | Kind::Transpose) = (source, &operator.kind) else {
            continue;
        };
        let shape = &model.tensors[input].shape;
        let others = operator.inputs[1..].iter().flatten();
        let array = |&index: &usize| {
            let tensor = &model.tensors[index];
            let data = tensor.data.as_deref()?;
            Some(Array::of_bytes(number(tensor)?, &tensor.shape, data))
        };
        let others = others.map(array).collect::<Option<Vec<Array>>>();
        // An order of fewer dimensions is that of a layer.
        let (Some(others), false) = (others, is_transpose && shape.len() <= 4) else {
            continue;
        };
        if model.tensors[input].data.is_some() || model.tensors[input].elements() == 0 {
            continue;
        }
        let expected = &model.tensors[output];
        let made = source.step(shape, &others, expected).and_then(|step| {
            let (kind, made) = moved(model.format, &mut folder, &step, (shape, &others))?;
            match made == expected.shape {
                true => Ok(kind),
                false => Err(format!(
                    "makes {made:?}, the file says {:?}",
                    expected.shape
                )),
            }
        });
        let operator = &mut model.operators[index];
        operator.kind = made.unwrap_or_else(Kind::Refused);
        operator.inputs.truncate(1);
    }
}

impl Source {
    /// Whether it moves elements, whatever these are, as constants say.
    fn moves(&self) -> bool {
        match self {
            Source::Step(step) => matches!(step, Step::Gather(_) | Step::Tile),
            Source::Shape | Source::Reshape | Source::Cast | Source::Product(_) => false,
            _ => true,
        }
    }

    /// Whether its step reads the inputs behind the first one.
    fn reads_others(&self) -> bool {
        matches!(self, Source::Step(_) | Source::Broadcast)
    }

    /// What it does, as the shape of the first input and the others say.
    fn step(&self, shape: &[u32], others: &[Array], output: &Tensor<'_>) -> Result<Step, String> {
        let numbers = |place: usize| {
            let found = others.get(place - 1).map(|array| &array.values[..]);
            found.ok_or_else(|| format!("has no input {place}"))
        };
        let one = |place: usize| match numbers(place)? {
            &[number] => Ok(number),
            several => Err(format!(
                "has {several:?} as input {place}, expected one number"
            )),
        };
        let part = |axis: i64, start: i64, end: i64, drops: bool| {
            let mut parts = vec![Part::ALL; shape.len()];
            let part = Part {
                start: Some(start),
                end: Some(end),
                drops,
                ..Part::ALL
            };
            parts[place(axis, shape.len())?] = part;
            Ok::<_, String>(Step::Slice(parts))
        };
        Ok(match self {
            Source::Shape => return Err("has no inputs".to_string()),
            Source::Step(step) => step.clone(),
            Source::Reshape => Step::Reshape(output.shape.clone()),
            Source::Cast => Step::Cast(number(output).ok_or("casts to another type")?),
            Source::Broadcast => Step::Expand,
            Source::Transpose => {
                let order = numbers(1)?.iter().map(|&axis| place(axis, shape.len()));
                Step::Transpose(order.collect::<Result<_, _>>()?)
            }
            &Source::Split(number, count) => {
                let axis = place(one(1)?, shape.len())?;
                let (size, count) = (i64::from(shape[axis]), count as i64);
                if size % count != 0 {
                    return Err(format!(
                        "splits {size} in {count} parts, expected equal ones"
                    ));
                }
                let start = size / count * number as i64;
                part(axis as i64, start, start + size / count, false)?
            }
            &Source::SplitSizes(number) => {
                let (sizes, axis) = (numbers(1)?, place(one(2)?, shape.len())?);
                let (start, size) = split(sizes, number, shape[axis])?;
                part(axis as i64, start, start + size, false)?
            }
            &Source::Unpack(number, axis) => part(axis, number as i64, 0, true)?,
            &Source::Mirror(symmetric) => Step::Places(mirrored(numbers(1)?, shape, symmetric)?),
            &Source::Nearest(flags) => Step::Places(nearest(shape, &output.shape, flags)?),
            &Source::Blocks(block, to_plane) => blocks(shape, block, to_plane)?,
            &Source::Product(keeps) => {
                let rank = shape.len();
                let axes = numbers(1)?.iter().map(|&axis| place(axis, rank));
                Step::Product(axes.collect::<Result<_, _>>()?, keeps)
            }
            Source::Slice => {
                let pairs = numbers(1)?.iter().zip(numbers(2)?);
                let part = |(&start, &size): (&i64, &i64)| Part {
                    start: Some(start),
                    end: (size != -1).then(|| start.saturating_add(size)),
                    ..Part::ALL
                };
                Step::Slice(pairs.map(part).collect())
            }
            &Source::StridedSlice(masks) => {
                let (starts, ends, steps) = (numbers(1)?, numbers(2)?, numbers(3)?);
                let lists = starts.iter().zip(ends).zip(steps).enumerate();
                let parts = lists.map(|(axis, ((&start, &end), &step))| {
                    Part::masked([start, end, step], masks, axis)
                });
                Step::Slice(parts.collect())
            }
        })
    }
}

/// Where a part of these sizes begins, one of which may be -1 for the rest, and its size.
fn split(sizes: &[i64], number: usize, all: u32) -> Result<(i64, i64), String> {
    let known = sizes.iter().filter(|&&size| size != -1);
    let sum = known.fold(0i64, |sum, &size| sum.saturating_add(size));
    let size = |&size: &i64| {
        if size == -1 {
            i64::from(all) - sum
        } else {
            size
        }
    };
    let found: Vec<i64> = sizes.iter().map(size).collect();
    let fits = found.iter().all(|&size| (1..=all.into()).contains(&size));
    let rest = found.len() - sizes.iter().filter(|&&size| size != -1).count();
    match number < found.len() && fits && rest <= 1 && found.iter().sum::<i64>() == i64::from(all) {
        true => Ok((found[..number].iter().sum(), found[number])),
        false => Err(format!(
            "splits {all} in parts of {sizes:?}, expected {all} together"
        )),
    }
}

/// The places of each dimension with some before and behind it, two numbers for each, that mirror those inside.
fn mirrored(pads: &[i64], shape: &[u32], symmetric: bool) -> Result<Vec<Vec<usize>>, String> {
    let sides = shape.iter().zip(pads.chunks(2)).map(|(&size, pads)| {
        let (size, shared) = (i64::from(size), i64::from(!symmetric));
        let most = size - shared;
        let &[before, behind] = pads else {
            return Err(format!(
                "has {pads:?}, expected two numbers for each dimension"
            ));
        };
        if !(0..=most).contains(&before) || !(0..=most).contains(&behind) {
            return Err(format!(
                "mirrors {before} and {behind} of {size}, expected at most {most}"
            ));
        }
        let inside = |at: i64| match at {
            ..0 => shared - 1 - at,
            at if at >= size => 2 * size - 1 - shared - at,
            at => at,
        };
        Ok((-before..size + behind)
            .map(|at| inside(at) as usize)
            .collect())
    });
    match pads.len() == 2 * shape.len() {
        true => sides.collect(),
        false => Err(format!(
            "has {} numbers, expected 2 for each of {shape:?}",
            pads.len()
        )),
    }
}

/// The places of the nearest elements, as the reference kernel finds them in single precision.
fn nearest(
    shape: &[u32],
    to: &[u32],
    [corners, middle]: [bool; 2],
) -> Result<Vec<Vec<usize>>, String> {
    let is_plane = shape.len() == 4 && to.len() == 4;
    if !is_plane || [0, 3].iter().any(|&axis| shape[axis] != to[axis]) {
        return Err(format!(
            "makes {to:?} of {shape:?}, expected a plane of another size"
        ));
    }
    let places = |axis: usize| {
        let (from, to) = (shape[axis], to[axis]);
        let between = corners && to > 1;
        let scale = match between {
            true => (from - 1) as f32 / (to - 1) as f32,
            false => from as f32 / to as f32,
        };
        let offset = if middle { 0.5 } else { 0.0 };
        (0..to).map(move |at| {
            let found = (at as f32 + offset) * scale;
            let found = if corners {
                found.round()
            } else {
                found.floor()
            };
            (found as usize).min(from as usize - 1)
        })
    };
    let all = |axis: usize| (0..shape[axis] as usize).collect();
    Ok(vec![
        all(0),
        places(1).collect(),
        places(2).collect(),
        all(3),
    ])
}

/// Channels become the rows and columns of blocks, the block's row first, or the way back.
fn blocks(shape: &[u32], block: i32, to_plane: bool) -> Result<Step, String> {
    let wrong = || format!("has blocks of {block} of {shape:?}");
    let (&[batch, height, width, channels], Ok(side)) = (shape, u32::try_from(block)) else {
        return Err(wrong());
    };
    let divides = |of: u32, by: u32| by > 0 && of % by == 0;
    let fits = match to_plane {
        true => side
            .checked_mul(side)
            .is_some_and(|all| divides(channels, all)),
        false => divides(height, side) && divides(width, side),
    };
    if !fits {
        return Err(wrong());
    }
    Ok(Step::Series(match to_plane {
        true => {
            let left = channels / (side * side);
            vec![
                Step::Reshape(vec![batch, height, width, side, side, left]),
                Step::Transpose(vec![0, 1, 3, 2, 4, 5]),
                Step::Reshape(vec![batch, height * side, width * side, left]),
            ]
        }
        false => {
            let [down, across] = [height, width].map(|size| size / side);
            let all = side
                .checked_mul(side)
                .and_then(|all| all.checked_mul(channels));
            vec![
                Step::Reshape(vec![batch, down, side, across, side, channels]),
                Step::Transpose(vec![0, 1, 3, 2, 4, 5]),
                Step::Reshape(vec![batch, down, across, all.ok_or_else(wrong)?]),
            ]
        }
    }))
}

/// No operator reads or makes a tensor without elements: one that does cannot run.
pub fn refuse_empty(model: &mut Model<'_>) {
    for operator in &mut model.operators {
        let tensors = operator.inputs.iter().flatten().chain(&operator.outputs);
        let mut tensors = tensors.map(|&tensor| &model.tensors[tensor]);
        let empty = tensors.find(|tensor| tensor.elements() == 0);
        if let Some(empty) =
            empty.filter(|_| operator.kind.runs() && !matches!(operator.kind, Kind::Constant))
        {
            operator.kind = Kind::Refused(format!(
                "reads or makes {:?} of shape {:?}, which has no elements",
                empty.name, empty.shape
            ));
        }
    }
}
