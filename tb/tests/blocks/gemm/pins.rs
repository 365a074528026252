//! Pins of one core.

use super::reads::Read;
use super::sides::{COUNTERS, Side, memories};
use crate::beside::write_port::WritePort;
use crate::rtl::Dut;
use heddle_sim::blocks::gemm::{GemmOptions, GemmResult};
use heddle_sim::blocks::offsets::Write;
use heddle_tb::{Model, PortId};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::ops::Index;

/// Inputs of one clock.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// Write of a register or table entry.
    pub write: Option<Write>,
    /// Operand: byte address, value.
    pub operand: Option<(u32, i8)>,
    /// Weight word.
    pub weights: Option<(u16, Vec<i8>)>,
    /// Start.
    pub start: bool,
}

/// Status outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
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
    /// Clocks in which rows waited for a bank.
    pub stalls: u64,
    /// Operand reads.
    pub reads: u64,
}

/// What the memories have counted since the start of the simulation, modulo 2^32, by the names of [`COUNTERS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters([u32; COUNTERS.len()]);

impl Counters {
    /// What was counted since `before`.
    pub fn since(&self, before: &Self) -> Self {
        Self(std::array::from_fn(|n| self.0[n].wrapping_sub(before.0[n])))
    }
}

impl Index<&str> for Counters {
    type Output = u32;

    fn index(&self, name: &str) -> &u32 {
        let place = COUNTERS.iter().position(|counter| *counter == name);
        &self.0[place.expect("a counter")]
    }
}

/// Reads that came to their ends in one clock.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Operand memory, read.
    pub memories: Vec<(usize, Read)>,
    /// Row, operand that enters the array.
    pub rows: Vec<(usize, i8)>,
    /// Column, read of its weights.
    pub weights: Vec<(usize, Read)>,
}

/// Memories of one kind: read enables, addresses, and the bytes one clock later.
struct Watched {
    ports: [PortId; 3],
    /// Of each memory: the address that was read in the clock before.
    read: Vec<Option<u32>>,
}

impl Watched {
    fn new(ports: [PortId; 3], memories: usize) -> Self {
        Self {
            ports,
            read: vec![None; memories],
        }
    }

    /// Memories that give a byte in this clock.
    fn watch(&mut self, model: &Model) -> Vec<(usize, Read)> {
        let [ren, at, byte] = self.ports;
        let mut reads = Vec::new();
        for (memory, read) in self.read.iter_mut().enumerate() {
            let bit = memory as u32;
            if let Some(address) = *read {
                let byte = model.get_bits(byte, 8 * bit, 8) as u8 as i8;
                reads.push((memory, (address, byte)));
            }
            let address = model.get_bits(at, 16 * bit, 16) as u32;
            *read = (model.get_bits(ren, bit, 1) == 1).then_some(address);
        }
        reads
    }
}

/// The ports of a core.
pub struct Pins {
    options: GemmOptions,
    write: WritePort,
    operand: [PortId; 3],
    weights: [PortId; 3],
    start: PortId,
    status: [PortId; 7],
    results: [PortId; 4],
    counters: [PortId; COUNTERS.len()],
    memories: Watched,
    weights_read: Watched,
    rows: [PortId; 3],
}

impl Pins {
    /// Looks up the ports of a side.
    pub fn new(side: &Side, dut: &Dut) -> Self {
        let id = |port: &str| dut.id(&format!("{}_{port}", side.name));
        Self {
            options: side.options,
            write: WritePort::new(id, side.options.unit.taps),
            operand: ["a_wen_i", "a_addr_i", "a_data_i"].map(id),
            weights: ["b_wen_i", "b_addr_i", "b_data_i"].map(id),
            start: id("start_i"),
            status: [
                "wr_ready_o",
                "refused_o",
                "busy_o",
                "done_o",
                "error_o",
                "stalls_o",
                "reads_o",
            ]
            .map(id),
            results: ["c_valid_o", "c_row_o", "c_col_o", "c_data_o"].map(id),
            counters: COUNTERS.map(id),
            memories: Watched::new(
                ["operand_ren", "operand_at", "operand_byte"].map(id),
                memories(&side.options),
            ),
            weights_read: Watched::new(
                ["weight_ren", "weight_at", "weight_byte"].map(id),
                side.options.unit.cols,
            ),
            rows: ["row_read", "row_nz", "row_x"].map(id),
        }
    }

    /// Drives all inputs; noise where nothing is written.
    pub fn drive(&self, model: &mut Model, inputs: &Inputs, noise: &mut ChaCha8Rng) {
        self.write.drive(model, inputs.write, noise);
        model.set(self.start, inputs.start.into());
        let [wen, address, data] = self.operand;
        let (place, operand) = inputs.operand.unwrap_or_else(|| noise.random());
        model.set(wen, inputs.operand.is_some().into());
        model.set(address, place.into());
        model.set(data, u64::from(operand as u8));
        let [wen, address, data] = self.weights;
        model.set(wen, inputs.weights.is_some().into());
        let (word, weights) = match &inputs.weights {
            Some((word, weights)) => (*word, weights.clone()),
            None => {
                let word = noise.random();
                let weights = (0..self.options.unit.cols).map(|_| noise.random());
                (word, weights.collect())
            }
        };
        model.set(address, word.into());
        for (col, weight) in weights.into_iter().enumerate() {
            model.set_bits(data, 8 * col as u32, 8, u64::from(weight as u8));
        }
    }

    /// Status outputs.
    pub fn status(&self, model: &Model) -> Status {
        let [wr_ready, refused, busy, done, error, stalls, reads] =
            self.status.map(|port| model.get(port));
        Status {
            wr_ready: wr_ready == 1,
            refused: refused == 1,
            busy: busy == 1,
            done: done == 1,
            error,
            stalls,
            reads,
        }
    }

    /// The result of each column that has one.
    pub fn results(&self, model: &Model) -> Vec<Option<GemmResult>> {
        let [valid, row, channel, data] = self.results;
        (0..self.options.unit.cols as u32)
            .map(|col| {
                let result = || GemmResult {
                    row: model.get_bits(row, 16 * col, 16) as u16,
                    col: model.get_bits(channel, 16 * col, 16) as u16,
                    sum: model.get_bits(data, 32 * col, 32) as u32 as i32,
                };
                (model.get_bits(valid, col, 1) == 1).then(result)
            })
            .collect()
    }

    /// Reads of this clock; to be called in every clock.
    pub fn reads(&mut self, model: &Model) -> Seen {
        let [read, nz, x] = self.rows;
        let operand = |row: usize| {
            let bit = row as u32;
            // An operand 0 moves no register: the one before stays on the wires.
            let operand = match model.get_bits(nz, bit, 1) {
                0 => 0,
                _ => model.get_bits(x, 8 * bit, 8) as u8 as i8,
            };
            (model.get_bits(read, bit, 1) == 1).then_some((row, operand))
        };
        Seen {
            rows: (0..self.options.unit.rows).filter_map(operand).collect(),
            memories: self.memories.watch(model),
            weights: self.weights_read.watch(model),
        }
    }

    /// Counters of the cells.
    pub fn counters(&self, model: &Model) -> Counters {
        Counters(self.counters.map(|port| model.get(port) as u32))
    }
}
