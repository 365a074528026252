//! The address sequence of one TRAVERSE record, element by element.

use heddle_arch::isa::Record;
use heddle_arch::params::Params;

/// Rows and columns of the largest register file.
const MENU: usize = 8;

/// One loop: initial, step and end value.
#[derive(Debug, Clone, Copy, Default)]
struct LoopRegisters {
    initial: u64,
    step: u64,
    end: u64,
}

/// One address with the flags that belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    /// Base plus the offsets of all loops.
    pub address: u32,
    /// Row of the record.
    pub row: u8,
    /// Bit c: loop c is in its last iteration. Loops that do not exist always are.
    pub finals: u8,
    /// Last address of the whole record.
    pub end: bool,
}

impl Step {
    /// All loops 0..=level are in their last iteration.
    pub fn inner_final(&self, level: u8) -> bool {
        let mask = ((1u16 << (level + 1)) - 1) as u8;
        self.finals & mask == mask
    }

    /// All loops above `level` are in their last iteration.
    pub fn outer_final(&self, level: u8) -> bool {
        let mask = !(((1u16 << (level + 1)) - 1) as u8);
        self.finals & mask == mask
    }
}

/// A traversal in progress.
#[derive(Debug, Clone)]
pub(crate) struct Walk {
    registers: [[LoopRegisters; MENU]; MENU],
    bases: [Option<u64>; MENU],
    offsets: [u64; MENU],
    /// Rows in the order of their first blocks.
    order: Vec<usize>,
    /// Position of the current row in the order.
    place: usize,
    /// Times that the record still runs after this one.
    times_left: u32,
    /// What each further time adds to the bases of the rows.
    increments: [u64; MENU],
    offset_mask: u64,
    address_mask: u64,
}

impl Walk {
    /// Starts a record; `None` if it has no row.
    pub fn start(record: &Record, params: &Params) -> Option<Self> {
        let mut walk = Self {
            registers: Default::default(),
            bases: [None; MENU],
            offsets: [0; MENU],
            order: Vec::new(),
            place: 0,
            times_left: 0,
            increments: [0; MENU],
            offset_mask: (1u64 << params.traversal.offset_bits) - 1,
            address_mask: (1u64 << params.traversal.address_bits) - 1,
        };
        for block in &record.rows {
            let row = usize::from(block.row);
            if walk.bases[row].is_none() {
                walk.order.push(row);
            }
            walk.bases[row] = Some(u64::from(block.base) & walk.address_mask);
            for (registers, values) in walk.registers[row].iter_mut().zip(&block.loops) {
                registers.initial = u64::from(values.initial) & walk.offset_mask;
                registers.step = u64::from(values.step) & walk.offset_mask;
                registers.end = u64::from(values.end) & walk.offset_mask;
            }
        }
        if walk.order.is_empty() {
            return None;
        }
        walk.enter_row();
        Some(walk)
    }

    /// Runs the record `times` times, with bases that grow from one time to the next.
    pub fn repeat(&mut self, times: u32, increments: &[(u8, u32)]) {
        self.times_left = times - 1;
        for &(row, increment) in increments {
            self.increments[usize::from(row)] = increment.into();
        }
    }

    fn row(&self) -> usize {
        self.order[self.place]
    }

    fn enter_row(&mut self) {
        let row = self.row();
        for (offset, registers) in self.offsets.iter_mut().zip(&self.registers[row]) {
            *offset = registers.initial;
        }
    }

    fn column_is_final(&self, column: usize) -> bool {
        let registers = &self.registers[self.row()][column];
        self.offsets[column] + registers.step >= registers.end
    }

    /// The current element.
    pub fn step(&self) -> Step {
        let base = self.bases[self.row()].expect("a walk stands on a valid row");
        let address = base + self.offsets.iter().sum::<u64>();
        let finals = (0..MENU).fold(0u8, |bits, column| {
            bits | (u8::from(self.column_is_final(column)) << column)
        });
        Step {
            address: (address & self.address_mask) as u32,
            row: self.row() as u8,
            finals,
            end: finals == u8::MAX && self.place + 1 == self.order.len() && self.times_left == 0,
        }
    }

    /// Moves on by one element; false when the sequence is finished.
    pub fn advance(&mut self) -> bool {
        for column in 0..MENU {
            let registers = self.registers[self.row()][column];
            if !self.column_is_final(column) {
                self.offsets[column] += registers.step;
                return true;
            }
            self.offsets[column] = registers.initial;
        }
        self.place += 1;
        if self.place == self.order.len() {
            if self.times_left == 0 {
                return false;
            }
            self.times_left -= 1;
            self.place = 0;
            for (base, increment) in self.bases.iter_mut().zip(self.increments) {
                *base = base.map(|base| (base + increment) & self.address_mask);
            }
        }
        self.enter_row();
        true
    }
}
