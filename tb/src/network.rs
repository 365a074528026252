//! Runs a compiled network on a verilated machine and holds it against the golden models: every
//! value of every layer against the golden network, every counter against the golden machine.

use heddle_arch::host::Counter;
use heddle_arch::network::Network;
use heddle_arch::params::Params;
use heddle_compiler::{CompileError, Program};
use heddle_sim::machine::{Machine, MachineError};
use heddle_sim::network::{self as golden, NetworkError};
use serde::Serialize;

use crate::host::{Host, HostError};

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
    /// The golden network refused the image.
    #[error(transparent)]
    Golden(#[from] NetworkError),
    /// A tensor did not fit its plan.
    #[error(transparent)]
    Plan(#[from] CompileError),
}

/// Sums over all images of one layer.
#[derive(Debug, Clone, Default, Serialize)]
pub struct LayerReport {
    /// Name.
    pub name: String,
    /// Multiply-accumulates of the network's layer, one image.
    pub macs: u64,
    /// Clock cycles, one image; the same for every image.
    pub cycles: u64,
    /// macs / (cycles x rows x cols).
    pub utilisation: f64,
    /// Hardware counters by name, summed over the images.
    pub counters: Vec<(String, u64)>,
    /// 64-bit accesses that a plain memory would have needed: the mask accesses.
    pub plain_accesses: u64,
    /// Bits that the sliced memory accessed.
    pub sliced_bits: u64,
    /// Output values that differ from the golden network.
    pub mismatches: u64,
    /// Counters that differ from the prediction: image, name, hardware, prediction.
    pub wrong_counters: Vec<(usize, String, u32, u32)>,
    /// The first wrong value: image, index, hardware, golden.
    pub first_mismatch: Option<(usize, usize, i8, i8)>,
}

impl LayerReport {
    /// Sum of a counter over the images.
    #[must_use]
    pub fn counter(&self, counter: Counter) -> u64 {
        self.counters[counter as usize - Counter::Cycles as usize].1
    }

    /// Bits accessed against a plain memory with 64-bit words, 1.0 = equal.
    #[must_use]
    pub fn access_ratio(&self) -> f64 {
        if self.plain_accesses == 0 {
            return 1.0;
        }
        self.sliced_bits as f64 / (64 * self.plain_accesses) as f64
    }
}

/// Result of a run.
#[derive(Debug, Clone, Default, Serialize)]
pub struct NetworkReport {
    /// Name of the network.
    pub network: String,
    /// Name of the configuration.
    pub configuration: String,
    /// Images run.
    pub images: usize,
    /// Images whose largest output is their label.
    pub correct: usize,
    /// Layers in order.
    pub layers: Vec<LayerReport>,
    /// Clock cycles simulated between start and halt, quiet cycles included.
    pub simulated_cycles: u64,
}

impl NetworkReport {
    /// True if every value and every counter was as predicted.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.layers
            .iter()
            .all(|layer| layer.mismatches == 0 && layer.wrong_counters.is_empty())
    }
}

/// A machine with a network in it, ready for images.
pub struct Bench<'a> {
    params: &'a Params,
    network: &'a Network,
    program: &'a Program,
    host: Host,
    machine: Machine,
    report: NetworkReport,
}

/// Cycles a layer may take before it counts as hanging.
const LAYER_LIMIT_CYCLES: u64 = 1 << 32;

impl<'a> Bench<'a> {
    /// Writes the program, the column parameters and the image to hardware and golden machine.
    ///
    /// # Errors
    /// `Host` if the port does not answer.
    pub fn new(
        mut host: Host,
        params: &'a Params,
        network: &'a Network,
        program: &'a Program,
    ) -> Result<Self, RunError> {
        let mut machine = Machine::new(params);
        load(&mut host, &mut machine, program).map_err(|source| RunError::Host {
            layer: "loading".into(),
            source,
        })?;
        let layers = program.layers.iter().map(|layer| LayerReport {
            name: layer.name.clone(),
            macs: layer.macs,
            counters: Counter::ALL
                .iter()
                .map(|counter| (counter.name().to_string(), 0))
                .collect(),
            ..LayerReport::default()
        });
        Ok(Self {
            report: NetworkReport {
                network: network.name.clone(),
                configuration: params.name.clone(),
                layers: layers.collect(),
                ..NetworkReport::default()
            },
            params,
            network,
            program,
            host,
            machine,
        })
    }

    /// The machine, for instance to open a wave file.
    pub fn host(&mut self) -> &mut Host {
        &mut self.host
    }

