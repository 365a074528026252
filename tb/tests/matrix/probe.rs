//! Machines whose inside can be seen, and what was seen clock by clock.

use std::collections::BTreeMap;

use heddle_arch::host::{CTRL_START, Counter, Register};
use heddle_arch::isa::Instruction;
use heddle_arch::params::Params;
use heddle_tb::host::Access;
use heddle_tb::verilate::Sources;
use heddle_tb::{Model, PortId};

use super::bench::Bench;
use crate::machines::dump::encode;
use crate::machines::pair::HALT;
use crate::machines::{self, Machine};
use crate::rtl::{Checked, OrPanic};

/// Reads the inside by name.
const PROBE: &str = include_str!("probe.sv");
const BANKS: u32 = 4;
const WORDS: u32 = 64;
const LIMIT: u64 = 20_000;

/// Plain memories, so that a memory cell is a word.
pub fn params(rows: u32, cols: u32) -> Params {
    let text = format!(
        r#"{{"name": "probed_{rows}x{cols}", "array": {{"rows": {rows}, "cols": {cols}}},
        "traversal": {{"rows": 3, "loops": 3, "offset_bits": 16, "address_bits": 16}},
        "state_buffer": {{"banks": {BANKS}, "words_per_bank": {WORDS},
          "slices": {{"word_bytes": 8, "widths": [4, 4], "plain": true}}}},
        "results_buffer": {{"depth": 16}}, "column_tiles": 8, "program": {{"words": 2048}}}}"#
    );
    Params::from_json(&text).or_panic()
}

/// The text of a machine with probes.
pub fn sources(params: &Params) -> Sources {
    let mut sources = machines::verilog(params);
    let text = PROBE
        .replace("MACHINE ", &format!("{} ", sources.top))
        .replace("ROWS", &params.array.rows.to_string())
        .replace("COLS", &params.array.cols.to_string())
        .replace("BANKS", &BANKS.to_string())
        .replace("WORDS", &WORDS.to_string());
    sources.files.push(("probed.sv".into(), text));
    sources.top = "probed".into();
    sources
}

/// A machine with probes.
pub fn machine(rows: u32, cols: u32) -> Machine {
    let params = params(rows, cols);
    let sources = sources(&params);
    Machine::from_verilog(params, &sources)
}

/// A sum on its way into a column of the results buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Store {
    pub bank: u32,
    pub row: u32,
    pub sum: i32,
}

/// One clock. Cells are row by row.
#[derive(Debug, Clone)]
pub struct Clock {
    /// LOAD_WEIGHTS, MATMUL, DRAIN started.
    pub starts: [bool; 3],
    /// A request at the host port, or one of the host to the state buffer.
    pub host: bool,
    /// Tensor slot at row 0: byte address.
    pub vector: Option<u32>,
    /// Weight slot at row 0: byte address.
    pub weight: Option<u32>,
    /// Weight words that enter the rows of the array.
    pub words: Vec<Option<[u8; 8]>>,
    /// Operands that enter the rows of the array; none is 0.
    pub operands: Vec<i32>,
    /// Swap flags that enter the rows of the array.
    pub swaps: Vec<bool>,
    /// Weights in the shift chains.
    pub shadow: Vec<i8>,
    /// Weights in use.
    pub active: Vec<i8>,
    /// Cells that take an operand.
    pub takes: Vec<bool>,
    /// What is on the operand inputs of the cells.
    pub cell_operands: Vec<i32>,
    /// Swap flags at the cells.
    pub cell_swaps: Vec<bool>,
    pub products: Vec<i32>,
    /// Sums that leave the array.
    pub sums: Vec<i32>,
    /// Per column of the results buffer.
    pub stores: Vec<Option<Store>>,
    /// Rows of the results buffer that are read, per column.
    pub reads: Vec<Option<u32>>,
    /// Bank 0 of the results buffer, as many rows as the array.
    pub results: Vec<i32>,
    /// Columns that give a word to the state buffer.
    pub lanes: Vec<bool>,
    /// Words that the partitions get.
    pub writes: Vec<Option<u32>>,
}

/// A run, and what the host did from its start to its end.
pub struct Trace {
    pub rows: usize,
    pub cols: usize,
    pub clocks: Vec<Clock>,
    pub accesses: Vec<Access>,
    /// Value of CYCLES.
    pub cycles: u32,
}

/// Handles of the probes.
struct Probes<'m> {
    model: &'m Model,
    ports: &'m BTreeMap<String, PortId>,
}

