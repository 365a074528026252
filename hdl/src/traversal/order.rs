//! Order of the rows.

use heddle_kernel::prelude::*;

/// Which rows a traversal visits, in which order, and which of them is active.
///
/// Rows are listed in the order in which they run. Places of the list, not rows, are counted: the
/// active place is kept as one bit per place, all zero while the unit does not run, and the row
/// that follows stands ready before the active one ends.
///
/// An attached prologue or epilogue also runs in the middle of the tensor: behind a step of the tensor
/// that makes its loop wrap. The tensor then keeps its place in `home`, and the attached rows that are
/// still due are remembered, one bit per place.
///
/// With two lists a listed row joins the waiting list; `load_i` makes it the active list.
///
/// # Timing
/// The active row changes one cycle after `load_i` or `advance_i`.
#[module(name = "traversal_order", build)]
pub struct RowOrder {
    /// Empties the list that is written; wins over `list_i`.
    pub clear_i: Signal<In, Bit>,
    /// Adds a row to the end of the list; ignored if it is listed already.
    pub list_i: Signal<In, Bit>,
    /// The row to list.
    pub list_row_i: Signal<In, Bits<3>>,
    /// Its kind: 0 tensor, 1 prologue, 2 epilogue.
    pub list_kind_i: Signal<In, Bits<2>>,
    /// It is attached to a loop of the tensor.
    pub list_attached_i: Signal<In, Bit>,
    /// The loop it is attached to.
    pub list_loop_i: Signal<In, Bits<3>>,
    /// Starts with the first listed row; only while none is active, or with the last step.
    pub load_i: Signal<In, Bit>,
    /// No row is active any more.
    pub stop_i: Signal<In, Bit>,
    /// The active row takes a step.
    pub advance_i: Signal<In, Bit>,
    /// With the step all loops of the active row wrap.
    pub done_i: Signal<In, Bit>,
    /// Loops of the active row that wrap with the step.
    pub wrap_i: [Signal<In, Bit>; loops],
    /// Some row is listed.
    pub listed_o: Signal<Out, Bit>,
    /// A row is active.
    pub running_o: Signal<Out, Bit>,
    /// Active row, one bit per row.
    pub active_o: [Signal<Out, Bit>; rows],
    /// Number of the active row.
    pub row_o: Signal<Out, Bits<3>>,
    /// Kind of the active row.
    pub kind_o: Signal<Out, Bits<2>>,
    /// No row runs behind the active one.
    pub end_o: Signal<Out, Bit>,
    /// The place holds a row.
    used: [RegEn<Bit>; rows],
    /// Row of the place.
    row: [RegEn<Bits<3>>; rows],
    /// Its kind.
    kind: [RegEn<Bits<2>>; rows],
    active_used: [RegEn<Bit>; second],
    active_row: [RegData<Bits<3>>; second],
    active_kind: [RegData<Bits<2>>; second],
    /// Loop an attached row belongs to, one bit per loop; all zero: not attached.
    #[new(grid(attached, loops))]
    attached: Vec<Vec<RegEn<Bit>>>,
    #[new(grid(attached.min(second), loops))]
    active_attached: Vec<Vec<RegData<Bit>>>,
    #[new(grid(attached, loops))]
    has_attached: Vec<Vec<Signal<Local, Bit>>>,
    /// Active place.
    place: [RegEn<Bit>; rows],
    /// Row at the active place, one bit per row.
    active: [RegEn<Bit>; rows],
    number: RegData<Bits<3>>,
    kind_now: RegData<Bits<2>>,
    running: RegEn<Bit>,
    /// Attached rows that still have to run in the middle of the tensor.
    due: [RegEn<Bit>; attached],
    /// The tensor is under way: attached rows return to it.
    middle: [RegEn<Bit>; attached.min(1)],
    in_middle: Signal<Local, Bit>,
    known: Signal<Local, Bit>,
    append: [Signal<Local, Bit>; rows],
    has: [Signal<Local, Bit>; rows],
    has_row: [Signal<Local, Bits<3>>; rows],
    has_kind: [Signal<Local, Bits<2>>; rows],
    /// The place behind the active one, if it holds a row.
    follow: [Signal<Local, Bit>; rows],
    follows: Signal<Local, Bit>,
    in_tensor: Signal<Local, Bit>,
    /// Attached rows that may run now.
    candidate: [Signal<Local, Bit>; attached],
    /// Loop the listed row is attached to, one bit per loop.
    list_to: [Signal<Local, Bit>; attach * loops],
    /// The first of them: epilogues, then prologues.
    pick: [Signal<Local, Bit>; rows],
    found: Signal<Local, Bit>,
    change: Signal<Local, Bit>,
    aside: Signal<Local, Bit>,
    step_place: [Signal<Local, Bit>; rows],
    step_row: Signal<Local, Bits<3>>,
    step_kind: Signal<Local, Bits<2>>,
    next_place: [Signal<Local, Bit>; rows],
    next_row: Signal<Local, Bits<3>>,
    next_kind: Signal<Local, Bits<2>>,
    next_runs: Signal<Local, Bit>,
    /// Rows.
    _rows: Param<'m'>,
    /// Loops in a row.
    _loops: Param<'n'>,
    /// 1: a waiting and an active list.
    _double: Optional<'x'>,
    /// 1: rows may be attached to a loop.
    _attach: Optional<'i'>,
    #[argument]
    _second: usize,
    #[argument]
    _attached: usize,
}

