//! Scales and zero points: between which operators they stand, and what they say of a tensor.

use std::borrow::Cow;
use std::rc::Rc;

use super::constant::{self, Constant, elements};
use super::reader::{Range, Reader, Recipe, UNCUT, Value, float, label};
use super::schema::Node;
use crate::exact::Function;
use crate::fold::Number;
use crate::model::{Activation, Element, Kind, Window};

impl<'a> Reader<'a> {
    /// Scales and zero points among the inputs of a node, for a tensor of this type.
    pub fn range(
        &self,
        node: &'a Node,
        scale: usize,
        zero_point: usize,
        element: &'static str,
    ) -> Result<Range, String> {
        let constant = self.constant(node, scale)?.ok_or("has no scale")?;
        let scales = constant
            .floats()
            .ok_or("has scales of another type than float32")?;
        let zeros = self.constant(node, zero_point)?;
        let element = zeros.map_or(element, |zeros| zeros.element);
        let zero_points = match zeros {
            None => vec![0; scales.len()],
            Some(zeros) => zeros
                .integers()
                .ok_or_else(|| format!("quantises to {}, expected int8 or uint8", zeros.element))?,
        };
        let (count, zeros) = (scales.len(), zero_points.len());
        if count != zeros || count == 0 {
            return Err(format!("has {count} scales and {zeros} zero points"));
        }
        if node.int("block_size", 0) != 0 {
            return Err(
                "has a scale for each block, expected one, or one for each output".to_string(),
            );
        }
        let moved = if element == "uint8" { 128 } else { 0 };
        Ok(Range {
            scales,
            zero_points: zero_points.iter().map(|zero| zero - moved).collect(),
            axis: node.int("axis", 1),
            element,
        })
    }

    /// Says what the bytes of a tensor stand for, which must be the same wherever it is read.
    pub fn set_range(&mut self, index: usize, range: &Range) -> Result<(), String> {
        let tensor = &mut self.tensors[index];
        let found = tensor.type_name();
        if found != range.element {
            return Err(format!(
                "reads {:?} of {found} as {}",
                tensor.name, range.element
            ));
        }
        if tensor.scales.is_empty() {
            tensor.scales.clone_from(&range.scales);
            tensor.zero_points.clone_from(&range.zero_points);
        }
        match tensor.scales == range.scales && tensor.zero_points == range.zero_points {
            true => Ok(()),
            false => Err(format!(
                "reads {:?} with another scale or zero point than it was made with",
                tensor.name
            )),
        }
    }

    /// A constant whose elements stand for others.
    pub fn push_constant(
        &mut self,
        constant: &Constant<'a>,
        range: &Range,
    ) -> Result<usize, String> {
        let name = constant.name;
        if constant.element != range.element {
            return Err(format!(
                "reads {name:?} of {} as {}",
                constant.element, range.element
            ));
        }
        let axis = range.dimension(name, &constant.shape)?;
        self.copy(constant.data.len())?;
        let data = match constant.element {
            "uint8" => constant.data.iter().map(|byte| byte ^ 0x80).collect(),
            _ => constant.data.clone(),
        };
        let (shape, element) = (constant.shape.clone(), constant.element);
        let index = self.push(name, shape, element, Some(range.clone()));
        self.tensors[index].data = Some(data);
        self.tensors[index].axis = axis;
        Ok(index)
    }

