//! What tables are made for: one JSON document, or the options of `heddle offsets make`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Tables;
use crate::fault::{ConfigErrors, Fault};
use crate::json;

/// What tables are made for and in which form. Exactly one of `convolution`, `fully_connected` and
/// `matrix` is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// A convolution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub convolution: Option<Convolution>,
    /// A fully connected layer: a 1x1 filter on images of one element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fully_connected: Option<FullyConnected>,
    /// A matrix product.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matrix: Option<Matrix>,
    /// Bytes of an element of the tensor (`sizeof(elem_type)`).
    #[serde(default = "one")]
    #[schemars(extend("enum" = [1, 2, 4, 8]))]
    pub element_bytes: u32,
    /// Entries are bytes divided by 2^unit_shift; the unit shifts them back.
    #[serde(default)]
    #[schemars(range(min = 0, max = 3))]
    pub unit_shift: u32,
    /// Offsets are steps from tap to tap.
    #[serde(default)]
    pub running: bool,
    /// Taps in the order of the elements in memory, not of the weights: neighbours share a line.
    #[serde(default)]
    pub reuse_order: bool,
    /// Word address of the first weight word, to be kept in the tables. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 65535))]
    pub weight_base: Option<u32>,
}

/// A convolution of a batch of images.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Convolution {
    /// Input channels of all groups (`inc`).
    #[schemars(range(min = 1, max = 65535))]
    pub channels: u32,
    /// Rows of an input plane, without padding (`hi`).
    #[schemars(range(min = 1, max = 65535))]
    pub height: u32,
    /// Columns of an input plane, without padding (`wi`).
    #[schemars(range(min = 1, max = 65535))]
    pub width: u32,
    /// Output channels of all groups (`onc`).
    #[schemars(range(min = 1, max = 65535))]
    pub outputs: u32,
    /// Images (`nb`).
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 65535))]
    pub images: u32,
    /// Height and width of the filter (`s`, `r`).
    #[schemars(length(equal = 2), inner(range(min = 1, max = 65535)))]
    pub kernel: [u32; 2],
    /// Vertical and horizontal stride (`sv`, `su`).
    #[serde(default = "ones")]
    #[schemars(length(equal = 2), inner(range(min = 1, max = 65535)))]
    pub stride: [u32; 2],
    /// Vertical and horizontal dilation (`dv`, `du`); 1: neighbours.
    #[serde(default = "ones")]
    #[schemars(length(equal = 2), inner(range(min = 1, max = 65535)))]
    pub dilation: [u32; 2],
    /// Groups of channels with filters of their own; one table serves all.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 65535))]
    pub groups: u32,
    /// Zeros around the input.
    #[serde(default)]
    pub padding: Sides,
    /// Where the zeros come from.
    #[serde(default)]
    pub pad: Pad,
    /// Order of the elements in memory.
    #[serde(default)]
    pub layout: Layout,
    /// Channels of a vector, with `nchw_vector` only.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 65535))]
    pub vector: u32,
}

/// Zeros around a plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sides {
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

/// Where the zeros of the padding come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Pad {
    /// They lie in memory: every plane is stored with its border.
    #[default]
    Border,
    /// They are not stored; masks say which taps are not read.
    Mask,
}

/// Order of the elements of a tensor in memory, the slowest index first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// Image, channel, row, column.
    #[default]
    Nchw,
    /// Channel, image, row, column.
    Cnhw,
    /// Image, row, column, channel.
    Nhwc,
    /// Image, block of `vector` channels, row, column, channel of the block.
    NchwVector,
}

/// A fully connected layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FullyConnected {
    /// Inputs.
    #[schemars(range(min = 1, max = 65535))]
    pub inputs: u32,
    /// Outputs.
    #[schemars(range(min = 1, max = 65535))]
    pub outputs: u32,
    /// Images.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 65535))]
    pub images: u32,
}

/// A matrix product A x B with A in memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// Rows of A.
    #[schemars(range(min = 1, max = 65535))]
    pub rows: u32,
    /// Columns of A, rows of B.
    #[schemars(range(min = 1, max = 65535))]
    pub depth: u32,
    /// Columns of B.
    #[schemars(range(min = 1, max = 65535))]
    pub outputs: u32,
    /// Elements from one stored line of A to the next. Default: the length of a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 2147483647))]
    pub leading: Option<u32>,
    /// A is stored column by column: a stored line is a column of A.
    #[serde(default)]
    pub transposed: bool,
}

