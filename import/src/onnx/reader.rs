//! From nodes to operators on bytes.
//!
//! A file says in one of two forms what is quantised. Operators of the first have scales among their inputs
//! (QLinearConv). Those of the second are operators on float32 between DequantizeLinear and QuantizeLinear: what they
//! make is kept as a [`Recipe`] until QuantizeLinear gives it a scale.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::constant::{Constant, model_element};
use super::schema::Node;
use crate::fold::Folder;
use crate::model::{Activation, Element, Format, Kind, Operator, Tensor};
use crate::ops::row;
use crate::reals::Reals;

/// Bounds of a result that is not cut.
pub const UNCUT: (f32, f32) = (f32::NEG_INFINITY, f32::INFINITY);

/// Characters of the name of an operator that are kept.
const NAME_MAX: usize = 64;

/// A result in float32 that is not yet bytes.
#[derive(Debug, Clone)]
pub struct Recipe<'a> {
    /// What makes it.
    pub kind: Kind,
    /// The operators, as messages name them.
    pub label: String,
    /// Tensors of bytes that are read, and a bias.
    pub inputs: Vec<Option<usize>>,
    /// Sizes of the result.
    pub shape: Vec<u32>,
    /// Name of the result.
    pub name: &'a str,
    /// Smallest and largest value.
    pub clip: (f32, f32),
    /// What comes behind it and may as well move bytes, each with the name and the shape of what is in front of it.
    pub behind: Vec<(&'a Node, &'a str, Vec<u32>)>,
}

/// What a name of the file stands for.
#[derive(Debug, Clone)]
pub enum Value<'a> {
    /// A constant as it stands in the file.
    Constant(Rc<Constant<'a>>),
    /// A tensor of the network.
    Tensor(usize),
    /// What the bytes of a tensor stand for.
    Dequantised(usize),
    /// A result in float32.
    Float(Recipe<'a>),
}

/// Scales and zero points, of bytes with a sign.
#[derive(Debug, Clone, PartialEq)]
pub struct Range {
    /// One, or one for each place of `axis`.
    pub scales: Vec<f32>,
    /// As many.
    pub zero_points: Vec<i64>,
    /// The dimension that has several.
    pub axis: i64,
    /// Type of what is quantised.
    pub element: &'static str,
}

/// What has been read.
#[derive(Debug, Default)]
pub struct Reader<'a> {
    /// Tensors of the network.
    pub tensors: Vec<Tensor<'a>>,
    /// Operators.
    pub operators: Vec<Operator>,
    /// What each name stands for.
    pub values: BTreeMap<&'a str, Value<'a>>,
    /// The bytes that a result in float32 last became.
    pub made: BTreeMap<&'a str, usize>,
    /// Bytes of constants that may still be copied: a file may read one constant many times.
    pub copies: usize,
    /// Constants that may still be computed.
    pub folder: Folder,
    /// Shapes that the file says.
    pub declared: BTreeMap<&'a str, Vec<u32>>,
    /// Version of the operators.
    pub version: i64,
    /// Results in float32.
    pub reals: Reals<'a>,
    /// Tensors that will be made with the scale of a Concat.
    pub open: BTreeMap<usize, Recipe<'a>>,
}

impl<'a> Reader<'a> {
    /// Reads a node: its outputs become values, or it cannot run.
    pub fn node(&mut self, node: &'a Node) {
        let made = self.value(node);
        match made.and_then(|value| self.declared_so(&node.outputs[0], value)) {
            Ok(value) => {
                self.values.insert(&node.outputs[0], value);
            }
            Err(reason) => self.refuse(node, reason),
        }
    }