    /// What was found so far.
    #[must_use]
    pub fn report(&self) -> &NetworkReport {
        &self.report
    }

    /// Runs one image through all layers and compares.
    ///
    /// # Errors
    /// `RunError`; differences of values and counters are in the report instead.
    pub fn run_image(&mut self, image: &[i8], label: Option<usize>) -> Result<(), RunError> {
        let expected = golden::run(self.network, image)?;
        let words = self.program.tensors[0].pack(image)?;
        self.write_input(&words).map_err(|source| RunError::Host {
            layer: "input".into(),
            source,
        })?;
        let number = self.report.images;
        let mut output = Vec::new();
        for (index, golden) in expected.iter().enumerate() {
            output = self.run_layer(index, number)?;
            let report = &mut self.report.layers[index];
            for (at, (&got, &want)) in output.iter().zip(&golden.values).enumerate() {
                if got != want {
                    report.mismatches += 1;
                    report.first_mismatch.get_or_insert((number, at, got, want));
                }
            }
        }
        self.report.images += 1;
        // The first of equal maxima counts, as in the usual argmax.
        let best = (0..output.len()).rev().max_by_key(|&i| output[i]);
        if label.is_some() && best == label {
            self.report.correct += 1;
        }
        Ok(())
    }

    fn write_input(&mut self, words: &[(u32, u32, [u8; 8])]) -> Result<(), HostError> {
        let zero = self.program.tensors[0].zero_point;
        self.host.set_zero(zero)?;
        self.machine.set_host_zero(zero);
        for &(partition, word, bytes) in words {
            self.host.write_word(partition, word, bytes)?;
            self.machine.write_word(partition, word, bytes);
        }
        Ok(())
    }

    /// Runs one layer on both machines; gives the output that the hardware holds.
    fn run_layer(&mut self, index: usize, image: usize) -> Result<Vec<i8>, RunError> {
        let plan = &self.program.layers[index];
        let at = |source| RunError::Host {
            layer: plan.name.clone(),
            source,
        };
        self.report.simulated_cycles += self
            .host
            .run(plan.start_pc, LAYER_LIMIT_CYCLES)
            .map_err(at)?;
        let predicted = self
            .machine
            .run(plan.start_pc, LAYER_LIMIT_CYCLES)
            .map_err(|source| RunError::Machine {
                layer: plan.name.clone(),
                source,
            })?;
        let report = &mut self.report.layers[index];
        for (slot, (counter, want)) in predicted.iter().enumerate() {
            let got = self.host.counter(counter).map_err(at)?;
            report.counters[slot].1 += u64::from(got);
            if got != want {
                let name = counter.name().to_string();
                report.wrong_counters.push((image, name, got, want));
            }
            if counter == Counter::Cycles {
                report.cycles = u64::from(got);
            }
        }
        let pes = u64::from(self.params.array.rows) * u64::from(self.params.array.cols);
        report.utilisation = report.macs as f64 / (report.cycles.max(1) * pes) as f64;
        let accesses = |read, write| report.counter(read) + report.counter(write);
        let [mask, a, b] = slice_bits(self.params);
        let plain = accesses(Counter::MaskReads, Counter::MaskWrites);
        let sliced = mask * plain
            + a * accesses(Counter::AReads, Counter::AWrites)
            + b * accesses(Counter::BReads, Counter::BWrites);
        report.plain_accesses = plain;
        report.sliced_bits = sliced;

        let tensor = &self.program.tensors[plan.output];
        self.host.set_zero(tensor.zero_point).map_err(at)?;
        let words = self.host.read_words(&tensor.word_places()).map_err(at)?;
        Ok(tensor.unpack(&words)?)
    }
}

/// Bits of one access of the mask slice and of the two data slices.
fn slice_bits(params: &Params) -> [u64; 3] {
    let widths = &params.state_buffer.slices.widths;
    [8, u64::from(widths[0]) * 8, u64::from(widths[1]) * 8]
}

fn load(host: &mut Host, machine: &mut Machine, program: &Program) -> Result<(), HostError> {
    host.set_zero(0)?;
    machine.set_host_zero(0);
    for &(partition, word, bytes) in &program.image {
        host.write_word(partition, word, bytes)?;
        machine.write_word(partition, word, bytes);
    }
    for column in &program.columns {
        host.write_column(column.column, column.tile, column.bias, column.scale)?;
        machine.write_bias(column.column, column.tile, column.bias);
        machine.write_scale(column.column, column.tile, column.scale);
    }
    host.write_program(0, &program.words)?;
    machine.write_program(0, &program.words);
    Ok(())
}
