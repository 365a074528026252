//! Registers of one loop.

use crate::prelude::*;

/// Registers of one loop of a traversal unit: initial value (V), step (X), end (Y) and current
/// offset (Z) of every row. The active row's step, end and offset are shown at the outputs;
/// only its offset changes while the unit runs.
///
/// # Timing
/// Outputs follow `active_i` in the same cycle. Writes and the next offset take effect at the
/// next clock edge. A load shows at the outputs one cycle later.
#[derive(LogicBlock)]
pub struct LoopColumn<const W: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

    /// Sets all registers to 0; wins over everything else. `write_data_i` must be 0.
    pub clear_i: Signal<In, Bit>,
    /// Writes one register of this loop.
    pub write_i: Signal<In, Bit>,
    /// Register to write: 0 initial value, 1 step, 2 end; 3 writes nothing.
    pub write_sel_i: Signal<In, Bits<2>>,
    /// Row to write, one bit per row.
    pub write_row_i: Vec<Signal<In, Bit>>,
    /// Value to write.
    pub write_data_i: Signal<In, Bits<W>>,

    /// Offset := initial value, in every row.
    pub load_i: Signal<In, Bit>,
    /// The offset of the active row takes its next value.
    pub advance_i: Signal<In, Bit>,
    /// The next value is the initial value (the loop wraps), not `next_i`.
    pub wrap_i: Signal<In, Bit>,
    /// Offset plus step of the active row.
    pub next_i: Signal<In, Bits<W>>,

    /// Active row, one bit per row; all zero: none.
    pub active_i: Vec<Signal<In, Bit>>,
    /// Offset (Z) of the active row, 0 if there is none.
    pub offset_o: Signal<Out, Bits<W>>,
    /// Step (X) of the active row, 0 if there is none.
    pub step_o: Signal<Out, Bits<W>>,
    /// End (Y) of the active row, 0 if there is none.
    pub limit_o: Signal<Out, Bits<W>>,

    /// V, initial values.
    first: Vec<RegEn<Bits<W>>>,
    /// X, steps.
    step: Vec<RegEn<Bits<W>>>,
    /// Y, ends.
    limit: Vec<RegEn<Bits<W>>>,
    /// Z, current offsets.
    offset: Vec<RegEn<Bits<W>>>,
    write_first: Signal<Local, Bit>,
    write_step: Signal<Local, Bit>,
    write_limit: Signal<Local, Bit>,
    rewind: Signal<Local, Bit>,
    _rows: usize,
}

impl<const W: usize> LoopColumn<W> {
    /// The registers of one loop for `rows` rows.
    pub fn new(rows: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            clear_i: Default::default(),
            write_i: Default::default(),
            write_sel_i: Default::default(),
            write_row_i: v(rows),
            write_data_i: Default::default(),
            load_i: Default::default(),
            advance_i: Default::default(),
            wrap_i: Default::default(),
            next_i: Default::default(),
            active_i: v(rows),
            offset_o: Default::default(),
            step_o: Default::default(),
            limit_o: Default::default(),
            first: v(rows),
            step: v(rows),
            limit: v(rows),
            offset: v(rows),
            write_first: Default::default(),
            write_step: Default::default(),
            write_limit: Default::default(),
            rewind: Default::default(),
            _rows: rows,
        }
    }
}

impl<const W: usize> Logic for LoopColumn<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.write_first.next = self.write_i.val() & (self.write_sel_i.val() == bits::<2>(0));
        self.write_step.next = self.write_i.val() & (self.write_sel_i.val() == bits::<2>(1));
        self.write_limit.next = self.write_i.val() & (self.write_sel_i.val() == bits::<2>(2));
        self.rewind.next = self.load_i.val() | self.wrap_i.val();

        for r in 0..self._rows {
            self.first[r].clk.next = self.clk.val();
            self.first[r].rst_n.next = self.rst_n.val();
            self.first[r].en_i.next =
                self.clear_i.val() | (self.write_first.val() & self.write_row_i[r].val());
            self.first[r].d_i.next = self.write_data_i.val();

            self.step[r].clk.next = self.clk.val();
            self.step[r].rst_n.next = self.rst_n.val();
            self.step[r].en_i.next =
                self.clear_i.val() | (self.write_step.val() & self.write_row_i[r].val());
            self.step[r].d_i.next = self.write_data_i.val();

            self.limit[r].clk.next = self.clk.val();
            self.limit[r].rst_n.next = self.rst_n.val();
            self.limit[r].en_i.next =
                self.clear_i.val() | (self.write_limit.val() & self.write_row_i[r].val());
            self.limit[r].d_i.next = self.write_data_i.val();

            self.offset[r].clk.next = self.clk.val();
            self.offset[r].rst_n.next = self.rst_n.val();
            self.offset[r].en_i.next = self.clear_i.val()
                | self.load_i.val()
                | (self.advance_i.val() & self.active_i[r].val());
            self.offset[r].d_i.next = self.next_i.val();
            if self.clear_i.val() {
                self.offset[r].d_i.next = 0.into();
            } else if self.rewind.val() {
                self.offset[r].d_i.next = self.first[r].q_o.val();
            }
        }

        self.offset_o.next = 0.into();
        self.step_o.next = 0.into();
        self.limit_o.next = 0.into();
        for r in 0..self._rows {
            if self.active_i[r].val() {
                self.offset_o.next = self.offset_o.val() | self.offset[r].q_o.val();
                self.step_o.next = self.step_o.val() | self.step[r].q_o.val();
                self.limit_o.next = self.limit_o.val() | self.limit[r].q_o.val();
            }
        }
    }
    module!(|this| Meta::module("traversal_column")
        .param("rows", "m", this._rows, "rows")
        .param("W", "w", W, "bits of an offset"));
}
