//! Runs a compiled network on a verilated machine and holds it against the golden models: every
//! value of every layer against the golden network, every counter that it has against the golden machine.

pub(crate) mod cluster;
mod hardware;
mod prediction;
mod report;
mod simulated;

use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use heddle_arch::host::Counter;
use heddle_arch::params::Params;
use heddle_compiler::{CompileError, Program};
use heddle_network::Network;
use heddle_sim::machine::MachineError;
use heddle_sim::network::{NetworkError, Tensor};

use crate::host::{Host, HostError};
pub use cluster::ClusterReport;
use hardware::Hardware;
use prediction::Prediction;
pub use report::{CountersReport, LayerReport, NetworkReport, SegmentReport};
pub use simulated::simulate;

/// Why a network could not be run to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The machine could not be driven, or it stopped.
    #[error("layer {layer}: {source}")]
    Host {
        /// Name of the layer, or what else was done.
        layer: String,
        /// Reason.
        source: HostError,
    },
    /// The golden machine did not reach HALT.
    #[error("layer {layer}, golden machine: {source}")]
    Machine {
        /// Name of the layer.
        layer: String,
        /// Reason.
        source: MachineError,
    },
    /// The golden cluster did not take what the program has for it.
    #[error("loading, golden machine: the sparse cluster does not take its commands and weights")]
    Cluster,
    /// The golden network refused the image.
    #[error(transparent)]
    Golden(#[from] NetworkError),
    /// A tensor did not fit its plan.
    #[error(transparent)]
    Plan(#[from] CompileError),
}

/// What one side made of one run of one image.
#[derive(Debug)]
pub struct LayerRun {
    /// The counters that this side has, in the order of their registers; the golden machine has all.
    counters: Vec<(Counter, u32)>,
    /// What the sparse cluster has counted: numbers of the counters that there are, and counts.
    cluster: Vec<(usize, u32)>,
    /// The quantised output, in the order channel, row, column.
    pub values: Vec<i8>,
}

/// What the host makes of tensors for a layer, or writes of an image.
fn host_layer(
    network: &Network,
    index: usize,
    program: &Program,
    image: &[i8],
    inputs: Vec<Vec<i8>>,
) -> Result<Vec<i8>, RunError> {
    let shapes = network.layers[index]
        .inputs
        .iter()
        .map(|input| program.tensors[input.tensor].shape);
    let tensors = shapes
        .zip(inputs)
        .map(|(shape, values)| Tensor { shape, values });
    let tensors: Vec<Tensor> = tensors.collect();
    let inputs: Vec<&Tensor> = tensors.iter().collect();
    Ok(network.run_layer(index, image, &inputs)?.values)
}

/// What the host keeps of a tensor, if it needs no place in the machine.
fn kept(
    network: &Network,
    program: &Program,
    image: &[i8],
    runs: &[LayerRun],
    tensor: usize,
) -> Option<Vec<i8>> {
    if !program.keeps {
        return None;
    }
    if tensor == 0 {
        return Some(network.part(image, 0).to_vec());
    }
    let mut plans = program.runs.iter().zip(runs);
    let made = plans.find(|(plan, _)| plan.layers.end == tensor);
    made.map(|(_, run)| run.values.clone())
}

/// What a network keeps for the next image, of what the runs of one have made.
#[must_use]
pub fn kept_states(network: &Network, program: &Program, runs: &[LayerRun]) -> Vec<Vec<i8>> {
    let made = |output: usize| {
        let mut plans = program.runs.iter().zip(runs);
        let run = plans.find(|(plan, _)| plan.layers.end == output);
        run.map_or(Vec::new(), |(_, run)| run.values.clone())
    };
    let states = network.states.iter();
    states.map(|state| made(state.output)).collect()
}

/// Cycles a layer may take before it counts as hanging.
const LAYER_LIMIT_CYCLES: u64 = 1 << 32;

/// Images that the hardware may be ahead of the golden models.
const IMAGES_AHEAD: usize = 64;

/// An image to run: quantised values and, if known, its label.
pub type Image<'i> = (&'i [i8], Option<usize>);

/// A machine with a network in it, ready for images.
pub struct Bench<'a> {
    hardware: Hardware<'a>,
    judge: Judge<'a>,
}

