//! The operators that can run: what the importer takes, and what its documentation says.

use crate::model::Format;

/// What can run, and its names in files.
#[derive(Debug, Clone, Copy)]
pub struct Support {
    /// Its names in .tflite files.
    pub tflite: &'static [&'static str],
    /// Its names in .onnx files.
    pub onnx: &'static [&'static str],
    /// What it becomes.
    pub runs_as: &'static str,
    /// Whether its outputs are those of the reference.
    pub exact: &'static str,
    /// What it must be like.
    pub expects: &'static str,
}

const fn row(
    tflite: &'static [&'static str],
    onnx: &'static [&'static str],
    runs_as: &'static str,
    exact: &'static str,
    expects: &'static str,
) -> Support {
    Support {
        tflite,
        onnx,
        runs_as,
        exact,
        expects,
    }
}

const BROADCAST: &str = "sides that are equal or 1; one of the two may be a constant. The host adds where shapes differ";
const HOST: &str = "same arithmetic";
const HELD: &str = "same arithmetic; compared for all inputs where the int32 of the reference wrap";
const PAIRS: &str = "same arithmetic; the compiler compares all 65,536 pairs. --inexact add makes a weighted_sum, for machines without post.dual_scale";

/// All of them, by name.
pub const SUPPORTED: [Support; 30] = [
    row(
        &[
            "ABS",
            "ELU",
            "EXP",
            "GELU",
            "HARD_SWISH",
            "LEAKY_RELU",
            "LOG",
            "LOGISTIC",
            "RELU",
            "RELU6",
            "RELU_N1_TO_1",
            "RSQRT",
            "TANH",
        ],
        &[],
        "table, in the layer before if nothing else reads that",
        "256 bytes of the reference, compared where its int32 wrap",
        "-",
    ),
    row(
        &[],
        &[
            "Abs",
            "Elu",
            "Exp",
            "Gelu",
            "HardSigmoid",
            "HardSwish",
            "LeakyRelu",
            "PRelu",
            "QLinearLeakyRelu",
            "QLinearSigmoid",
            "Sigmoid",
            "Tanh",
        ],
        "table, in the layer before if nothing else reads that",
        "256 bytes of the function",
        "PRelu with one slope",
    ),
    row(
        &["ADD"],
        &["Add", "QLinearAdd"],
        "add; with one byte a table",
        PAIRS,
        BROADCAST,
    ),
    row(
        &["ARG_MAX"],
        &["ArgMax"],
        "arg_max, by the host",
        HOST,
        "over any dimension but the batch, the first of several; an output of the network, which no layer reads. Of what is not run it is not run either",
    ),
    row(
        &["AVERAGE_POOL_2D"],
        &[],
        "conv2d of equal weights; with windows beyond the edges average_pool2d, by the host",
        "compared for all sums; by the host same arithmetic",
        "scale and zero point pass unchanged",
    ),
    row(
        &[],
        &[
            "AveragePool",
            "GlobalAveragePool",
            "QLinearAveragePool",
            "QLinearGlobalAveragePool",
            "ReduceMean",
        ],
        "conv2d of equal weights",
        "compared where outputs rise",
        "no padding, or count_include_pad 1; ReduceMean over height and width",
    ),
    row(
        &["BATCH_MATMUL"],
        &["MatMul", "QLinearMatMul"],
        "matmul, in .tflite files between transposes",
        HOST,
        "two results, as many matrices in both",
    ),
    row(
        &["CAST", "FILL", "GATHER", "PACK", "SHAPE", "TILE"],
        &["Cast", "ConstantOfShape", "Gather", "Shape", "Tile"],
        "no layer: computed at import",
        "same numbers",
        "sizes of a tensor, or constants of int32 and int64; so are sums, products, parts, joins and views of these",
    ),
    row(
        &["CONCATENATION"],
        &["Concat", "QLinearConcat"],
        "concat, by the host",
        "same bytes",
        "2 to 8 results of one scale; in .onnx files those of another are means of one place before",
    ),
    row(
        &["CONV_2D", "DEPTHWISE_CONV_2D"],
        &["Conv", "QLinearConv"],
        "conv2d",
        "same arithmetic",
        "symmetric weights, any groups; bias of int32",
    ),
    row(
        &["DEQUANTIZE"],
        &["DequantizeLinear"],
        "host",
        "not run",
        "at the end of the network; in .onnx files also the scale of what an operator reads",
    ),
    row(
        &["FULLY_CONNECTED"],
        &[],
        "fully_connected",
        "compared where outputs rise; if not, --inexact fully_connected",
        "symmetric weights; of several rows a conv2d 1x1",
    ),
    row(
        &[],
        &["Gemm", "MatMul", "QGemm", "QLinearMatMul"],
        "fully_connected",
        "same arithmetic",
        "constant symmetric weights, one row; bias of int32, also by an Add",
    ),
    row(
        &["MAX_POOL_2D"],
        &["MaxPool"],
        "max_pool2d",
        "same bytes",
        "scale and zero point pass unchanged; with windows beyond the edges on the host unless a RELU comes before",
    ),
    row(
        &["MEAN"],
        &[],
        "conv2d of equal weights over height and width; else mean, by the host",
        HELD,
        "any dimensions but the batch",
    ),
    row(
        &["MUL"],
        &["Mul", "QLinearMul"],
        "mul, by the host; with one byte a table, with a byte for each channel conv2d where that is the same",
        HELD,
        "sides that are equal or 1; one of the two may be a constant",
    ),
    row(
        &["PAD"],
        &["Pad"],
        "no layer where convolutions alone read it: their padding; else pad, by the host",
        "same bytes",
        "a constant number of zeros, around any dimension but the batch",
    ),
    row(
        &["PRELU"],
        &[],
        "prelu, by the host; with one slope a table",
        HELD,
        "constant slopes",
    ),
    row(
        &["QUANTIZE"],
        &["QuantizeLinear"],
        "host",
        "not run",
        "float input at the beginning, or at the end of the network; from int8 to int8 a table; in .onnx files also the scale of what an operator makes",
    ),
    row(
        &[],
        &["Relu", "Clip"],
        "no layer: bounds of the operator before; else conv2d of one weight",
        "same bytes",
        "constant bounds",
    ),
    row(
        &["RESHAPE", "SQUEEZE", "EXPAND_DIMS"],
        &[
            "Reshape",
            "Flatten",
            "Squeeze",
            "Unsqueeze",
            "Identity",
            "Dropout",
        ],
        "no layer where its readers can see the elements in another shape; else reshape, by the host",
        "same bytes",
        "as many elements",
    ),
    row(
        &["RESIZE_BILINEAR"],
        &[],
        "resize_bilinear, by the host",
        HOST,
        "a plane of another size",
    ),
    row(
        &["RESIZE_NEAREST_NEIGHBOR"],
        &["Resize"],
        "resize, by the host",
        "same bytes",
        "whole multiples of height and width, each element repeated: no aligned corners; mode nearest",
    ),
    row(
        &["SLICE", "SPLIT", "STRIDED_SLICE"],
        &["Slice", "Split"],
        "slice, by the host",
        "same bytes",
        "constants; stride 1, in .tflite files equal parts",
    ),
    row(
        &["SOFTMAX"],
        &["Softmax", "QLinearSoftmax"],
        "softmax, by the host",
        HOST,
        "over the last dimension; output of scale 1/256 and zero point -128, or 0 of uint8; else at the end of the network, where it is not run",
    ),
    row(
        &["SQUARED_DIFFERENCE"],
        &[],
        "squared_difference, by the host",
        HOST,
        "sides that are equal or 1; one of the two may be a constant",
    ),
    row(
        &["SUB"],
        &["Sub"],
        "add; with one byte a table",
        PAIRS,
        BROADCAST,
    ),
    row(
        &["TRANSPOSE"],
        &["Transpose"],
        "transpose, by the host where its tensors are planes",
        "same bytes",
        "a constant order that leaves the batch where it is",
    ),
    row(
        &["TRANSPOSE_CONV"],
        &[],
        "conv2d, of a pad by the host that puts zeros between the elements",
        "same arithmetic",
        "symmetric weights; bias of int32",
    ),
    row(
        &[],
        &["Constant"],
        "no layer: read by others",
        "same bytes",
        "a tensor or numbers",
    ),
];

/// Whether an operator can run.
pub fn is_supported(format: Format, name: &str) -> bool {
    let names = |row: &Support| match format {
        Format::Tflite => row.tflite,
        Format::Onnx => row.onnx,
    };
    SUPPORTED.iter().any(|row| names(row).contains(&name))
}

/// The page of the documentation.
#[must_use]
pub fn page() -> String {
    let names = |names: &[&str]| match names.is_empty() {
        true => "-".to_string(),
        false => names.join(", "),
    };
    let rows = SUPPORTED.iter().map(|row| {
        format!(
            "| {} | {} | {} | {} | {} |\n",
            names(row.tflite),
            names(row.onnx),
            row.runs_as,
            row.exact,
            row.expects
        )
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
