//! The slots of a run, in their order.

use super::index::ListIndex;
use super::options::UnitOptions;
use super::state::{OffsetState, TableEntry};

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

/// One slot: an entry for one row, the change of all rows to their next entry, or a step of all rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Slot {
    /// Load slot: the row that gets an entry.
    pub load: Option<usize>,
    /// Switch slot: all rows change to the next entry that they keep. Only with `prefetch`.
    pub switch: bool,
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

impl Slot {
    /// All rows make an address.
    pub fn is_step(&self) -> bool {
        self.load.is_none() && !self.switch
    }
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
        self.slots.iter().filter(|slot| slot.is_step()).count()
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
        let list = |table: &[Option<TableEntry>], first: u16, count: u16| -> Vec<Tap> {
            let entries = &table[usize::from(first)..][..usize::from(count)];
            let tap = |entry: &Option<TableEntry>| {
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
        let index = |first| ListIndex::new(self.options.stepping, first);
        let mut walk = Walk {
            lists: self.lists(),
            bases: index(registers.base_ptr),
            offsets: index(registers.offset_ptr),
            word: registers.b_origin,
            run: Run {
                slots: Vec::new(),
                base_reads: Vec::new(),
                offset_reads: Vec::new(),
                weight_stationary,
                counts: [registers.gemm_rows, registers.taps, registers.outputs].map(usize::from),
            },
        };
        match weight_stationary {
            true => walk.weights_stay(),
            false => walk.sums_stay(registers.b_origin),
        }
        walk.run
    }
}

/// A run while its slots are listed.
struct Walk {
    lists: Lists,
    bases: ListIndex,
    offsets: ListIndex,
    /// The next weight word; it only increments.
    word: u16,
    run: Run,
}

impl Walk {
    fn tiles(&self, count: usize, size: usize) -> impl Iterator<Item = usize> + use<> {
        (0..count).step_by(size)
    }

    /// Output stationary: a tile of GEMM rows, all its column tiles, the next tile.
    fn sums_stay(&mut self, b_origin: u16) {
        let options = self.lists.options;
        let [gemm_rows, _, outputs] = self.run.counts;
        if options.prefetch {
            for held in self.tiles(gemm_rows, options.rows) {
                self.load(held, 0);
            }
        }
        for held in self.tiles(gemm_rows, options.rows) {
            self.word = b_origin;
            match options.prefetch {
                true => self.switch(),
                false => self.load(held, 0),
            }
            for cols in self.tiles(outputs, options.cols) {
                self.pass(held, cols);
            }
        }
    }

    /// Weight stationary: a tile of output channels, all its K tiles, the next tile.
    fn weights_stay(&mut self) {
        let options = self.lists.options;
        let [_, taps, outputs] = self.run.counts;
        for cols in self.tiles(outputs, options.cols) {
            self.offsets.rewind();
            for held in self.tiles(taps, options.rows) {
                self.load(held, cols);
                if options.prefetch {
                    self.switch();
                }
                self.pass(held, cols);
            }
        }
    }

    fn next_word(&mut self) -> u16 {
        let word = self.word;
        self.word = word.wrapping_add(1);
        word
    }

    /// The load slots of a tile: the rows that have no entry get a slot as well.
    fn load(&mut self, held: usize, cols: usize) {
        let [gemm_rows, taps, _] = self.run.counts;
        for row in 0..self.lists.options.rows {
            let weights_stay = self.run.weight_stationary;
            let word = weights_stay.then(|| self.next_word());
            self.run.slots.push(Slot {
                load: Some(row),
                word,
                held: held as u16,
                cols: cols as u16,
                ..Slot::default()
            });
            match weights_stay {
                true if held + row < taps => self.run.offset_reads.push(self.offsets.read()),
                false if held + row < gemm_rows => self.run.base_reads.push(self.bases.read()),
                _ => (),
            }
        }
    }

    fn switch(&mut self) {
        self.run.slots.push(Slot {
            switch: true,
            ..Slot::default()
        });
    }

    /// The steps of a pass, from its first row entry and its first output channel.
    fn pass(&mut self, held: usize, cols: usize) {
        let [gemm_rows, taps, _] = self.run.counts;
        let weights_stay = self.run.weight_stationary;
        let steps = if weights_stay { gemm_rows } else { taps };
        match weights_stay {
            true => self.bases.rewind(),
            false => self.offsets.rewind(),
        }
        for streamed in 0..steps {
            let address = |row: usize| {
                let entry = held + row;
                match weights_stay {
                    true if entry < taps => self.lists.operand(streamed, entry),
                    false if entry < gemm_rows => self.lists.operand(entry, streamed),
                    _ => None,
                }
            };
            let rows = (0..self.lists.options.rows).map(address).collect();
            let word = (!weights_stay).then(|| self.next_word());
            self.run.slots.push(Slot {
                word,
                rows,
                first: streamed == 0,
                last: streamed + 1 == steps,
                held: held as u16,
                streamed: streamed as u16,
                cols: cols as u16,
                sum_first: !weights_stay || held == 0,
                sum_last: !weights_stay || held + self.lists.options.rows >= taps,
                ..Slot::default()
            });
            match weights_stay {
                true => self.run.base_reads.push(self.bases.read()),
                false => self.run.offset_reads.push(self.offsets.read()),
            }
        }
    }
}
