//! A network as a foreign file has it: tensors and operators in the order in which they run.
//!
//! Shapes are those of the file. Weights are in the order output, row, column, input, or output, input, whatever the file is.

mod states;

use std::borrow::Cow;

use heddle_arch::requantise::Rounding;
use heddle_network::Network;
use heddle_network::Shape;

use crate::fold::Number;
pub use crate::ops::Kind;
pub use states::State;

/// Format of a file: the order of its dimensions, and how its operators round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// .tflite: batch, height, width, channels; the reference kernels.
    Tflite,
    /// .onnx: batch, channels, height, width; one rounding of a scaled sum.
    Onnx,
}

impl Format {
    /// Shape of a tensor as a plane: a batch of 1, channels, height and width, or fewer dimensions.
    pub fn plane(self, shape: &[u32]) -> Option<Shape> {
        let (height, width, channels) = match (self, shape) {
            (_, &[]) => (1, 1, 1),
            (_, &[1, channels] | &[channels]) => (1, 1, channels),
            (Format::Tflite, &[1, height, width, channels]) => (height, width, channels),
            (Format::Tflite, &[1, width, channels] | &[width, channels]) => (1, width, channels),
            (Format::Onnx, &[1, channels, height, width]) => (height, width, channels),
            (Format::Onnx, &[1, channels, width]) => (1, width, channels),
            // Of more dimensions those in front count as one.
            (_, shape @ ([_, _, _, _, _] | [_, _, _, _, _, _])) => {
                let (front, [first, second]) = shape.split_last_chunk()?;
                let product = front
                    .iter()
                    .try_fold(1u32, |all, &side| all.checked_mul(side))?;
                match self {
                    Format::Tflite => (product, *first, *second),
                    Format::Onnx => (*first, *second, product),
                }
            }
            _ => return None,
        };
        let sides = 1..=Network::SIZE_MAX;
        if [height, width, channels]
            .iter()
            .any(|side| !sides.contains(side))
        {
            return None;
        }
        let shape = Shape::of([channels, height, width]);
        (shape.elements() <= Network::ELEMENTS_MAX).then_some(shape)
    }

    /// What channels, height and width have, in the order of the file.
    pub fn in_order<T>(self, [channels, height, width]: [T; 3]) -> [T; 3] {
        match self {
            Format::Tflite => [height, width, channels],
            Format::Onnx => [channels, height, width],
        }
    }

    /// The way back.
    pub fn of_order<T>(self, [first, second, third]: [T; 3]) -> [T; 3] {
        match self {
            Format::Tflite => [third, first, second],
            Format::Onnx => [first, second, third],
        }
    }

    /// For each of so many dimensions its place in channels, height, width; none for the batch.
    pub fn dimensions(self, rank: usize) -> Option<Vec<Option<usize>>> {
        let all = match self {
            Format::Tflite => [None, Some(1), Some(2), Some(0)],
            Format::Onnx => [None, Some(0), Some(1), Some(2)],
        };
        match (self, rank) {
            (_, 4) => Some(all.to_vec()),
            // A batch, which is 1, or a height in its place.
            (Format::Tflite, 1..=3) => Some(all[4 - rank..].to_vec()),
            (Format::Onnx, 3) => Some(vec![None, Some(0), Some(2)]),
            (Format::Onnx, 2) => Some(vec![None, Some(0)]),
            (Format::Onnx, 1) => Some(vec![Some(0)]),
            _ => None,
        }
    }

    /// How many channels lie side by side where a plane is read as a vector.
    pub fn interleaved(self, plane: Shape) -> usize {
        match self {
            Format::Tflite => plane.channels as usize,
            Format::Onnx => 1,
        }
    }