impl RowOrder {
    /// The order of up to `rows` rows of `loops` loops; with `double` in two lists, with `attach` for
    /// attached rows too.
    pub fn new(rows: usize, loops: usize, double: bool, attach: bool) -> Self {
        let second = if double { rows } else { 0 };
        let attached = if attach { rows } else { 0 };
        Self::build(rows, loops, double.into(), attach.into(), second, attached)
    }
}

/// `rows` by `loops` default values.
fn grid<T: Default>(rows: usize, loops: usize) -> Vec<Vec<T>> {
    (0..rows).map(|_| v(loops)).collect()
}

// In a kernel an option and a signal are no single condition.
#[allow(clippy::collapsible_if)]
#[kernel]
impl RowOrder {
    fn update(&mut self) {
        self.lists();
        self.following();
        self.step();
    }

    /// The list that is written, and the list in use.
    fn lists(&mut self) {
        comment!("The list that is written");
        self.known.next = false;
        for k in 0..self._rows {
            self.known.next = self.known.val()
                | (self.used[k].q_o.val() & (self.row[k].q_o.val() == self.list_row_i.val()));
        }
        for k in 0..self._rows {
            if k > 0 {
                self.append[k].next = self.list_i.val()
                    & !self.known.val()
                    & self.used[k - 1].q_o.val()
                    & !self.used[k].q_o.val();
            } else {
                self.append[k].next = self.list_i.val() & !self.used[k].q_o.val();
            }
            self.used[k].en_i.next = self.clear_i.val() | self.append[k].val();
            self.used[k].d_i.next = !self.clear_i.val();
            self.row[k].en_i.next = self.append[k].val();
            self.row[k].d_i.next = self.list_row_i.val();
            self.kind[k].en_i.next = self.append[k].val();
            self.kind[k].d_i.next = self.list_kind_i.val();
        }
        self.listed_o.next = self.used[0].q_o.val();

        comment!("The list in use");
        if self._double > 0 {
            for k in 0..self._rows {
                self.active_used[k].en_i.next = self.load_i.val();
                self.active_used[k].d_i.next = self.used[k].q_o.val();
                self.active_row[k].en_i.next = self.load_i.val();
                self.active_row[k].d_i.next = self.row[k].q_o.val();
                self.active_kind[k].en_i.next = self.load_i.val();
                self.active_kind[k].d_i.next = self.kind[k].q_o.val();
                self.has[k].next = self.active_used[k].q_o.val();
                self.has_row[k].next = self.active_row[k].q_o.val();
                self.has_kind[k].next = self.active_kind[k].q_o.val();
            }
        } else {
            self.has.follow(&self.used);
            self.has_row.follow(&self.row);
            self.has_kind.follow(&self.kind);
        }
    }

