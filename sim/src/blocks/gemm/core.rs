//! Memories, and what a run makes of them.

use super::banks::conflict;
use crate::blocks::offsets::{Expanded, OffsetState, Refusal, Run, Slot, UnitOptions, Write};

/// Bit of the mode: each iteration is stored.
const STORE_EACH: u32 = 8;

/// Sizes and options of a GEMM core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GemmOptions {
    /// The unit.
    pub unit: UnitOptions,
    /// Banks of a shared operand memory; 0: each row has a memory.
    pub banks: usize,
    /// A bank serves all rows that want one address at once.
    pub merge: bool,
    /// Bytes of an operand memory.
    pub operand_bytes: usize,
    /// Words of the weight memory.
    pub weight_words: usize,
    /// Sums of each column.
    pub results: usize,
    /// Each iteration may be stored.
    pub store_each: bool,
}

/// Why a start is refused; the discriminants are those of `error_o`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GemmRefusal {
    /// By the unit.
    Unit(Refusal),
    /// Weight stationary with more GEMM rows than sums.
    Results,
}

impl GemmRefusal {
    /// The code at the port.
    pub fn code(self) -> u64 {
        match self {
            Self::Unit(refusal) => refusal as u64,
            Self::Results => 5,
        }
    }
}

/// One result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GemmResult {
    /// GEMM row m.
    pub row: u16,
    /// Output channel.
    pub col: u16,
    /// Sum.
    pub sum: i32,
}

/// What one run does.
#[derive(Debug, Clone)]
pub struct GemmRun {
    /// Slots and table reads.
    pub run: Run,
    /// Each iteration is stored.
    pub store_each: bool,
    /// Of each column: the results of each pass that has some, by GEMM row. With `store_each` sums
    /// that stay come after every step, those of weights that stay behind every K tile.
    pub results: Vec<Vec<Vec<GemmResult>>>,
    /// Of each row: the operands it reads, in their order.
    pub operands: Vec<Vec<i8>>,
    /// Weight words that are read, in their order.
    pub words: Vec<u16>,
    /// Clocks in which rows waited for a bank.
    pub stalls: usize,
    /// Clocks of each step.
    pub step_clocks: Vec<usize>,
    /// Words that the banks read; without banks the reads of all rows.
    pub memory_reads: usize,
}

/// The memories and the unit.
#[derive(Debug, Clone)]
pub struct GemmModel {
    /// What is built.
    pub options: GemmOptions,
    /// Registers and tables of the unit.
    pub state: OffsetState,
    operands: Vec<Option<i8>>,
    weights: Vec<Option<Vec<i8>>>,
}

impl GemmModel {
    /// Memories are undefined until written.
    pub fn new(options: &GemmOptions) -> Self {
        Self {
            options: *options,
            state: OffsetState::new(&options.unit),
            operands: vec![None; options.operand_bytes],
            weights: vec![None; options.weight_words],
        }
    }

    /// Writes a register or table entry, see [`OffsetState::write`].
    pub fn write(&mut self, write: &Write, busy: bool) -> Option<Expanded> {
        self.state.write(write, busy)
    }

    /// Writes an operand. Address bits above those of the memory are ignored.
    pub fn write_operand(&mut self, address: u32, operand: i8) {
        let bytes = self.options.operand_bytes;
        self.operands[address as usize % bytes] = Some(operand);
    }

    /// Writes a weight word: one weight for each column.
    ///
    /// # Panics
    /// Unless there is a weight for each column.
    pub fn write_weights(&mut self, word: u16, weights: &[i8]) {
        assert_eq!(weights.len(), self.options.unit.cols, "weights of a word");
        let words = self.options.weight_words;
        self.weights[usize::from(word) % words] = Some(weights.to_vec());
    }

    fn operand(&self, address: u32) -> i8 {
        self.operands[address as usize % self.options.operand_bytes]
            .expect("an operand is written before it is read")
    }

    /// A weight word: one weight for each column.
    ///
    /// # Panics
    /// If nobody has written it.
    pub fn word(&self, word: u16) -> &[i8] {
        self.weights[usize::from(word) % self.options.weight_words]
            .as_ref()
            .expect("a weight word is written before it is read")
    }

    /// What a start does now.
    ///
    /// # Errors
    /// Why the run cannot start: too many rows before all reasons of the unit.
    ///
    /// # Panics
    /// If the run reads what nobody has written.
    pub fn start(&mut self) -> Result<GemmRun, GemmRefusal> {
        let registers = &self.state.registers;
        if registers.mode & 1 != 0 && usize::from(registers.gemm_rows) > self.options.results {
            return Err(GemmRefusal::Results);
        }
        let store_each = self.options.store_each && registers.mode & STORE_EACH != 0;
        let own = if self.options.store_each {
            STORE_EACH
        } else {
            0
        };
        let run = self.state.start_beside(own).map_err(GemmRefusal::Unit)?;
        Ok(self.of_run(run, store_each))
    }

