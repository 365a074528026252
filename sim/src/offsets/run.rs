//! The slots of a run, in their order.

use super::options::UnitOptions;
use super::state::{Entry, OffsetState};

/// Why a start is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// A count is 0.
    Count = 1,
    /// Bases beyond their table.
    Bases = 2,
    /// Offsets beyond their table.
    Offsets = 3,
    /// Mode or shift that is not built.
    Mode = 4,
}

/// One slot: the load of a row register, or a step of all rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Load slot: the row whose register is loaded. `None`: a step.
    pub load: Option<usize>,
    /// Weight word asked for with this slot.
    pub word: Option<u16>,
    /// Of a step: the byte address that each row reads, `None` without a read.
    pub rows: Vec<Option<u32>>,
    /// First step of a pass.
    pub first: bool,
    /// Last step of a pass.
    pub last: bool,
    /// First row entry of the pass: GEMM row or tap.
    pub held: u16,
    /// Entry that streams by: tap or GEMM row.
    pub streamed: u16,
    /// First output channel of the pass.
    pub cols: u16,
    /// Weight stationary: first K tile.
    pub sum_first: bool,
    /// Weight stationary: last K tile.
    pub sum_last: bool,
}

/// One run.
#[derive(Debug, Clone)]
pub struct Run {
    /// All slots.
    pub slots: Vec<Slot>,
    /// Entries of the table of bases that are read, in their order.
    pub base_reads: Vec<u16>,
    /// Entries of the table of offsets that are read, in their order.
    pub offset_reads: Vec<u16>,
    /// Weight stationary.
    pub weight_stationary: bool,
    /// GEMM rows, taps, output channels.
    pub counts: [usize; 3],
}

impl Run {
    /// Operand reads of all rows.
    pub fn reads(&self) -> usize {
        let rows = self.slots.iter().flat_map(|slot| &slot.rows);
        rows.flatten().count()
    }

    /// Steps of all passes.
    pub fn steps(&self) -> usize {
        self.slots.iter().filter(|slot| slot.load.is_none()).count()
    }
}

/// An entry as the rows see it.
#[derive(Debug, Clone, Copy)]
struct Tap {
    value: i64,
    row: u16,
    col: u16,
}

/// The lists of one run.
struct Lists {
    options: UnitOptions,
    bases: Vec<Tap>,
    offsets: Vec<Tap>,
    masked: bool,
}

impl Lists {
    /// Operand m of tap k: its address, unless it lies outside the image.
    fn operand(&self, m: usize, k: usize) -> Option<u32> {
        let (base, offset) = (self.bases[m], self.offsets[k]);
        let inside = (base.row & offset.row) != 0 && (base.col & offset.col) != 0;
        (inside || !self.masked).then(|| self.options.address(base.value + offset.value))
    }
}

impl OffsetState {
    /// What a start does now. An accepted one clears `refused`.
    ///
    /// # Errors
    /// The first reason why the run cannot start.
    ///
    /// # Panics
    /// If the run uses an entry that nobody has written.
    pub fn start(&mut self) -> Result<Run, Refusal> {
        self.start_beside(0)
    }

    /// The same, where what stands behind the unit takes some bits of the mode for itself.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    ///
    /// # Panics
    /// As [`start`](Self::start).
    pub fn start_beside(&mut self, others: u32) -> Result<Run, Refusal> {
        let registers = &self.registers;
        let [rows, taps, outputs] = [registers.gemm_rows, registers.taps, registers.outputs];
        if rows == 0 || taps == 0 || outputs == 0 {
            return Err(Refusal::Count);
        }
        let base_ptr = usize::from(registers.base_ptr);
        let offset_ptr = usize::from(registers.offset_ptr);
        if base_ptr + usize::from(rows) > self.options.bases {
            return Err(Refusal::Bases);
        }
        if offset_ptr + usize::from(taps) > self.options.offsets {
            return Err(Refusal::Offsets);
        }
        let built =
            1 | u32::from(self.options.running) << 1 | u32::from(self.options.taps > 0) << 2;
        if registers.mode & !(built | others) != 0 || registers.unit_shift > 3 {
            return Err(Refusal::Mode);
        }
        self.refused = false;
        Ok(self.run())
    }

