//! Functions of one byte: a table of 256 bytes, in the layer before if nothing else reads that.

use heddle_network::file::{LayerFile, TableFile};
use heddle_network::ops::float32::Function as Real;

use super::Kind;
use crate::exact::{Function, table, table_exact};
use crate::lower::Lowering;
use crate::lower::layers::{Lowered, Made, Source, layer_of, made};
use crate::model::{Activation, Element, Operator, Quantised};
use crate::onnx::layers::Terms;
use crate::onnx::reader::Reader;
use crate::onnx::schema::Node;
use crate::report::{Row, Runs};
use crate::scale::bounds;
use crate::tflite::schema;
use heddle_network::real::{erf, exp, ln, tanh};

/// What a function of a .tflite file is, of the number among its options.
type OfNumber = fn(f32) -> Function;
/// What a function of an .onnx file is.
type OfNode = for<'a> fn(&Reader<'a>, &'a Node) -> Result<OfReal, String>;
/// A function of real numbers, and the two numbers that it has.
pub type OfReal = (Real, [f32; 2]);

/// Functions of .tflite files, rounded where the reference kernels round.
const OF_TFLITE: [(&str, OfNumber); 16] = [
    ("ABS", |_| Function::Abs),
    ("ELU", |_| {
        Function::Real(|x| x.max(0.0) + (exp(x.min(0.0).into()) - 1.0) as f32)
    }),
    ("EXP", |_| Function::Real(|x| exp(x.into()) as f32)),
    ("GELU", |approximate| match approximate == 0.0 {
        true => Function::Real(|x| {
            let below = 1.0 + erf(f64::from(x * std::f32::consts::FRAC_1_SQRT_2));
            0.5 * x * below as f32
        }),
        false => Function::Real(|x| {
            // The square root of 2 / pi.
            let inner = 0.797_884_6 * (x + 0.044_715 * x * x * x);
            0.5 * x * (1.0 + tanh(inner.into()) as f32)
        }),
    }),
    ("HARD_SWISH", |_| Function::HardSwish),
    ("LEAKY_RELU", Function::LeakyRelu),
    // The smallest byte for 0 and below.
    ("LOG", |_| {
        Function::Real(|x| {
            if x > 0.0 {
                ln(x.into()) as f32
            } else {
                f32::NEG_INFINITY
            }
        })
    }),
    ("LOGISTIC", |_| {
        Function::Real(|x| 1.0 / (1.0 + exp(-f64::from(x)) as f32))
    }),
    ("NEG", |_| Function::Negative),
    ("RELU", |_| Function::Cut(Activation::Relu)),
    ("RELU_0_TO_1", |_| Function::Cut(Activation::Relu0To1)),
    ("RELU6", |_| Function::Cut(Activation::Relu6)),
    ("RELU_N1_TO_1", |_| Function::Cut(Activation::ReluN1To1)),
    ("RSQRT", |_| Function::Rsqrt),
    // 0 below 0, which the reference refuses.
    ("SQRT", |_| Function::Truncated(|x| x.max(0.0).sqrt())),
    ("TANH", |_| Function::Real(|x| tanh(x.into()) as f32)),
];

