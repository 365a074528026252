//! Nodes whose results are known before the network runs: constants, and the sizes of tensors.

use std::borrow::Cow;
use std::rc::Rc;

use super::constant::{Constant, element};
use super::reader::{Reader, Value};
use super::schema::Node;
use crate::fold::{Arithmetic, Array, Number, Part, Step, place};

/// Types that are computed with.
const TYPES: &str = "int8, uint8, int32, int64, float32 and bool";

impl<'a> Reader<'a> {
    /// The constant that a node makes; none if it reads another tensor than constants.
    pub fn computed(&mut self, node: &'a Node) -> Result<Option<Value<'a>>, String> {
        let found = match &node.operator[..] {
            "Shape" => self.sizes(node).map(Some)?,
            "ConstantOfShape" => return self.filled(node),
            "Cast" | "Concat" | "Gather" | "Slice" | "Tile" | "Add" | "Sub" | "Mul" | "Div"
            | "Equal" | "Expand" | "Where" | "ReduceProd" | "Range" => match self.arrays(node)? {
                Some(arrays) => Some(self.evaluated(node, arrays)?),
                None => None,
            },
            _ => None,
        };
        Ok(found.map(|array| {
            let data = array.bytes();
            constant(node, array.shape, array.element.name(), data)
        }))
    }

    /// Cast of what no constant is: nothing, if the type stays.
    pub fn cast(&mut self, node: &'a Node) -> Result<Value<'a>, String> {
        let value = self.input(node, 0)?;
        let element = match value {
            Value::Tensor(index) => self.tensors[*index].type_name(),
            Value::Constant(constant) => constant.element,
            Value::Dequantised(_) | Value::Float(_) => "float32",
        };
        match element == cast_to(node) {
            true => Ok(value.clone()),
            false => Err(refusal(node)),
        }
    }

    /// The sizes of what a node reads, from one dimension to another.
    fn sizes(&mut self, node: &'a Node) -> Result<Array, String> {
        let shape = match self.input(node, 0)? {
            Value::Constant(constant) => &constant.shape,
            Value::Tensor(index) | Value::Dequantised(index) => &self.tensors[*index].shape,
            Value::Float(recipe) => &recipe.shape,
        };
        let sizes = Array {
            element: Number::Int64,
            shape: vec![shape.len() as u32],
            values: shape.iter().map(|&size| size.into()).collect(),
        };
        let part = Part {
            start: node.attribute("start").map(|start| start.int),
            end: node.attribute("end").map(|end| end.int),
            ..Part::ALL
        };
        self.folder.evaluate(&Step::Slice(vec![part]), &[sizes])
    }

    /// One value in a shape that is known.
    fn filled(&mut self, node: &'a Node) -> Result<Option<Value<'a>>, String> {
        let Some(arrays) = self.arrays(node)? else {
            return Ok(None);
        };
        let value = node
            .attribute("value")
            .and_then(|value| value.tensor.as_deref());
        let value = match value {
            Some(tensor) => Constant::read(tensor, "value")?,
            None => Constant {
                name: "value",
                shape: vec![1],
                element: "float32",
                data: Cow::Owned(vec![0; 4]),
            },
        };
        let has_one = (1..=8).contains(&value.data.len());
        if value.shape.iter().any(|&size| size != 1) || !has_one {
            return Err(format!(
                "has a value of shape {:?}, expected one element",
                value.shape
            ));
        }
        let [sizes] = &arrays[..] else {
            return Err(format!("has {} inputs, expected a shape", arrays.len()));
        };
        let zero = Array {
            element: Number::Int64,
            shape: vec![],
            values: vec![0],
        };
        // The shape is checked with a zero of its own: elements may have any type.
        let shape = self
            .folder
            .evaluate(&Step::Fill, &[sizes.clone(), zero])?
            .shape;
        let count = shape.iter().map(|&size| size as usize).product();
        let data = value.data.repeat(count);
        Ok(Some(constant(node, shape, value.element, data)))
    }

    /// What a node reads, if all of it is known.
    fn arrays(&mut self, node: &'a Node) -> Result<Option<Vec<Array>>, String> {
        let mut arrays = Vec::with_capacity(node.inputs.len());
        for number in (0..node.inputs.len()).filter(|&number| !node.inputs[number].is_empty()) {
            let Value::Constant(constant) = self.input(node, number)? else {
                return Ok(None);
            };
            let Some(element) = Number::named(constant.element) else {
                return Ok(None);
            };
            let constant = Rc::clone(constant);
            self.folder.spend(&constant.shape)?;
            arrays.push(Array::of_bytes(element, &constant.shape, &constant.data));
        }
        Ok((!arrays.is_empty()).then_some(arrays))
    }

    fn evaluated(&mut self, node: &'a Node, mut arrays: Vec<Array>) -> Result<Array, String> {
        let step = match &node.operator[..] {
            "Cast" => {
                let name = cast_to(node);
                let element = Number::named(name);
                Step::Cast(
                    element.ok_or_else(|| format!("makes elements of {name}, expected {TYPES}"))?,
                )
            }
            "Concat" => Step::Concat(node.attribute("axis").ok_or("has no axis")?.int),
            "Gather" => Step::Gather(node.int("axis", 0)),
            "Slice" => {
                let parts = self.parts_of(node, arrays[0].shape.len())?;
                arrays.truncate(1);
                Step::Slice(parts)
            }
            "Tile" => Step::Tile,
            "Expand" => Step::Expand,
            "Where" => Step::Where,
            "Range" => Step::Range,
            "ReduceProd" => {
                let axes = self.axes(node, arrays[0].shape.len())?;
                Step::Product(axes, node.int("keepdims", 1) != 0)
            }
            "Equal" => Step::Pairs(Arithmetic::Equal),
            "Add" => Step::Pairs(Arithmetic::Add),
            "Sub" => Step::Pairs(Arithmetic::Sub),
            "Mul" => Step::Pairs(Arithmetic::Mul),
            _ => Step::Pairs(Arithmetic::Div),
        };
        self.folder.evaluate(&step, &arrays)
    }

    /// The parts of so many dimensions that a node takes.
    pub fn parts_of(&self, node: &'a Node, rank: usize) -> Result<Vec<Part>, String> {
        let listed = |number, name| self.list(node, number, name);
        let starts = listed(1, "starts")?.ok_or("has no starts")?;
        let ends = listed(2, "ends")?.ok_or("has no ends")?;
        let axes = listed(3, "axes")?.unwrap_or_else(|| (0..starts.len() as i64).collect());
        let steps = listed(4, "steps")?.unwrap_or_else(|| vec![1; starts.len()]);
        if [ends.len(), axes.len(), steps.len()] != [starts.len(); 3] {
            return Err(format!(
                "has starts {starts:?}, ends {ends:?}, axes {axes:?}, steps {steps:?}, expected as many of each"
            ));
        }
        let mut parts = vec![Part::ALL; rank];
        for (at, &axis) in axes.iter().enumerate() {
            parts[place(axis, rank)?] = Part {
                start: Some(starts[at]),
                end: Some(ends[at]),
                step: steps[at],
                drops: false,
            };
        }
        Ok(parts)
    }
}

/// The name of the type to which a node casts.
fn cast_to(node: &Node) -> &'static str {
    element(i32::try_from(node.int("to", 0)).unwrap_or(-1)).0
}

fn constant<'a>(
    node: &'a Node,
    shape: Vec<u32>,
    element: &'static str,
    data: Vec<u8>,
) -> Value<'a> {
    Value::Constant(Rc::new(Constant {
        name: &node.outputs[0],
        shape,
        element,
        data: data.into(),
    }))
}

/// Why a node that can only be computed is not.
pub fn refusal(node: &Node) -> String {
    let name = node.inputs.first().map_or("", |name| &name[..]);
    format!(
        "reads {name:?}: it is computed at import, of constants of {TYPES} alone; no layer does this"
    )
}
