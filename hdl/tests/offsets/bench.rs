//! Drives an offset unit clock by clock.

use heddle_hdl::offsets::{OffsetShape, OffsetUnit};
use heddle_kernel::prelude::*;

/// Example 5.1: bases, offsets.
pub const BASES: [i64; 4] = [0, 1, 4, 5];
pub const OFFSETS: [i64; 9] = [0, 1, 2, 4, 5, 6, 8, 9, 10];

/// Kinds of a write.
pub const REGISTER: u64 = 0;
pub const BASE: u64 = 1;
pub const OFFSET: u64 = 2;

/// Bits of MODE.
pub const WEIGHT_STATIONARY: u64 = 1;
pub const RUNNING: u64 = 2;
pub const MASKS: u64 = 4;

/// What the unit is told to do.
#[derive(Debug, Clone)]
pub struct Job {
    pub bases: Vec<i64>,
    pub offsets: Vec<i64>,
    pub outputs: u64,
    pub mode: u64,
    pub shift: u64,
    pub a_origin: u64,
    pub b_origin: u64,
    pub base_ptr: u64,
    pub offset_ptr: u64,
    /// Of each base: row bits, column bits. Of each offset: v, u.
    pub base_masks: Vec<(u64, u64)>,
    pub taps: Vec<(u64, u64)>,
}

impl Job {
    pub fn new(bases: &[i64], offsets: &[i64], outputs: u64, mode: u64) -> Self {
        Self {
            bases: bases.to_vec(),
            offsets: offsets.to_vec(),
            outputs,
            mode,
            shift: 0,
            a_origin: 0,
            b_origin: 0,
            base_ptr: 0,
            offset_ptr: 0,
            base_masks: Vec::new(),
            taps: Vec::new(),
        }
    }
}

/// Outputs of one row in one clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowSlot {
    pub address: Option<u64>,
    pub first: bool,
    pub last: bool,
}

/// Pass of the step in row 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    pub held: u64,
    pub channel: u64,
    pub sum_first: bool,
    pub sum_last: bool,
}

/// Outputs of one clock. A row without a step is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outputs {
    pub rows: Vec<Option<RowSlot>>,
    /// Weight word: address, row.
    pub weight: Option<(u64, u64)>,
    pub pass: Option<Pass>,
    pub busy: bool,
    pub done: bool,
}

impl Outputs {
    /// Addresses of the rows.
    pub fn addresses(&self) -> Vec<Option<u64>> {
        let address = |slot: &Option<RowSlot>| slot.and_then(|slot| slot.address);
        self.rows.iter().map(address).collect()
    }
}

pub struct Bench<const A: usize> {
    pub unit: OffsetUnit<A>,
    taps: usize,
}

impl<const A: usize> Bench<A> {
    /// The unit of this shape, reset.
    pub fn new(shape: &OffsetShape) -> Self {
        let mut bench = Self {
            unit: OffsetUnit::new(shape),
            taps: shape.taps,
        };
        clock_cycle!(bench.unit);
        bench.unit.rst_n.next = true;
        bench
    }

    pub fn tick(&mut self) {
        clock_cycle!(self.unit);
    }

    /// Drives the write port without a clock.
    pub fn offer(&mut self, kind: u64, index: u64, data: i64, bits: (u64, u64)) {
        self.unit.wr_valid_i.next = true;
        self.unit.wr_kind_i.next = kind.into();
        self.unit.wr_index_i.next = index.into();
        self.unit.wr_data_i.next = (data as u64 & 0xffff_ffff).into();
        for i in 0..self.taps {
            self.unit.wr_row_i[i].next = (bits.0 >> i & 1).into();
            self.unit.wr_col_i[i].next = (bits.1 >> i & 1).into();
        }
    }

    pub fn write_masked(&mut self, kind: u64, index: u64, data: i64, bits: (u64, u64)) {
        self.offer(kind, index, data, bits);
        settle(&mut self.unit);
        let mut waited = 0;
        while !self.unit.wr_ready_o.val() {
            waited += 1;
            assert!(waited < 2000, "the write port is never ready");
            self.tick();
        }
        self.tick();
        self.unit.wr_valid_i.next = false;
    }

    pub fn write(&mut self, kind: u64, index: u64, data: i64) {
        self.write_masked(kind, index, data, (0, 0));
    }

    pub fn registers(&mut self, job: &Job) {
        let counts = (job.bases.len() as i64, job.offsets.len() as i64);
        let values = [
            job.a_origin as i64,
            job.b_origin as i64,
            counts.0,
            counts.1,
            job.outputs as i64,
            job.base_ptr as i64,
            job.offset_ptr as i64,
            job.shift as i64,
            job.mode as i64,
        ];
        for (index, value) in values.into_iter().enumerate() {
            self.write(REGISTER, index as u64, value);
        }
    }

