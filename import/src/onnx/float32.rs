//! Operators on float32 as steps.

use heddle_network::ops::float32::{Function, Over, Pair, Step, Window};

use super::attributes::windows_or_cut;
use super::layers::plain;
use super::reader::Reader;
use super::schema::Node;
use crate::fold::place;
use crate::model::Padding;
use crate::ops::bytes::function_of;

impl<'a> Reader<'a> {
    /// What a node makes in float32, of what it reads in float32.
    ///
    /// # Errors
    /// If no steps do this, or they do not fit.
    pub fn real_of(&mut self, node: &'a Node) -> Result<u32, String> {
        let x = self.real(node, 0)?;
        let rank = self.reals.shape(x).len();
        if let Some(found) = pair(&node.operator) {
            return self.pairs(node, found, x);
        }
        match plain(&node.operator) {
            "Relu" => self.reals.function(Function::Relu, x),
            "Clip" => self.clip(node, x),
            "PRelu" => {
                let slope = self.real(node, 1)?;
                self.reals.sloped(x, slope)
            }
            "Pow" => self.power(node, x),
            "Softmax" | "LogSoftmax" => self.shares(node, x),
            "ReduceMean" | "ReduceSum" | "ReduceMax" | "ReduceMin" | "GlobalAveragePool"
            | "GlobalMaxPool" => self.reduction(node, x),
            "AveragePool" | "MaxPool" => {
                let window = window(node, self.reals.shape(x), None)?;
                let over = if node.operator == "MaxPool" {
                    Over::Max
                } else {
                    Over::Mean
                };
                let counts_padding = node.int("count_include_pad", 0) != 0;
                self.in_planes(x, |of| Step::Pool {
                    of: [of],
                    over,
                    window,
                    counts_padding,
                })
            }
            "Conv" => self.convolved(node, x),
            "Gemm" => self.product(node, x),
            "LayerNormalization" => {
                let axis = place(node.int("axis", -1), rank)?;
                let axes: Vec<usize> = (axis..rank).collect();
                let found = self.normal(x, &axes, node.float("epsilon", 1e-5))?;
                self.scaled(node, found, None)
            }
            "InstanceNormalization" => {
                let axes: Vec<usize> = (2..rank).collect();
                let found = self.normal(x, &axes, node.float("epsilon", 1e-5))?;
                self.scaled(node, found, Some(rank))
            }
            "BatchNormalization" => self.batch(node, x, rank),
            "MatMul" => {
                let of = [x, self.real(node, 1)?];
                self.reals.step(Step::Matmul { of })
            }
            "Concat" => self.joined_reals(node, x),
            "Reshape" | "Flatten" | "Squeeze" | "Unsqueeze" | "Identity" | "Dropout" => {
                let shape = self.viewed(node, self.reals.shape(x))?;
                self.reals.reshape(x, shape)
            }
            "Resize" if node.text("mode") == "linear" => self.linear(node, x),
            "Slice" | "Gather" | "Tile" | "Expand" | "Transpose" | "DepthToSpace"
            | "SpaceToDepth" | "Resize" => self.moved_real(node, x),
            operator => {
                let found = function_of(self, node);
                let found = found.ok_or_else(|| format!("{operator} is no step"))??;
                self.reals.function_of(found, x)
            }
        }
    }

    /// Two inputs, or as many as there are, one after the other.
    fn pairs(&mut self, node: &'a Node, pair: Pair, first: u32) -> Result<u32, String> {
        let count = match node.operator.starts_with("QLinear") {
            true => 2,
            false => node.inputs.len(),
        };
        if count == 1 {
            let shape = self.reals.shape(first).to_vec();
            return self.reals.reshape(first, shape);
        }
        (1..count).try_fold(first, |found, number| {
            let other = self.real(node, number)?;
            self.reals.pair(pair, found, other)
        })
    }

    fn clip(&mut self, node: &'a Node, mut x: u32) -> Result<u32, String> {
        for (number, name, pair) in [(1, "min", Pair::Max), (2, "max", Pair::Min)] {
            let is_input = node.inputs.get(number).is_some_and(|name| !name.is_empty());
            let bound = match (is_input, node.attribute(name)) {
                (true, _) => self.real(node, number)?,
                (false, Some(bound)) => self.reals.number(bound.float),
                (false, None) => continue,
            };
            x = self.reals.pair(pair, x, bound)?;
        }
        // Without bounds nothing is cut.
        let shape = self.reals.shape(x).to_vec();
        self.reals.reshape(x, shape)
    }

