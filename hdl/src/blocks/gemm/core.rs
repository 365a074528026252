//! The whole core.

use super::waves::*;
use super::{
    GemmCounters, GemmIssue, GemmSettings, GemmShape, OperandBanks, OperandRows, OperandSkew,
    PassQueue, ResultIssue, ResultName, WeightMemory,
};
use crate::array::DualArray;
use crate::blocks::offsets::OffsetUnit;
use crate::buffer::ResultsBuffer;
use heddle_kernel::prelude::*;

/// GEMM core: an offset unit, memories of operands and weights, an array that keeps weights or
/// sums, and a results memory for the sums of K tiles. Operands are read where the layer has left
/// them, at base plus offset; no matrix of them is made.
///
/// # Timing
/// A run takes as long as the slots of the unit, and with sums that stay rows - 1 clocks for each
/// pass, in which its sums leave; with banks a step takes the clocks of the bank that is wanted
/// most. A result of column c leaves c clocks after the one of column 0. With a step on the row
/// outputs of the unit in cycle T, its sum is on `c_data_o` of column 0 in T + rows + 5: results
/// of weights that stay row by row upwards, sums that stay from row rows - 1 of the pass on down to
/// row 0, the first one with the last step of the pass. `done_o` comes one clock after the last column
/// of the last result. The next run may start when `busy_o` is low; results of the run before may then
/// still leave, and their `done_o` comes before any result of the next one.
///
/// With `store_each` bit 3 of the mode is the core's; the unit does not see it. Results then leave
/// after each step (sums that stay; rows - 1 clocks follow each step) or K tile (weights that
/// stay), each with the sum so far, which the results memory keeps.
#[module(describe)]
pub struct Gemm<const A: usize> {
    /// Writes a register or an entry of a table.
    pub wr_valid_i: Signal<In, Bit>,
    /// The write is taken.
    pub wr_ready_o: Signal<Out, Bit>,
    /// 0 register, 1 base, 2 offset.
    pub wr_kind_i: Signal<In, Bits<2>>,
    /// Register or entry.
    pub wr_index_i: Signal<In, Bits<16>>,
    /// Value.
    pub wr_data_i: Signal<In, Bits<32>>,
    /// Of a base: filter rows that lie in the image; of an offset: its filter row, one-hot.
    pub wr_row_i: [Signal<In, Bits<1>>; shape.unit.taps],
    /// The same for filter columns.
    pub wr_col_i: [Signal<In, Bits<1>>; shape.unit.taps],
    /// A write was refused. Stays until the next accepted start.
    pub refused_o: Signal<Out, Bit>,
    /// Starts a run.
    pub start_i: Signal<In, Bit>,
    /// The unit is at work.
    pub busy_o: Signal<Out, Bit>,
    /// One clock, after the last result.
    pub done: OutReg<Bit>,
    /// Why the last start was refused: 1 to 4 as the unit says, 5 more GEMM rows than results fit
    /// in the memory; 0 it was not.
    pub error_o: Signal<Out, Bits<3>>,
    /// Writes an operand.
    pub a_wen_i: Signal<In, Bit>,
    /// Its byte address.
    pub a_addr_i: Signal<In, Bits<A>>,
    /// Operand, two's complement.
    pub a_data_i: Signal<In, Bits<8>>,
    /// Writes a weight word.
    pub b_wen_i: Signal<In, Bit>,
    /// Its address.
    pub b_addr_i: Signal<In, Bits<16>>,
    /// Weights, one per column, two's complement.
    pub b_data_i: [Signal<In, Bits<8>>; cols],
    /// One per column: a result.
    pub c_valid_o: [Signal<Out, Bit>; cols],
    /// Its GEMM row.
    pub c_row_o: [Signal<Out, Bits<16>>; cols],
    /// Its output channel.
    pub c_col_o: [Signal<Out, Bits<16>>; cols],
    /// The result, two's complement.
    pub c_data_o: [Signal<Out, Bits<32>>; cols],
    /// Clocks of this run in which rows waited for a bank.
    pub stalls_o: Signal<Out, Bits<32>>,
    /// Operands that rows have read in this run.
    pub reads_o: Signal<Out, Bits<32>>,
    #[new(GemmSettings::new(shape.results, shape.store_each))]
    settings: GemmSettings,
    #[new(OffsetUnit::new(&shape.unit))]
    unit: OffsetUnit<A>,
    #[new(GemmIssue::new(rows, cols, broadcast, shape.store_each))]
    issue: GemmIssue,
    /// A memory for each row, or one in banks.
    #[new(OperandRows::new(rows, shape.operand_bytes))]
    rows: [OperandRows<A>; 1 - banked],
    #[new(OperandBanks::new(rows, shape.operand_bytes, shape.banks, shape.merge))]
    banks: [OperandBanks<A>; banked],
    #[new(OperandSkew::new(rows))]
    skew: [OperandSkew; broadcast.into()],
    #[new(WeightMemory::new(cols, shape.weight_words))]
    weights: WeightMemory,
    #[new(DualArray::new(rows, cols))]
    array: DualArray,
    #[new(PassQueue::new(shape.store_each))]
    passes: PassQueue,
    #[new(ResultIssue::new(rows, shape.store_each))]
    result_issue: ResultIssue,
    #[new(ResultsBuffer::new(cols, shape.results / 2, false, 0))]
    results: ResultsBuffer,
    name: [ResultName; cols],
    #[new(GemmCounters::new(rows))]
    counters: GemmCounters,
    /// What the rows have read, before and behind the skew.
    read: [Operand<Local>; rows],
    operand: [Operand<Local>; rows],
    served: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    named: [ResultTag<Local>; cols + 1],
    /// What the core is built from.
    #[argument]
    _shape: &GemmShape,
    #[new(shape.checked(A))]
    _of: GemmShape,
    #[new(shape.unit.rows)]
    _rows: usize,
    #[new(shape.unit.cols)]
    _cols: usize,
    /// Rows share a memory.
    #[new((shape.banks > 0).into())]
    _banked: usize,
    #[new(shape.unit.broadcast)]
    _broadcast: bool,
}

