//! The network file as it stands in JSON, for those who write one: [`Network::from_file`] checks it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Alignment, Axis, LayerKind, Order, name_pattern};
use heddle_arch::fault::Fault;
use heddle_arch::json;

/// Name and version of the format.
pub const FORMAT: &str = "heddle-network-2";

/// The version before: a weighted sum is called add there.
const FORMAT_1: &str = "heddle-network-1";

/// A quantised network and its test images.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkFile {
    /// Name and version of this format.
    #[schemars(extend("enum" = [FORMAT, FORMAT_1]))]
    pub format: String,
    /// Name of the network.
    #[schemars(length(min = 1, max = 64), extend("pattern" = name_pattern()))]
    pub name: String,
    /// The input tensor.
    pub input: InputFile,
    /// Further inputs, which layers read by their names. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 63))]
    pub further_inputs: Vec<FurtherInputFile>,
    /// Layers; each reads the input of the network or outputs of layers before it.
    #[schemars(length(min = 1, max = 256))]
    pub layers: Vec<LayerFile>,
    /// Names of the layers whose outputs the host reads. Default: the last layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", length(min = 1, max = 64))]
    pub outputs: Option<Vec<String>>,
    /// Images and labels to test with. Default: none.
    #[serde(default)]
    pub test: TestFile,
}

/// The input tensor.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InputFile {
    /// Channels.
    #[schemars(range(min = 1, max = 4096))]
    pub channels: u32,
    /// Rows.
    #[schemars(range(min = 1, max = 4096))]
    pub height: u32,
    /// Columns.
    #[schemars(range(min = 1, max = 4096))]
    pub width: u32,
    /// Quantised value of a real zero.
    #[schemars(range(min = -128, max = 127))]
    pub zero_point: i8,
    /// Real value of one step; for information.
    pub scale: f64,
}

/// A further input tensor.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FurtherInputFile {
    /// Name, unlike those of layers.
    #[schemars(length(min = 1, max = 64), extend("pattern" = name_pattern()))]
    pub name: String,
    /// Channels.
    #[schemars(range(min = 1, max = 4096))]
    pub channels: u32,
    /// Rows.
    #[schemars(range(min = 1, max = 4096))]
    pub height: u32,
    /// Columns.
    #[schemars(range(min = 1, max = 4096))]
    pub width: u32,
    /// Quantised value of a real zero.
    #[schemars(range(min = -128, max = 127))]
    pub zero_point: i8,
    /// Real value of one step; for information.
    pub scale: f64,
}

/// Kind of a layer.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KindFile {
    /// Convolution; needs output_channels and kernel.
    #[default]
    Conv2d,
    /// Fully connected layer; needs output_features.
    FullyConnected,
    /// Mean of windows; needs kernel.
    #[serde(rename = "average_pool2d")]
    AveragePool2d,
    /// Maximum of windows; needs kernel. Values pass unchanged.
    #[serde(rename = "max_pool2d")]
    MaxPool2d,
    /// Sum or difference of two tensors; needs inputs, input_multiplier and input_shift. Sides of 1 are broadcast.
    Add,
    /// Sum of tensors of one shape; needs inputs and factors.
    WeightedSum,
    /// Another byte for each byte; needs table.
    Table,
    /// Products of matrices, one for each channel; needs two inputs, or weights and output_features.
    Matmul,
    /// Another order of dimensions. Values pass unchanged.
    Transpose,
    /// Product of two tensors; needs inputs. Sides of 1 are broadcast.
    Mul,
    /// Values from zero on, and those below it times a slope; needs constant, the slopes. Sides of 1 are broadcast.
    Prelu,
    /// Square of the difference of two tensors; needs inputs, input_multiplier and input_shift. Sides of 1 are broadcast.
    SquaredDifference,
    /// Mean over dimensions; needs axes.
    Mean,
    /// Share of each exponential in its row, with zero point -128 and steps of 1/256; needs axis.
    Softmax,
    /// Place of the largest of each row, the first of several, as 4 bytes along the dimension of the row, the lowest one first;
    /// needs axis. Only an output of the network: no layer reads it.
    ArgMax,
    /// Tensors one after another; needs inputs and axis. Values pass unchanged.
    Concat,
    /// A part of a tensor; needs start and output_shape. Values pass unchanged.
    Slice,
    /// A larger tensor that holds this one, its elements apart if stride says so, and elsewhere the zero point; needs start and
    /// output_shape. Values pass unchanged.
    Pad,
    /// Each element several times, its nearest neighbours in a larger plane; needs scale_factor. Values pass unchanged.
    Resize,
    /// A plane of another size from the four nearest elements; needs output_shape.
    ResizeBilinear,
    /// The same elements in another shape; needs output_shape. Values pass unchanged.
    Reshape,
}

