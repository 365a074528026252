//! Reads .tflite files.
//!
//! Nothing is followed that the verifier has not seen, every index is checked, and constants stay where they lie: memory
//! is bounded by the size of the file.

mod batch;
mod constants;
mod islands;
mod names;
mod quantised;
pub mod schema;
mod states;

use std::borrow::Cow;

use flatbuffers::{Follow, Vector, VerifierOptions};

use constants::{Source, Sources};

use crate::fold::{Step, place};

use crate::model::{Activation, Element, Format, Kind, Model, Operator, Padding, Tensor, Window};
use crate::ops::row;

/// Most tensors of a graph.
const TENSORS_MAX: usize = 65_536;
/// Most operators of a graph.
const OPERATORS_MAX: usize = 4096;
/// Most tensors that an operator reads or makes.
const OPERANDS_MAX: usize = 64;
/// Most scales of a tensor.
const SCALES_MAX: usize = 65_536;
/// Characters of the name of an operator that are kept.
const NAME_MAX: usize = 64;
/// Most dimensions of a tensor.
const RANK_MAX: usize = 6;
/// What the file begins with, behind the place of the root.
const IDENTIFIER: &[u8] = b"TFL3";

/// Whether a file says that it is one.
pub fn is_tflite(bytes: &[u8]) -> bool {
    bytes.get(4..8) == Some(IDENTIFIER)
}

/// Reads a file.
///
/// # Errors
/// What is damaged, or no network of one graph, or not of int8.
pub fn read(bytes: &[u8]) -> Result<Model<'_>, String> {
    if !is_tflite(bytes) {
        return Err("is no .tflite file: bytes 4 to 7 are not TFL3".to_string());
    }
    let options = VerifierOptions {
        max_tables: 4 * TENSORS_MAX,
        ..VerifierOptions::default()
    };
    let file = flatbuffers::root_with_opts::<schema::Model<'_>>(&options, bytes);
    let file = file.map_err(|error| {
        let error = error.to_string();
        format!("is damaged: {}", error.lines().next().unwrap_or_default())
    })?;
    // An operator that runs another graph is refused by itself.
    let file = states::Graphs {
        all: list(file.subgraphs()).collect(),
        codes: list(file.operator_codes()).collect(),
        buffers: list(file.buffers()).collect(),
    };
    let graph = *file.all.first().ok_or("has no graph")?;
    let (buffers, codes) = (&file.buffers, &file.codes);
    let (tensors, operators) = (list(graph.tensors()), list(graph.operators()));
    for (what, found, most) in [
        ("tensors", tensors.len(), TENSORS_MAX),
        ("operators", operators.len(), OPERATORS_MAX),
    ] {
        if found > most {
            return Err(format!("has {found} {what}, expected at most {most}"));
        }
    }
    let found: Vec<_> = list(graph.tensors()).collect();
    let variable: Vec<bool> = (found.iter())
        .map(|tensor| tensor.is_variable().unwrap_or(false))
        .collect();
    let tensors: Vec<Tensor<'_>> = tensors
        .enumerate()
        .map(|(index, tensor)| {
            let name = shown(tensor.name().unwrap_or_default());
            read_tensor(tensor, buffers).map_err(|error| format!("tensor {index}, {name}: {error}"))
        })
        .collect::<Result<_, _>>()?;
    let (mut sources, mut names) = (Sources::new(), states::Names::default());
    let operators = operators.enumerate().map(|(index, operator)| {
        let (name, read) = read_operator(operator, codes, tensors.len())
            .map_err(|error| format!("operator {index}: {error}"))?;
        names.add(operator, name, &read.outputs);
        sources.extend(
            read.outputs
                .iter()
                .enumerate()
                .filter_map(|(part, &output)| {
                    Some((output, constants::source(operator, name, &read, part)?))
                }),
        );
        Ok::<_, String>(read)
    });
    let mut model = Model {
        format: Format::Tflite,
        batch: 1,
        operators: operators
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .map(in_order)
            .flat_map(parts)
            .collect(),
        inputs: indices(graph.inputs(), tensors.len())?,
        outputs: indices(graph.outputs(), tensors.len())?,
        tensors,
        states: Vec::new(),
    };
    check_order(&model, variable)?;
    for &input in &model.inputs {
        check_known(found[input], &model.tensors[input])?;
    }
    states::find(&mut model, &names, &file);
    model.batch = batch::divide(&mut model, &mut sources);
    constants::fold(&mut model, &sources);
    constants::gather(&mut model, &sources);
    for operator in std::mem::take(&mut model.operators) {
        let made = packed(operator, &sources, &mut model.tensors);
        model.operators.extend(made);
    }
    constants::refuse_empty(&mut model);
    quantised::check_quantised(&model)?;
    islands::join(&mut model);
    Ok(model)
}

