//! The operators of foreign files. All that is said of one is in its file here, and its line in the table below.
//!
//! A file has [`ROWS`](bytes::ROWS), the registry from which both readers and the page of the documentation take names, and
//! `lower`, which makes a layer of an operator.

/// Makes of lines the rows of a file: names in .tflite files and how they are read, the same of .onnx files, what it becomes, whether its
/// outputs are those of the reference, what it must be like.
macro_rules! rows {
    ($($(tflite $tflite:expr => $of_tflite:expr,)? $(onnx $onnx:expr => $of_onnx:expr,)?
        as $runs_as:expr, $exact:expr, $expects:expr;)+) => {
        #[allow(clippy::needless_update, reason = "a row may have both names")]
        pub const ROWS: &[crate::ops::Support] = &[$(crate::ops::Support {
            $(tflite: $tflite, of_tflite: $of_tflite,)?
            $(onnx: $onnx, of_onnx: $of_onnx,)?
            runs_as: $runs_as,
            exact: $exact,
            expects: $expects,
            ..crate::ops::Support::NONE
        },)+];
    };
}

pub mod bytes;
mod computed;
pub mod float32;
pub mod gathers;
mod matrices;
mod moves;
mod pads;
mod pair;
mod pools;
mod reduce_max;
mod reduce_min;
mod rows;
mod scales;
mod states;
mod transposed;
mod views;
mod weighted;

use std::rc::Rc;

use heddle_network::Alignment;

use crate::exact::Function;
use crate::lower::Lowering;
use crate::lower::layers::Lowered;
use crate::model::{Format, Operator, Window};
use crate::onnx::reader::{Reader, Value};
use crate::onnx::schema::Node;
use crate::tflite::schema;

/// What an operator of a .tflite file does, and the number of its activation; none without the options that it needs.
pub type OfTflite = fn(schema::Operator<'_>, &str) -> Option<(Kind, Option<i8>)>;
/// What a node of an .onnx file makes.
pub type OfOnnx = for<'a> fn(&mut Reader<'a>, &'a Node) -> Result<Value<'a>, String>;

/// What can run, and its names in files.
#[derive(Debug)]
pub struct Support {
    /// Its names in .tflite files.
    pub tflite: &'static [&'static str],
    /// How it is read there.
    pub(crate) of_tflite: OfTflite,
    /// Its names in .onnx files.
    pub onnx: &'static [&'static str],
    /// How it is read there.
    pub(crate) of_onnx: OfOnnx,
    /// What it becomes.
    pub runs_as: &'static str,
    /// Whether its outputs are those of the reference.
    pub exact: &'static str,
    /// What it must be like.
    pub expects: &'static str,
}

impl Support {
    /// What has no names.
    const NONE: Support = Support {
        tflite: &[],
        of_tflite: |_, _| None,
        onnx: &[],
        of_onnx: |_, _| Err(String::new()),
        runs_as: "",
        exact: "",
        expects: "-",
    };
}

/// Whether its outputs are those of the reference, where these may wrap.
const HELD: &str = "same arithmetic; compared for all inputs where the int32 of the reference wrap";

/// The activation of options that begin with it.
fn activation(operator: schema::Operator<'_>) -> Option<i8> {
    let options = operator.options::<schema::Simple<'_>>();
    options.and_then(|options| options.activation())
}

/// The two flags of options.
pub fn flags(operator: schema::Operator<'_>) -> [bool; 2] {
    let options = operator.options::<schema::Two<'_>>();
    let flags = options.map_or([None; 2], |options| [options.first(), options.second()]);
    flags.map(|flag| flag.unwrap_or(false))
}