impl KindFile {
    pub(super) const ALL: [KindFile; 21] = [
        KindFile::Conv2d,
        KindFile::FullyConnected,
        KindFile::AveragePool2d,
        KindFile::MaxPool2d,
        KindFile::Add,
        KindFile::WeightedSum,
        KindFile::Table,
        KindFile::Matmul,
        KindFile::Transpose,
        KindFile::Mul,
        KindFile::Prelu,
        KindFile::SquaredDifference,
        KindFile::Mean,
        KindFile::Softmax,
        KindFile::ArgMax,
        KindFile::Concat,
        KindFile::Slice,
        KindFile::Pad,
        KindFile::Resize,
        KindFile::ResizeBilinear,
        KindFile::Reshape,
    ];
}

impl LayerFile {
    /// Whether no machine does it, whatever its configuration.
    #[must_use]
    pub fn is_for_host(&self) -> bool {
        let padding = self.padding.unwrap_or_default();
        let kind = LayerKind::from(self.kind);
        kind.is_for_host() || kind == LayerKind::AveragePool2d && padding != PaddingFile::default()
    }
}

/// Rounding of scaled sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RoundingFile {
    /// Rounding doubling high multiply, then rounding shift.
    Double,
    /// One rounding of the 64-bit product.
    Single,
}

/// Zeros around the input, less than the kernel on each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaddingFile {
    /// Rows above.
    #[schemars(range(min = 0, max = 4095))]
    pub top: u32,
    /// Rows below.
    #[schemars(range(min = 0, max = 4095))]
    pub bottom: u32,
    /// Columns on the left.
    #[schemars(range(min = 0, max = 4095))]
    pub left: u32,
    /// Columns on the right.
    #[schemars(range(min = 0, max = 4095))]
    pub right: u32,
}

/// A stored tensor that takes the place of one of two inputs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConstantFile {
    /// Channels, height, width.
    #[schemars(inner(range(min = 1, max = 4096)))]
    pub shape: [u32; 3],
    /// Quantised value of a real zero.
    #[schemars(range(min = -128, max = 127))]
    pub zero_point: i8,
    /// It is the first of the two. Default: the second.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first: bool,
    /// Elements in the order channel, row, column.
    #[schemars(inner(range(min = -128, max = 127)))]
    pub values: Vec<i8>,
}

