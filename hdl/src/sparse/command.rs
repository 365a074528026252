//! Which words of a command are legal.

use super::SparseShape;
use heddle_arch::isa::fields::Word;
use heddle_arch::isa::fields::sparse::{
    cut, cut_cols, cut_limits, cut_place, cut_rows, cut_size, drain, drain_bounds, drain_first,
    drain_group, drain_size, load, load_chunks, load_first, load_size, range, run, scale, set,
    share, weights, weights_lists,
};
use heddle_kernel::prelude::*;

/// A command.
#[derive(LogicState, Copy, Clone, PartialEq, Debug)]
pub enum Command {
    /// Registers of units.
    Set,
    /// A map.
    Load,
    /// Words of weights.
    Weights,
    /// Products.
    Run,
    /// Results.
    Drain,
    /// Parts and windows of units.
    Cut,
    /// Parameters of output channels.
    Scale,
}

/// Checks a word of a command, not the header.
///
/// # Timing
/// Combinational.
#[module(combinational, shape: SparseShape)]
pub struct CommandCheck {
    /// The word.
    pub word_i: Signal<In, Bits<32>>,
    /// The word before it.
    pub before_i: Signal<In, Bits<32>>,
    /// The command.
    pub command_i: Signal<In, Command>,
    /// Place of the word in the command, 7 from the seventh on.
    pub index_i: Signal<In, Bits<3>>,
    /// Register of a SPARSE_SET, 8 behind the last one.
    pub register_i: Signal<In, Bits<4>>,
    /// Stride of a SPARSE_LOAD, as a power of two.
    pub stride_i: Signal<In, Bits<2>>,
    /// Tile of a SPARSE_SCALE.
    pub tile_i: Signal<In, Bits<9>>,
    /// What a word of a SPARSE_SCALE is: 0 bias, 1 multiplier, 2 shift.
    pub number_i: Signal<In, Bits<2>>,
    /// It has a field out of range, or a bit that is not used.
    pub bad_field_o: Signal<Out, Bit>,
    /// Bits that may be set.
    used: Signal<Local, Bits<32>>,
    bad: Signal<Local, Bit>,
    /// The last row and column of a map in front of the stride.
    last_row: Signal<Local, Bits<11>>,
    last_col: Signal<Local, Bits<11>>,
    /// Units.
    _units: Param<'u'>,
    /// Sets of a map memory.
    _sets: Param<'s'>,
    /// Lanes of a map.
    _load_lanes: Param<'r'>,
    /// Lists of weights.
    _lists: Param<'l'>,
    /// Words of weights.
    _words: Param<'w'>,
    /// Lanes of a unit.
    _lanes: Param<'g'>,
    /// Groups with parameters.
    _tiles: Param<'t'>,
    /// Results may be counted.
    #[new(shape.census.into())]
    _census: Feature<"cs">,
}

/// Bits of a word that may be set.
fn used(word: Word) -> u64 {
    word.used().into()
}

/// The bit of SPARSE_DRAIN that needs a census.
fn drain_count() -> u64 {
    drain::COUNT.flag(true).into()
}

/// Units 32 `word` and higher of so many, one bit each.
fn mask(units: usize, word: usize) -> u64 {
    let units = units.saturating_sub(32 * word).min(32);
    (1 << units) - 1
}

#[kernel]
impl CommandCheck {
    fn update(&mut self) {
        self.used = 0xffff_ffffu64.into();
        self.bad = false;
        self.last_row = 0.into();
        self.last_col = 0.into();
        match self.command_i {
            Command::Set => self.set(),
            Command::Load => self.load(),
            Command::Weights => self.weights(),
            Command::Run => self.run(),
            Command::Drain => self.drain(),
            Command::Cut => self.cut(),
            _ => self.scale(),
        }
        self.bad_field_o = self.bad | (self.word_i & !self.used).any();
    }

    fn set(&mut self) {
        if self.index_i == 1 {
            self.used = used(set::WORD).into();
            let unit = field!(self.word_i, set::UNIT);
            self.bad = unit.get_bits::<7>(0) >= self._units.to_bits::<7>();
            if flag!(self.word_i, set::ALL) {
                self.bad = unit.any();
            }
        } else {
            self.used = used(range::WORD).into();
            if self.register_i == 2 {
                self.used = used(share::WORD).into();
            }
            self.bad = (self.register_i == 3) | self.register_i.get_bit(3);
        }
    }

