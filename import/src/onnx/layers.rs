//! Operators that become layers.

use std::collections::BTreeSet;

use super::attributes::windows;
use super::constant::Constant;
use super::reader::{Range, Reader, Recipe, UNCUT, Value, float};
use super::schema::Node;
use crate::model::{Kind, Window};

/// What an operator reads and makes, in either form.
pub struct Operands {
    /// Tensors, of which the first is no constant.
    pub tensors: Vec<usize>,
    /// The bias: int32.
    pub bias: Option<usize>,
    /// Scale of the output, if the operator has it.
    pub range: Option<Range>,
}

/// What an operator makes of tensors, the first of which has this shape, and the shape of that; weights get the order of a network.
pub type OfTensors = for<'a> fn(
    &mut Reader<'a>,
    &'a Node,
    Vec<u32>,
    &mut Operands,
) -> Result<(Kind, Vec<u32>), String>;

/// What an operator reads.
pub struct Terms {
    /// Its tensors.
    pub tensors: usize,
    /// Those that may be results: one of them is.
    pub results: usize,
    /// A bias may come behind them.
    pub bias: bool,
    /// Its second input is no tensor.
    pub setting: bool,
    pub make: OfTensors,
}

impl Terms {
    /// One tensor.
    pub fn one(make: OfTensors) -> Terms {
        Terms {
            tensors: 1,
            results: 1,
            bias: false,
            setting: false,
            make,
        }
    }

    /// Two tensors.
    pub fn two(make: OfTensors) -> Terms {
        Terms {
            tensors: 2,
            ..Terms::one(make)
        }
    }
}

/// What an operator with scales among its inputs is without.
pub fn plain(operator: &str) -> &str {
    let without = operator.strip_prefix("QLinear");
    without.or(operator.strip_prefix('Q')).unwrap_or(operator)
}