/// A layer.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = super::fields::add_needs)]
pub struct LayerFile {
    /// What the layer does.
    pub kind: KindFile,
    /// Name, unique in the network.
    #[schemars(length(min = 1, max = 64), extend("pattern" = name_pattern()))]
    pub name: String,
    /// Names of the layers whose outputs it reads, or "input" for the input of the network. Default: the layer
    /// before. Only add, mul, squared_difference, weighted_sum, concat and matmul read several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<String>", length(min = 1, max = 8))]
    pub inputs: Option<Vec<String>>,
    /// conv2d: output channels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 4096))]
    pub output_channels: Option<u32>,
    /// fully_connected: outputs. matmul: columns of the product with weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 4096))]
    pub output_features: Option<u32>,
    /// conv2d and pooling: kernel height and width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        with = "Vec<u32>",
        length(equal = 2),
        inner(range(min = 1, max = 4096))
    )]
    pub kernel: Option<[u32; 2]>,
    /// conv2d and pooling: vertical and horizontal stride. pad: distances of the elements in the output. Default: the kernel for
    /// pooling, else 1, 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        with = "Vec<u32>",
        length(equal = 2),
        inner(range(min = 1, max = 4096))
    )]
    pub stride: Option<[u32; 2]>,
    /// conv2d: vertical and horizontal distance of the places of the kernel. Default: 1, 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        with = "Vec<u32>",
        length(equal = 2),
        inner(range(min = 1, max = 4096))
    )]
    pub dilation: Option<[u32; 2]>,
    /// conv2d: groups of channels; divides input and output channels. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 4096))]
    pub groups: Option<u32>,
    /// conv2d: zeros around the input; pooling: places around it that do not count. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaddingFile")]
    pub padding: Option<PaddingFile>,
    /// conv2d, fully_connected: weights, in the order output, input channel of the group, kernel row, kernel column.
    /// matmul: the second factor, row by row, the same for all channels. In JSON also an object that names another file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<i8>", inner(range(min = -128, max = 127)))]
    pub weights: Option<Vec<i8>>,
    /// weighted_sum: factor of each input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<i8>", length(min = 2, max = 8), inner(range(min = -128, max = 127)))]
    pub factors: Option<Vec<i8>>,
    /// add, squared_difference: multiplier of each of the two, 0 to 2^31 - 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        with = "Vec<i32>",
        length(equal = 2),
        inner(range(min = 0, max = i32::MAX))
    )]
    pub input_multiplier: Option<[i32; 2]>,
    /// add, squared_difference: shift of each of the two, positive to the left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<i32>", length(equal = 2), inner(range(min = -31, max = 0)))]
    pub input_shift: Option<[i32; 2]>,
    /// add, mul, squared_difference: what takes the place of an input; default: two inputs. prelu: the slopes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ConstantFile")]
    pub constant: Option<ConstantFile>,
    /// softmax, arg_max, concat: the dimension of a row, or along which tensors lie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Axis")]
    pub axis: Option<Axis>,
    /// mean: the dimensions over which it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Axis>", length(min = 1, max = 3))]
    pub axes: Option<Vec<Axis>>,
    /// slice: channel, row and column where it starts. pad: where the first element comes to lie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        with = "Vec<u32>",
        length(equal = 3),
        inner(range(min = 0, max = 4095))
    )]
    pub start: Option<[u32; 3]>,
    /// slice, pad, resize_bilinear, reshape: channels, height and width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        with = "Vec<u32>",
        length(equal = 3),
        inner(range(min = 1, max = 4096))
    )]
    pub output_shape: Option<[u32; 3]>,
    /// resize: how often an element comes, down and across.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        with = "Vec<u32>",
        length(equal = 2),
        inner(range(min = 1, max = 4096))
    )]
    pub scale_factor: Option<[u32; 2]>,
    /// resize_bilinear: which elements of both planes lie upon each other. Default: origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Alignment")]
    pub alignment: Option<Alignment>,
    /// reshape: the order in which elements are counted. Default: channels_first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Order")]
    pub order: Option<Order>,
    /// add: the second input is subtracted. Default: it is added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub subtract: Option<bool>,
    /// matmul: whether the first and the second factor are taken transposed. Default: neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<bool>", length(equal = 2))]
    pub transposed: Option<[bool; 2]>,
    /// transpose: dimension i of the output is this dimension of the input, both of four dimensions, the first two of
    /// which are the channels. Default: 0, 1, 3, 2, the matrix of each channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<u8>", length(equal = 4), inner(range(min = 0, max = 3)))]
    pub permutation: Option<[u8; 4]>,
    /// transpose: dimension 0 of the input, which divides the channels. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 4096))]
    pub batch: Option<u32>,
    /// transpose: bytes of an element, the lowest one first; divides the width. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 8))]
    pub element_bytes: Option<u32>,
    /// conv2d, fully_connected: bias of each output. matmul: one, or one for each column; default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<i32>", inner(range(min = i32::MIN, max = i32::MAX)))]
    pub bias: Option<Vec<i32>>,
    /// Not for pooling: multiplier of each output: 0 to 2^31 - 1. add, mul,
    /// squared_difference, mean, softmax: one. prelu: one from zero on, one below. matmul: one, or one for each column; default, with shift: scale 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<i32>", inner(range(min = 0, max = i32::MAX)))]
    pub multiplier: Option<Vec<i32>>,
    /// Not for pooling: shift of each output, positive to the left. add: one, not above 0. softmax: one, not
    /// below 0. mul, squared_difference, mean: one. prelu: two. matmul: as many as multipliers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<i32>", inner(range(min = -31, max = 30)))]
    pub shift: Option<Vec<i32>>,
    /// conv2d, fully_connected, weighted_sum, matmul: rounding of scaled sums. mul: that of products; default: double.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "RoundingFile")]
    pub rounding: Option<RoundingFile>,
    /// Not for pooling: quantised value of a real zero of the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i8", range(min = -128, max = 127))]
    pub output_zero_point: Option<i8>,
    /// Not for pooling: smallest output; with a table smallest byte that is looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i8", range(min = -128, max = 127))]
    pub activation_min: Option<i8>,
    /// Not for pooling: largest output; with a table largest byte that is looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i8", range(min = -128, max = 127))]
    pub activation_max: Option<i8>,
    /// Outputs are looked up: 256 bytes, that for -128 first. Not for transpose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<i8>", length(equal = 256), inner(range(min = -128, max = 127)))]
    pub table: Option<Vec<i8>>,
    /// With a table: quantised value of a real zero of the bytes that are looked up. Default: that of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i8", range(min = -128, max = 127))]
    pub table_zero_point: Option<i8>,
    /// Not for pooling: real value of one step of the output; for information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub output_scale: Option<f64>,
}

