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
#[module(name = "traversal_order")]
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
    /// No row runs after the active one.
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
    first_active: [Signal<Local, Bit>; rows],
    step_active: [Signal<Local, Bit>; rows],
    next_active: [Signal<Local, Bit>; rows],
    /// Rows.
    _rows: Param<'m'>,
    /// Loops in a row.
    _loops: Param<'n'>,
    /// 1: a waiting and an active list.
    _double: Optional<'x'>,
    /// 1: rows may be attached to a loop.
    _attach: Optional<'i'>,
    #[new(double * rows)]
    _second: usize,
    #[new(attach * rows)]
    _attached: usize,
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
        self.known = false;
        for k in 0..self._rows {
            self.known = self.known | (self.used[k] & (self.row[k] == self.list_row_i));
        }
        for k in 0..self._rows {
            if k > 0 {
                self.append[k] = self.list_i & !self.known & self.used[k - 1] & !self.used[k];
            } else {
                self.append[k] = self.list_i & !self.used[k];
            }
            self.used[k].load(self.clear_i | self.append[k], !self.clear_i);
            self.row[k].load(self.append[k], self.list_row_i);
            self.kind[k].load(self.append[k], self.list_kind_i);
        }
        self.listed_o = self.used[0];

        comment!("The list in use");
        if self._double > 0 {
            for k in 0..self._rows {
                self.active_used[k].load(self.load_i, self.used[k]);
                self.active_row[k].load(self.load_i, self.row[k]);
                self.active_kind[k].load(self.load_i, self.kind[k]);
                self.has[k] = self.active_used[k];
                self.has_row[k] = self.active_row[k];
                self.has_kind[k] = self.active_kind[k];
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
        self.follows = false;
        for k in 0..self._rows {
            self.follow[k] = mux(k > 0, self.place[k - 1] & self.has[k], false);
            self.follows = self.follows | self.follow[k];
        }
        self.in_middle = false;
        self.in_tensor = self.kind_now == 0;
        self.found = false;
        self.aside = false;
        for k in 0..self._rows {
            self.pick[k] = false;
        }
        if self._attach > 0 {
            self.in_middle = self.middle[0];
            for c in 0..self._loops {
                self.list_to[c] = self.list_attached_i & (self.list_loop_i == c.to_bits::<3>());
            }
            for k in 0..self._rows {
                for c in 0..self._loops {
                    self.attached[k][c].load(self.append[k], self.list_to[c]);
                    if self._double > 0 {
                        self.active_attached[k][c].load(self.load_i, self.attached[k][c]);
                        self.has_attached[k][c] = self.active_attached[k][c];
                    } else {
                        self.has_attached[k][c] = self.attached[k][c];
                    }
                }
            }
            for k in 0..self._rows {
                self.candidate[k] = !self.in_tensor & self.in_middle & self.due[k];
                for c in 0..self._loops {
                    self.candidate[k] = self.candidate[k]
                        | (self.in_tensor & self.has[k] & self.has_attached[k][c] & self.wrap_i[c]);
                }
            }
            for k in 0..self._rows {
                if self.has_kind[k] == 2 {
                    self.pick[k] = self.candidate[k] & !self.found;
                    self.found = self.found | self.candidate[k];
                }
            }
            for k in 0..self._rows {
                if self.has_kind[k] == 1 {
                    self.pick[k] = self.candidate[k] & !self.found;
                    self.found = self.found | self.candidate[k];
                }
            }
            self.aside =
                (self.in_tensor & self.found & !self.done_i) | (self.in_middle & self.done_i);
            for k in 0..self._rows {
                self.due[k].load(self.change, self.aside & self.candidate[k] & !self.pick[k]);
            }
            self.middle[0].load(self.change, self.aside & self.found & !self.load_i);
        }
        self.end_o = !self.follows & !self.in_middle;
    }

    /// Next place, row and kind.
    fn step(&mut self) {
        comment!("Next place, row and kind");
        for k in 0..self._rows {
            self.step_place[k] = self.follow[k];
            if self._attach > 0 {
                if self.aside {
                    self.step_place[k] =
                        self.pick[k] | (!self.found & self.has[k] & (self.has_kind[k] == 0));
                }
            }
        }
        self.step_row = 0.into();
        self.step_kind = 0.into();
        for k in 0..self._rows {
            if self.step_place[k] {
                self.step_row = self.step_row | self.has_row[k];
                self.step_kind = self.step_kind | self.has_kind[k];
            }
        }
        self.next_row = self.step_row;
        self.next_kind = self.step_kind;
        if self.load_i {
            self.next_row = self.row[0];
            self.next_kind = self.kind[0];
        }
        self.next_runs = (self.load_i | self.follows | self.aside) & !self.stop_i;
        for k in 0..self._rows {
            if k > 0 {
                self.next_place[k] = self.step_place[k] & !self.load_i & !self.stop_i;
            } else {
                self.next_place[k] = (self.step_place[k] | self.load_i) & !self.stop_i;
            }
        }

        self.change = self.load_i | self.stop_i | (self.advance_i & (self.done_i | self.aside));
        self.running.load(self.change, self.next_runs);
        self.number.load(self.change, self.next_row);
        self.kind_now.load(self.change, self.next_kind);
        for k in 0..self._rows {
            self.place[k].load(self.change, self.next_place[k]);
            // A start is known last: both rows are compared before it.
            self.first_active[k] = self.row[0] == k.to_bits::<3>();
            self.step_active[k] = (self.follows | self.aside) & (self.step_row == k.to_bits::<3>());
            self.next_active[k] = mux(self.load_i, self.first_active[k], self.step_active[k]);
            self.active[k].load(self.change, self.next_active[k] & !self.stop_i);
            self.active_o[k] = self.active[k];
        }

        self.running_o = self.running;
        self.row_o = self.number;
        self.kind_o = self.kind_now;
    }
}
