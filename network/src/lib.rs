//! Quantised networks in the formats "heddle-network-1" and "heddle-network-2".

mod fields;
pub mod file;
mod geometry;
mod graph;
mod host;
mod host_geometry;
mod host_values;
mod matrix;
mod shapes;
pub mod stored;
mod sum;
mod table;

use std::ops::RangeInclusive;

use heddle_arch::fault::ConfigErrors;
use heddle_arch::requantise::{Rounding, Scale};
pub use host::{Alignment, Axis, Constant, Mean, Order, PLACE_BYTES, Prelu, Product, Softmax};
pub use matrix::{Matmul, Matrices, Permutation};
pub use sum::Sum;
pub use table::Table;

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

/// What a layer does with its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LayerKind {
    /// A further input of the network, which the host writes; no layer of the file.
    Input,
    /// Convolution, also grouped and depthwise.
    Conv2d,
    /// Fully connected layer: a convolution whose kernel is the whole plane.
    FullyConnected,
    /// Mean of a window: a depthwise convolution whose weights are 1 and whose scale is 1 / size. With padding the mean of the
    /// bytes of a window's places inside the plane, halves away from 0.
    AveragePool2d,
    /// Largest value of a window, of its places inside the plane; values pass unchanged.
    MaxPool2d,
    /// Sum or difference of two tensors, each with a scale of its own; sides of 1 are broadcast.
    Add(Sum),
    /// Sum of tensors of one shape, each multiplied by a factor.
    WeightedSum,
    /// Each byte is replaced by an entry of a table.
    Table,
    /// Product of the matrices of two inputs, or of one input and stored weights.
    Matmul(Matmul),
    /// Another order of dimensions; values pass unchanged.
    Transpose(Permutation),
    /// Product of two tensors, element by element; sides of 1 are broadcast.
    Mul(Product),
    /// Values below zero times a slope of their own; sides of 1 are broadcast.
    Prelu(Prelu),
    /// Square of the difference of two tensors; sides of 1 are broadcast.
    SquaredDifference(Sum),
    /// Mean over some dimensions, which have one place then.
    Mean(Mean),
    /// Share of each exponential in those of its row.
    Softmax(Softmax),
    /// Place of the largest of each row along a dimension, the first of several: [`PLACE_BYTES`] bytes along that dimension,
    /// the lowest one first. No layer reads them.
    ArgMax(Axis),
    /// Tensors one after another along a dimension; values pass unchanged.
    Concat(Axis),
    /// A part of a tensor that starts at this channel, row and column; values pass unchanged.
    Slice([u32; 3]),
    /// A larger tensor in which the first element of this one lies at this channel, row and column, and the others in steps of
    /// the stride; elsewhere it holds the zero point.
    Pad([u32; 3]),
    /// Each element as often as this, down and across; values pass unchanged.
    Resize([u32; 2]),
    /// A plane of another size: the mean of the four nearest elements, each with its share.
    ResizeBilinear(Alignment),
    /// The same elements in another shape, counted in this order; values pass unchanged.
    Reshape(Order),
}