    /// A power by 2, 3 or 1/2, as onnxruntime computes these.
    fn power(&mut self, node: &'a Node, x: u32) -> Result<u32, String> {
        let power = self.number(node, 1)?;
        if power == 0.5 {
            return self.reals.function(Function::Sqrt, x);
        }
        if power != 2.0 && power != 3.0 {
            return Err(format!("has the power {power}, expected 2, 3 or 0.5"));
        }
        let square = self.reals.pair(Pair::Mul, x, x)?;
        match power == 3.0 {
            true => self.reals.pair(Pair::Mul, square, x),
            false => Ok(square),
        }
    }

    /// Exponentials by their sum, or the logarithms of these. In old versions a row has all dimensions from the axis on.
    fn shares(&mut self, node: &'a Node, x: u32) -> Result<u32, String> {
        let rank = self.reals.shape(x).len();
        let is_old = self.version < 13;
        let axis = place(node.int("axis", if is_old { 1 } else { -1 }), rank)?;
        let axes: Vec<usize> = (axis..if is_old { rank } else { axis + 1 }).collect();
        self.reals.shares(x, &axes, node.operator == "LogSoftmax")
    }

    fn reduction(&mut self, node: &'a Node, x: u32) -> Result<u32, String> {
        let shape = self.reals.shape(x).to_vec();
        let axes = self.axes(node, shape.len())?;
        let over = match &node.operator[..] {
            "ReduceMean" | "GlobalAveragePool" => Over::Mean,
            "ReduceSum" => Over::Sum,
            "ReduceMin" => Over::Min,
            _ => Over::Max,
        };
        let found = self.reals.reduce(over, x, &axes)?;
        if node.int("keepdims", 1) != 0 {
            return Ok(found);
        }
        let left = (0..shape.len()).filter(|axis| !axes.contains(axis));
        let left = left.map(|axis| shape[axis]).collect();
        self.reals.reshape(found, left)
    }

    /// A step over height and width; of one dimension the height is 1.
    fn in_planes(&mut self, x: u32, step: impl FnOnce(u32) -> Step) -> Result<u32, String> {
        let &[batch, channels, width] = self.reals.shape(x) else {
            return self.reals.step(step(x));
        };
        let plane = self.reals.reshape(x, vec![batch, channels, 1, width])?;
        let found = self.reals.step(step(plane))?;
        let &[batch, channels, _, width] = self.reals.shape(found) else {
            return Err("makes no plane".to_string());
        };
        self.reals.reshape(found, vec![batch, channels, width])
    }

    fn convolved(&mut self, node: &'a Node, x: u32) -> Result<u32, String> {
        let mut weights = self.real(node, 1)?;
        let sizes = self.reals.shape(weights).to_vec();
        let kernel = sizes.get(2..).ok_or("has weights without a kernel")?;
        let window = window(node, self.reals.shape(x), Some(kernel))?;
        if let &[outputs, inner, width] = &sizes[..] {
            weights = self
                .reals
                .reshape(weights, vec![outputs, inner, 1, width])?;
        }
        let groups = u32::try_from(node.int("group", 1)).unwrap_or(0).max(1);
        let found = self.in_planes(x, |of| Step::Conv {
            of: [of, weights],
            window,
            groups,
        })?;
        if node.inputs.get(2).is_none_or(String::is_empty) {
            return Ok(found);
        }
        let bias = self.real(node, 2)?;
        let bias = self.for_channels(bias, sizes.len())?;
        self.reals.pair(Pair::Add, found, bias)
    }

    /// Rows times weights, and a bias.
    fn product(&mut self, node: &'a Node, x: u32) -> Result<u32, String> {
        let is_plain = node.int("transA", 0) == 0
            && node.float("alpha", 1.0) == 1.0
            && node.float("beta", 1.0) == 1.0;
        if !is_plain {
            return Err("has transA, alpha or beta, expected 0, 1 and 1".to_string());
        }
        let mut weights = self.real(node, 1)?;
        if let (&[rows, columns], true) = (self.reals.shape(weights), node.int("transB", 0) != 0) {
            let sources = vec![
                (0..columns).collect(),
                (0..rows).map(|row| row * columns).collect(),
            ];
            weights = self.reals.step(Step::Gather {
                of: [weights],
                sources,
            })?;
        }
        let found = self.reals.step(Step::Matmul { of: [x, weights] })?;
        if node.inputs.get(2).is_none_or(String::is_empty) {
            return Ok(found);
        }
        let bias = self.real(node, 2)?;
        self.reals.pair(Pair::Add, found, bias)
    }