fn one() -> u32 {
    1
}

fn ones() -> [u32; 2] {
    [1, 1]
}

/// JSON schema of a request. [`Request::from_json`] checks against this schema itself.
pub fn request_schema() -> Value {
    json::schema_of::<Request>()
}

impl Request {
    /// Largest tensor: entries have 32 bits with sign.
    pub const TENSOR_BYTES_MAX: u64 = 1 << 31;
    /// Largest side of a filter with masks.
    pub const MASK_TAPS_MAX: u32 = 16;

    /// Reads a request.
    ///
    /// # Errors
    /// All faults of the document, each with its line, field, value and what is allowed.
    pub fn from_json(text: &str) -> Result<Request, ConfigErrors> {
        let document = json::Document::parse(text)?;
        let request: Request = document.read(document.check(&request_schema()))?;
        let faults = request.rules();
        match faults.is_empty() {
            true => Ok(request),
            false => Err(document.errors(faults)),
        }
    }

    /// Checks a request that was not read by [`Request::from_json`].
    ///
    /// # Errors
    /// As [`Request::from_json`], without lines.
    pub fn check(&self) -> Result<(), ConfigErrors> {
        let text = serde_json::to_string(self).expect("a request is names and numbers");
        Request::from_json(&text).map(|_| ()).map_err(|errors| {
            let mut faults = errors.0;
            faults.iter_mut().for_each(|fault| fault.line = None);
            ConfigErrors(faults)
        })
    }

    /// Bytes of the tensor from its first to its last element; of a border, if it is stored.
    pub fn tensor_bytes(&self) -> u64 {
        u64::try_from(self.elements() * u128::from(self.element_bytes)).unwrap_or(u64::MAX)
    }

    fn elements(&self) -> u128 {
        if let Some(convolution) = &self.convolution {
            return convolution.elements();
        }
        if let Some(layer) = &self.fully_connected {
            return u128::from(layer.inputs) * u128::from(layer.images);
        }
        self.matrix.as_ref().map_or(0, |matrix| {
            let (lines, length) = matrix.lines();
            u128::from(matrix.leading()) * u128::from(lines.saturating_sub(1)) + u128::from(length)
        })
    }

    /// What the schema cannot express. The fields are in the ranges of the schema.
    fn rules(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let kinds = [
            self.convolution.is_some(),
            self.fully_connected.is_some(),
            self.matrix.is_some(),
        ];
        let found = kinds.iter().filter(|kind| **kind).count();
        if found != 1 {
            faults.push(Fault {
                line: None,
                field: String::new(),
                message: format!(
                    "convolution, fully_connected and matrix: {found} are there, expected one"
                ),
            });
            return faults;
        }
        let unit = 1 << self.unit_shift;
        if self.element_bytes % unit != 0 {
            let allowed = format!("a multiple of {unit}, 2^unit_shift");
            push(&mut faults, "element_bytes", self.element_bytes, &allowed);
        }
        if let Some(convolution) = &self.convolution {
            convolution.rules(&mut faults);
        }
        if let Some(matrix) = &self.matrix {
            let length = matrix.lines().1;
            if matrix.leading() < length {
                let allowed = format!("at least {length}, the length of a line");
                push(&mut faults, "matrix.leading", matrix.leading(), &allowed);
            }
        }
        if faults.is_empty() {
            self.size_rules(&mut faults);
        }
        faults
    }

