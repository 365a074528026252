//! The hardware side of a run: drives the verilated machine and looks at nothing.

use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use heddle_arch::host::CLUSTER_COUNTERS;
use heddle_arch::params::{CounterSet, Params};
use heddle_compiler::{Load, Program, RunPlan, TensorPlan};
use heddle_network::Network;

use super::{
    Image, LAYER_LIMIT_CYCLES, LayerRun, RunError, cluster, host_layer, kept, kept_states,
};
use crate::host::{Host, HostError};

/// A verilated machine with a network in it.
pub(super) struct Hardware<'a> {
    pub(super) host: Host,
    network: &'a Network,
    program: &'a Program,
    /// What the network keeps from one image to the next.
    states: Vec<Vec<i8>>,
    /// The counters that the machine has.
    counters: CounterSet,
    /// What the sparse cluster has counted; none without one.
    counted: Option<Vec<(usize, u32)>>,
    first_cycle: u64,
    time: Duration,
}

impl<'a> Hardware<'a> {
    /// Writes what is written once, and what the sparse cluster is given.
    pub(super) fn load(
        host: Host,
        params: &Params,
        network: &'a Network,
        program: &'a Program,
    ) -> Result<Self, RunError> {
        let started = Instant::now();
        let mut hardware = Self {
            first_cycle: host.cycles(),
            host,
            network,
            program,
            states: network.initial_states(),
            counters: params.counters,
            counted: None,
            time: Duration::ZERO,
        };
        let loaded = hardware.write_load(&program.once);
        loaded
            .and_then(|()| hardware.write_cluster(params))
            .map_err(at("loading"))?;
        hardware.time = started.elapsed();
        Ok(hardware)
    }

    fn write_load(&mut self, load: &Load) -> Result<(), HostError> {
        self.host.set_zero(0)?;
        self.host.write_words(&load.image)?;
        for column in &load.columns {
            self.host
                .write_column(column.column, column.tile, column.bias, column.scale)?;
        }
        for (number, table) in (0..).zip(&load.tables) {
            for (byte, &stored) in (0..=u8::MAX).zip(table) {
                self.host.write_activation(number, byte, stored)?;
            }
        }
        for &(row, entry, offset) in &load.row_offsets {
            self.host.write_row_offset(row, entry, offset)?;
        }
        self.host.write_program(load.first_word, &load.words)
    }

    /// What the host writes before a run, beside what it has written once.
    fn load_before(&mut self, run: usize) -> Result<(), RunError> {
        let mut loads = self.program.loads_before(run);
        loads.try_for_each(|load| self.write_load(load).map_err(at("loading a segment")))
    }

    /// Commands and weights that stay in the sparse cluster.
    fn write_cluster(&mut self, params: &Params) -> Result<(), HostError> {
        if !params.has_cluster() {
            return Ok(());
        }
        self.host.write_cluster(&self.program.cluster)?;
        self.counted = Some(self.cluster_counters()?);
        Ok(())
    }

    fn cluster_counters(&mut self) -> Result<Vec<(usize, u32)>, HostError> {
        let all = self.host.cluster_counters(CLUSTER_COUNTERS.len() as u32)?;
        let mut counted = cluster::numbered(&all);
        counted.retain(|(number, _)| self.counters.has_of_cluster(*number));
        Ok(counted)
    }

    /// What the sparse cluster has counted since the last time.
    fn count_cluster(&mut self) -> Result<Vec<(usize, u32)>, HostError> {
        let Some(before) = self.counted.take() else {
            return Ok(Vec::new());
        };
        let now = self.cluster_counters()?;
        let counted = cluster::since(&before, &now);
        self.counted = Some(now);
        Ok(counted)
    }