impl LayerKind {
    /// Name in a network file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            LayerKind::Input => "input",
            LayerKind::Conv2d => "conv2d",
            LayerKind::FullyConnected => "fully_connected",
            LayerKind::AveragePool2d => "average_pool2d",
            LayerKind::MaxPool2d => "max_pool2d",
            LayerKind::Add(_) => "add",
            LayerKind::WeightedSum => "weighted_sum",
            LayerKind::Table => "table",
            LayerKind::Matmul(_) => "matmul",
            LayerKind::Transpose(_) => "transpose",
            LayerKind::Mul(_) => "mul",
            LayerKind::Prelu(_) => "prelu",
            LayerKind::SquaredDifference(_) => "squared_difference",
            LayerKind::Mean(_) => "mean",
            LayerKind::Softmax(_) => "softmax",
            LayerKind::ArgMax(_) => "arg_max",
            LayerKind::Concat(_) => "concat",
            LayerKind::Slice(_) => "slice",
            LayerKind::Pad(_) => "pad",
            LayerKind::Resize(_) => "resize",
            LayerKind::ResizeBilinear(_) => "resize_bilinear",
            LayerKind::Reshape(_) => "reshape",
        }
    }

    /// Whether its tensors are matrices.
    #[must_use]
    pub const fn is_of_matrices(self) -> bool {
        matches!(self, LayerKind::Matmul(_) | LayerKind::Transpose(_))
    }

    /// Whether values pass unchanged to other places, or are means of others: they have no scale of their own.
    #[must_use]
    pub const fn moves(self) -> bool {
        matches!(
            self,
            LayerKind::Transpose(_)
                | LayerKind::Concat(_)
                | LayerKind::Slice(_)
                | LayerKind::Pad(_)
                | LayerKind::Resize(_)
                | LayerKind::ResizeBilinear(_)
                | LayerKind::Reshape(_)
        )
    }

    /// Whether no machine does it, whatever its configuration.
    #[must_use]
    pub const fn is_for_host(self) -> bool {
        match self {
            LayerKind::Input
            | LayerKind::Mul(_)
            | LayerKind::Prelu(_)
            | LayerKind::SquaredDifference(_)
            | LayerKind::Mean(_)
            | LayerKind::Softmax(_)
            | LayerKind::ArgMax(_) => true,
            _ => self.moves() && !self.is_of_matrices(),
        }
    }

    /// The dimension along which the bytes of places lie, if it makes places.
    #[must_use]
    pub const fn places(self) -> Option<Axis> {
        match self {
            LayerKind::ArgMax(axis) => Some(axis),
            _ => None,
        }
    }

    /// A stored tensor that takes the place of an input.
    #[must_use]
    pub const fn constant(self) -> Option<Constant> {
        match self {
            LayerKind::Add(sum) | LayerKind::SquaredDifference(sum) => sum.constant,
            LayerKind::Mul(product) => product.constant,
            LayerKind::Prelu(prelu) => prelu.constant,
            _ => None,
        }
    }
}

/// A tensor that a layer reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Input {
    /// 0 is the input of the network, i + 1 the output of layer i.
    pub tensor: usize,
    /// Zero point of its activations.
    pub zero_point: i8,
}

/// A layer: y = clamp(requantise(sum) + zero point), or an entry of a table instead of that.
///
/// The sum is bias + sum of w * (x - input zero point) over the taps of the output's group. Of
/// [`LayerKind::MaxPool2d`] it is the largest x - input zero point, of [`LayerKind::WeightedSum`] bias + sum of
/// factor * (x - zero point) over the inputs, of [`LayerKind::Table`] x - zero point. What [`Sum`], [`Product`], [`Prelu`], [`Mean`] and [`Softmax`] say is said there. Of [`LayerKind::Matmul`] it is bias + sum of
/// (a - zero point) * (b - zero point), with one bias and one scale for all elements or for each
/// column. Where values pass unchanged, and of [`LayerKind::ArgMax`], there is no sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// Name, unique in the network.
    pub name: String,
    /// What it does.
    pub kind: LayerKind,
    /// Tensors that it reads: one, but none for [`LayerKind::Input`], for [`LayerKind::WeightedSum`] and [`LayerKind::Concat`] at least two, and for
    /// [`LayerKind::Matmul`] without weights and element by element without a [`Constant`] two.
    pub inputs: Vec<Input>,
    /// Input tensor.
    pub input: Shape,
    /// Output tensor.
    pub output: Shape,
    /// Kernel height and width.
    pub kernel: [u32; 2],
    /// Vertical and horizontal stride.
    pub stride: [u32; 2],
    /// Vertical and horizontal distance of the kernel's places.
    pub dilation: [u32; 2],
    /// Groups: the channels of a group are summed for the outputs of that group alone. The number of
    /// channels for pooling and adding.
    pub groups: u32,
    /// Zeros around the input.
    pub padding: Padding,
    /// Weights in the order output channel, input channel of the group, kernel row, kernel column; of
    /// [`LayerKind::WeightedSum`] one factor for each input; of [`LayerKind::Matmul`] the second factor row by row, if it is stored;
    /// the elements of a [`Constant`];
    /// of other kinds none: what a mean or a table is made of counts 1 each.
    pub weights: Vec<i8>,
    /// Bias of each output channel; of [`LayerKind::Matmul`] one, or one for each column; none where a kind has scales of its own
    /// or moves values.
    pub bias: Vec<i32>,
    /// Scale of each output channel; of [`LayerKind::Matmul`] as many as biases.
    pub scales: Vec<Scale>,
    /// How sums are rounded.
    pub rounding: Rounding,
    /// Zero point of the output activations.
    pub output_zero_point: i8,
    /// Smallest scaled value.
    pub min: i8,
    /// Largest scaled value, not below `min`.
    pub max: i8,
    /// What scaled values are replaced by.
    pub table: Option<Table>,
}

