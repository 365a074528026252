//! Operators that leave bytes as they are: views, maxima, zeros around a tensor.

use std::rc::Rc;

use super::attributes::windows;
use super::constant::{self, Constant, elements};
use super::reader::{Range, Reader, Value, label};
use super::schema::Node;
use crate::fold::Number;
use crate::model::Kind;

/// Types of the elements of a list.
const LISTED: [Number; 4] = [Number::Int8, Number::Uint8, Number::Int32, Number::Int64];

impl<'a> Reader<'a> {
    /// Readers see the elements in another shape.
    pub fn view(&mut self, node: &'a Node) -> Result<Value<'a>, String> {
        let name = &node.outputs[0];
        let value = self.input(node, 0)?.clone();
        if let Value::Constant(constant) = value {
            let shape = self.viewed(node, &constant.shape)?;
            self.copy(constant.data.len())?;
            let found = Constant::clone(&constant);
            return Ok(Value::Constant(Rc::new(Constant {
                name,
                shape,
                ..found
            })));
        }
        let index = self.activation(node, 0)?;
        let shape = self.viewed(node, &self.tensors[index].shape)?;
        if self.tensors[index].data.is_some() {
            return Err("has a constant as input, expected a result".to_string());
        }
        let is_float = matches!(value, Value::Dequantised(_));
        Ok(self.pass(node, name, Kind::Reshape, vec![index], shape, is_float))
    }

    /// Scale and zero point of a tensor, as far as they are known.
    pub fn range_of(&self, index: usize) -> Range {
        let tensor = &self.tensors[index];
        Range {
            scales: tensor.scales.clone(),
            zero_points: tensor.zero_points.clone(),
            axis: 0,
            element: tensor.type_name(),
        }
    }

    /// An operator whose output has the scale of its first input.
    pub fn pass(
        &mut self,
        node: &'a Node,
        name: &'a str,
        kind: Kind,
        inputs: Vec<usize>,
        shape: Vec<u32>,
        is_float: bool,
    ) -> Value<'a> {
        let range = self.range_of(inputs[0]);
        let output = self.push(name, shape, range.element, Some(range));
        let inputs = inputs.into_iter().map(Some).collect();
        self.operator(label(node), kind, inputs, vec![output]);
        match is_float {
            true => Value::Dequantised(output),
            false => Value::Tensor(output),
        }
    }

    /// Inputs whose scale is that of an output, which alone says it.
    pub fn ranges_of_inputs(&mut self) {
        for operator in self.operators.iter().rev() {
            let (true, &[output]) = (operator.kind.passes(), &operator.outputs[..]) else {
                continue;
            };
            for &input in operator.inputs.iter().flatten() {
                let tensor = &self.tensors[input];
                if tensor.scales.is_empty() && tensor.data.is_none() {
                    self.tensors[input].scales = self.tensors[output].scales.clone();
                    self.tensors[input].zero_points = self.tensors[output].zero_points.clone();
                }
            }
        }
    }

    /// The shape that a view gives.
    pub fn viewed(&self, node: &'a Node, shape: &[u32]) -> Result<Vec<u32>, String> {
        let found = match &node.operator[..] {
            "Flatten" => {
                let axis = within(node.int("axis", 1), shape.len())?;
                let product = |sizes: &[u32]| elements(sizes).map_or(0, |count| count as i64);
                vec![product(&shape[..axis]), product(&shape[axis..])]
            }
            "Reshape" => self.reshaped(node, shape)?,
            "Squeeze" => self.squeezed(node, shape)?,
            "Unsqueeze" => {
                let axes = self.list(node, 1, "axes")?.ok_or("has no axes")?;
                let rank = shape.len() + axes.len();
                let axes = axes.iter().map(|&axis| within(axis, rank));
                let axes = axes.collect::<Result<Vec<_>, _>>()?;
                let mut sizes = shape.iter().map(|&size| i64::from(size));
                let size = |place| match axes.contains(&place) {
                    true => 1,
                    false => sizes.next().unwrap_or(0),
                };
                (0..rank).map(size).collect()
            }
            _ => shape.iter().map(|&size| size.into()).collect(),
        };
        let found = constant::shape(&found)?;
        match elements(&found) == elements(shape) {
            true => Ok(found),
            false => Err(format!(
                "makes {found:?} of {shape:?}, expected as many elements"
            )),
        }
    }

    /// A list that is an input, or an attribute in older files.
    pub fn list(
        &self,
        node: &'a Node,
        number: usize,
        name: &str,
    ) -> Result<Option<Vec<i64>>, String> {
        match self.constant(node, number)? {
            Some(constant) => match constant.listed(&LISTED) {
                Some(list) => Ok(Some(list)),
                None => Err(format!("has {name} of another type than int64 and int32")),
            },
            None => Ok(node.ints(name).map(<[i64]>::to_vec)),
        }
    }

