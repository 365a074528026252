//! The traversal unit.

use super::{LoopColumn, MathUnit, Odometer, RowSequence};
use crate::prelude::*;

/// Traversal unit: walks up to M nests of up to N loops one after another and emits one address
/// per clock. Every loop has an initial value (V), a step (X), an end (Y) and an offset (Z). The
/// address is the base of the row plus the offsets of its loops. After each address the
/// innermost loop advances by its step; a loop that reaches its end goes back to its initial
/// value and advances the next outer loop. When the outermost loop wraps, the next valid row
/// follows. A loop that is not used holds zeros.
///
/// # Timing
/// `start_i` in cycle t: offsets are loaded in t + 1, the first address is valid in t + 2. Then
/// one address per clock, without a gap at wraps and row changes. `busy_o` is high from t + 1
/// to the cycle in which the last address is taken. All outputs are registers; those beside
/// `valid_o` and `busy_o` are only defined with `valid_o`.
///
/// # Rules
/// Step 0 with an end above the initial value never ends. A write while busy changes the
/// running traversal. `cfg_clear_i` stops it at once: `busy_o` and `valid_o` are low in the
/// next cycle.
#[derive(LogicBlock)]
pub struct Traversal<const W: usize, const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

    /// Clears all registers, makes all rows invalid and stops a running traversal.
    pub cfg_clear_i: Signal<In, Bit>,
    /// Writes one register; ignored with `cfg_clear_i`.
    pub cfg_valid_i: Signal<In, Bit>,
    /// Register to write: 0 initial value, 1 step, 2 end, 3 base (also makes the row valid).
    pub cfg_sel_i: Signal<In, Bits<2>>,
    /// Row to write.
    pub cfg_row_i: Signal<In, Bits<3>>,
    /// Loop to write, 0 is the innermost; ignored for a base.
    pub cfg_col_i: Signal<In, Bits<3>>,
    /// Value to write, in the low bits.
    pub cfg_data_i: Signal<In, Bits<32>>,

    /// Starts with the lowest valid row; ignored while busy or without a valid row.
    pub start_i: Signal<In, Bit>,
    /// No new address is formed while high; an address that is valid stays valid.
    pub pause_i: Signal<In, Bit>,

    /// An address is waiting to be taken.
    pub valid_o: Signal<Out, Bit>,
    /// The address is taken at this clock edge if it is valid.
    pub ready_i: Signal<In, Bit>,
    /// Address.
    pub addr_o: Signal<Out, Bits<A>>,
    /// Row of the address.
    pub row_o: Signal<Out, Bits<3>>,
    /// Per loop: the address belongs to its last iteration.
    pub final_o: Vec<Signal<Out, Bit>>,
    /// Last address of the row.
    pub last_o: Signal<Out, Bit>,
    /// Last address of the traversal.
    pub end_o: Signal<Out, Bit>,

    /// Started, and not all addresses taken.
    pub busy_o: Signal<Out, Bit>,

    column: Vec<LoopColumn<W>>,
    rows: RowSequence<A>,
    math: MathUnit<W, A>,
    odometer: Odometer<W>,

    busy: RegEn<Bit>,
    valid: Reg<Bit>,
    addr: RegData<Bits<A>>,
    row: RegData<Bits<3>>,
    final_flag: Vec<RegData<Bit>>,
    last: RegData<Bit>,
    end_flag: RegData<Bit>,

    cfg_row: Vec<Signal<Local, Bit>>,
    cfg_data: Signal<Local, Bits<32>>,
    start: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    /// An address leaves the output registers, or they are empty.
    room: Signal<Local, Bit>,
    /// The output registers take an address and the active row advances.
    step: Signal<Local, Bit>,
    _rows: usize,
    _loops: usize,
}

impl<const W: usize, const A: usize> Traversal<W, A> {
    /// A unit of `rows` rows and `loops` loops per row.
    ///
    /// # Panics
    /// If `rows` or `loops` is not in 1..=8, or if `W` or `A` is above 32.
    pub fn new(rows: usize, loops: usize) -> Self {
        assert!((1..=8).contains(&rows), "rows is {rows}, allowed 1 to 8");
        assert!((1..=8).contains(&loops), "loops is {loops}, allowed 1 to 8");
        assert!(
            W <= 32 && A <= 32,
            "offsets and addresses have at most 32 bits"
        );
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            cfg_clear_i: Default::default(),
            cfg_valid_i: Default::default(),
            cfg_sel_i: Default::default(),
            cfg_row_i: Default::default(),
            cfg_col_i: Default::default(),
            cfg_data_i: Default::default(),
            start_i: Default::default(),
            pause_i: Default::default(),
            valid_o: Default::default(),
            ready_i: Default::default(),
            addr_o: Default::default(),
            row_o: Default::default(),
            final_o: v(loops),
            last_o: Default::default(),
            end_o: Default::default(),
            busy_o: Default::default(),
            column: (0..loops).map(|_| LoopColumn::new(rows)).collect(),
            rows: RowSequence::new(rows),
            math: MathUnit::new(loops),
            odometer: Odometer::new(loops),
            busy: Default::default(),
            valid: Default::default(),
            addr: Default::default(),
            row: Default::default(),
            final_flag: v(loops),
            last: Default::default(),
            end_flag: Default::default(),
            cfg_row: v(rows),
            cfg_data: Default::default(),
            start: Default::default(),
            load: Default::default(),
            room: Default::default(),
            step: Default::default(),
            _rows: rows,
            _loops: loops,
        }
    }
}

