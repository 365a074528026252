//! Operators whose results are known before the network runs: constants, and the sizes of tensors.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{list, schema};
use crate::fold::{Arithmetic, Array, Folder, Number, Part, Step, place};
use crate::model::{Activation, Kind, Model, Operator, Tensor};

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
    /// The product over the dimensions that the second input says, and whether they are kept.
    Product(bool),
}

/// What the operators of a graph make, as far as it may be known, by the tensors that they make.
pub type Sources = BTreeMap<usize, Source>;

/// What an operator makes: of this name, and read as this.
pub fn source(options: schema::Operator<'_>, name: &str, operator: &Operator) -> Option<Source> {
    let number = |found: Option<i32>| i64::from(found.unwrap_or(0));
    let is_plain = matches!(operator.activation, Activation::None);
    let step = match (name, &operator.kind) {
        (_, Kind::Reshape) => return Some(Source::Reshape),
        (_, Kind::Slice) => return Some(Source::Slice),
        (_, &Kind::StridedSlice(masks)) => return Some(Source::StridedSlice(masks)),
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

/// The one tensor that an operator makes.
pub fn made(operator: schema::Operator<'_>) -> Option<usize> {
    let mut outputs = list(operator.outputs());
    let (first, others) = (outputs.next()?, outputs.len());
    usize::try_from(first).ok().filter(|_| others == 0)
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
        let step = source.step(&arrays, &model.tensors[output])?;
        if !matches!(source, Source::Step(_)) {
            arrays.truncate(1);
        }
        folder.evaluate(&step, &arrays)
    }))
}

impl Source {
    /// What it does, as the inputs behind the first one say.
    fn step(&self, inputs: &[Array], output: &Tensor<'_>) -> Result<Step, String> {
        let numbers = |place: usize| {
            let found = inputs.get(place).map(|array| &array.values[..]);
            found.ok_or_else(|| format!("has no input {place}"))
        };
        Ok(match self {
            Source::Shape => return Err("has no inputs".to_string()),
            Source::Step(step) => step.clone(),
            Source::Reshape => Step::Reshape(output.shape.clone()),
            Source::Cast => Step::Cast(number(output).ok_or("casts to another type")?),
            &Source::Product(keeps) => {
                let rank = inputs[0].shape.len();
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
