//! Arguments of `heddle sim`, of images in place of networks, and of `heddle image`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::NetworkArgs;

/// Arguments of `heddle sim`.
#[derive(Debug, Args)]
#[command(mut_arg("model", |arg| arg.required(false).required_unless_present("image")))]
pub struct SimArgs {
    /// What to run.
    #[command(flatten)]
    pub network: NetworkArgs,
    /// What takes its place.
    #[command(flatten)]
    pub image: ImageArg,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// An image in place of a network.
#[derive(Debug, Args)]
pub struct ImageArg {
    /// Run an image of heddle compile in place of a network: --inputs and --outputs have its names and order
    #[arg(long, value_name = "IMAGE", requires = "inputs", conflicts_with_all = ["model", "program", "tensors", "state", "mapping", "whole", "double_buffer", "identity", "drain", "fold", "engine", "sparse_rule", "zeros"])]
    pub image: Option<PathBuf>,
}

/// Arguments of `heddle image`.
#[derive(Debug, Args)]
pub struct ImageArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ImageCommand,
}

/// What to do with images.
#[derive(Debug, Subcommand)]
pub enum ImageCommand {
    /// Print what an image holds
    Info {
        /// Image that heddle compile has written
        #[arg(value_name = "IMAGE")]
        image: PathBuf,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Check an image, and whether it is for a configuration
    Check {
        /// Image that heddle compile has written
        #[arg(value_name = "IMAGE")]
        image: PathBuf,
        /// Configuration, a JSON file
        #[arg(short, long, value_name = "CONFIG")]
        config: Option<PathBuf>,
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
    },
}
