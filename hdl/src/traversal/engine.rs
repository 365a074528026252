//! Traversal engine: the core with its registers.

use super::{EndlessCheck, GroupValues, RegisterArray, RowValues, TraversalCore, TraversalShape};
use heddle_kernel::prelude::*;

/// Traversal engine: walks up to M nests of up to N loops one after another and emits one address
/// per clock. Every loop has an initial value (V), a step (X), an end (Y) and an offset (Z). The
/// address is the base of the row plus the offsets of its loops. After each address the
/// innermost loop advances by its step; a loop that reaches its end goes back to its initial
/// value and advances the next outer loop. When the outermost loop wraps, the next row follows,
/// in the order in which the bases were written. A loop that is not used holds zeros.
///
/// The end of a loop is kept as the distance V + X - Y, which is computed when the end is written.
///
/// # Timing
/// `start_i` in cycle t: offsets are loaded in t + 1, the first address is valid in t + 2 + S, S
/// being the register stages of the address sum. Then one address per clock, without a gap at
/// wraps, row changes, repetitions and, with two sets of registers, from one traversal to the next. `busy_o` is
/// high from t + 1 to the cycle in which the last address is taken.
///
/// # Rules
/// Step 0 with an end above the initial value never ends. `stop_i` stops the unit at once: `busy_o`
/// and `valid_o` are low in the next cycle; a start in its cycle is not heard. Registers may be
/// written and cleared while `cfg_ready_o` is high, but not in the cycle of a start, and cleared
/// together with `stop_i`. A write at another time changes the traversal that runs (one set of
/// registers) or waits (two).
#[module(build, describe)]
pub struct TraversalEngine<const W: usize, const D: usize, const A: usize> {
    /// Stops a running traversal.
    pub stop_i: Signal<In, Bit>,
    /// Clears the registers that are written: loops become 0, no row is listed. Wins over a write.
    /// Needed once after reset.
    pub cfg_clear_i: Signal<In, Bit>,
    /// Writes one register.
    pub cfg_valid_i: Signal<In, Bit>,
    /// Registers may be written, and a start is heard.
    pub cfg_ready_o: Signal<Out, Bit>,
    /// Register to write: 0 initial value, 1 step, 2 end, 3 base. Initial value and step, in this
    /// order, are held until an end is written: that writes all three of the loop. A base lists the
    /// row.
    pub cfg_sel_i: Signal<In, Bits<2>>,
    /// Row to write; a write to a row or loop that does not exist changes nothing.
    pub cfg_row_i: Signal<In, Bits<3>>,
    /// Loop to write, 0 is the innermost; ignored for a base.
    pub cfg_col_i: Signal<In, Bits<3>>,
    /// Value to write, in the low bits.
    pub cfg_data_i: Signal<In, Bits<32>>,
    /// With a base: kind of the row, 0 tensor, 1 prologue, 2 epilogue.
    pub cfg_kind_i: Signal<In, Bits<2>>,
    /// With a base: the row is attached to a loop of the tensor.
    pub cfg_attached_i: Signal<In, Bit>,
    /// With a base: the loop it is attached to.
    pub cfg_loop_i: Signal<In, Bits<3>>,
    /// With a base and with an end: the end test is equality.
    pub cfg_equal_i: Signal<In, Bit>,
    /// With a base and with an end: the end is a number of iterations.
    pub cfg_trips_i: Signal<In, Bit>,
    /// Group by group: an initial value, step or end is written at once and alone, an end after
    /// the other two. The end test is that of the row.
    pub cfg_group_i: Signal<In, Bit>,
    /// The loop whose end was written two cycles before never ends.
    pub endless_o: Signal<Out, Bit>,
    /// With a start, and while it waits: the traversal begins when no address of the one before is
    /// left.
    pub alone_i: Signal<In, Bit>,
    /// Starts with the first listed row; ignored while `cfg_ready_o` is low or no row is listed.
    pub start_i: Signal<In, Bit>,
    /// With a start (two sets) or always (one set): the base is not added.
    pub offset_only_i: Signal<In, Bit>,
    /// With a start: how often the traversal runs, less one.
    pub times_i: [Signal<In, Bits<8>>; repeat],
    /// What each further time adds to the base of the row. Stable while the unit is busy.
    pub increment_i: [Signal<In, Bits<A>>; repeat * rows],
    /// The first address of the traversal is formed in the next cycle, if not paused.
    pub load_o: Signal<Out, Bit>,
    /// No new address is formed while high; an address that is valid stays valid.
    pub pause_i: Signal<In, Bit>,
    /// A row runs and its next address has room: a step is taken unless `pause_i` is high.
    pub able_o: Signal<Out, Bit>,
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
    /// Started, and not all addresses taken.
    pub busy_o: Signal<Out, Bit>,
    #[new(RegisterArray::new(rows, loops, shape.double, shape.arrangement))]
    registers: RegisterArray<W, D>,
    endless: [EndlessCheck<W, D>; shape.check.into()],
    #[new(TraversalCore::new(shape))]
    core: TraversalCore<W, D, A>,
    #[new(RowValues::new(shape))]
    rows: RowValues<A>,
    #[new(GroupValues::new(shape))]
    old: [GroupValues<W>; shape.group.into()],
    /// Initial value and step of the loop that is being written.
    initial: RegData<Bits<W>>,
    step: RegData<Bits<W>>,
    /// Their sum.
    first: RegData<Bits<D>>,
    base: [RegData<Bits<A>>; rows],
    trips: [RegData<Bit>; if shape.trips { rows } else { 0 }],
    equal: [RegData<Bit>; if shape.equality { rows } else { 0 }],
    /// Times that are still to come.
    times: [RegEn<Bits<8>>; repeat],
    /// The last step is taken, and the traversal runs again.
    again: [Signal<Local, Bit>; repeat],
    /// A start waits for the running traversal.
    pending: [RegEn<Bit>; second.min(1)],
    /// It does so without bases.
    pending_bare: [RegData<Bit>; second.min(1)],
    keep: Signal<Local, Bit>,
    initial_bus: Signal<Local, Bits<W>>,
    step_bus: Signal<Local, Bits<W>>,
    base_bus: Signal<Local, Bits<A>>,
    write_initial: Signal<Local, Bit>,
    write_step: Signal<Local, Bit>,
    write_end: Signal<Local, Bit>,
    write_base: Signal<Local, Bit>,
    is_row: [Signal<Local, Bit>; rows],
    row_exists: Signal<Local, Bit>,
    is_col: [Signal<Local, Bit>; loops],
    here: [Signal<Local, Bit>; rows * loops],
    /// End tests of the rows, as written.
    equals: [Signal<Local, Bit>; rows],
    counts: [Signal<Local, Bit>; rows],
    row_equal: Signal<Local, Bit>,
    row_trips: Signal<Local, Bit>,
    /// Step of the loop whose end is written.
    end_step: Signal<Local, Bits<W>>,
    /// What an end is subtracted from.
    minuend: Signal<Local, Bits<D>>,
    end_value: Signal<Local, Bits<D>>,
    difference: Signal<Local, Bits<D>>,
    distance: Signal<Local, Bits<D>>,
    waits: Signal<Local, Bit>,
    bare: Signal<Local, Bit>,
    start: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    _rows: usize,
    _loops: usize,
    _double: usize,
    _equality: usize,
    _trips: usize,
    _group: usize,
    _check: usize,
    _repeat: usize,
    _cells: usize,
    _shape: TraversalShape,
    #[argument]
    _second: usize,
}

