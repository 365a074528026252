//! Counting and address formation.

use super::{AddressSum, RowCounters, RowOrder, TraversalShape};
use heddle_kernel::prelude::*;

/// Core of a traversal unit: counts the loops of the active row and forms one address per clock.
/// The configuration is held outside.
///
/// # Timing
/// `load_i` in cycle t: the first address is valid in t + 2 + S, S being the register stages of the
/// address sum; then one per clock, without a gap at wraps, row changes and loads. All outputs
/// beside `busy_o` are registers, or stand directly behind registers; those of an address are only
/// defined with `valid_o`.
#[module(build, shape: TraversalShape, describe)]
pub struct TraversalCore<const W: usize, const D: usize, const A: usize> {
    /// Stops at once: no address is valid in the next cycle.
    pub stop_i: Signal<In, Bit>,
    /// Empties the list of rows.
    pub list_clear_i: Signal<In, Bit>,
    /// Adds a row to the end of the list.
    pub list_i: Signal<In, Bit>,
    /// The row to list.
    pub list_row_i: Signal<In, Bits<3>>,
    /// Its kind: 0 tensor, 1 prologue, 2 epilogue.
    pub list_kind_i: Signal<In, Bits<2>>,
    /// It is attached to a loop of the tensor.
    pub list_attached_i: Signal<In, Bit>,
    /// The loop it is attached to.
    pub list_loop_i: Signal<In, Bits<3>>,
    /// Base of every row.
    pub base_i: [Signal<In, Bits<A>>; rows],
    /// The row counts iterations.
    pub trips_i: [Signal<In, Bit>; rows],
    /// The end test of the row is equality.
    pub equal_i: [Signal<In, Bit>; rows],
    /// Initial offset (V), row by row.
    pub initial_i: [Signal<In, Bits<W>>; cells],
    /// Step (X), row by row.
    pub step_i: [Signal<In, Bits<W>>; cells],
    /// First distance to the end (V + X - Y), row by row.
    pub distance_i: [Signal<In, Bits<D>>; cells],
    /// Initial offset that a load takes, row by row.
    pub load_initial_i: [Signal<In, Bits<W>>; cells],
    /// First distance that a load takes, row by row.
    pub load_distance_i: [Signal<In, Bits<D>>; cells],
    /// Starts with the first listed row; only while no row runs or in a cycle of `finish_o`.
    pub load_i: Signal<In, Bit>,
    /// The counters of all rows start anew: with a load, or while no row runs.
    pub reload_i: Signal<In, Bit>,
    /// The same as `load_i`, behind rows whose loops all went back to their initial offsets.
    pub again_i: [Signal<In, Bit>; repeat],
    /// No new address is formed while high.
    pub pause_i: Signal<In, Bit>,
    /// An address is waiting to be taken.
    pub valid_o: Signal<Out, Bit>,
    /// The address is taken at this clock edge if it is valid.
    pub ready_i: Signal<In, Bit>,
    /// Address.
    pub addr_o: Signal<Out, Bits<A>>,
    /// Row of the address.
    pub row_o: Signal<Out, Bits<3>>,
    /// Kind of the row.
    pub kind_o: Signal<Out, Bits<2>>,
    /// Per loop: the address belongs to its last iteration.
    pub final_o: [Signal<Out, Bit>; loops],
    /// Last address of the row.
    pub last_o: Signal<Out, Bit>,
    /// Last address of the traversal.
    pub end_o: Signal<Out, Bit>,
    /// A row is listed.
    pub listed_o: Signal<Out, Bit>,
    /// A row runs.
    pub running_o: Signal<Out, Bit>,
    /// A row runs and its next address has room: a step is taken unless `pause_i` is high.
    pub able_o: Signal<Out, Bit>,
    /// The last step is taken in this cycle.
    pub finish_o: Signal<Out, Bit>,
    /// A row runs, or an address was not taken yet.
    pub busy_o: Signal<Out, Bit>,
    #[new(RowOrder::new(rows, loops, shape.double, shape.attach))]
    order: RowOrder,
    #[new(shape.looped().iter().map(|r| RowCounters::new(shape.loops_of(*r), shape.double, shape.equality)).collect())]
    row: Vec<RowCounters<W, D>>,
    #[new(AddressSum::new(loops + 1, shape.stages))]
    sum: AddressSum<A>,
    /// Terms of the address of the active row.
    base: RegData<Bits<A>>,
    offset: [RegData<Bits<W>>; loops],
    /// What travels beside the address, stage by stage.
    valid: [RegEn<Bit>; stages],
    number: [RegData<Bits<3>>; stages],
    kind: [RegData<Bits<2>>; stages],
    last: [RegData<Bit>; stages],
    end_flag: [RegData<Bit>; stages],
    final_flag: [RegData<Bit>; stages * loops],
    /// An address that was not taken when it left the stages.
    kept_valid: [Reg<Bit>; kept],
    kept_addr: [RegData<Bits<A>>; kept],
    kept_number: [RegData<Bits<3>>; kept],
    kept_kind: [RegData<Bits<2>>; kept],
    kept_last: [RegData<Bit>; kept],
    kept_end: [RegData<Bit>; kept],
    kept_final: [RegData<Bit>; kept * loops],
    /// An address is at the output.
    valid_out: Signal<Local, Bit>,
    /// All stages move on: the address behind them leaves or is kept, or there is none.
    room: Signal<Local, Bit>,
    /// An address enters the stages and the active row advances.
    step: Signal<Local, Bit>,
    row_base: Signal<Local, Bits<A>>,
    row_offset: [Signal<Local, Bits<W>>; loops],
    row_final: [Signal<Local, Bit>; loops],
    row_wrap: [Signal<Local, Bit>; loops],
    waiting: Signal<Local, Bit>,
    _rows: usize,
    _loops: usize,
    #[new(shape.latency())]
    _stages: usize,
    _trips: usize,
    _repeat: usize,
    _kept: usize,
    _shape: TraversalShape,
    #[new(shape.first(rows))]
    _cells: usize,
}

