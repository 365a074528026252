//! The hardware side of a run: drives the verilated machine and looks at nothing.

use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use heddle_compiler::Program;

use super::{Image, LAYER_LIMIT_CYCLES, LayerRun, RunError};
use crate::host::{Host, HostError};

/// A verilated machine with a network in it.
pub(super) struct Hardware<'a> {
    pub(super) host: Host,
    program: &'a Program,
    first_cycle: u64,
    time: Duration,
}

impl<'a> Hardware<'a> {
    /// Writes image, column parameters, row offsets and program.
    pub(super) fn load(host: Host, program: &'a Program) -> Result<Self, RunError> {
        let started = Instant::now();
        let mut hardware = Self {
            first_cycle: host.cycles(),
            host,
            program,
            time: Duration::ZERO,
        };
        hardware.write_program().map_err(at("loading"))?;
        hardware.time = started.elapsed();
        Ok(hardware)
    }

    fn write_program(&mut self) -> Result<(), HostError> {
        self.host.set_zero(0)?;
        self.host.write_words(&self.program.image)?;
        for column in &self.program.columns {
            self.host
                .write_column(column.column, column.tile, column.bias, column.scale)?;
        }
        for (number, table) in (0..).zip(&self.program.tables) {
            for (byte, &stored) in (0..=u8::MAX).zip(table) {
                self.host.write_activation(number, byte, stored)?;
            }
        }
        for &(row, entry, offset) in &self.program.row_offsets {
            self.host.write_row_offset(row, entry, offset)?;
        }
        self.host.write_program(0, &self.program.words)
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
        let layers = self.run_layers(image);
        self.time += started.elapsed();
        layers
    }

    fn run_layers(&mut self, image: &[i8]) -> Result<Vec<LayerRun>, RunError> {
        let input = &self.program.tensors[0];
        let words = input.pack(image)?;
        self.host.set_zero(input.zero_point).map_err(at("input"))?;
        self.host.write_words(&words).map_err(at("input"))?;
        let mut layers = Vec::with_capacity(self.program.runs.len());
        for plan in &self.program.runs {
            let output = &self.program.tensors[plan.layers.end];
            let places = output.word_places();
            let host = &mut self.host;
            host.run(plan.start_pc, LAYER_LIMIT_CYCLES)
                .and_then(|_| {
                    let counters = host.counters()?;
                    host.set_zero(output.zero_point)?;
                    Ok((counters, host.read_words(&places)?))
                })
                .map_err(at(&plan.name))
                .and_then(|(counters, words)| {
                    layers.push(LayerRun {
                        counters,
                        values: output.unpack(&words)?,
                    });
                    Ok(())
                })?;
        }
        Ok(layers)
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