/// The sizes of an input behind the batch are known: where they are not, the file has 1 in their place. Those of other tensors follow.
fn check_known(found: schema::Tensor<'_>, tensor: &Tensor<'_>) -> Result<(), String> {
    let signature: Vec<i32> = list(found.shape_signature()).collect();
    let mut sizes = signature.iter().zip(&tensor.shape).skip(1);
    match sizes.any(|(&known, &size)| known < 0 && size == 1) {
        false => Ok(()),
        true => Err(format!(
            "input {} has the sizes {signature:?}, of which -1 are not known: convert the network with a fixed input shape",
            shown(tensor.name)
        )),
    }
}

/// A name of the file in a message.
fn shown(name: &str) -> String {
    format!("{:?}", name.chars().take(NAME_MAX).collect::<String>())
}

/// Every tensor has its values from one place, before it is read; `known` are those that have them from the start.
fn check_order(model: &Model<'_>, mut known: Vec<bool>) -> Result<(), String> {
    for (known, tensor) in known.iter_mut().zip(&model.tensors) {
        *known |= tensor.data.is_some();
    }
    for &input in &model.inputs {
        if std::mem::replace(&mut known[input], true) {
            let name = shown(model.tensors[input].name);
            return Err(format!(
                "tensor {input}, {name}, is an input, and has values"
            ));
        }
    }
    for (index, operator) in model.operators.iter().enumerate() {
        let name = &operator.name;
        if let Some(input) = operator
            .inputs
            .iter()
            .flatten()
            .find(|&&input| !known[input] && model.tensors[input].elements() > 0)
        {
            return Err(format!(
                "operator {index}, {name}, reads tensor {input}, {}, before it is made",
                shown(model.tensors[*input].name)
            ));
        }
        for &output in &operator.outputs {
            if std::mem::replace(&mut known[output], true) {
                return Err(format!(
                    "operator {index}, {name}, makes tensor {output}, {}, which has values",
                    shown(model.tensors[output].name)
                ));
            }
        }
    }
    Ok(())
}

/// The elements of a list that may be left out.
fn list<'a, T: Follow<'a> + 'a>(
    vector: Option<Vector<'a, T>>,
) -> impl ExactSizeIterator<Item = T::Inner> {
    vector.unwrap_or_default().into_iter()
}

/// Indices of tensors, all of which must be there.
fn indices(found: Option<Vector<'_, i32>>, count: usize) -> Result<Vec<usize>, String> {
    let indices = list(found).map(|index| {
        let known = usize::try_from(index).ok().filter(|&index| index < count);
        known.ok_or_else(|| format!("reads or makes tensor {index} of {count}"))
    });
    indices.collect()
}

fn read_tensor<'a>(
    tensor: schema::Tensor<'a>,
    buffers: &[schema::Buffer<'a>],
) -> Result<Tensor<'a>, String> {
    let sizes = list(tensor.shape()).map(|size| match u32::try_from(size) {
        Ok(size) => Ok(size),
        _ => Err(format!(
            "has a dimension of {size} places, expected at least 0: convert the network with a fixed input shape"
        )),
    });
    let shape: Vec<u32> = sizes.collect::<Result<_, _>>()?;
    let bytes = element_bytes(tensor.element().unwrap_or(0));
    let (element, bytes) = bytes.ok_or("has elements of an unknown type")?;
    let mut sizes = shape.iter().map(|&size| size as usize);
    let all = sizes.try_fold(bytes.max(1), usize::checked_mul);
    let all = all.filter(|&all| shape.len() <= RANK_MAX && all <= i32::MAX as usize);
    let all = all.ok_or_else(|| {
        format!("has a shape of {shape:?}, expected at most 6 dimensions and 2 GiB")
    })?;
    let index = tensor.buffer().unwrap_or(0) as usize;
    let buffer = buffers.get(index);
    let buffer = buffer.ok_or_else(|| format!("has buffer {index} of {}", buffers.len()))?;
    if buffer.offset().is_some_and(|offset| offset > 1) {
        return Err("has its data behind the tables, as files of more than 2 GiB do".to_string());
    }
    let data = buffer.data().map(|data| data.bytes());
    let data = data.filter(|data| !data.is_empty());
    if let Some(found) = data
        .filter(|_| bytes > 0)
        .map(<[u8]>::len)
        .filter(|&found| found != all)
    {
        return Err(format!("has {found} bytes, expected {all} by its shape"));
    }
    if tensor.sparsity().is_some() {
        return Err("is sparse, expected all elements".to_string());
    }
    let quantization = tensor.quantization();
    let scales = list(quantization.and_then(|found| found.scale()));
    if scales.len() > SCALES_MAX {
        let found = scales.len();
        return Err(format!("has {found} scales, expected at most {SCALES_MAX}"));
    }
    let scales: Vec<f32> = scales.collect();
    let zero_points = list(quantization.and_then(|found| found.zero_point()));
    if scales.len() != zero_points.len() {
        return Err(format!(
            "has {} scales and {} zero points",
            scales.len(),
            zero_points.len()
        ));
    }
    let axis = quantization
        .and_then(|found| found.dimension())
        .unwrap_or(0);
    let zero_points: Vec<i64> = zero_points.collect();
    Ok(Tensor {
        name: tensor.name().unwrap_or_default(),
        shape,
        element,
        unsigned: false,
        scales,
        zero_points,
        axis: usize::try_from(axis).map_err(|_| format!("has scales for dimension {axis}"))?,
        data: data.map(Cow::Borrowed),
    })
}