    /// 0 is the size of the input, -1 what is left.
    fn reshaped(&self, node: &'a Node, shape: &[u32]) -> Result<Vec<i64>, String> {
        let mut asked = self.list(node, 1, "shape")?.ok_or("has no shape")?;
        if node.int("allowzero", 0) == 0 {
            let zeros = asked.iter_mut().zip(shape).filter(|(size, _)| **size == 0);
            zeros.for_each(|(size, &from)| *size = from.into());
        }
        let mut known = asked.iter().filter(|&&size| size != -1);
        let known = known.try_fold(1i64, |product, &size| product.checked_mul(size));
        let count = elements(shape).map_or(0, |count| count as i64);
        let open = asked.iter_mut().find(|size| **size == -1);
        if let (Some(known @ 1..), Some(open)) = (known, open) {
            *open = count / known;
        }
        Ok(asked)
    }

    /// The sizes that are left: all that are not 1, or not among the axes.
    fn squeezed(&self, node: &'a Node, shape: &[u32]) -> Result<Vec<i64>, String> {
        let axes = self.list(node, 1, "axes")?.map(|axes| {
            let axes = axes.iter().map(|&axis| within(axis, shape.len()));
            axes.collect::<Result<Vec<_>, _>>()
        });
        let axes = axes.transpose()?;
        let is_left = |place: &usize, size: u32| {
            size != 1 || axes.as_ref().is_some_and(|axes| !axes.contains(place))
        };
        let sizes = shape.iter().enumerate();
        let left = sizes.filter(|&(place, &size)| is_left(&place, size));
        Ok(left.map(|(_, &size)| size.into()).collect())
    }

    /// The largest of each window, or zeros around a tensor: bytes keep their meaning.
    pub fn moved(&mut self, node: &'a Node) -> Result<Value<'a>, String> {
        let is_float = matches!(self.input(node, 0)?, Value::Dequantised(_));
        let index = self.activation(node, 0)?;
        let shape = self.tensors[index].shape.clone();
        let name = &node.outputs[0];
        if node.operator == "Pad" {
            let range = self.range_of(index);
            let (amounts, shape) = self.padding(node, &shape, &range, is_float)?;
            return Ok(self.pass(node, name, Kind::Pad, vec![index, amounts], shape, is_float));
        }
        let found = windows(node, &shape, None)?;
        if found.window.dilation != [1; 2] {
            return Err("has dilations, expected 1".to_string());
        }
        let shape = [&shape[..2], &found.output].concat();
        let kind = Kind::MaxPool(found.window, found.size);
        Ok(self.pass(node, name, kind, vec![index], shape, is_float))
    }

    /// A constant with the zeros before and after each of four dimensions, and the shape with them.
    fn padding(
        &mut self,
        node: &'a Node,
        shape: &[u32],
        range: &Range,
        is_float: bool,
    ) -> Result<(usize, Vec<u32>), String> {
        let amounts = self.list(node, 1, "pads")?.unwrap_or_default();
        let rank = shape.len();
        if !matches!(node.text("mode"), "" | "constant") || self.constant(node, 3)?.is_some() {
            return Err("has a mode or axes, expected zeros around all dimensions".to_string());
        }
        let is_zero = match (is_float, node.inputs.get(2).is_none_or(String::is_empty)) {
            (true, true) => true,
            (true, false) => self.number(node, 2)? == 0.0,
            (false, left_out) => {
                let value = match left_out {
                    true => Some(vec![0]),
                    false => self.constant(node, 2)?.and_then(Constant::integers),
                };
                let moved = if range.element == "uint8" { 128 } else { 0 };
                let zero = range.zero_points.first().map(|zero| zero + moved);
                value.is_some_and(|value| value.first().copied() == zero)
            }
        };
        if !is_zero {
            return Err(
                "pads with another value than the zero point, expected real zeros".to_string(),
            );
        }
        let fits =
            amounts.len() == 2 * rank && amounts.iter().all(|amount| (0..1 << 16).contains(amount));
        if !fits || !(3..=4).contains(&rank) {
            return Err(format!(
                "has pads {amounts:?} for a tensor of shape {shape:?}"
            ));
        }
        let padded = (0..rank).map(|axis| {
            let size = i64::from(shape[axis]) + amounts[axis] + amounts[rank + axis];
            u32::try_from(size).map_err(|_| format!("makes a size of {size}"))
        });
        let padded = padded.collect::<Result<Vec<u32>, _>>()?;
        // A tensor of three dimensions has one row.
        let mut pairs: Vec<u32> = (0..rank)
            .flat_map(|axis| [amounts[axis], amounts[rank + axis]])
            .map(|amount| amount as u32)
            .collect();
        if rank == 3 {
            pairs.splice(4..4, [0, 0]);
        }
        Ok((self.numbers(&pairs), padded))
    }
}

/// A dimension counted from the end if it is negative.
pub fn within(axis: i64, rank: usize) -> Result<usize, String> {
    let found = if axis < 0 { axis + rank as i64 } else { axis };
    let found = usize::try_from(found).ok().filter(|&found| found <= rank);
    found.ok_or_else(|| format!("has dimension {axis} of {rank}"))
}
