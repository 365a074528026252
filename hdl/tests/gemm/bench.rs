//! Drives a GEMM core and collects what leaves it.

use heddle_hdl::gemm::{Gemm, GemmShape};
use heddle_kernel::prelude::*;

/// A small generator of test data: the same numbers in every run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
    /// A byte that is often 0 or an end of the range.
    pub fn byte(&mut self) -> i64 {
        match self.below(8) {
            0 => 0,
            1 => -128,
            2 => 127,
            _ => self.below(256) as i64 - 128,
        }
    }
}

/// Mask bits of an entry: rows, columns.
pub type Sides = (u64, u64);

/// A GEMM by tables: operands anywhere in memory, weights `b[channel][tap]`.
#[derive(Clone, Debug, Default)]
pub struct Job {
    pub bases: Vec<i64>,
    pub offsets: Vec<i64>,
    /// One per base, one per offset; empty: no masks.
    pub base_sides: Vec<Sides>,
    pub offset_sides: Vec<Sides>,
    pub a: Vec<i64>,
    pub a_origin: usize,
    pub b: Vec<Vec<i64>>,
    pub b_origin: usize,
    pub stay: bool,
}

impl Job {
    fn reads(&self, m: usize, k: usize) -> bool {
        match (self.base_sides.get(m), self.offset_sides.get(k)) {
            (Some(m), Some(k)) => m.0 & k.0 != 0 && m.1 & k.1 != 0,
            _ => true,
        }
    }

    /// Operand of tap k of row m.
    fn operand(&self, m: usize, k: usize) -> i64 {
        if !self.reads(m, k) {
            return 0;
        }
        self.a[usize::try_from(self.bases[m] + self.offsets[k]).expect("inside the tensor")]
    }

    /// Result of every row and channel, by rows.
    pub fn results(&self) -> Vec<Vec<i64>> {
        let dot = |m: usize, b: &[i64]| (0..b.len()).map(|k| self.operand(m, k) * b[k]).sum();
        let row = |m| self.b.iter().map(|b| dot(m, b)).collect();
        (0..self.bases.len()).map(row).collect()
    }

    /// Operands that are read, for columns in tiles of `cols`.
    pub fn read_count(&self, cols: usize) -> usize {
        let taps = |m: usize| (0..self.offsets.len()).filter(move |&k| self.reads(m, k));
        let once: usize = (0..self.bases.len()).map(|m| taps(m).count()).sum();
        once * self.b.len().div_ceil(cols)
    }

    /// Weight words of `cols` bytes in the order of the pointer.
    fn words(&self, rows: usize, cols: usize) -> Vec<Vec<i64>> {
        let taps = self.offsets.len();
        let length = if self.stay {
            taps.next_multiple_of(rows)
        } else {
            taps
        };
        let at = |n: usize, k: usize| self.b.get(n).and_then(|b| b.get(k)).copied().unwrap_or(0);
        let tiles = self.b.len().div_ceil(cols);
        let word = |tile: usize, k: usize| (0..cols).map(|j| at(tile * cols + j, k)).collect();
        (0..tiles)
            .flat_map(|tile| (0..length).map(move |k| word(tile, k)))
            .collect()
    }
}

/// A result: clock after the start, GEMM row, channel, value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Result {
    pub clock: usize,
    pub row: usize,
    pub col: usize,
    pub column: usize,
    pub value: i64,
}

/// What a run has shown.
#[derive(Debug, Default)]
pub struct Run {
    pub results: Vec<Result>,
    /// Clock in which `busy_o` was low again.
    pub idle: usize,
    pub done: Vec<usize>,
    pub reads: u64,
    pub stalls: u64,
}

impl Run {
    /// Compares with `job`: every result once, and nothing else.
    #[track_caller]
    pub fn check(&self, job: &Job, cols: usize, what: &str) {
        let want = job.results();
        let mut seen = vec![vec![false; job.b.len()]; job.bases.len()];
        for r in &self.results {
            assert!(
                r.row < want.len() && r.col < job.b.len(),
                "{what}: result of row {}, channel {}",
                r.row,
                r.col
            );
            assert_eq!(r.col % cols, r.column, "{what}: column of {}", r.col);
            let first = !std::mem::replace(&mut seen[r.row][r.col], true);
            assert!(first, "{what}: row {}, channel {} again", r.row, r.col);
            let want = want[r.row][r.col];
            assert_eq!(r.value, want, "{what}: row {}, channel {}", r.row, r.col);
        }
        assert_eq!(self.results.len(), want.len() * job.b.len(), "{what}");
        assert_eq!(self.reads, job.read_count(cols) as u64, "{what}: reads");
        let last = self.results.iter().map(|r| r.clock).max().expect("results");
        assert_eq!(self.done.len(), 1, "{what}: done_o in {:?}", self.done);
        assert!(self.done[0] > last, "{what}: done_o with a result");
    }
}

