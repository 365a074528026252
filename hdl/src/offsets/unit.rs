//! The offset unit.

use super::{
    EntryTable, OffsetEntry, OffsetExpander, OffsetHead, OffsetPass, OffsetRegisters, OffsetRows,
    OffsetSequencer, OffsetShape,
};
use crate::prelude::*;

/// Makes the addresses of a GEMM whose operands lie in a tensor: element k of row m is at
/// base\[m\] + offset\[k\]. Two tables take the place of every calculation with the shape of the
/// tensor; a row has one adder.
///
/// # Timing
/// The first slot is at the head of the rows 5 clocks after `start_i`, then one in every clock. A slot
/// accepted at the head in cycle t shows at row r in t + 1 + r, with broadcast in t + 1.
///
/// # Rules
/// Tables and registers are written before a start. With broadcast the rows hold while a step is
/// on them and `ready_i` is low; with skew `ready_i` holds the head and a slot in the rows never
/// stops.
#[derive(LogicBlock)]
pub struct OffsetUnit<const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

    /// Writes a register or an entry.
    pub wr_valid_i: Signal<In, Bit>,
    /// The write is taken; low while the expander works.
    pub wr_ready_o: Signal<Out, Bit>,
    /// 0 register, 1 base, 2 offset.
    pub wr_kind_i: Signal<In, Bits<2>>,
    /// Register or entry.
    pub wr_index_i: Signal<In, Bits<16>>,
    /// Value, two's complement.
    pub wr_data_i: Signal<In, Bits<32>>,
    /// Row bits. Of a base: bit v is 1 if filter row v lies in the image. Of an offset: one-hot v.
    pub wr_row_i: Vec<Signal<In, Bits<1>>>,
    /// Column bits, likewise.
    pub wr_col_i: Vec<Signal<In, Bits<1>>>,
    /// A write was refused since the last start.
    pub refused_o: Signal<Out, Bit>,

    /// Starts a run.
    pub start_i: Signal<In, Bit>,
    /// A run is under way.
    pub busy_o: Signal<Out, Bit>,
    /// The run is over: one clock, behind the last slot in the last row.
    pub done_o: Signal<Out, Bit>,
    /// Why the last start was refused: 1 a count is 0, 2 bases beyond their table, 3 offsets beyond
    /// their table, 4 mode or shift that is not built; 0 it was accepted.
    pub error_o: Signal<Out, Bits<3>>,

    /// Skew: the head may send a slot. Broadcast: the step on the rows is taken.
    pub ready_i: Signal<In, Bit>,
    /// A step is in row r.
    pub row_valid_o: Vec<Signal<Out, Bit>>,
    /// Row r reads.
    pub row_ren_o: Vec<Signal<Out, Bit>>,
    /// Its byte address, defined with `row_ren_o`.
    pub row_addr_o: Vec<Signal<Out, Bits<A>>>,
    /// First step of a pass.
    pub row_first_o: Vec<Signal<Out, Bit>>,
    /// Last step of a pass.
    pub row_last_o: Vec<Signal<Out, Bit>>,

    /// A weight word is wanted, in the clock of row 0.
    pub b_valid_o: Signal<Out, Bit>,
    /// Its address.
    pub b_addr_o: Signal<Out, Bits<16>>,
    /// Weight stationary: the row it is for.
    pub b_row_o: Signal<Out, Bits<9>>,
    /// First row entry of the pass, m or k; with `row_valid_o[0]`.
    pub pass_held_o: Signal<Out, Bits<16>>,
    /// First output channel of the pass.
    pub pass_cols_o: Signal<Out, Bits<16>>,
    /// Weight stationary: first K tile; otherwise 1.
    pub pass_sum_first_o: Signal<Out, Bit>,
    /// Weight stationary: last K tile; otherwise 1.
    pub pass_sum_last_o: Signal<Out, Bit>,

    registers: OffsetRegisters<A>,
    base_table: EntryTable<A>,
    offset_table: EntryTable<A>,
    /// Only with `expand`.
    expander: Vec<OffsetExpander<A>>,
    sequencer: OffsetSequencer,
    entry: OffsetEntry<A>,
    head: OffsetHead<A>,
    pass: OffsetPass,
    row: OffsetRows<A>,

    refused: RegEn<Bit>,
    busy: RegEn<Bit>,
    done: Reg<Bit>,
    error: RegEn<Bits<3>>,

    expanding: Signal<Local, Bit>,
    write: Signal<Local, Bit>,
    /// A start that is heard, and accepted.
    heard: Signal<Local, Bit>,
    start: Signal<Local, Bit>,
    refuse: Signal<Local, Bit>,
    /// Slots in tables and head move on; those in the rows.
    advance: Signal<Local, Bit>,
    rows_advance: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    finished: Signal<Local, Bit>,
    _rows: usize,
    _cols: usize,
    _bases: usize,
    _offsets: usize,
    _taps: usize,
    _broadcast: usize,
    _running: usize,
    _before: usize,
    _prefetch: usize,
    _expand: usize,
}