    /// QuantizeLinear: bytes of a result, a constant, or what the host writes.
    pub fn quantised(&mut self, node: &'a Node) -> Result<Value<'a>, String> {
        // Where no zero point says the type.
        let element = match node.int("output_dtype", 0) {
            0 => "uint8",
            number => constant::element(i32::try_from(number).unwrap_or(-1)).0,
        };
        let range = self.range(node, 1, 2, element)?;
        match self.input(node, 0)?.clone() {
            Value::Float(recipe) => {
                let made = self.made.get(recipe.name).copied();
                match made.filter(|&index| self.set_range(index, &range).is_ok()) {
                    Some(index) => Ok(Value::Tensor(index)),
                    None => self.emit(recipe, range).map(Value::Tensor),
                }
            }
            Value::Dequantised(index) if self.tensors[index].data.is_none() => {
                if self.set_range(index, &range).is_ok() {
                    return Ok(Value::Tensor(index));
                }
                let recipe = self.same(&node.outputs[0], label(node), index);
                self.emit(recipe, range).map(Value::Tensor)
            }
            Value::Constant(constant) => {
                self.copy(constant.data.len())?;
                let found = quantised_constant(&constant, &range)?;
                Ok(Value::Constant(Rc::new(found)))
            }
            Value::Tensor(index) if self.tensors[index].type_name() == "float32" => {
                let (name, shape) = (&node.outputs[0], self.tensors[index].shape.clone());
                let element = range.element;
                let output = self.push(name, shape, element, Some(range));
                let mut makers = self.operators.iter_mut().rev();
                match makers.find(|maker| maker.outputs.contains(&index)) {
                    // What cannot run makes bytes too: its readers are looked at all the same.
                    Some(maker) if matches!(maker.kind, Kind::Refused(_)) => {
                        maker.outputs.push(output)
                    }
                    _ => self.host(node, Kind::Quantize, index, output),
                }
                Ok(Value::Tensor(output))
            }
            Value::Tensor(_) | Value::Dequantised(_) => Err(format!(
                "quantises {:?}, which is so already",
                node.inputs[0]
            )),
        }
    }

    /// DequantizeLinear: what bytes stand for.
    pub fn dequantised(&mut self, node: &'a Node) -> Result<Value<'a>, String> {
        match self.input(node, 0)?.clone() {
            Value::Constant(constant) => {
                let range = self.range(node, 1, 2, constant.element)?;
                self.push_constant(&constant, &range)
                    .map(Value::Dequantised)
            }
            Value::Tensor(index) if self.tensors[index].element == Element::Int8 => {
                let range = self.range(node, 1, 2, self.tensors[index].type_name())?;
                self.set_range(index, &range)?;
                Ok(Value::Dequantised(index))
            }
            _ => Err(format!(
                "reads {:?}, which is not quantised",
                node.inputs[0]
            )),
        }
    }

    /// A recipe for the same numbers, with another scale or cut.
    pub fn same(&self, name: &'a str, label: String, index: usize) -> Recipe<'a> {
        Recipe {
            kind: Kind::ScaledMean(Window::PLAIN, [1; 2]),
            label,
            inputs: vec![Some(index)],
            shape: self.tensors[index].shape.clone(),
            name,
            clip: UNCUT,
            behind: vec![],
        }
    }

    /// Clip of bytes between QuantizeLinear and DequantizeLinear, as Brevitas has it; none of anything else.
    fn clipped_bytes(&mut self, node: &'a Node) -> Result<Option<Value<'a>>, String> {
        let value = self.input(node, 0)?.clone();
        let (element, ends) = match &value {
            Value::Constant(constant) => (constant.element, None),
            Value::Tensor(index) => (self.tensors[*index].type_name(), Some(*index)),
            _ => return Ok(None),
        };
        let Some(number) = Number::named(element).filter(|_| matches!(element, "int8" | "uint8"))
        else {
            return Ok(None);
        };
        let mut bounds = if element == "int8" {
            [-128, 127]
        } else {
            [0, 255]
        };
        for (place, bound) in bounds.iter_mut().enumerate() {
            let Some(found) = self.constant(node, place + 1)? else {
                continue;
            };
            match &number.list(&found.data)[..] {
                &[value] if found.element == element => *bound = value,
                _ => {
                    return Err(format!(
                        "has {} as a bound, expected one {element}",
                        found.name
                    ));
                }
            }
        }
        let [least, most] = bounds;
        let cut = |value: i64| value.max(least).min(most);
        let Some(index) = ends else {
            let Value::Constant(constant) = value else {
                return Ok(None);
            };
            self.copy(constant.data.len())?;
            let values = number
                .list(&constant.data)
                .into_iter()
                .map(|value| cut(value) as u8);
            let data = values.collect::<Vec<u8>>().into();
            return Ok(Some(Value::Constant(Rc::new(Constant {
                data,
                ..(*constant).clone()
            }))));
        };
        let moved = if element == "int8" { 0 } else { 128 };
        let [low, high] = [-128, 127].map(|end| (cut(end + moved) - moved) as i8);
        let kind = Kind::Table(Function::Cut(Activation::Between(low, high)));
        let shape = self.tensors[index].shape.clone();
        Ok(Some(self.pass(
            node,
            &node.outputs[0],
            kind,
            vec![index],
            shape,
            false,
        )))
    }

    /// Relu and Clip become part of what they read.
    pub fn clipped(&mut self, node: &'a Node) -> Result<Value<'a>, String> {
        if let Some(bytes) = self.clipped_bytes(node)? {
            return Ok(bytes);
        }
        let mut bounds = [0.0, f32::INFINITY];
        if node.operator == "Clip" {
            bounds = [
                node.float("min", f32::NEG_INFINITY),
                node.float("max", f32::INFINITY),
            ];
            for (number, bound) in bounds.iter_mut().enumerate() {
                if node.inputs.get(number + 1).is_none_or(String::is_empty) {
                    continue;
                }
                *bound = self.number(node, number + 1)?;
            }
        }
        let [low, high] = bounds;
        let mut recipe = match self.input(node, 0)?.clone() {
            Value::Float(recipe) if recipe.is_of_bytes() => Recipe {
                label: format!("{}, {}", recipe.label, node.operator),
                ..recipe
            },
            Value::Dequantised(index) if self.tensors[index].data.is_none() => {
                self.same(&node.outputs[0], label(node), index)
            }
            _ => return Err(float(&node.inputs[0])),
        };
        // In the order of the operators: the last one wins.
        let cut = |bound: f32| bound.max(low).min(high);
        recipe.clip = (cut(recipe.clip.0), cut(recipe.clip.1));
        recipe.name = &node.outputs[0];
        Ok(Value::Float(recipe))
    }

    /// One constant number, quantised or not.
    pub fn number(&self, node: &'a Node, number: usize) -> Result<f32, String> {
        let name = &node.inputs[number];
        let found = match self.input(node, number)? {
            Value::Constant(constant) => constant.floats(),
            Value::Dequantised(index) if self.tensors[*index].elements() == 1 => {
                let tensor = &self.tensors[*index];
                tensor.int8().map(|bytes| {
                    let steps = i64::from(bytes[0]) - tensor.zero_points[0];
                    vec![steps as f32 * tensor.scales[0]]
                })
            }
            _ => None,
        };
        match found.as_deref() {
            Some(&[number]) => Ok(number),
            _ => Err(format!("{name:?} is not one constant number")),
        }
    }
}

impl Range {
    /// The dimension of a tensor that has the scales; 0 if there is one scale.
    fn dimension(&self, name: &str, shape: &[u32]) -> Result<usize, String> {
        let (count, rank) = (self.scales.len(), shape.len() as i64);
        let from_end = self.axis.saturating_add(rank);
        let axis = if self.axis < 0 { from_end } else { self.axis };
        let has = |axis: &usize| shape.get(*axis).is_some_and(|&size| size as usize == count);
        match (count, usize::try_from(axis).ok().filter(has)) {
            (1, _) => Ok(0),
            (_, Some(axis)) => Ok(axis),
            (_, None) => Err(format!(
                "{name:?} of shape {shape:?} has {count} scales along dimension {axis}"
            )),
        }
    }
}

/// The integers that QuantizeLinear makes of a constant: rounded with halves to even, in single precision.
fn quantised_constant<'a>(constant: &Constant<'a>, range: &Range) -> Result<Constant<'a>, String> {
    let (name, element) = (constant.name, range.element);
    if constant.element != "float32" || !matches!(element, "int8" | "uint8") {
        let from = constant.element;
        return Err(format!(
            "makes {element} of {name:?} of {from}, expected int8 or uint8 of float32"
        ));
    }
    let (low, high, moved) = match element {
        "int8" => (-128, 127, 0),
        _ => (0, 255, 128),
    };
    let axis = range.dimension(name, &constant.shape)?;
    // How many elements lie after each place of the dimension that has the scales.
    let inner = elements(constant.shape.get(axis + 1..).unwrap_or_default());
    let inner = inner.unwrap_or(1).max(1);
    let values = constant.data.chunks_exact(4).enumerate();
    let bytes = values.map(|(at, word)| {
        let value = f32::from_le_bytes(word.try_into().expect("four bytes"));
        let place = at / inner % range.scales.len();
        let steps = (value / range.scales[place]).round_ties_even() as i32;
        let integer = i64::from(steps) + range.zero_points[place] + moved;
        integer.clamp(low, high) as u8
    });
    Ok(Constant {
        name,
        shape: constant.shape.clone(),
        element,
        data: Cow::Owned(bytes.collect()),
    })
}