    /// What a node makes.
    fn value(&mut self, node: &'a Node) -> Result<Value<'a>, String> {
        let is_known = matches!(&node.domain[..], "" | "ai.onnx" | "com.microsoft");
        let operator = &node.operator[..];
        if let (true, Some(found)) = (is_known, self.computed(node)?) {
            return Ok(found);
        }
        let row = row(Format::Onnx, operator).filter(|_| is_known);
        let row = row.ok_or("no layer does this")?;
        let has_several = node.outputs.iter().skip(1).any(|name| !name.is_empty());
        if has_several && !matches!(operator, "Dropout" | "Split") {
            return Err("has several outputs, expected one".to_string());
        }
        let made = (row.of_onnx)(self, node);
        let is_open = match &made {
            Ok(value) => matches!(value, Value::Float(_)),
            Err(_) => !operator.starts_with("QLinear") && !self.is_for_machine(node),
        };
        let real = is_open.then(|| self.real_of(node).ok()).flatten();
        let named = real.map(|real| (&node.outputs[0][..], real));
        self.reals.names.extend(named);
        made.or_else(|reason| self.island(node, reason, real))
    }

    /// The shape of a value is that which the file says, if it says one.
    pub fn declared_so(&self, name: &str, value: Value<'a>) -> Result<Value<'a>, String> {
        let shape = match &value {
            Value::Constant(constant) => &constant.shape,
            Value::Tensor(index) | Value::Dequantised(index) => &self.tensors[*index].shape,
            Value::Float(recipe) => &recipe.shape,
        };
        match self.declared.get(name) {
            Some(declared) if declared != shape => {
                Err(format!("makes {shape:?}, the file says {declared:?}"))
            }
            _ => Ok(value),
        }
    }

    /// A node that cannot run: what it makes is a tensor of nothing known but its shape.
    fn refuse(&mut self, node: &'a Node, reason: String) {
        for name in &node.inputs {
            if let Some(Value::Float(recipe)) = self.values.get(&name[..]).cloned() {
                self.close(recipe);
            }
        }
        let inputs = self.tensors_of(node);
        let mut outputs = Vec::new();
        for name in node.outputs.iter().filter(|name| !name.is_empty()) {
            let shape = self.declared.get(&name[..]).cloned().unwrap_or_default();
            let output = self.push(name, shape, "float32", None);
            self.values.insert(name, Value::Tensor(output));
            outputs.push(output);
        }
        self.operator(label(node), Kind::Refused(reason), inputs, outputs);
    }

    /// One more operator.
    pub fn operator(
        &mut self,
        name: String,
        kind: Kind,
        inputs: Vec<Option<usize>>,
        outputs: Vec<usize>,
    ) {
        self.operators.push(Operator {
            name,
            kind,
            activation: Activation::None,
            inputs,
            outputs,
        });
    }

    /// Before so many bytes of a constant are copied.
    pub fn copy(&mut self, bytes: usize) -> Result<(), String> {
        let left = self.copies.checked_sub(bytes);
        self.copies = left.ok_or("reads large constants in too many ways")?;
        Ok(())
    }

    /// One more tensor, with a scale if it is quantised.
    pub fn push(
        &mut self,
        name: &'a str,
        shape: Vec<u32>,
        element: &'static str,
        range: Option<Range>,
    ) -> usize {
        let (scales, zero_points) =
            range.map_or_else(Default::default, |range| (range.scales, range.zero_points));
        self.tensors.push(Tensor {
            name,
            shape,
            element: model_element(element),
            unsigned: element == "uint8",
            scales,
            zero_points,
            axis: 0,
            data: None,
        });
        self.tensors.len() - 1
    }

    /// What an input of a node stands for.
    ///
    /// # Errors
    /// If it is left out, or nothing is known of it.
    pub fn input(&self, node: &'a Node, number: usize) -> Result<&Value<'a>, String> {
        let name = node.inputs.get(number).filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| format!("has no input {number}"))?;
        let value = self.values.get(&name[..]);
        value.ok_or_else(|| format!("reads {name:?}, a further output of another operator"))
    }

    /// A constant that a node reads; none if it is left out.
    pub fn constant(&self, node: &'a Node, number: usize) -> Result<Option<&Constant<'a>>, String> {
        if node.inputs.get(number).is_none_or(String::is_empty) {
            return Ok(None);
        }
        match self.input(node, number)? {
            Value::Constant(constant) => Ok(Some(constant)),
            _ => Err(format!("input {:?} is no constant", node.inputs[number])),
        }
    }

    /// The bytes that a recipe makes with this scale.
    pub fn emit(&mut self, mut recipe: Recipe<'a>, range: Range) -> Result<usize, String> {
        if let Some((node, name, shape)) = recipe.behind.pop() {
            return self.emit_behind(
                node,
                Recipe {
                    name,
                    shape,
                    ..recipe
                },
                range,
            );
        }
        if range.scales.len() != 1 || !matches!(range.element, "int8" | "uint8") {
            return Err(format!(
                "has {} scales for results of {}, expected one for int8 or uint8",
                range.scales.len(),
                range.element
            ));
        }
        self.as_steps(&mut recipe, &range)?;
        let activation = match recipe.clip {
            UNCUT => Activation::None,
            (low, high) => {
                let byte = |real: f32| {
                    let steps = (real / range.scales[0]).round_ties_even();
                    // A number that is none becomes 0.
                    (i64::from(steps as i32) + range.zero_points[0]).clamp(-128, 127) as i8
                };
                Activation::Between(byte(low), byte(high))
            }
        };
        let mut inputs = recipe.inputs;
        if matches!(recipe.kind, Kind::Concat(_)) {
            for input in inputs.iter_mut().flatten() {
                *input = self.rescaled(*input, &recipe.label, &range)?;
            }
        }
        let element = range.element;
        let output = self.push(recipe.name, recipe.shape, element, Some(range));
        self.made.insert(recipe.name, output);
        self.operators.push(Operator {
            name: recipe.label,
            kind: recipe.kind,
            activation,
            inputs,
            outputs: vec![output],
        });
        Ok(output)
    }

    /// What the host does with a tensor.
    pub fn hosted(&mut self, node: &'a Node) -> Result<Value<'a>, String> {
        let index = self.activation(node, 0)?;
        let rank = self.tensors[index].shape.len() as i64;
        // In old versions a softmax is one over all dimensions from the axis on.
        let of_rows = match node.attribute("axis").map(|axis| axis.int) {
            Some(axis) => axis == -1 || axis == rank - 1,
            None => rank == 2,
        };
        let kind = match of_rows {
            true => Kind::Softmax(1.0),
            false => Kind::Host,
        };
        let has_bytes = self.tensors[index].element == Element::Int8;
        let is_float = matches!(self.input(node, 0)?, Value::Dequantised(_));
        if node.operator == "Softmax" && has_bytes && (of_rows || is_float) {
            let shape = self.tensors[index].shape.clone();
            return Ok(Value::Float(self.recipe_of(node, kind, vec![index], shape)));
        }
        let range = match &node.operator[..] {
            "QLinearSoftmax" => {
                let range = self.range(node, 1, 2, self.tensors[index].type_name())?;
                self.set_range(index, &range)?;
                Some(self.range(node, 3, 4, "uint8")?)
            }
            _ => None,
        };
        let name = &node.outputs[0];
        let shape = self.tensors[index].shape.clone();
        let element = range.as_ref().map_or("float32", |range| range.element);
        let output = self.push(name, shape, element, range);
        self.host(node, kind, index, output);
        Ok(Value::Tensor(output))
    }

    /// What the host does with a tensor, of this kind.
    pub fn host(&mut self, node: &Node, kind: Kind, input: usize, output: usize) {
        self.operator(label(node), kind, vec![Some(input)], vec![output]);
    }

    /// A tensor that a node reads, whether as bytes or as what they stand for. A result in float32 is one that cannot run.
    pub fn activation(&mut self, node: &'a Node, number: usize) -> Result<usize, String> {
        let name = &node.inputs.get(number).map_or("", |name| &name[..]);
        match self.input(node, number)?.clone() {
            Value::Tensor(index) => Ok(index),
            Value::Dequantised(index) => Ok(index),
            Value::Float(recipe) => {
                if !matches!(recipe.kind, Kind::Softmax(_) | Kind::Host) {
                    return Err(float(name));
                }
                self.close(recipe);
                Ok(self.tensors.len() - 1)
            }
            Value::Constant(_) => Err(float(name)),
        }
    }

    /// What an operator makes of tensors of bytes, before it has a scale.
    pub fn recipe_of(
        &self,
        node: &'a Node,
        kind: Kind,
        tensors: Vec<usize>,
        shape: Vec<u32>,
    ) -> Recipe<'a> {
        Recipe {
            kind,
            label: label(node),
            inputs: tensors.into_iter().map(Some).collect(),
            shape,
            name: &node.outputs[0],
            clip: UNCUT,
            behind: vec![],
        }
    }
}

/// Why an operator in float32 cannot run.
pub fn float(name: &str) -> String {
    format!(
        "computes in float32: {name:?} has no QuantizeLinear and DequantizeLinear; quantise this operator too"
    )
}

/// Operator and name of a node, as messages show them.
pub fn label(node: &Node) -> String {
    let short = |text: &str| text.chars().take(NAME_MAX).collect::<String>();
    match node.name.is_empty() {
        true => short(&node.operator),
        false => format!("{} {:?}", short(&node.operator), short(&node.name)),
    }
}

/// What a node holds.
pub fn constant(node: &Node) -> Result<Constant<'_>, String> {
    let name = &node.outputs[0];
    let [attribute] = &node.attributes[..] else {
        return Err("has not one value".to_string());
    };
    let (shape, element, data) = match &attribute.name[..] {
        "value" => {
            let tensor = attribute.tensor.as_deref().ok_or("has no value")?;
            return Constant::read(tensor, name);
        }
        "value_float" => (vec![], "float32", attribute.float.to_le_bytes().to_vec()),
        "value_int" => (vec![], "int64", attribute.int.to_le_bytes().to_vec()),
        "value_floats" => {
            let values = &attribute.floats;
            let data = values.iter().flat_map(|value| value.to_le_bytes());
            (vec![values.len() as u32], "float32", data.collect())
        }
        "value_ints" => {
            let values = &attribute.ints;
            let data = values.iter().flat_map(|value| value.to_le_bytes());
            (vec![values.len() as u32], "int64", data.collect())
        }
        other => return Err(format!("has a value of kind {other:?}")),
    };
    Ok(Constant {
        name,
        shape,
        element,
        data: data.into(),
    })
}