impl Layer {
    /// Zero point of the scaled values: that of the output if no table comes behind.
    #[must_use]
    pub fn scaled_zero_point(&self) -> i8 {
        let table = self.table.as_ref();
        table.map_or(self.output_zero_point, |table| table.zero_point)
    }

    /// Whether no machine does it, whatever its configuration.
    #[must_use]
    pub fn is_for_host(&self) -> bool {
        let pads = self.padding != Padding::default();
        self.kind.is_for_host() || self.kind == LayerKind::AveragePool2d && pads
    }

    /// Input channels of a group.
    #[must_use]
    pub fn group_inputs(&self) -> u32 {
        self.input.channels / self.groups
    }

    /// Output channels of a group.
    #[must_use]
    pub fn group_outputs(&self) -> u32 {
        self.output.channels / self.groups
    }

    /// Taps of one output: weights, or elements of a pooling window, or tensors to be added.
    #[must_use]
    pub fn taps(&self) -> usize {
        match self.kind {
            LayerKind::Add(_) | LayerKind::WeightedSum => self.inputs.len(),
            kind if kind.is_for_host() => 1,
            LayerKind::Matmul(matmul) => match matmul.transposed[0] {
                true => self.input.height as usize,
                false => self.input.width as usize,
            },
            _ => self.group_inputs() as usize * self.kernel[0] as usize * self.kernel[1] as usize,
        }
    }

    /// Weight of an output channel for an input channel of its group and a place of the kernel.
    ///
    /// # Panics
    /// If an index is out of range.
    pub fn weight(&self, output: u32, input: u32, ky: u32, kx: u32) -> i8 {
        if matches!(self.kind, LayerKind::AveragePool2d | LayerKind::Table) {
            return 1;
        }
        let [kh, kw] = self.kernel;
        let index = (output * self.group_inputs() + input) * kh * kw + ky * kw + kx;
        self.weights[index as usize]
    }

    /// Multiply-accumulates for one image, padding included; of a maximum, a table, or what the host alone does none.
    pub fn macs(&self) -> u64 {
        match self.kind {
            LayerKind::MaxPool2d | LayerKind::Table | LayerKind::Transpose(_) => 0,
            kind if kind.is_for_host() => 0,
            _ => self.output.elements() as u64 * self.taps() as u64,
        }
    }
}

/// Name of the input of a network in lists of inputs.
pub const INPUT_NAME: &str = "input";