/// Functions of .onnx files, and the numbers that they have where the file leaves them out, as their specification says.
const OF_ONNX: [(&str, OfNode); 26] = [
    ("Abs", |_, _| real(Real::Abs, 0.0, 0.0)),
    ("Ceil", |_, _| real(Real::Ceil, 0.0, 0.0)),
    ("Celu", |_, node| {
        real(Real::Celu, node.float("alpha", 1.0), 0.0)
    }),
    ("Elu", |_, node| {
        real(Real::Elu, node.float("alpha", 1.0), 0.0)
    }),
    ("Erf", |_, _| real(Real::Erf, 0.0, 0.0)),
    ("Exp", |_, _| real(Real::Exp, 0.0, 0.0)),
    ("Floor", |_, _| real(Real::Floor, 0.0, 0.0)),
    ("Gelu", |_, node| match node.text("approximate") {
        "" | "none" => real(Real::Gelu, 0.0, 0.0),
        "tanh" => real(Real::GeluTanh, 0.0, 0.0),
        other => Err(format!("has approximate {other:?}, expected none or tanh")),
    }),
    ("HardSigmoid", |_, node| {
        let (alpha, beta) = (node.float("alpha", 0.2), node.float("beta", 0.5));
        real(Real::HardSigmoid, alpha, beta)
    }),
    ("HardSwish", |_, _| real(Real::HardSwish, 0.0, 0.0)),
    ("LeakyRelu", |_, node| leaky(node.float("alpha", 0.01))),
    ("Log", |_, _| real(Real::Log, 0.0, 0.0)),
    ("Mish", |_, _| real(Real::Mish, 0.0, 0.0)),
    ("Neg", |_, _| real(Real::Neg, 0.0, 0.0)),
    ("PRelu", |reader, node| leaky(reader.number(node, 1)?)),
    ("QLinearLeakyRelu", |_, node| {
        leaky(node.float("alpha", 0.01))
    }),
    ("QLinearSigmoid", |_, _| real(Real::Sigmoid, 0.0, 0.0)),
    ("Reciprocal", |_, _| real(Real::Reciprocal, 0.0, 0.0)),
    ("Round", |_, _| real(Real::Round, 0.0, 0.0)),
    ("Selu", |_, node| {
        let (alpha, gamma) = (
            node.float("alpha", 1.673_263_2),
            node.float("gamma", 1.050_701),
        );
        real(Real::Selu, alpha, gamma)
    }),
    ("Sigmoid", |_, _| real(Real::Sigmoid, 0.0, 0.0)),
    ("Softplus", |_, _| real(Real::Softplus, 0.0, 0.0)),
    ("Softsign", |_, _| real(Real::Softsign, 0.0, 0.0)),
    ("Sqrt", |_, _| real(Real::Sqrt, 0.0, 0.0)),
    ("Tanh", |_, _| real(Real::Tanh, 0.0, 0.0)),
    ("ThresholdedRelu", |_, node| {
        real(Real::ThresholdedRelu, node.float("alpha", 1.0), 0.0)
    }),
];

fn real(function: Real, alpha: f32, beta: f32) -> Result<OfReal, String> {
    Ok((function, [alpha, beta]))
}

fn leaky(alpha: f32) -> Result<OfReal, String> {
    real(Real::LeakyRelu, alpha, 0.0)
}

/// The function that a node of an .onnx file is, and its numbers; none if it is no function of one number.
pub fn function_of<'a>(reader: &Reader<'a>, node: &'a Node) -> Option<Result<OfReal, String>> {
    let found = OF_ONNX.iter().find(|(name, _)| *name == node.operator);
    found.map(|(_, of_node)| of_node(reader, node))
}

const RUNS_AS: &str = "table, in the layer before if nothing else reads that";

rows! {
    tflite &names(&OF_TFLITE) => |operator, name| {
        let alpha = operator
            .options::<schema::Factor<'_>>()
            .and_then(|options| options.factor());
        let gelu = operator.options::<schema::Gelu<'_>>();
        let approximate = gelu
            .and_then(|options| options.approximate())
            .unwrap_or(false);
        let number = alpha.unwrap_or(f32::from(u8::from(approximate)));
        Some((Kind::Table(function(name, number)?), None))
    },
    as RUNS_AS, "256 bytes of the reference, compared where its int32 wrap", "-";

    onnx &names(&OF_ONNX) => |reader, node| {
        let mut terms = Terms::one(|reader, node, shape, _| {
            let (function, numbers) = function_of(reader, node).ok_or("no layer does this")??;
            Ok((Kind::Table(Function::Float(function, numbers)), shape))
        });
        terms.setting = node.operator == "PRelu";
        reader.layer(node, &terms)
    },
    as RUNS_AS, "256 bytes of the function", "PRelu with one slope; with others float32, by the host";
}

/// The function of float32 that an operator of a .tflite file is, and its numbers.
pub fn float_of(name: &str, kind: &Kind) -> Option<OfReal> {
    let function = match (name, kind) {
        (_, Kind::Table(Function::LeakyRelu(alpha))) => {
            return Some((Real::LeakyRelu, [*alpha, 0.0]));
        }
        ("ABS", _) => Real::Abs,
        ("EXP", _) => Real::Exp,
        ("FLOOR", _) => Real::Floor,
        ("HARD_SWISH", _) => Real::HardSwish,
        ("LOG", _) => Real::Log,
        ("LOGISTIC", _) => Real::Sigmoid,
        ("NEG", _) => Real::Neg,
        ("SQRT", _) => Real::Sqrt,
        ("TANH", _) => Real::Tanh,
        _ => return None,
    };
    Some((function, [0.0; 2]))
}