impl<const W: usize, const D: usize, const A: usize> TraversalEngine<W, D, A> {
    /// A unit.
    ///
    /// # Panics
    /// As [`TraversalCore::new`]; if a unit that repeats has two sets of registers.
    pub fn new(shape: TraversalShape) -> Self {
        let (rows, loops) = (shape.rows, shape.loops);
        let repeat = usize::from(shape.repeat);
        assert!(
            !(shape.repeat && shape.double),
            "a unit that repeats has one set of registers"
        );
        let second = if shape.double { rows } else { 0 };
        Self::build(
            rows,
            loops,
            shape.double.into(),
            shape.equality.into(),
            shape.trips.into(),
            shape.group.into(),
            shape.check.into(),
            repeat,
            rows * loops,
            shape,
            second,
        )
    }
}

// In a kernel an option and a signal are no single condition.
#[allow(clippy::collapsible_if)]
impl<const W: usize, const D: usize, const A: usize> TraversalEngine<W, D, A> {
    fn describe(&self, meta: Meta) -> Meta {
        self._shape
            .describe(meta, W, A, "sxqtigelvy")
            .hidden("cells", self._cells, "loops in all rows")
            .hidden("D", D, "bits of a distance, W + 1")
    }
}

#[kernel]
impl<const W: usize, const D: usize, const A: usize> TraversalEngine<W, D, A> {
    fn update(&mut self) {
        self.writes();
        self.start();
        self.registers();
    }