/// A type of elements, and bytes of an element where it is fixed.
fn element_bytes(number: i8) -> Option<(Element, usize)> {
    let other = |name, bytes| Some((Element::Other(name), bytes));
    match number {
        9 => Some((Element::Int8, 1)),
        2 => Some((Element::Int32, 4)),
        0 => other("float32", 4),
        1 => other("float16", 2),
        3 => other("uint8", 1),
        4 => other("int64", 8),
        5 => other("text", 0),
        6 => other("bool", 1),
        7 => other("int16", 2),
        10 => other("float64", 8),
        12 => other("uint64", 8),
        15 => other("uint32", 4),
        16 => other("uint16", 2),
        17 => other("int4", 0),
        8 | 11 | 13 | 14 | 18..=22 => other("another type", 0),
        _ => None,
    }
}

fn read_operator(
    operator: schema::Operator<'_>,
    codes: &[schema::OperatorCode<'_>],
    tensors: usize,
) -> Result<(&'static str, Operator), String> {
    let index = operator.opcode_index().unwrap_or(0) as usize;
    let code = codes.get(index);
    let code = code.ok_or_else(|| format!("has code {index} of {}", codes.len()))?;
    let builtin = code.deprecated_builtin_code().unwrap_or(0).into();
    let builtin: i32 = code.builtin_code().unwrap_or(0).max(builtin);
    let known = names::name(builtin);
    let name = match (known, code.custom_code()) {
        (Some("CUSTOM"), Some(custom)) => {
            format!(
                "CUSTOM ({})",
                custom.chars().take(NAME_MAX).collect::<String>()
            )
        }
        (Some(name), _) => format!("{name} {}", code.version().unwrap_or(1)),
        (None, _) => format!("operator code {builtin}"),
    };
    let operands = [operator.inputs(), operator.outputs()].map(|found| list(found).len());
    if let Some(found) = operands.into_iter().find(|&found| found > OPERANDS_MAX) {
        return Err(format!(
            "{name} reads or makes {found} tensors, expected at most {OPERANDS_MAX}"
        ));
    }
    let inputs = list(operator.inputs()).map(|index| match index {
        -1 => Ok(None),
        index => match usize::try_from(index) {
            Ok(known) if known < tensors => Ok(Some(known)),
            _ => Err(format!("{name} reads tensor {index} of {tensors}")),
        },
    });
    let known = known.unwrap_or_default();
    let (kind, activation) = kind(operator, known);
    let read = Operator {
        kind,
        activation,
        inputs: inputs.collect::<Result<_, _>>()?,
        outputs: indices(operator.outputs(), tensors)?,
        name,
    };
    Ok((known, read))
}

/// What an operator does. Without the options that it needs it cannot run.
fn kind(operator: schema::Operator<'_>, name: &str) -> (Kind, Activation) {
    let row = row(Format::Tflite, name);
    let found = row.and_then(|row| (row.of_tflite)(operator, name));
    let (kind, activation) = found.unwrap_or_else(|| (Kind::Refused(refusal(name)), None));
    let activation = match activation.unwrap_or(0) {
        0 => Activation::None,
        1 => Activation::Relu,
        2 => Activation::ReluN1To1,
        3 => Activation::Relu6,
        other => Activation::Other(other),
    };
    (kind, activation)
}

/// Why an operator cannot run, and what can in its place.
fn refusal(name: &str) -> String {
    match name {
        "CALL" | "IF" | "WHILE" => {
            "runs another graph of the file: convert the network without control flow"
        }
        "BIDIRECTIONAL_SEQUENCE_LSTM" | "LSTM" | "UNIDIRECTIONAL_SEQUENCE_LSTM" => {
            "no layer does this: unroll it into operators of its own (unroll=True in Keras), or take convolutions over time"
        }
        "CAST" | "FILL" | "SHAPE" => {
            "is computed at import, of constants of int32 and int64 alone; no layer does this"
        }
        "BROADCAST_TO" | "DEPTH_TO_SPACE" | "GATHER" | "MIRROR_PAD" | "SLICE" | "SPACE_TO_DEPTH" | "SPLIT" | "SPLIT_V"
        | "STRIDED_SLICE" | "TILE" => "reads from where elements come, expected constants and no new dimensions",
        "AVERAGE_POOL_2D" | "CONV_2D" | "DEPTHWISE_CONV_2D" | "MAX_POOL_2D" | "TRANSPOSE_CONV" => {
            "has no options, expected its strides there"
        }
        _ => "no layer does this",
    }
    .to_string()
}

/// A transposed convolution with its image first and the shape of its output last, as others have their inputs.
fn in_order(mut operator: Operator) -> Operator {
    if matches!(operator.kind, Kind::TransposeConvolution(_)) {
        operator.inputs.resize(4, None);
        let inputs = &operator.inputs;
        operator.inputs = vec![inputs[2], inputs[1], inputs[3], inputs[0]];
    }
    operator
}

/// An operator for each output of one that splits, which reads what is split first.
fn parts(operator: Operator) -> Vec<Operator> {
    let name = operator.name.split(' ').next().unwrap_or_default();
    if !["SPLIT", "SPLIT_V", "UNPACK"].contains(&name) {
        return vec![operator];
    }
    let mut inputs = operator.inputs.clone();
    if name == "SPLIT" {
        inputs.reverse();
    }
    let part = |&output: &usize| Operator {
        inputs: inputs.clone(),
        outputs: vec![output],
        ..operator.clone()
    };
    operator.outputs.iter().map(part).collect()
}

/// Tensors one after another along a new dimension, which each of them has after a view; along one there is, a single one is a view itself.
fn packed(
    mut operator: Operator,
    sources: &Sources,
    tensors: &mut Vec<Tensor<'_>>,
) -> Vec<Operator> {
    let source = operator
        .outputs
        .first()
        .and_then(|output| sources.get(output));
    let is_open = matches!(operator.kind, Kind::Refused(_) | Kind::Concat(_));
    let (Some(Source::Step(step)), true) = (source, is_open) else {
        return vec![operator];
    };
    let axis = match step {
        Step::Concat(_) if operator.inputs.len() == 1 => {
            operator.kind = Kind::Reshape;
            return vec![operator];
        }
        &Step::Pack(axis) => axis,
        _ => return vec![operator],
    };
    let view = |&input: &Option<usize>| {
        let input = input?;
        let mut shape = tensors[input].shape.clone();
        let axis = place(axis, shape.len() + 1).ok()?;
        shape.insert(axis, 1);
        tensors.push(Tensor {
            shape,
            ..tensors[input].clone()
        });
        let output = tensors.len() - 1;
        Some((
            Operator {
                kind: Kind::Reshape,
                inputs: vec![Some(input)],
                outputs: vec![output],
                ..operator.clone()
            },
            output,
        ))
    };
    let views: Option<Vec<_>> = operator.inputs.iter().map(view).collect();
    let Some(views) = views else {
        return vec![operator];
    };
    let (mut made, joined): (Vec<Operator>, Vec<usize>) = views.into_iter().unzip();
    made.push(Operator {
        kind: Kind::Concat(axis as i32),
        inputs: joined.into_iter().map(Some).collect(),
        ..operator
    });
    made
}

/// How a kernel moves.
pub fn window(padding: Option<i8>, stride: [Option<i32>; 2], dilation: [Option<i32>; 2]) -> Window {
    Window {
        padding: match padding.unwrap_or(0) {
            0 => Padding::Same,
            _ => Padding::Zeros([[0; 2]; 2]),
        },
        stride: stride.map(|found| number(found, 0)),
        dilation: dilation.map(|found| number(found, 1)),
    }
}

/// A size; 0 stands for what cannot be one.
pub fn number(found: Option<i32>, default: u32) -> u32 {
    found.map_or(default, |found| u32::try_from(found).unwrap_or(0))
}