/// The names of a list.
const fn names<T, const N: usize>(list: &[(&'static str, T); N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut place = 0;
    while place < N {
        names[place] = list[place].0;
        place += 1;
    }
    names
}

/// The function that a .tflite file calls so, of the number among its options.
#[must_use]
pub fn function(name: &str, number: f32) -> Option<Function> {
    let found = OF_TFLITE.iter().find(|(found, _)| *found == name);
    found.map(|(_, of_number)| of_number(number))
}

/// The layer with the table of a function: that which makes what the operator reads, or one of its own.
pub fn lower(lowering: &mut Lowering<'_>, operator: &Operator, output: usize) -> Lowered {
    let function = lowering.function(operator).ok_or(None)?;
    let output = lowering.model.tensors[output].quantised()?;
    let made = lowering.table(operator, function, output)?;
    Ok(lowering.fold_table(operator, made))
}

impl Lowering<'_> {
    /// The function that an operator is of each byte.
    pub fn function(&self, operator: &Operator) -> Option<Function> {
        let int8 = |tensor: &usize| self.model.tensors[*tensor].element == Element::Int8;
        let reads_bytes = operator
            .inputs
            .first()
            .and_then(Option::as_ref)
            .is_some_and(int8);
        match &operator.kind {
            Kind::Table(function) => Some(*function),
            Kind::Quantize => {
                let makes_bytes = operator.outputs.iter().all(int8);
                (reads_bytes && makes_bytes).then_some(Function::Quantize)
            }
            Kind::Prelu => {
                let slope = self.operand(operator, 1)?;
                let &[value] = &slope.int8()?[..] else {
                    return None;
                };
                Some(Function::Prelu(value, slope.quantised().ok()?))
            }
            _ => None,
        }
    }

    fn table(&self, operator: &Operator, function: Function, output: Quantised) -> Lowered {
        let source = self.plane_source(operator, 0)?;
        let (min, max) = bounds(operator.activation, output)?;
        let values = table(function, source.quantised, output)?;
        let exact = table_exact(function, source.quantised, output, &values)?;
        let values = values.map(|value| value.clamp(min, max));
        Ok(Made {
            exact,
            ..table_layer(&source, values.to_vec(), output)
        })
    }

    /// Puts a table into the layer that makes what it reads, if nobody else does.
    pub fn fold_table(&mut self, operator: &Operator, made: Made) -> Made {
        let Some(&Some(input)) = operator.inputs.first() else {
            return made;
        };
        let operators = self.model.operators.iter();
        let readers = operators.filter(|other| other.inputs.contains(&Some(input)));
        let is_alone = readers.count() == 1 && !self.model.outputs.contains(&input);
        let name = self.values.get(&input).map(|value| value.name.clone());
        let last = self
            .layers
            .last()
            .filter(|layer| layer.takes_table() && Some(&layer.name) == name.as_ref());
        let (tensor, index) = self.shown(input);
        let made_by =
            |row: &&mut Row| row.layer == name && row.tensor == tensor && row.index == index;
        let row = self.rows.iter_mut().find(made_by);
        let (Some(row), true, true) = (row, is_alone, last.is_some()) else {
            return made;
        };
        let layer = self.layers.pop().expect("it was there");
        let zero_point = layer
            .output_zero_point
            .unwrap_or(self.values[&input].zero_point);
        let text = format!("{}, table", row.runs.text());
        row.layer = None;
        row.runs = Runs::Folded("into its table".to_string());
        Made {
            text,
            exact: row.exact.and(made.exact),
            layer: LayerFile {
                table: made.layer.table,
                table_zero_point: Some(zero_point),
                output_zero_point: made.layer.output_zero_point,
                output_scale: made.layer.output_scale,
                ..layer
            },
            ..made
        }
    }
}

/// A layer of a table alone.
pub fn table_layer(source: &Source<'_>, values: Vec<i8>, output: Quantised) -> Made {
    let layer = LayerFile {
        table: Some(values),
        ..layer_of(&[source], output, TableFile {})
    };
    made(layer, "table", source.plane, output)
}