impl<const W: usize, const A: usize> Logic for Traversal<W, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Configuration");
        self.cfg_data.next = self.cfg_data_i.val();
        if self.cfg_clear_i.val() {
            self.cfg_data.next = 0.into();
        }
        for r in 0..self._rows {
            self.cfg_row[r].next = self.cfg_row_i.val() == r.to_bits::<3>();
        }

        comment!("Control");
        self.start.next = self.start_i.val() & !self.busy.q_o.val();
        self.load.next = self.start.val() & !self.rows.end_o.val();
        self.room.next = !self.valid.q_o.val() | self.ready_i.val();
        self.step.next = self.rows.running_o.val() & self.room.val() & !self.pause_i.val();

        comment!("Rows");
        self.rows.clk.next = self.clk.val();
        self.rows.rst_n.next = self.rst_n.val();
        self.rows.clear_i.next = self.cfg_clear_i.val();
        self.rows.write_i.next = self.cfg_valid_i.val() & (self.cfg_sel_i.val() == bits::<2>(3));
        self.rows.write_data_i.next = self.cfg_data.val().get_bits::<A>(0);
        self.rows.start_i.next = self.start.val();
        self.rows.done_i.next = self.step.val() & self.odometer.last_o.val();
        for r in 0..self._rows {
            self.rows.write_row_i[r].next = self.cfg_row[r].val();
        }

        comment!("Loops");
        for c in 0..self._loops {
            self.column[c].clk.next = self.clk.val();
            self.column[c].rst_n.next = self.rst_n.val();
            self.column[c].clear_i.next = self.cfg_clear_i.val();
            self.column[c].write_i.next =
                self.cfg_valid_i.val() & (self.cfg_col_i.val() == c.to_bits::<3>());
            self.column[c].write_sel_i.next = self.cfg_sel_i.val();
            self.column[c].write_data_i.next = self.cfg_data.val().get_bits::<W>(0);
            self.column[c].load_i.next = self.load.val();
            self.column[c].advance_i.next = self.step.val() & self.odometer.carry_o[c].val();
            self.column[c].wrap_i.next = self.odometer.final_o[c].val();
            self.column[c].next_i.next = self.math.next_o[c].val();
            for r in 0..self._rows {
                self.column[c].write_row_i[r].next = self.cfg_row[r].val();
                self.column[c].active_i[r].next = self.rows.active_o[r].val();
            }
        }

        self.math.base_i.next = self.rows.base_o.val();
        for c in 0..self._loops {
            self.math.offset_i[c].next = self.column[c].offset_o.val();
            self.math.step_i[c].next = self.column[c].step_o.val();
            self.odometer.offset_i[c].next = self.column[c].offset_o.val();
            self.odometer.step_i[c].next = self.column[c].step_o.val();
            self.odometer.limit_i[c].next = self.column[c].limit_o.val();
        }

        comment!("Output registers");
        self.valid.clk.next = self.clk.val();
        self.valid.rst_n.next = self.rst_n.val();
        self.valid.d_i.next = !self.cfg_clear_i.val()
            & (self.step.val() | (self.valid.q_o.val() & !self.ready_i.val()));

        self.addr.clk.next = self.clk.val();
        self.addr.en_i.next = self.step.val();
        self.addr.d_i.next = self.math.addr_o.val();
        self.row.clk.next = self.clk.val();
        self.row.en_i.next = self.step.val();
        self.row.d_i.next = self.rows.row_o.val();
        self.last.clk.next = self.clk.val();
        self.last.en_i.next = self.step.val();
        self.last.d_i.next = self.odometer.last_o.val();
        self.end_flag.clk.next = self.clk.val();
        self.end_flag.en_i.next = self.step.val();
        self.end_flag.d_i.next = self.odometer.last_o.val() & self.rows.end_o.val();
        for c in 0..self._loops {
            self.final_flag[c].clk.next = self.clk.val();
            self.final_flag[c].en_i.next = self.step.val();
            self.final_flag[c].d_i.next = self.odometer.final_o[c].val();
            self.final_o[c].next = self.final_flag[c].q_o.val();
        }

        self.busy.clk.next = self.clk.val();
        self.busy.rst_n.next = self.rst_n.val();
        self.busy.en_i.next = self.cfg_clear_i.val()
            | self.load.val()
            | (self.valid.q_o.val() & self.ready_i.val() & self.end_flag.q_o.val());
        self.busy.d_i.next = self.load.val() & !self.cfg_clear_i.val();

        self.valid_o.next = self.valid.q_o.val();
        self.addr_o.next = self.addr.q_o.val();
        self.row_o.next = self.row.q_o.val();
        self.last_o.next = self.last.q_o.val();
        self.end_o.next = self.end_flag.q_o.val();
        self.busy_o.next = self.busy.q_o.val();
    }
    module!(|this| Meta::module("traversal")
        .param("rows", "m", this._rows, "rows")
        .param("loops", "n", this._loops, "loops in a row")
        .param("W", "w", W, "bits of an offset")
        .param("A", "a", A, "bits of an address"));
}
