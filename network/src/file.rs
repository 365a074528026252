//! The network file as it stands in JSON, for those who write one: [`Network::from_file`](crate::Network::from_file) checks it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::Padding as PaddingFile;
pub use crate::form::{Common, Need};
use crate::name::name_pattern;
pub use crate::ops::KindFile;
pub use crate::ops::files::*;
pub use crate::state::StateFile;
use crate::{Shape, form};
use heddle_arch::requantise::Scale;

/// Name and version of the format.
pub const FORMAT: &str = "heddle-network-2";

/// The version before: a weighted sum is called add there.
pub(crate) const FORMAT_1: &str = "heddle-network-1";

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
    #[schemars(length(min = 1, max = 64))]
    pub outputs: Option<Vec<String>>,
    /// Tensors that are kept from one image to the next. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 63))]
    pub states: Vec<StateFile>,
    /// Images and labels to test with. Default: none.
    #[serde(default)]
    pub test: TestFile,
}

/// The input tensor.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InputFile {
    /// Channels.
    #[schemars(range(min = 1, max = 65536))]
    pub channels: u32,
    /// Rows.
    #[schemars(range(min = 1, max = 65536))]
    pub height: u32,
    /// Columns.
    #[schemars(range(min = 1, max = 65536))]
    pub width: u32,
    /// Quantised value of a real zero.
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
    /// What an input is.
    #[serde(flatten)]
    pub input: InputFile,
}

/// A layer: what all have, and the fields of its kind.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = form::one_of_each_kind)]
pub struct LayerFile {
    /// Name, unique in the network.
    #[schemars(length(min = 1, max = 64), extend("pattern" = name_pattern()))]
    pub name: String,
    /// What the layer does.
    #[serde(flatten)]
    #[schemars(skip)]
    pub kind: KindFile,
    /// Names of the layers whose outputs it reads, or "input" for the input of the network. Default: the layer before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 65536))]
    pub inputs: Option<Vec<String>>,
    /// Quantised value of a real zero of the output. Where it may be left out, default: that of the input, of matmul 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_zero_point: Option<i8>,
    /// Real value of one step of the output; for information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_scale: Option<f64>,
    /// Outputs are looked up: 256 bytes, that for -128 first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(equal = 256))]
    pub table: Option<Vec<i8>>,
    /// With a table: quantised value of a real zero of the bytes that are looked up. Default: that of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_zero_point: Option<i8>,
}

/// A kernel that moves over a plane.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct WindowFile {
    /// Kernel height and width.
    #[schemars(inner(range(min = 1, max = 65536)))]
    pub kernel: [u32; 2],
    /// Vertical and horizontal stride. Default: the kernel for pooling, else 1, 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1, max = 65536)))]
    pub stride: Option<[u32; 2]>,
    /// Zeros around the input; of pooling, places around it that do not count. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub padding: Option<PaddingFile>,
}

/// How sums become bytes.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ScaledFile {
    /// Multiplier of each output, 0 to 2^31 - 1; where tensors have scales of their own, one for all, and of prelu one from zero
    /// on and one below.
    #[schemars(inner(range(min = 0, max = i32::MAX)))]
    pub multiplier: Vec<i32>,
    /// Shift of as many, positive to the left; of add not above 0.
    #[schemars(inner(range(min = -31, max = 30)))]
    pub shift: Vec<i32>,
    /// Smallest output; with a table smallest byte that is looked up.
    pub activation_min: i8,
    /// Largest output; with a table largest byte that is looked up.
    pub activation_max: i8,
}

impl ScaledFile {
    /// These scales, and between these bounds.
    #[must_use]
    pub fn new(scales: &[Scale], (activation_min, activation_max): (i8, i8)) -> Self {
        Self {
            multiplier: scales.iter().map(|scale| scale.multiplier()).collect(),
            shift: scales.iter().map(|scale| scale.shift()).collect(),
            activation_min,
            activation_max,
        }
    }
}

/// Scales of the two tensors of a sum.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct InputScalesFile {
    /// Multiplier of each of the two, 0 to 2^31 - 1.
    #[schemars(inner(range(min = 0, max = i32::MAX)))]
    pub input_multiplier: [i32; 2],
    /// Shift of each of the two, positive to the left.
    #[schemars(inner(range(min = -31, max = 0)))]
    pub input_shift: [i32; 2],
}

/// A stored tensor that takes the place of one of two inputs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConstantFile {
    /// Channels, height, width.
    #[schemars(inner(range(min = 1, max = 65536)))]
    pub shape: [u32; 3],
    /// Quantised value of a real zero.
    pub zero_point: i8,
    /// It is the first of the two. Default: the second.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first: bool,
    /// Elements in the order channel, row, column.
    pub values: Vec<i8>,
}

impl InputFile {
    /// Shape of the tensor.
    #[must_use]
    pub fn shape(&self) -> Shape {
        Shape::of([self.channels, self.height, self.width])
    }
}

/// Images and labels to test with.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestFile {
    /// Quantised images, elements in the order channel, row, column; those of further inputs that are no states behind.
    pub images: Vec<ImageFile>,
    /// Index of the right output for each image, or none at all.
    #[schemars(inner(range(min = 0, max = 65535)))]
    pub labels: Vec<u32>,
}

/// A quantised image.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ImageFile(pub Vec<i8>);

impl From<Vec<i8>> for ImageFile {
    fn from(image: Vec<i8>) -> ImageFile {
        ImageFile(image)
    }
}

impl LayerFile {
    /// A layer that reads these tensors; its name, and what else all layers have, is still to be said.
    pub fn new(inputs: Vec<String>, kind: impl Into<KindFile>) -> LayerFile {
        LayerFile {
            name: String::new(),
            kind: kind.into(),
            inputs: Some(inputs),
            output_zero_point: None,
            output_scale: None,
            table: None,
            table_zero_point: None,
        }
    }

    /// Whether outputs may be looked up in a table, and are not.
    #[must_use]
    pub fn takes_table(&self) -> bool {
        self.table.is_none() && self.kind.common().table != Need::Foreign
    }
}
