//! The operators: what a layer can be. All that is said of one is in its file here, and its line in the table below.
//!
//! An operator has two sides. Its `OperatorFile` is what a network file says of it, and the rules for that; its `Operator` is
//! what a layer of it does.

mod pairs;
mod prelude;
mod sums;
mod windows;
mod work;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use add::Sum;
pub use arg_max::PLACE_BYTES;
pub use matmul::Matmul;
pub use maximum::Maximum;
pub use mean::Mean;
pub use mul::Product;
pub use pad::Pad;
pub use prelu::Prelu;
pub use reshape::Order;
pub use resize_bilinear::Alignment;
pub use softmax::Softmax;
pub use transpose::Matrices;
pub use work::{Reduction, Work};

use crate::draft::Draft;
use crate::file::Common;
use crate::{Axis, Constant, Layer, NetworkError, Shape, Tensor};

/// What a network file says of an operator: its own fields, and the rules for them.
pub(crate) trait OperatorFile: Serialize + DeserializeOwned + JsonSchema {
    /// Which of the fields of all layers it has.
    const COMMON: Common = Common::SCALED;
    /// Its elements are places, which no layer reads.
    const MAKES_PLACES: bool = false;

    /// No machine does it, whatever its configuration.
    const FOR_HOST: bool = true;

    /// Whether no machine does it as the file says.
    fn is_for_host(&self) -> bool {
        Self::FOR_HOST
    }

    /// How many tensors it reads.
    fn reads(&self) -> Reads {
        Reads::exactly(1, "")
    }

    /// The weights that may lie in another file.
    fn weights(&self) -> Option<&Vec<i8>> {
        None
    }

    /// The same, to be changed.
    fn weights_mut(&mut self) -> Option<&mut Vec<i8>> {
        None
    }

    /// Fills in what the layer has unlike a plain one, and gives its kind; none without an output shape. All else that is wrong is
    /// noted and leaves the layer in place, so that those that read it are checked too.
    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind>;
}

/// How many tensors an operator reads.
pub(crate) struct Reads {
    /// The least and the most.
    pub count: std::ops::RangeInclusive<usize>,
    /// In which case, as the end of a message.
    pub case: &'static str,
}

impl Reads {
    /// So many, in this case.
    #[must_use]
    pub fn exactly(count: usize, case: &'static str) -> Self {
        let count = count..=count;
        Self { count, case }
    }
}

/// What a layer of an operator does. An implementation holds what the kind of the layer does.
pub(crate) trait Operator {
    /// What the array of a machine does for it.
    fn work(&self) -> Work {
        Work::Host
    }

    /// Whether no machine does this layer, although machines do others.
    fn only_on_host(&self, _layer: &Layer) -> bool {
        false
    }

    /// Why the host runs this layer on every machine, if its inputs have these shapes; none if a machine may do it.
    fn host_reason(&self, _layer: &Layer, _inputs: &[Shape]) -> Option<&'static str> {
        (self.work() == Work::Host).then_some("the machine does not do this")
    }

    /// What a graph says of this layer behind the name of the operator.
    fn words(&self, _layer: &Layer) -> Vec<String> {
        Vec::new()
    }

    /// Whether values pass unchanged to other places, or are means of others: they have no scale of their own.
    fn moves(&self) -> bool {
        false
    }

    /// The dimension along which the bytes of places lie, if it makes places.
    fn places(&self) -> Option<Axis> {
        None
    }

    /// A stored tensor that takes the place of an input.
    fn constant(&self) -> Option<Constant> {
        None
    }

    /// Sizes of the weights, in the order in which they lie.
    fn weight_shape(&self, layer: &Layer) -> Vec<usize> {
        vec![layer.weights.len()]
    }

    /// The reference meaning: what the layer makes of tensors, before its table.
    ///
    /// # Errors
    /// A sum leaves 32 bits.
    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError>;
}

/// A further input of the network, which the host writes; no layer of a file.
struct FurtherInput;

