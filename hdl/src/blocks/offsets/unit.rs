//! The offset unit.

use super::shape::{BEFORE, BROADCAST, EXPAND, PREFETCH, RUNNING, TAPS};
use super::{
    EntryTable, OffsetEntry, OffsetExpander, OffsetIssue, OffsetPass, OffsetRegisters, OffsetRows,
    OffsetSequencer, OffsetShape,
};
use heddle_kernel::prelude::*;

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
#[module(name = "offsets", describe)]
pub struct OffsetUnit<const A: usize> {
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
    pub wr_row_i: [Signal<In, Bits<1>>; shape.taps],
    /// Column bits, likewise.
    pub wr_col_i: [Signal<In, Bits<1>>; shape.taps],
    /// A write was refused since the last start.
    pub refused_o: Signal<Out, Bit>,
    refused: RegEn<Bit>,
    /// Starts a run.
    pub start_i: Signal<In, Bit>,
    /// A run is under way.
    pub busy_o: Signal<Out, Bit>,
    busy: RegEn<Bit>,
    /// The run is over: one clock, behind the last slot in the last row.
    pub done_o: Signal<Out, Bit>,
    done: Reg<Bit>,
    /// Why the last start was refused: 1 a count is 0, 2 bases beyond their table, 3 offsets beyond
    /// their table, 4 mode or shift that is not built; 0 it was accepted.
    pub error_o: Signal<Out, Bits<3>>,
    error: RegEn<Bits<3>>,
    /// Skew: the head may send a slot. Broadcast: the step on the rows is taken.
    pub ready_i: Signal<In, Bit>,
    /// A step is in row r.
    pub row_valid_o: [Signal<Out, Bit>; shape.rows],
    /// Row r reads.
    pub row_ren_o: [Signal<Out, Bit>; shape.rows],
    /// Its byte address, defined with `row_ren_o`.
    pub row_addr_o: [Signal<Out, Bits<A>>; shape.rows],
    /// First step of a pass.
    pub row_first_o: [Signal<Out, Bit>; shape.rows],
    /// Last step of a pass.
    pub row_last_o: [Signal<Out, Bit>; shape.rows],
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
    #[new(OffsetRegisters::new(shape))]
    registers: OffsetRegisters<A>,
    #[new(EntryTable::new(shape.bases, shape.taps))]
    base_table: EntryTable<A>,
    #[new(EntryTable::new(shape.offsets, shape.taps))]
    offset_table: EntryTable<A>,
    /// Only with `expand`.
    #[new(OffsetExpander::new(shape))]
    expander: [OffsetExpander<A>; shape.expand.into()],
    #[new(OffsetSequencer::new(shape))]
    sequencer: OffsetSequencer,
    #[new(OffsetEntry::new(shape.taps))]
    entry: OffsetEntry<A>,
    #[new(OffsetIssue::new(shape.taps, shape.running))]
    issue: OffsetIssue<A>,
    #[new(OffsetPass::new(shape))]
    pass: OffsetPass,
    #[new(OffsetRows::new(shape))]
    row: OffsetRows<A>,
    expanding: Signal<Local, Bit>,
    write: Signal<Local, Bit>,
    /// A start that is accepted.
    heard: Signal<Local, Bit>,
    start: Signal<Local, Bit>,
    refuse: Signal<Local, Bit>,
    /// Slots in tables and head move on; those in the rows.
    advance: Signal<Local, Bit>,
    rows_advance: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    finished: Signal<Local, Bit>,
    /// What the unit is built from.
    #[argument]
    _shape: &OffsetShape,
    #[new(shape.checked(A))]
    _of: OffsetShape,
}

impl<const A: usize> OffsetUnit<A> {
    fn describe(&self, meta: Meta) -> Meta {
        let shape = &self._of;
        meta.param("rows", "r", shape.rows, "rows")
            .param("cols", "q", shape.cols, "columns of the array")
            .param("A", "a", A, "bits of an address and of a table entry")
            .param("bases", "b", shape.bases, "entries of the table of bases")
            .param("offsets", "o", shape.offsets, "entries of the offsets")
            .option("taps", "t", shape.taps, TAPS)
            .option("broadcast", "c", shape.broadcast.into(), BROADCAST)
            .option("running", "s", shape.running.into(), RUNNING)
            .option("before", "i", shape.before.into(), BEFORE)
            .option("prefetch", "p", shape.prefetch.into(), PREFETCH)
            .option("expand", "x", shape.expand.into(), EXPAND)
    }
}

