//! What the words of a transfer may be.

use heddle_arch::transfer::{
    Space, access, buffer_place, column_place, outer, program_place, row_place, table_place, x,
};
use heddle_kernel::prelude::*;

/// Bits of a word that are in none of its fields.
const fn rest(used: u32) -> u64 {
    !used as u64
}

const BUFFER: usize = Space::Buffer as usize;
const COLUMNS: usize = Space::Columns as usize;
const ROWS: usize = Space::Rows as usize;
const TABLES: usize = Space::Tables as usize;
const PROGRAM: usize = Space::Program as usize;
const WEIGHTS: usize = Space::Weights as usize;
const COMMANDS: usize = Space::Commands as usize;

/// Checks the eight words of a LOAD or a STORE as they pass: no bit of no field, no value that is reserved, fields that fit each other.
///
/// What depends on sizes of the machine is not looked at here: a place beyond its memory is found when it is reached.
///
/// # Timing
/// Words come in their order, one or two in a cycle. `ok_o` is that of the words so far, those of this cycle included.
#[module]
pub struct TransferCheck {
    /// A word of even number.
    pub even_i: Signal<In, Bits<32>>,
    /// A word of odd number.
    pub odd_i: Signal<In, Bits<32>>,
    /// Words 1 to 8: this one is there in this cycle.
    pub takes_i: [Signal<In, Bit>; 8],
    /// A STORE, else a LOAD.
    pub store_i: Signal<In, Bit>,
    /// It is one of a program: not for the sparse cluster.
    pub program_i: [Signal<In, Bit>; moves],
    /// The words may enter a queue.
    pub ok_o: Signal<Out, Bit>,
    /// They name column parameters, row or activation tables.
    pub past_o: Signal<Out, Bit>,
    space: RegData<Bits<4>>,
    fill: RegData<Bit>,
    bad: Reg<Bit>,
    /// Space and fill, those of word 1 in its cycle.
    of_space: Signal<Local, Bits<4>>,
    fills: Signal<Local, Bit>,
    /// Word 1 is right.
    is_access: Signal<Local, Bit>,
    /// Word 3 has no bits of no field.
    is_place: Signal<Local, Bit>,
    /// The word of X, the one of an outer loop, of memory is right.
    is_x: Signal<Local, Bit>,
    is_outer: Signal<Local, Bit>,
    is_memory: Signal<Local, Bit>,
    /// Word 7 has one turn, if it must.
    is_once: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    /// Programs have LOAD and STORE.
    _moves: Feature<"mv">,
}

#[kernel]
impl TransferCheck {
    fn update(&mut self) {
        self.access();
        self.place();
        self.loops();
        self.fails = (self.takes_i[0] & !self.is_access)
            | ((self.takes_i[1] | self.takes_i[5] | self.takes_i[7]) & !self.is_memory)
            | (self.takes_i[2] & !self.is_place)
            | (self.takes_i[3] & !self.is_x)
            | ((self.takes_i[4] | self.takes_i[6]) & !self.is_outer)
            | (self.takes_i[6] & !self.is_once);
        self.bad = (self.bad & !self.takes_i[0]) | self.fails;
        self.ok_o = !(self.bad | self.fails) & !(self.store_i & (self.fill | self.space.any()));
        self.past_o = self.space.get_bits::<2>(0).any() & !self.space.get_bits::<2>(2).any();
        for k in 0..self._moves {
            if self.program_i[k] & self.space.get_bit(3) {
                self.ok_o = false;
            }
        }
    }

    /// Which memory, and what it has.
    fn access(&mut self) {
        self.of_space = field!(self.odd_i, access::SPACE);
        self.fills = flag!(self.odd_i, access::FILL);
        self.space.load(self.takes_i[0], self.of_space);
        self.fill.load(self.takes_i[0], self.fills);
        let walks = field!(self.odd_i, access::PARTITIONS).any();
        let zero = field!(self.odd_i, access::ZERO).any();
        let is_coded = self.fills | zero;
        self.is_access = false;
        match self.of_space.index() {
            BUFFER => {
                self.is_access =
                    !(self.fills & ((zero) | field!(self.odd_i, access::REGION).any()));
            }
            COLUMNS => {
                self.is_access = !(is_coded) & !(walks);
            }
            ROWS => {
                self.is_access = !(is_coded);
            }
            TABLES => {
                self.is_access = !(is_coded) & !(walks);
            }
            PROGRAM => {
                self.is_access = !(is_coded) & !(walks);
            }
            WEIGHTS => {
                self.is_access = !(is_coded) & !(walks);
            }
            COMMANDS => {
                self.is_access = !(is_coded) & !(walks);
            }
            _ => {}
        }
        if (self.odd_i & rest(access::WORD.used()).to_bits::<32>()).any() {
            self.is_access = false;
        }
    }

    fn place(&mut self) {
        self.is_place = !self.odd_i.any();
        match self.space.index() {
            BUFFER => {
                self.is_place =
                    !(self.odd_i & rest(buffer_place::WORD.used()).to_bits::<32>()).any();
            }
            COLUMNS => {
                self.is_place =
                    !(self.odd_i & rest(column_place::WORD.used()).to_bits::<32>()).any();
            }
            ROWS => {
                self.is_place = !(self.odd_i & rest(row_place::WORD.used()).to_bits::<32>()).any();
            }
            TABLES => {
                self.is_place =
                    !(self.odd_i & rest(table_place::WORD.used()).to_bits::<32>()).any();
            }
            PROGRAM => {
                self.is_place =
                    !(self.odd_i & rest(program_place::WORD.used()).to_bits::<32>()).any();
            }
            _ => {}
        }
    }

    fn loops(&mut self) {
        // A fill says nothing about memory.
        self.is_memory = !self.even_i.get_bits::<3>(0).any() & !(self.fill & self.even_i.any());
        let in_order = self.space.get_bit(3);
        let is_columns = self.space == COLUMNS.to_bits::<4>();
        self.is_x = !(self.even_i & rest(x::WORD.used()).to_bits::<32>()).any()
            & !((in_order) & field!(self.even_i, x::STEP).any());
        // X walks columns, Y column tiles.
        if (is_columns) & (field!(self.even_i, x::STEP) != 1) {
            self.is_x = false;
        }
        self.is_outer = !(self.odd_i & rest(outer::WORD.used()).to_bits::<32>()).any()
            & !((in_order) & field!(self.odd_i, outer::STEP).any());
        self.is_once = !((is_columns) & field!(self.odd_i, outer::COUNT).any());
    }
}
