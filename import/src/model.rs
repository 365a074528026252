//! A network as a foreign file has it: tensors in the order height, width, channels, and operators in the order in which they run.

use crate::exact::Function;

/// Type of the elements of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// int8.
    Int8,
    /// int32.
    Int32,
    /// Any other, by its name.
    Other(&'static str),
}

impl Element {
    /// Name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Element::Int8 => "int8",
            Element::Int32 => "int32",
            Element::Other(name) => name,
        }
    }
}

/// A tensor.
#[derive(Debug, Clone)]
pub struct Tensor<'a> {
    /// Name, as the file has it.
    pub name: &'a str,
    /// Sizes, none of them 0.
    pub shape: Vec<u32>,
    /// Type of the elements.
    pub element: Element,
    /// Real value of one step: one, or one for each place of `axis`; none if it is not quantised.
    pub scales: Vec<f32>,
    /// Quantised value of a real zero: as many as scales.
    pub zero_points: Vec<i64>,
    /// The dimension that has a scale for each place.
    pub axis: usize,
    /// The bytes of a constant, as many as the shape needs.
    pub data: Option<&'a [u8]>,
}

/// Scale and zero point of a tensor of bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantised {
    /// Real value of one step.
    pub scale: f32,
    /// Quantised value of a real zero.
    pub zero_point: i8,
}

impl Tensor<'_> {
    /// Scale and zero point of activations.
    ///
    /// # Errors
    /// If the elements are not int8, or have not one scale.
    pub fn quantised(&self) -> Result<Quantised, String> {
        let name = self.name;
        if self.element != Element::Int8 {
            return Err(format!(
                "tensor {name:?} is {}, expected int8",
                self.element.name()
            ));
        }
        match (&self.scales[..], &self.zero_points[..]) {
            (&[scale], &[zero_point]) if scale.is_finite() && scale > 0.0 => {
                match i8::try_from(zero_point) {
                    Ok(zero_point) => Ok(Quantised { scale, zero_point }),
                    Err(_) => Err(format!(
                        "tensor {name:?} has zero point {zero_point}, expected -128 to 127"
                    )),
                }
            }
            _ => Err(format!(
                "tensor {name:?} has {} scales, expected one positive scale",
                self.scales.len()
            )),
        }
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.shape.iter().map(|&size| size as usize).product()
    }

    /// The elements of a constant of int8.
    pub fn int8(&self) -> Option<Vec<i8>> {
        let data = self.data.filter(|_| self.element == Element::Int8)?;
        Some(data.iter().map(|&byte| byte as i8).collect())
    }

    /// The elements of a constant of int32.
    pub fn int32(&self) -> Option<Vec<i32>> {
        let data = self.data.filter(|_| self.element == Element::Int32)?;
        let words = data.chunks_exact(4);
        Some(
            words
                .map(|word| i32::from_le_bytes(word.try_into().expect("four bytes")))
                .collect(),
        )
    }
}

/// What an operator does with its results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Activation {
    /// Nothing.
    #[default]
    None,
    /// Negative values become 0.
    Relu,
    /// Values are cut to -1 to 1.
    ReluN1To1,
    /// Values are cut to 0 to 6.
    Relu6,
    /// Another one, by its number.
    Other(i8),
}

/// How a kernel moves: height first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The output has a place for each step of the input; else only where the whole kernel lies inside.
    pub same: bool,
    /// Strides.
    pub stride: [u32; 2],
    /// Distances of the places of the kernel.
    pub dilation: [u32; 2],
}

/// What an operator does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Convolution: image, weights (output, row, column, input), bias.
    Convolution(Window),
    /// Depthwise convolution: image, weights (1, row, column, output), bias.
    Depthwise(Window),
    /// Mean of windows of this size.
    AveragePool(Window, [u32; 2]),
    /// Mean over dimensions that a constant lists.
    Mean,
    /// Zeros around a tensor, as many as a constant says.
    Pad,
    /// Maximum of windows of this size.
    MaxPool(Window, [u32; 2]),
    /// Fully connected: vector, weights (output, input), bias.
    FullyConnected,
    /// Sum of two tensors.
    Add,
    /// Difference of two tensors.
    Sub,
    /// Product of two tensors.
    Mul,
    /// Square of the difference of two tensors.
    SquaredDifference,
    /// A function of each byte.
    Table(Function),
    /// The same elements with another shape.
    Reshape,
    /// Share of each exponential in its row, of the input times this.
    Softmax(f32),
    /// Place of the largest of each row.
    ArgMax,
    /// For the host, at the beginning or the end of a network.
    Host,
    /// None that is known here.
    Unsupported,
}

impl Kind {
    /// Whether there is something that does it.
    pub fn runs(self) -> bool {
        !matches!(
            self,
            Kind::Mul | Kind::SquaredDifference | Kind::Table(_) | Kind::Unsupported
        )
    }

    /// Whether the host does it, at the beginning or the end of a network.
    pub fn is_for_host(self) -> bool {
        matches!(self, Kind::Host | Kind::Softmax(_) | Kind::ArgMax)
    }
}

/// An operator.
#[derive(Debug, Clone)]
pub struct Operator {
    /// Name and version, as in CONV_2D 3.
    pub name: String,
    /// What it does.
    pub kind: Kind,
    /// What it does with its results.
    pub activation: Activation,
    /// Indices of the tensors it reads; none where one is left out.
    pub inputs: Vec<Option<usize>>,
    /// Indices of the tensors it makes.
    pub outputs: Vec<usize>,
}

/// A network.
#[derive(Debug, Clone)]
pub struct Model<'a> {
    /// Tensors.
    pub tensors: Vec<Tensor<'a>>,
    /// Operators in the order in which they run.
    pub operators: Vec<Operator>,
    /// What the host writes.
    pub inputs: Vec<usize>,
    /// What the host reads.
    pub outputs: Vec<usize>,
}

impl Model<'_> {
    /// Whether weights and activations are int8, as far as the first layer with weights tells.
    ///
    /// # Errors
    /// What they are, and the way to int8.
    pub fn check_quantised(&self) -> Result<(), String> {
        let weighted = |operator: &&Operator| {
            matches!(
                operator.kind,
                Kind::Convolution(_) | Kind::Depthwise(_) | Kind::FullyConnected
            )
        };
        let Some(operator) = self.operators.iter().find(weighted) else {
            return Ok(());
        };
        let element = |tensor: Option<&usize>| {
            tensor.map_or("int8", |&tensor| self.tensors[tensor].element.name())
        };
        let weights = element(operator.inputs.get(1).and_then(Option::as_ref));
        let activations = element(operator.outputs.first());
        let found = match (weights, activations) {
            ("int8", "int8") => return Ok(()),
            ("float32" | "float16", _) => format!("is a network of {weights} weights"),
            (_, "float32") => {
                format!("has weights of {weights}, but activations of float32 (dynamic range)")
            }
            _ => format!("has weights of {weights} and activations of {activations}"),
        };
        Err(format!(
            "{found}, expected int8 for both: convert it with optimizations, a representative_dataset, \
             supported_ops = [TFLITE_BUILTINS_INT8] and inference_input_type = int8"
        ))
    }
}
