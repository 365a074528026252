//! From packed units to the word.

use super::{Network, Route, SlicedShape, Unpack, moves};
use crate::prelude::*;

/// Puts the units of a word back to their positions. The mask arrives first and waits for the
/// data slices; every zero comes from it, so that what a slice holds beyond the packed units
/// never reaches the word.
///
/// # Timing
/// The word belongs to the units at the input. Its mask was taken with `valid_i` `waits` + 1
/// cycles before, and `valid_o` was high in the cycle before.
#[derive(LogicBlock)]
pub struct Restore<const UB: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

    /// Takes a mask.
    pub valid_i: Signal<In, Bit>,
    /// One bit per position: the unit is not zero.
    pub mask_i: Vec<Signal<In, Bits<1>>>,
    /// Packed units, when the mask has waited.
    pub packed_i: Vec<Signal<In, Bits<UB>>>,

    /// The word follows in the next cycle.
    pub valid_o: Signal<Out, Bit>,
    /// Units of the word by position.
    pub word_o: Vec<Signal<Out, Bits<UB>>>,
    /// Its mask.
    pub mask_o: Vec<Signal<Out, Bits<1>>>,

    route: Route,
    unpack: Unpack<UB>,
    waited: Vec<Reg<Bit>>,
    waiting: Vec<RegData<Bits<1>>>,
    mask: Vec<RegData<Bits<1>>>,
    moved: Vec<RegData<Bits<1>>>,
    valid: Vec<Signal<Local, Bit>>,
    mask_now: Vec<Signal<Local, Bits<1>>>,
    _units: usize,
    _moves: usize,
    _waits: usize,
    _network: usize,
}

impl<const UB: usize> Restore<UB> {
    /// The way back in a memory of this shape.
    pub fn new(shape: &SlicedShape) -> Self {
        let (units, network): (usize, Network) = (shape.units, shape.network);
        let (moves, waits) = (moves(units, network), shape.mask_to_data() - 1);
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            valid_i: Default::default(),
            mask_i: v(units),
            packed_i: v(units),
            valid_o: Default::default(),
            word_o: v(units),
            mask_o: v(units),
            route: Route::new(units, network),
            unpack: Unpack::new(units, network),
            waited: v(waits),
            waiting: v(waits * units),
            mask: v(units),
            moved: v(moves),
            valid: v(waits + 1),
            mask_now: v((waits + 1) * units),
            _units: units,
            _moves: moves,
            _waits: waits,
            _network: network.number(),
        }
    }
}

impl<const UB: usize> Logic for Restore<UB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.valid[0].next = self.valid_i.val();
        for p in 0..self._units {
            self.mask_now[p].next = self.mask_i[p].val();
        }
        for s in 0..self._waits {
            self.waited[s].clk.next = self.clk.val();
            self.waited[s].rst_n.next = self.rst_n.val();
            self.waited[s].d_i.next = self.valid[s].val();
            self.valid[s + 1].next = self.waited[s].q_o.val();
            for p in 0..self._units {
                self.waiting[s * self._units + p].clk.next = self.clk.val();
                self.waiting[s * self._units + p].en_i.next = self.valid[s].val();
                self.waiting[s * self._units + p].d_i.next =
                    self.mask_now[s * self._units + p].val();
                self.mask_now[(s + 1) * self._units + p].next =
                    self.waiting[s * self._units + p].q_o.val();
            }
        }
        self.valid_o.next = self.valid[self._waits].val();

        for p in 0..self._units {
            self.route.mask_i[p].next = self.mask_now[self._waits * self._units + p].val();
            self.mask[p].clk.next = self.clk.val();
            self.mask[p].en_i.next = self.valid[self._waits].val();
            self.mask[p].d_i.next = self.mask_now[self._waits * self._units + p].val();
            self.unpack.mask_i[p].next = self.mask[p].q_o.val();
            self.unpack.packed_i[p].next = self.packed_i[p].val();
            self.word_o[p].next = self.unpack.word_o[p].val();
            self.mask_o[p].next = self.mask[p].q_o.val();
        }
        for k in 0..self._moves {
            self.moved[k].clk.next = self.clk.val();
            self.moved[k].en_i.next = self.valid[self._waits].val();
            self.moved[k].d_i.next = self.route.move_o[k].val();
            self.unpack.move_i[k].next = self.moved[k].q_o.val();
        }
    }
    module!(|this| {
        let usual = |value, usual, flag| if value == usual { "" } else { flag };
        Meta::module("sliced_restore")
            .param("units", "w", this._units, "units in a word")
            .param("unit_bits", usual(UB, 8, "u"), UB, "bits of a unit")
            .option("network", "n", this._network, "0: full, 1: half, 2: split")
            .option("waits", "t", this._waits, "registers in front of the mask")
            .hidden("moves", this._moves, "moves of the network")
    });
}
