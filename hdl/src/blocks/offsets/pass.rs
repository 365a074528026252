//! What goes with the slots beside the addresses.

use super::OffsetShape;
use super::shape::PREFETCH;
use heddle_kernel::prelude::*;

/// Addresses of the weight words, and which pass the steps belong to. All are counted.
///
/// # Timing
/// A slot accepted in cycle t shows in t + 1, with row 0. All outputs are registers.
#[module(name = "offsets_pass", describe)]
pub struct OffsetPass {
    /// The outputs may change.
    pub advance_i: Signal<In, Bit>,
    /// The slot at the head is accepted.
    pub accept_i: Signal<In, Bit>,
    /// What it is, see the sequencer.
    pub tag_i: Signal<In, Bits<7>>,
    /// Weight stationary.
    pub ws_i: Signal<In, Bit>,
    /// Address of the first weight word.
    pub b_origin_i: Signal<In, Bits<16>>,
    /// A weight word is wanted.
    pub b_valid_o: Signal<Out, Bit>,
    b_valid: RegEn<Bit>,
    /// Its address.
    pub b_addr_o: Signal<Out, Bits<16>>,
    b_addr: RegData<Bits<16>>,
    /// The row it is for; weight stationary.
    pub b_row_o: Signal<Out, Bits<9>>,
    b_row: RegData<Bits<9>>,
    /// First entry of the held list in the rows.
    pub pass_held_o: Signal<Out, Bits<16>>,
    /// First output channel.
    pub pass_cols_o: Signal<Out, Bits<16>>,
    /// Weight stationary: first K tile; otherwise 1.
    pub pass_sum_first_o: Signal<Out, Bit>,
    /// Weight stationary: last K tile; otherwise 1.
    pub pass_sum_last_o: Signal<Out, Bit>,
    held: RegData<Bits<16>>,
    channel: RegData<Bits<16>>,
    sum_first: RegData<Bit>,
    sum_last: RegData<Bit>,
    load: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    held_first: Signal<Local, Bit>,
    cols_first: Signal<Local, Bit>,
    pass_begins: Signal<Local, Bit>,
    word: Signal<Local, Bit>,
    b_begins: Signal<Local, Bit>,
    /// What the unit is built from.
    #[argument]
    _shape: &OffsetShape,
    #[new(*shape)]
    _of: OffsetShape,
}

impl OffsetPass {
    fn describe(&self, meta: Meta) -> Meta {
        meta.param("rows", "r", self._of.rows, "rows")
            .param("cols", "q", self._of.cols, "columns")
            .option("prefetch", "p", self._of.prefetch.into(), PREFETCH)
    }
}

#[kernel]
impl OffsetPass {
    fn update(&mut self) {
        self.load = self.tag_i.get_bit(0);
        self.first = self.tag_i.get_bit(1);
        self.held_first = self.tag_i.get_bit(4);
        self.cols_first = self.tag_i.get_bit(5);

        comment!("Weight words: one for each load slot, or one for each step");
        if self._of.prefetch {
            // A switch slot is for no row.
            self.word =
                self.accept_i & (self.load == self.ws_i) & !(self.load & self.tag_i.get_bit(2));
        } else {
            self.word = self.accept_i & (self.load == self.ws_i);
        }
        self.b_begins = self.first & self.cols_first & (!self.ws_i | self.held_first);
        self.b_valid.load(self.advance_i, self.word);
        self.b_addr.load(self.word, self.b_addr + 1);
        if self.b_begins {
            self.b_addr = self.b_origin_i;
        }
        self.b_row.en_i = self.accept_i & self.load;
        self.b_row = mux(self.first, 0.into(), self.b_row + 1);

        comment!("The pass of the steps: the outer loop goes on when the inner one begins");
        self.pass_begins = self.accept_i & !self.load & self.first;
        self.held.en_i = self.pass_begins & (self.ws_i | self.cols_first);
        self.held = self.held + self._of.rows.to_bits::<16>();
        if self.held_first {
            self.held = 0.into();
        }
        self.channel.en_i = self.pass_begins & (!self.ws_i | self.held_first);
        self.channel = self.channel + self._of.cols.to_bits::<16>();
        if self.cols_first {
            self.channel = 0.into();
        }
        self.sum_first.en_i = self.pass_begins;
        self.sum_first = !self.ws_i | self.held_first;
        self.sum_last.en_i = self.pass_begins;
        self.sum_last = !self.ws_i | self.tag_i.get_bit(6);

        self.b_valid_o.follow(&self.b_valid);
        self.b_addr_o.follow(&self.b_addr);
        self.b_row_o.follow(&self.b_row);
        self.pass_held_o = self.held;
        self.pass_cols_o = self.channel;
        self.pass_sum_first_o = self.sum_first;
        self.pass_sum_last_o = self.sum_last;
    }
}
