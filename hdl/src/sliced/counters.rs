//! Counters of the accesses of a sliced memory.

use super::{Population, Select, SlicedShape};
use crate::prelude::*;

/// Counts what a sliced memory does, in 32 bits each: 0 reads and 1 writes of the mask slice; for
/// each data slice k: 2 + 2k its reads, 3 + 2k its writes; then words written that are stored as
/// zero, that fit in slice 0, that are larger; last, units written to the data slices. Counters
/// wrap.
///
/// # Timing
/// An event is counted two cycles later. `clear_i` makes all counts 0 in the next cycle, the
/// events of its cycle are counted. `count_o` is the counter that `index_i` named one cycle ago.
#[derive(LogicBlock)]
pub struct SlicedCounters {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Sets all counters to 0.
    pub clear_i: Signal<In, Bit>,

    /// Write enable of the memory.
    pub wen_i: Signal<In, Bit>,
    /// Word to write, in half bytes, the lowest first.
    pub wdata_i: Vec<Signal<In, Bits<4>>>,
    /// The mask slice is read.
    pub mask_ren_i: Signal<In, Bit>,
    /// The mask slice is written.
    pub mask_wen_i: Signal<In, Bit>,
    /// One per data slice: it is read.
    pub slice_ren_i: Vec<Signal<In, Bit>>,
    /// One per data slice: it is written.
    pub slice_wen_i: Vec<Signal<In, Bit>>,
    /// Units of the data slices that are written.
    pub lane_wen_i: Vec<Signal<In, Bits<1>>>,

    /// Number of the counter to read.
    pub index_i: Signal<In, Bits<5>>,
    /// Its value.
    pub count_o: Signal<Out, Bits<32>>,

    select: Select,
    lanes: Population,
    seen: Vec<Reg<Bit>>,
    lanes_seen: Reg<Bits<7>>,
    total: Vec<Reg<Bits<32>>>,
    count: Reg<Bits<32>>,
    happens: Vec<Signal<Local, Bit>>,
    increment: Vec<Signal<Local, Bits<32>>>,
    unit: Vec<Signal<Local, Bits<1>>>,
    _units: usize,
    _halves: usize,
    _slices: usize,
    _events: usize,
    _thresholds: [usize; 2],
}

impl SlicedCounters {
    /// The counters for a memory of this shape.
    pub fn new(shape: &SlicedShape) -> Self {
        let (units, slices) = (shape.units, shape.slices());
        let thresholds = [
            shape.write_threshold,
            shape.write_threshold.max(shape.access_threshold),
        ];
        let events = 2 + 2 * slices + 3;
        let halves = shape.unit_bits / 4;
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            clear_i: Default::default(),
            wen_i: Default::default(),
            wdata_i: v(units * halves),
            mask_ren_i: Default::default(),
            mask_wen_i: Default::default(),
            slice_ren_i: v(slices),
            slice_wen_i: v(slices),
            lane_wen_i: v(units),
            index_i: Default::default(),
            count_o: Default::default(),
            select: Select::new(units, thresholds.to_vec()),
            lanes: Population::new(units),
            seen: v(events),
            lanes_seen: Default::default(),
            total: v(events + 1),
            count: Default::default(),
            happens: v(events),
            increment: v(events + 1),
            unit: v(units),
            _units: units,
            _halves: halves,
            _slices: slices,
            _events: events,
            _thresholds: thresholds,
        }
    }
}

impl Logic for SlicedCounters {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Events of this cycle");
        for k in 0..self._units {
            self.unit[k].next = 0.into();
            for b in 0..self._halves {
                if self.wdata_i[k * self._halves + b].val().any() {
                    self.unit[k].next = 1.into();
                }
            }
            self.select.mask_i[k].next = self.unit[k].val();
            self.lanes.mask_i[k].next = self.lane_wen_i[k].val();
        }
        self.happens[0].next = self.mask_ren_i.val();
        self.happens[1].next = self.mask_wen_i.val();
        for k in 0..self._slices {
            self.happens[2 + 2 * k].next = self.slice_ren_i[k].val();
            self.happens[3 + 2 * k].next = self.slice_wen_i[k].val();
        }
        self.happens[2 + 2 * self._slices].next = self.wen_i.val() & !self.select.slice_o[0].val();
        self.happens[3 + 2 * self._slices].next =
            self.wen_i.val() & self.select.slice_o[0].val() & !self.select.slice_o[1].val();
        self.happens[4 + 2 * self._slices].next = self.wen_i.val() & self.select.slice_o[1].val();
        for k in 0..self._events {
            self.seen[k].clk.next = self.clk.val();
            self.seen[k].rst_n.next = self.rst_n.val();
            self.seen[k].d_i.next = self.happens[k].val();
            self.increment[k].next = 0.into();
            if self.seen[k].q_o.val() {
                self.increment[k].next = 1.into();
            }
        }
        self.lanes_seen.clk.next = self.clk.val();
        self.lanes_seen.rst_n.next = self.rst_n.val();
        self.lanes_seen.d_i.next = self.lanes.pop_o.val();
        self.increment[self._events].next = self.lanes_seen.q_o.val().get_bits::<32>(0);

        comment!("Totals");
        self.count.clk.next = self.clk.val();
        self.count.rst_n.next = self.rst_n.val();
        self.count.d_i.next = 0.into();
        for k in 0..(self._events + 1) {
            self.total[k].clk.next = self.clk.val();
            self.total[k].rst_n.next = self.rst_n.val();
            self.total[k].d_i.next = self.total[k].q_o.val() + self.increment[k].val();
            if self.clear_i.val() {
                self.total[k].d_i.next = 0.into();
            }
            if self.index_i.val() == k.to_bits::<5>() {
                self.count.d_i.next = self.total[k].q_o.val();
            }
        }
        self.count_o.next = self.count.q_o.val();
    }
    module!(|this| Meta::module("sliced_counters")
        .param("units", "w", this._units, "units in a word")
        .param("halves", "h", this._halves, "half bytes in a unit")
        .param("slices", "k", this._slices, "data slices")
        .param(
            "zero",
            "z",
            this._thresholds[0],
            "non-zero units of a word stored as zero, at most"
        )
        .param(
            "fits",
            "f",
            this._thresholds[1],
            "non-zero units of a word that fits, at most"
        )
        .hidden("events", this._events, "counters of single events"));
}