    /// Runs images in order, until one fails or nobody receives their layers any more.
    pub(super) fn run_all(
        &mut self,
        images: &[Image<'_>],
        layers: &SyncSender<Vec<LayerRun>>,
    ) -> Result<(), RunError> {
        for &(image, _) in images {
            if layers.send(self.run_image(image)?).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Runs one image through all layers.
    pub(super) fn run_image(&mut self, image: &[i8]) -> Result<Vec<LayerRun>, RunError> {
        let started = Instant::now();
        let whole = self.network.with_states(image, &self.states);
        let layers = self.run_layers(&whole);
        if let Ok(layers) = &layers {
            self.states = kept_states(self.network, self.program, layers);
        }
        self.time += started.elapsed();
        layers
    }

    fn run_layers(&mut self, image: &[i8]) -> Result<Vec<LayerRun>, RunError> {
        let program = self.program;
        // Zeros around the input may lie where the segments before have had weights.
        self.load_before(0)?;
        self.write_tensor(&program.tensors[0], self.network.part(image, 0))?;
        let mut made = Vec::new();
        for (run, plan) in program.runs.iter().enumerate() {
            if run > 0 {
                self.load_before(run)?;
            }
            made.push(match plan.host {
                true => self.run_on_host(plan, image, &made)?,
                false => self.run_on_machine(plan)?,
            });
        }
        Ok(made)
    }

    fn run_on_machine(&mut self, plan: &RunPlan) -> Result<LayerRun, RunError> {
        let program = self.program;
        let run = self.host.run(plan.start_pc, LAYER_LIMIT_CYCLES);
        let counters = run.and_then(|_| self.host.counters());
        let mut counters = counters.map_err(at(&plan.name))?;
        counters.retain(|(counter, _)| self.counters.has(*counter));
        Ok(LayerRun {
            counters,
            cluster: self.count_cluster().map_err(at(&plan.name))?,
            values: self.read_tensor(&program.tensors[plan.layers.end])?,
        })
    }

    /// Reads the inputs of a layer, or takes what it has kept of them, and writes its output.
    fn run_on_host(
        &mut self,
        plan: &RunPlan,
        image: &[i8],
        made: &[LayerRun],
    ) -> Result<LayerRun, RunError> {
        let (network, program) = (self.network, self.program);
        let layer = &self.network.layers[plan.layers.start];
        let inputs = layer.inputs.iter();
        let inputs: Result<Vec<Vec<i8>>, RunError> = inputs
            .map(
                |input| match kept(network, program, image, made, input.tensor) {
                    Some(values) => Ok(values),
                    None => self.read_tensor(&program.tensors[input.tensor]),
                },
            )
            .collect();
        let index = plan.layers.start;
        let values = host_layer(self.network, index, program, image, inputs?)?;
        self.write_tensor(&program.tensors[plan.layers.end], &values)?;
        Ok(LayerRun {
            counters: Vec::new(),
            cluster: Vec::new(),
            values,
        })
    }

    fn write_tensor(&mut self, tensor: &TensorPlan, values: &[i8]) -> Result<(), RunError> {
        let words = tensor.pack(values)?;
        let written = self.host.set_zero(tensor.zero_point);
        let written = written.and_then(|()| self.host.write_words(&words));
        written.map_err(at(&tensor.name))
    }

    fn read_tensor(&mut self, tensor: &TensorPlan) -> Result<Vec<i8>, RunError> {
        let set = self.host.set_zero(tensor.zero_point);
        let words = set.and_then(|()| self.host.read_words(&tensor.word_places()));
        Ok(tensor.unpack(&words.map_err(at(&tensor.name))?)?)
    }

    /// Clock cycles simulated from the start of loading on.
    pub(super) fn cycles(&self) -> u64 {
        self.host.cycles() - self.first_cycle
    }

    /// Time that these cycles took.
    pub(super) fn time(&self) -> Duration {
        self.time
    }
}

/// Adapter for `map_err`: names what was done.
fn at(layer: &str) -> impl FnOnce(HostError) -> RunError + '_ {
    move |source| RunError::Host {
        layer: layer.to_string(),
        source,
    }
}
