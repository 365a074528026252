//! The command line.

mod engines;
mod fit;
mod image;
mod import;
mod matrices;
mod offsets;

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};
use heddle_arch::params::ResetStyle;
use heddle_compiler::Mapping;
use heddle_gen::TextStyle;

use crate::failure::Failure;
use crate::output;
pub use engines::{EngineArg, EngineArgs};
pub use fit::FitArgs;
pub use image::{ImageArg, ImageArgs, ImageCommand, SimArgs};
pub use import::ImportArgs;
pub use matrices::MatrixArgs;
pub use offsets::{LayoutArg, MakeArgs, OffsetsArgs, OffsetsCommand, PadArg, ShapeArgs};

/// Generates, checks and runs neural-network accelerators described by one JSON file.
///
/// Exit codes: 0 done, 1 a check ran and failed, 2 bad input or missing tool.
#[derive(Debug, Parser)]
#[command(name = "heddle", version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write the Verilog of a configuration into a folder
    Gen(GenArgs),
    /// Run every linter that is installed over generated Verilog
    Lint(LintArgs),
    /// Make a network of a .tflite or .onnx file, and say of each operator what becomes of it
    Import(ImportArgs),
    /// Make the program of a network, or print a stage of the making
    Compile(CompileArgs),
    /// Find the memories that a network needs
    Fit(FitArgs),
    /// Run a network on the golden machine, without Verilog
    Sim(SimArgs),
    /// Run a network on the generated Verilog and compare with the golden model
    Cosim(CosimArgs),
    /// Print the record, the registers and the addresses of a loop nest
    Traverse(TraverseArgs),
    /// Make, print, check and compare the tables of the offset unit
    Offsets(OffsetsArgs),
    /// Find the slices of the sliced memory that suit given activations
    Advise(AdviseArgs),
    /// Explain, show or check configurations
    Config(ConfigArgs),
    /// Print or check images
    Image(ImageArgs),
}

/// Arguments of `heddle gen`.
#[derive(Debug, Args)]
pub struct GenArgs {
    /// Configuration, a JSON file; of several, modules that they share are written once
    #[arg(short, long, value_name = "CONFIG", required = true)]
    pub config: Vec<PathBuf>,
    /// Folder to write; an existing one is only replaced if heddle wrote it or it is empty
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Module to generate with all modules below it; an unknown name lists those that exist
    #[arg(long, value_name = "MODULE", default_value = "top")]
    pub top: String,
    /// In front of the names of all modules but memory cells, so that two versions can be in one chip
    #[arg(long, value_name = "NAME", default_value = "", value_parser = prefix)]
    pub prefix: String,
    /// Print contracts too: simulators check them where HEDDLE_ASSERT is defined
    #[arg(long)]
    pub assert: bool,
    /// Reset style; the name of the top ends in _ar with async [default: that of the configuration]
    #[arg(long)]
    pub reset: Option<ResetArg>,
    /// How the PE array is printed
    #[arg(long, default_value = "structural")]
    pub style: StyleArg,
    /// Begin each file with this `timescale, for simulators that ask for one: unit and precision, 1ns/1ps
    #[arg(long, value_name = "UNIT/PRECISION", value_parser = timescale)]
    pub timescale: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// The begin of a Verilog name.
fn prefix(text: &str) -> Result<String, String> {
    let begins = text.chars().next().is_none_or(|c| c.is_ascii_alphabetic());
    let goes_on = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match begins && goes_on && !text.contains("__") && text.len() <= 40 {
        true => Ok(text.to_string()),
        false => Err(
            "expected at most 40 letters, digits and single _, a letter first, such as a_"
                .to_string(),
        ),
    }
}

/// Unit and precision of time: 1, 10 or 100 of s, ms, us, ns, ps or fs, the precision not above the unit.
fn timescale(text: &str) -> Result<String, String> {
    let exponent = |time: &str| {
        let digits = time.find(|c: char| !c.is_ascii_digit())?;
        let zeros = ["1", "10", "100"]
            .iter()
            .position(|n| *n == &time[..digits])?;
        let unit = ["fs", "ps", "ns", "us", "ms", "s"]
            .iter()
            .position(|u| *u == &time[digits..])?;
        Some(3 * unit + zeros)
    };
    match text.split_once('/').map(|(unit, precision)| (exponent(unit), exponent(precision))) {
        Some((Some(unit), Some(precision))) if precision <= unit => Ok(text.to_string()),
        _ => Err("expected a unit and a precision that is not above it, such as 1ns/1ps: 1, 10 or 100 of s, ms, \
                  us, ns, ps or fs".to_string()),
    }
}

/// Value of `--reset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ResetArg {
    /// Reset acts at the rising edge of the clock
    Sync,
    /// Reset acts at once
    Async,
}

