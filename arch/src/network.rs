//! Quantised networks in the format "heddle-network-1".

mod file;
mod shapes;

use crate::fault::ConfigErrors;
use crate::requantise::{Rounding, Scale};

/// Shape of a tensor: channels, height, width, in this order in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Channels.
    pub channels: u32,
    /// Rows.
    pub height: u32,
    /// Columns.
    pub width: u32,
}

impl Shape {
    /// Number of elements.
    pub fn elements(self) -> usize {
        self.channels as usize * self.height as usize * self.width as usize
    }
}

/// Zeros around the input of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Padding {
    /// Rows above.
    pub top: u32,
    /// Rows below.
    pub bottom: u32,
    /// Columns on the left.
    pub left: u32,
    /// Columns on the right.
    pub right: u32,
}

/// What a layer was in the network file; the arithmetic is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LayerKind {
    /// Convolution.
    Conv2d,
    /// Fully connected layer: a convolution whose kernel is the whole plane.
    FullyConnected,
}

/// A layer: y = clamp(requantise(bias + sum of w * (x - zero point)) + zero point).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// Name, unique in the network.
    pub name: String,
    /// What the file called it.
    pub kind: LayerKind,
    /// Input tensor.
    pub input: Shape,
    /// Output tensor.
    pub output: Shape,
    /// Kernel height and width.
    pub kernel: [u32; 2],
    /// Vertical and horizontal stride.
    pub stride: [u32; 2],
    /// Zeros around the input.
    pub padding: Padding,
    /// Weights in the order output channel, input channel, kernel row, kernel column.
    pub weights: Vec<i8>,
    /// Bias of each output channel.
    pub bias: Vec<i32>,
    /// Scale of each output channel.
    pub scales: Vec<Scale>,
    /// How sums are rounded.
    pub rounding: Rounding,
    /// Zero point of the input activations.
    pub input_zero_point: i8,
    /// Zero point of the output activations.
    pub output_zero_point: i8,
    /// Smallest output.
    pub min: i8,
    /// Largest output, not below `min`.
    pub max: i8,
}

impl Layer {
    /// Weights of one output channel.
    pub fn weights_per_output(&self) -> usize {
        self.input.channels as usize * self.kernel[0] as usize * self.kernel[1] as usize
    }

    /// Weight of an output channel for an input channel and a place of the kernel.
    ///
    /// # Panics
    /// If an index is out of range.
    pub fn weight(&self, output: u32, input: u32, ky: u32, kx: u32) -> i8 {
        let [kh, kw] = self.kernel;
        let index = (output * self.input.channels + input) * kh * kw + ky * kw + kx;
        self.weights[index as usize]
    }

    /// Multiply-accumulates for one image, padding included.
    pub fn macs(&self) -> u64 {
        self.output.elements() as u64 * self.weights_per_output() as u64
    }
}

/// A network that has been checked: shapes fit, and no sum can leave 32 bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    /// Name.
    pub name: String,
    /// Shape of an image.
    pub input: Shape,
    /// Zero point of an image.
    pub input_zero_point: i8,
    /// Layers, at least one; each takes the output of the one before.
    pub layers: Vec<Layer>,
    /// Quantised test images, elements in the order of [`Shape`].
    pub images: Vec<Vec<i8>>,
    /// Class of each test image: index of the largest output.
    pub labels: Vec<u32>,
}

impl Network {
    /// Largest side of a plane, kernel or stride, and number of channels or features.
    pub const SIZE_MAX: u32 = 4096;

    /// Reads and checks a network.
    ///
    /// # Errors
    /// All faults, each with its line, field, value and what is allowed.
    pub fn from_json(text: &str) -> Result<Network, ConfigErrors> {
        file::read(text)
    }

    /// Shape of the last layer's output.
    pub fn output(&self) -> Shape {
        self.layers.last().map_or(self.input, |layer| layer.output)
    }
}

/// JSON schema of a network file.
pub fn schema() -> serde_json::Value {
    file::schema()
}