    fn of_run(&self, run: Run, store_each: bool) -> GemmRun {
        let (rows, cols) = (self.options.unit.rows, self.options.unit.cols);
        let mut found = GemmRun {
            store_each,
            results: vec![Vec::new(); cols],
            operands: vec![Vec::new(); rows],
            words: run.slots.iter().filter_map(|slot| slot.word).collect(),
            stalls: 0,
            step_clocks: Vec::new(),
            memory_reads: 0,
            run,
        };
        let mut sums = Sums::new(&found.run, rows, cols);
        for slot in &found.run.slots {
            if !slot.is_step() {
                if let (Some(row), Some(word)) = (slot.load, slot.word) {
                    sums.held[row] = self.word(word).to_vec();
                }
                continue;
            }
            let operands: Vec<Option<i8>> = slot
                .rows
                .iter()
                .map(|address| address.map(|address| self.operand(address)))
                .collect();
            for (list, operand) in found.operands.iter_mut().zip(&operands) {
                list.extend(operand);
            }
            let step = match self.options.banks {
                0 => conflict(&slot.rows, usize::MAX, false),
                banks => conflict(&slot.rows, banks, self.options.merge),
            };
            if self.options.banks == 0 {
                found.step_clocks.push(1);
                found.memory_reads += slot.rows.iter().flatten().count();
            } else {
                found.stalls += step.clocks - 1;
                found.step_clocks.push(step.clocks);
                found.memory_reads += step.reads;
            }
            let streamed = slot.word.map(|word| self.word(word));
            for (col, results) in found.results.iter_mut().enumerate() {
                sums.step(slot, &operands, streamed, col);
                let stored = match store_each {
                    true => slot.last || !sums.weight_stationary,
                    false => slot.last && slot.sum_last,
                };
                if stored {
                    let pass = sums.results(slot, col);
                    if !pass.is_empty() {
                        results.push(pass);
                    }
                }
            }
        }
        found
    }
}

/// The sums of a run.
struct Sums {
    /// T, K, N.
    counts: [usize; 3],
    weight_stationary: bool,
    /// Weight stationary: the weights of each row.
    held: Vec<Vec<i8>>,
    /// Of each column, by array row (output stationary) or GEMM row.
    sums: Vec<Vec<i32>>,
}

impl Sums {
    fn new(run: &Run, rows: usize, cols: usize) -> Self {
        let length = match run.weight_stationary {
            true => run.counts[0],
            false => rows,
        };
        Self {
            counts: run.counts,
            weight_stationary: run.weight_stationary,
            held: vec![Vec::new(); rows],
            sums: vec![vec![0; length]; cols],
        }
    }

    /// One step in one column. Padded taps and rows beyond the list give 0.
    fn step(&mut self, slot: &Slot, operands: &[Option<i8>], streamed: Option<&[i8]>, col: usize) {
        let product =
            |operand: &Option<i8>, weight: i8| i32::from(operand.unwrap_or(0)) * i32::from(weight);
        if self.weight_stationary {
            let sum = &mut self.sums[col][usize::from(slot.streamed)];
            if slot.sum_first {
                *sum = 0;
            }
            for (operand, weights) in operands.iter().zip(&self.held) {
                *sum = sum.wrapping_add(product(operand, weights[col]));
            }
            return;
        }
        let weight = streamed.expect("a word comes with each step")[col];
        for (sum, operand) in self.sums[col].iter_mut().zip(operands) {
            if slot.first {
                *sum = 0;
            }
            *sum = sum.wrapping_add(product(operand, weight));
        }
    }

    /// What a column gives after a step.
    fn results(&self, slot: &Slot, col: usize) -> Vec<GemmResult> {
        let [gemm_rows, _, outputs] = self.counts;
        let channel = usize::from(slot.cols) + col;
        if channel >= outputs {
            return Vec::new();
        }
        let first = match self.weight_stationary {
            true => 0,
            false => usize::from(slot.held),
        };
        let result = |(index, sum): (usize, &i32)| GemmResult {
            row: (first + index) as u16,
            col: channel as u16,
            sum: *sum,
        };
        let all = self.sums[col].iter().enumerate();
        all.take(gemm_rows - first).map(result).collect()
    }
}