impl From<ResetArg> for ResetStyle {
    fn from(reset: ResetArg) -> ResetStyle {
        match reset {
            ResetArg::Sync => ResetStyle::Sync,
            ResetArg::Async => ResetStyle::Async,
        }
    }
}

/// Value of `--style`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StyleArg {
    /// A module per cell and row, instances in generate loops: for synthesis and for reading
    Structural,
    /// One module with loops over packed vectors: builds fast in a simulator, whatever its size
    Loops,
}

impl From<StyleArg> for TextStyle {
    fn from(style: StyleArg) -> TextStyle {
        match style {
            StyleArg::Structural => TextStyle::Structural,
            StyleArg::Loops => TextStyle::Loops,
        }
    }
}

/// Arguments of `heddle lint`.
#[derive(Debug, Args)]
pub struct LintArgs {
    /// What to lint.
    #[command(flatten)]
    pub source: LintSource,
    /// A linter that is not installed is an error
    #[arg(long)]
    pub all: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// What to lint: exactly one of the two.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct LintSource {
    /// Folder that `heddle gen` wrote
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Configuration to generate and lint
    #[arg(short, long, value_name = "CONFIG")]
    pub config: Option<PathBuf>,
}

/// Arguments of `heddle compile`.
#[derive(Debug, Args)]
pub struct CompileArgs {
    /// Network, a JSON, .tflite or .onnx file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Configuration, a JSON file
    #[arg(short, long, value_name = "CONFIG")]
    pub config: PathBuf,
    /// Where the result goes.
    #[command(flatten)]
    pub result: CompileResult,
    /// How the program is made.
    #[command(flatten)]
    pub making: MakingArgs,
    /// Print graph or schedule in the language of Graphviz
    #[arg(long, requires = "dump")]
    pub dot: bool,
    /// Print the result as JSON
    #[arg(long, conflicts_with = "dump")]
    pub json: bool,
}

/// Where the result of the compiler goes: one of these, or several.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub struct CompileResult {
    /// Program file to write; an existing file is only replaced if it is a program. What a host in Python needs is written
    /// beside it, heddle_layout.py
    #[arg(short, long, value_name = "PROG")]
    pub output: Option<PathBuf>,
    /// Image to write, one file that a driver runs; an existing file is only replaced if it is one
    #[arg(long, value_name = "IMAGE")]
    pub image: Option<PathBuf>,
    /// Print what a stage has made
    #[arg(long, value_name = "STAGE")]
    pub dump: Option<DumpArg>,
}

/// How a program is made.
#[derive(Debug, Args)]
pub struct MakingArgs {
    /// How the taps of those layers that have a choice are laid over the rows of the array
    #[arg(long, default_value = "auto")]
    pub mapping: MappingArg,
    /// All layers up to the next one of the host, or the next output, are one run of the machine; else the host starts each of them
    #[arg(long)]
    pub whole: bool,
    /// If the network is cut into segments: what the host loads for each lies beside what it loads for the next one, so that it can do that
    /// while the array works
    #[arg(long)]
    pub double_buffer: bool,
    /// Layers of matrices.
    #[command(flatten)]
    pub matrices: MatrixArgs,
    /// Engines of the layers.
    #[command(flatten)]
    pub engines: EngineArgs,
}

impl From<&MakingArgs> for heddle_compiler::Options {
    fn from(args: &MakingArgs) -> Self {
        Self {
            mapping: args.mapping.mapping(),
            whole: args.whole,
            double_buffered: args.double_buffer,
            matrices: (&args.matrices).into(),
            engines: (&args.engines).into(),
            ..Self::default()
        }
    }
}

