//! Pins of one unit.

use super::sides::{COUNTERS, Side};
use crate::beside::write_port::WritePort;
use crate::rtl::Dut;
use heddle_sim::blocks::offsets::{UnitOptions, Write};
use heddle_tb::{Model, PortId};
use rand_chacha::ChaCha8Rng;

/// Inputs of one clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct Inputs {
    /// Write at the port.
    pub write: Option<Write>,
    /// Start.
    pub start: bool,
    /// Ready.
    pub ready: bool,
}

/// A step as a row shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Byte address, if the row reads.
    pub address: Option<u32>,
    /// First step of a pass.
    pub first: bool,
    /// Last step of a pass.
    pub last: bool,
}

/// Outputs of one clock, those that are defined.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outputs {
    /// The write is taken.
    pub wr_ready: bool,
    /// A write was refused.
    pub refused: bool,
    /// A run is under way.
    pub busy: bool,
    /// It has ended.
    pub done: bool,
    /// Why the last start was refused.
    pub error: u64,
    /// Of each row.
    pub rows: Vec<Option<Step>>,
    /// Rows that read or have a flag although no step is in them.
    pub astray: usize,
    /// Weight word and, weight stationary, the row it is for.
    pub word: Option<(u16, u16)>,
    /// With a step in row 0: first row entry, first channel, first and last K tile.
    pub pass: Option<(u16, u16, bool, bool)>,
}

impl Outputs {
    /// What the rows read, row 0 first.
    pub fn addresses(&self) -> Vec<u32> {
        let steps = self.rows.iter().flatten();
        steps.filter_map(|step| step.address).collect()
    }
}

/// Accesses of the tables since the start of the simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Accesses {
    /// Of bases and offsets: reads, writes, entry read last.
    pub tables: [[u32; 3]; 2],
    /// Reads that met a write of their entry.
    pub meets: u32,
}

/// The ports of a unit.
pub struct Pins {
    options: UnitOptions,
    write: WritePort,
    start: PortId,
    ready: PortId,
    status: [PortId; 5],
    rows: [PortId; 5],
    word: [PortId; 3],
    pass: [PortId; 4],
    counters: [PortId; 7],
}

impl Pins {
    /// Looks up the ports of a side.
    pub fn new(side: &Side, dut: &Dut) -> Self {
        let id = |port: &str| dut.id(&format!("{}_{port}", side.name));
        Self {
            options: side.options,
            write: WritePort::new(id, side.options.taps),
            start: id("start_i"),
            ready: id("ready_i"),
            status: ["wr_ready_o", "refused_o", "busy_o", "done_o", "error_o"].map(id),
            rows: [
                "row_valid_o",
                "row_ren_o",
                "row_addr_o",
                "row_first_o",
                "row_last_o",
            ]
            .map(id),
            word: ["b_valid_o", "b_addr_o", "b_row_o"].map(id),
            pass: [
                "pass_held_o",
                "pass_cols_o",
                "pass_sum_first_o",
                "pass_sum_last_o",
            ]
            .map(id),
            counters: COUNTERS.map(id),
        }
    }

    /// Drives all inputs; noise where nothing is written.
    pub fn drive(&self, model: &mut Model, inputs: &Inputs, noise: &mut ChaCha8Rng) {
        self.write.drive(model, inputs.write, noise);
        model.set(self.start, inputs.start.into());
        model.set(self.ready, inputs.ready.into());
    }

    /// Reads the outputs.
    pub fn read(&self, model: &Model) -> Outputs {
        let [valid, ren, address, first, last] = self.rows;
        let bit = |port, row: usize| model.get_bits(port, row as u32, 1) == 1;
        let bits = self.options.address_bits;
        let mut outputs = Outputs::default();
        for row in 0..self.options.rows {
            let ren = bit(ren, row);
            let step = bit(valid, row).then(|| Step {
                address: ren.then(|| model.get_bits(address, row as u32 * bits, bits) as u32),
                first: bit(first, row),
                last: bit(last, row),
            });
            let any = ren || bit(first, row) || bit(last, row);
            outputs.astray += usize::from(any && step.is_none());
            outputs.rows.push(step);
        }
        let [wr_ready, refused, busy, done, error] = self.status.map(|port| model.get(port));
        outputs.wr_ready = wr_ready == 1;
        outputs.refused = refused == 1;
        outputs.busy = busy == 1;
        outputs.done = done == 1;
        outputs.error = error;
        let [word, word_address, word_row] = self.word.map(|port| model.get(port));
        outputs.word = (word == 1).then_some((word_address as u16, word_row as u16));
        let [held, cols, sum_first, sum_last] = self.pass.map(|port| model.get(port));
        outputs.pass = outputs.rows[0].map(|_| {
            let (held, cols) = (held as u16, cols as u16);
            (held, cols, sum_first == 1, sum_last == 1)
        });
        outputs
    }

    /// Reads the counters of the cells.
    pub fn accesses(&self, model: &Model) -> Accesses {
        let [a, b, c, d, e, f, meets] = self.counters.map(|port| model.get(port) as u32);
        Accesses {
            tables: [[a, b, c], [d, e, f]],
            meets,
        }
    }
}
