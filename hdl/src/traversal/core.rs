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
#[module(build, describe)]
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
    #[new(RowCounters::new(loops, shape.double, shape.equality))]
    row: [RowCounters<W, D>; rows],
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
    /// All stages move on: the address at the output leaves, or there is none.
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
    _stages: usize,
    _trips: usize,
    _shape: TraversalShape,
    #[argument]
    _cells: usize,
}

impl<const W: usize, const D: usize, const A: usize> TraversalCore<W, D, A> {
    /// The core of a unit.
    ///
    /// # Panics
    /// If rows or loops are not in 1..=8, `W` or `A` is above 32, or `D` is not `W` + 1.
    pub fn new(shape: TraversalShape) -> Self {
        let (rows, loops) = (shape.rows, shape.loops);
        assert!((1..=8).contains(&rows), "rows is {rows}, allowed 1 to 8");
        assert!((1..=8).contains(&loops), "loops is {loops}, allowed 1 to 8");
        assert!(
            W <= 32 && A <= 32,
            "offsets and addresses have up to 32 bits"
        );
        assert!(D == W + 1, "a distance has one bit more than an offset");
        let cells = rows * loops;
        let stages = shape.latency();
        Self::build(rows, loops, stages, shape.trips.into(), shape, cells)
    }
}

// In a kernel an option and a signal are no single condition.
#[allow(clippy::collapsible_if)]
impl<const W: usize, const D: usize, const A: usize> TraversalCore<W, D, A> {
    fn describe(&self, meta: Meta) -> Meta {
        self._shape
            .describe(meta, W, A, "sxqti")
            .hidden("D", D, "bits of a distance, W + 1")
            .hidden("stages", self._stages, "register stages of an address")
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
        self.room.next = !self.valid[self._stages - 1].q_o.val() | self.ready_i.val();
        self.step.next = self.order.running_o.val() & self.room.val() & !self.pause_i.val();

        comment!("Counters of the rows");
        for r in 0..self._rows {
            self.row[r].load_i.next = self.load_i.val();
            self.row[r].advance_i.next = self.step.val() & self.order.active_o[r].val();
            self.row[r].equal_i.next = self.equal_i[r].val();
            for c in 0..self._loops {
                self.row[r].initial_i[c].next = self.initial_i[r * self._loops + c].val();
                self.row[r].distance_i[c].next = self.distance_i[r * self._loops + c].val();
                self.row[r].load_initial_i[c].next = self.load_initial_i[r * self._loops + c].val();
                self.row[r].load_distance_i[c].next =
                    self.load_distance_i[r * self._loops + c].val();
                self.row[r].step_i[c].next = self.step_i[r * self._loops + c].val();
                self.row[r].count_i[c].next = self.step_i[r * self._loops + c].val();
                if self._trips > 0 {
                    if self.trips_i[r].val() {
                        self.row[r].count_i[c].next = 1.into();
                    }
                }
            }
        }
    }

    /// The active row.
    fn active_row(&mut self) {
        comment!("The active row");
        if self._rows > 1 {
            self.row_base.next = 0.into();
            for c in 0..self._loops {
                self.row_offset[c].next = 0.into();
                self.row_final[c].next = false;
                self.row_wrap[c].next = false;
            }
            for r in 0..self._rows {
                if self.order.active_o[r].val() {
                    self.row_base.next = self.row_base.val() | self.base_i[r].val();
                    for c in 0..self._loops {
                        self.row_offset[c].next =
                            self.row_offset[c].val() | self.row[r].offset_o[c].val();
                        self.row_final[c].next =
                            self.row_final[c].val() | self.row[r].final_o[c].val();
                        self.row_wrap[c].next =
                            self.row_wrap[c].val() | self.row[r].wrap_o[c].val();
                    }
                }
            }
        } else {
            self.row_base.next = self.base_i[0].val();
            self.row_offset.follow(&self.row[0].offset_o);
            self.row_final.follow(&self.row[0].final_o);
            self.row_wrap.follow(&self.row[0].wrap_o);
        }

        self.order.clear_i.next = self.list_clear_i.val();
        self.order.list_i.next = self.list_i.val();
        self.order.list_row_i.next = self.list_row_i.val();
        self.order.list_kind_i.next = self.list_kind_i.val();
        self.order.list_attached_i.next = self.list_attached_i.val();
        self.order.list_loop_i.next = self.list_loop_i.val();
        self.order.load_i.next = self.load_i.val();
        self.order.stop_i.next = self.stop_i.val();
        self.order.advance_i.next = self.step.val();
        self.order.done_i.next = self.row_wrap[self._loops - 1].val();
        self.order.wrap_i.follow(&self.row_wrap);
    }