impl<const A: usize> OffsetUnit<A> {
    /// A unit of this shape.
    ///
    /// # Panics
    /// If the shape is not allowed, or has another number of address bits.
    pub fn new(shape: &OffsetShape) -> Self {
        shape.check(A);
        let (rows, cols, taps) = (shape.rows, shape.cols, shape.taps);
        let expanders = usize::from(shape.expand);
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            wr_valid_i: Default::default(),
            wr_ready_o: Default::default(),
            wr_kind_i: Default::default(),
            wr_index_i: Default::default(),
            wr_data_i: Default::default(),
            wr_row_i: v(taps),
            wr_col_i: v(taps),
            refused_o: Default::default(),
            start_i: Default::default(),
            busy_o: Default::default(),
            done_o: Default::default(),
            error_o: Default::default(),
            ready_i: Default::default(),
            row_valid_o: v(rows),
            row_ren_o: v(rows),
            row_addr_o: v(rows),
            row_first_o: v(rows),
            row_last_o: v(rows),
            b_valid_o: Default::default(),
            b_addr_o: Default::default(),
            b_row_o: Default::default(),
            pass_held_o: Default::default(),
            pass_cols_o: Default::default(),
            pass_sum_first_o: Default::default(),
            pass_sum_last_o: Default::default(),
            registers: OffsetRegisters::new(shape),
            base_table: EntryTable::new(shape.bases, taps),
            offset_table: EntryTable::new(shape.offsets, taps),
            expander: (0..expanders).map(|_| OffsetExpander::new(shape)).collect(),
            sequencer: OffsetSequencer::new(shape),
            entry: OffsetEntry::new(taps),
            head: OffsetHead::new(taps, shape.running),
            pass: OffsetPass::new(shape),
            row: OffsetRows::new(shape),
            refused: Default::default(),
            busy: Default::default(),
            done: Default::default(),
            error: Default::default(),
            expanding: Default::default(),
            write: Default::default(),
            heard: Default::default(),
            start: Default::default(),
            refuse: Default::default(),
            advance: Default::default(),
            rows_advance: Default::default(),
            accept: Default::default(),
            finished: Default::default(),
            _rows: rows,
            _cols: cols,
            _bases: shape.bases,
            _offsets: shape.offsets,
            _taps: taps,
            _broadcast: shape.broadcast.into(),
            _running: shape.running.into(),
            _before: shape.before.into(),
            _prefetch: shape.prefetch.into(),
            _expand: shape.expand.into(),
        }
    }
}