    /// What is less its mean over some dimensions, by the root of its variance.
    fn normal(&mut self, x: u32, axes: &[usize], epsilon: f32) -> Result<u32, String> {
        let reals = &mut self.reals;
        let mean = reals.reduce(Over::Mean, x, axes)?;
        let apart = reals.pair(Pair::Sub, x, mean)?;
        let square = reals.pair(Pair::Mul, apart, apart)?;
        let variance = reals.reduce(Over::Mean, square, axes)?;
        let epsilon = reals.number(epsilon);
        let variance = reals.pair(Pair::Add, variance, epsilon)?;
        let root = reals.function(Function::Sqrt, variance)?;
        reals.pair(Pair::Div, apart, root)
    }

    /// The second input times this, and the third one added; of tensors with so many dimensions these are for channels.
    fn scaled(&mut self, node: &'a Node, mut x: u32, rank: Option<usize>) -> Result<u32, String> {
        for (number, pair) in [(1, Pair::Mul), (2, Pair::Add)] {
            if node.inputs.get(number).is_none_or(String::is_empty) {
                continue;
            }
            let mut other = self.real(node, number)?;
            if let Some(rank) = rank {
                other = self.for_channels(other, rank)?;
            }
            x = self.reals.pair(pair, x, other)?;
        }
        Ok(x)
    }

    /// A number for each channel, in the shape of a tensor of so many dimensions.
    fn for_channels(&mut self, of: u32, rank: usize) -> Result<u32, String> {
        let mut shape = vec![1; rank.max(2) - 1];
        shape[0] = self.reals.shape(of).iter().product();
        self.reals.reshape(of, shape)
    }

    /// The normalisation with stored means and variances.
    fn batch(&mut self, node: &'a Node, x: u32, rank: usize) -> Result<u32, String> {
        let mut read = |number| {
            let found = self.real(node, number)?;
            self.for_channels(found, rank)
        };
        let [scale, bias, mean, variance] = [read(1)?, read(2)?, read(3)?, read(4)?];
        let reals = &mut self.reals;
        let epsilon = reals.number(node.float("epsilon", 1e-5));
        let variance = reals.pair(Pair::Add, variance, epsilon)?;
        let root = reals.function(Function::Sqrt, variance)?;
        let scale = reals.pair(Pair::Div, scale, root)?;
        let moved = reals.pair(Pair::Mul, mean, scale)?;
        let bias = reals.pair(Pair::Sub, bias, moved)?;
        let found = reals.pair(Pair::Mul, x, scale)?;
        reals.pair(Pair::Add, found, bias)
    }

    fn joined_reals(&mut self, node: &'a Node, first: u32) -> Result<u32, String> {
        let axis = node.attribute("axis").ok_or("has no axis")?.int;
        let axis = place(axis, self.reals.shape(first).len())? as u32;
        let others = (1..node.inputs.len()).map(|number| self.real(node, number));
        let of = std::iter::once(Ok(first)).chain(others);
        let of = of.collect::<Result<_, String>>()?;
        self.reals.step(Step::Concat { of, axis })
    }

    /// Elements of other places.
    fn moved_real(&mut self, node: &'a Node, x: u32) -> Result<u32, String> {
        let shape = self.reals.shape(x).to_vec();
        let (step, others) = self.movers(node, &shape)?;
        self.reals.moved(x, &step, &others, &mut self.folder)
    }
}

/// The windows of a node, of height and width; those of a kernel have its sizes.
fn window(node: &Node, shape: &[u32], kernel: Option<&[u32]>) -> Result<Window, String> {
    let (found, _) = windows_or_cut(node, shape, kernel)?;
    let Padding::Zeros(padding) = found.window.padding else {
        return Err("has no numbers of zeros around its input".to_string());
    };
    let output = match found.output[..] {
        [height, width] => [height, width],
        [width] => [1, width],
        _ => {
            return Err(format!(
                "reads {shape:?}, expected one or two dimensions behind channels"
            ));
        }
    };
    Ok(Window {
        kernel: found.size,
        stride: found.window.stride,
        dilation: found.window.dilation,
        padding,
        output,
    })
}

/// What is made of two elements, or of several one after the other.
fn pair(operator: &str) -> Option<Pair> {
    Some(match plain(operator) {
        "Add" | "Sum" => Pair::Add,
        "Sub" => Pair::Sub,
        "Mul" => Pair::Mul,
        "Div" => Pair::Div,
        "Max" => Pair::Max,
        "Min" => Pair::Min,
        _ => return None,
    })
}
