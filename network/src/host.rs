//! Layers that move or compare whole tensors: what the machine does not do and the host runs between two runs of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Shape;
use heddle_arch::requantise::Scale;

/// A dimension of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Channels.
    Channels,
    /// Rows.
    Height,
    /// Columns.
    Width,
}

impl Axis {
    /// Its place in the list channels, height, width.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// Bytes of a place along a row, which [`LayerKind::ArgMax`](super::LayerKind::ArgMax) makes.
pub const PLACE_BYTES: u32 = 4;

/// The order in which elements are counted.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Channels, height, width, the last of which moves fastest; as in .onnx files.
    #[default]
    ChannelsFirst,
    /// Height, width, channels; as in .tflite files.
    ChannelsLast,
}

/// Where the elements of a larger plane lie in the smaller one.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Alignment {
    /// The first elements of both lie upon each other.
    #[default]
    Origin,
    /// The middles of both planes do; elements have an extent.
    HalfPixelCenters,
    /// The first and the last elements of both do.
    AlignCorners,
}

/// A stored tensor that takes the place of an input; its elements are the weights of the layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Constant {
    /// Channels, height, width.
    pub shape: Shape,
    /// Zero point of its elements.
    pub zero_point: i8,
    /// It is the first of the two tensors.
    pub first: bool,
}

/// The product of two tensors: y = clamp(scale((a - zero point) * (b - zero point)) + zero point), rounded as the
/// layer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Product {
    /// Scale of the product.
    pub output: Scale,
    /// What stands for one of the two.
    pub constant: Option<Constant>,
}

impl Default for Product {
    fn default() -> Self {
        Self {
            output: Scale::reciprocal(1),
            constant: None,
        }
    }
}

/// A slope for values below zero: y = clamp(scale(x - zero point) + zero point) from the zero point on, below it
/// y = clamp(scale((x - zero point) * (slope - zero point)) + zero point), rounded twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Prelu {
    /// Scale from the zero point on, and that of the product below it.
    pub outputs: [Scale; 2],
    /// The slopes, the second of the two tensors.
    pub constant: Option<Constant>,
}

impl Default for Prelu {
    fn default() -> Self {
        Self {
            outputs: [Scale::reciprocal(1); 2],
            constant: None,
        }
    }
}

/// The mean over some dimensions: y = clamp(scale(sum of (x - zero point)) + zero point), rounded twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mean {
    /// Whether the mean is over each of the dimensions channels, height, width.
    pub over: [bool; 3],
    /// Scale of the sum, already divided by the number of elements.
    pub scale: Scale,
}

impl Default for Mean {
    fn default() -> Self {
        Self {
            over: [false; 3],
            scale: Scale::reciprocal(1),
        }
    }
}

/// Softmax in fixed point; outputs have zero point -128 and steps of 1/256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Softmax {
    /// The elements along it make a row, whose shares add up to 1.
    pub axis: Axis,
    /// Scale of the input in steps of 2^-26; never to the right.
    pub scale: Scale,
}

impl Default for Softmax {
    fn default() -> Self {
        Self {
            axis: Axis::Channels,
            scale: Scale::reciprocal(1),
        }
    }
}

impl Shape {
    /// Channels, height, width.
    #[must_use]
    pub const fn sides(self) -> [u32; 3] {
        [self.channels, self.height, self.width]
    }

    /// A shape of channels, height, width.
    #[must_use]
    pub const fn of([channels, height, width]: [u32; 3]) -> Shape {
        Shape {
            channels,
            height,
            width,
        }
    }

    /// The shape of what is made of two, element by element: a side of 1 stands for any.
    #[must_use]
    pub fn broadcast(self, other: Shape) -> Option<Shape> {
        let mut sides = self.sides();
        for (side, other) in sides.iter_mut().zip(other.sides()) {
            match (*side, other) {
                (one, other) if one == other => {}
                (1, other) => *side = other,
                (_, 1) => {}
                _ => return None,
            }
        }
        Some(Shape::of(sides))
    }
}
