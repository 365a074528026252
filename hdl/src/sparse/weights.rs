//! The weights of a unit.

use super::waves::*;
use heddle_kernel::prelude::*;

/// Weight words of a unit, with their places in the kernel, in lists: one for each channel, or several where words are replaced
/// while others are in use.
///
/// A word has a weight for each lane. Lists follow one another; the word with bit 15 of its index ends one.
/// An empty list comes as one word of zeros.
///
/// # Timing
/// `fill_begin_i` in cycle T: words that come from T+1 on begin at `fill_word_i`, and their first list has the number
/// `fill_first_list_i`. A word (`fill_valid_i`) of cycle T is written in T+1, and its list, if it ends one, in T+2. A read in T
/// stands at its outputs from T+1 until the next one.
#[module]
pub struct UnitWeights {
    /// What fills the memory.
    #[new(WeightFill::new(lanes))]
    pub fill_i: WeightFill<In>,
    /// Reads where a list lies.
    pub list_en_i: Signal<In, Bit>,
    /// Number of the list.
    pub list_i: Signal<In, Bits<9>>,
    /// First word of the list.
    pub first_o: Signal<Out, Bits<16>>,
    /// Words of the list less 1; 65535 if it is empty.
    pub more_o: Signal<Out, Bits<16>>,
    /// Reads a word.
    pub read_i: Signal<In, Bit>,
    /// Its address.
    pub addr_i: Signal<In, Bits<16>>,
    /// Its weights.
    pub weight_o: [Signal<Out, Bits<8>>; lanes],
    /// Its index.
    pub index_o: Signal<Out, Bits<16>>,
    #[new(Ram1r1w::new(lanes, words))]
    weights: Ram1r1w<16, 8>,
    #[new(Ram1r1w::new(1, words))]
    indices: Ram1r1w<16, 16>,
    #[new(Ram1r1w::new(2, lists))]
    places: Ram1r1w<9, 16>,
    valid: Reg<Bit>,
    weight: [Delay<Bits<8>>; lanes],
    index: Delay<Bits<16>>,
    /// Address of the next word.
    word: RegData<Bits<16>>,
    /// First word of its list.
    first: RegData<Bits<16>>,
    /// Words of its list before it.
    before: RegData<Bits<16>>,
    /// Number of its list.
    list: RegData<Bits<9>>,
    /// A list has come to its end.
    ended: Reg<Bit>,
    /// Its number, first word, and words less 1.
    list_number: Delay<Bits<9>>,
    list_first: Delay<Bits<16>>,
    list_more: Delay<Bits<16>>,
    /// The word ends a list.
    is_last: Signal<Local, Bit>,
    /// It has no weight but 0.
    is_zero: Signal<Local, Bit>,
    /// Weights of a word.
    _lanes: Param<'g'>,
    /// Words.
    _words: Param<'w'>,
    /// Lists.
    _lists: Param<'l'>,
}

#[kernel]
impl UnitWeights {
    fn update(&mut self) {
        comment!("Words are written as they come");
        self.valid = self.fill_i.valid;
        self.index = self.fill_i.index;
        self.is_zero = true;
        for i in 0..self._lanes {
            self.weight[i] = self.fill_i.weight[i];
            self.weights.wdata_i[i] = self.weight[i];
            if self.weight[i].any() {
                self.is_zero = false;
            }
            self.weight_o[i] = self.weights.rdata_o[i];
        }
        self.weights.wen_i = self.valid;
        self.weights.waddr_i = self.word;
        self.weights.ren_i = self.read_i;
        self.weights.raddr_i = self.addr_i;
        self.indices.wen_i = self.valid;
        self.indices.waddr_i = self.word;
        self.indices.wdata_i[0] = self.index;
        self.indices.ren_i = self.read_i;
        self.indices.raddr_i = self.addr_i;
        self.index_o = self.indices.rdata_o[0];

        comment!("Their lists are counted");
        self.is_last = self.valid & self.index.get_bit(15);
        self.word.load(
            self.fill_i.begin | self.valid,
            mux(self.fill_i.begin, self.fill_i.word, self.word + 1),
        );
        self.first.load(
            self.fill_i.begin | self.is_last,
            mux(self.fill_i.begin, self.fill_i.word, self.word + 1),
        );
        self.before.load(
            self.fill_i.begin | self.valid,
            mux(self.fill_i.begin | self.is_last, 0.into(), self.before + 1),
        );
        self.list.load(
            self.fill_i.begin | self.is_last,
            mux(self.fill_i.begin, self.fill_i.first_list, self.list + 1),
        );
        self.ended = self.is_last;
        self.list_number = self.list;
        self.list_first = self.first;
        self.list_more = self.before;
        if self.is_zero & !self.before.any() {
            self.list_more = 0xffff.into();
        }

        comment!("Where they lie");
        self.places.wen_i = self.ended;
        self.places.waddr_i = self.list_number;
        self.places.wdata_i[0] = self.list_first;
        self.places.wdata_i[1] = self.list_more;
        self.places.ren_i = self.list_en_i;
        self.places.raddr_i = self.list_i;
        self.first_o = self.places.rdata_o[0];
        self.more_o = self.places.rdata_o[1];
    }
}