/// Images and labels to test with.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestFile {
    /// Quantised images, elements in the order channel, row, column; those of further inputs behind.
    pub images: Vec<ImageFile>,
    /// Index of the right output for each image, or none at all.
    #[schemars(inner(range(min = 0, max = 4095)))]
    pub labels: Vec<u32>,
}

/// A quantised image.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ImageFile(#[schemars(inner(range(min = -128, max = 127)))] pub Vec<i8>);

impl From<Vec<i8>> for ImageFile {
    fn from(image: Vec<i8>) -> ImageFile {
        ImageFile(image)
    }
}

impl NetworkFile {
    /// Makes a file of the present version of one of the version before.
    pub(super) fn update(&mut self) {
        if self.format != FORMAT_1 {
            return;
        }
        self.format = FORMAT.to_string();
        let mut layers = self.layers.iter_mut();
        while let Some(layer) = layers.find(|layer| layer.kind == KindFile::Add) {
            layer.kind = KindFile::WeightedSum;
        }
    }
}

/// Checks what the schema says of a file that was never text. Long lists are left out of it: their elements have types.
pub(super) fn check_limits(file: &mut NetworkFile) -> Result<(), Vec<Fault>> {
    let mut long = Vec::new();
    for layer in &mut file.layers {
        let weights = layer.weights.as_mut().map(std::mem::take);
        let lists = [&mut layer.bias, &mut layer.multiplier, &mut layer.shift];
        long.push((weights, lists.map(|list| list.as_mut().map(std::mem::take))));
    }
    let images = std::mem::take(&mut file.test.images);
    let faults = json::faults_of(file, &schema());
    file.test.images = images;
    for (layer, (weights, [bias, multiplier, shift])) in file.layers.iter_mut().zip(long) {
        layer.weights = weights;
        layer.bias = bias;
        layer.multiplier = multiplier;
        layer.shift = shift;
    }
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults)
    }
}

pub(super) fn schema() -> Value {
    json::schema_of::<NetworkFile>()
}
