//! What goes with the slots beside the addresses.

use super::OffsetShape;
use crate::prelude::*;

/// Addresses of the weight words, and which pass the steps belong to. All are counted.
///
/// # Timing
/// A slot accepted in cycle t shows in t + 1, with row 0. All outputs are registers.
#[derive(LogicBlock)]
pub struct OffsetPass {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

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
    /// Its address.
    pub b_addr_o: Signal<Out, Bits<16>>,
    /// The row it is for; weight stationary.
    pub b_row_o: Signal<Out, Bits<9>>,
    /// First entry of the held list in the rows.
    pub pass_held_o: Signal<Out, Bits<16>>,
    /// First output channel.
    pub pass_cols_o: Signal<Out, Bits<16>>,
    /// Weight stationary: first K tile; otherwise 1.
    pub pass_sum_first_o: Signal<Out, Bit>,
    /// Weight stationary: last K tile; otherwise 1.
    pub pass_sum_last_o: Signal<Out, Bit>,

    b_valid: RegEn<Bit>,
    b_addr: RegData<Bits<16>>,
    b_row: RegData<Bits<9>>,
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
    _rows: usize,
    _cols: usize,
    _prefetch: usize,
}

impl OffsetPass {
    /// The counters of a unit of this shape.
    pub fn new(shape: &OffsetShape) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            advance_i: Default::default(),
            accept_i: Default::default(),
            tag_i: Default::default(),
            ws_i: Default::default(),
            b_origin_i: Default::default(),
            b_valid_o: Default::default(),
            b_addr_o: Default::default(),
            b_row_o: Default::default(),
            pass_held_o: Default::default(),
            pass_cols_o: Default::default(),
            pass_sum_first_o: Default::default(),
            pass_sum_last_o: Default::default(),
            b_valid: Default::default(),
            b_addr: Default::default(),
            b_row: Default::default(),
            held: Default::default(),
            channel: Default::default(),
            sum_first: Default::default(),
            sum_last: Default::default(),
            load: Default::default(),
            first: Default::default(),
            held_first: Default::default(),
            cols_first: Default::default(),
            pass_begins: Default::default(),
            word: Default::default(),
            b_begins: Default::default(),
            _rows: shape.rows,
            _cols: shape.cols,
            _prefetch: shape.prefetch.into(),
        }
    }
}

impl Logic for OffsetPass {
    #[hdl_gen]
    fn update(&mut self) {
        self.load.next = self.tag_i.val().get_bit(0);
        self.first.next = self.tag_i.val().get_bit(1);
        self.held_first.next = self.tag_i.val().get_bit(4);
        self.cols_first.next = self.tag_i.val().get_bit(5);

        comment!("Weight words: one for each load slot, or one for each step");
        if self._prefetch > 0 {
            // A switch slot is for no row.
            self.word.next = self.accept_i.val()
                & (self.load.val() == self.ws_i.val())
                & !(self.load.val() & self.tag_i.val().get_bit(2));
        } else {
            self.word.next = self.accept_i.val() & (self.load.val() == self.ws_i.val());
        }
        self.b_begins.next =
            self.first.val() & self.cols_first.val() & (!self.ws_i.val() | self.held_first.val());
        self.b_valid.clk.next = self.clk.val();
        self.b_valid.rst_n.next = self.rst_n.val();
        self.b_valid.en_i.next = self.advance_i.val();
        self.b_valid.d_i.next = self.word.val();
        self.b_addr.clk.next = self.clk.val();
        self.b_addr.en_i.next = self.word.val();
        self.b_addr.d_i.next = self.b_addr.q_o.val() + 1;
        if self.b_begins.val() {
            self.b_addr.d_i.next = self.b_origin_i.val();
        }
        self.b_row.clk.next = self.clk.val();
        self.b_row.en_i.next = self.accept_i.val() & self.load.val();
        self.b_row.d_i.next = self.b_row.q_o.val() + 1;
        if self.first.val() {
            self.b_row.d_i.next = 0.into();
        }

        comment!("The pass of the steps: the outer loop goes on when the inner one begins");
        self.pass_begins.next = self.accept_i.val() & !self.load.val() & self.first.val();
        self.held.clk.next = self.clk.val();
        self.held.en_i.next = self.pass_begins.val() & (self.ws_i.val() | self.cols_first.val());
        self.held.d_i.next = self.held.q_o.val() + self._rows.to_bits::<16>();
        if self.held_first.val() {
            self.held.d_i.next = 0.into();
        }
        self.channel.clk.next = self.clk.val();
        self.channel.en_i.next =
            self.pass_begins.val() & (!self.ws_i.val() | self.held_first.val());
        self.channel.d_i.next = self.channel.q_o.val() + self._cols.to_bits::<16>();
        if self.cols_first.val() {
            self.channel.d_i.next = 0.into();
        }
        self.sum_first.clk.next = self.clk.val();
        self.sum_first.en_i.next = self.pass_begins.val();
        self.sum_first.d_i.next = !self.ws_i.val() | self.held_first.val();
        self.sum_last.clk.next = self.clk.val();
        self.sum_last.en_i.next = self.pass_begins.val();
        self.sum_last.d_i.next = !self.ws_i.val() | self.tag_i.val().get_bit(6);

        self.b_valid_o.next = self.b_valid.q_o.val();
        self.b_addr_o.next = self.b_addr.q_o.val();
        self.b_row_o.next = self.b_row.q_o.val();
        self.pass_held_o.next = self.held.q_o.val();
        self.pass_cols_o.next = self.channel.q_o.val();
        self.pass_sum_first_o.next = self.sum_first.q_o.val();
        self.pass_sum_last_o.next = self.sum_last.q_o.val();
    }
    module!(|this| Meta::module("offsets_pass")
        .param("rows", "r", this._rows, "rows")
        .param("cols", "q", this._cols, "columns")
        .option("prefetch", "p", this._prefetch, "1: there are switch slots"));
}
