//! Inputs of a packing network that stand still.

use crate::prelude::*;

/// Hands on a word and its mask while they are to be packed, and the last ones of these otherwise: what
/// lies behind moves only for words with units to store (operand isolation).
///
/// # Timing
/// Combinational.
#[derive(LogicBlock)]
pub struct Hold<const UB: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// The word is to be packed.
    pub take_i: Signal<In, Bit>,
    /// Word, by position.
    pub word_i: Vec<Signal<In, Bits<UB>>>,
    /// Its mask.
    pub mask_i: Vec<Signal<In, Bits<1>>>,
    /// The word that was to be packed last.
    pub word_o: Vec<Signal<Out, Bits<UB>>>,
    /// Its mask.
    pub mask_o: Vec<Signal<Out, Bits<1>>>,
    word: Vec<RegData<Bits<UB>>>,
    mask: Vec<RegData<Bits<1>>>,
    _units: usize,
}

impl<const UB: usize> Hold<UB> {
    /// For words of `units` units.
    pub fn new(units: usize) -> Self {
        Self {
            clk: Default::default(),
            take_i: Default::default(),
            word_i: v(units),
            mask_i: v(units),
            word_o: v(units),
            mask_o: v(units),
            word: v(units),
            mask: v(units),
            _units: units,
        }
    }
}

impl<const UB: usize> Logic for Hold<UB> {
    #[hdl_gen]
    fn update(&mut self) {
        for p in 0..self._units {
            self.word[p].clk.next = self.clk.val();
            self.word[p].en_i.next = self.take_i.val();
            self.word[p].d_i.next = self.word_i[p].val();
            self.mask[p].clk.next = self.clk.val();
            self.mask[p].en_i.next = self.take_i.val();
            self.mask[p].d_i.next = self.mask_i[p].val();
            self.word_o[p].next = self.word[p].q_o.val();
            self.mask_o[p].next = self.mask[p].q_o.val();
            if self.take_i.val() {
                self.word_o[p].next = self.word_i[p].val();
                self.mask_o[p].next = self.mask_i[p].val();
            }
        }
    }
    module!(|this| Meta::module("sliced_hold")
        .param("units", "w", this._units, "units in a word")
        .param("unit_bits", "b", UB, "bits of a unit"));
}
