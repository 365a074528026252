//! Operators on float32 between DEQUANTIZE and QUANTIZE: steps of one operator on bytes.

use std::collections::BTreeMap;

use heddle_network::Shape;
use heddle_network::ops::float32::{Function, Halves, Over, Pair, Step, Window};

use crate::fold::{Folder, Step as Fold, place};
use crate::lower::windows::windows;
use crate::model::{Activation, Element, Format, Kind, Model, Operator, Tensor};
use crate::ops::bytes::float_of;
use crate::ops::float32::Steps;
use crate::reals::Reals;

/// Characters of a list of operators that are kept.
const LABEL_MAX: usize = 160;

/// Makes of each QUANTIZE behind operators on float32, in front of which is DEQUANTIZE, an operator that does all of these.
pub fn join(model: &mut Model<'_>) {
    let mut islands = Islands::default();
    for index in 0..model.operators.len() {
        let operator = model.operators[index].clone();
        let (&[output], Some(&Some(input))) = (&operator.outputs[..], operator.inputs.first())
        else {
            continue;
        };
        match operator.kind {
            Kind::Dequantize => {
                let shape = &model.tensors[input].shape;
                if let Ok(real) = islands.reals.tensor(input, shape) {
                    islands.made.insert(output, (real, String::new()));
                }
            }
            Kind::Quantize => {
                if let Some(joined) = islands.joined(&operator, &model.tensors) {
                    model.operators[index] = joined;
                }
            }
            _ => {
                if let Ok(real) = islands.real_of(&operator, &model.tensors) {
                    let label = islands.label(&operator);
                    islands.made.insert(output, (real, label));
                }
            }
        }
    }
}

/// Results in float32, by their tensors, and the operators that make them.
#[derive(Default)]
struct Islands<'a> {
    reals: Reals<'a>,
    made: BTreeMap<usize, (u32, String)>,
    folder: Folder,
}

