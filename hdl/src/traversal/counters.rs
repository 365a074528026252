//! Offsets of one row.

use super::RowAdders;
use heddle_kernel::prelude::*;

/// Current offset (Z) of every loop of one row, and its distance to the end.
///
/// The distance is offset + step - end. It is counted beside the offset, so that the end test is a
/// sign that stands in a register and not a comparison behind an adder: a loop is in its last
/// iteration when its distance is not negative (or, with `equal_i`, when its low bits are 0).
/// A step advances the innermost loop; a loop in its last iteration goes back to its initial
/// offset and advances the next outer loop, all in the same cycle.
///
/// # Timing
/// Outputs are registers, or a few gates behind them; a load or step shows in the next cycle.
#[module(name = "traversal_counters", no_reset)]
pub struct RowCounters<const W: usize, const D: usize> {
    /// All loops start anew; wins over a step.
    pub load_i: Signal<In, Bit>,
    /// The row takes a step.
    pub advance_i: Signal<In, Bit>,
    /// The end test is equality.
    pub equal_i: Signal<In, Bit>,
    /// Offset (V) after a wrap.
    pub initial_i: [Signal<In, Bits<W>>; loops],
    /// Distance after a wrap.
    pub distance_i: [Signal<In, Bits<D>>; loops],
    /// Offset after a load.
    pub load_initial_i: [Signal<In, Bits<W>>; loops],
    /// Distance after a load.
    pub load_distance_i: [Signal<In, Bits<D>>; loops],
    /// Step (X) of the offset.
    pub step_i: [Signal<In, Bits<W>>; loops],
    /// What an iteration adds to the distance.
    pub count_i: [Signal<In, Bits<W>>; loops],
    /// Offset (Z) of every loop.
    pub offset_o: [Signal<Out, Bits<W>>; loops],
    /// The loop is in its last iteration.
    pub final_o: [Signal<Out, Bit>; loops],
    /// A step makes the loop wrap: it and all loops inside it are in their last iteration.
    pub wrap_o: [Signal<Out, Bit>; loops],
    #[new(RowAdders::new(loops))]
    adders: RowAdders<W, D>,
    /// Z, current offsets.
    offset: [RegData<Bits<W>>; loops],
    /// Offset + step - end, one bit more than an offset.
    distance: [RegData<Bits<D>>; loops],
    last: [Signal<Local, Bit>; loops],
    carry: Signal<Local, Bit>,
    enable: [Signal<Local, Bit>; loops],
    /// Loops.
    _loops: Param<'n'>,
    /// Bits of an offset.
    _offset_bits: Generic<'w', W>,
    /// 1: a load takes values of its own.
    _double: Optional<'x'>,
    /// 1: the end test may be equality.
    _equality: Optional<'q'>,
}

// In a kernel an option and a signal are no single condition.
#[allow(clippy::collapsible_if)]
#[kernel]
impl<const W: usize, const D: usize> RowCounters<W, D> {
    fn update(&mut self) {
        for c in 0..self._loops {
            self.last[c] = !self.distance[c].get_bit(W);
            if self._equality > 0 {
                if self.equal_i {
                    self.last[c] = self.distance[c].get_bits::<W>(0) == 0;
                }
            }
        }

        self.carry = true;
        for c in 0..self._loops {
            self.enable[c] = self.load_i | (self.advance_i & self.carry);
            self.carry = self.carry & self.last[c];
            self.final_o[c] = self.last[c];
            self.wrap_o[c] = self.carry;
        }

        for c in 0..self._loops {
            self.adders.offset_i[c] = self.offset[c];
            self.adders.step_i[c] = self.step_i[c];
            self.adders.distance_i[c] = self.distance[c];
            self.adders.count_i[c] = self.count_i[c];

            self.offset[c].en_i = self.enable[c];
            self.distance[c].en_i = self.enable[c];
            self.offset[c] = self.adders.offset_o[c];
            self.distance[c] = self.adders.distance_o[c];
            if self._double > 0 {
                if self.load_i {
                    self.offset[c] = self.load_initial_i[c];
                    self.distance[c] = self.load_distance_i[c];
                } else if self.last[c] {
                    self.offset[c] = self.initial_i[c];
                    self.distance[c] = self.distance_i[c];
                }
            } else {
                if self.load_i | self.last[c] {
                    self.offset[c] = self.initial_i[c];
                    self.distance[c] = self.distance_i[c];
                }
            }
            self.offset_o[c] = self.offset[c];
        }
    }
}
