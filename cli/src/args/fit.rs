//! The command line of `heddle fit`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `heddle fit`.
#[derive(Debug, Args)]
pub struct FitArgs {
    /// Network: a JSON file, or a .tflite or .onnx file
    #[arg(short, long, value_name = "MODEL")]
    pub model: PathBuf,
    /// Configuration with everything but the memories, a JSON file [default: that of configs/tflite.json]
    #[arg(short, long, value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    /// Rows and columns of the array, such as 8x8 [default: those of the configuration]
    #[arg(long, value_name = "RxC", value_parser = array)]
    pub array: Option<[u32; 2]>,
    /// File for the smallest configuration that holds the network whole
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// File for the configuration beyond which more memory saves no cycles
    #[arg(long, value_name = "FILE")]
    pub fastest: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

fn array(text: &str) -> Result<[u32; 2], String> {
    let sides = text
        .split_once('x')
        .and_then(|(rows, cols)| Some([rows.parse().ok()?, cols.parse().ok()?]));
    sides.ok_or_else(|| "expected rows and columns, such as 8x8".to_string())
}