impl Islands<'_> {
    /// The operators up to this one, as a row names them.
    fn label(&self, operator: &Operator) -> String {
        let mut read = operator.inputs.iter().flatten();
        match read.find_map(|input| self.made.get(input)) {
            Some((_, label)) if !label.is_empty() && label.len() < LABEL_MAX => {
                format!("{label}, {}", operator.name)
            }
            _ => operator.name.clone(),
        }
    }

    /// QUANTIZE, and all in front of it from DEQUANTIZE on.
    fn joined(&mut self, operator: &Operator, tensors: &[Tensor<'_>]) -> Option<Operator> {
        let (real, label) = self.made.get(&operator.inputs[0]?)?;
        let output = &tensors[operator.outputs[0]];
        if output.element != Element::Int8 || label.is_empty() {
            return None;
        }
        let (steps, read) = self.reals.steps(*real, tensors, &mut self.folder).ok()?;
        let planes = read
            .iter()
            .map(|&tensor| Format::Tflite.plane(&tensors[tensor].shape));
        let planes: Vec<Shape> = planes.collect::<Option<_>>()?;
        let mut steps = in_planes(steps, &planes, Format::Tflite.plane(&output.shape)?);
        steps.halves = Halves::Away;
        Some(Operator {
            name: label.clone(),
            kind: Kind::Float32(steps.into()),
            inputs: read.into_iter().map(Some).collect(),
            ..operator.clone()
        })
    }

    /// What an operator reads in float32.
    fn real(
        &mut self,
        operator: &Operator,
        number: usize,
        tensors: &[Tensor<'_>],
    ) -> Result<u32, String> {
        let index = operator
            .inputs
            .get(number)
            .copied()
            .flatten()
            .ok_or("has no such input")?;
        let tensor = &tensors[index];
        match self.made.get(&index) {
            Some((real, _)) => Ok(*real),
            None if tensor.data.is_some() && tensor.element.name() == "float32" => {
                self.reals.tensor(index, &tensor.shape)
            }
            None => Err("reads no result of float32".to_string()),
        }
    }

    /// What an operator makes in float32, in the shape that the file says.
    fn real_of(&mut self, operator: &Operator, tensors: &[Tensor<'_>]) -> Result<u32, String> {
        let shape = &tensors[operator.outputs[0]].shape;
        let found = self.step_of(operator, tensors)?;
        let found = self.cut(found, operator.activation)?;
        match self.reals.shape(found) == shape {
            true => Ok(found),
            false => self.reals.reshape(found, shape.clone()),
        }
    }

    fn cut(&mut self, x: u32, activation: Activation) -> Result<u32, String> {
        let (low, high) = match activation {
            Activation::None => return Ok(x),
            Activation::Relu => return self.reals.function(Function::Relu, x),
            Activation::ReluN1To1 => (-1.0, 1.0),
            Activation::Relu0To1 => (0.0, 1.0),
            Activation::Relu6 => (0.0, 6.0),
            _ => return Err("has another activation".to_string()),
        };
        let (low, high) = (self.reals.number(low), self.reals.number(high));
        let x = self.reals.pair(Pair::Max, x, low)?;
        self.reals.pair(Pair::Min, x, high)
    }

    fn step_of(&mut self, operator: &Operator, tensors: &[Tensor<'_>]) -> Result<u32, String> {
        let name = operator.name.split(' ').next().unwrap_or_default();
        let x = self.real(operator, 0, tensors)?;
        let rank = self.reals.shape(x).len();
        if let Some(pair) = pair(name) {
            let other = self.real(operator, 1, tensors)?;
            let found = self.reals.pair(pair, x, other)?;
            return match name {
                "SQUARED_DIFFERENCE" => self.reals.pair(Pair::Mul, found, found),
                _ => Ok(found),
            };
        }
        match (name, &operator.kind) {
            ("PRELU", _) => {
                let slope = self.real(operator, 1, tensors)?;
                self.reals.sloped(x, slope)
            }
            ("RELU", _) => self.cut(x, Activation::Relu),
            ("RELU6", _) => self.cut(x, Activation::Relu6),
            ("RELU_N1_TO_1", _) => self.cut(x, Activation::ReluN1To1),
            ("RELU_0_TO_1", _) => self.cut(x, Activation::Relu0To1),
            ("RSQRT", _) => {
                let root = self.reals.function(Function::Sqrt, x)?;
                self.reals.function(Function::Reciprocal, root)
            }
            ("SQUARE", _) => self.reals.pair(Pair::Mul, x, x),
            (_, &Kind::Softmax(beta)) => {
                let beta = self.reals.number(beta);
                let x = self.reals.pair(Pair::Mul, x, beta)?;
                self.reals.shares(x, &[rank.saturating_sub(1)], false)
            }
            ("LOG_SOFTMAX", _) => self.reals.shares(x, &[rank.saturating_sub(1)], true),
            ("L2_NORMALIZATION", _) => self.normal(x, rank),
            ("MEAN" | "SUM" | "REDUCE_MAX" | "REDUCE_MIN", _) => {
                self.reduced(name, operator, x, tensors)
            }
            (_, Kind::Reshape) => self
                .reals
                .reshape(x, tensors[operator.outputs[0]].shape.clone()),
            (_, Kind::Transpose) => {
                let order = numbers(operator, 1, tensors)?;
                let order = order.iter().map(|&axis| place(axis.into(), rank));
                let order = order.collect::<Result<Vec<usize>, String>>()?;
                self.turned(x, order)
            }
            (_, &Kind::Concat(axis)) => {
                let of =
                    (0..operator.inputs.len()).map(|number| self.real(operator, number, tensors));
                let of = of.collect::<Result<Vec<u32>, String>>()?;
                let axis = place(axis.into(), rank)? as u32;
                self.reals.step(Step::Concat { of, axis })
            }
            (_, Kind::AveragePool(..) | Kind::MaxPool(..)) => self.pooled(operator, x),
            _ => {
                let found = float_of(name, &operator.kind).ok_or("is no step")?;
                self.reals.function_of(found, x)
            }
        }
    }

    /// Numbers by the root of the sum of their squares, along the last dimension.
    fn normal(&mut self, x: u32, rank: usize) -> Result<u32, String> {
        let reals = &mut self.reals;
        let square = reals.pair(Pair::Mul, x, x)?;
        let sum = reals.reduce(Over::Sum, square, &[rank.saturating_sub(1)])?;
        let root = reals.function(Function::Sqrt, sum)?;
        let least = reals.number(1e-6);
        let root = reals.pair(Pair::Max, root, least)?;
        reals.pair(Pair::Div, x, root)
    }

    fn reduced(
        &mut self,
        name: &str,
        operator: &Operator,
        x: u32,
        tensors: &[Tensor<'_>],
    ) -> Result<u32, String> {
        let rank = self.reals.shape(x).len();
        let axes = numbers(operator, 1, tensors)?.into_iter();
        let axes = axes
            .map(|axis| place(axis.into(), rank))
            .collect::<Result<Vec<_>, _>>()?;
        let over = match name {
            "MEAN" => Over::Mean,
            "SUM" => Over::Sum,
            "REDUCE_MIN" => Over::Min,
            _ => Over::Max,
        };
        self.reals.reduce(over, x, &axes)
    }

    /// Dimension i is this one of what is read.
    fn turned(&mut self, x: u32, order: Vec<usize>) -> Result<u32, String> {
        let step = Fold::Transpose(order);
        self.reals.moved(x, &step, &[], &mut self.folder)
    }

    /// A pool, of channels in front of height and width.
    fn pooled(&mut self, operator: &Operator, x: u32) -> Result<u32, String> {
        let (over, window, size) = match operator.kind {
            Kind::MaxPool(window, size) => (Over::Max, window, size),
            Kind::AveragePool(window, size) => (Over::Mean, window, size),
            _ => return Err("is no pool".to_string()),
        };
        let plane = Format::Tflite
            .plane(self.reals.shape(x))
            .ok_or("reads no plane")?;
        let found = windows(window, size, plane, plane.channels)?;
        let turned = self.turned(x, vec![0, 3, 1, 2])?;
        let pool = self.reals.step(Step::Pool {
            of: [turned],
            over,
            window: Window {
                kernel: found.kernel,
                stride: found.stride,
                dilation: found.dilation,
                padding: found.padding.sides(),
                output: [found.output.height, found.output.width],
            },
            counts_padding: false,
        })?;
        self.turned(pool, vec![0, 2, 3, 1])
    }
}

fn pair(name: &str) -> Option<Pair> {
    Some(match name {
        "ADD" => Pair::Add,
        "SUB" | "SQUARED_DIFFERENCE" => Pair::Sub,
        "MUL" => Pair::Mul,
        "DIV" => Pair::Div,
        "MAXIMUM" => Pair::Max,
        "MINIMUM" => Pair::Min,
        _ => return None,
    })
}

/// The constant numbers that an operator reads.
fn numbers(operator: &Operator, number: usize, tensors: &[Tensor<'_>]) -> Result<Vec<i32>, String> {
    let index = operator.inputs.get(number).copied().flatten();
    let found = index.and_then(|index| tensors[index].integers());
    found.ok_or_else(|| "has no constant numbers".to_string())
}

/// Steps on tensors in the order of a file as steps on planes, which have channels first.
fn in_planes(steps: Steps, planes: &[Shape], output: Shape) -> Steps {
    let same = |plane: &Shape| plane.channels == 1 || plane.height * plane.width == 1;
    if steps.is_of_any_order() || planes.iter().all(same) && same(&output) {
        return steps;
    }
    let (count, stored) = (steps.operands.len(), steps.constants.len());
    let mut found = Steps {
        constants: steps.constants,
        ..Steps::default()
    };
    for (number, (plane, shape)) in planes.iter().zip(steps.operands).enumerate() {
        let [channels, height, width] = plane.sides();
        let along = |size: u32, step: u32| (0..size).map(|at| at * step).collect();
        let sources = vec![
            along(height, width),
            along(width, 1),
            along(channels, height * width),
        ];
        found.operands.push(plane.sides().to_vec());
        found.steps.push(Step::Gather {
            of: [number as u32],
            sources,
        });
        let of = (count + stored + 2 * number) as u32;
        found.steps.push(Step::Reshape { of: [of], shape });
    }
    for mut step in steps.steps {
        for of in step.of_mut() {
            *of = match *of as usize {
                number if number < count => (count + stored + 2 * number + 1) as u32,
                number if number < count + stored => *of,
                _ => *of + 2 * count as u32,
            };
        }
        found.steps.push(step);
    }
    let last = (count + stored + found.steps.len() - 1) as u32;
    let [channels, height, width] = output.sides();
    let along = |size: u32, step: u32| (0..size).map(|at| at * step).collect();
    let sources = vec![
        along(channels, 1),
        along(height, width * channels),
        along(width, channels),
    ];
    found.steps.push(Step::Gather {
        of: [last],
        sources,
    });
    found
}