impl<const W: usize, const D: usize, const A: usize> TraversalCore<W, D, A> {
    /// The core of a unit.
    ///
    /// # Panics
    /// If rows or loops are not in 1..=8, `W` or `A` is above 32, or `D` is not `W` + 1.
    pub fn new(shape: TraversalShape) -> Self {
        for (name, n) in [("rows", shape.rows), ("loops", shape.loops)] {
            assert!((1..=8).contains(&n), "{name} is {n}, allowed 1 to 8");
        }
        assert!(
            W <= 32 && A <= 32,
            "offsets and addresses have up to 32 bits"
        );
        assert!(D == W + 1, "a distance has one bit more than an offset");
        Self::build(shape)
    }
}

// In a kernel an option and a signal are no single condition.
#[allow(clippy::collapsible_if)]
impl<const W: usize, const D: usize, const A: usize> TraversalCore<W, D, A> {
    fn describe(&self, meta: Meta) -> Meta {
        self._shape.describe(meta, W, A, "sxqtiyk")
    }
}

#[kernel]
impl<const W: usize, const D: usize, const A: usize> TraversalCore<W, D, A> {
    fn update(&mut self) {
        self.counters();
        self.active_row();
        self.address();
    }

    /// Control, and the counters of the rows.
    fn counters(&mut self) {
        comment!("Control");
        if self._kept > 0 {
            self.room = !self.kept_valid[0];
            self.valid_out = self.kept_valid[0] | self.valid[self._stages - 1];
        } else {
            self.room = !self.valid[self._stages - 1] | self.ready_i;
            self.valid_out = self.valid[self._stages - 1];
        }
        self.step = self.order.running_o & self.room & !self.pause_i;

        comment!("Counters of the rows");
        for (at, r) in self._shape.looped().into_iter().enumerate() {
            self.row[at].load_i = self.reload_i;
            self.row[at].advance_i = self.step & self.order.active_o[r];
            self.row[at].equal_i = self.equal_i[r];
            for c in 0..self._shape.loops_of(r) {
                let cell = self._shape.first(r) + c;
                self.row[at].initial_i[c] = self.initial_i[cell];
                self.row[at].distance_i[c] = self.distance_i[cell];
                self.row[at].load_initial_i[c] = self.load_initial_i[cell];
                self.row[at].load_distance_i[c] = self.load_distance_i[cell];
                self.row[at].step_i[c] = self.step_i[cell];
                self.row[at].count_i[c] = self.step_i[cell];
                if self._trips > 0 {
                    if self.trips_i[r] {
                        self.row[at].count_i[c] = 1.into();
                    }
                }
            }
        }
    }

