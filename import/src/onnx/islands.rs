//! What lies between DequantizeLinear and QuantizeLinear and is no layer of bytes: moved behind QuantizeLinear where that gives the same
//! bytes, else steps in float32.

use super::reader::{Range, Reader, Recipe, UNCUT, Value, float, label};
use super::schema::Node;
use crate::model::{Format, Kind};
use crate::ops::row;

/// Characters of a list of operators that are kept.
const LABEL_MAX: usize = 160;

/// Operators that choose among elements: QuantizeLinear gives the same bytes in front of them.
const CHOOSING: [&str; 19] = [
    "DepthToSpace",
    "Dropout",
    "Expand",
    "Flatten",
    "Gather",
    "GlobalMaxPool",
    "Identity",
    "MaxPool",
    "ReduceMax",
    "ReduceMin",
    "Reshape",
    "Resize",
    "Slice",
    "SpaceToDepth",
    "Squeeze",
    "Tile",
    "Transpose",
    "Unsqueeze",
    "Upsample",
];

impl Recipe<'_> {
    /// Whether a layer makes bytes of it; else steps do.
    pub fn is_of_bytes(&self) -> bool {
        !matches!(self.kind, Kind::Host | Kind::Refused(_))
    }
}

impl<'a> Reader<'a> {
    /// What a node makes that is no layer of bytes, for this reason.
    pub fn island(
        &mut self,
        node: &'a Node,
        reason: String,
        real: Option<u32>,
    ) -> Result<Value<'a>, String> {
        if node.operator.starts_with("QLinear") {
            return self.island_of_scales(node).map_err(|_| reason);
        }
        if let Some(found) = self.moved_behind(node) {
            return Ok(Value::Float(found));
        }
        let Some(real) = real else {
            return Err(reason);
        };
        Ok(Value::Float(self.open_recipe(node, reason, real)))
    }

    /// Whether a node multiplies bytes by constant weights: if a machine cannot do that, the reason is said.
    pub fn is_for_machine(&self, node: &'a Node) -> bool {
        let is_stored = match self.input(node, 1) {
            Ok(Value::Constant(_)) => true,
            Ok(Value::Dequantised(index)) => self.tensors[*index].data.is_some(),
            _ => false,
        };
        let is_weighted = matches!(&node.operator[..], "Conv" | "Gemm" | "MatMul");
        is_weighted && is_stored && !matches!(self.input(node, 0), Ok(Value::Float(_)))
    }

    /// A result that only steps make.
    fn open_recipe(&self, node: &'a Node, reason: String, real: u32) -> Recipe<'a> {
        let mut read = node
            .inputs
            .iter()
            .filter_map(|name| match self.values.get(&name[..]) {
                Some(Value::Float(recipe)) if recipe.label.len() < LABEL_MAX => Some(&recipe.label),
                _ => None,
            });
        Recipe {
            kind: Kind::Refused(reason),
            label: match read.next() {
                Some(before) => format!("{before}, {}", node.operator),
                None => label(node),
            },
            inputs: self.tensors_of(node),
            shape: self.reals.shape(real).to_vec(),
            name: &node.outputs[0],
            clip: UNCUT,
            behind: vec![],
        }
    }

    /// The tensors that a node reads.
    pub fn tensors_of(&self, node: &Node) -> Vec<Option<usize>> {
        let inputs = node
            .inputs
            .iter()
            .filter_map(|name| match self.values.get(&name[..])? {
                Value::Tensor(index) | Value::Dequantised(index) => Some(Some(*index)),
                Value::Constant(_) | Value::Float(_) => None,
            });
        inputs.collect()
    }

    /// An operator with scales among its inputs.
    fn island_of_scales(&mut self, node: &'a Node) -> Result<Value<'a>, String> {
        let real = self.real_of(node)?;
        let tensors = if matches!(&node.operator[..], "QLinearAdd" | "QLinearMul") {
            6
        } else {
            3
        };
        let range = self.range(node, tensors, tensors + 1, "uint8")?;
        let recipe = self.open_recipe(node, String::new(), real);
        self.reals.names.insert(recipe.name, real);
        self.emit(recipe, range).map(Value::Tensor)
    }

    /// What a node makes of a result of a layer of bytes, if it only chooses among elements.
    fn moved_behind(&mut self, node: &'a Node) -> Option<Recipe<'a>> {
        let name = &node.inputs.first()?[..];
        let Some(Value::Float(recipe)) = self.values.get(name) else {
            return None;
        };
        let mut recipe = recipe.clone();
        if !recipe.is_of_bytes() || !CHOOSING.contains(&&node.operator[..]) {
            return None;
        }
        // A stand-in for the bytes says which shape there will be.
        let (tensors, operators) = (self.tensors.len(), self.operators.len());
        let range = Range {
            scales: vec![1.0],
            zero_points: vec![0],
            axis: 0,
            element: "int8",
        };
        let bytes = self.push(recipe.name, recipe.shape.clone(), "int8", Some(range));
        let found = self.chosen(node, bytes);
        let shape = found.map(|index| self.tensors[index].shape.clone());
        self.tensors.truncate(tensors);
        self.operators.truncate(operators);
        let before = std::mem::replace(&mut recipe.shape, shape.ok()?);
        recipe.behind.push((node, recipe.name, before));
        recipe.name = &node.outputs[0];
        Some(recipe)
    }

    /// What a node makes of these bytes.
    fn chosen(&mut self, node: &'a Node, bytes: usize) -> Result<usize, String> {
        let row = row(Format::Onnx, &node.operator).ok_or("no layer does this")?;
        let name = &node.inputs[0][..];
        let before = self.values.insert(name, Value::Dequantised(bytes));
        let found = (row.of_onnx)(self, node);
        self.values.extend(before.map(|before| (name, before)));
        match found? {
            Value::Dequantised(index) => Ok(index),
            _ => Err("makes no bytes".to_string()),
        }
    }

    /// The bytes of a recipe, and of those what a node makes behind it.
    pub fn emit_behind(
        &mut self,
        node: &'a Node,
        recipe: Recipe<'a>,
        range: Range,
    ) -> Result<usize, String> {
        let made = self.made.get(recipe.name).copied();
        let name = &node.outputs[0];
        let bytes = match made.filter(|&index| self.set_range(index, &range).is_ok()) {
            Some(index) => index,
            None => self.emit(recipe, range)?,
        };
        let found = self.chosen(node, bytes)?;
        self.made.insert(name, found);
        Ok(found)
    }

    /// Makes of a recipe of float32 its steps, if no layer makes its bytes.
    pub fn as_steps(&mut self, recipe: &mut Recipe<'a>, range: &Range) -> Result<(), String> {
        let real = self.reals.names.get(recipe.name).copied();
        let is_share = range.scales == [1.0 / 256.0] && range.zero_points == [-128];
        let real = match (&recipe.kind, real) {
            (Kind::Softmax(_), Some(real)) if !is_share => real,
            (Kind::Host | Kind::Refused(_), Some(real)) => real,
            (Kind::Host | Kind::Refused(_), None) => return Err(float(recipe.name)),
            _ => return Ok(()),
        };
        let (steps, tensors) = self.reals.steps(real, &self.tensors, &mut self.folder)?;
        recipe.kind = Kind::Float32(steps.into());
        recipe.inputs = tensors.into_iter().map(Some).collect();
        Ok(())
    }

    /// A result in float32 that something else than QuantizeLinear reads: the host can make a softmax, nothing another one.
    pub fn close(&mut self, recipe: Recipe<'a>) {
        let output = self.push(recipe.name, recipe.shape, "float32", None);
        self.values.insert(recipe.name, Value::Tensor(output));
        let kind = match recipe.kind {
            Kind::Softmax(_) => Kind::Host,
            Kind::Host | Kind::Refused(_) => recipe.kind,
            _ => Kind::Refused(float(recipe.name)),
        };
        self.operator(recipe.label, kind, recipe.inputs, vec![output]);
    }
}