impl<const A: usize> Logic for OffsetUnit<A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Writes: nothing changes during a run, nor in the clock of a start");
        self.expanding.next = false;
        if self._expand > 0 {
            self.expanding.next = self.expander[0].busy_o.val();
        }
        self.wr_ready_o.next = !self.expanding.val();
        self.write.next = self.wr_valid_i.val() & !self.expanding.val();
        self.registers.clk.next = self.clk.val();
        self.registers.rst_n.next = self.rst_n.val();
        self.registers.write_i.next = self.write.val();
        self.registers.kind_i.next = self.wr_kind_i.val();
        self.registers.index_i.next = self.wr_index_i.val();
        self.registers.data_i.next = self.wr_data_i.val();
        self.registers.blocked_i.next = self.busy.q_o.val() | self.start_i.val();
        if self._expand > 0 {
            self.refuse.next = self.registers.refused_o.val() | self.expander[0].refused_o.val();
        } else {
            self.refuse.next = self.registers.refused_o.val();
        }
        self.refused.clk.next = self.clk.val();
        self.refused.rst_n.next = self.rst_n.val();
        self.refused.en_i.next = self.refuse.val() | self.start.val();
        self.refused.d_i.next = self.refuse.val();

        comment!("Start and end");
        self.heard.next = self.start_i.val() & !self.busy.q_o.val() & !self.expanding.val();
        self.start.next = self.heard.val() & (self.registers.code_o.val() == 0);
        self.error.clk.next = self.clk.val();
        self.error.rst_n.next = self.rst_n.val();
        self.error.en_i.next = self.heard.val();
        self.error.d_i.next = self.registers.code_o.val();
        self.finished.next = self.row.end_o.val() & self.rows_advance.val();
        self.busy.clk.next = self.clk.val();
        self.busy.rst_n.next = self.rst_n.val();
        self.busy.en_i.next = self.start.val() | self.finished.val();
        self.busy.d_i.next = self.start.val();
        self.done.clk.next = self.clk.val();
        self.done.rst_n.next = self.rst_n.val();
        self.done.d_i.next = self.finished.val();

        comment!("Slots");
        self.sequencer.clk.next = self.clk.val();
        self.sequencer.rst_n.next = self.rst_n.val();
        self.sequencer.start_i.next = self.start.val();
        self.sequencer.advance_i.next = self.advance.val();
        self.sequencer.ws_i.next = self.registers.ws_o.val();
        self.sequencer.steps_i.next = self.registers.steps_o.val();
        self.sequencer.t_i.next = self.registers.t_o.val();
        self.sequencer.k_i.next = self.registers.k_o.val();
        self.sequencer.n_i.next = self.registers.n_o.val();
        self.sequencer.base_ptr_i.next = self.registers.base_ptr_o.val();
        self.sequencer.offset_ptr_i.next = self.registers.offset_ptr_o.val();

        comment!("Tables");
        self.base_table.clk.next = self.clk.val();
        self.base_table.wen_i.next = self.registers.base_o.val();
        self.base_table.waddr_i.next = self.wr_index_i.val();
        self.base_table.value_i.next = self.wr_data_i.val().get_bits::<A>(0);
        self.base_table.ren_i.next = self.sequencer.base_ren_o.val();
        self.base_table.raddr_i.next = self.sequencer.base_addr_o.val();
        self.offset_table.clk.next = self.clk.val();
        self.offset_table.wen_i.next = self.registers.offset_o.val();
        self.offset_table.waddr_i.next = self.wr_index_i.val();
        self.offset_table.value_i.next = self.wr_data_i.val().get_bits::<A>(0);
        self.offset_table.ren_i.next = self.sequencer.offset_ren_o.val();
        self.offset_table.raddr_i.next = self.sequencer.offset_addr_o.val();
        for i in 0..self._taps {
            self.base_table.row_i[i].next = self.wr_row_i[i].val();
            self.base_table.col_i[i].next = self.wr_col_i[i].val();
            self.offset_table.row_i[i].next = self.wr_row_i[i].val();
            self.offset_table.col_i[i].next = self.wr_col_i[i].val();
        }
        if self._expand > 0 {
            self.expander[0].clk.next = self.clk.val();
            self.expander[0].rst_n.next = self.rst_n.val();
            self.expander[0].write_i.next = self.registers.expander_o.val();
            self.expander[0].index_i.next = self.wr_index_i.val().get_bits::<4>(0);
            self.expander[0].data_i.next = self.wr_data_i.val();
            self.expander[0].read_i.next = self.entry.base_o.val();
            if self.expander[0].offset_o.val() {
                self.expander[0].read_i.next = self.entry.offset_o.val();
            }
            for i in 0..self._taps {
                self.expander[0].row_i[i].next = self.wr_row_i[i].val();
                self.expander[0].col_i[i].next = self.wr_col_i[i].val();
                self.expander[0].read_row_i[i].next = self.entry.base_row_o[i].val();
                self.expander[0].read_col_i[i].next = self.entry.base_col_o[i].val();
                if self.expander[0].offset_o.val() {
                    self.expander[0].read_row_i[i].next = self.entry.offset_row_o[i].val();
                    self.expander[0].read_col_i[i].next = self.entry.offset_col_o[i].val();
                }
            }
            if self.expanding.val() {
                self.base_table.wen_i.next =
                    self.expander[0].wen_o.val() & !self.expander[0].offset_o.val();
                self.base_table.waddr_i.next = self.expander[0].waddr_o.val();
                self.base_table.value_i.next = self.expander[0].value_o.val();
                self.base_table.ren_i.next =
                    self.expander[0].ren_o.val() & !self.expander[0].offset_o.val();
                self.base_table.raddr_i.next = self.expander[0].raddr_o.val();
                self.offset_table.wen_i.next =
                    self.expander[0].wen_o.val() & self.expander[0].offset_o.val();
                self.offset_table.waddr_i.next = self.expander[0].waddr_o.val();
                self.offset_table.value_i.next = self.expander[0].value_o.val();
                self.offset_table.ren_i.next =
                    self.expander[0].ren_o.val() & self.expander[0].offset_o.val();
                self.offset_table.raddr_i.next = self.expander[0].raddr_o.val();
                for i in 0..self._taps {
                    self.base_table.row_i[i].next = self.expander[0].row_o[i].val();
                    self.base_table.col_i[i].next = self.expander[0].col_o[i].val();
                    self.offset_table.row_i[i].next = self.expander[0].row_o[i].val();
                    self.offset_table.col_i[i].next = self.expander[0].col_o[i].val();
                }
            }
        }

        comment!("From the tables to the head");
        self.entry.clk.next = self.clk.val();
        self.entry.rst_n.next = self.rst_n.val();
        self.entry.advance_i.next = self.advance.val();
        self.entry.ws_i.next = self.registers.ws_o.val();
        self.entry.shift_i.next = self.registers.shift_o.val();
        self.entry.masks_i.next = self.registers.masks_o.val();
        self.entry.valid_i.next = self.sequencer.valid_o.val();
        self.entry.tag_i.next = self.sequencer.tag_o.val();
        self.entry.origin_i.next = self.sequencer.origin_o.val();
        self.entry.sum_i.next = self.sequencer.sum_o.val();
        self.entry.keep_i.next = self.sequencer.keep_o.val();
        self.entry.base_i.next = self.base_table.value_o.val();
        self.entry.offset_i.next = self.offset_table.value_o.val();
        self.head.clk.next = self.clk.val();
        self.head.rst_n.next = self.rst_n.val();
        self.head.advance_i.next = self.advance.val();
        self.head.origin_value_i.next = self.registers.a_origin_o.val();
        self.head.valid_i.next = self.entry.valid_o.val();
        self.head.tag_i.next = self.entry.tag_o.val();
        self.head.origin_i.next = self.entry.origin_o.val();
        self.head.sum_i.next = self.entry.sum_o.val();
        self.head.keep_i.next = self.entry.keep_o.val();
        self.head.value_i.next = self.entry.value_o.val();
        for i in 0..self._taps {
            self.entry.base_row_i[i].next = self.base_table.row_o[i].val();
            self.entry.base_col_i[i].next = self.base_table.col_o[i].val();
            self.entry.offset_row_i[i].next = self.offset_table.row_o[i].val();
            self.entry.offset_col_i[i].next = self.offset_table.col_o[i].val();
            self.head.row_i[i].next = self.entry.row_o[i].val();
            self.head.col_i[i].next = self.entry.col_o[i].val();
        }

        comment!("From the head to the rows");
        if self._broadcast > 0 {
            self.rows_advance.next = self.ready_i.val() | !self.row.row_valid_o[0].val();
            self.advance.next = self.rows_advance.val();
            self.accept.next = self.head.valid_o.val() & self.rows_advance.val();
        } else {
            self.rows_advance.next = true;
            self.advance.next = self.ready_i.val() | !self.head.valid_o.val();
            self.accept.next = self.head.valid_o.val() & self.ready_i.val();
        }
        self.row.clk.next = self.clk.val();
        self.row.rst_n.next = self.rst_n.val();
        self.row.advance_i.next = self.rows_advance.val();
        self.row.accept_i.next = self.accept.val();
        self.row.tag_i.next = self.head.tag_o.val();
        self.row.value_i.next = self.head.value_o.val();
        for i in 0..self._taps {
            self.row.row_i[i].next = self.head.row_o[i].val();
            self.row.col_i[i].next = self.head.col_o[i].val();
        }
        self.pass.clk.next = self.clk.val();
        self.pass.rst_n.next = self.rst_n.val();
        self.pass.advance_i.next = self.rows_advance.val();
        self.pass.accept_i.next = self.accept.val();
        self.pass.tag_i.next = self.head.tag_o.val();
        self.pass.ws_i.next = self.registers.ws_o.val();
        self.pass.b_origin_i.next = self.registers.b_origin_o.val();

        self.refused_o.next = self.refused.q_o.val();
        self.busy_o.next = self.busy.q_o.val();
        self.done_o.next = self.done.q_o.val();
        self.error_o.next = self.error.q_o.val();
        for r in 0..self._rows {
            self.row_valid_o[r].next = self.row.row_valid_o[r].val();
            self.row_ren_o[r].next = self.row.row_ren_o[r].val();
            self.row_addr_o[r].next = self.row.row_addr_o[r].val();
            self.row_first_o[r].next = self.row.row_first_o[r].val();
            self.row_last_o[r].next = self.row.row_last_o[r].val();
        }
        self.b_valid_o.next = self.pass.b_valid_o.val();
        self.b_addr_o.next = self.pass.b_addr_o.val();
        self.b_row_o.next = self.pass.b_row_o.val();
        self.pass_held_o.next = self.pass.pass_held_o.val();
        self.pass_cols_o.next = self.pass.pass_cols_o.val();
        self.pass_sum_first_o.next = self.pass.pass_sum_first_o.val();
        self.pass_sum_last_o.next = self.pass.pass_sum_last_o.val();
    }
    module!(|this| Meta::module("offsets")
        .param("rows", "r", this._rows, "rows")
        .param(
            "cols",
            "q",
            this._cols,
            "columns of the array behind the unit"
        )
        .param("A", "a", A, "bits of an address and of a table entry")
        .param("bases", "b", this._bases, "entries of the table of bases")
        .param(
            "offsets",
            "o",
            this._offsets,
            "entries of the table of offsets"
        )
        .option(
            "taps",
            "t",
            this._taps,
            "mask bits of an entry for each axis"
        )
        .option(
            "broadcast",
            "c",
            this._broadcast,
            "1: a slot is in all rows at once"
        )
        .option("running", "s", this._running, "1: offsets may be steps")
        .option(
            "before",
            "i",
            this._before,
            "1: an index is stepped before a read"
        )
        .option(
            "prefetch",
            "p",
            this._prefetch,
            "1: all bases of a run are read before its first step"
        )
        .option(
            "expand",
            "x",
            this._expand,
            "1: compressed tables may be expanded"
        ));
}
