//! The command line of `heddle offsets`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Arguments of `heddle offsets`.
#[derive(Debug, Args)]
pub struct OffsetsArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: OffsetsCommand,
}

/// What to do with tables.
#[derive(Debug, Subcommand)]
pub enum OffsetsCommand {
    /// Make the tables of a convolution, a fully connected layer or a matrix product
    Make(Box<MakeArgs>),
    /// Print a table file
    Print {
        /// Table file
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Print all entries instead of the first 64 of each table
        #[arg(long)]
        all: bool,
        /// Print it as JSON, with all entries
        #[arg(long)]
        json: bool,
    },
    /// Check the entries of a table file
    Check {
        /// Table file
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Bytes of the tensor from the origin that the unit is given; no operand may lie outside
        #[arg(long, value_name = "N")]
        tensor_bytes: Option<u64>,
        /// Configuration of the unit that is to take the tables, a JSON file
        #[arg(short, long, value_name = "CONFIG")]
        config: Option<PathBuf>,
    },
    /// Compare two table files; the first difference is a failure
    Compare {
        /// Table file
        #[arg(value_name = "A")]
        first: PathBuf,
        /// Table file
        #[arg(value_name = "B")]
        second: PathBuf,
    },
    /// Print the JSON schema of SHAPE files
    Schema,
}

/// Arguments of `heddle offsets make`.
#[derive(Debug, Args)]
pub struct MakeArgs {
    /// What tables are made for, a JSON file; the options below say the same
    #[arg(value_name = "SHAPE")]
    pub shape: Option<PathBuf>,
    /// Table file to write; an existing one is only replaced if it is a table file
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Configuration of the unit that is to take the tables, a JSON file
    #[arg(short, long, value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// The same by options.
    #[command(flatten)]
    pub options: ShapeArgs,
}

/// What tables are made for. Every option is the field of its name of a SHAPE file.
#[derive(Debug, Default, PartialEq, Eq, Args)]
pub struct ShapeArgs {
    /// Convolution: input channels of all groups
    #[arg(long, value_name = "N")]
    pub channels: Option<u32>,
    /// Convolution: rows of an input plane, without padding
    #[arg(long, value_name = "N")]
    pub height: Option<u32>,
    /// Convolution: columns of an input plane, without padding
    #[arg(long, value_name = "N")]
    pub width: Option<u32>,
    /// Convolution: height and width of the filter
    #[arg(long, value_name = "HxW", value_parser = pair)]
    pub kernel: Option<[u32; 2]>,
    /// Convolution: vertical and horizontal stride [default: 1x1]
    #[arg(long, value_name = "VxH", value_parser = pair)]
    pub stride: Option<[u32; 2]>,
    /// Convolution: vertical and horizontal dilation [default: 1x1]
    #[arg(long, value_name = "VxH", value_parser = pair)]
    pub dilation: Option<[u32; 2]>,
    /// Convolution: groups of channels with filters of their own [default: 1]
    #[arg(long, value_name = "N")]
    pub groups: Option<u32>,
    /// Convolution: zeros above, below, on the left and on the right [default: none]
    #[arg(long, value_name = "T,B,L,R", value_parser = four)]
    pub padding: Option<[u32; 4]>,
    /// Convolution: where the zeros come from [default: border]
    #[arg(long)]
    pub pad: Option<PadArg>,
    /// Convolution: order of the elements in memory [default: nchw]
    #[arg(long)]
    pub layout: Option<LayoutArg>,
    /// Convolution: channels of a vector, with the layout nchw-vector
    #[arg(long, value_name = "N")]
    pub vector: Option<u32>,
    /// Fully connected layer: inputs
    #[arg(long, value_name = "N")]
    pub inputs: Option<u32>,
    /// Matrix product: rows of A
    #[arg(long, value_name = "N")]
    pub rows: Option<u32>,
    /// Matrix product: columns of A
    #[arg(long, value_name = "N")]
    pub depth: Option<u32>,
    /// Matrix product: elements from a stored line of A to the next [default: its length]
    #[arg(long, value_name = "N")]
    pub leading: Option<u32>,
    /// Matrix product: A is stored column by column
    #[arg(long)]
    pub transposed: bool,
    /// Output channels of all groups, outputs, columns of B
    #[arg(long, value_name = "N")]
    pub outputs: Option<u32>,
    /// Images, but for a matrix product [default: 1]
    #[arg(long, value_name = "N")]
    pub images: Option<u32>,
    /// Bytes of an element: 1, 2, 4 or 8 [default: 1]
    #[arg(long, value_name = "N")]
    pub element_bytes: Option<u32>,
    /// Entries are bytes divided by 2^N; the unit shifts them back [default: 0]
    #[arg(long, value_name = "N")]
    pub unit_shift: Option<u32>,
    /// Offsets are steps from tap to tap
    #[arg(long)]
    pub running: bool,
    /// Taps in the order of the elements in memory; weights have to follow
    #[arg(long)]
    pub reuse_order: bool,
    /// Word address of the first weight word, to be kept in the tables
    #[arg(long, value_name = "N")]
    pub weight_base: Option<u32>,
}

/// Value of `--pad`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PadArg {
    /// They are stored around every plane
    Border,
    /// They are not stored; masks say which taps are not read
    Mask,
}

/// Value of `--layout`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LayoutArg {
    /// Image, channel, row, column
    Nchw,
    /// Channel, image, row, column
    Cnhw,
    /// Image, row, column, channel
    Nhwc,
    /// Image, block of channels, row, column, channel of the block
    NchwVector,
}

/// Two numbers, such as 3x2.
fn pair(text: &str) -> Result<[u32; 2], String> {
    numbers(text, 'x').ok_or_else(|| "expected two numbers such as 3x2".to_string())
}

/// Four numbers, such as 1,1,0,2.
fn four(text: &str) -> Result<[u32; 4], String> {
    numbers(text, ',').ok_or_else(|| "expected four numbers such as 1,1,0,2".to_string())
}

fn numbers<const N: usize>(text: &str, between: char) -> Option<[u32; N]> {
    let numbers: Result<Vec<u32>, _> = text.split(between).map(str::parse).collect();
    numbers.ok()?.try_into().ok()
}