    /// The row that follows the active one.
    fn following(&mut self) {
        comment!("The row that follows the active one");
        self.follows.next = false;
        for k in 0..self._rows {
            if k > 0 {
                self.follow[k].next = self.place[k - 1].q_o.val() & self.has[k].val();
            } else {
                self.follow[k].next = false;
            }
            self.follows.next = self.follows.val() | self.follow[k].val();
        }
        self.in_middle.next = false;
        self.in_tensor.next = self.kind_now.q_o.val() == 0;
        self.found.next = false;
        self.aside.next = false;
        for k in 0..self._rows {
            self.pick[k].next = false;
        }
        if self._attach > 0 {
            self.in_middle.next = self.middle[0].q_o.val();
            for c in 0..self._loops {
                self.list_to[c].next =
                    self.list_attached_i.val() & (self.list_loop_i.val() == c.to_bits::<3>());
            }
            for k in 0..self._rows {
                for c in 0..self._loops {
                    self.attached[k][c].en_i.next = self.append[k].val();
                    self.attached[k][c].d_i.next = self.list_to[c].val();
                    if self._double > 0 {
                        self.active_attached[k][c].en_i.next = self.load_i.val();
                        self.active_attached[k][c].d_i.next = self.attached[k][c].q_o.val();
                        self.has_attached[k][c].next = self.active_attached[k][c].q_o.val();
                    } else {
                        self.has_attached[k][c].next = self.attached[k][c].q_o.val();
                    }
                }
            }
            for k in 0..self._rows {
                self.candidate[k].next =
                    !self.in_tensor.val() & self.in_middle.val() & self.due[k].q_o.val();
                for c in 0..self._loops {
                    self.candidate[k].next = self.candidate[k].val()
                        | (self.in_tensor.val()
                            & self.has[k].val()
                            & self.has_attached[k][c].val()
                            & self.wrap_i[c].val());
                }
            }
            for k in 0..self._rows {
                if self.has_kind[k].val() == 2 {
                    self.pick[k].next = self.candidate[k].val() & !self.found.val();
                    self.found.next = self.found.val() | self.candidate[k].val();
                }
            }
            for k in 0..self._rows {
                if self.has_kind[k].val() == 1 {
                    self.pick[k].next = self.candidate[k].val() & !self.found.val();
                    self.found.next = self.found.val() | self.candidate[k].val();
                }
            }
            self.aside.next = (self.in_tensor.val() & self.found.val() & !self.done_i.val())
                | (self.in_middle.val() & self.done_i.val());
            for k in 0..self._rows {
                self.due[k].en_i.next = self.change.val();
                self.due[k].d_i.next =
                    self.aside.val() & self.candidate[k].val() & !self.pick[k].val();
            }
            self.middle[0].en_i.next = self.change.val();
            self.middle[0].d_i.next = self.aside.val() & self.found.val() & !self.load_i.val();
        }
        self.end_o.next = !self.follows.val() & !self.in_middle.val();
    }

    /// Next place, row and kind.
    fn step(&mut self) {
        comment!("Next place, row and kind");
        for k in 0..self._rows {
            self.step_place[k].next = self.follow[k].val();
            if self._attach > 0 {
                if self.aside.val() {
                    self.step_place[k].next = self.pick[k].val()
                        | (!self.found.val() & self.has[k].val() & (self.has_kind[k].val() == 0));
                }
            }
        }
        self.step_row.next = 0.into();
        self.step_kind.next = 0.into();
        for k in 0..self._rows {
            if self.step_place[k].val() {
                self.step_row.next = self.step_row.val() | self.has_row[k].val();
                self.step_kind.next = self.step_kind.val() | self.has_kind[k].val();
            }
        }
        self.next_row.next = self.step_row.val();
        self.next_kind.next = self.step_kind.val();
        if self.load_i.val() {
            self.next_row.next = self.row[0].q_o.val();
            self.next_kind.next = self.kind[0].q_o.val();
        }
        self.next_runs.next =
            (self.load_i.val() | self.follows.val() | self.aside.val()) & !self.stop_i.val();
        for k in 0..self._rows {
            if k > 0 {
                self.next_place[k].next =
                    self.step_place[k].val() & !self.load_i.val() & !self.stop_i.val();
            } else {
                self.next_place[k].next =
                    (self.step_place[k].val() | self.load_i.val()) & !self.stop_i.val();
            }
        }

        self.change.next = self.load_i.val()
            | self.stop_i.val()
            | (self.advance_i.val() & (self.done_i.val() | self.aside.val()));
        self.running.en_i.next = self.change.val();
        self.running.d_i.next = self.next_runs.val();
        self.number.en_i.next = self.change.val();
        self.number.d_i.next = self.next_row.val();
        self.kind_now.en_i.next = self.change.val();
        self.kind_now.d_i.next = self.next_kind.val();
        for k in 0..self._rows {
            self.place[k].en_i.next = self.change.val();
            self.place[k].d_i.next = self.next_place[k].val();
            self.active[k].en_i.next = self.change.val();
            self.active[k].d_i.next =
                self.next_runs.val() & (self.next_row.val() == k.to_bits::<3>());
            self.active_o[k].next = self.active[k].q_o.val();
        }

        self.running_o.next = self.running.q_o.val();
        self.row_o.next = self.number.q_o.val();
        self.kind_o.next = self.kind_now.q_o.val();
    }
}