    /// Terms of the address, and what travels beside it.
    fn address(&mut self) {
        comment!("Terms of the address");
        self.base.en_i.next = self.room.val();
        self.base.d_i.next = self.row_base.val();
        self.sum.enable_i.next = self.room.val();
        self.sum.term_i[0].next = self.base.q_o.val();
        for c in 0..self._loops {
            self.offset[c].en_i.next = self.room.val();
            self.offset[c].d_i.next = self.row_offset[c].val();
            self.sum.term_i[c + 1].next = self.offset[c].q_o.val().get_bits::<A>(0);
        }

        comment!("Beside the address");
        self.waiting.next = false;
        for s in 0..self._stages {
            self.valid[s].en_i.next = self.room.val() | self.stop_i.val();
            self.number[s].en_i.next = self.room.val();
            self.kind[s].en_i.next = self.room.val();
            self.last[s].en_i.next = self.room.val();
            self.end_flag[s].en_i.next = self.room.val();
            if s > 0 {
                self.valid[s].d_i.next = self.valid[s - 1].q_o.val() & !self.stop_i.val();
                self.number[s].d_i.next = self.number[s - 1].q_o.val();
                self.kind[s].d_i.next = self.kind[s - 1].q_o.val();
                self.last[s].d_i.next = self.last[s - 1].q_o.val();
                self.end_flag[s].d_i.next = self.end_flag[s - 1].q_o.val();
            } else {
                self.valid[s].d_i.next = self.step.val() & !self.stop_i.val();
                self.number[s].d_i.next = self.order.row_o.val();
                self.kind[s].d_i.next = self.order.kind_o.val();
                self.last[s].d_i.next = self.row_wrap[self._loops - 1].val();
                self.end_flag[s].d_i.next =
                    self.row_wrap[self._loops - 1].val() & self.order.end_o.val();
            }
            for c in 0..self._loops {
                self.final_flag[s * self._loops + c].en_i.next = self.room.val();
                if s > 0 {
                    self.final_flag[s * self._loops + c].d_i.next =
                        self.final_flag[(s - 1) * self._loops + c].q_o.val();
                } else {
                    self.final_flag[s * self._loops + c].d_i.next = self.row_final[c].val();
                }
            }
            self.waiting.next = self.waiting.val() | self.valid[s].q_o.val();
        }

        self.valid_o.next = self.valid[self._stages - 1].q_o.val();
        self.addr_o.next = self.sum.sum_o.val();
        self.row_o.next = self.number[self._stages - 1].q_o.val();
        self.kind_o.next = self.kind[self._stages - 1].q_o.val();
        self.last_o.next = self.last[self._stages - 1].q_o.val();
        self.end_o.next = self.end_flag[self._stages - 1].q_o.val();
        for c in 0..self._loops {
            self.final_o[c].next = self.final_flag[(self._stages - 1) * self._loops + c]
                .q_o
                .val();
        }
        self.listed_o.next = self.order.listed_o.val();
        self.running_o.next = self.order.running_o.val();
        self.able_o.next = self.order.running_o.val() & self.room.val();
        self.finish_o.next =
            self.step.val() & self.row_wrap[self._loops - 1].val() & self.order.end_o.val();
        self.busy_o.next = self.order.running_o.val() | self.waiting.val();
    }
}
