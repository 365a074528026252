//! Adders of one row.

use crate::prelude::*;

/// Math unit of one row of a traversal unit: adders and nothing else. For every loop it forms the
/// next offset, offset plus step, and the next distance to the end, distance plus count.
///
/// # Timing
/// Combinational. Sums wrap at the width of their output.
#[derive(LogicBlock)]
pub struct RowAdders<const W: usize, const D: usize> {
    /// Offset of every loop.
    pub offset_i: Vec<Signal<In, Bits<W>>>,
    /// Step of every loop.
    pub step_i: Vec<Signal<In, Bits<W>>>,
    /// Distance of every loop.
    pub distance_i: Vec<Signal<In, Bits<D>>>,
    /// What an iteration adds to the distance of every loop.
    pub count_i: Vec<Signal<In, Bits<W>>>,
    /// Offset plus step of every loop.
    pub offset_o: Vec<Signal<Out, Bits<W>>>,
    /// Distance plus count of every loop.
    pub distance_o: Vec<Signal<Out, Bits<D>>>,
    _loops: usize,
}

impl<const W: usize, const D: usize> RowAdders<W, D> {
    /// The adders for `loops` loops.
    pub fn new(loops: usize) -> Self {
        Self {
            offset_i: v(loops),
            step_i: v(loops),
            distance_i: v(loops),
            count_i: v(loops),
            offset_o: v(loops),
            distance_o: v(loops),
            _loops: loops,
        }
    }
}

impl<const W: usize, const D: usize> Logic for RowAdders<W, D> {
    #[hdl_gen]
    fn update(&mut self) {
        for c in 0..self._loops {
            self.offset_o[c].next = self.offset_i[c].val() + self.step_i[c].val();
            self.distance_o[c].next =
                self.distance_i[c].val() + self.count_i[c].val().get_bits::<D>(0);
        }
    }
    module!(|this| Meta::module("traversal_adders")
        .param("loops", "n", this._loops, "loops")
        .param("W", "w", W, "bits of an offset")
        .hidden("D", D, "bits of a distance, W + 1"));
}
