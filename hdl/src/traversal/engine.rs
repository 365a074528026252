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
#[module(build, shape: TraversalShape, describe)]
pub struct TraversalEngine<const W: usize, const D: usize, const A: usize> {
    /// Stops a running traversal.
    pub stop_i: Signal<In, Bit>,
    /// Clears the registers that are written: loops become 0, no row is listed. Wins over a write.
    /// Needed once after reset.
    pub cfg_clear_i: Signal<In, Bit>,
    /// Writes one register.
    pub cfg_valid_i: Signal<In, Bit>,
    /// Registers may be written, and a start is taken.
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
    #[new(RegisterArray::new(shape))]
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
    here: [Signal<Local, Bit>; cells],
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
    #[new(shape.first(rows))]
    _cells: usize,
    _shape: TraversalShape,
    #[new(double * rows)]
    _second: usize,
}

impl<const W: usize, const D: usize, const A: usize> TraversalEngine<W, D, A> {
    /// A unit.
    ///
    /// # Panics
    /// As [`TraversalCore::new`]; if a unit that repeats has two sets of registers.
    pub fn new(shape: TraversalShape) -> Self {
        assert!(
            !(shape.repeat && shape.double),
            "a unit that repeats has one set of registers"
        );
        Self::build(shape)
    }
}

// In a kernel an option and a signal are no single condition.
#[allow(clippy::collapsible_if)]
impl<const W: usize, const D: usize, const A: usize> TraversalEngine<W, D, A> {
    fn describe(&self, meta: Meta) -> Meta {
        self._shape.describe(meta, W, A, "sxqtigelvyk")
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
        self.initial.en_i = self.cfg_valid_i & (self.cfg_sel_i == 0);
        self.initial = self.cfg_data_i.get_bits::<W>(0);
        self.step.en_i = self.cfg_valid_i & (self.cfg_sel_i == 1);
        self.step = self.cfg_data_i.get_bits::<W>(0);
        self.first.en_i = self.cfg_valid_i & (self.cfg_sel_i == 1);
        self.first =
            self.initial.get_bits::<D>(0) + self.cfg_data_i.get_bits::<W>(0).get_bits::<D>(0);

        self.row_exists = false;
        for r in 0..self._rows {
            self.is_row[r] = self.cfg_row_i == r.to_bits::<3>();
            self.row_exists = self.row_exists | self.is_row[r];
        }
        for c in 0..self._loops {
            self.is_col[c] = self.cfg_col_i == c.to_bits::<3>();
        }
        self.row_equal = self.cfg_equal_i;
        self.row_trips = self.cfg_trips_i;
        self.end_step = self.step;
        self.minuend = self.first;
        if self._group > 0 {
            comment!("Group by group: what the registers of the loop hold");
            self.old[0].row_i = self.cfg_row_i;
            self.old[0].col_i = self.cfg_col_i;
            self.old[0].initial_i.follow(&self.registers.next_initial_o);
            self.old[0].step_i.follow(&self.registers.next_step_o);
            self.old[0].equal_i.follow(&self.equals);
            self.old[0].trips_i.follow(&self.counts);
            if self.cfg_group_i {
                self.row_equal = self.old[0].equal_o;
                self.row_trips = self.old[0].trips_o;
                self.end_step = self.old[0].step_o;
                self.minuend =
                    self.old[0].initial_o.get_bits::<D>(0) + self.old[0].step_o.get_bits::<D>(0);
            }
        }

        comment!("Distance to the end; no bit is needed above it once it is not negative");
        if self._trips > 0 {
            if self.row_trips {
                self.minuend = 1.into();
            }
        }
        self.end_value = self.cfg_data_i.get_bits::<W>(0).get_bits::<D>(0);
        self.difference = self.minuend - self.end_value;

        comment!("A clear writes zeros everywhere");
        self.keep = !self.cfg_clear_i;
        self.initial_bus = 0.into();
        self.step_bus = 0.into();
        self.distance = 0.into();
        self.base_bus = 0.into();
        if self.keep {
            self.initial_bus = self.initial;
            self.step_bus = self.step;
            if self._group > 0 {
                if self.cfg_group_i {
                    self.initial_bus = self.cfg_data_i.get_bits::<W>(0);
                    self.step_bus = self.cfg_data_i.get_bits::<W>(0);
                }
            }
            self.distance = self
                .difference
                .replace_bit(W, self.minuend < self.end_value);
            self.base_bus = self.cfg_data_i.get_bits::<A>(0);
        }
        self.write_end = self.cfg_valid_i & (self.cfg_sel_i == 2);
        self.write_base = self.cfg_valid_i & (self.cfg_sel_i == 3);
        self.write_initial = self.write_end;
        self.write_step = self.write_end;
        if self._group > 0 {
            if self.cfg_group_i {
                self.write_initial = self.cfg_valid_i & (self.cfg_sel_i == 0);
                self.write_step = self.cfg_valid_i & (self.cfg_sel_i == 1);
            }
        }
        if self._check > 0 {
            self.endless[0].clear_i = self.stop_i;
            self.endless[0].write_i = self.write_end;
            self.endless[0].distance_i = self.distance;
            self.endless[0].step_i = self.end_step;
            self.endless[0].equal_i = self.row_equal;
            self.endless[0].trips_i = self.row_trips;
            self.endless_o = self.endless[0].endless_o;
        } else {
            self.endless_o = false;
        }
    }