    /// Writes of the host: which register, and which value.
    fn writes(&mut self) {
        comment!("The loop that is written: initial value, then step, then end");
        self.initial.en_i.next = self.cfg_valid_i.val() & (self.cfg_sel_i.val() == 0);
        self.initial.d_i.next = self.cfg_data_i.val().get_bits::<W>(0);
        self.step.en_i.next = self.cfg_valid_i.val() & (self.cfg_sel_i.val() == 1);
        self.step.d_i.next = self.cfg_data_i.val().get_bits::<W>(0);
        self.first.en_i.next = self.cfg_valid_i.val() & (self.cfg_sel_i.val() == 1);
        self.first.d_i.next = self.initial.q_o.val().get_bits::<D>(0)
            + self.cfg_data_i.val().get_bits::<W>(0).get_bits::<D>(0);

        self.row_exists.next = false;
        for r in 0..self._rows {
            self.is_row[r].next = self.cfg_row_i.val() == r.to_bits::<3>();
            self.row_exists.next = self.row_exists.val() | self.is_row[r].val();
        }
        for c in 0..self._loops {
            self.is_col[c].next = self.cfg_col_i.val() == c.to_bits::<3>();
        }
        self.row_equal.next = self.cfg_equal_i.val();
        self.row_trips.next = self.cfg_trips_i.val();
        self.end_step.next = self.step.q_o.val();
        self.minuend.next = self.first.q_o.val();
        if self._group > 0 {
            comment!("Group by group: what the registers of the loop hold");
            self.old[0].row_i.next = self.cfg_row_i.val();
            self.old[0].col_i.next = self.cfg_col_i.val();
            self.old[0].initial_i.follow(&self.registers.next_initial_o);
            self.old[0].step_i.follow(&self.registers.next_step_o);
            self.old[0].equal_i.follow(&self.equals);
            self.old[0].trips_i.follow(&self.counts);
            if self.cfg_group_i.val() {
                self.row_equal.next = self.old[0].equal_o.val();
                self.row_trips.next = self.old[0].trips_o.val();
                self.end_step.next = self.old[0].step_o.val();
                self.minuend.next = self.old[0].initial_o.val().get_bits::<D>(0)
                    + self.old[0].step_o.val().get_bits::<D>(0);
            }
        }

        comment!("Distance to the end; no bit is needed above it once it is not negative");
        if self._trips > 0 {
            if self.row_trips.val() {
                self.minuend.next = 1.into();
            }
        }
        self.end_value.next = self.cfg_data_i.val().get_bits::<W>(0).get_bits::<D>(0);
        self.difference.next = self.minuend.val() - self.end_value.val();

        comment!("A clear writes zeros everywhere");
        self.keep.next = !self.cfg_clear_i.val();
        self.initial_bus.next = 0.into();
        self.step_bus.next = 0.into();
        self.distance.next = 0.into();
        self.base_bus.next = 0.into();
        if self.keep.val() {
            self.initial_bus.next = self.initial.q_o.val();
            self.step_bus.next = self.step.q_o.val();
            if self._group > 0 {
                if self.cfg_group_i.val() {
                    self.initial_bus.next = self.cfg_data_i.val().get_bits::<W>(0);
                    self.step_bus.next = self.cfg_data_i.val().get_bits::<W>(0);
                }
            }
            self.distance.next = self
                .difference
                .val()
                .replace_bit(W, self.minuend.val() < self.end_value.val());
            self.base_bus.next = self.cfg_data_i.val().get_bits::<A>(0);
        }
        self.write_end.next = self.cfg_valid_i.val() & (self.cfg_sel_i.val() == 2);
        self.write_base.next = self.cfg_valid_i.val() & (self.cfg_sel_i.val() == 3);
        self.write_initial.next = self.write_end.val();
        self.write_step.next = self.write_end.val();
        if self._group > 0 {
            if self.cfg_group_i.val() {
                self.write_initial.next = self.cfg_valid_i.val() & (self.cfg_sel_i.val() == 0);
                self.write_step.next = self.cfg_valid_i.val() & (self.cfg_sel_i.val() == 1);
            }
        }
        if self._check > 0 {
            self.endless[0].clear_i.next = self.stop_i.val();
            self.endless[0].write_i.next = self.write_end.val();
            self.endless[0].distance_i.next = self.distance.val();
            self.endless[0].step_i.next = self.end_step.val();
            self.endless[0].equal_i.next = self.row_equal.val();
            self.endless[0].trips_i.next = self.row_trips.val();
            self.endless_o.next = self.endless[0].endless_o.val();
        } else {
            self.endless_o.next = false;
        }
    }

