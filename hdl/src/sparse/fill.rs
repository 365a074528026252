//! From a stream of bytes to the weights of the units.

use super::waves::*;
use heddle_arch::isa::fields::sparse::{weights, weights_lists};
use heddle_kernel::prelude::*;

/// Carries out SPARSE_WEIGHTS: a record of words of weights comes in blocks of four. A block is a word of the stream with
/// four indices, the first one in bits 15..0, and then as many words as its weights need, weight 0 in bits 7..0 of the first one. The last block may
/// have fewer weights, but has four indices.
///
/// # Timing
/// `start_i` in cycle T, T-1 has the last word of the command at the latest: `fill_o` begins in T+1, and a word of the stream is taken in
/// each cycle from T+1 on. With its last word in T the weights are on `fill_o` in T+1.
///
/// `busy_o` is high from the cycle after `start_i` on and falls units + 3 cycles after the last word of the stream was taken: a word taken in T
/// is at the last unit in T + units, and its list written two cycles later (`UnitWeights`); a cycle after that it may be read.
#[module(name = "sparse_fill")]
pub struct Fill {
    /// A word of SPARSE_WEIGHTS.
    pub command_i: CommandWord<In>,
    /// Begins.
    pub start_i: Signal<In, Bit>,
    /// A command is under way.
    pub busy_o: Signal<Out, Bit>,
    /// A word of the record is offered.
    pub weight_valid_i: Signal<In, Bit>,
    /// It is taken.
    pub weight_ready_o: Signal<Out, Bit>,
    /// The word: four indices, or eight weights.
    pub weight_data_i: [Signal<In, Bits<16>>; 4],
    /// Words of weights.
    #[new(WeightFill::new(lanes))]
    pub fill_o: WeightFill<Out>,
    /// Units that they are for.
    pub fill_mask: [OutRegData<Bit>; units],
    /// Half of the memory that they belong to.
    pub half_o: Signal<Out, Bit>,
    /// Words 1 and 2 of the command.
    word: [RegData<Bits<32>>; 2],
    /// Words are to come.
    works: Reg<Bit>,
    /// The next one has indices.
    by_index: RegData<Bit>,
    /// Words of weights that are to come.
    left: RegData<Bits<16>>,
    /// Place of the next one in its block.
    at: RegData<Bits<2>>,
    /// Each word of its weights but the last one: it has come, and more are to come.
    came: [RegEn<Bit>; words - 1],
    takes: Signal<Local, Bit>,
    takes_index: Signal<Local, Bit>,
    /// Each word of its weights: it is taken.
    takes_word: [Signal<Local, Bit>; words],
    /// The last one is, and it is the last one of the record.
    ends: Signal<Local, Bit>,
    ends_all: Signal<Local, Bit>,
    begin: Reg<Bit>,
    valid: Reg<Bit>,
    weight: [RegData<Bits<8>>; lanes],
    /// Indices of a block that are left.
    index: [RegData<Bits<16>>; 4],
    /// Cycles until all units have all words.
    travels: RegEn<Bits<7>>,
    /// Weights of a word.
    _lanes: Param<'g'>,
    /// Units, at most 64.
    _units: Param<'u'>,
    #[new(lanes.div_ceil(8))]
    _words: usize,
}

#[kernel]
impl Fill {
    fn update(&mut self) {
        self.command();
        self.take();
        self.count();
        self.send();
    }

    fn command(&mut self) {
        for i in 0..2 {
            let is_word = self.command_i.index == (i + 1).to_bits::<3>();
            self.word[i].load(self.command_i.valid & is_word, self.command_i.data);
        }
        for i in 0..self._units {
            self.fill_mask[i].load(
                self.command_i.valid & (self.command_i.index == (3 + i / 32).to_bits::<3>()),
                self.command_i.data.get_bit(i % 32),
            );
        }
        self.half_o = flag!(self.word[1], weights_lists::HALF);
    }

    /// Which word of a block it is.
    fn take(&mut self) {
        self.weight_ready_o = self.rst_n & self.works;
        self.takes = self.works & self.weight_valid_i;
        self.takes_index = self.takes & self.by_index;
        for i in 0..self._words {
            self.takes_word[i] = self.takes & !self.by_index;
            if i > 0 {
                self.takes_word[i] = self.takes_word[i] & self.came[i - 1];
            }
            if i + 1 < self._words {
                self.takes_word[i] = self.takes_word[i] & !self.came[i];
                self.came[i].load(
                    self.takes_word[i] | self.takes_word[self._words - 1],
                    self.takes_word[i],
                );
            }
        }
        self.ends = self.takes_word[self._words - 1];
    }

    fn count(&mut self) {
        self.at.load(
            self.start_i | self.ends,
            mux(self.start_i, 0.into(), self.at + 1),
        );
        self.by_index.load(
            self.start_i | self.takes_index | self.ends,
            self.start_i | (self.ends & self.at.all()),
        );
        self.left.load(
            self.start_i | self.ends,
            mux(
                self.start_i,
                field!(self.word[0], weights::WORDS),
                self.left - 1,
            ),
        );
        self.ends_all = self.ends & (self.left == 1);
        self.works = self.start_i | (self.works & !self.ends_all);
        self.travels.load(
            self.ends_all | self.travels.any(),
            mux(
                self.ends_all,
                (self._units + 2).to_bits::<7>(),
                self.travels - 1,
            ),
        );
        self.busy_o = self.works | self.travels.any();
    }

    fn send(&mut self) {
        self.begin = self.start_i;
        self.valid = self.ends;
        self.fill_o.begin = self.begin;
        self.fill_o.word = field!(self.word[0], weights::FIRST);
        self.fill_o.first_list = field!(self.word[1], weights_lists::LIST);
        self.fill_o.valid = self.valid;
        for i in 0..self._lanes {
            self.weight[i].load(
                self.takes_word[i / 8],
                self.weight_data_i[i % 8 / 2].get_bits::<8>(i % 2 * 8),
            );
            self.fill_o.weight[i] = self.weight[i];
        }
        for i in 0..4 {
            self.index[i].load(self.takes_index | self.valid, self.weight_data_i[i]);
            if i < 3 {
                if !self.takes_index {
                    self.index[i] = self.index[i + 1];
                }
            }
        }
        self.fill_o.index = self.index[0];
    }
}