    /// Tensor, rows and taps.
    fn size_rules(&self, faults: &mut Vec<Fault>) {
        let bytes = self.elements() * u128::from(self.element_bytes);
        let (rows, taps) = if let Some(convolution) = &self.convolution {
            let [height, width] = convolution.output();
            let pixels = u64::from(height) * u64::from(width);
            let [s, r] = convolution.kernel.map(u64::from);
            let channels = u64::from(convolution.group_channels());
            let rows = u128::from(pixels) * u128::from(convolution.images);
            (rows, u128::from(channels) * u128::from(s * r))
        } else if let Some(layer) = &self.fully_connected {
            (layer.images.into(), layer.inputs.into())
        } else {
            let matrix = self.matrix.as_ref();
            matrix.map_or((1, 1), |m| (m.rows.into(), m.depth.into()))
        };
        let limits = [
            ("the tensor has", bytes, "bytes", Request::TENSOR_BYTES_MAX),
            ("the GEMM has", rows, "rows", Tables::COUNT_MAX.into()),
            ("the GEMM has", taps, "taps", Tables::COUNT_MAX.into()),
        ];
        for (what, found, unit, most) in limits {
            if found > u128::from(most) {
                faults.push(Fault {
                    line: None,
                    field: String::new(),
                    message: format!("{what} {found} {unit}, expected at most {most}"),
                });
            }
        }
    }
}

fn push(faults: &mut Vec<Fault>, field: &str, value: impl std::fmt::Display, allowed: &str) {
    faults.push(Fault {
        line: None,
        field: field.to_string(),
        message: format!("{field} is {value}, expected {allowed}"),
    });
}

impl Convolution {
    /// Height and width of the plane with its zeros, stored or not.
    pub fn padded(&self) -> [u32; 2] {
        let Sides {
            top,
            bottom,
            left,
            right,
        } = self.padding;
        [self.height + top + bottom, self.width + left + right]
    }

    /// Height and width of a plane as it is stored.
    pub fn stored(&self) -> [u32; 2] {
        match self.pad {
            Pad::Border => self.padded(),
            Pad::Mask => [self.height, self.width],
        }
    }

    /// Rows and columns of an output plane (`ho`, `wo`). The filter fits in the padded plane.
    pub fn output(&self) -> [u32; 2] {
        let padded = self.padded();
        [0, 1].map(|axis| {
            let extent = self.extent(axis).min(padded[axis].into()) as u32;
            (padded[axis] - extent) / self.stride[axis] + 1
        })
    }

    /// Input channels of a group.
    pub fn group_channels(&self) -> u32 {
        self.channels / self.groups
    }

    /// Rows or columns that the filter reaches over.
    fn extent(&self, axis: usize) -> u64 {
        u64::from(self.dilation[axis]) * u64::from(self.kernel[axis] - 1) + 1
    }

    fn elements(&self) -> u128 {
        let [height, width] = self.stored().map(u128::from);
        u128::from(self.images) * u128::from(self.channels) * height * width
    }

    fn rules(&self, faults: &mut Vec<Fault>) {
        let padded = self.padded();
        for (axis, name) in [(0, "height"), (1, "width")] {
            let extent = self.extent(axis);
            if extent > padded[axis].into() {
                let value = format!("{} with its padding", padded[axis]);
                let allowed = format!("at least {extent}, the {name} of the dilated filter");
                push(faults, &format!("convolution.{name}"), value, &allowed);
            }
            if self.pad == Pad::Mask && self.kernel[axis] > Request::MASK_TAPS_MAX {
                let field = format!("convolution.kernel[{axis}]");
                let allowed = format!("at most {} with masks", Request::MASK_TAPS_MAX);
                push(faults, &field, self.kernel[axis], &allowed);
            }
        }
        for (name, value) in [("channels", self.channels), ("outputs", self.outputs)] {
            if value % self.groups != 0 {
                let allowed = format!("a multiple of {}, the groups", self.groups);
                push(faults, &format!("convolution.{name}"), value, &allowed);
            }
        }
        let vectors = self.layout == Layout::NchwVector;
        if !vectors && self.vector != 1 {
            let allowed = "1 without the layout \"nchw_vector\"";
            push(faults, "convolution.vector", self.vector, allowed);
        }
        if vectors && self.group_channels() % self.vector != 0 {
            let channels = self.group_channels();
            let allowed = format!("a divisor of {channels}, the channels of a group");
            push(faults, "convolution.vector", self.vector, &allowed);
        }
    }
}

impl Matrix {
    /// Elements from one stored line to the next.
    pub fn leading(&self) -> u32 {
        self.leading.unwrap_or(self.lines().1)
    }

    /// Number and length of the stored lines.
    fn lines(&self) -> (u32, u32) {
        match self.transposed {
            false => (self.rows, self.depth),
            true => (self.depth, self.rows),
        }
    }
}
