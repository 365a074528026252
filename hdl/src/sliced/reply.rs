//! Words on their way out.

use super::SlicedShape;
use crate::prelude::*;

/// Gives the units of a word read and the bits of its mask their places, and says when they
/// are valid.
///
/// # Timing
/// `valid_i` comes one cycle before the word. The word leaves at once, or one cycle later with
/// the register at the output.
#[derive(LogicBlock)]
pub struct Reply<const UB: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// The word follows in the next cycle.
    pub valid_i: Signal<In, Bit>,
    /// Units by position.
    pub word_i: Vec<Signal<In, Bits<UB>>>,
    /// Mask by position.
    pub mask_i: Vec<Signal<In, Bits<1>>>,
    /// The word is valid.
    pub rvalid_o: Signal<Out, Bit>,
    /// Word, unit 0 in the low bits.
    pub rdata_o: Vec<Signal<Out, Bits<UB>>>,
    /// Mask, unit 0 in the low bit.
    pub rmask_o: Vec<Signal<Out, Bits<1>>>,
    valid: Vec<Reg<Bit>>,
    word: Vec<RegData<Bits<UB>>>,
    mask: Vec<RegData<Bits<1>>>,
    unit: Vec<Signal<Local, Bits<UB>>>,
    non_zero: Vec<Signal<Local, Bits<1>>>,
    _units: usize,
    _right: usize,
    _stages: usize,
}

impl<const UB: usize> Reply<UB> {
    /// The way out of a memory of this shape.
    pub fn new(shape: &SlicedShape) -> Self {
        let (units, stages) = (shape.units, shape.output_stages());
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            valid_i: Default::default(),
            word_i: v(units),
            mask_i: v(units),
            rvalid_o: Default::default(),
            rdata_o: v(units),
            rmask_o: v(units),
            valid: v(1 + stages),
            word: v(stages * units),
            mask: v(stages * units),
            unit: v(units),
            non_zero: v(units),
            _units: units,
            _right: shape.right.into(),
            _stages: stages,
        }
    }
}

impl<const UB: usize> Logic for Reply<UB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.valid[0].clk.next = self.clk.val();
        self.valid[0].rst_n.next = self.rst_n.val();
        self.valid[0].d_i.next = self.valid_i.val();
        if self._stages > 0 {
            self.valid[1].clk.next = self.clk.val();
            self.valid[1].rst_n.next = self.rst_n.val();
            self.valid[1].d_i.next = self.valid[0].q_o.val();
        }
        for p in 0..self._units {
            if self._stages > 0 {
                self.word[p].clk.next = self.clk.val();
                self.word[p].en_i.next = self.valid[0].q_o.val();
                self.word[p].d_i.next = self.word_i[p].val();
                self.mask[p].clk.next = self.clk.val();
                self.mask[p].en_i.next = self.valid[0].q_o.val();
                self.mask[p].d_i.next = self.mask_i[p].val();
                self.unit[p].next = self.word[p].q_o.val();
                self.non_zero[p].next = self.mask[p].q_o.val();
            } else {
                self.unit[p].next = self.word_i[p].val();
                self.non_zero[p].next = self.mask_i[p].val();
            }
        }
        for k in 0..self._units {
            if self._right > 0 {
                self.rdata_o[k].next = self.unit[k].val();
                self.rmask_o[k].next = self.non_zero[k].val();
            } else {
                self.rdata_o[k].next = self.unit[self._units - 1 - k].val();
                self.rmask_o[k].next = self.non_zero[self._units - 1 - k].val();
            }
        }
        self.rvalid_o.next = self.valid[self._stages].q_o.val();
    }
    module!(|this| {
        let usual = |value, usual, flag| if value == usual { "" } else { flag };
        Meta::module("sliced_reply")
            .param("units", "w", this._units, "units in a word")
            .param("unit_bits", usual(UB, 8, "u"), UB, "bits of a unit")
            .option(
                "right",
                "r",
                this._right,
                "1: position 0 is unit 0, not the last one",
            )
            .option("stages", "s", this._stages, "registers at the output")
    });
}