impl<'a> Reader<'a> {
    /// What a layer makes: bytes, or a result in float32 that needs a scale.
    pub fn layer(&mut self, node: &'a Node, terms: &Terms) -> Result<Value<'a>, String> {
        let mut operands = match plain(&node.operator) == node.operator {
            true => self.between(node, terms)?,
            false => self.with_scales(node, terms)?,
        };
        let range = operands.range.take();
        let recipe = self.recipe(node, terms, operands)?;
        match range {
            Some(range) => self.emit(recipe, range).map(Value::Tensor),
            None => Ok(Value::Float(recipe)),
        }
    }

    /// Operands that have scales beside them.
    fn with_scales(&mut self, node: &'a Node, terms: &Terms) -> Result<Operands, String> {
        let count = terms.tensors;
        // Where the bias is, and the scale of the output.
        let (bias, output) = match (terms.bias, plain(&node.operator)) {
            (true, "Gemm") => (Some(6), 7),
            (true, _) => (Some(8), 6),
            (false, _) => (None, 3 * count),
        };
        let mut tensors = Vec::with_capacity(count);
        for number in (0..3 * count).step_by(3) {
            tensors.push(match self.input(node, number)?.clone() {
                Value::Constant(constant) => {
                    let mut range = self.range(node, number + 1, number + 2, constant.element)?;
                    // Scales of several outputs: of the first dimension of a kernel, of the columns of a matrix.
                    let rows = node.operator == "QLinearConv" || node.int("transB", 0) != 0;
                    range.axis = if rows { 0 } else { 1 };
                    self.push_constant(&constant, &range)?
                }
                Value::Tensor(index) => {
                    let element = self.tensors[index].type_name();
                    let range = self.range(node, number + 1, number + 2, element)?;
                    self.set_range(index, &range)?;
                    index
                }
                _ => return Err(format!("reads {:?} in float32", node.inputs[number])),
            });
        }
        let bias = bias.map(|number| self.constant(node, number));
        let bias = bias.transpose()?.flatten().cloned();
        let bias = bias.map(|bias| self.push_bias(&bias, &["int32"]));
        let bias = bias.transpose()?;
        let range = self.range(node, output, output + 1, "uint8")?;
        Ok(Operands {
            tensors,
            bias,
            range: Some(range),
        })
    }

    /// A bias without a scale of its own, of one of these types.
    fn push_bias(&mut self, constant: &Constant<'a>, types: &[&str]) -> Result<usize, String> {
        let (name, element) = (constant.name, constant.element);
        if !types.contains(&element) {
            let types = types.join(" or ");
            return Err(format!("bias {name:?} is {element}, expected {types}"));
        }
        self.copy(constant.data.len())?;
        let index = self.push(name, constant.shape.clone(), element, None);
        self.tensors[index].data = Some(constant.data.clone());
        Ok(index)
    }

    /// Operands behind DequantizeLinear.
    fn between(&mut self, node: &'a Node, terms: &Terms) -> Result<Operands, String> {
        let mut found = Vec::new();
        for number in 0..node.inputs.len() {
            if node.inputs[number].is_empty() || terms.setting && number == 1 {
                continue;
            }
            match self.input(node, number)?.clone() {
                Value::Dequantised(index) => found.push(index),
                Value::Constant(bias) if terms.bias && number == 2 => {
                    found.push(self.push_bias(&bias, &["float32"])?);
                }
                _ => return Err(float(&node.inputs[number])),
            }
        }
        let has_bias = terms.bias && found.len() == 3;
        let bias = if has_bias { found.pop() } else { None };
        Ok(Operands {
            tensors: found,
            bias,
            range: None,
        })
    }

    /// Add behind MatMul, of a bias of int32.
    pub fn biased(&mut self, node: &'a Node) -> Result<Option<Value<'a>>, String> {
        if node.operator != "Add" || node.inputs.len() != 2 {
            return Ok(None);
        }
        let operands = [self.input(node, 0)?.clone(), self.input(node, 1)?.clone()];
        let (recipe, bias) = match operands {
            [
                Value::Float(recipe),
                bias @ (Value::Dequantised(_) | Value::Constant(_)),
            ]
            | [
                bias @ (Value::Dequantised(_) | Value::Constant(_)),
                Value::Float(recipe),
            ] => (recipe, bias),
            _ => return Ok(None),
        };
        let uncut = recipe.clip == UNCUT;
        let is_row = matches!(recipe.kind, Kind::FullyConnected) && recipe.inputs.len() == 2;
        if !is_row || !uncut {
            return Ok(None);
        }
        let bias = match bias {
            Value::Constant(bias) => self.push_bias(&bias, &["float32"])?,
            Value::Dequantised(bias) if self.tensors[bias].type_name() == "int32" => {
                self.checked_bias(&recipe.inputs, bias)?
            }
            _ => return Ok(None),
        };
        let mut inputs = recipe.inputs;
        inputs.push(Some(bias));
        Ok(Some(Value::Float(Recipe {
            inputs,
            label: format!("{}, {}", recipe.label, node.operator),
            name: &node.outputs[0],
            ..recipe
        })))
    }

    /// What makes the output of an operator.
    fn recipe(
        &mut self,
        node: &'a Node,
        terms: &Terms,
        mut operands: Operands,
    ) -> Result<Recipe<'a>, String> {
        let (found, expected) = (operands.tensors.len(), terms.tensors);
        if found != expected {
            return Err(format!("has {found} operands, expected {expected}"));
        }
        let is_constant = |&index: &usize| self.tensors[index].data.is_some();
        if operands.tensors[..terms.results].iter().all(is_constant) {
            let name = self.tensors[operands.tensors[0]].name;
            return Err(format!("input {name:?} is a constant, expected a result"));
        }
        if node.int("channels_last", 0) != 0 {
            return Err("has channels_last 1, expected 0".to_string());
        }
        let shape = self.tensors[operands.tensors[0]].shape.clone();
        let (kind, shape) = (terms.make)(self, node, shape, &mut operands)?;
        let mut recipe = self.recipe_of(node, kind, operands.tensors, shape);
        if let Some(bias) = operands.bias {
            let bias = self.checked_bias(&recipe.inputs, bias)?;
            recipe.inputs.push(Some(bias));
        }
        Ok(recipe)
    }

    /// The shape of what is made of two tensors, element by element. A constant gets as many dimensions as the other.
    pub fn broadcast(&mut self, tensors: &mut [usize]) -> Result<Vec<u32>, String> {
        let shape = |index: &usize| self.tensors[*index].shape.clone();
        let mut shapes: Vec<Vec<u32>> = tensors.iter().map(shape).collect();
        let rank = shapes.iter().map(Vec::len).max().unwrap_or_default();
        for (index, shape) in tensors.iter_mut().zip(&mut shapes) {
            let tensor = &self.tensors[*index];
            if shape.len() < rank && tensor.data.is_some() && tensor.scales.len() == 1 {
                shape.splice(0..0, vec![1; rank - shape.len()]);
                let mut longer = tensor.clone();
                longer.shape.clone_from(shape);
                self.copy(longer.elements())?;
                self.tensors.push(longer);
                *index = self.tensors.len() - 1;
            }
        }
        let side = |(&one, &other): (&u32, &u32)| match (one, other) {
            (1, side) | (side, 1) => Some(side),
            _ => (one == other).then_some(one),
        };
        let fits = shapes[0].len() == shapes[1].len();
        let sides = shapes[0].iter().zip(&shapes[1]).map(side);
        let sides = fits.then(|| sides.collect::<Option<Vec<u32>>>()).flatten();
        sides.ok_or_else(|| {
            format!(
                "reads {:?} and {:?}, expected as many sides, equal or 1",
                shapes[0], shapes[1]
            )
        })
    }

    /// Whether the mean over height and width keeps these dimensions.
    pub fn keeps(&self, node: &'a Node, rank: usize) -> Result<bool, String> {
        let axes = self.list(node, 1, "axes")?.unwrap_or_default();
        let from_start = |&axis: &i64| if axis < 0 { axis + rank as i64 } else { axis };
        let dimensions: BTreeSet<i64> = axes.iter().map(from_start).collect();
        if !dimensions.into_iter().eq(2..rank as i64) {
            return Err(format!(
                "is the mean over dimensions {axes:?}, expected all behind batch and channels"
            ));
        }
        Ok(node.int("keepdims", 1) != 0)
    }
}

/// The shape of a product of matrices, as many in both.
pub fn product(first: &[u32], second: &[u32]) -> Result<Vec<u32>, String> {
    match (first, second) {
        ([batches @ .., rows, terms], [others @ .., inner, cols])
            if batches == others && terms == inner && (1..=2).contains(&batches.len()) =>
        {
            Ok([batches, &[*rows, *cols]].concat())
        }
        _ => Err(format!(
            "multiplies {first:?} and {second:?}, expected matrices that fit, in 3 or 4 dimensions"
        )),
    }
}

/// A mean of windows, and the shape of its output.
pub fn average(node: &Node, shape: &[u32]) -> Result<(Kind, Vec<u32>), String> {
    let found = windows(node, shape, None)?;
    let pads = found.window.padding != Window::PLAIN.padding;
    if pads && node.int("count_include_pad", 0) == 0 {
        return Err(
            "has means of several numbers of places, expected no padding, or count_include_pad 1"
                .to_string(),
        );
    }
    let shape = [&shape[..2], &found.output].concat();
    Ok((Kind::ScaledMean(found.window, found.size), shape))
}

/// A mean over a whole plane, and the shape of its output.
pub fn whole(shape: &[u32]) -> Result<(Kind, Vec<u32>), String> {
    let (size, output) = match *shape {
        [batch, channels, height, width] => ([height, width], vec![batch, channels, 1, 1]),
        [batch, channels, width] => ([1, width], vec![batch, channels, 1]),
        _ => {
            return Err(format!(
                "reads a tensor of shape {shape:?}, expected batch, channels, height, width"
            ));
        }
    };
    Ok((Kind::ScaledMean(Window::PLAIN, size), output))
}