#[kernel]
impl<const A: usize> OffsetUnit<A> {
    fn update(&mut self) {
        self.writes();
        self.start_and_end();
        self.slots();
        self.tables();
        self.entries();
        self.to_rows();
    }

    fn writes(&mut self) {
        comment!("Writes: nothing changes during a run, nor in the clock of a start");
        self.expanding = mux(self._of.expand, self.expander[0].busy_o, false);
        self.wr_ready_o = self.rst_n & !self.expanding;
        self.write = self.wr_valid_i & !self.expanding;
        self.registers.write_i = self.write;
        self.registers.kind_i = self.wr_kind_i;
        self.registers.index_i = self.wr_index_i;
        self.registers.data_i = self.wr_data_i;
        self.registers.blocked_i = self.busy | self.start_i;
        if self._of.expand {
            self.refuse = self.registers.refused_o | self.expander[0].refused_o;
        } else {
            self.refuse = self.registers.refused_o;
        }
        self.refused.load(self.refuse | self.start, self.refuse);
    }

    fn start_and_end(&mut self) {
        comment!("Start and end");
        self.heard = self.start_i & !self.busy & !self.expanding;
        self.start = self.heard & (self.registers.code_o == 0);
        self.error.load(self.heard, self.registers.code_o);
        self.finished = self.row.end_o & self.rows_advance;
        self.busy.load(self.start | self.finished, self.start);
        self.done = self.finished;
    }

    fn slots(&mut self) {
        comment!("Slots");
        self.sequencer.start_i = self.start;
        self.sequencer.advance_i = self.advance;
        self.sequencer.ws_i = self.registers.ws_o;
        self.sequencer.steps_i = self.registers.steps_o;
        self.sequencer.t_i = self.registers.t_o;
        self.sequencer.k_i = self.registers.k_o;
        self.sequencer.n_i = self.registers.n_o;
        self.sequencer.base_ptr_i = self.registers.base_ptr_o;
        self.sequencer.offset_ptr_i = self.registers.offset_ptr_o;
    }

    fn tables(&mut self) {
        comment!("Tables");
        self.base_table.wen_i = self.registers.base_o;
        self.base_table.waddr_i = self.wr_index_i;
        self.base_table.value_i = self.wr_data_i.get_bits::<A>(0);
        self.base_table.ren_i = self.sequencer.base_ren_o;
        self.base_table.raddr_i = self.sequencer.base_addr_o;
        self.offset_table.wen_i = self.registers.offset_o;
        self.offset_table.waddr_i = self.wr_index_i;
        self.offset_table.value_i = self.wr_data_i.get_bits::<A>(0);
        self.offset_table.ren_i = self.sequencer.offset_ren_o;
        self.offset_table.raddr_i = self.sequencer.offset_addr_o;
        self.base_table.row_i.follow(&self.wr_row_i);
        self.base_table.col_i.follow(&self.wr_col_i);
        self.offset_table.row_i.follow(&self.wr_row_i);
        self.offset_table.col_i.follow(&self.wr_col_i);
        if self._of.expand {
            self.expander[0].write_i = self.registers.expander_o;
            self.expander[0].index_i = self.wr_index_i.get_bits::<4>(0);
            self.expander[0].data_i = self.wr_data_i;
            self.expander[0].read_i = self.entry.base_o;
            if self.expander[0].offset_o {
                self.expander[0].read_i = self.entry.offset_o;
            }
            for i in 0..self._of.taps {
                self.expander[0].row_i[i] = self.wr_row_i[i];
                self.expander[0].col_i[i] = self.wr_col_i[i];
                self.expander[0].read_row_i[i] = self.entry.base_row_o[i];
                self.expander[0].read_col_i[i] = self.entry.base_col_o[i];
                if self.expander[0].offset_o {
                    self.expander[0].read_row_i[i] = self.entry.offset_row_o[i];
                    self.expander[0].read_col_i[i] = self.entry.offset_col_o[i];
                }
            }
            if self.expanding {
                self.base_table.wen_i = self.expander[0].wen_o & !self.expander[0].offset_o;
                self.base_table.waddr_i = self.expander[0].waddr_o;
                self.base_table.value_i = self.expander[0].value_o;
                self.base_table.ren_i = self.expander[0].ren_o & !self.expander[0].offset_o;
                self.base_table.raddr_i = self.expander[0].raddr_o;
                self.offset_table.wen_i = self.expander[0].wen_o & self.expander[0].offset_o;
                self.offset_table.waddr_i = self.expander[0].waddr_o;
                self.offset_table.value_i = self.expander[0].value_o;
                self.offset_table.ren_i = self.expander[0].ren_o & self.expander[0].offset_o;
                self.offset_table.raddr_i = self.expander[0].raddr_o;
                self.base_table.row_i.follow(&self.expander[0].row_o);
                self.base_table.col_i.follow(&self.expander[0].col_o);
                self.offset_table.row_i.follow(&self.expander[0].row_o);
                self.offset_table.col_i.follow(&self.expander[0].col_o);
            }
        }
    }

