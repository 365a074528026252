//! Arguments of `heddle import`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use heddle_import::Inexact;

/// Arguments of `heddle import`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("images_for").args(["output", "check"]).multiple(true)))]
pub struct ImportArgs {
    /// Network, a .tflite or .onnx file with activations of 8 bits
    #[arg(value_name = "MODEL", required_unless_present = "operators")]
    pub model: Option<PathBuf>,
    /// Machine whose rows of layers are printed, a JSON file; without it the list says what layers need
    #[arg(short, long, value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    /// Network file to write; without it the operators are listed alone
    #[arg(short, long, value_name = "NETWORK")]
    pub output: Option<PathBuf>,
    /// List the operators alone, which is what is done without --output
    #[arg(long, conflicts_with_all = ["output", "check"])]
    pub list: bool,
    /// Name of the network [default: that of the file]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Test images of the network: a .npy file, or a .npz file with one array or one named like the input, with an array for each
    /// input, named like it, if there are several; of int8, of uint8 if the input of an .onnx MODEL is, or of float32, which is
    /// quantised; each image in the order channels, rows, columns in .onnx; rows, columns, channels in .tflite
    #[arg(long, value_name = "FILE", requires = "images_for")]
    pub inputs: Option<PathBuf>,
    /// End the network at this tensor; at #12 where tensor 12 of a .tflite MODEL has no name
    #[arg(long, value_name = "TENSOR")]
    pub until: Option<String>,
    /// Accept layers of this kind that are not exact
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub inexact: Vec<InexactArg>,
    /// Run MODEL in the program it was made for, on the images of --inputs or on random ones, and compare each tensor that the
    /// network has too: LiteRT or onnxruntime in python3, or in the interpreter that HEDDLE_PYTHON names
    #[arg(long)]
    pub check: bool,
    /// Print the operators that can run, as a page of documentation
    #[arg(long, conflicts_with_all = ["model", "config", "output", "name", "inputs", "until", "inexact", "check", "json", "list"])]
    pub operators: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Value of `--inexact`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum InexactArg {
    /// Sums and differences of two tensors
    Add,
    /// Fully connected layers
    FullyConnected,
}

impl From<InexactArg> for Inexact {
    fn from(kind: InexactArg) -> Inexact {
        match kind {
            InexactArg::Add => Inexact::Add,
            InexactArg::FullyConnected => Inexact::FullyConnected,
        }
    }
}
