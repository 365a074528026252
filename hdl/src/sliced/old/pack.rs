//! Write side: from the word to the data slices.

use super::route::Route;
use crate::prelude::*;

/// Packs the non-zero bytes of a word, in their order, towards its most significant byte and
/// fills the rest with zeros. The result is kept in one register per data slice; a slice that
/// is not written keeps its old data at its port.
///
/// # Timing
/// `a_data_o` and `b_data_o` one cycle after the word.
#[derive(LogicBlock)]
pub struct Pack {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Word, byte 0 in the low bits.
    pub word_i: Vec<Signal<In, Bits<8>>>,
    /// Its non-zero bytes, one bit per byte.
    pub mask_i: Vec<Signal<In, Bits<1>>>,
    /// The word has data for slice a.
    pub a_en_i: Signal<In, Bit>,
    /// The word has data for slice b.
    pub b_en_i: Signal<In, Bit>,
    /// Data for slice a: the most significant packed bytes.
    pub a_data_o: Vec<Signal<Out, Bits<8>>>,
    /// Data for slice b: the other packed bytes.
    pub b_data_o: Vec<Signal<Out, Bits<8>>>,

    route: Route,
    a_data: Vec<RegData<Bits<8>>>,
    b_data: Vec<RegData<Bits<8>>>,
    /// Bytes that do not move by 1.
    kept1: Vec<Signal<Local, Bits<8>>>,
    /// The word after the moves by 1.
    moved1: Vec<Signal<Local, Bits<8>>>,
    /// Bytes that do not move by 2.
    kept2: Vec<Signal<Local, Bits<8>>>,
    /// The word after the moves by 2.
    moved2: Vec<Signal<Local, Bits<8>>>,
    /// Bytes that do not move by 4.
    kept4: Vec<Signal<Local, Bits<8>>>,
    /// The word after the moves by 4: packed.
    moved4: Vec<Signal<Local, Bits<8>>>,
    _first: usize,
}

impl Pack {
    /// The packer for a slice a of `first` bytes.
    pub fn new(first: usize) -> Self {
        Self {
            clk: Default::default(),
            word_i: v(8),
            mask_i: v(8),
            a_en_i: Default::default(),
            b_en_i: Default::default(),
            a_data_o: v(first),
            b_data_o: v(8 - first),
            route: Default::default(),
            a_data: v(first),
            b_data: v(8 - first),
            kept1: v(8),
            moved1: v(8),
            kept2: v(8),
            moved2: v(8),
            kept4: v(8),
            moved4: v(8),
            _first: first,
        }
    }
}

impl Logic for Pack {
    #[hdl_gen]
    fn update(&mut self) {
        for k in 0..8 {
            self.route.mask_i[k].next = self.mask_i[k].val();
        }

        comment!("A byte that moves leaves a zero behind, unless another takes its place");
        for k in 0..8 {
            self.kept1[k].next = self.word_i[k].val();
        }
        for k in 0..7 {
            if self.route.one_o[k].val() {
                self.kept1[k].next = 0.into();
            }
        }
        for k in 0..8 {
            self.moved1[k].next = self.kept1[k].val();
        }
        for k in 0..7 {
            if self.route.one_o[k].val() {
                self.moved1[k + 1].next = self.word_i[k].val();
            }
        }
        for k in 0..8 {
            self.kept2[k].next = self.moved1[k].val();
        }
        for k in 0..6 {
            if self.route.two_o[k].val() {
                self.kept2[k].next = 0.into();
            }
        }
        for k in 0..8 {
            self.moved2[k].next = self.kept2[k].val();
        }
        for k in 0..6 {
            if self.route.two_o[k].val() {
                self.moved2[k + 2].next = self.moved1[k].val();
            }
        }
        for k in 0..8 {
            self.kept4[k].next = self.moved2[k].val();
        }
        for k in 0..4 {
            if self.route.four_o[k].val() {
                self.kept4[k].next = 0.into();
            }
        }
        for k in 0..8 {
            self.moved4[k].next = self.kept4[k].val();
        }
        for k in 0..4 {
            if self.route.four_o[k].val() {
                self.moved4[k + 4].next = self.moved2[k].val();
            }
        }

        for i in 0..self._first {
            self.a_data[i].clk.next = self.clk.val();
            self.a_data[i].en_i.next = self.a_en_i.val();
            self.a_data[i].d_i.next = self.moved4[8 - self._first + i].val();
            self.a_data_o[i].next = self.a_data[i].q_o.val();
        }
        for i in 0..(8 - self._first) {
            self.b_data[i].clk.next = self.clk.val();
            self.b_data[i].en_i.next = self.b_en_i.val();
            self.b_data[i].d_i.next = self.moved4[i].val();
            self.b_data_o[i].next = self.b_data[i].q_o.val();
        }
    }
    module!(|this| Meta::module("sliced_pack").param(
        "first",
        "f",
        this._first,
        "bytes in slice a"
    ));
}
