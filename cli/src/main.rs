//! The `heddle` command: generates, checks and runs accelerators described by one JSON file.
//!
//! Only this crate and the test bench open files, start processes and read the environment.
//! Start with [`args`] for what can be asked and [`failure`] for how a run can end.

mod advise;
mod args;
mod compile;
mod component;
mod config;
mod cosim;
mod design;
mod failure;
mod file_form;
mod fit;
mod folder;
mod generate;
mod image;
mod import;
mod input;
mod lint;
mod npy;
mod npz;
mod offsets;
mod output;
mod outputs;
mod pieces;
mod replace;
mod rows;
mod scratch;
mod segments;
mod sidecar;
mod sim;
mod states;
mod traverse;
mod waste;
mod zeros;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    scratch::outlive_large_files();
    let verdict = match Cli::try_parse() {
        Ok(cli) => run(cli.command),
        Err(error) => args::explain(&error),
    };
    match verdict {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(failure::CHECK_FAILED),
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.code)
        }
    }
}

/// Runs a command; false means that a check ran and failed.
fn run(command: Command) -> Result<bool, Failure> {
    match command {
        Command::Gen(args) => generate::run(&args).map(|()| true),
        Command::Lint(args) => lint::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Compile(args) => compile::run(&args).map(|()| true),
        Command::Fit(args) => fit::run(&args).map(|()| true),
        Command::Sim(args) => sim::run(&args),
        Command::Cosim(args) => cosim::run(&args),
        Command::Traverse(args) => traverse::run(&args),
        Command::Offsets(args) => offsets::run(&args.command),
        Command::Advise(args) => advise::run(&args),
        Command::Config(args) => config::run(&args).map(|()| true),
        Command::Image(args) => image::run(&args).map(|()| true),
    }
}