    /// Rounding of the sums of a convolution.
    pub fn rounding(self) -> Rounding {
        match self {
            Format::Tflite => Rounding::Double,
            Format::Onnx => Rounding::Single,
        }
    }
}

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
    /// Sizes; one of 0 has no elements, and no operator that runs reads or makes it.
    pub shape: Vec<u32>,
    /// Type of the elements.
    pub element: Element,
    /// Bytes have no sign in the file, and are 128 more there.
    pub unsigned: bool,
    /// Real value of one step: one, or one for each place of `axis`; none if it is not quantised.
    pub scales: Vec<f32>,
    /// Quantised value of a real zero: as many as scales.
    pub zero_points: Vec<i64>,
    /// The dimension that has a scale for each place.
    pub axis: usize,
    /// The bytes of a constant, as many as the shape needs.
    pub data: Option<Cow<'a, [u8]>>,
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

    /// Whether its bytes are those of another tensor without their sign: 128 more, of the same scale.
    pub fn is_unsigned_of(&self, other: &Tensor<'_>) -> bool {
        let zero_points = other.zero_points.iter().map(|zero_point| zero_point + 128);
        self.element.name() == "uint8"
            && other.element == Element::Int8
            && self.scales == other.scales
            && zero_points.eq(self.zero_points.iter().copied())
    }

    /// Name of the type of the elements in the file.
    pub fn type_name(&self) -> &'static str {
        match self.unsigned {
            true => "uint8",
            false => self.element.name(),
        }
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.shape.iter().map(|&size| size as usize).product()
    }

    /// The elements of a constant of int8.
    pub fn int8(&self) -> Option<Vec<i8>> {
        let data = self.data.as_ref();
        let data = data.filter(|_| self.element == Element::Int8)?;
        Some(data.iter().map(|&byte| byte as i8).collect())
    }

    /// The elements of a constant of int32.
    pub fn int32(&self) -> Option<Vec<i32>> {
        self.integers().filter(|_| self.element == Element::Int32)
    }

    /// The elements of a constant of float32.
    pub fn float32(&self) -> Option<Vec<f32>> {
        let data = self.data.as_ref();
        let data = data.filter(|_| self.element.name() == "float32")?;
        let words = data.chunks_exact(4);
        let word = |word: &[u8]| f32::from_le_bytes(word.try_into().expect("four bytes"));
        Some(words.map(word).collect())
    }

    /// The elements of a constant of float32, or what those of a quantised one stand for.
    ///
    /// # Errors
    /// If it is none of float32, and not one of int8 or int32 with scales.
    pub fn reals(&self) -> Result<Vec<f32>, String> {
        if let Some(reals) = self.float32() {
            return Ok(reals);
        }
        let int8 = self
            .int8()
            .map(|bytes| bytes.into_iter().map(i32::from).collect());
        let values: Option<Vec<i32>> = int8.or_else(|| self.int32());
        let values = values.filter(|_| !self.scales.is_empty());
        let values = values.ok_or_else(|| format!("constant {:?} is not quantised", self.name))?;
        let behind = self.shape.iter().skip(self.axis + 1);
        let inner: usize = behind.map(|&size| size as usize).product();
        let real = |(at, value): (usize, i32)| {
            let place = at / inner.max(1) % self.scales.len();
            (i64::from(value) - self.zero_points[place]) as f32 * self.scales[place]
        };
        Ok(values.into_iter().enumerate().map(real).collect())
    }

    /// The elements of a constant of int32, or of int64 that are no larger.
    pub fn integers(&self) -> Option<Vec<i32>> {
        let element = Number::named(self.element.name());
        let element = element.filter(|found| matches!(found, Number::Int32 | Number::Int64))?;
        let values = element.list(self.data.as_ref()?);
        let values = values.into_iter().map(|value| i32::try_from(value).ok());
        values.collect()
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
    /// Values are cut to 0 to 1.
    Relu0To1,
    /// Values are cut to 0 to 6.
    Relu6,
    /// Bytes are cut to these.
    Between(i8, i8),
    /// Another one, by its number.
    Other(i8),
}

/// Zeros around what a kernel moves over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Padding {
    /// As many as give the output a place for each step of the input, the odd one behind.
    Same,
    /// Before and behind: height first.
    Zeros([[u32; 2]; 2]),
}

/// How a kernel moves: height first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Zeros around the input.
    pub padding: Padding,
    /// Strides.
    pub stride: [u32; 2],
    /// Distances of the places of the kernel.
    pub dilation: [u32; 2],
}

impl Window {
    /// Over each place once, without zeros.
    pub const PLAIN: Window = Window {
        padding: Padding::Zeros([[0; 2]; 2]),
        stride: [1; 2],
        dilation: [1; 2],
    };
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
    /// Format of its file.
    pub format: Format,
    /// How many images the file computes at once; shapes are those of one.
    pub batch: u32,
    /// Tensors.
    pub tensors: Vec<Tensor<'a>>,
    /// Operators in the order in which they run.
    pub operators: Vec<Operator>,
    /// What the host writes.
    pub inputs: Vec<usize>,
    /// What the host reads.
    pub outputs: Vec<usize>,
    /// What is kept from one image to the next: the last of the inputs and outputs, in this order.
    pub states: Vec<State>,
}

impl Model<'_> {
    /// The tensor of a name, or of a number where a .tflite file has names for none.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(&self, name: &str) -> Result<usize, String> {
        let mut tensors = self.tensors.iter();
        let found = tensors.position(|tensor| !name.is_empty() && tensor.name == name);
        let numbered = || {
            let number = name.strip_prefix('#')?.parse::<usize>().ok()?;
            let is_there = self.format == Format::Tflite && number < self.tensors.len();
            is_there.then_some(number)
        };
        found
            .or_else(numbered)
            .ok_or_else(|| format!("has no tensor {name:?}: heddle import names them"))
    }

    /// What names a tensor where the network may end.
    pub fn until(&self, tensor: usize) -> String {
        match self.tensors[tensor].name {
            "" => format!("#{tensor}"),
            name => name.to_string(),
        }
    }
}