    fn lists(&self) -> Lists {
        let registers = &self.registers;
        let list = |table: &[Option<Entry>], first: u16, count: u16| -> Vec<Tap> {
            let entries = &table[usize::from(first)..][..usize::from(count)];
            let tap = |entry: &Option<Entry>| {
                let entry = entry.expect("an entry is written before it is used");
                Tap {
                    value: i64::from(entry.value) << registers.unit_shift,
                    row: entry.row,
                    col: entry.col,
                }
            };
            entries.iter().map(tap).collect()
        };
        let mut bases = list(&self.bases, registers.base_ptr, registers.gemm_rows);
        let mut offsets = list(&self.offsets, registers.offset_ptr, registers.taps);
        for base in &mut bases {
            base.value += i64::from(registers.a_origin);
        }
        if registers.mode & 2 != 0 {
            let mut sum = 0;
            for offset in &mut offsets {
                sum += offset.value;
                offset.value = sum;
            }
        }
        Lists {
            options: self.options,
            bases,
            offsets,
            masked: registers.mode & 4 != 0,
        }
    }

    fn run(&self) -> Run {
        let registers = &self.registers;
        let weight_stationary = registers.mode & 1 != 0;
        let lists = self.lists();
        let (held_count, streamed_count) = match weight_stationary {
            true => (registers.taps, registers.gemm_rows),
            false => (registers.gemm_rows, registers.taps),
        };
        let mut run = Run {
            slots: Vec::new(),
            base_reads: Vec::new(),
            offset_reads: Vec::new(),
            weight_stationary,
            counts: [registers.gemm_rows, registers.taps, registers.outputs].map(usize::from),
        };
        let rows = self.options.rows;
        let tiles = |count: u16, size: usize| (0..usize::from(count)).step_by(size);
        let mut word = registers.b_origin;
        if weight_stationary {
            for cols in tiles(registers.outputs, self.options.cols) {
                for held in tiles(held_count, rows) {
                    self.load(&mut run, held, cols, Some(&mut word));
                    self.pass(&mut run, &lists, (held, streamed_count, cols), None);
                }
            }
        } else {
            for held in tiles(held_count, rows) {
                word = registers.b_origin;
                self.load(&mut run, held, 0, None);
                for cols in tiles(registers.outputs, self.options.cols) {
                    let pass = (held, streamed_count, cols);
                    self.pass(&mut run, &lists, pass, Some(&mut word));
                }
            }
        }
        run
    }

    /// The load slots of a tile: the rows that have no entry get a slot as well.
    fn load(&self, run: &mut Run, held: usize, cols: usize, mut word: Option<&mut u16>) {
        for row in 0..self.options.rows {
            run.slots.push(Slot {
                load: Some(row),
                word: word.as_deref_mut().map(next),
                rows: Vec::new(),
                first: false,
                last: false,
                held: held as u16,
                streamed: 0,
                cols: cols as u16,
                sum_first: false,
                sum_last: false,
            });
            let [gemm_rows, taps, _] = run.counts;
            let (pointer, list, count) = match run.weight_stationary {
                true => (self.registers.offset_ptr, &mut run.offset_reads, taps),
                false => (self.registers.base_ptr, &mut run.base_reads, gemm_rows),
            };
            if held + row < count {
                list.push(pointer + (held + row) as u16);
            }
        }
    }

    /// The steps of a pass: (first row entry, steps, first output channel).
    fn pass(
        &self,
        run: &mut Run,
        lists: &Lists,
        (held, steps, cols): (usize, u16, usize),
        mut word: Option<&mut u16>,
    ) {
        let [gemm_rows, taps, _] = run.counts;
        for streamed in 0..usize::from(steps) {
            let address = |row: usize| {
                let entry = held + row;
                match run.weight_stationary {
                    true if entry < taps => lists.operand(streamed, entry),
                    false if entry < gemm_rows => lists.operand(entry, streamed),
                    _ => None,
                }
            };
            let rows = (0..self.options.rows).map(address).collect();
            run.slots.push(Slot {
                load: None,
                word: word.as_deref_mut().map(next),
                rows,
                first: streamed == 0,
                last: streamed + 1 == usize::from(steps),
                held: held as u16,
                streamed: streamed as u16,
                cols: cols as u16,
                sum_first: !run.weight_stationary || held == 0,
                sum_last: !run.weight_stationary || held + self.options.rows >= taps,
            });
            let (pointer, list) = match run.weight_stationary {
                true => (self.registers.base_ptr, &mut run.base_reads),
                false => (self.registers.offset_ptr, &mut run.offset_reads),
            };
            list.push(pointer + streamed as u16);
        }
    }
}

/// The pointer to the next weight word; it only increments.
fn next(word: &mut u16) -> u16 {
    let this = *word;
    *word = word.wrapping_add(1);
    this
}
