//! The operators that can run: what the importer takes, and what its documentation says.

/// An operator of a .tflite file that can run.
#[derive(Debug, Clone, Copy)]
pub struct Support {
    /// Its name.
    pub operator: &'static str,
    /// What it becomes.
    pub runs_as: &'static str,
    /// Whether its outputs are those of the reference kernel.
    pub exact: &'static str,
    /// What it must be like.
    pub expects: &'static str,
}

const fn row(
    operator: &'static str,
    runs_as: &'static str,
    exact: &'static str,
    expects: &'static str,
) -> Support {
    Support {
        operator,
        runs_as,
        exact,
        expects,
    }
}

const VIEW: &str = "no layer: its readers see the elements in another shape";
const ELEMENTS: &str = "read as it was made, or by FULLY_CONNECTED, or the first operator";
const ENDS: &str = "at the end of the network";

/// All of them, by name.
pub const SUPPORTED: [Support; 16] = [
    row(
        "ADD",
        "add",
        "compared for all 65,536 pairs; if not, --inexact add",
        "two results of one shape",
    ),
    row("ARG_MAX", "host", "not run", ENDS),
    row(
        "AVERAGE_POOL_2D",
        "conv2d of equal weights",
        "compared for all sums",
        "windows inside the plane; scale and zero point pass unchanged",
    ),
    row(
        "CONV_2D",
        "conv2d",
        "same arithmetic",
        "symmetric weights, also grouped",
    ),
    row(
        "DEPTHWISE_CONV_2D",
        "conv2d",
        "same arithmetic",
        "symmetric weights, any multiplier",
    ),
    row("DEQUANTIZE", "host", "not run", ENDS),
    row("EXPAND_DIMS", VIEW, "same bytes", ELEMENTS),
    row(
        "FULLY_CONNECTED",
        "fully_connected",
        "compared where outputs rise; if not, --inexact fully_connected",
        "symmetric weights, one row",
    ),
    row(
        "MAX_POOL_2D",
        "max_pool2d",
        "same bytes",
        "windows inside the plane, no activation that cuts",
    ),
    row(
        "MEAN",
        "conv2d of equal weights",
        "same arithmetic",
        "over height and width, or over the width of rows",
    ),
    row(
        "PAD",
        "no layer: padding of the convolutions that read it",
        "same bytes",
        "zeros around height and width, read by CONV_2D and DEPTHWISE_CONV_2D alone",
    ),
    row(
        "QUANTIZE",
        "host",
        "not run",
        "float input at the beginning, or at the end of the network",
    ),
    row("RESHAPE", VIEW, "same bytes", ELEMENTS),
    row("SOFTMAX", "host", "not run", ENDS),
    row("SQUEEZE", VIEW, "same bytes", ELEMENTS),
    row(
        "SUB",
        "add",
        "compared for all 65,536 pairs; if not, --inexact add",
        "two results of one shape",
    ),
];

/// Whether an operator can run.
pub fn is_supported(name: &str) -> bool {
    SUPPORTED.iter().any(|row| row.operator == name)
}

/// The page of the documentation.
#[must_use]
pub fn page() -> String {
    let rows = SUPPORTED.iter().map(|row| {
        format!(
            "| {} | {} | {} | {} |\n",
            row.operator, row.runs_as, row.exact, row.expects
        )
    });
    "# Operators of .tflite files\n\n\
     Made by `heddle import --operators`. What each operator means is what the reference kernels of LiteRT do with int8 \
     activations.\n\n\
     | operator | runs as | exact | expects |\n|---|---|---|---|\n"
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