    /// Start and repetition.
    fn start(&mut self) {
        comment!("Start");
        self.start = self.start_i & self.core.listed_o;
        if self._double > 0 {
            self.waits = self.pending[0];
            self.pending[0].en_i = self.stop_i | self.load | self.start;
            self.pending[0] = !self.stop_i & !self.load;
            self.load = (self.waits | self.start)
                & (!self.core.running_o | self.core.finish_o)
                & !(self.alone_i & self.core.busy_o)
                & !self.stop_i;
            self.pending_bare[0].load(self.start & !self.waits, self.offset_only_i);
            self.bare = mux(self.waits, self.pending_bare[0], self.offset_only_i);
            self.cfg_ready_o = self.rst_n & !self.waits;
            self.busy_o = self.waits | self.core.busy_o;
        } else {
            self.waits = false;
            self.bare = self.offset_only_i;
            self.load = self.start & !self.core.busy_o & !self.stop_i;
            self.cfg_ready_o = self.rst_n & !self.core.busy_o;
            self.busy_o = self.core.busy_o;
        }
        for i in 0..self._repeat {
            self.again[i] = (self.times[i] != 0) & self.core.finish_o & !self.stop_i;
            self.times[i].en_i = self.start | self.again[i];
            self.times[i] = mux(self.start, self.times_i[i], self.times[i] - 1);
        }
        if self._repeat > 0 {
            self.load_o = self.load | self.again[0];
        } else {
            self.load_o = self.load;
        }
    }

    /// Registers, the core and the outputs.
    fn registers(&mut self) {
        // Registers
        for r in 0..self._rows {
            self.base[r] = self.base_bus;
            if self._repeat > 0 {
                self.base[r].en_i =
                    self.cfg_clear_i | self.again[0] | (self.write_base & self.is_row[r]);
                if self.again[0] {
                    self.base[r] = self.base[r] + self.increment_i[r];
                }
            } else {
                self.base[r].en_i = self.cfg_clear_i | (self.write_base & self.is_row[r]);
            }
            if self._trips > 0 {
                self.trips[r].load(self.write_base & self.is_row[r], self.cfg_trips_i);
                self.counts[r] = self.trips[r];
            } else {
                self.counts[r] = false;
            }
            if self._equality > 0 {
                self.equal[r].load(self.write_base & self.is_row[r], self.cfg_equal_i);
                self.equals[r] = self.equal[r];
            } else {
                self.equals[r] = false;
            }

            for c in 0..self._shape.loops_of(r) {
                let cell = self._shape.first(r) + c;
                self.here[cell] = self.is_row[r] & self.is_col[c];
                self.registers.write_initial_i[cell] =
                    self.cfg_clear_i | (self.write_initial & self.here[cell]);
                self.registers.write_step_i[cell] =
                    self.cfg_clear_i | (self.write_step & self.here[cell]);
                self.registers.write_distance_i[cell] =
                    self.cfg_clear_i | (self.write_end & self.here[cell]);
            }
        }
        self.registers.initial_i = self.initial_bus;
        self.registers.step_i = self.step_bus;
        self.registers.distance_i = self.distance;
        self.registers.load_i = self.load;
        self.core.initial_i.follow(&self.registers.initial_o);
        self.core.step_i.follow(&self.registers.step_o);
        self.core.distance_i.follow(&self.registers.distance_o);
        self.core
            .load_initial_i
            .follow(&self.registers.next_initial_o);
        self.core
            .load_distance_i
            .follow(&self.registers.next_distance_o);
        self.rows.load_i = self.load;
        self.rows.bare_i = self.bare;
        self.rows.base_i.follow(&self.base);
        self.rows.trips_i.follow(&self.counts);
        self.rows.equal_i.follow(&self.equals);
        self.core.base_i.follow(&self.rows.base_o);
        self.core.trips_i.follow(&self.rows.trips_o);
        self.core.equal_i.follow(&self.rows.equal_o);

        self.core.stop_i = self.stop_i;
        self.core.list_clear_i = self.cfg_clear_i;
        self.core.list_i = self.write_base & self.row_exists;
        self.core.list_row_i = self.cfg_row_i;
        self.core.list_kind_i = self.cfg_kind_i;
        self.core.list_attached_i = self.cfg_attached_i;
        self.core.list_loop_i = self.cfg_loop_i;
        self.core.load_i = self.load;
        // With one set of registers it does no harm to load counters that no row uses, which is known sooner.
        self.core.reload_i = mux(
            self._double > 0,
            self.load,
            self.start_i & !self.core.running_o,
        );
        self.core.again_i.follow(&self.again);
        self.core.pause_i = self.pause_i;
        self.core.ready_i = self.ready_i;

        self.able_o = self.core.able_o;
        self.valid_o = self.core.valid_o;
        self.addr_o = self.core.addr_o;
        self.row_o = self.core.row_o;
        self.kind_o = self.core.kind_o;
        self.last_o = self.core.last_o;
        self.end_o = self.core.end_o;
        self.final_o.follow(&self.core.final_o);
    }
}