impl<const A: usize> Gemm<A> {
    fn describe(&self, meta: Meta) -> Meta {
        self._of.describe(meta)
    }
}

#[kernel]
impl<const A: usize> Gemm<A> {
    fn update(&mut self) {
        self.registers();
        self.slots();
        self.operands();
        self.weight_memory();
        self.products();
        self.results();
        self.run_counters();
    }

    fn registers(&mut self) {
        comment!("Registers and tables");
        self.settings.write_i = self.wr_valid_i;
        self.settings.ready_i = self.unit.wr_ready_o;
        self.settings.kind_i = self.wr_kind_i;
        self.settings.index_i = self.wr_index_i;
        self.settings.data_i = self.wr_data_i.get_bits::<16>(0);
        self.settings.start_i = self.start_i;
        self.settings.busy_i = self.unit.busy_o;
        self.unit.wr_valid_i = self.wr_valid_i;
        self.wr_ready_o = self.unit.wr_ready_o;
        self.unit.wr_kind_i = self.wr_kind_i;
        self.unit.wr_index_i = self.wr_index_i;
        self.unit.wr_data_i = self.wr_data_i;
        if self._of.store_each {
            // MODE: each iteration is stored.
            if (self.wr_kind_i == 0) & (self.wr_index_i == 8) {
                self.unit.wr_data_i = self.wr_data_i.replace_bit(3, false);
            }
            self.issue.each_i[0] = self.settings.each_o[0];
        }
        self.unit.wr_row_i.follow(&self.wr_row_i);
        self.unit.wr_col_i.follow(&self.wr_col_i);
        self.refused_o = self.unit.refused_o;
        self.unit.start_i = self.settings.start_o;
        self.busy_o = self.unit.busy_o;
        self.error_o = mux(self.settings.refused_o, 5.into(), self.unit.error_o);
    }

    fn slots(&mut self) {
        comment!("Slots");
        self.issue.start_i = self.settings.start_o;
        self.issue.stay_i = self.settings.stay_o;
        self.issue.total_i = self.settings.total_o;
        self.issue.channels_i = self.settings.channels_o;
        self.issue.step_i = self.unit.row_valid_o[0];
        self.issue.first_i = self.unit.row_first_o[0];
        self.issue.last_i = self.unit.row_last_o[0];
        self.issue.b_valid_i = self.unit.b_valid_o;
        self.issue.b_row_i = self.unit.b_row_o;
        self.issue.held_i = self.unit.pass_held_o;
        self.issue.cols_i = self.unit.pass_cols_o;
        self.issue.sum_first_i = self.unit.pass_sum_first_o;
        self.issue.sum_last_i = self.unit.pass_sum_last_o;
        self.unit.ready_i = self.issue.ready_o;
    }

