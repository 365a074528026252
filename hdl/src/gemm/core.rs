//! The whole core.

use super::{
    GemmCounters, GemmHead, GemmSettings, GemmShape, OperandBanks, OperandRows, OperandSkew,
    PassQueue, ResultHead, ResultName, WeightMemory,
};
use crate::array::DualArray;
use crate::buffer::ResultsBuffer;
use crate::offsets::OffsetUnit;
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
/// behind each step (sums that stay; rows - 1 clocks follow each step) or K tile (weights that
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
    #[new(GemmHead::new(rows, cols, broadcast, shape.store_each))]
    head: GemmHead,
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
    #[new(ResultHead::new(rows, shape.store_each))]
    result_head: ResultHead,
    #[new(ResultsBuffer::new(cols, shape.results / 2))]
    results: ResultsBuffer,
    name: [ResultName; cols],
    #[new(GemmCounters::new(rows))]
    counters: GemmCounters,
    /// What the rows have read, before and behind the skew.
    read_x: [Signal<Local, Bits<8>>; rows],
    read_nz: [Signal<Local, Bit>; rows],
    read: [Signal<Local, Bit>; rows],
    x: [Signal<Local, Bits<8>>; rows],
    nz: [Signal<Local, Bit>; rows],
    was_read: [Signal<Local, Bit>; rows],
    served: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    valid: [Signal<Local, Bit>; cols + 1],
    c_row: [Signal<Local, Bits<16>>; cols + 1],
    c_col: [Signal<Local, Bits<16>>; cols + 1],
    width: [Signal<Local, Bits<9>>; cols + 1],
    end_of_run: [Signal<Local, Bit>; cols + 1],
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

#[kernel]
impl<const A: usize> Gemm<A> {
    fn registers(&mut self) {
        comment!("Registers and tables");
        self.settings.write_i.next = self.wr_valid_i.val();
        self.settings.ready_i.next = self.unit.wr_ready_o.val();
        self.settings.kind_i.next = self.wr_kind_i.val();
        self.settings.index_i.next = self.wr_index_i.val();
        self.settings.data_i.next = self.wr_data_i.val().get_bits::<16>(0);
        self.settings.start_i.next = self.start_i.val();
        self.settings.busy_i.next = self.unit.busy_o.val();
        self.unit.wr_valid_i.next = self.wr_valid_i.val();
        self.wr_ready_o.next = self.unit.wr_ready_o.val();
        self.unit.wr_kind_i.next = self.wr_kind_i.val();
        self.unit.wr_index_i.next = self.wr_index_i.val();
        self.unit.wr_data_i.next = self.wr_data_i.val();
        if self._of.store_each {
            // MODE: each iteration is stored.
            if (self.wr_kind_i.val() == 0) & (self.wr_index_i.val() == 8) {
                self.unit.wr_data_i.next = self.wr_data_i.val().replace_bit(3, false);
            }
            self.head.each_i[0].next = self.settings.each_o[0].val();
            self.passes.each_i[0].next = self.head.pass_each_o[0].val();
            self.result_head.each_i[0].next = self.passes.each_o[0].val();
        }
        self.unit.wr_row_i.follow(&self.wr_row_i);
        self.unit.wr_col_i.follow(&self.wr_col_i);
        self.refused_o.next = self.unit.refused_o.val();
        self.unit.start_i.next = self.settings.start_o.val();
        self.busy_o.next = self.unit.busy_o.val();
        self.error_o.next = self.unit.error_o.val();
        if self.settings.refused_o.val() {
            self.error_o.next = 5.into();
        }
    }

    fn slots(&mut self) {
        comment!("Slots");
        self.head.start_i.next = self.settings.start_o.val();
        self.head.stay_i.next = self.settings.stay_o.val();
        self.head.total_i.next = self.settings.total_o.val();
        self.head.channels_i.next = self.settings.channels_o.val();
        self.head.step_i.next = self.unit.row_valid_o[0].val();
        self.head.first_i.next = self.unit.row_first_o[0].val();
        self.head.last_i.next = self.unit.row_last_o[0].val();
        self.head.b_valid_i.next = self.unit.b_valid_o.val();
        self.head.b_row_i.next = self.unit.b_row_o.val();
        self.head.held_i.next = self.unit.pass_held_o.val();
        self.head.cols_i.next = self.unit.pass_cols_o.val();
        self.head.sum_first_i.next = self.unit.pass_sum_first_o.val();
        self.head.sum_last_i.next = self.unit.pass_sum_last_o.val();
        self.unit.ready_i.next = self.head.ready_o.val();
    }

    fn operands(&mut self) {
        comment!("Operands");
        if self._banked > 0 {
            self.banks[0].wen_i.next = self.a_wen_i.val();
            self.banks[0].waddr_i.next = self.a_addr_i.val();
            self.banks[0].wdata_i.next = self.a_data_i.val();
            self.banks[0].offer_i.next = self.head.offer_o.val();
            self.served.next = self.banks[0].served_o.val();
            self.waits.next = self.banks[0].wait_o.val();
            self.banks[0].ren_i.follow(&self.unit.row_ren_o);
            self.banks[0].addr_i.follow(&self.unit.row_addr_o);
            self.read_x.follow(&self.banks[0].x_o);
            self.read_nz.follow(&self.banks[0].nz_o);
            self.read.follow(&self.banks[0].read_o);
        } else {
            self.rows[0].wen_i.next = self.a_wen_i.val();
            self.rows[0].waddr_i.next = self.a_addr_i.val();
            self.rows[0].wdata_i.next = self.a_data_i.val();
            self.served.next = true;
            self.waits.next = false;
            for r in 0..self._rows {
                let ren = self.unit.row_ren_o[r].val();
                if self._broadcast {
                    self.rows[0].ren_i[r].next = ren & self.head.taken_o.val();
                } else {
                    self.rows[0].ren_i[r].next = ren;
                }
            }
            self.rows[0].addr_i.follow(&self.unit.row_addr_o);
            self.read_x.follow(&self.rows[0].x_o);
            self.read_nz.follow(&self.rows[0].nz_o);
            self.read.follow(&self.rows[0].read_o);
        }
        self.head.served_i.next = self.served.val();
        if self._broadcast {
            self.skew[0].x_i.follow(&self.read_x);
            self.skew[0].nz_i.follow(&self.read_nz);
            self.skew[0].read_i.follow(&self.read);
            self.x.follow(&self.skew[0].x_o);
            self.nz.follow(&self.skew[0].nz_o);
            self.was_read.follow(&self.skew[0].read_o);
        } else {
            self.x.follow(&self.read_x);
            self.nz.follow(&self.read_nz);
            self.was_read.follow(&self.read);
        }
    }