/// Value of `--dump`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DumpArg {
    /// Layers, connections and what the host does
    Graph,
    /// Ways of the layers through the array, what they cost, and why one of them was taken
    Map,
    /// Where tensors and weights lie, and what is left of each partition
    Place,
    /// Steps of the machine and what each of them waits for
    Schedule,
    /// Instructions
    Asm,
}

/// The network to run, and the program if there is one.
#[derive(Debug, Args)]
pub struct NetworkArgs {
    /// Configuration, a JSON file
    #[arg(short, long, value_name = "CONFIG")]
    pub config: PathBuf,
    /// Network, a JSON, .tflite or .onnx file
    #[arg(short, long, value_name = "MODEL", required = true)]
    pub model: Option<PathBuf>,
    /// Images to run in place of those of the network: a .npy file, or a .npz file with one array or one named like the input, with
    /// an array for each input, named like it, if there are several; of int8, of uint8 if the input of an .onnx MODEL is, or of
    /// float32, which is quantised; one image after the other, each in the order of MODEL: channels, rows, columns in JSON and
    /// .onnx; rows, columns, channels in .tflite
    #[arg(long, value_name = "FILE")]
    pub inputs: Option<PathBuf>,
    /// Write the outputs of the network for each image: a .npz file with an array named like each output, in the order of MODEL,
    /// of int8, or of uint8 if the input of an .onnx MODEL is
    #[arg(long, value_name = "FILE")]
    pub outputs: Option<PathBuf>,
    /// Write the output of every run of the machine or the host to the file of --outputs: that of each layer, without --whole
    #[arg(long, requires = "outputs")]
    pub tensors: bool,
    /// Begin with what the network has kept, and write what it keeps at the end: a .npz file with an array for each state, named
    /// like its input; if there is none, the network begins as its file says
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Program of the network, made by heddle compile [default: it is compiled]
    #[arg(short, long, value_name = "PROG", conflicts_with_all = ["mapping", "whole", "double_buffer", "identity", "drain", "fold", "engine", "sparse_rule", "zeros"])]
    pub program: Option<PathBuf>,
    /// How the program is made.
    #[command(flatten)]
    pub making: MakingArgs,
    /// Number of test images to run [default: all]
    #[arg(long, value_name = "N")]
    pub images: Option<usize>,
}

impl NetworkArgs {
    /// The file of the network.
    pub fn model(&self) -> &Path {
        self.model
            .as_deref()
            .expect("it is required without an image")
    }
}

