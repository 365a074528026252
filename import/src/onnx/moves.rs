//! Operators that put bytes in other places: parts, joins, other orders, larger planes; and that say where one is.

use super::reader::{Range, Reader, Value, label};
use super::schema::Node;
use crate::fold::{Array, Elements, Number, Part, Step, joined, place};
use crate::model::{Element, Format, Kind};
use crate::ops::gathers;

impl<'a> Reader<'a> {
    /// Elements of other places: parts, orders, copies, blocks, the nearest of a plane.
    pub fn placed(&mut self, node: &'a Node) -> Result<Value<'a>, String> {
        let index = self.activation(node, 0)?;
        let shape = self.tensors[index].shape.clone();
        let (step, others) = self.movers(node, &shape)?;
        let name = &node.outputs[0];
        self.gathered(node, (name, index), &step, &others)
    }

    /// How a node moves elements, and the constants that it reads for that.
    pub fn movers(&self, node: &'a Node, shape: &[u32]) -> Result<(Step, Vec<Array>), String> {
        let step = self.mover(node, shape)?;
        let others = match step {
            Step::Gather(_) | Step::Tile | Step::Expand => {
                let found = self.constant(node, 1)?.ok_or("has no second input")?;
                let element = Number::named(found.element).ok_or("reads no integers")?;
                vec![Array::of_bytes(element, &found.shape, &found.data)]
            }
            _ => vec![],
        };
        Ok((step, others))
    }

    /// What a step makes of a tensor, under this name.
    fn gathered(
        &mut self,
        node: &'a Node,
        (name, index): (&'a str, usize),
        step: &Step,
        others: &[Array],
    ) -> Result<Value<'a>, String> {
        let is_float = matches!(self.input(node, 0)?, Value::Dequantised(_));
        let shape = self.tensors[index].shape.clone();
        let folder = &mut self.folder;
        let (kind, made) = gathers::moved(Format::Onnx, folder, step, (&shape, others))?;
        Ok(self.pass(node, name, kind, vec![index], made, is_float))
    }

    /// How a node moves elements.
    fn mover(&self, node: &'a Node, shape: &[u32]) -> Result<Step, String> {
        Ok(match &node.operator[..] {
            "Slice" => Step::Slice(self.parts_of(node, shape.len())?),
            "Gather" => Step::Gather(node.int("axis", 0)),
            "Tile" => Step::Tile,
            "Expand" => Step::Expand,
            "Transpose" => {
                let order = self.order(node, shape.len())?.into_iter();
                Step::Transpose(order.map(|axis| axis as usize).collect())
            }
            "DepthToSpace" | "SpaceToDepth" => blocks(node, shape)?,
            _ => Step::Places(self.nearest(node, shape)?),
        })
    }

    /// Another order of dimensions: that of a layer, if there are at most four of them.
    pub fn transposed(&mut self, node: &'a Node) -> Result<Value<'a>, String> {
        let index = self.activation(node, 0)?;
        let shape = self.tensors[index].shape.clone();
        if self.tensors[index].data.is_some() {
            return self.transposed_constant(node, index);
        }
        if shape.len() > 4 {
            return self.placed(node);
        }
        let is_float = matches!(self.input(node, 0)?, Value::Dequantised(_));
        let order = self.order(node, shape.len())?;
        let turned = order.iter().map(|&axis| shape[axis as usize]).collect();
        let inputs = vec![index, self.numbers(&order)];
        Ok(self.pass(
            node,
            &node.outputs[0],
            Kind::Transpose,
            inputs,
            turned,
            is_float,
        ))
    }

    /// A constant of bytes in another order, whose scales go with their dimension.
    fn transposed_constant(&mut self, node: &'a Node, index: usize) -> Result<Value<'a>, String> {
        let mut tensor = self.tensors[index].clone();
        let order = self.order(node, tensor.shape.len())?.into_iter();
        let order: Vec<usize> = order.map(|axis| axis as usize).collect();
        let data = tensor
            .data
            .as_deref()
            .filter(|_| tensor.element == Element::Int8);
        let data = data.ok_or("is of a constant of other elements than bytes")?;
        self.copy(data.len())?;
        let bytes = Array::of_bytes(Number::Int8, &tensor.shape, data).transposed(&order);
        tensor.data = Some(bytes.bytes().into());
        tensor.shape = bytes.shape;
        if tensor.scales.len() > 1 {
            let axis = order.iter().position(|&from| from == tensor.axis);
            tensor.axis = axis.ok_or("has scales along no dimension")?;
        }
        self.tensors.push(tensor);
        Ok(Value::Dequantised(self.tensors.len() - 1))
    }

    /// Each part is an operator of its own; gives the first one.
    pub fn split(&mut self, node: &'a Node) -> Result<Value<'a>, String> {
        let index = self.activation(node, 0)?;
        let shape = self.tensors[index].shape.clone();
        let axis = place(node.int("axis", 0), shape.len())?;
        let sizes = self.parts(node, shape[axis])?;
        let mut values = Vec::with_capacity(sizes.len());
        let mut from = 0;
        for (name, size) in node.outputs.iter().zip(sizes) {
            let mut parts = vec![Part::ALL; shape.len()];
            let (start, end) = (Some(from), Some(from + i64::from(size)));
            parts[axis] = Part {
                start,
                end,
                ..Part::ALL
            };
            from += i64::from(size);
            let value = self.gathered(node, (name, index), &Step::Slice(parts), &[])?;
            values.push(self.declared_so(name, value)?);
        }
        let further = node
            .outputs
            .iter()
            .map(|name| &name[..])
            .zip(values.clone());
        self.values.extend(further.skip(1));
        Ok(values.remove(0))
    }

    /// Sizes of the parts of a dimension.
    fn parts(&self, node: &'a Node, size: u32) -> Result<Vec<u32>, String> {
        let count = node.outputs.len();
        let listed = self.list(node, 1, "split")?;
        let sizes = match listed {
            Some(sizes) => sizes,
            // The last one may be smaller.
            None => {
                let largest = size.div_ceil(count as u32);
                let left = |part: usize| i64::from(size) - part as i64 * i64::from(largest);
                (0..count)
                    .map(|part| left(part).min(largest.into()))
                    .collect()
            }
        };
        let sum = sizes
            .iter()
            .try_fold(0i64, |sum, &size| sum.checked_add(size));
        let fits = sizes.len() == count && sum == Some(size.into());
        match fits && sizes.iter().all(|&size| size > 0) {
            true => Ok(sizes.iter().map(|&size| size as u32).collect()),
            false => Err(format!(
                "splits {size} in parts of {sizes:?}, expected {count} that are {size} together"
            )),
        }
    }

    /// The order of dimensions, which is reversed where none is named.
    fn order(&self, node: &'a Node, rank: usize) -> Result<Vec<u32>, String> {
        let Some(order) = node.ints("perm") else {
            return Ok((0..rank as u32).rev().collect());
        };
        match order.len() == rank && (0..rank as i64).all(|axis| order.contains(&axis)) {
            true => Ok(order.iter().map(|&axis| axis as u32).collect()),
            false => Err(format!(
                "has perm {order:?}, expected each of {rank} dimensions once"
            )),
        }
    }

    /// One tensor behind another: where all have one scale bytes keep their meaning, else QuantizeLinear says what they
    /// become.
    pub fn joined(&mut self, node: &'a Node) -> Result<Value<'a>, String> {
        let has_scales = node.operator == "QLinearConcat";
        let mut tensors = Vec::new();
        let (mut is_float, mut has_open) = (has_scales, false);
        let numbers = match has_scales {
            true => (2..node.inputs.len()).step_by(3),
            false => (0..node.inputs.len()).step_by(1),
        };
        for number in numbers {
            is_float |= matches!(
                self.input(node, number)?,
                Value::Dequantised(_) | Value::Float(_)
            );
            if let Some(index) = self.opened(node, number) {
                has_open = true;
                tensors.push(index);
                continue;
            }
            let index = self.activation(node, number)?;
            if has_scales {
                let element = self.tensors[index].type_name();
                let range = self.range(node, number + 1, number + 2, element)?;
                self.set_range(index, &range)?;
            }
            tensors.push(index);
        }
        let first = *tensors.first().ok_or("joins nothing")?;
        let axis = node.attribute("axis").ok_or("has no axis")?.int;
        let axis = place(axis, self.tensors[first].shape.len())?;
        let shapes = tensors.iter().map(|&index| &self.tensors[index].shape[..]);
        let shape = joined(shapes, axis)?;
        let kind = Kind::Concat(axis as i32);
        let range = self.range_of(first);
        let is_same = !has_open && tensors.iter().all(|&index| self.range_of(index) == range);
        if !has_scales && (is_same || !is_float) {
            if !is_same {
                return Err("joins bytes of several scales, expected QLinearConcat".to_string());
            }
            return Ok(self.pass(node, &node.outputs[0], kind, tensors, shape, is_float));
        }
        let recipe = self.recipe_of(node, kind, tensors, shape);
        match has_scales {
            true => {
                let range = self.range(node, 0, 1, "uint8")?;
                self.emit(recipe, range).map(Value::Tensor)
            }
            false => Ok(Value::Float(recipe)),
        }
    }

    /// A tensor for a result that gets the scale of the tensor that it is joined to; none of any other input.
    fn opened(&mut self, node: &'a Node, number: usize) -> Option<usize> {
        let Ok(Value::Float(recipe)) = self.input(node, number).cloned() else {
            return None;
        };
        if !recipe.is_of_bytes() || matches!(recipe.kind, Kind::Softmax(_)) {
            return None;
        }
        let index = self.push(recipe.name, recipe.shape.clone(), "float32", None);
        self.open.insert(index, recipe);
        Some(index)
    }

    /// What a tensor becomes with the scale of the tensor that it is joined to.
    pub fn rescaled(&mut self, index: usize, label: &str, range: &Range) -> Result<usize, String> {
        if let Some(recipe) = self.open.get(&index).cloned() {
            return self.emit(recipe, range.clone());
        }
        if self.set_range(index, range).is_ok() {
            return Ok(index);
        }
        let recipe = self.same("", format!("{label}, an input"), index);
        self.emit(recipe, range.clone())
    }

    /// The place of the largest along a dimension; of what is float32 in the file too the host makes it.
    pub fn places(&mut self, node: &'a Node) -> Result<Value<'a>, String> {
        let index = self.activation(node, 0)?;
        let mut shape = self.tensors[index].shape.clone();
        let axis = place(node.int("axis", 0), shape.len())?;
        let select = node.int("select_last_index", 0);
        if select != 0 {
            return Err(format!(
                "has select_last_index {select}, expected 0: the first of several"
            ));
        }
        shape[axis] = 1;
        if node.int("keepdims", 1) == 0 {
            shape.remove(axis);
        }
        let kind = match self.tensors[index].element {
            Element::Int8 => Kind::ArgMax,
            _ => Kind::Host,
        };
        let axis = self.numbers(&[axis as u32]);
        let output = self.push(&node.outputs[0], shape, "int64", None);
        let inputs = vec![Some(index), Some(axis)];
        self.operator(label(node), kind, inputs, vec![output]);
        Ok(Value::Tensor(output))
    }

    /// One place of dimensions: of those that a node lists, all where it lists none, or of a plane. Bytes stay what they are.
    pub fn reduced(&mut self, node: &'a Node, kind: Kind) -> Result<Value<'a>, String> {
        let is_float = matches!(self.input(node, 0)?, Value::Dequantised(_));
        let index = self.activation(node, 0)?;
        let shape = self.tensors[index].shape.clone();
        let axes = self.axes(node, shape.len())?;
        let keeps = node.int("keepdims", 1) != 0;
        let left = (0..shape.len()).filter(|axis| keeps || !axes.contains(axis));
        let left = left.map(|axis| if axes.contains(&axis) { 1 } else { shape[axis] });
        let left = left.collect();
        let axes: Vec<u32> = axes.iter().map(|&axis| axis as u32).collect();
        let inputs = vec![index, self.numbers(&axes)];
        Ok(self.pass(node, &node.outputs[0], kind, inputs, left, is_float))
    }

    /// The dimensions over which a node is.
    pub fn axes(&self, node: &'a Node, rank: usize) -> Result<Vec<usize>, String> {
        let axes = self.list(node, 1, "axes")?.unwrap_or_default();
        match axes.is_empty() {
            _ if node.operator.starts_with("Global") => Ok((2..rank).collect()),
            true if node.int("noop_with_empty_axes", 0) == 0 => Ok((0..rank).collect()),
            _ => axes.into_iter().map(|axis| place(axis, rank)).collect(),
        }
    }

    /// Numbers that an operator reads.
    pub fn numbers(&mut self, numbers: &[u32]) -> usize {
        let words = numbers.iter().flat_map(|number| number.to_le_bytes());
        let data = words.collect();
        let index = self.push("", vec![numbers.len() as u32], "int32", None);
        self.tensors[index].data = Some(data);
        index
    }
}

/// Blocks between channels and the plane: in front of the channels that are left, or behind them.
fn blocks(node: &Node, shape: &[u32]) -> Result<Step, String> {
    let side = node.int("blocksize", 0);
    let wrong = || format!("has blocks of {side} of {shape:?}");
    let (&[batch, channels, height, width], Ok(side)) = (shape, u32::try_from(side)) else {
        return Err(wrong());
    };
    let all = side
        .checked_mul(side)
        .filter(|&all| all > 0)
        .ok_or_else(wrong)?;
    if node.operator == "SpaceToDepth" {
        let deep = channels.checked_mul(all).ok_or_else(wrong)?;
        let [down, across] = [height / side, width / side];
        return Ok(Step::Series(vec![
            Step::Reshape(vec![batch, channels, down, side, across, side]),
            Step::Transpose(vec![0, 3, 5, 1, 2, 4]),
            Step::Reshape(vec![batch, deep, down, across]),
        ]));
    }
    let left = channels / all;
    let (apart, order) = match node.text("mode") {
        "" | "DCR" => ([side, side, left], vec![0, 3, 4, 1, 5, 2]),
        "CRD" => ([left, side, side], vec![0, 1, 4, 2, 5, 3]),
        other => return Err(format!("has mode {other:?}, expected DCR or CRD")),
    };
    let [first, second, third] = apart;
    Ok(Step::Series(vec![
        Step::Reshape(vec![batch, first, second, third, height, width]),
        Step::Transpose(order),
        Step::Reshape(vec![batch, left, height * side, width * side]),
    ]))
}
