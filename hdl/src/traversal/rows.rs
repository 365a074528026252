//! Order of the rows.

use crate::prelude::*;

/// Row sequence of a traversal unit: base address and valid bit of every row, the active row
/// and the row that follows it. Valid rows are visited once each, lowest first.
///
/// The active row is kept as one bit per row, all zero while the unit does not run. The same
/// logic finds the first row of a start and the next row after a completed one.
///
/// # Timing
/// `active_o` changes one cycle after `start_i` or `done_i`; the other outputs follow it in the
/// same cycle.
#[derive(LogicBlock)]
pub struct RowSequence<const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

    /// No row is valid or active any more, bases are 0; wins over everything else.
    /// `write_data_i` must be 0.
    pub clear_i: Signal<In, Bit>,
    /// Writes a base and makes the row valid.
    pub write_i: Signal<In, Bit>,
    /// Row to write, one bit per row.
    pub write_row_i: Vec<Signal<In, Bit>>,
    /// Base address to write.
    pub write_data_i: Signal<In, Bits<A>>,

    /// Makes the first valid row active; only while no row is active.
    pub start_i: Signal<In, Bit>,
    /// The active row is completed: makes the next valid row active, or none.
    pub done_i: Signal<In, Bit>,

    /// A row is active.
    pub running_o: Signal<Out, Bit>,
    /// Active row, one bit per row.
    pub active_o: Vec<Signal<Out, Bit>>,
    /// Number of the active row, 0 if there is none.
    pub row_o: Signal<Out, Bits<3>>,
    /// Base address of the active row, 0 if there is none.
    pub base_o: Signal<Out, Bits<A>>,
    /// No valid row follows (or, while none is active: no row is valid).
    pub end_o: Signal<Out, Bit>,

    /// Rows that take part.
    valid: Vec<RegEn<Bit>>,
    /// Base addresses.
    base: Vec<RegEn<Bits<A>>>,
    active: Vec<RegEn<Bit>>,
    running: RegEn<Bit>,
    /// A row looked at from now on lies behind the active row, or no row is active.
    behind: Signal<Local, Bit>,
    /// Valid rows behind the active one.
    waiting: Vec<Signal<Local, Bit>>,
    /// The first of them.
    follow: Vec<Signal<Local, Bit>>,
    found: Signal<Local, Bit>,
    change: Signal<Local, Bit>,
    _rows: usize,
}

impl<const A: usize> RowSequence<A> {
    /// The sequence of `rows` rows.
    pub fn new(rows: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            clear_i: Default::default(),
            write_i: Default::default(),
            write_row_i: v(rows),
            write_data_i: Default::default(),
            start_i: Default::default(),
            done_i: Default::default(),
            running_o: Default::default(),
            active_o: v(rows),
            row_o: Default::default(),
            base_o: Default::default(),
            end_o: Default::default(),
            valid: v(rows),
            base: v(rows),
            active: v(rows),
            running: Default::default(),
            behind: Default::default(),
            waiting: v(rows),
            follow: v(rows),
            found: Default::default(),
            change: Default::default(),
            _rows: rows,
        }
    }
}

impl<const A: usize> Logic for RowSequence<A> {
    #[hdl_gen]
    fn update(&mut self) {
        for r in 0..self._rows {
            self.valid[r].clk.next = self.clk.val();
            self.valid[r].rst_n.next = self.rst_n.val();
            self.valid[r].en_i.next =
                self.clear_i.val() | (self.write_i.val() & self.write_row_i[r].val());
            self.valid[r].d_i.next = !self.clear_i.val();

            self.base[r].clk.next = self.clk.val();
            self.base[r].rst_n.next = self.rst_n.val();
            self.base[r].en_i.next =
                self.clear_i.val() | (self.write_i.val() & self.write_row_i[r].val());
            self.base[r].d_i.next = self.write_data_i.val();
        }

        comment!("Valid rows behind the active one, or all valid rows if none is active");
        self.behind.next = !self.running.q_o.val();
        for r in 0..self._rows {
            self.waiting[r].next = self.behind.val() & self.valid[r].q_o.val();
            self.behind.next = self.behind.val() | self.active[r].q_o.val();
        }
        comment!("The first of them follows");
        self.found.next = false;
        for r in 0..self._rows {
            self.follow[r].next = self.waiting[r].val() & !self.found.val();
            self.found.next = self.found.val() | self.waiting[r].val();
        }
        self.end_o.next = !self.found.val();

        self.change.next = self.clear_i.val() | self.start_i.val() | self.done_i.val();
        self.running.clk.next = self.clk.val();
        self.running.rst_n.next = self.rst_n.val();
        self.running.en_i.next = self.change.val();
        self.running.d_i.next = !self.clear_i.val() & self.found.val();
        for r in 0..self._rows {
            self.active[r].clk.next = self.clk.val();
            self.active[r].rst_n.next = self.rst_n.val();
            self.active[r].en_i.next = self.change.val();
            self.active[r].d_i.next = !self.clear_i.val() & self.follow[r].val();
        }

        self.running_o.next = self.running.q_o.val();
        self.row_o.next = 0.into();
        self.base_o.next = 0.into();
        for r in 0..self._rows {
            self.active_o[r].next = self.active[r].q_o.val();
            if self.active[r].q_o.val() {
                if r > 0 {
                    self.row_o.next = self.row_o.val() | r.to_bits::<3>();
                }
                self.base_o.next = self.base_o.val() | self.base[r].q_o.val();
            }
        }
    }
    module!(|this| Meta::module("traversal_rows")
        .param("rows", "m", this._rows, "rows")
        .param("A", "a", A, "bits of an address"));
}
