//! Adders of one row.

use heddle_kernel::prelude::*;

/// Math unit of one row of a traversal unit: adders and nothing else. For every loop it forms the
/// next offset, offset plus step, and the next distance to the end, distance plus count.
///
/// # Timing
/// Combinational. Sums wrap at the width of their output.
#[module(name = "traversal_adders", combinational)]
pub struct RowAdders<const W: usize, const D: usize> {
    /// Offset of every loop.
    pub offset_i: [Signal<In, Bits<W>>; loops],
    /// Step of every loop.
    pub step_i: [Signal<In, Bits<W>>; loops],
    /// Distance of every loop.
    pub distance_i: [Signal<In, Bits<D>>; loops],
    /// What an iteration adds to the distance of every loop.
    pub count_i: [Signal<In, Bits<W>>; loops],
    /// Offset plus step of every loop.
    pub offset_o: [Signal<Out, Bits<W>>; loops],
    /// Distance plus count of every loop.
    pub distance_o: [Signal<Out, Bits<D>>; loops],
    /// Loops.
    _loops: Param<'n'>,
    /// Bits of an offset.
    _offset_bits: Generic<'w', W>,
}

#[kernel]
impl<const W: usize, const D: usize> RowAdders<W, D> {
    fn update(&mut self) {
        for c in 0..self._loops {
            self.offset_o[c] = self.offset_i[c] + self.step_i[c];
            self.distance_o[c] = self.distance_i[c] + self.count_i[c].get_bits::<D>(0);
        }
    }
}