/// Makes of the lines of the table what an operator does and how it becomes a layer: the file has a function `lower`.
macro_rules! operators {
    ($($module:ident { $($(#[doc = $doc:literal])+ $kind:ident $(($($holds:ty),+))?,)* })+) => {
        /// What an operator does.
        #[derive(Debug, Clone)]
        pub enum Kind {
            $($($(#[doc = $doc])+ $kind $(($($holds),+))?,)*)+
            /// The same elements with another shape.
            Reshape,
            /// What it makes is known: a constant.
            Constant,
            /// It reads or assigns what is kept from one image to the next.
            State,
            /// float32 to bytes, or from bytes to other bytes.
            Quantize,
            /// Bytes to float32.
            Dequantize,
            /// For the host, at the beginning or the end of a network.
            Host,
            /// It cannot run, for this reason.
            Refused(String),
        }

        impl Kind {
            /// The layer that an operator of this kind becomes.
            ///
            /// # Errors
            /// Why it cannot run.
            pub fn lower(&self, lowering: &mut Lowering<'_>, operator: &Operator, output: usize) -> Lowered {
                match self {
                    $($(Kind::$kind { .. } => $module::lower(lowering, operator, output),)*)+
                    _ => Err(None),
                }
            }
        }

        /// All of them, by file.
        const ROWS: &[&[Support]] = &[$($module::ROWS,)+ computed::ROWS, scales::ROWS, states::ROWS, views::ROWS];
    };
}

operators! {
    bytes {
        /// A function of each byte.
        Table(Function),
    }
    weighted {
        /// Convolution: image, weights (output, row, column, input), bias.
        Convolution(Window),
        /// Depthwise convolution: image, weights (1, row, column, output), bias.
        Depthwise(Window),
        /// Fully connected: vector, weights (output, input), bias.
        FullyConnected,
    }
    transposed {
        /// Transposed convolution: image, weights (output, row, column, input), bias, shape of the output. The window is that of the
        /// convolution from the output to the image.
        TransposeConvolution(Window),
    }
    pools {
        /// Mean of windows of this size.
        AveragePool(Window, [u32; 2]),
        /// Mean of windows of this size, zeros around the input included, with the scale of the output.
        ScaledMean(Window, [u32; 2]),
        /// Mean over dimensions that a constant lists.
        Mean,
        /// Maximum of windows of this size.
        MaxPool(Window, [u32; 2]),
    }
    reduce_max {
        /// Maximum over dimensions that a constant lists.
        ReduceMax,
    }
    reduce_min {
        /// Minimum over dimensions that a constant lists.
        ReduceMin,
    }
    pads {
        /// Zeros around a tensor, as many as a constant says.
        Pad,
    }
    pair {
        /// Sum of two tensors.
        Add,
        /// Difference of two tensors.
        Sub,
        /// Product of two tensors.
        Mul,
        /// The larger of two tensors.
        Maximum,
        /// The smaller of two tensors.
        Minimum,
        /// x from 0 on, and x times a slope, which the second tensor has, below.
        Prelu,
        /// Square of the difference of two tensors.
        SquaredDifference,
    }
    float32 {
        /// Steps in float32.
        Float32(Rc<float32::Steps>),
    }
    matrices {
        /// Product of matrices, each of which may be taken transposed.
        BatchMatmul([bool; 2]),
    }
    gathers {
        /// Elements of other places.
        Gather(Rc<gathers::Sources>),
    }
    moves {
        /// Another order of dimensions, that a constant says.
        Transpose,
        /// Tensors one after another along a dimension.
        Concat(i32),
        /// A plane of another size from the four nearest elements.
        ResizeBilinear(Alignment),
    }
    rows {
        /// Share of each exponential in its row, of the input times this.
        Softmax(f32),
        /// Place of the largest of each row of the dimension that a constant says.
        ArgMax,
    }
}

impl Kind {
    /// Whether there is something that does it.
    pub fn runs(&self) -> bool {
        !matches!(self, Kind::Refused(_))
    }

    /// Whether the host does it, at the beginning or the end of a network.
    pub fn is_for_host(&self) -> bool {
        matches!(self, Kind::Quantize | Kind::Dequantize | Kind::Host)
            || matches!(self, Kind::Softmax(_) | Kind::ArgMax)
    }

    /// Whether the file may leave out dimensions of one place.
    pub fn leaves_out(&self) -> bool {
        matches!(self, Kind::Mean | Kind::ReduceMax | Kind::ReduceMin)
    }

    /// Whether bytes pass unchanged.
    pub fn passes(&self) -> bool {
        matches!(
            self,
            Kind::Reshape | Kind::MaxPool(..) | Kind::ReduceMax | Kind::Gather(_)
        ) || matches!(self, Kind::ReduceMin | Kind::Transpose | Kind::Concat(_))
    }
}

/// The row of an operator.
pub fn row(format: Format, name: &str) -> Option<&'static Support> {
    let names = |row: &Support| match format {
        Format::Tflite => row.tflite,
        Format::Onnx => row.onnx,
    };
    let mut rows = ROWS.iter().copied().flatten();
    rows.find(|row| names(row).contains(&name))
}

/// All of them, by name.
#[must_use]
pub fn supported() -> Vec<&'static Support> {
    let name = |row: &&Support| {
        row.tflite
            .iter()
            .chain(row.onnx)
            .next()
            .map(|name| name.to_lowercase())
    };
    let mut rows: Vec<&Support> = ROWS.iter().copied().flatten().collect();
    rows.sort_by_key(name);
    rows
}

/// The page of the documentation.
#[must_use]
pub fn page() -> String {
    let names = |names: &[&str]| match names.is_empty() {
        true => "-".to_string(),
        false => names.join(", "),
    };
    let rows = supported().into_iter().map(|row| {
        let (tflite, onnx) = (names(row.tflite), names(row.onnx));
        let Support {
            runs_as,
            exact,
            expects,
            ..
        } = row;
        format!("| {tflite} | {onnx} | {runs_as} | {exact} | {expects} |\n")
    });
    "# Operators of .tflite and .onnx files\n\n\
     Made by `heddle import --operators`. What an operator of a .tflite file means is what the reference kernels of LiteRT do with \
     int8 activations; [import.md](import.md) says what one of an .onnx file means.\n\n\
     | .tflite | .onnx | runs as | exact | expects |\n|---|---|---|---|---|\n"
        .to_string()
        + &rows.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_that_of_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/operators.md");
        if std::env::var_os("HEDDLE_BLESS").is_some() {
            std::fs::write(path, page()).unwrap();
        }
        let found = std::fs::read_to_string(path).unwrap();
        assert_eq!(
            found,
            page(),
            "heddle import --operators > docs/operators.md"
        );
    }
}