    fn weight_memory(&mut self) {
        comment!("Weights");
        self.weights.wen_i.next = self.b_wen_i.val();
        self.weights.waddr_i.next = self.b_addr_i.val();
        self.weights.ren_i.next = self.head.read_o.val();
        self.weights.addr_i.next = self.unit.b_addr_o.val();
    }

    fn products(&mut self) {
        comment!("Array");
        self.array.step_i.next = self.head.step_o.val();
        self.array.stay_i.next = self.head.stay_o.val();
        self.array.first_i.next = self.head.first_o.val();
        self.array.load_i.next = self.head.load_o.val();
        self.array.drain_i.next = self.head.drain_o.val();
        self.array.row_i.next = self.head.row_o.val();
        self.array.wait_i.next = self.head.wait_o.val();
        self.array.tag_i.next = self.head.tag_o.val();
        self.array.x_i.follow(&self.x);
        self.array.nz_i.follow(&self.nz);
        self.weights.wdata_i.follow(&self.b_data_i);
        self.array.w_i.follow(&self.weights.w_o);
        self.array.psum_i.tie_low();
    }

    fn results(&mut self) {
        comment!("Results");
        self.passes.push_i.next = self.head.pass_valid_o.val();
        self.passes.start_i.next = self.head.pass_start_o.val();
        self.passes.cols_i.next = self.head.pass_cols_o.val();
        self.passes.rows_i.next = self.head.pass_rows_o.val();
        self.passes.width_i.next = self.head.pass_width_o.val();
        self.passes.stay_i.next = self.head.pass_stay_o.val();
        self.passes.add_i.next = self.head.pass_add_o.val();
        self.passes.store_i.next = self.head.pass_store_o.val();
        self.passes.pop_i.next = self.array.tag_o.val().get_bit(1);
        self.result_head.sum_i.next = self.array.tag_o.val().get_bit(0);
        self.result_head.first_i.next = self.array.tag_o.val().get_bit(1);
        self.result_head.end_i.next = self.array.tag_o.val().get_bit(2);
        self.result_head.start_i.next = self.passes.start_o.val();
        self.result_head.cols_i.next = self.passes.cols_o.val();
        self.result_head.rows_i.next = self.passes.rows_o.val();
        self.result_head.width_i.next = self.passes.width_o.val();
        self.result_head.stay_i.next = self.passes.stay_o.val();
        self.result_head.add_i.next = self.passes.add_o.val();
        self.result_head.store_i.next = self.passes.store_o.val();
        self.results.valid_i.next = self.result_head.slot_valid_o.val();
        self.results.bank_i.next = self.result_head.slot_bank_o.val();
        self.results.addr_i.next = self.result_head.slot_addr_o.val();
        self.results.add_i.next = self.result_head.slot_add_o.val();
        self.results.sum_en_i.next = true;
        self.results.write_i.next = self.result_head.slot_write_o.val();
        self.valid[0].next = self.result_head.valid_o.val();
        self.c_row[0].next = self.result_head.row_o.val();
        self.c_col[0].next = self.result_head.col_o.val();
        self.width[0].next = self.result_head.width_o.val();
        self.end_of_run[0].next = self.result_head.end_o.val();
        for j in 0..self._cols {
            self.results.sum_i[j].next = self.array.psum_o[j].val();
            self.name[j].valid_i.next = self.valid[j].val();
            self.name[j].row_i.next = self.c_row[j].val();
            self.name[j].col_i.next = self.c_col[j].val();
            self.name[j].width_i.next = self.width[j].val();
            self.name[j].end_i.next = self.end_of_run[j].val();
            self.valid[j + 1].next = self.name[j].valid_o.val();
            self.c_row[j + 1].next = self.name[j].row_o.val();
            self.c_col[j + 1].next = self.name[j].col_o.val();
            self.width[j + 1].next = self.name[j].width_o.val();
            self.end_of_run[j + 1].next = self.name[j].end_o.val();
            self.c_valid_o[j].next = self.name[j].result_o.val();
            self.c_row_o[j].next = self.name[j].row_o.val();
            self.c_col_o[j].next = self.name[j].col_o.val();
            self.c_data_o[j].next = self.results.acc_o[j].val();
        }
        self.done.d_i.next = self.end_of_run[self._cols].val();
    }

    fn run_counters(&mut self) {
        comment!("Counters");
        self.counters.clear_reads_i.next = self.array.tag_o.val().get_bit(3);
        self.counters.clear_stalls_i.next = self.settings.start_o.val();
        self.counters.wait_i.next = self.waits.val();
        self.counters.read_i.follow(&self.was_read);
        self.reads_o.next = self.counters.reads_o.val();
        self.stalls_o.next = self.counters.stalls_o.val();
    }
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
}
