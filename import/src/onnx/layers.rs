//! Operators that become layers.

use super::attributes::{Windows, windows};
use super::constant::Constant;
use super::reader::{Range, Reader, Recipe, UNCUT, Value, float};
use super::schema::Node;
use crate::model::{Kind, Padding, Window};

/// What an operator reads and makes, in either form.
pub struct Operands<'a> {
    /// Tensors, of which the first is no constant.
    pub tensors: Vec<usize>,
    /// The bias: int32.
    pub bias: Option<usize>,
    /// Scale of the output, if the operator has it.
    pub range: Option<Range>,
    pub node: &'a Node,
}

/// Operators with scales among their inputs: what they are without, tensors with scale and zero point, place of the bias, place of
/// the scale of the output.
const WITH_SCALES: [(&str, &str, usize, Option<usize>, usize); 9] = [
    ("QGemm", "Gemm", 2, Some(6), 7),
    ("QLinearAdd", "Add", 2, None, 6),
    ("QLinearAveragePool", "AveragePool", 1, None, 3),
    ("QLinearConv", "Conv", 2, Some(8), 6),
    ("QLinearGlobalAveragePool", "GlobalAveragePool", 1, None, 3),
    ("QLinearLeakyRelu", "LeakyRelu", 1, None, 3),
    ("QLinearMatMul", "MatMul", 2, None, 6),
    ("QLinearMul", "Mul", 2, None, 6),
    ("QLinearSigmoid", "Sigmoid", 1, None, 3),
];

impl<'a> Reader<'a> {
    /// What a layer makes: bytes, or a result in float32 that needs a scale.
    pub fn layer(&mut self, node: &'a Node) -> Result<Value<'a>, String> {
        if let Some(value) = self.biased(node)? {
            return Ok(value);
        }
        let with_scales = WITH_SCALES.iter().find(|row| row.0 == node.operator);
        let (operator, mut operands) = match with_scales {
            Some(&(_, operator, count, bias, output)) => {
                (operator, self.with_scales(node, count, bias, output)?)
            }
            None => (&node.operator[..], self.between(node)?),
        };
        let range = operands.range.take();
        let recipe = self.recipe(operator, operands)?;
        match range {
            Some(range) => self.emit(recipe, range).map(Value::Tensor),
            None => Ok(Value::Float(recipe)),
        }
    }

    /// Operands that have scales beside them.
    fn with_scales(
        &mut self,
        node: &'a Node,
        count: usize,
        bias: Option<usize>,
        output: usize,
    ) -> Result<Operands<'a>, String> {
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
        let bias = bias.map(|bias| self.push_bias(&bias)).transpose()?;
        let range = self.range(node, output, output + 1, "uint8")?;
        Ok(Operands {
            tensors,
            bias,
            range: Some(range),
            node,
        })
    }

    /// A bias without a scale of its own.
    fn push_bias(&mut self, constant: &Constant<'a>) -> Result<usize, String> {
        let (name, element) = (constant.name, constant.element);
        if element != "int32" {
            return Err(format!("bias {name:?} is {element}, expected int32"));
        }
        let index = self.push(name, constant.shape.clone(), element, None);
        self.tensors[index].data = Some(constant.data.clone());
        Ok(index)
    }