impl<'a> Bench<'a> {
    /// Writes what is written once to hardware and golden machine.
    ///
    /// # Errors
    /// `Host` if the port does not answer.
    pub fn new(
        host: Host,
        params: &'a Params,
        network: &'a Network,
        program: &'a Program,
    ) -> Result<Self, RunError> {
        let mut bench = Self {
            hardware: Hardware::load(host, params, network, program)?,
            judge: Judge {
                params,
                prediction: Prediction::load(params, network, program)?,
                report: NetworkReport {
                    counters: Some(CountersReport::of(params)),
                    ..NetworkReport::new(&network.name, params, program)
                },
            },
        };
        bench.close_report();
        Ok(bench)
    }

    /// The machine, for instance to end a wave file.
    pub fn host(&mut self) -> &mut Host {
        &mut self.hardware.host
    }

    /// Gives the machine back.
    #[must_use]
    pub fn into_host(self) -> Host {
        self.hardware.host
    }

    /// What was found so far.
    #[must_use]
    pub fn report(&self) -> &NetworkReport {
        &self.judge.report
    }

    /// Time that the simulated cycles of the report took, without golden models and comparison.
    #[must_use]
    pub fn simulation_time(&self) -> Duration {
        self.hardware.time()
    }

    /// Runs one image through all layers and compares.
    ///
    /// # Errors
    /// `RunError`; differences of values and counters are in the report instead.
    pub fn run_image(&mut self, image: &[i8], label: Option<usize>) -> Result<(), RunError> {
        let result = self
            .hardware
            .run_image(image)
            .and_then(|hardware| self.judge.compare((image, label), &hardware));
        self.close_report();
        result
    }

    /// Runs images through all layers, in their order. Golden models and comparison run in a thread of their own;
    /// it calls `compared` after each image with what each run of the hardware made.
    ///
    /// # Errors
    /// `RunError`; differences of values and counters are in the report instead.
    pub fn run_images(
        &mut self,
        images: &[Image<'_>],
        compared: impl FnMut(&[LayerRun]) + Send,
    ) -> Result<(), RunError> {
        let (hardware, judge) = (&mut self.hardware, &mut self.judge);
        let result = thread::scope(|scope| {
            let (sender, receiver) = mpsc::sync_channel(IMAGES_AHEAD);
            let judge = scope.spawn(move || judge.compare_all(images, &receiver, compared));
            let driven = hardware.run_all(images, &sender);
            drop(sender);
            let judged = judge.join().expect("golden models do not panic");
            judged.and(driven)
        });
        self.close_report();
        result
    }

    fn close_report(&mut self) {
        let report = &mut self.judge.report;
        report.simulated_cycles = self.hardware.cycles();
        report.set_total(self.judge.params);
    }
}

/// Holds what the hardware did against the golden models.
struct Judge<'a> {
    params: &'a Params,
    prediction: Prediction<'a>,
    report: NetworkReport,
}

impl Judge<'_> {
    fn compare_all(
        &mut self,
        images: &[Image<'_>],
        hardware: &Receiver<Vec<LayerRun>>,
        mut compared: impl FnMut(&[LayerRun]),
    ) -> Result<(), RunError> {
        for &(image, label) in images {
            let golden = self.prediction.run_image(image)?;
            let Ok(layers) = hardware.recv() else {
                break; // the hardware has met an error
            };
            self.add(label, &layers, &golden);
            compared(&layers);
        }
        Ok(())
    }

    fn compare(
        &mut self,
        (image, label): Image<'_>,
        hardware: &[LayerRun],
    ) -> Result<(), RunError> {
        let golden = self.prediction.run_image(image)?;
        self.add(label, hardware, &golden);
        Ok(())
    }

    fn add(&mut self, label: Option<usize>, hardware: &[LayerRun], golden: &[LayerRun]) {
        let image = self.report.images;
        let layers = self.report.layers.iter_mut();
        for ((report, got), want) in layers.zip(hardware).zip(golden) {
            report.add(self.params, image, got, want);
        }
        let network = self.prediction.network;
        self.report.add_output(network, hardware.last(), label);
    }
}
