//! Reads .onnx files.
//!
//! Constants stay as they lie in the messages, unless their elements must be in another order. How much is read is bounded
//! before it is: see [`limits`].

pub mod attributes;
pub mod computed;
mod constant;
mod external;
mod float;
mod float32;
mod islands;
pub mod layers;
mod limits;
mod moves;
pub mod reader;
mod reals;
mod resize;
mod scales;
pub mod schema;
mod views;
mod weights;

use std::collections::BTreeSet;

pub use constant::Constant;
use prost::Message;
use reader::{Reader, Value};
use schema::{Graph, ValueInfo};

use crate::model::{Format, Kind, Model};

pub use external::{ReadBeside, load};
pub use limits::{decode, is_onnx};

/// Versions of the format.
const IR_VERSIONS: std::ops::RangeInclusive<i64> = 3..=14;
/// Versions of the operators: QuantizeLinear is there from 10 on.
const OPERATOR_VERSIONS: std::ops::RangeInclusive<i64> = 10..=28;
/// Most tensors of a graph.
const TENSORS_MAX: usize = 65_536;
/// Most nodes of a graph.
const NODES_MAX: usize = 16_384;
/// Most operators that are left of them.
const OPERATORS_MAX: usize = 4096;
/// How often the bytes of a file may be copied.
const COPIES: usize = 8;
/// Most tensors that a node reads or makes.
const OPERANDS_MAX: usize = 64;

/// Reads the messages of a file, whose name is for messages.
///
/// # Errors
/// What is damaged, or not quantised.
pub fn read<'a>(file: &'a schema::Model, name: &str) -> Result<Model<'a>, String> {
    let graph = file.graph.as_ref().ok_or("has no graph")?;
    let sets = file.operator_sets.iter();
    let standard = sets.filter(|set| matches!(&set.domain[..], "" | "ai.onnx"));
    let version = standard.map(|set| set.version).max().unwrap_or(1);
    for (what, found, allowed) in [
        ("IR version", file.ir_version, IR_VERSIONS),
        ("operator set", version, OPERATOR_VERSIONS),
    ] {
        if !allowed.contains(&found) {
            return Err(format!(
                "has {what} {found}, expected {} to {}: onnx.version_converter makes another",
                allowed.start(),
                allowed.end()
            ));
        }
    }
    check_order(graph)?;
    float::check(graph, name)?;
    let mut reader = Reader {
        copies: COPIES * file.encoded_len(),
        version,
        ..Reader::default()
    };
    for tensor in &graph.initializers {
        let constant = Constant::read(tensor, &tensor.name);
        let constant = constant.map_err(|error| format!("tensor {:?}: {error}", tensor.name))?;
        reader
            .values
            .insert(&tensor.name, Value::Constant(constant.into()));
    }
    let inputs = read_inputs(graph, &mut reader)?;
    let declared = graph.value_infos.iter().chain(&graph.outputs);
    reader.declared = declared
        .filter_map(|info| Some((&info.name[..], known(info)?)))
        .collect();
    for node in &graph.nodes {
        reader.node(node);
    }
    let outputs = read_outputs(graph, &mut reader)?;
    reader.ranges_of_inputs();
    let (operators, tensors) = (reader.operators, reader.tensors);
    if operators.len() > OPERATORS_MAX {
        let found = operators.len();
        return Err(format!(
            "has {found} operators, expected at most {OPERATORS_MAX}"
        ));
    }
    Ok(Model {
        states: Vec::new(),
        format: Format::Onnx,
        batch: 1,
        tensors,
        operators,
        inputs,
        outputs,
    })
}

