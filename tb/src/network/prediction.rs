//! The golden side of a run: values from the golden network, counters from the golden machine.

use heddle_arch::network::Network;
use heddle_arch::params::Params;
use heddle_compiler::Program;
use heddle_sim::machine::Machine;
use heddle_sim::network as golden;

use super::{LAYER_LIMIT_CYCLES, LayerRun, RunError};

/// A golden machine with a network in it, beside the golden network.
pub(super) struct Prediction<'a> {
    network: &'a Network,
    program: &'a Program,
    machine: Machine,
}

impl<'a> Prediction<'a> {
    /// Writes image, column parameters, row offsets and program to the golden machine.
    pub(super) fn load(params: &Params, network: &'a Network, program: &'a Program) -> Self {
        let mut machine = Machine::new(params);
        machine.set_host_zero(0);
        for &(partition, word, bytes) in &program.image {
            machine.write_word(partition, word, bytes);
        }
        for column in &program.columns {
            machine.write_bias(column.column, column.tile, column.bias);
            machine.write_scale(column.column, column.tile, column.scale);
        }
        for &(row, entry, offset) in &program.row_offsets {
            machine.write_row_offset(row, entry, offset);
        }
        machine.write_program(0, &program.words);
        Self {
            network,
            program,
            machine,
        }
    }

    /// What the hardware must make of an image.
    pub(super) fn run_image(&mut self, image: &[i8]) -> Result<Vec<LayerRun>, RunError> {
        let outputs = golden::run(self.network, image)?;
        let input = &self.program.tensors[0];
        self.machine.set_host_zero(input.zero_point);
        for (partition, word, bytes) in input.pack(image)? {
            self.machine.write_word(partition, word, bytes);
        }
        let mut layers = Vec::with_capacity(outputs.len());
        for (plan, output) in self.program.layers.iter().zip(outputs) {
            let counters = self
                .machine
                .run(plan.start_pc, LAYER_LIMIT_CYCLES)
                .map_err(|source| RunError::Machine {
                    layer: plan.name.clone(),
                    source,
                })?;
            layers.push(LayerRun {
                counters: counters.iter().collect(),
                values: output.values,
            });
        }
        Ok(layers)
    }
}