    pub fn load(&mut self, job: &Job) {
        self.registers(job);
        for (m, base) in job.bases.iter().enumerate() {
            let bits = job.base_masks.get(m).copied().unwrap_or((0, 0));
            self.write_masked(BASE, job.base_ptr + m as u64, *base, bits);
        }
        for (k, offset) in job.offsets.iter().enumerate() {
            let (v, u) = job.taps.get(k).copied().unwrap_or((0, 0));
            let bits = (1 << v, 1 << u);
            self.write_masked(OFFSET, job.offset_ptr + k as u64, *offset, bits);
        }
    }

    /// One clock with `start_i`.
    pub fn start(&mut self) {
        self.unit.start_i.next = true;
        self.tick();
        self.unit.start_i.next = false;
    }

    pub fn outputs(&self) -> Outputs {
        let u = &self.unit;
        let row = |r: usize| {
            let valid = u.row_valid_o[r].val();
            let reads = u.row_ren_o[r].val();
            assert!(valid || !reads, "row {r} reads without a step");
            let slot = RowSlot {
                address: reads.then(|| u.row_addr_o[r].val().to_u64()),
                first: u.row_first_o[r].val(),
                last: u.row_last_o[r].val(),
            };
            assert!(valid || slot == RowSlot::default(), "row {r}: {slot:?}");
            valid.then_some(slot)
        };
        let rows: Vec<_> = (0..u.row_valid_o.len()).map(row).collect();
        let weight = (u.b_addr_o.val().to_u64(), u.b_row_o.val().to_u64());
        let pass = Pass {
            held: u.pass_held_o.val().to_u64(),
            channel: u.pass_cols_o.val().to_u64(),
            sum_first: u.pass_sum_first_o.val(),
            sum_last: u.pass_sum_last_o.val(),
        };
        Outputs {
            weight: u.b_valid_o.val().then_some(weight),
            pass: rows[0].is_some().then_some(pass),
            rows,
            busy: u.busy_o.val(),
            done: u.done_o.val(),
        }
    }

    /// Starts and returns the outputs of every clock behind `start_i`, up to that of `done_o`.
    /// `ready` is asked once for each clock.
    pub fn run(&mut self, mut ready: impl FnMut(usize) -> bool) -> Vec<Outputs> {
        self.start();
        let mut clocks = Vec::new();
        loop {
            assert!(clocks.len() < 20_000, "the run never ends");
            self.unit.ready_i.next = ready(clocks.len());
            settle(&mut self.unit);
            let outputs = self.outputs();
            let done = outputs.done;
            assert_eq!(outputs.busy, !done, "clock {}", clocks.len());
            clocks.push(outputs);
            if done {
                return clocks;
            }
            self.tick();
        }
    }

    /// Loads, runs without stalls and returns the clocks.
    pub fn do_job(&mut self, job: &Job) -> Vec<Outputs> {
        self.load(job);
        self.run(|_| true)
    }
}

/// Clocks with a step in row `row`.
pub fn steps(clocks: &[Outputs], row: usize) -> Vec<RowSlot> {
    clocks.iter().filter_map(|clock| clock.rows[row]).collect()
}

/// Reads of all rows.
pub fn reads(clocks: &[Outputs]) -> usize {
    let of = |clock: &Outputs| clock.addresses().iter().flatten().count();
    clocks.iter().map(of).sum()
}

/// Weight words in their order.
pub fn weights(clocks: &[Outputs]) -> Vec<u64> {
    let word = |clock: &Outputs| clock.weight.map(|w| w.0);
    clocks.iter().filter_map(word).collect()
}

/// Clock in which the first step is in row 0.
pub fn first_step(clocks: &[Outputs]) -> usize {
    let found = clocks.iter().position(|clock| clock.rows[0].is_some());
    found.expect("a run has steps")
}

/// A unit with all options.
pub fn full(rows: usize, cols: usize, broadcast: bool) -> OffsetShape {
    OffsetShape {
        bases: 64,
        offsets: 32,
        taps: 4,
        broadcast,
        running: true,
        expand: true,
        ..OffsetShape::new(rows, cols)
    }
}

/// A unit without options.
pub fn plain(rows: usize, cols: usize, broadcast: bool) -> OffsetShape {
    OffsetShape {
        bases: 64,
        offsets: 32,
        broadcast,
        ..OffsetShape::new(rows, cols)
    }
}