    /// Operands behind DequantizeLinear.
    fn between(&mut self, node: &'a Node) -> Result<Operands<'a>, String> {
        let mut found = Vec::new();
        for number in 0..node.inputs.len() {
            // Axes, a slope.
            let is_setting = matches!(&node.operator[..], "ReduceMean" | "PRelu") && number == 1;
            if node.inputs[number].is_empty() || is_setting {
                continue;
            }
            match self.input(node, number)?.clone() {
                Value::Dequantised(index) => found.push(index),
                Value::Float(recipe) => {
                    self.island(recipe);
                    return Err(float(&node.inputs[number]));
                }
                _ => return Err(float(&node.inputs[number])),
            }
        }
        let has_bias = matches!(&node.operator[..], "Conv" | "Gemm") && found.len() == 3;
        let bias = if has_bias { found.pop() } else { None };
        Ok(Operands {
            tensors: found,
            bias,
            range: None,
            node,
        })
    }

    /// Add behind MatMul, of a bias of int32.
    fn biased(&mut self, node: &'a Node) -> Result<Option<Value<'a>>, String> {
        if node.operator != "Add" || node.inputs.len() != 2 {
            return Ok(None);
        }
        let operands = [self.input(node, 0)?.clone(), self.input(node, 1)?.clone()];
        let (recipe, bias) = match operands {
            [Value::Float(recipe), Value::Dequantised(bias)]
            | [Value::Dequantised(bias), Value::Float(recipe)] => (recipe, bias),
            _ => return Ok(None),
        };
        let uncut = recipe.clip == UNCUT;
        let is_row = recipe.kind == Kind::FullyConnected && recipe.inputs.len() == 2;
        if !is_row || !uncut || self.tensors[bias].type_name() != "int32" {
            return Ok(None);
        }
        self.check_bias(&recipe.inputs, bias)?;
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
    fn recipe(&mut self, operator: &str, mut operands: Operands<'a>) -> Result<Recipe<'a>, String> {
        let node = operands.node;
        let expected = match operator {
            "Conv" | "Gemm" | "MatMul" | "Add" | "Sub" | "Mul" => 2,
            _ => 1,
        };
        let found = operands.tensors.len();
        if found != expected {
            return Err(format!("has {found} operands, expected {expected}"));
        }
        let is_pair = matches!(operator, "Add" | "Sub" | "Mul");
        let results = operands.tensors.iter().take(if is_pair { 2 } else { 1 });
        if results
            .clone()
            .all(|&index| self.tensors[index].data.is_some())
        {
            let name = self.tensors[operands.tensors[0]].name;
            return Err(format!("input {name:?} is a constant, expected a result"));
        }
        if node.int("channels_last", 0) != 0 {
            return Err("has channels_last 1, expected 0".to_string());
        }
        let shape = self.tensors[operands.tensors[0]].shape.clone();
        let (kind, shape) = self.kind(operator, shape, &mut operands)?;
        let mut recipe = self.recipe_of(node, kind, operands.tensors, shape);
        if let Some(bias) = operands.bias {
            if !self.tensors[bias].scales.is_empty() {
                self.check_bias(&recipe.inputs, bias)?;
            }
            recipe.inputs.push(Some(bias));
        }
        Ok(recipe)
    }

    /// What an operator is, and the shape of its output for an input of this shape; weights get the order of a network.
    fn kind(
        &mut self,
        operator: &str,
        shape: Vec<u32>,
        operands: &mut Operands<'a>,
    ) -> Result<(Kind, Vec<u32>), String> {
        let node = operands.node;
        match operator {
            "Conv" => {
                let (kind, weights, shape) = self.convolution(&shape, operands)?;
                operands.tensors[1] = weights;
                Ok((kind, shape))
            }
            "MatMul" if self.tensors[operands.tensors[1]].data.is_none() => {
                let other = &self.tensors[operands.tensors[1]].shape;
                let kind = Kind::BatchMatmul([false; 2]);
                product(&shape, other).map(|shape| (kind, shape))
            }
            "Gemm" | "MatMul" => {
                let (weights, shape) = self.rows(operator, &shape, operands)?;
                operands.tensors[1] = weights;
                Ok((Kind::FullyConnected, shape))
            }
            "Add" | "Sub" | "Mul" => {
                let shape = self.broadcast(&mut operands.tensors)?;
                let kind = match operator {
                    "Add" => Kind::Add,
                    "Sub" => Kind::Sub,
                    _ => Kind::Mul,
                };
                Ok((kind, shape))
            }
            "AveragePool" => average(node, &shape),
            "ReduceMean" => {
                let keeps = self.keeps(node, shape.len())?;
                let (kind, mut shape) = whole(&shape)?;
                shape.truncate(if keeps { shape.len() } else { 2 });
                Ok((kind, shape))
            }
            "GlobalAveragePool" => whole(&shape),
            _ => self.function(operator, node).map(|kind| (kind, shape)),
        }
    }

    /// The shape of what is made of two tensors, element by element. A constant gets as many dimensions as the other.
    fn broadcast(&mut self, tensors: &mut [usize]) -> Result<Vec<u32>, String> {
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
    fn keeps(&self, node: &'a Node, rank: usize) -> Result<bool, String> {
        let axes = match self.constant(node, 1)? {
            Some(constant) => constant.longs(),
            None => node.ints("axes").map(<[i64]>::to_vec),
        };
        let axes = axes.unwrap_or_default();
        let from_start = |axis: &i64| if *axis < 0 { axis + rank as i64 } else { *axis };
        let mut dimensions: Vec<i64> = axes.iter().map(from_start).collect();
        dimensions.sort_unstable();
        if dimensions != (2..rank as i64).collect::<Vec<_>>() {
            return Err(format!(
                "is the mean over dimensions {axes:?}, expected all behind batch and channels"
            ));
        }
        Ok(node.int("keepdims", 1) != 0)
    }
}

/// The shape of a product of matrices, as many in both.
fn product(first: &[u32], second: &[u32]) -> Result<Vec<u32>, String> {
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
fn average(node: &Node, shape: &[u32]) -> Result<(Kind, Vec<u32>), String> {
    let Windows {
        window,
        size,
        output,
    } = windows(node, shape, None)?;
    if window.padding != Padding::Zeros([[0; 2]; 2]) && node.int("count_include_pad", 0) == 0 {
        return Err(
            "has means of several numbers of places, expected no padding, or count_include_pad 1"
                .to_string(),
        );
    }
    Ok((
        Kind::ScaledMean(window, size),
        [&shape[..2], &output].concat(),
    ))
}

/// A mean over a whole plane, and the shape of its output.
fn whole(shape: &[u32]) -> Result<(Kind, Vec<u32>), String> {
    let (size, output) = match *shape {
        [batch, channels, height, width] => ([height, width], vec![batch, channels, 1, 1]),
        [batch, channels, width] => ([1, width], vec![batch, channels, 1]),
        _ => {
            return Err(format!(
                "reads a tensor of shape {shape:?}, expected batch, channels, height, width"
            ));
        }
    };
    let window = Window {
        padding: Padding::Zeros([[0; 2]; 2]),
        stride: [1; 2],
        dilation: [1; 2],
    };
    Ok((Kind::ScaledMean(window, size), output))
}