/// A network that has been checked: shapes fit, and no sum can leave 32 bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    /// Name.
    pub name: String,
    /// Shape of the first input.
    pub input: Shape,
    /// Zero point of the first input.
    pub input_zero_point: i8,
    /// Layers, at least one; each reads the input of the network or outputs of layers before.
    pub layers: Vec<Layer>,
    /// Tensors that the host reads, at least one: the outputs of the network.
    pub outputs: Vec<usize>,
    /// Quantised test images: the elements of all inputs, one input behind another, each in the order of [`Shape`].
    pub images: Vec<Vec<i8>>,
    /// Class of each test image, index of the largest output; or none at all.
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
        let message = "lie in another file, which is not read here, expected a list";
        Self::from_json_with(text, &mut |_| Err(message.to_string()))
    }

    /// As [`Network::from_json`], of a network whose weights may lie in other files, which `read` reads.
    ///
    /// # Errors
    /// All faults, each with its line, field, value and what is allowed.
    pub fn from_json_with(
        text: &str,
        read: stored::ReadStored<'_>,
    ) -> Result<Network, ConfigErrors> {
        stored::read(text, read)
    }

    /// Checks the content of a network file.
    ///
    /// # Errors
    /// All faults, each with its field, value and what is allowed.
    pub fn from_file(mut file: file::NetworkFile) -> Result<Network, ConfigErrors> {
        file.update();
        file::check_limits(&mut file).map_err(ConfigErrors)?;
        shapes::build(file).map_err(ConfigErrors)
    }

    /// The tensors that the host writes: the first input and the further ones.
    pub fn inputs(&self) -> impl Iterator<Item = usize> {
        let layers = self.layers.iter().enumerate();
        let further = layers.filter(|(_, layer)| layer.kind == LayerKind::Input);
        std::iter::once(0).chain(further.map(|(index, _)| index + 1))
    }

    /// Elements of an image.
    pub fn image_elements(&self) -> usize {
        let shapes = self.inputs().map(|input| self.tensor(input).0);
        shapes.map(Shape::elements).sum()
    }

    /// The part of an image that is an input.
    ///
    /// # Panics
    /// If the image is too short.
    pub fn part<'i>(&self, image: &'i [i8], input: usize) -> &'i [i8] {
        let before = self.inputs().take_while(|&other| other < input);
        let start: usize = before.map(|other| self.tensor(other).0.elements()).sum();
        &image[start..start + self.tensor(input).0.elements()]
    }

    /// Shape of the last layer's output.
    pub fn output(&self) -> Shape {
        self.layers.last().map_or(self.input, |layer| layer.output)
    }

    /// Shape and zero point of a tensor: 0 is the input, i + 1 the output of layer i.
    #[must_use]
    pub fn tensor(&self, index: usize) -> (Shape, i8) {
        match index.checked_sub(1).map(|layer| &self.layers[layer]) {
            Some(layer) => (layer.output, layer.output_zero_point),
            None => (self.input, self.input_zero_point),
        }
    }

    /// The dimension along which the bytes of places lie, if a tensor is what [`LayerKind::ArgMax`] makes.
    #[must_use]
    pub fn places(&self, index: usize) -> Option<Axis> {
        let layer = index.checked_sub(1).map(|layer| &self.layers[layer]);
        layer.and_then(|layer| layer.kind.places())
    }

    /// No value of a tensor is less than this.
    #[must_use]
    pub fn least(&self, index: usize) -> i8 {
        let Some(layer) = index.checked_sub(1).map(|layer| &self.layers[layer]) else {
            return i8::MIN;
        };
        match (&layer.table, layer.kind) {
            (Some(table), _) => table.values.iter().copied().min().unwrap_or(i8::MIN),
            (None, LayerKind::MaxPool2d) => self.least(layer.inputs[0].tensor),
            _ => layer.min,
        }
    }

    /// Name of a tensor: that of the layer that makes it, or "input".
    #[must_use]
    pub fn tensor_name(&self, index: usize) -> &str {
        match index.checked_sub(1) {
            Some(layer) => &self.layers[layer].name,
            None => INPUT_NAME,
        }
    }
}

/// Characters that no name may have, because a terminal obeys them or shows nothing: controls, zero widths, directions
/// and breaks of lines.
const HIDDEN: [RangeInclusive<char>; 6] = [
    '\0'..='\u{1f}',
    '\u{7f}'..='\u{9f}',
    '\u{200b}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{feff}'..='\u{feff}',
];

/// What [`is_name`] allows.
pub const NAME: &str = "1 to 64 characters, all of them visible";

/// Whether a text can be the name of a network or a layer.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let hidden = |c: char| HIDDEN.iter().any(|range| range.contains(&c));
    (1..=64).contains(&text.chars().count()) && !text.contains(hidden)
}

/// The visible characters as a pattern of JSON schema.
fn name_pattern() -> String {
    let hidden = HIDDEN.iter().map(|range| {
        let [low, high] = [*range.start(), *range.end()].map(u32::from);
        format!(r"\u{low:04x}-\u{high:04x}")
    });
    format!("^[^{}]*$", hidden.collect::<String>())
}

/// JSON schema of a network file.
pub fn schema() -> serde_json::Value {
    stored::schema()
}
