//! The golden side of a run: values from the golden network, counters from the golden machine.

use heddle_arch::network::Network;
use heddle_arch::params::Params;
use heddle_compiler::{CompileError, Program, TensorPlan};
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
        for (number, table) in (0..).zip(&program.tables) {
            for (byte, &stored) in (0..=u8::MAX).zip(table) {
                machine.write_activation(number, byte, stored);
            }
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
        Ok(self.run(image, |_, _| Ok(Vec::new()))?.1)
    }

    /// What the golden machine makes of an image, and what the golden network says.
    pub(super) fn run_both(
        &mut self,
        image: &[i8],
    ) -> Result<(Vec<LayerRun>, Vec<LayerRun>), RunError> {
        self.run(image, |machine, output| {
            machine.set_host_zero(output.zero_point);
            let places = output.word_places().into_iter();
            let words: Vec<[u8; 8]> = places.map(|(p, w)| machine.read_word(p, w)).collect();
            output.unpack(&words)
        })
    }

    /// Runs the golden machine; the values of the first list are those that `read` finds.
    fn run(
        &mut self,
        image: &[i8],
        read: impl Fn(&mut Machine, &TensorPlan) -> Result<Vec<i8>, CompileError>,
    ) -> Result<(Vec<LayerRun>, Vec<LayerRun>), RunError> {
        let outputs = golden::run(self.network, image)?;
        let input = &self.program.tensors[0];
        self.machine.set_host_zero(input.zero_point);
        for (partition, word, bytes) in input.pack(image)? {
            self.machine.write_word(partition, word, bytes);
        }
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        for plan in &self.program.runs {
            let counters = self
                .machine
                .run(plan.start_pc, LAYER_LIMIT_CYCLES)
                .map_err(|source| RunError::Machine {
                    layer: plan.name.clone(),
                    source,
                })?;
            let counters: Vec<_> = counters.iter().collect();
            let output = &self.program.tensors[plan.layers.end];
            found.push(LayerRun {
                counters: counters.clone(),
                values: read(&mut self.machine, output)?,
            });
            expected.push(LayerRun {
                counters,
                values: outputs[plan.layers.end - 1].values.clone(),
            });
        }
        Ok((found, expected))
    }
}
