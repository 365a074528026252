//! Operators that put bytes in other places: parts, joins, other orders, larger planes; and that say where one is.

use heddle_network::Network;

use super::constant::Constant;
use super::reader::{Range, Reader, Value, label};
use super::schema::Node;
use crate::fold::{joined, place};
use crate::model::{Element, Kind};

impl<'a> Reader<'a> {
    /// A part, another order or a larger plane.
    pub fn placed(&mut self, node: &'a Node) -> Result<Value<'a>, String> {
        let is_float = matches!(self.input(node, 0)?, Value::Dequantised(_));
        let index = self.activation(node, 0)?;
        let shape = self.tensors[index].shape.clone();
        let (kind, numbers, shape) = match &node.operator[..] {
            "Slice" => {
                let (from, sizes) = self.sliced(node, &shape)?;
                (Kind::Slice, vec![from, sizes.clone()], sizes)
            }
            "Transpose" => {
                let order = self.order(node, shape.len())?;
                let turned = order.iter().map(|&axis| shape[axis as usize]).collect();
                (Kind::Transpose, vec![order], turned)
            }
            // The nearest element is the one that a look from the middle of an element meets.
            _ => (
                Kind::ResizeNearest(true),
                vec![],
                self.resized(node, &shape)?,
            ),
        };
        let mut inputs = vec![index];
        inputs.extend(numbers.iter().map(|numbers| self.numbers(numbers)));
        Ok(self.pass(node, &node.outputs[0], kind, inputs, shape, is_float))
    }

    /// Each part is an operator of its own; gives the first one.
    pub fn split(&mut self, node: &'a Node) -> Result<Value<'a>, String> {
        let is_float = matches!(self.input(node, 0)?, Value::Dequantised(_));
        let index = self.activation(node, 0)?;
        let shape = self.tensors[index].shape.clone();
        let axis = place(node.int("axis", 0), shape.len())?;
        let sizes = self.parts(node, shape[axis])?;
        let mut from = vec![0; shape.len()];
        let mut values = Vec::with_capacity(sizes.len());
        for (name, size) in node.outputs.iter().zip(sizes) {
            let mut part = shape.clone();
            part[axis] = size;
            let inputs = vec![index, self.numbers(&from), self.numbers(&part)];
            from[axis] += size;
            let value = self.pass(node, name, Kind::Slice, inputs, part, is_float);
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

    /// For each dimension where a part begins, and its size.
    fn sliced(&self, node: &'a Node, shape: &[u32]) -> Result<(Vec<u32>, Vec<u32>), String> {
        let (mut from, mut sizes) = (vec![0; shape.len()], shape.to_vec());
        let parts = self.parts_of(node, shape.len())?;
        for (axis, part) in parts.into_iter().enumerate() {
            if part.step != 1 {
                return Err(format!("takes steps of {}, expected 1", part.step));
            }
            let (start, count) = part.of(shape[axis])?;
            if count == 0 {
                let [start, end] = [part.start, part.end].map(Option::unwrap_or_default);
                let size = shape[axis];
                return Err(format!(
                    "takes {start} to {end} of {size}, expected at least one"
                ));
            }
            (from[axis], sizes[axis]) = (start as u32, count);
        }
        Ok((from, sizes))
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

    /// The shape of a plane whose elements are repeated.
    fn resized(&self, node: &'a Node, shape: &[u32]) -> Result<Vec<u32>, String> {
        let mode = node.text("mode");
        let named = ["axes", "keep_aspect_ratio_policy"];
        let is_plain = named.iter().all(|name| node.attribute(name).is_none());
        if !matches!(mode, "" | "nearest") || !is_plain {
            return Err(format!(
                "has mode {mode:?}, axes or a policy, expected nearest alone"
            ));
        }
        // In version 10 scales are the second input, and each place of the output is divided by them.
        let is_old = node.inputs.len() == 2;
        let scales = self.constant(node, if is_old { 1 } else { 2 })?;
        let scales = scales.and_then(Constant::floats).unwrap_or_default();
        let sizes = self.list(node, 3, "sizes")?.unwrap_or_default();
        let known = (shape.len() == scales.len().max(sizes.len())) && !shape.is_empty();
        let factor = |axis: usize| -> Option<u32> {
            let from = shape[axis];
            let whole = match scales.get(axis) {
                Some(scale) => (scale.fract() == 0.0).then_some(*scale as u32)?,
                None => {
                    let size = u32::try_from(sizes[axis]).ok()?;
                    (size % from == 0).then_some(size / from)?
                }
            };
            let repeats =
                (1..=Network::SIZE_MAX).contains(&whole) && (is_old || repeats(node, whole));
            (whole == 1 || axis >= 2 && repeats).then_some(whole)
        };
        let factors = (0..shape.len()).map(factor);
        let factors = known
            .then(|| factors.collect::<Option<Vec<u32>>>())
            .flatten();
        let found = factors.map(|factors| {
            let sizes = shape.iter().zip(factors);
            sizes
                .map(|(&size, factor)| size.checked_mul(factor))
                .collect()
        });
        found.flatten().ok_or_else(|| {
            format!(
                "makes scales {scales:?} or sizes {sizes:?} of {shape:?}, expected whole multiples of height and width, \
                 each element repeated"
            )
        })
    }

    /// One tensor behind another: where all have one scale bytes keep their meaning, else QuantizeLinear says what they
    /// become.
    pub fn joined(&mut self, node: &'a Node) -> Result<Value<'a>, String> {
        let has_scales = node.operator == "QLinearConcat";
        let mut tensors = Vec::new();
        let mut is_float = has_scales;
        let numbers = match has_scales {
            true => (2..node.inputs.len()).step_by(3),
            false => (0..node.inputs.len()).step_by(1),
        };
        for number in numbers {
            is_float |= matches!(
                self.input(node, number)?,
                Value::Dequantised(_) | Value::Float(_)
            );
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
        let is_same = tensors.iter().all(|&index| self.range_of(index) == range);
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

    /// What a tensor becomes with the scale of the tensor that it is joined to.
    pub fn rescaled(&mut self, index: usize, label: &str, range: &Range) -> Result<usize, String> {
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

/// Whether each element is repeated as often: that depends on how places are counted and rounded.
fn repeats(node: &Node, factor: u32) -> bool {
    // Places as fractions of this.
    let twice = 2 * i64::from(factor);
    let factor = i64::from(factor);
    let at = |place: i64| match node.text("coordinate_transformation_mode") {
        "" | "half_pixel" | "pytorch_half_pixel" => Some(2 * place + 1 - factor),
        "asymmetric" => Some(2 * place),
        _ => None,
    };
    let nearest = |at: i64| match node.text("nearest_mode") {
        "" | "round_prefer_floor" => Some(-(factor - at).div_euclid(twice)),
        "round_prefer_ceil" => Some((at + factor).div_euclid(twice)),
        "floor" => Some(at.div_euclid(twice)),
        "ceil" => Some(-(-at).div_euclid(twice)),
        _ => None,
    };
    // The first element: all others are like it.
    (0..factor).all(|place| at(place).and_then(nearest) == Some(0))
}
