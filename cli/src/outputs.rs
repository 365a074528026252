//! `--outputs`: the tensors that a run has made, as a .npz file.

use std::path::Path;

use heddle_compiler::Program;
use heddle_network::Network;
use heddle_tb::network::{LayerRun, kept_states};

use crate::args::NetworkArgs;
use crate::failure::Failure;
use crate::file_form::FileForm;
use crate::{npz, replace, states};

/// Refuses a file that must not be written.
pub fn check(args: &NetworkArgs) -> Result<(), Failure> {
    match &args.outputs {
        Some(file) => replace::check(file, replace::ARRAYS),
        None => Ok(()),
    }
}

/// What is kept of a network that runs.
#[derive(Debug)]
pub struct Outputs<'a> {
    file: Option<&'a Path>,
    /// All of them are shown.
    tensors: bool,
    /// The runs that make an output of the network; with `--tensors` all.
    runs: Vec<usize>,
    /// For each image, the outputs of these runs.
    images: Vec<Vec<Vec<i8>>>,
    /// The file of what the network keeps.
    state: Option<&'a Path>,
    network: &'a Network,
    program: &'a Program,
    /// What it keeps.
    kept: Vec<Vec<i8>>,
}

impl<'a> Outputs<'a> {
    /// Of a network that nothing has run yet.
    pub fn new(args: &'a NetworkArgs, network: &'a Network, program: &'a Program) -> Self {
        let is_output = |run: &usize| {
            network
                .own_outputs()
                .any(|output| output == program.runs[*run].layers.end)
        };
        let is_kept = |run: &usize| args.tensors || is_output(run);
        Self {
            file: args.outputs.as_deref(),
            tensors: args.tensors,
            runs: (0..program.runs.len()).filter(is_kept).collect(),
            images: Vec::new(),
            state: args.state.as_deref(),
            network,
            program,
            kept: Vec::new(),
        }
    }

    /// Takes up what the runs of an image have made.
    pub fn add(&mut self, runs: &[LayerRun]) {
        if self.file.is_some() {
            let kept = self.runs.iter().map(|&run| runs[run].values.clone());
            self.images.push(kept.collect());
        }
        if self.state.is_some() {
            self.kept = kept_states(self.network, self.program, runs);
        }
    }

    /// Writes the files that there are: arrays named and ordered as in the file of the network.
    pub fn write(&self, form: &FileForm) -> Result<(), Failure> {
        let (network, program) = (self.network, self.program);
        if let Some(state) = self.state {
            states::write(state, network, form, &self.kept)?;
        }
        let Some(file) = self.file else { return Ok(()) };
        let arrays = self.runs.iter().enumerate().flat_map(|(kept, &run)| {
            let tensor = program.runs[run].layers.end;
            let values = self.images.iter().map(|outputs| outputs[kept].clone());
            let values: Vec<Vec<i8>> = values.collect();
            form.arrays(network, tensor, &values, self.tensors)
        });
        let bytes = npz::write(&arrays.collect::<Vec<_>>());
        let bytes = bytes.map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
        replace::write(file, replace::ARRAYS, &bytes)
    }
}