    /// Start and repetition.
    fn start(&mut self) {
        comment!("Start");
        self.start.next = self.start_i.val() & self.core.listed_o.val();
        if self._double > 0 {
            self.waits.next = self.pending[0].q_o.val();
            self.pending[0].en_i.next = self.stop_i.val() | self.load.val() | self.start.val();
            self.pending[0].d_i.next = !self.stop_i.val() & !self.load.val();
            self.load.next = (self.waits.val() | self.start.val())
                & (!self.core.running_o.val() | self.core.finish_o.val())
                & !(self.alone_i.val() & self.core.busy_o.val())
                & !self.stop_i.val();
            self.pending_bare[0].en_i.next = self.start.val() & !self.waits.val();
            self.pending_bare[0].d_i.next = self.offset_only_i.val();
            self.bare.next = self.offset_only_i.val();
            if self.waits.val() {
                self.bare.next = self.pending_bare[0].q_o.val();
            }
            self.cfg_ready_o.next = !self.waits.val();
            self.busy_o.next = self.waits.val() | self.core.busy_o.val();
        } else {
            self.waits.next = false;
            self.bare.next = self.offset_only_i.val();
            self.load.next = self.start.val() & !self.core.busy_o.val() & !self.stop_i.val();
            self.cfg_ready_o.next = !self.core.busy_o.val();
            self.busy_o.next = self.core.busy_o.val();
        }
        for i in 0..self._repeat {
            self.again[i].next =
                (self.times[i].q_o.val() != 0) & self.core.finish_o.val() & !self.stop_i.val();
            self.times[i].en_i.next = self.start.val() | self.again[i].val();
            self.times[i].d_i.next = self.times[i].q_o.val() - 1;
            if self.start.val() {
                self.times[i].d_i.next = self.times_i[i].val();
            }
        }
        if self._repeat > 0 {
            if self.again[0].val() {
                self.load.next = true;
            }
        }
        self.load_o.next = self.load.val();
    }