pub struct Bench {
    pub u: Gemm<16>,
    pub shape: GemmShape,
}

fn byte(x: i64) -> Bits<8> {
    (x as u64 & 0xff).into()
}

impl Bench {
    pub fn new(shape: GemmShape) -> Self {
        let mut u = Gemm::new(&shape);
        u.rst_n.next = false;
        clock_cycle!(u);
        u.rst_n.next = true;
        Self { u, shape }
    }

    pub fn write(&mut self, kind: u64, index: usize, value: i64, sides: Sides) {
        self.u.wr_valid_i.next = true;
        self.u.wr_kind_i.next = kind.into();
        self.u.wr_index_i.next = (index as u64).into();
        self.u.wr_data_i.next = (value as u64 & 0xffff_ffff).into();
        for i in 0..self.shape.unit.taps {
            self.u.wr_row_i[i].next = (sides.0 >> i & 1).into();
            self.u.wr_col_i[i].next = (sides.1 >> i & 1).into();
        }
        clock_cycle!(self.u);
        self.u.wr_valid_i.next = false;
    }

    pub fn write_operands(&mut self, origin: usize, operands: &[i64]) {
        for (i, &x) in operands.iter().enumerate() {
            self.u.a_wen_i.next = true;
            self.u.a_addr_i.next = ((origin + i) as u64).into();
            self.u.a_data_i.next = byte(x);
            clock_cycle!(self.u);
        }
        self.u.a_wen_i.next = false;
    }

    pub fn write_weights(&mut self, job: &Job) {
        let words = job.words(self.shape.unit.rows, self.shape.unit.cols);
        for (i, word) in words.iter().enumerate() {
            self.u.b_wen_i.next = true;
            self.u.b_addr_i.next = ((job.b_origin + i) as u64).into();
            for (port, &w) in self.u.b_data_i.iter_mut().zip(word) {
                port.next = byte(w);
            }
            clock_cycle!(self.u);
        }
        self.u.b_wen_i.next = false;
    }

    pub fn write_tables(&mut self, job: &Job) {
        for (i, &base) in job.bases.iter().enumerate() {
            let sides = job.base_sides.get(i).copied().unwrap_or((0, 0));
            self.write(1, i, base, sides);
        }
        for (i, &offset) in job.offsets.iter().enumerate() {
            let sides = job.offset_sides.get(i).copied().unwrap_or((0, 0));
            self.write(2, i, offset, sides);
        }
    }

    pub fn write_registers(&mut self, job: &Job) {
        let masked = i64::from(!job.base_sides.is_empty());
        let mode = i64::from(job.stay) + 4 * masked;
        let counts = [job.bases.len(), job.offsets.len(), job.b.len()].map(|n| n as i64);
        self.write(0, 0, job.a_origin as i64, (0, 0));
        self.write(0, 1, job.b_origin as i64, (0, 0));
        for (i, count) in counts.into_iter().enumerate() {
            self.write(0, 2 + i, count, (0, 0));
        }
        self.write(0, 8, mode, (0, 0));
    }

    pub fn load(&mut self, job: &Job) {
        self.write_operands(job.a_origin, &job.a);
        self.write_weights(job);
        self.write_tables(job);
        self.write_registers(job);
    }

    /// Adds what the ports show in clock `clock` to `run`, and ends the clock.
    pub fn tick(&mut self, clock: usize, run: &mut Run) {
        settle(&mut self.u);
        for column in 0..self.shape.unit.cols {
            if self.u.c_valid_o[column].val() {
                run.results.push(Result {
                    clock,
                    row: self.u.c_row_o[column].val().to_u64() as usize,
                    col: self.u.c_col_o[column].val().to_u64() as usize,
                    column,
                    value: i64::from(self.u.c_data_o[column].val().to_u32() as i32),
                });
            }
        }
        if self.u.done_o.val() {
            run.done.push(clock);
            run.reads = self.u.reads_o.val().to_u64();
            run.stalls = self.u.stalls_o.val().to_u64();
        }
        clock_cycle!(self.u);
    }

    /// Starts and waits until `done_o`, and as long again as an array could still hold something.
    #[track_caller]
    pub fn run(&mut self) -> Run {
        let mut run = Run::default();
        self.u.start_i.next = true;
        self.tick(0, &mut run);
        self.u.start_i.next = false;
        for clock in 1..20_000 {
            if run.idle == 0 && !self.u.busy_o.val() {
                run.idle = clock;
            }
            self.tick(clock, &mut run);
            if run.done.first().is_some_and(|done| clock > done + 40) {
                return run;
            }
        }
        panic!("no done_o in 20000 clocks");
    }
}

/// Loads `job` into a new core of `shape`, runs it and compares everything.
#[track_caller]
pub fn check(shape: GemmShape, job: &Job, what: &str) -> Run {
    let mut bench = Bench::new(shape);
    bench.load(job);
    let run = bench.run();
    run.check(job, shape.unit.cols, what);
    run
}