/// Arguments of `heddle cosim`.
#[derive(Debug, Args)]
#[command(mut_arg("model", |arg| arg.required(false).required_unless_present("image")))]
pub struct CosimArgs {
    /// What to run.
    #[command(flatten)]
    pub network: NetworkArgs,
    /// What takes its place.
    #[command(flatten)]
    pub image: ImageArg,
    /// How the PE array is printed
    #[arg(long, default_value = "structural")]
    pub style: StyleArg,
    /// Write the waves of the run, FST or VCD by the end of the name; with 32 and more rows in loop style
    /// only the first partition shows what is inside
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Value of `--mapping`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MappingArg {
    /// What takes fewer cycles
    Auto,
    /// A row serves input channels, one place of the kernel at a time
    Channel,
    /// Input channels x kernel height x kernel width of the first layer over all rows
    Flattened,
    /// Depthwise layers make two rows at a time
    Toeplitz,
    /// Depthwise layers make blocks of 2 x 2 pixels at a time
    Blocks,
}

impl MappingArg {
    /// The mapping, if it is not left to the compiler.
    fn mapping(self) -> Option<Mapping> {
        match self {
            MappingArg::Auto => None,
            MappingArg::Channel => Some(Mapping::Channel),
            MappingArg::Flattened => Some(Mapping::Flattened),
            MappingArg::Toeplitz => Some(Mapping::Toeplitz),
            MappingArg::Blocks => Some(Mapping::Blocks),
        }
    }
}

/// Arguments of `heddle traverse`.
#[derive(Debug, Args)]
pub struct TraverseArgs {
    /// What to walk.
    #[command(flatten)]
    pub source: TraverseSource,
    /// Configuration of the unit, a JSON file [default: 8 rows of 8 loops, 32 bits, all options]
    #[arg(short, long, value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    /// Print all addresses instead of the first 64
    #[arg(long)]
    pub all: bool,
    /// Two iterations of a nest with the same address are a failure
    #[arg(long, conflicts_with_all = ["record", "record_file"])]
    pub check_unique: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// What to walk: exactly one of these.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct TraverseSource {
    /// Loop nest, such as "for i in 0..4 { for k in 0..3 { A[i][k] } }"
    #[arg(value_name = "NEST")]
    pub nest: Option<String>,
    /// File with a loop nest
    #[arg(short, long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Instructions to replay: words in hexadecimal, or their text form
    #[arg(short, long, value_name = "WORDS")]
    pub record: Option<String>,
    /// File with instructions to replay
    #[arg(long, value_name = "FILE")]
    pub record_file: Option<PathBuf>,
}

/// Arguments of `heddle advise`.
#[derive(Debug, Args)]
pub struct AdviseArgs {
    /// Advise on the slices of the sliced memory
    #[arg(long, required = true)]
    pub slices: bool,
    /// File with activations: .npy (int8, uint8), .json (list of integers), otherwise raw bytes
    #[arg(
        value_name = "FILE",
        required_unless_present_any = ["config", "model"],
        conflicts_with_all = ["config", "model"]
    )]
    pub file: Option<PathBuf>,
    /// Bytes of a word of the file [default: 8]
    #[arg(long, value_name = "N", conflicts_with_all = ["config", "model"])]
    pub word_bytes: Option<u32>,
    /// Value in the file that means zero [default: 0]
    #[arg(long, value_name = "Z", allow_negative_numbers = true, conflicts_with_all = ["config", "model"])]
    pub zero_point: Option<i64>,
    /// Configuration on which the network runs, a JSON file
    #[arg(short, long, value_name = "CONFIG", requires = "model")]
    pub config: Option<PathBuf>,
    /// Network whose tensors are taken, a JSON file
    #[arg(short, long, value_name = "MODEL", requires = "config")]
    pub model: Option<PathBuf>,
    /// Number of test images to run [default: all]
    #[arg(long, value_name = "N", requires = "model")]
    pub images: Option<usize>,
    /// Take the output of this layer alone; "input" is the input of the network
    #[arg(long, value_name = "NAME", requires = "model")]
    pub layer: Option<String>,
    /// Take the words of the weights as well
    #[arg(long, requires = "model", conflicts_with = "layer")]
    pub weights: bool,
    /// Bits of a unit, more than once for several [default: 4, 8, 16 and 32]
    #[arg(long, value_name = "B")]
    pub unit_bits: Vec<u32>,
    /// List the layouts that save at least this much of the bits of a plain memory
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pub target: Option<f64>,
    /// Print all layouts instead of the best one of each kind
    #[arg(long, conflicts_with = "target")]
    pub all: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `heddle config`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ConfigCommand,
}

/// What to do with configurations.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print the JSON schema
    Schema {
        /// The schema of network files instead
        #[arg(long)]
        network: bool,
        /// The schema of program files instead
        #[arg(long, conflicts_with = "network")]
        program: bool,
    },
    /// Print a configuration with its defaults and the sizes that follow from it
    Show {
        /// Configuration, a JSON file
        #[arg(value_name = "CONFIG")]
        config: PathBuf,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the checksum of a configuration: register CONFIG, by which images name their machine
    Hash {
        /// Configuration, a JSON file
        #[arg(short, long, value_name = "CONFIG")]
        config: PathBuf,
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
    },
    /// Check configurations and networks, and say what of a configuration is wasted
    Check {
        /// Configurations, JSON files
        #[arg(value_name = "CONFIG", required_unless_present = "model")]
        configs: Vec<PathBuf>,
        /// Networks, JSON files
        #[arg(short, long, value_name = "MODEL")]
        model: Vec<PathBuf>,
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
    },
}

/// What clap has to say: help and version are output, everything else is one line of explanation.
pub fn explain(error: &clap::Error) -> Result<bool, Failure> {
    let text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            output::print(&text)?;
            Ok(true)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            Err(Failure::new("command is missing, see heddle --help"))
        }
        _ => {
            let message = text.split("\n\nUsage:").next().unwrap_or_default();
            let message = message.split("\n\nFor more").next().unwrap_or_default();
            let words: Vec<&str> = message.split_whitespace().collect();
            let line = words.join(" ");
            Err(Failure::new(line.strip_prefix("error: ").unwrap_or(&line)))
        }
    }
}
