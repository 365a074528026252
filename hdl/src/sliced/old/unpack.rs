//! Read side: from the data slices to the word.

use super::route::Route;
use crate::prelude::*;

/// Moves packed bytes back to their places and puts zeros between them. Every zero comes from
/// the mask, so that what a slice holds beyond the packed bytes never reaches the word.
///
/// # Timing
/// The mask is taken with `en_i`; the slice data of that word follow one cycle later, and
/// `word_o` belongs to them in the same cycle.
#[derive(LogicBlock)]
pub struct Unpack {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Takes the mask.
    pub en_i: Signal<In, Bit>,
    /// Non-zero bytes of the word, one bit per byte.
    pub mask_i: Vec<Signal<In, Bits<1>>>,
    /// Data of slice a: the most significant packed bytes.
    pub a_data_i: Vec<Signal<In, Bits<8>>>,
    /// Data of slice b: the other packed bytes.
    pub b_data_i: Vec<Signal<In, Bits<8>>>,
    /// Word, byte 0 in the low bits.
    pub word_o: Vec<Signal<Out, Bits<8>>>,

    route: Route,
    mask: Vec<RegData<Bits<1>>>,
    one: Vec<RegData<Bit>>,
    two: Vec<RegData<Bit>>,
    four: Vec<RegData<Bit>>,
    dense: Vec<Signal<Local, Bits<8>>>,
    /// The word after the moves by 4.
    moved4: Vec<Signal<Local, Bits<8>>>,
    /// The word after the moves by 2.
    moved2: Vec<Signal<Local, Bits<8>>>,
    /// The word after the moves by 1.
    moved1: Vec<Signal<Local, Bits<8>>>,
    _first: usize,
}

impl Unpack {
    /// The unpacker for a slice a of `first` bytes.
    pub fn new(first: usize) -> Self {
        Self {
            clk: Default::default(),
            en_i: Default::default(),
            mask_i: v(8),
            a_data_i: v(first),
            b_data_i: v(8 - first),
            word_o: v(8),
            route: Default::default(),
            mask: v(8),
            one: v(7),
            two: v(6),
            four: v(4),
            dense: v(8),
            moved4: v(8),
            moved2: v(8),
            moved1: v(8),
            _first: first,
        }
    }
}

impl Logic for Unpack {
    #[hdl_gen]
    fn update(&mut self) {
        for k in 0..8 {
            self.route.mask_i[k].next = self.mask_i[k].val();
            self.mask[k].clk.next = self.clk.val();
            self.mask[k].en_i.next = self.en_i.val();
            self.mask[k].d_i.next = self.mask_i[k].val();
        }
        for k in 0..7 {
            self.one[k].clk.next = self.clk.val();
            self.one[k].en_i.next = self.en_i.val();
            self.one[k].d_i.next = self.route.one_o[k].val();
        }
        for k in 0..6 {
            self.two[k].clk.next = self.clk.val();
            self.two[k].en_i.next = self.en_i.val();
            self.two[k].d_i.next = self.route.two_o[k].val();
        }
        for k in 0..4 {
            self.four[k].clk.next = self.clk.val();
            self.four[k].en_i.next = self.en_i.val();
            self.four[k].d_i.next = self.route.four_o[k].val();
        }

        for i in 0..self._first {
            self.dense[8 - self._first + i].next = self.a_data_i[i].val();
        }
        for i in 0..(8 - self._first) {
            self.dense[i].next = self.b_data_i[i].val();
        }

        comment!("The moves of packing, backwards");
        for k in 0..8 {
            self.moved4[k].next = self.dense[k].val();
        }
        for k in 0..4 {
            if self.four[k].q_o.val() {
                self.moved4[k].next = self.dense[k + 4].val();
            }
        }
        for k in 0..8 {
            self.moved2[k].next = self.moved4[k].val();
        }
        for k in 0..6 {
            if self.two[k].q_o.val() {
                self.moved2[k].next = self.moved4[k + 2].val();
            }
        }
        for k in 0..8 {
            self.moved1[k].next = self.moved2[k].val();
        }
        for k in 0..7 {
            if self.one[k].q_o.val() {
                self.moved1[k].next = self.moved2[k + 1].val();
            }
        }

        comment!("Zeros come from the mask");
        for k in 0..8 {
            self.word_o[k].next = 0.into();
            if self.mask[k].q_o.val().get_bit(0) {
                self.word_o[k].next = self.moved1[k].val();
            }
        }
    }
    module!(|this| Meta::module("sliced_unpack").param(
        "first",
        "f",
        this._first,
        "bytes in slice a"
    ));
}