impl Operator for FurtherInput {
    fn host_reason(&self, _layer: &Layer, _inputs: &[Shape]) -> Option<&'static str> {
        Some("the host writes it")
    }

    fn run(&self, _layer: &Layer, _inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        unreachable!("the host writes it")
    }
}

/// Makes of the lines of the table: the modules, the kinds of layers and what each of them holds, and the kinds in a file.
macro_rules! operators {
    ($($(#[doc = $doc:literal])+ $module:ident $kind:ident $(($held:ident: $holds:ty))? $file:ident;)+) => {
        $(pub mod $module;)+
        pub use files::*;

        /// What a network file says of each.
        pub mod files {
            $(pub use super::$module::$file;)+
        }

        /// What a layer does with its inputs.
        #[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum LayerKind {
            /// A further input of the network, which the host writes; no layer of the file.
            #[default]
            Input,
            $($(#[doc = $doc])+ $kind $(($holds))?,)+
        }

        impl LayerKind {
            /// Name in a network file.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    LayerKind::Input => "input",
                    $(LayerKind::$kind { .. } => stringify!($module),)+
                }
            }

            /// What an operator says.
            pub(crate) fn with<T>(self, ask: impl FnOnce(&dyn Operator) -> T) -> T {
                match self {
                    LayerKind::Input => ask(&FurtherInput),
                    $(LayerKind::$kind $(($held))? => ask(&$module::Op $(($held))?),)+
                }
            }
        }

        /// Kind of a layer, with its own fields.
        #[derive(Debug, Clone, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "snake_case")]
        pub enum KindFile {
            $($(#[doc = $doc])+ $kind($file),)+
        }

        $(impl From<$file> for KindFile {
            fn from(file: $file) -> Self {
                KindFile::$kind(file)
            }
        })+

        impl KindFile {
            /// Name in a network file.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    $(KindFile::$kind(_) => stringify!($module),)+
                }
            }

            /// Which of the fields of all layers it has.
            #[must_use]
            pub const fn common(&self) -> Common {
                match self {
                    $(KindFile::$kind(_) => $file::COMMON,)+
                }
            }

            /// Its name, if its elements are places, which no layer reads.
            pub(crate) fn makes_places(&self) -> Option<&'static str> {
                let places = match self {
                    $(KindFile::$kind(_) => $file::MAKES_PLACES,)+
                };
                places.then(|| self.name())
            }

            /// Whether no machine does it, whatever its configuration.
            #[must_use]
            pub fn is_for_host(&self) -> bool {
                match self {
                    $(KindFile::$kind(file) => file.is_for_host(),)+
                }
            }

            /// How many tensors it reads.
            pub(crate) fn reads(&self) -> Reads {
                match self {
                    $(KindFile::$kind(file) => file.reads(),)+
                }
            }

            /// The weights that may lie in another file.
            #[must_use]
            pub fn weights(&self) -> Option<&Vec<i8>> {
                match self {
                    $(KindFile::$kind(file) => file.weights(),)+
                }
            }

            /// The same, to be changed.
            pub fn weights_mut(&mut self) -> Option<&mut Vec<i8>> {
                match self {
                    $(KindFile::$kind(file) => file.weights_mut(),)+
                }
            }

            /// The kind of the layer that a draft becomes.
            pub(crate) fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
                match self {
                    $(KindFile::$kind(file) => file.read(draft),)+
                }
            }

            /// For each kind its name, what it is, the schema of its own fields, and which of all layers it has.
            pub(crate) fn schemas() -> Vec<(&'static str, String, serde_json::Value, Common)> {
                vec![$((
                    stringify!($module),
                    concat!($($doc),+).trim().to_string(),
                    heddle_arch::json::schema_of::<$file>(),
                    $file::COMMON,
                ),)+]
            }
        }
    };
}

