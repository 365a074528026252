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

/// Checks the eight words of a LOAD or a STORE: no bit of no field, no value that is reserved, fields that fit each other.
///
/// What depends on sizes of the machine is not looked at here: a place beyond its memory is found when it is reached.
///
/// # Timing
/// Combinational.
#[module(combinational)]
pub struct TransferCheck {
    /// Words 1 to 8.
    pub words_i: [Signal<In, Bits<32>>; 8],
    /// A STORE, else a LOAD.
    pub store_i: Signal<In, Bit>,
    /// The words may enter a queue.
    pub ok_o: Signal<Out, Bit>,
    space: Signal<Local, Bits<4>>,
    /// It is a space, and its place has no bits of no field.
    is_place: Signal<Local, Bit>,
    /// Loop that goes to the next partition or row is 0, where there are none.
    fits_space: Signal<Local, Bit>,
    /// No word has bits of no field.
    is_plain: Signal<Local, Bit>,
    /// A fill says nothing about memory.
    fits_fill: Signal<Local, Bit>,
    fills: Signal<Local, Bit>,
}

#[kernel]
impl TransferCheck {
    fn update(&mut self) {
        self.space = field!(self.words_i[0], access::SPACE);
        self.fills = flag!(self.words_i[0], access::FILL);
        self.plain();
        self.place();
        self.space();
        self.fill();
        self.ok_o = self.is_plain & self.is_place & self.fits_space & self.fits_fill;
    }

    fn plain(&mut self) {
        let ragged = self.words_i[1].get_bits::<3>(0)
            | self.words_i[5].get_bits::<3>(0)
            | self.words_i[7].get_bits::<3>(0);
        let loops = self.words_i[4] | self.words_i[6];
        self.is_plain = !((self.words_i[0] & rest(access::WORD.used()).to_bits::<32>()).any()
            | (self.words_i[3] & rest(x::WORD.used()).to_bits::<32>()).any()
            | ((loops) & rest(outer::WORD.used()).to_bits::<32>()).any()
            | (ragged).any());
    }

    fn place(&mut self) {
        self.is_place = false;
        match self.space.index() {
            BUFFER => {
                self.is_place =
                    !(self.words_i[2] & rest(buffer_place::WORD.used()).to_bits::<32>()).any();
            }
            COLUMNS => {
                self.is_place =
                    !(self.words_i[2] & rest(column_place::WORD.used()).to_bits::<32>()).any();
            }
            ROWS => {
                self.is_place =
                    !(self.words_i[2] & rest(row_place::WORD.used()).to_bits::<32>()).any();
            }
            TABLES => {
                self.is_place =
                    !(self.words_i[2] & rest(table_place::WORD.used()).to_bits::<32>()).any();
            }
            PROGRAM => {
                self.is_place =
                    !(self.words_i[2] & rest(program_place::WORD.used()).to_bits::<32>()).any();
            }
            WEIGHTS => {
                self.is_place = !self.words_i[2].any();
            }
            COMMANDS => {
                self.is_place = !self.words_i[2].any();
            }
            _ => {}
        }
    }

    /// What a space has.
    fn space(&mut self) {
        let walks = field!(self.words_i[0], access::PARTITIONS).any();
        let codes = self.fills | field!(self.words_i[0], access::ZERO).any();
        let steps = field!(self.words_i[3], x::STEP)
            | field!(self.words_i[4], outer::STEP)
            | field!(self.words_i[6], outer::STEP);
        self.fits_space = self.space == BUFFER.to_bits::<4>();
        if self.space == ROWS.to_bits::<4>() {
            self.fits_space = !(codes);
        }
        if (self.space == TABLES.to_bits::<4>()) | (self.space == PROGRAM.to_bits::<4>()) {
            self.fits_space = !(codes) & !(walks);
        }
        // X walks columns, Y column tiles.
        if self.space == COLUMNS.to_bits::<4>() {
            self.fits_space = !(codes)
                & !(walks)
                & (field!(self.words_i[3], x::STEP) == 1)
                & !field!(self.words_i[6], outer::COUNT).any();
        }
        if self.space.get_bit(3) {
            self.fits_space = !(codes) & !(walks) & !(steps).any();
        }
        if self.store_i & (self.fills | self.space.any()) {
            self.fits_space = false;
        }
    }

    fn fill(&mut self) {
        let memory = self.words_i[1] | self.words_i[5] | self.words_i[7];
        self.fits_fill = !self.fills
            | !(field!(self.words_i[0], access::REGION).any()
                | field!(self.words_i[0], access::ZERO).any()
                | (memory).any());
    }
}