    /// The active row.
    fn active_row(&mut self) {
        comment!("The active row");
        if self._rows > 1 {
            self.row_base = 0.into();
            for c in 0..self._loops {
                self.row_offset[c] = 0.into();
                self.row_final[c] = false;
                self.row_wrap[c] = false;
            }
            for r in 0..self._rows {
                if self.order.active_o[r] {
                    self.row_base = self.row_base | self.base_i[r];
                    let at = self._shape.place(r);
                    for c in 0..self._shape.loops_of(r) {
                        self.row_offset[c] = self.row_offset[c] | self.row[at].offset_o[c];
                        self.row_final[c] = self.row_final[c] | self.row[at].final_o[c];
                        self.row_wrap[c] = self.row_wrap[c] | self.row[at].wrap_o[c];
                    }
                    // A loop that does not exist is in its last iteration.
                    for c in self._shape.loops_of(r)..self._loops {
                        self.row_final[c] = true;
                        self.row_wrap[c] = mux(c > 0, self.row_wrap[c - 1], true);
                    }
                }
            }
        } else {
            self.row_base = self.base_i[0];
            self.row_offset.follow(&self.row[0].offset_o);
            self.row_final.follow(&self.row[0].final_o);
            self.row_wrap.follow(&self.row[0].wrap_o);
        }

        self.order.clear_i = self.list_clear_i;
        self.order.list_i = self.list_i;
        self.order.list_row_i = self.list_row_i;
        self.order.list_kind_i = self.list_kind_i;
        self.order.list_attached_i = self.list_attached_i;
        self.order.list_loop_i = self.list_loop_i;
        if self._repeat > 0 {
            self.order.load_i = self.load_i | self.again_i[0];
        } else {
            self.order.load_i = self.load_i;
        }
        self.order.stop_i = self.stop_i;
        self.order.advance_i = self.step;
        self.order.done_i = self.row_wrap[self._loops - 1];
        self.order.wrap_i.follow(&self.row_wrap);
    }

    /// Terms of the address, and what travels beside it.
    fn address(&mut self) {
        comment!("Terms of the address");
        self.base.load(self.room, self.row_base);
        self.sum.enable_i = self.room;
        self.sum.term_i[0] = self.base;
        for c in 0..self._loops {
            self.offset[c].load(self.room, self.row_offset[c]);
            self.sum.term_i[c + 1] = self.offset[c].get_bits::<A>(0);
        }

        comment!("Beside the address");
        self.waiting = false;
        for s in 0..self._stages {
            self.valid[s].en_i = self.room | self.stop_i;
            self.number[s].en_i = self.room;
            self.kind[s].en_i = self.room;
            self.last[s].en_i = self.room;
            self.end_flag[s].en_i = self.room;
            if s > 0 {
                self.valid[s] = self.valid[s - 1] & !self.stop_i;
                self.number[s] = self.number[s - 1];
                self.kind[s] = self.kind[s - 1];
                self.last[s] = self.last[s - 1];
                self.end_flag[s] = self.end_flag[s - 1];
            } else {
                self.valid[s] = self.step & !self.stop_i;
                self.number[s] = self.order.row_o;
                self.kind[s] = self.order.kind_o;
                self.last[s] = self.row_wrap[self._loops - 1];
                self.end_flag[s] = self.row_wrap[self._loops - 1] & self.order.end_o;
            }
            for c in 0..self._loops {
                self.final_flag[s * self._loops + c].en_i = self.room;
                self.final_flag[s * self._loops + c] = mux(
                    s > 0,
                    self.final_flag[(s - 1) * self._loops + c],
                    self.row_final[c],
                );
            }
            self.waiting = self.waiting | self.valid[s];
        }

        self.valid_o = self.valid_out;
        self.addr_o = self.sum.sum_o;
        self.row_o = self.number[self._stages - 1];
        self.kind_o = self.kind[self._stages - 1];
        self.last_o = self.last[self._stages - 1];
        self.end_o = self.end_flag[self._stages - 1];
        for c in 0..self._loops {
            self.final_o[c] = self.final_flag[(self._stages - 1) * self._loops + c];
        }
        if self._kept > 0 {
            comment!("What is not taken at once");
            self.kept_valid[0] = self.valid_out & !self.ready_i & !self.stop_i;
            self.kept_addr[0].load(self.room, self.sum.sum_o);
            self.kept_number[0].load(self.room, self.number[self._stages - 1]);
            self.kept_kind[0].load(self.room, self.kind[self._stages - 1]);
            self.kept_last[0].load(self.room, self.last[self._stages - 1]);
            self.kept_end[0].load(self.room, self.end_flag[self._stages - 1]);
            if self.kept_valid[0] {
                self.addr_o = self.kept_addr[0];
                self.row_o = self.kept_number[0];
                self.kind_o = self.kept_kind[0];
                self.last_o = self.kept_last[0];
                self.end_o = self.kept_end[0];
            }
            for c in 0..self._loops {
                let stage = (self._stages - 1) * self._loops + c;
                self.kept_final[c].load(self.room, self.final_flag[stage]);
                if self.kept_valid[0] {
                    self.final_o[c] = self.kept_final[c];
                }
            }
        }
        self.listed_o = self.order.listed_o;
        self.running_o = self.order.running_o;
        self.able_o = self.order.running_o & self.room;
        self.finish_o = self.step & self.row_wrap[self._loops - 1] & self.order.end_o;
        if self._kept > 0 {
            self.busy_o = self.order.running_o | self.waiting | self.kept_valid[0];
        } else {
            self.busy_o = self.order.running_o | self.waiting;
        }
    }
}