operators! {
    /// Convolution, also grouped and depthwise.
    conv2d Conv2d Conv2dFile;
    /// Fully connected layer: a convolution whose kernel is the whole plane.
    fully_connected FullyConnected FullyConnectedFile;
    /// Mean of windows.
    average_pool2d AveragePool2d AveragePool2dFile;
    /// Largest value of windows, of their places inside the plane. Values pass unchanged.
    max_pool2d MaxPool2d MaxPool2dFile;
    /// Sum or difference of two tensors, each with a scale of its own. Sides of 1 are broadcast.
    add Add(sum: Sum) AddFile;
    /// Sum of tensors of one shape, each multiplied by a factor.
    weighted_sum WeightedSum WeightedSumFile;
    /// Another byte for each byte.
    table Table TableFile;
    /// Products of matrices, one for each channel: of two inputs, or of one and weights.
    matmul Matmul(matmul: Matmul) MatmulFile;
    /// Another order of dimensions. Values pass unchanged.
    transpose Transpose(permutation: Permutation) Permutation;
    /// Product of two tensors, element by element. Sides of 1 are broadcast.
    mul Mul(product: Product) MulFile;
    /// The larger of two tensors, element by element, or the smaller. Sides of 1 are broadcast. Values pass unchanged.
    maximum Maximum(maximum: Maximum) MaximumFile;
    /// Values from zero on, and those below it times a slope of their own. Sides of 1 are broadcast.
    prelu Prelu(prelu: Prelu) PreluFile;
    /// Square of the difference of two tensors. Sides of 1 are broadcast.
    squared_difference SquaredDifference(sum: Sum) SquaredDifferenceFile;
    /// Largest value over dimensions, which have one place then. Values pass unchanged.
    reduce_max ReduceMax ReduceMaxFile;
    /// Mean over dimensions, which have one place then.
    mean Mean(mean: Mean) MeanFile;
    /// Share of each exponential in its row, with zero point -128 and steps of 1/256.
    softmax Softmax(softmax: Softmax) SoftmaxFile;
    /// Place of the largest of each row, the first of several, as 4 bytes along the dimension of the row, the lowest one first.
    /// Only an output of the network: no layer reads it.
    arg_max ArgMax(axis: Axis) ArgMaxFile;
    /// Tensors one after another along a dimension. Values pass unchanged.
    concat Concat(axis: Axis) ConcatFile;
    /// A part of a tensor, from a channel, row and column on. Values pass unchanged.
    slice Slice(start: [u32; 3]) SliceFile;
    /// Elements of other places: each is the one whose number is the sum of what its channel, row and column say. Values pass
    /// unchanged.
    gather Gather GatherFile;
    /// A larger tensor that holds this one from a channel, row and column on, its elements apart if the stride says so, and
    /// elsewhere the zero point, or another byte. Values pass unchanged.
    pad Pad(pad: Pad) PadFile;
    /// Each element several times, down and across: its nearest neighbours in a larger plane. Values pass unchanged.
    resize Resize(times: [u32; 2]) ResizeFile;
    /// A plane of another size: the mean of the four nearest elements, each with its share.
    resize_bilinear ResizeBilinear(alignment: Alignment) ResizeBilinearFile;
    /// Steps in float32 between bytes and bytes.
    float32 Float32 Float32File;
    /// The same elements in another shape, counted in this order. Values pass unchanged.
    reshape Reshape(order: Order) ReshapeFile;
}

impl LayerKind {
    /// Whether values pass unchanged to other places, or are means of others: they have no scale of their own.
    #[must_use]
    pub fn moves(self) -> bool {
        self.with(|operator| operator.moves())
    }

    /// The dimension along which the bytes of places lie, if it makes places.
    #[must_use]
    pub fn places(self) -> Option<Axis> {
        self.with(|operator| operator.places())
    }

    /// A stored tensor that takes the place of an input.
    #[must_use]
    pub fn constant(self) -> Option<Constant> {
        self.with(|operator| operator.constant())
    }
}