    fn load(&mut self) {
        match self.index_i.index() {
            1 => {
                self.used = used(load::WORD).into();
                let lanes = field!(self.word_i, load::LANES);
                self.bad = (field!(self.word_i, load::SET).get_bits::<3>(0)
                    >= self._sets.to_bits::<3>())
                    | (field!(self.word_i, load::STRIDE) == 3)
                    | (field!(self.word_i, load::LIST).get_bits::<10>(0)
                        >= self._lists.to_bits::<10>())
                    | (lanes == 0)
                    | (lanes > self._load_lanes.to_bits::<7>());
            }
            2 => {
                self.used = used(load_first::WORD).into();
            }
            3 => {
                self.used = used(load_size::WORD).into();
                let rows = field!(self.word_i, load_size::ROWS);
                let cols = field!(self.word_i, load_size::COLS);
                let row = field!(self.before_i, load_first::ROW);
                let col = field!(self.before_i, load_first::COL);
                self.last_row = row.get_bits::<11>(0) + rows.get_bits::<11>(0) - 1;
                self.last_col = col.get_bits::<11>(0) + cols.get_bits::<11>(0) - 1;
                comment!("Behind the stride rows and columns have eight bits");
                self.bad = (rows == 0)
                    | (cols == 0)
                    | ((self.last_row >> self.stride_i) >> 8).any()
                    | ((self.last_col >> self.stride_i) >> 8).any();
            }
            4 => {
                self.used = used(load_chunks::WORD).into();
            }
            5 => {
                self.used = mask(self._units, 0).into();
            }
            _ => {
                self.used = mask(self._units, 1).into();
            }
        }
    }

    fn weights(&mut self) {
        match self.index_i.index() {
            1 => {
                let words = field!(self.word_i, weights::WORDS);
                let first = field!(self.word_i, weights::FIRST);
                self.bad = (words == 0)
                    | (first.get_bits::<17>(0) + words.get_bits::<17>(0)
                        > self._words.to_bits::<17>());
            }
            2 => {
                self.used = used(weights_lists::WORD).into();
                self.bad = field!(self.word_i, weights_lists::LIST).get_bits::<10>(0)
                    >= self._lists.to_bits::<10>();
            }
            3 => {
                self.used = mask(self._units, 0).into();
            }
            _ => {
                self.used = mask(self._units, 1).into();
            }
        }
    }

    fn run(&mut self) {
        match self.index_i.index() {
            1 => {
                self.used = used(run::WORD).into();
                self.bad =
                    field!(self.word_i, run::SET).get_bits::<3>(0) >= self._sets.to_bits::<3>();
            }
            2 => {
                self.used = mask(self._units, 0).into();
            }
            _ => {
                self.used = mask(self._units, 1).into();
            }
        }
    }

    fn drain(&mut self) {
        match self.index_i.index() {
            1 => {
                self.used = used(drain::WORD).into();
                if self._census == 0 {
                    self.used = (used(drain::WORD) & !drain_count()).into();
                }
                self.bad = (field!(self.word_i, drain::GROUPS) == 0)
                    | (field!(self.word_i, drain::EACH) == 0);
            }
            2 => {
                self.used = used(drain_first::WORD).into();
            }
            3 => {
                self.used = used(drain_size::WORD).into();
                let rows = field!(self.word_i, drain_size::ROWS);
                let cols = field!(self.word_i, drain_size::COLS);
                let row = field!(self.before_i, drain_first::ROW);
                let col = field!(self.before_i, drain_first::COL);
                self.bad = (rows == 0)
                    | (cols == 0)
                    | (row.get_bits::<10>(0) + rows.get_bits::<10>(0) > 512)
                    | (col.get_bits::<10>(0) + cols.get_bits::<10>(0) > 512);
            }
            4 => {
                self.used = used(drain_group::WORD).into();
                self.bad = field!(self.word_i, drain_group::TILE).get_bits::<9>(0)
                    >= self._tiles.to_bits::<9>();
            }
            _ => {
                self.used = used(drain_bounds::WORD).into();
            }
        }
    }

    fn cut(&mut self) {
        match self.index_i.index() {
            1 => {
                self.used = used(cut::WORD).into();
            }
            2 => {
                self.used = used(cut_limits::WORD).into();
            }
            3 => {
                self.used = used(cut_size::WORD).into();
                let rows = field!(self.word_i, cut_size::ROWS);
                let cols = field!(self.word_i, cut_size::COLS);
                self.bad = (rows == 0) | (rows > 256) | (cols == 0) | (cols > 256);
            }
            4 => {
                self.used = used(cut_place::WORD).into();
                self.bad = field!(self.word_i, cut_place::STRIDE) == 3;
            }
            5 => {
                self.used = used(cut_rows::WORD).into();
            }
            6 => {
                self.used = used(cut_cols::WORD).into();
            }
            _ => {
                self.bad = false;
            }
        }
    }

    fn scale(&mut self) {
        if self.index_i == 1 {
            self.used = used(scale::WORD).into();
            self.bad = (field!(self.word_i, scale::TILE).get_bits::<9>(0)
                >= self._tiles.to_bits::<9>())
                | (field!(self.word_i, scale::LANE).get_bits::<6>(0) >= self._lanes.to_bits::<6>());
        } else {
            if self.number_i == 1 {
                self.used = 0x7fff_ffffu64.into();
            }
            if self.number_i == 2 {
                self.used = 0x3f.into();
            }
            self.bad = self.tile_i >= self._tiles.to_bits::<9>();
        }
    }
}
