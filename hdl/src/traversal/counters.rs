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
#[module(name = "traversal_counters", no_reset, build, describe)]
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
    _double: usize,
    _equality: usize,
    /// Bits of an offset.
    _offset_bits: Generic<'w', W>,
}

impl<const W: usize, const D: usize> RowCounters<W, D> {
    /// Counters of `loops` loops. With `double`, a load takes other values than a wrap; without,
    /// `load_initial_i` and `load_distance_i` are not read. Without `equality`, `equal_i` is not.
    pub fn new(loops: usize, double: bool, equality: bool) -> Self {
        Self::build(loops, double.into(), equality.into())
    }
}

// In a kernel an option and a signal are no single condition.
#[allow(clippy::collapsible_if)]
impl<const W: usize, const D: usize> RowCounters<W, D> {
    fn describe(&self, meta: Meta) -> Meta {
        meta.hidden("D", D, "bits of a distance, W + 1")
            .option(
                "double",
                "x",
                self._double,
                "1: a load takes values of its own",
            )
            .option(
                "equality",
                "q",
                self._equality,
                "1: the end test may be equality",
            )
    }
}

#[kernel]
impl<const W: usize, const D: usize> RowCounters<W, D> {
    fn update(&mut self) {
        for c in 0..self._loops {
            self.last[c].next = !self.distance[c].q_o.val().get_bit(W);
            if self._equality > 0 {
                if self.equal_i.val() {
                    self.last[c].next = self.distance[c].q_o.val().get_bits::<W>(0) == 0;
                }
            }
        }

        self.carry.next = true;
        for c in 0..self._loops {
            self.enable[c].next = self.load_i.val() | (self.advance_i.val() & self.carry.val());
            self.carry.next = self.carry.val() & self.last[c].val();
            self.final_o[c].next = self.last[c].val();
            self.wrap_o[c].next = self.carry.val();
        }

        for c in 0..self._loops {
            self.adders.offset_i[c].next = self.offset[c].q_o.val();
            self.adders.step_i[c].next = self.step_i[c].val();
            self.adders.distance_i[c].next = self.distance[c].q_o.val();
            self.adders.count_i[c].next = self.count_i[c].val();

            self.offset[c].en_i.next = self.enable[c].val();
            self.distance[c].en_i.next = self.enable[c].val();
            self.offset[c].d_i.next = self.adders.offset_o[c].val();
            self.distance[c].d_i.next = self.adders.distance_o[c].val();
            if self._double > 0 {
                if self.load_i.val() {
                    self.offset[c].d_i.next = self.load_initial_i[c].val();
                    self.distance[c].d_i.next = self.load_distance_i[c].val();
                } else if self.last[c].val() {
                    self.offset[c].d_i.next = self.initial_i[c].val();
                    self.distance[c].d_i.next = self.distance_i[c].val();
                }
            } else {
                if self.load_i.val() | self.last[c].val() {
                    self.offset[c].d_i.next = self.initial_i[c].val();
                    self.distance[c].d_i.next = self.distance_i[c].val();
                }
            }
            self.offset_o[c].next = self.offset[c].q_o.val();
        }
    }
}