    fn operands(&mut self) {
        comment!("Operands");
        if self._banked > 0 {
            self.banks[0].wave_i.wen = self.a_wen_i;
            self.banks[0].wave_i.waddr = self.a_addr_i;
            self.banks[0].wave_i.wdata = self.a_data_i;
            self.banks[0].offer_i = self.issue.offer_o;
            self.served = self.banks[0].served_o;
            self.waits = self.banks[0].wait_o;
            self.banks[0].ren_i.follow(&self.unit.row_ren_o);
            self.banks[0].addr_i.follow(&self.unit.row_addr_o);
            self.read.follow(&self.banks[0].ports_o);
        } else {
            self.rows[0].wave_i.wen = self.a_wen_i;
            self.rows[0].wave_i.waddr = self.a_addr_i;
            self.rows[0].wave_i.wdata = self.a_data_i;
            self.served = true;
            self.waits = false;
            for r in 0..self._rows {
                let ren = self.unit.row_ren_o[r];
                self.rows[0].ren_i[r] = mux(self._broadcast, ren & self.issue.taken_o, ren);
            }
            self.rows[0].addr_i.follow(&self.unit.row_addr_o);
            self.read.follow(&self.rows[0].ports_o);
        }
        self.issue.served_i = self.served;
        if self._broadcast {
            self.skew[0].ports_i.follow(&self.read);
            self.operand.follow(&self.skew[0].ports_o);
        } else {
            self.operand.follow(&self.read);
        }
    }

    fn weight_memory(&mut self) {
        comment!("Weights");
        self.weights.wen_i = self.b_wen_i;
        self.weights.waddr_i = self.b_addr_i;
        self.weights.ren_i = self.issue.read_o;
        self.weights.addr_i = self.unit.b_addr_o;
    }

    fn products(&mut self) {
        comment!("Array");
        self.array.wave_i.follow(&self.issue.slot_o);
        for r in 0..self._rows {
            self.array.x_i[r] = self.operand[r].x;
            self.array.nz_i[r] = self.operand[r].nz;
        }
        self.weights.wdata_i.follow(&self.b_data_i);
        self.array.w_i.follow(&self.weights.w_o);
        self.array.psum_i.tie_low();
    }

    fn results(&mut self) {
        comment!("Results");
        self.passes.push_i = self.issue.pass_valid_o;
        self.passes.ports_i.follow(&self.issue.pass_o);
        self.passes.pop_i = self.array.tag_o.get_bit(1);
        self.result_issue.sum_i = self.array.tag_o.get_bit(0);
        self.result_issue.first_i = self.array.tag_o.get_bit(1);
        self.result_issue.end_i = self.array.tag_o.get_bit(2);
        self.result_issue.ports_i.follow(&self.passes.ports_o);
        self.results.wave_i.follow(&self.result_issue.slot_o);
        self.named[0].follow(&self.result_issue.wave_o);
        for j in 0..self._cols {
            self.results.sum_i[j] = self.array.psum_o[j];
            self.name[j].wave_i.follow(&self.named[j]);
            self.named[j + 1].follow(&self.name[j].wave_o);
            self.c_valid_o[j] = self.name[j].result_o;
            self.c_row_o[j] = self.name[j].wave_o.row;
            self.c_col_o[j] = self.name[j].wave_o.col;
            self.c_data_o[j] = self.results.acc_o[j];
        }
        self.done = self.named[self._cols].end;
    }

    fn run_counters(&mut self) {
        comment!("Counters");
        self.counters.clear_reads_i = self.array.tag_o.get_bit(3);
        self.counters.clear_stalls_i = self.settings.start_o;
        self.counters.wait_i = self.waits;
        for r in 0..self._rows {
            self.counters.read_i[r] = self.operand[r].read;
        }
        self.reads_o = self.counters.reads_o;
        self.stalls_o = self.counters.stalls_o;
    }
}
