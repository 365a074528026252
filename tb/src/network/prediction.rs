//! The golden side of a run: values from the golden network, counters from the golden machine.

use heddle_arch::host::{ClusterStream, Counter};
use heddle_arch::params::Params;
use heddle_arch::word::WordBytes;
use heddle_compiler::{CompileError, Load, Program, RunPlan, TensorPlan};
use heddle_network::Network;
use heddle_sim::machine::Machine;
use heddle_sim::network as golden;

use super::{LAYER_LIMIT_CYCLES, LayerRun, RunError, cluster, host_layer, kept};

/// A golden machine with a network in it, beside the golden network.
pub(super) struct Prediction<'a> {
    pub(super) network: &'a Network,
    program: &'a Program,
    /// What the golden network keeps from one image to the next.
    states: Vec<Vec<i8>>,
    machine: Machine,
}

impl<'a> Prediction<'a> {
    /// Writes what is written once to the golden machine, and what its sparse cluster is given.
    pub(super) fn load(
        params: &Params,
        network: &'a Network,
        program: &'a Program,
    ) -> Result<Self, RunError> {
        let mut machine = Machine::new(params);
        write_load(&mut machine, &program.once);
        for &(stream, word) in &program.cluster {
            let is_taken = match stream {
                ClusterStream::Commands => machine.write_cluster_command(word as u32),
                ClusterStream::Weights => machine.write_cluster_weights(word),
            };
            if !is_taken {
                return Err(RunError::Cluster);
            }
        }
        if !machine.settle_cluster() {
            return Err(RunError::Cluster);
        }
        Ok(Self {
            network,
            program,
            states: network.initial_states(),
            machine,
        })
    }

    /// What the hardware must make of an image.
    pub(super) fn run_image(&mut self, image: &[i8]) -> Result<Vec<LayerRun>, RunError> {
        let keeps = self.program.keeps;
        let read = |machine: &mut Machine, tensor: &TensorPlan| match keeps {
            true => read_tensor(machine, tensor),
            false => Ok(Vec::new()),
        };
        Ok(self.run(image, read)?.1)
    }

    /// What the golden machine makes of an image, and what the golden network says.
    pub(super) fn run_both(
        &mut self,
        image: &[i8],
    ) -> Result<(Vec<LayerRun>, Vec<LayerRun>), RunError> {
        self.run(image, read_tensor)
    }

    /// Runs the golden machine; the values of the first list are those that `read` finds.
    fn run(
        &mut self,
        image: &[i8],
        read: impl Fn(&mut Machine, &TensorPlan) -> Result<Vec<i8>, CompileError>,
    ) -> Result<(Vec<LayerRun>, Vec<LayerRun>), RunError> {
        let image = &self.network.with_states(image, &self.states);
        let outputs = golden::run(self.network, image)?;
        self.states = self.network.kept(&outputs);
        let program = self.program;
        let first = self.network.part(image, 0);
        self.load_before(0);
        write_tensor(&mut self.machine, &program.tensors[0], first)?;
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        for (run, plan) in program.runs.iter().enumerate() {
            if run > 0 {
                self.load_before(run);
            }
            let output = &program.tensors[plan.layers.end];
            let before = self.cluster_counts();
            let (counters, values) = match plan.host {
                true => (Vec::new(), self.run_on_host(plan, image, &found)?),
                false => {
                    let counters = self.run_on_machine(plan)?;
                    (counters, read(&mut self.machine, output)?)
                }
            };
            let cluster = match plan.host {
                true => Vec::new(),
                false => cluster::since(&before, &self.cluster_counts()),
            };
            found.push(LayerRun {
                counters: counters.clone(),
                cluster: cluster.clone(),
                values,
            });
            expected.push(LayerRun {
                counters,
                cluster,
                values: outputs[plan.layers.end - 1].values.clone(),
            });
        }
        Ok((found, expected))
    }

    /// What the host writes before a run, beside what it has written once.
    fn load_before(&mut self, run: usize) {
        for load in self.program.loads_before(run) {
            write_load(&mut self.machine, load);
        }
    }

    /// What the sparse cluster has counted; nothing without one.
    fn cluster_counts(&self) -> Vec<(usize, u32)> {
        let counts = self.machine.cluster_counts();
        counts.map_or(Vec::new(), |counts| cluster::numbered(&counts.all()))
    }

    fn run_on_machine(&mut self, plan: &RunPlan) -> Result<Vec<(Counter, u32)>, RunError> {
        let counters = self.machine.run(plan.start_pc, LAYER_LIMIT_CYCLES);
        let counters = counters.map_err(|source| RunError::Machine {
            layer: plan.name.clone(),
            source,
        })?;
        Ok(counters.iter().collect())
    }

    /// Reads the inputs of a layer, or takes what it has kept of them, and writes its output.
    fn run_on_host(
        &mut self,
        plan: &RunPlan,
        image: &[i8],
        made: &[LayerRun],
    ) -> Result<Vec<i8>, RunError> {
        let (network, program) = (self.network, self.program);
        let layer = &self.network.layers[plan.layers.start];
        let inputs = layer.inputs.iter();
        let inputs: Result<Vec<Vec<i8>>, CompileError> = inputs
            .map(
                |input| match kept(network, program, image, made, input.tensor) {
                    Some(values) => Ok(values),
                    None => read_tensor(&mut self.machine, &program.tensors[input.tensor]),
                },
            )
            .collect();
        let index = plan.layers.start;
        let values = host_layer(self.network, index, program, image, inputs?)?;
        write_tensor(
            &mut self.machine,
            &program.tensors[plan.layers.end],
            &values,
        )?;
        Ok(values)
    }
}

fn write_load(machine: &mut Machine, load: &Load) {
    machine.set_host_zero(0);
    for &(partition, word, bytes) in &load.image {
        machine.write_word(partition, word, bytes);
    }
    for column in &load.columns {
        machine.write_bias(column.column, column.tile, column.bias);
        machine.write_scale(column.column, column.tile, column.scale);
    }
    for (number, table) in (0..).zip(&load.tables) {
        for (byte, &stored) in (0..=u8::MAX).zip(table) {
            machine.write_activation(number, byte, stored);
        }
    }
    for &(row, entry, offset) in &load.row_offsets {
        machine.write_row_offset(row, entry, offset);
    }
    machine.write_program(load.first_word, &load.words);
}

fn write_tensor(
    machine: &mut Machine,
    tensor: &TensorPlan,
    values: &[i8],
) -> Result<(), CompileError> {
    machine.set_host_zero(tensor.zero_point);
    for (partition, word, bytes) in tensor.pack(values)? {
        machine.write_word(partition, word, bytes);
    }
    Ok(())
}

fn read_tensor(machine: &mut Machine, tensor: &TensorPlan) -> Result<Vec<i8>, CompileError> {
    machine.set_host_zero(tensor.zero_point);
    let places = tensor.word_places().into_iter();
    let words: Vec<WordBytes> = places.map(|(p, w)| machine.read_word(p, w)).collect();
    tensor.unpack(&words)
}
