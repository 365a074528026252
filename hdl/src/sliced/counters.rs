//! Counters of the accesses of a sliced memory.

use super::{Population, Select, SlicedShape, ports::*};
use heddle_kernel::prelude::*;

/// Counts what a sliced memory does, in 32 bits each: 0 reads and 1 writes of the mask slice; for
/// each data slice k: 2 + 2k its reads, 3 + 2k its writes; then words written that are stored as
/// zero, that fit in slice 0, that are larger; last, units written to the data slices. Counters
/// wrap.
///
/// # Timing
/// An event is counted two cycles later. `clear_i` makes all counts 0 in the next cycle, the
/// events of its cycle are counted. `count_o` is the counter that `index_i` named one cycle ago.
#[module]
pub struct SlicedCounters {
    /// Sets all counters to 0.
    pub clear_i: Signal<In, Bit>,
    /// Write enable of the memory.
    pub wen_i: Signal<In, Bit>,
    /// Word to write, in half bytes, the lowest first.
    pub wdata_i: [Signal<In, Bits<4>>; units * halves],
    /// Accesses of the mask slice.
    pub mask_i: MaskAccess<In>,
    /// Accesses of the data slices.
    #[new(SliceAccess::new(slices, units))]
    pub ports_i: SliceAccess<In>,
    /// Number of the counter to read.
    pub index_i: Signal<In, Bits<5>>,
    /// Its value.
    pub count: OutReg<Bits<32>>,
    #[new(Select::new(units, vec![zero, fits]))]
    select: Select,
    #[new(Population::new(units))]
    lanes: Population,
    seen: [Reg<Bit>; events],
    lanes_seen: Reg<Bits<7>>,
    total: [Reg<Bits<32>>; events + 1],
    happens: [Signal<Local, Bit>; events],
    increment: [Signal<Local, Bits<32>>; events + 1],
    unit: [Signal<Local, Bits<1>>; units],
    /// What the memory is built from.
    #[argument]
    _shape: &SlicedShape,
    /// Units in a word.
    #[new(shape.units)]
    _units: Param<'w'>,
    /// Half bytes in a unit.
    #[new(shape.unit_bits / 4)]
    _halves: Param<'h'>,
    /// Data slices.
    #[new(shape.slices())]
    _slices: Param<'k'>,
    #[new(2 + 2 * shape.slices() + 3)]
    _events: usize,
    /// Most units of a word stored as zero.
    #[new(shape.write_threshold)]
    _zero: Param<'z'>,
    /// Most units of a word that fits.
    #[new(shape.write_threshold.max(shape.access_threshold))]
    _fits: Param<'f'>,
}

#[kernel]
impl SlicedCounters {
    fn update(&mut self) {
        comment!("Events of this cycle");
        for k in 0..self._units {
            self.unit[k] = 0.into();
            for b in 0..self._halves {
                if self.wdata_i[k * self._halves + b].any() {
                    self.unit[k] = 1.into();
                }
            }
            self.select.mask_i[k] = self.unit[k];
            self.lanes.mask_i[k] = self.ports_i.lane_wen[k];
        }
        self.happens[0] = self.mask_i.ren;
        self.happens[1] = self.mask_i.wen;
        for k in 0..self._slices {
            self.happens[2 + 2 * k] = self.ports_i.slice_ren[k];
            self.happens[3 + 2 * k] = self.ports_i.slice_wen[k];
        }
        self.happens[2 + 2 * self._slices] = self.wen_i & !self.select.slice_o[0];
        self.happens[3 + 2 * self._slices] =
            self.wen_i & self.select.slice_o[0] & !self.select.slice_o[1];
        self.happens[4 + 2 * self._slices] = self.wen_i & self.select.slice_o[1];
        for k in 0..self._events {
            self.seen[k] = self.happens[k];
            self.increment[k] = mux(self.seen[k], 1.into(), 0.into());
        }
        self.lanes_seen = self.lanes.pop_o;
        self.increment[self._events] = self.lanes_seen.get_bits::<32>(0);

        comment!("Totals");
        self.count = 0.into();
        for k in 0..(self._events + 1) {
            self.total[k] = mux(self.clear_i, 0.into(), self.total[k] + self.increment[k]);
            if self.index_i == k.to_bits::<5>() {
                self.count = self.total[k];
            }
        }
    }
}