impl Probes<'_> {
    fn bits(&self, name: &str, index: usize, width: u32) -> u64 {
        let port = self.ports[name];
        self.model.get_bits(port, index as u32 * width, width)
    }

    fn bit(&self, name: &str, index: usize) -> bool {
        self.bits(name, index, 1) == 1
    }

    fn signed(&self, name: &str, index: usize, width: u32) -> i32 {
        let shift = 64 - width;
        ((self.bits(name, index, width) << shift) as i64 >> shift) as i32
    }

    fn sample(&self, rows: usize, cols: usize) -> Clock {
        let cells = rows * cols;
        let address = |valid, name| self.bit(valid, 0).then(|| self.bits(name, 0, 16) as u32);
        let store = |c| Store {
            bank: self.bits("store_addr_o", c, 13) as u32 & 1,
            row: self.bits("store_addr_o", c, 13) as u32 >> 1,
            sum: self.signed("store_data_o", c, 32),
        };
        let read = |c| self.bits("read_addr_o", c, 13) as u32 >> 1;
        let operand = |r| match self.bit("nz_o", r) {
            true => self.signed("x_o", r, 9),
            false => 0,
        };
        let word = |r| self.bits("w_o", r, 64).to_le_bytes();
        let place = |r| self.bits("place_word_o", r, 13) as u32;
        Clock {
            starts: std::array::from_fn(|unit| self.bit("start_o", unit)),
            host: self.bit("host_valid_i", 0) || self.bit("buffer_host_o", 0),
            vector: address("op_valid_o", "op_addr_o"),
            weight: address("wt_valid_o", "wt_addr_o"),
            words: each(rows, |r| self.bit("shift_o", r).then(|| word(r))),
            operands: each(rows, operand),
            swaps: each(rows, |r| self.bit("swap_o", r)),
            shadow: each(cells, |i| self.signed("shadow_o", i, 8) as i8),
            active: each(cells, |i| self.signed("active_o", i, 8) as i8),
            takes: each(cells, |i| self.bit("cell_nz_o", i)),
            cell_operands: each(cells, |i| self.signed("cell_x_o", i, 9)),
            cell_swaps: each(cells, |i| self.bit("cell_swap_o", i)),
            products: each(cells, |i| self.signed("product_o", i, 17)),
            sums: each(cols, |c| self.signed("psum_o", c, 32)),
            stores: each(cols, |c| self.bit("store_o", c).then(|| store(c))),
            reads: each(cols, |c| self.bit("read_o", c).then(|| read(c))),
            results: each(cells, |i| self.signed("results_o", i, 32)),
            lanes: each(cols, |c| self.bit("lane_valid_o", c)),
            writes: each(rows, |r| self.bit("place_valid_o", r).then(|| place(r))),
        }
    }
}

fn each<T>(count: usize, of: impl Fn(usize) -> T) -> Vec<T> {
    (0..count).map(of).collect()
}

fn ports(model: &Model) -> BTreeMap<String, PortId> {
    let ports = model.ports();
    ports
        .map(|(id, name, _, _)| (name.to_string(), id))
        .collect()
}

/// The memory cells of a word of every partition.
pub fn memory(bench: &mut Bench, word: u32) -> Vec<[u8; 8]> {
    let rows = bench.params().array.rows as usize;
    let model = bench.pair.host.model();
    // Writes of the host may still be on their way.
    model.cycles(rows as u64 + 8);
    let ports = ports(model);
    model.set(ports["bank_i"], (word / WORDS).into());
    model.set(ports["word_i"], (word % WORDS).into());
    model.eval();
    let probes = Probes {
        model,
        ports: &ports,
    };
    let words = (0..rows).map(|r| probes.bits("memory_o", r, 64).to_le_bytes());
    words.collect()
}

/// Runs instructions to HALT, watches every clock, and compares both machines: the second value says how
/// that ends. In clock `disturb` the host asks for a word.
pub fn watch(
    bench: &mut Bench,
    mut program: Vec<Instruction>,
    disturb: Option<usize>,
) -> Checked<(Trace, Checked)> {
    program.push(HALT);
    bench.pair.write_program(0, &encode(&program));
    let predicted = bench.pair.golden.run(0, LIMIT);
    let array = &bench.params().array;
    let (rows, cols) = (array.rows as usize, array.cols as usize);
    let host = &mut bench.pair.host;
    host.start_record();
    host.write(Register::StartPc.address(), 0).expect("taken");
    host.write(Register::Ctrl.address(), CTRL_START)
        .expect("taken");
    let model = host.model();
    let ports = ports(model);
    let mut clocks = Vec::new();
    model.clock();
    while model.get(ports["running_o"]) == 1 {
        if clocks.len() as u64 > LIMIT {
            return Err(bench.pair.message("still runs"));
        }
        model.set(
            ports["host_valid_i"],
            (disturb == Some(clocks.len())).into(),
        );
        let probes = Probes {
            model,
            ports: &ports,
        };
        clocks.push(probes.sample(rows, cols));
        model.clock();
    }
    let accesses = host.take_record();
    let status = host.status().expect("STATUS answers");
    bench.pair.check_end(predicted.clone(), status)?;
    let counters = predicted.map_err(|error| bench.pair.message(error))?;
    let alike = bench.pair.check_counters(&counters);
    let verdict = alike.and_then(|()| bench.pair.compare());
    let trace = Trace {
        rows,
        cols,
        clocks,
        accesses,
        cycles: counters.get(Counter::Cycles),
    };
    Ok((trace, verdict))
}

/// As [`watch`]; both machines are alike.
pub fn run_disturbed(
    bench: &mut Bench,
    program: Vec<Instruction>,
    disturb: Option<usize>,
) -> Checked<Trace> {
    let (trace, verdict) = watch(bench, program, disturb)?;
    verdict.map(|()| trace)
}

/// As [`run_disturbed`] with a host that leaves the machine alone.
pub fn run(bench: &mut Bench, program: Vec<Instruction>) -> Checked<Trace> {
    run_disturbed(bench, program, None)
}

impl Trace {
    /// Clocks in which something happens.
    pub fn when(&self, what: impl Fn(&Clock) -> bool) -> Vec<usize> {
        let clocks = self.clocks.iter().enumerate();
        clocks
            .filter(|(_, clock)| what(clock))
            .map(|(at, _)| at)
            .collect()
    }

    /// What a column of the results buffer stores, with the clocks.
    pub fn stores(&self, column: usize) -> Vec<(usize, Store)> {
        let clocks = self.clocks.iter().enumerate();
        clocks
            .filter_map(|(at, clock)| Some((at, clock.stores[column]?)))
            .collect()
    }

    /// Which rows of a column of the results buffer are read, with the clocks.
    pub fn reads(&self, column: usize) -> Vec<(usize, u32)> {
        let clocks = self.clocks.iter().enumerate();
        clocks
            .filter_map(|(at, clock)| Some((at, clock.reads[column]?)))
            .collect()
    }
}