    fn entries(&mut self) {
        comment!("From the tables to the head");
        self.entry.advance_i = self.advance;
        self.entry.ws_i = self.registers.ws_o;
        self.entry.shift_i = self.registers.shift_o;
        self.entry.masks_i = self.registers.masks_o;
        self.entry.valid_i = self.sequencer.valid_o;
        self.entry.tag_i = self.sequencer.tag_o;
        self.entry.origin_i = self.sequencer.origin_o;
        self.entry.sum_i = self.sequencer.sum_o;
        self.entry.keep_i = self.sequencer.keep_o;
        self.entry.base_i = self.base_table.value_o;
        self.entry.offset_i = self.offset_table.value_o;
        self.issue.advance_i = self.advance;
        self.issue.origin_value_i = self.registers.a_origin_o;
        self.issue.valid_i = self.entry.valid_o;
        self.issue.tag_i = self.entry.tag_o;
        self.issue.origin_i = self.entry.origin_o;
        self.issue.sum_i = self.entry.sum_o;
        self.issue.keep_i = self.entry.keep_o;
        self.issue.value_i = self.entry.value_o;
        self.entry.base_row_i.follow(&self.base_table.row_o);
        self.entry.base_col_i.follow(&self.base_table.col_o);
        self.entry.offset_row_i.follow(&self.offset_table.row_o);
        self.entry.offset_col_i.follow(&self.offset_table.col_o);
        self.issue.row_i.follow(&self.entry.row_o);
        self.issue.col_i.follow(&self.entry.col_o);
    }

    fn to_rows(&mut self) {
        comment!("From the head to the rows");
        if self._of.broadcast {
            self.rows_advance = self.ready_i | !self.row.row_valid_o[0];
            self.advance = self.rows_advance;
            self.accept = self.issue.valid_o & self.rows_advance;
        } else {
            self.rows_advance = true;
            self.advance = self.ready_i | !self.issue.valid_o;
            self.accept = self.issue.valid_o & self.ready_i;
        }
        self.row.advance_i = self.rows_advance;
        self.row.accept_i = self.accept;
        self.row.tag_i = self.issue.tag_o;
        self.row.value_i = self.issue.value_o;
        self.row.row_i.follow(&self.issue.row_o);
        self.row.col_i.follow(&self.issue.col_o);
        self.pass.advance_i = self.rows_advance;
        self.pass.accept_i = self.accept;
        self.pass.tag_i = self.issue.tag_o;
        self.pass.ws_i = self.registers.ws_o;
        self.pass.b_origin_i = self.registers.b_origin_o;

        self.refused_o.follow(&self.refused);
        self.busy_o.follow(&self.busy);
        self.done_o.follow(&self.done);
        self.error_o.follow(&self.error);
        self.row_valid_o.follow(&self.row.row_valid_o);
        self.row_ren_o.follow(&self.row.row_ren_o);
        self.row_addr_o.follow(&self.row.row_addr_o);
        self.row_first_o.follow(&self.row.row_first_o);
        self.row_last_o.follow(&self.row.row_last_o);
        self.b_valid_o = self.pass.b_valid_o;
        self.b_addr_o = self.pass.b_addr_o;
        self.b_row_o = self.pass.b_row_o;
        self.pass_held_o = self.pass.pass_held_o;
        self.pass_cols_o = self.pass.pass_cols_o;
        self.pass_sum_first_o = self.pass.pass_sum_first_o;
        self.pass_sum_last_o = self.pass.pass_sum_last_o;
    }
}