    /// Registers, the core and the outputs.
    fn registers(&mut self) {
        // Registers
        for r in 0..self._rows {
            self.base[r].d_i.next = self.base_bus.val();
            if self._repeat > 0 {
                self.base[r].en_i.next = self.cfg_clear_i.val()
                    | self.again[0].val()
                    | (self.write_base.val() & self.is_row[r].val());
                if self.again[0].val() {
                    self.base[r].d_i.next = self.base[r].q_o.val() + self.increment_i[r].val();
                }
            } else {
                self.base[r].en_i.next =
                    self.cfg_clear_i.val() | (self.write_base.val() & self.is_row[r].val());
            }
            if self._trips > 0 {
                self.trips[r].en_i.next = self.write_base.val() & self.is_row[r].val();
                self.trips[r].d_i.next = self.cfg_trips_i.val();
                self.counts[r].next = self.trips[r].q_o.val();
            } else {
                self.counts[r].next = false;
            }
            if self._equality > 0 {
                self.equal[r].en_i.next = self.write_base.val() & self.is_row[r].val();
                self.equal[r].d_i.next = self.cfg_equal_i.val();
                self.equals[r].next = self.equal[r].q_o.val();
            } else {
                self.equals[r].next = false;
            }

            for c in 0..self._loops {
                self.here[r * self._loops + c].next = self.is_row[r].val() & self.is_col[c].val();
                self.registers.write_initial_i[r * self._loops + c].next = self.cfg_clear_i.val()
                    | (self.write_initial.val() & self.here[r * self._loops + c].val());
                self.registers.write_step_i[r * self._loops + c].next = self.cfg_clear_i.val()
                    | (self.write_step.val() & self.here[r * self._loops + c].val());
                self.registers.write_distance_i[r * self._loops + c].next = self.cfg_clear_i.val()
                    | (self.write_end.val() & self.here[r * self._loops + c].val());
            }
        }
        self.registers.initial_i.next = self.initial_bus.val();
        self.registers.step_i.next = self.step_bus.val();
        self.registers.distance_i.next = self.distance.val();
        self.registers.load_i.next = self.load.val();
        self.core.initial_i.follow(&self.registers.initial_o);
        self.core.step_i.follow(&self.registers.step_o);
        self.core.distance_i.follow(&self.registers.distance_o);
        self.core
            .load_initial_i
            .follow(&self.registers.next_initial_o);
        self.core
            .load_distance_i
            .follow(&self.registers.next_distance_o);
        self.rows.load_i.next = self.load.val();
        self.rows.bare_i.next = self.bare.val();
        self.rows.base_i.follow(&self.base);
        self.rows.trips_i.follow(&self.counts);
        self.rows.equal_i.follow(&self.equals);
        self.core.base_i.follow(&self.rows.base_o);
        self.core.trips_i.follow(&self.rows.trips_o);
        self.core.equal_i.follow(&self.rows.equal_o);

        self.core.stop_i.next = self.stop_i.val();
        self.core.list_clear_i.next = self.cfg_clear_i.val();
        self.core.list_i.next = self.write_base.val() & self.row_exists.val();
        self.core.list_row_i.next = self.cfg_row_i.val();
        self.core.list_kind_i.next = self.cfg_kind_i.val();
        self.core.list_attached_i.next = self.cfg_attached_i.val();
        self.core.list_loop_i.next = self.cfg_loop_i.val();
        self.core.load_i.next = self.load.val();
        self.core.pause_i.next = self.pause_i.val();
        self.core.ready_i.next = self.ready_i.val();

        self.able_o.next = self.core.able_o.val();
        self.valid_o.next = self.core.valid_o.val();
        self.addr_o.next = self.core.addr_o.val();
        self.row_o.next = self.core.row_o.val();
        self.kind_o.next = self.core.kind_o.val();
        self.last_o.next = self.core.last_o.val();
        self.end_o.next = self.core.end_o.val();
        self.final_o.follow(&self.core.final_o);
    }
}