/// Every tensor has its values from one place, before it is read.
fn check_order(graph: &Graph) -> Result<(), String> {
    let mut known = BTreeSet::new();
    for tensor in &graph.initializers {
        if !known.insert(&tensor.name[..]) {
            return Err(format!("has two constants {:?}", tensor.name));
        }
    }
    let constants = known.clone();
    for input in &graph.inputs {
        // Old files list constants among the inputs too.
        if !known.insert(&input.name) && !constants.contains(&input.name[..]) {
            return Err(format!("has two inputs {:?}", input.name));
        }
    }
    let tensors = graph
        .nodes
        .iter()
        .map(|node| node.outputs.len())
        .sum::<usize>()
        + known.len();
    for (what, found, most) in [
        ("tensors", tensors, TENSORS_MAX),
        ("nodes", graph.nodes.len(), NODES_MAX),
    ] {
        if found > most {
            return Err(format!("has {found} {what}, expected at most {most}"));
        }
    }
    for (index, node) in graph.nodes.iter().enumerate() {
        let label = reader::label(node);
        let operands = node.inputs.len().max(node.outputs.len());
        if operands > OPERANDS_MAX {
            return Err(format!(
                "node {index}, {label}, reads or makes {operands} tensors, expected at most {OPERANDS_MAX}"
            ));
        }
        let mut read = node.inputs.iter().filter(|name| !name.is_empty());
        if let Some(input) = read.find(|name| !known.contains(&name[..])) {
            return Err(format!(
                "node {index}, {label}, reads {input:?} before it is made"
            ));
        }
        if node.outputs.first().is_none_or(String::is_empty) {
            return Err(format!("node {index}, {label}, makes nothing"));
        }
        for output in node.outputs.iter().filter(|name| !name.is_empty()) {
            if !known.insert(output) {
                return Err(format!(
                    "node {index}, {label}, makes {output:?}, which has values"
                ));
            }
        }
    }
    match graph
        .outputs
        .iter()
        .find(|output| !known.contains(&output.name[..]))
    {
        Some(output) => Err(format!(
            "has the output {:?}, which nothing makes",
            output.name
        )),
        None => Ok(()),
    }
}

/// The inputs that are no constants.
fn read_inputs<'a>(graph: &'a Graph, reader: &mut Reader<'a>) -> Result<Vec<usize>, String> {
    let mut inputs = Vec::new();
    for info in &graph.inputs {
        let name = &info.name[..];
        if reader.values.contains_key(name) {
            continue;
        }
        let kind = info.kind.as_ref().and_then(|kind| kind.tensor.as_ref());
        let (Some(kind), Some(sizes)) = (kind, sizes(info)) else {
            return Err(format!("input {name:?} has no shape"));
        };
        let mut shape = Vec::with_capacity(sizes.len());
        for (place, size) in sizes.iter().enumerate() {
            shape.push(match size {
                Some(size) => *size,
                // One image at a time.
                None if place == 0 => 1,
                None => {
                    return Err(format!(
                        "input {name:?} has a size that is not known: fix it with python3 -m \
                         onnxruntime.tools.make_dynamic_shape_fixed --input_name {name} --input_shape SIZES"
                    ));
                }
            });
        }
        let index = reader.push(name, shape, constant::element(kind.element).0, None);
        reader.values.insert(name, Value::Tensor(index));
        inputs.push(index);
    }
    Ok(inputs)
}

/// The outputs; the host makes float32 of bytes.
fn read_outputs<'a>(graph: &'a Graph, reader: &mut Reader<'a>) -> Result<Vec<usize>, String> {
    let mut outputs = Vec::new();
    for info in &graph.outputs {
        let name = &info.name[..];
        let index = match reader.values.get(name).cloned() {
            Some(Value::Tensor(index)) => index,
            Some(Value::Dequantised(index)) => {
                let node = graph
                    .nodes
                    .iter()
                    .find(|node| node.outputs.contains(&info.name));
                let shape = reader.tensors[index].shape.clone();
                let output = reader.push(name, shape, "float32", None);
                if let Some(node) = node {
                    reader.host(node, Kind::Dequantize, index, output);
                }
                output
            }
            Some(Value::Float(recipe)) => {
                reader.close(recipe);
                reader.tensors.len() - 1
            }
            Some(Value::Constant(_)) | None => {
                return Err(format!(
                    "has the output {name:?}, which no operator computes"
                ));
            }
        };
        outputs.push(index);
    }
    Ok(outputs)
}

/// The sizes of a tensor, as far as they are known.
fn sizes(info: &ValueInfo) -> Option<Vec<Option<u32>>> {
    let shape = info.kind.as_ref()?.tensor.as_ref()?.shape.as_ref()?;
    let sizes = shape.sizes.iter().map(|size| {
        let size = size.value.and_then(|size| u32::try_from(size).ok());
        size.filter(|&size| size > 0)
    });
    (shape.sizes.len() <= 6).then(|| sizes.collect())
}

/// The sizes of a tensor, if all of them are known.
fn known(info: &ValueInfo) -> Option<Vec<u32>> {
    sizes(info)?.into_iter().collect()
}
