//! `--outputs`: the tensors that a run has made, as a .npz file.

use std::path::Path;

use heddle_arch::Network;
use heddle_compiler::Program;
use heddle_tb::network::LayerRun;

use crate::args::NetworkArgs;
use crate::failure::Failure;
use crate::file_form::FileForm;
use crate::{npz, replace};

/// What is kept of a run.
#[derive(Debug)]
pub struct Outputs<'a> {
    file: Option<&'a Path>,
    /// The outputs of all runs are kept, not of the last one alone.
    tensors: bool,
    /// For each image, the outputs of the runs.
    images: Vec<Vec<Vec<i8>>>,
}

impl<'a> Outputs<'a> {
    /// Refuses a file that must not be written.
    pub fn new(args: &'a NetworkArgs) -> Result<Self, Failure> {
        let file = args.outputs.as_deref();
        if let Some(file) = file {
            replace::check(file, replace::ARRAYS)?;
        }
        Ok(Self {
            file,
            tensors: args.tensors,
            images: Vec::new(),
        })
    }

    /// Takes up what the runs of an image have made.
    pub fn add(&mut self, runs: &[LayerRun]) {
        if self.file.is_some() {
            let first = if self.tensors {
                0
            } else {
                runs.len().saturating_sub(1)
            };
            let kept = runs[first..].iter().map(|run| run.values.clone());
            self.images.push(kept.collect());
        }
    }

    /// Writes the file if there is one: arrays named and ordered as in the file of the network.
    pub fn write(
        &self,
        network: &Network,
        form: &FileForm,
        program: &Program,
    ) -> Result<(), Failure> {
        let Some(file) = self.file else { return Ok(()) };
        let kept = self.images.first().map_or(0, Vec::len);
        let runs = &program.runs[program.runs.len() - kept..];
        let arrays = runs.iter().enumerate().map(|(run, plan)| {
            let tensor = plan.layers.end;
            let values = self.images.iter().map(|runs| runs[run].clone());
            let values: Vec<Vec<i8>> = values.collect();
            let name = form.array_name(network, tensor).to_string();
            (name, form.array(network.tensor(tensor).0, &values))
        });
        let bytes = npz::write(&arrays.collect::<Vec<_>>());
        let bytes = bytes.map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
        replace::write(file, replace::ARRAYS, &bytes)
    }
}
