//! The control half of the machine: host port, sequencer, units and counters.

mod shape;

use super::counters::describe;
use super::{Counters, DrainHead, HostPort, Prefetch, Sequencer, Status, StreamHead, WeightHead};
use crate::post::PostOptions;
use crate::prelude::*;
use crate::traversal::TraversalEngine;

pub use shape::ControlShape;

/// Everything but the data path: takes requests of the host, runs programs, drives the waves.
///
/// # Timing
/// With a slot on the operand wave in cycle t: bias wave t + 5, results wave t + Rows + 6,
/// post wave t + Rows + 8. `end_fault_i` belongs to the slot that was behind the last row in the
/// cycle before.
#[derive(LogicBlock)]
pub struct Control<const W: usize, const D: usize, const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Host request.
    pub host_valid_i: Signal<In, Bit>,
    /// The request is taken.
    pub host_ready_o: Signal<Out, Bit>,
    /// Write, else read.
    pub host_write_i: Signal<In, Bit>,
    /// Byte address, a multiple of 8.
    pub host_addr_i: Signal<In, Bits<32>>,
    /// Bytes to write.
    pub host_wdata_i: Vec<Signal<In, Bits<8>>>,
    /// Answer to a read.
    pub host_rvalid_o: Signal<Out, Bit>,
    /// Bytes read.
    pub host_rdata_o: Vec<Signal<Out, Bits<8>>>,
    /// A program runs.
    pub running_o: Signal<Out, Bit>,
    /// The program has reached HALT.
    pub done_o: Signal<Out, Bit>,
    /// The program was stopped by an error.
    pub error_o: Signal<Out, Bit>,
    /// Operand wave: tensor slot.
    pub op_valid_o: Signal<Out, Bit>,
    /// Operand wave: address.
    pub op_addr_o: Signal<Out, Bits<16>>,
    /// Operand wave: rows to be served.
    pub op_rows_o: Signal<Out, Bits<9>>,
    /// Operand wave: decode threshold.
    pub op_thr_o: Signal<Out, Bits<8>>,
    /// Operand wave: first slot of an instruction.
    pub op_fresh_o: Signal<Out, Bit>,
    /// Operand wave: weights swap behind this slot.
    pub op_swap_o: Signal<Out, Bit>,
    /// Operand wave: tag, see the stream head.
    pub op_tag_o: Signal<Out, Bits<8>>,
    /// Operand wave: the rows add their offsets.
    pub op_table_o: Signal<Out, Bit>,
    /// Operand wave: entry of the offsets.
    pub op_entry_o: Signal<Out, Bits<8>>,
    /// Operand wave behind the last row: tensor slot.
    pub end_valid_i: Signal<In, Bit>,
    /// Operand wave behind the last row: address.
    pub end_addr_i: Signal<In, Bits<16>>,
    /// Operand wave behind the last row: tag.
    pub end_tag_i: Signal<In, Bits<8>>,
    /// Operand wave behind the last row: a row had no address for a slot.
    pub end_fault_i: Signal<In, Bit>,
    /// Weight wave: slot.
    pub wt_valid_o: Signal<Out, Bit>,
    /// Weight wave: byte address.
    pub wt_addr_o: Signal<Out, Bits<16>>,
    /// Weight wave: rows to be served.
    pub wt_rows_o: Signal<Out, Bits<9>>,
    /// Weight wave: the word is copied.
    pub wt_copy_o: Signal<Out, Bit>,
    /// Weight wave: word address of the copy of the slot three cycles before.
    pub wt_dest_o: Signal<Out, Bits<13>>,
    /// Bias wave: load the bias of a column tile.
    pub bias_load_o: Signal<Out, Bit>,
    /// Bias wave: column tile.
    pub bias_tile_o: Signal<Out, Bits<8>>,
    /// Bias wave: vector of a first K tile.
    pub bias_first_o: Signal<Out, Bit>,
    /// Results wave: slot.
    pub res_valid_o: Signal<Out, Bit>,
    /// Results wave: bank.
    pub res_bank_o: Signal<Out, Bit>,
    /// Results wave: result address.
    pub res_addr_o: Signal<Out, Bits<12>>,
    /// Results wave: adds the stored value.
    pub res_add_o: Signal<Out, Bit>,
    /// Results wave: adds the array's sum.
    pub res_sum_o: Signal<Out, Bit>,
    /// Results wave: stores the result.
    pub res_write_o: Signal<Out, Bit>,
    /// Sums wave, with sums at the top: bank of `res_add_o`.
    pub res_add_bank_o: Vec<Signal<Out, Bit>>,
    /// Sums wave, with sums at the top: result address of `res_add_o`.
    pub res_add_addr_o: Vec<Signal<Out, Bits<12>>>,
    /// Post wave: load the scaling of a column tile.
    pub post_load_o: Signal<Out, Bit>,
    /// Post wave: column tile.
    pub post_tile_o: Signal<Out, Bits<8>>,
    /// Post wave: columns to be served.
    pub post_cols_o: Signal<Out, Bits<9>>,
    /// Columns before the first one to be served.
    pub post_skip_o: Signal<Out, Bits<8>>,
    /// Steps by which the columns are turned on their way to the partitions.
    pub post_turn_o: Signal<Out, Bits<8>>,
    /// Post wave: slot.
    pub post_valid_o: Signal<Out, Bit>,
    /// Post wave: byte address of the result.
    pub post_dest_o: Signal<Out, Bits<16>>,
    /// Post wave: last byte of the drain.
    pub post_flush_o: Signal<Out, Bit>,
    /// Post wave: first slot of a window.
    pub post_first_o: Vec<Signal<Out, Bit>>,
    /// Post wave: last slot of a window.
    pub post_last_o: Vec<Signal<Out, Bit>>,
    /// Post: what becomes of a window.
    pub post_reduction_o: Vec<Signal<Out, Bits<3>>>,
    /// Post: sums in a window, less one.
    pub post_window_o: Vec<Signal<Out, Bits<8>>>,
    /// Post: activation table from 1 on, 0 for none.
    pub post_table_o: Vec<Signal<Out, Bits<4>>>,
    /// Post: single rounding, else double.
    pub post_single_o: Signal<Out, Bit>,
    /// Post: lower clamp bound, signed.
    pub post_lo_o: Signal<Out, Bits<9>>,
    /// Post: upper clamp bound, signed.
    pub post_hi_o: Signal<Out, Bits<9>>,
    /// Writes a bias.
    pub bias_wen_o: Signal<Out, Bit>,
    /// Writes multiplier and shift.
    pub scale_wen_o: Signal<Out, Bit>,
    /// Column of the parameter.
    pub param_column_o: Signal<Out, Bits<8>>,
    /// Column tile of the parameter.
    pub param_tile_o: Signal<Out, Bits<8>>,
    /// Bias.
    pub bias_data_o: Signal<Out, Bits<32>>,
    /// Multiplier and shift.
    pub scale_data_o: Vec<Signal<Out, Bits<8>>>,
    /// Writes an entry of the activation tables: byte 0 of `scale_data_o`.
    pub activation_wen_o: Vec<Signal<Out, Bit>>,
    /// The entry: table from 0 on, and byte.
    pub activation_entry_o: Vec<Signal<Out, Bits<11>>>,
    /// State-buffer request of the host.
    pub buffer_valid_o: Signal<Out, Bit>,
    /// Write, else read.
    pub buffer_write_o: Signal<Out, Bit>,
    /// The write is for an offset table.
    pub buffer_table_o: Signal<Out, Bit>,
    /// Partition.
    pub buffer_partition_o: Signal<Out, Bits<8>>,
    /// Word of the partition.
    pub buffer_word_o: Signal<Out, Bits<13>>,
    /// Re-centred bytes to write.
    pub buffer_data_o: Vec<Signal<Out, Bits<8>>>,
    /// Answer of the state buffer.
    pub buffer_rvalid_i: Signal<In, Bit>,
    /// Re-centred bytes read.
    pub buffer_rdata_i: Vec<Signal<In, Bits<8>>>,
    /// Events of this cycle: zero operands, reads and writes of mask slices, reads and writes of
    /// each data slice.
    pub event_i: Vec<Signal<In, Bits<10>>>,
    host: HostPort,
    /// There is one if the program lies in banks.
    prefetch: Vec<Prefetch>,
    sequencer: Sequencer,
    status: Status,
    counters: Counters,
    weight_walk: TraversalEngine<W, D, A>,
    stream_walk: TraversalEngine<W, D, A>,
    drain_walk: TraversalEngine<W, D, A>,
    weight_head: WeightHead<A>,
    stream_head: StreamHead<A>,
    drain_head: DrainHead<A>,
    bias_load: Vec<Reg<Bit>>,
    bias_first: Vec<Reg<Bit>>,
    bias_tile: Vec<Delay<Bits<8>>>,
    idle: Signal<Local, Bit>,
    _loops: usize,
    _offset_bits: usize,
    _rows: usize,
    _cols: usize,
    _record_rows: usize,
    /// Rows up to that of the operands.
    _operand_rows: usize,
    _byte_bits: usize,
    _work_words: usize,
    _program_banks: usize,
    _banked: usize,
    _result_bits: usize,
    _tiles: usize,
    _pc_bits: usize,
    _row_offsets: usize,
    _counts: usize,
    /// Stored sums enter the array at the top.
    _sums: usize,
    _post: PostOptions,
    _pooling: usize,
    _medians: usize,
    _activates: usize,
}

impl<const W: usize, const D: usize, const A: usize> Logic for Control<W, D, A> {
    #[hdl_gen]
    fn update(&mut self) {
        self.host.clk.next = self.clk.val();
        self.host.rst_n.next = self.rst_n.val();
        self.sequencer.clk.next = self.clk.val();
        self.sequencer.rst_n.next = self.rst_n.val();
        self.status.clk.next = self.clk.val();
        self.status.rst_n.next = self.rst_n.val();
        self.counters.clk.next = self.clk.val();
        self.counters.rst_n.next = self.rst_n.val();
        self.weight_walk.clk.next = self.clk.val();
        self.weight_walk.rst_n.next = self.rst_n.val();
        self.stream_walk.clk.next = self.clk.val();
        self.stream_walk.rst_n.next = self.rst_n.val();
        self.drain_walk.clk.next = self.clk.val();
        self.drain_walk.rst_n.next = self.rst_n.val();
        self.weight_head.clk.next = self.clk.val();
        self.weight_head.rst_n.next = self.rst_n.val();
        self.stream_head.clk.next = self.clk.val();
        self.stream_head.rst_n.next = self.rst_n.val();
        self.drain_head.clk.next = self.clk.val();
        self.drain_head.rst_n.next = self.rst_n.val();
        for i in 0..5 {
            self.bias_load[i].clk.next = self.clk.val();
            self.bias_load[i].rst_n.next = self.rst_n.val();
            self.bias_first[i].clk.next = self.clk.val();
            self.bias_first[i].rst_n.next = self.rst_n.val();
            self.bias_tile[i].clk.next = self.clk.val();
        }

        // Host
        self.host.host_valid_i.next = self.host_valid_i.val();
        self.host.host_write_i.next = self.host_write_i.val();
        self.host.host_addr_i.next = self.host_addr_i.val();
        for i in 0..8 {
            self.host.host_wdata_i[i].next = self.host_wdata_i[i].val();
            self.host_rdata_o[i].next = self.host.host_rdata_o[i].val();
            self.scale_data_o[i].next = self.host.param_data_o[i].val();
            self.buffer_data_o[i].next = self.host.buffer_data_o[i].val();
            self.host.buffer_rdata_i[i].next = self.buffer_rdata_i[i].val();
        }
        for i in 0..self._banked {
            self.prefetch[i].clk.next = self.clk.val();
            self.prefetch[i].rst_n.next = self.rst_n.val();
            self.prefetch[i].start_i.next = self.host.start_o.val();
            self.prefetch[i].start_pc_i.next = self.host.start_pc_o.val();
            self.prefetch[i].run_i.next = self.sequencer.cycle_o.val();
            self.prefetch[i].running_i.next = self.sequencer.running_o.val();
            self.prefetch[i].pc_i.next = self.sequencer.fetch_pc_o[i].val();
            self.prefetch[i].host_valid_i.next = self.host.buffer_valid_o.val();
            self.prefetch[i].host_write_i.next = self.host.buffer_write_o.val();
            self.prefetch[i].host_table_i.next = self.host.buffer_table_o.val();
            self.prefetch[i].host_partition_i.next = self.host.buffer_partition_o.val();
            self.prefetch[i].host_word_i.next = self.host.buffer_word_o.val();
            self.prefetch[i].program_wen_i.next = self.host.program_wen_o.val();
            self.prefetch[i].program_pair_i.next = self.host.program_waddr_o.val();
            self.prefetch[i].answer_valid_i.next = self.buffer_rvalid_i.val();
            for k in 0..8 {
                self.prefetch[i].answer_i[k].next = self.buffer_rdata_i[k].val();
            }
            self.sequencer.ready_i[i].next = self.prefetch[i].ready_o.val();
        }
        self.host_ready_o.next = self.host.host_ready_o.val();
        self.host_rvalid_o.next = self.host.host_rvalid_o.val();
        self.host.running_i.next = self.sequencer.running_o.val();
        self.host.status_i.next = self.status.status_o.val();
        for i in 0..self._counts {
            self.host.count_i[i].next = self.counters.count_o[i].val();
        }
        self.bias_wen_o.next = self.host.bias_wen_o.val();
        self.scale_wen_o.next = self.host.scale_wen_o.val();
        self.param_column_o.next = self.host.column_o.val();
        self.param_tile_o.next = self.host.tile_o.val();
        for i in 0..self._activates {
            self.activation_wen_o[i].next = self.host.activation_wen_o[i].val();
            self.activation_entry_o[i].next = self.host.activation_entry_o[i].val();
            self.post_table_o[i].next = self.sequencer.param_o[2].val().get_bits::<4>(11);
        }
        self.bias_data_o.next = self.host.program_wdata_o.val();
        if self._banked > 0 {
            self.host.buffer_rvalid_i.next = self.prefetch[0].host_rvalid_o.val();
            self.buffer_valid_o.next = self.prefetch[0].valid_o.val();
            self.buffer_write_o.next = self.prefetch[0].write_o.val();
            self.buffer_table_o.next = self.prefetch[0].table_o.val();
            self.buffer_partition_o.next = self.prefetch[0].partition_o.val();
            self.buffer_word_o.next = self.prefetch[0].word_o.val();
            self.sequencer.program_wen_i.next = self.prefetch[0].wen_o.val();
            self.sequencer.program_waddr_i.next = self.prefetch[0].waddr_o.val();
            self.sequencer.program_wdata_i.next = self.prefetch[0].wdata_o.val();
        } else {
            self.host.buffer_rvalid_i.next = self.buffer_rvalid_i.val();
            self.buffer_valid_o.next = self.host.buffer_valid_o.val();
            self.buffer_write_o.next = self.host.buffer_write_o.val();
            self.buffer_table_o.next = self.host.buffer_table_o.val();
            self.buffer_partition_o.next = self.host.buffer_partition_o.val();
            self.buffer_word_o.next = self.host.buffer_word_o.val();
            self.sequencer.program_wen_i.next = self.host.program_wen_o.val();
            self.sequencer.program_waddr_i.next = self.host.program_waddr_o.val();
            self.sequencer.program_wdata_i.next = self.host.program_wdata_o.val();
        }

        // Sequencer
        self.sequencer.host_start_i.next = self.host.start_o.val();
        self.sequencer.start_pc_i.next = self.host.start_pc_o.val();
        self.sequencer.busy_i[0].next =
            self.weight_walk.busy_o.val() | self.weight_head.copying_o.val();
        self.sequencer.busy_i[1].next = self.stream_walk.busy_o.val();
        self.sequencer.busy_i[2].next = self.drain_head.busy_o.val();
        self.sequencer.progress_i.next = (self.weight_walk.valid_o.val()
            & self.weight_head.addr_ready_o.val())
            | (self.stream_walk.valid_o.val() & self.stream_head.addr_ready_o.val())
            | self.drain_head.addr_ready_o.val();
        self.sequencer.unit_error_i.next = self.status.unit_error_o.val();
        self.running_o.next = self.sequencer.running_o.val();
        self.idle.next = self.sequencer.clear_o.val();

        // Status
        self.status.start_i.next = self.host.start_o.val();
        self.status.running_i.next = self.sequencer.running_o.val();
        self.status.halt_i.next = self.sequencer.halt_o.val();
        self.status.fault_i.next = self.sequencer.fault_o.val();
        self.status.fault_code_i.next = self.sequencer.fault_code_o.val();
        self.status.pc_i.next = self.sequencer.pc_o.val();
        self.status.weights_error_i.next = self.weight_head.error_o.val();
        self.status.lost_i.next = self.weight_head.lost_o.val();
        self.status.stream_error_i.next = self.stream_head.error_o.val() | self.end_fault_i.val();
        self.status.drain_error_i.next = self.drain_head.dest_error_o.val();
        self.status.underflow_i.next = self.drain_head.underflow_o.val();
        for i in 0..3 {
            self.status.unit_pc_i[i].next = self.sequencer.unit_pc_o[i].val();
        }
        self.done_o.next = self.status.done_o.val();
        self.error_o.next = self.status.error_o.val();

        // Weight unit
        self.weight_walk.cfg_clear_i.next = self.sequencer.cfg_clear_o[0].val();
        self.weight_walk.stop_i.next = self.sequencer.cfg_clear_o[0].val();
        self.weight_walk.cfg_kind_i.next = 0.into();
        self.weight_walk.cfg_attached_i.next = false;
        self.weight_walk.cfg_loop_i.next = 0.into();
        self.weight_walk.cfg_equal_i.next = false;
        self.weight_walk.cfg_trips_i.next = false;
        self.weight_walk.cfg_group_i.next = false;
        self.weight_walk.alone_i.next = false;
        self.weight_walk.offset_only_i.next = false;
        self.weight_walk.cfg_valid_i.next = self.sequencer.cfg_valid_o[0].val();
        self.weight_walk.cfg_sel_i.next = self.sequencer.cfg_sel_o.val();
        self.weight_walk.cfg_row_i.next = self.sequencer.cfg_row_o.val();
        self.weight_walk.cfg_col_i.next = self.sequencer.cfg_col_o.val();
        self.weight_walk.cfg_data_i.next = self.sequencer.cfg_data_o.val();
        self.weight_walk.start_i.next = self.sequencer.start_o[0].val();
        self.weight_walk.pause_i.next = false;
        self.weight_walk.ready_i.next = self.weight_head.addr_ready_o.val();
        self.weight_head.clear_i.next = self.idle.val();
        self.weight_head.addr_valid_i.next = self.weight_walk.valid_o.val();
        self.weight_head.addr_i.next = self.weight_walk.addr_o.val();
        for i in 0..self._loops {
            self.weight_head.final_i[i].next = self.weight_walk.final_o[i].val();
        }
        self.weight_head.rows_i.next = self.sequencer.param_o[0].val().get_bits::<9>(0);
        self.weight_head.level_i.next = self.sequencer.param_o[0].val().get_bits::<3>(12);
        self.weight_head.flip_i.next = self.sequencer.param_o[0].val().get_bits::<5>(15);
        self.weight_head.streamed_i.next = self.sequencer.param_o[0].val().get_bit(20);
        self.weight_head.stall_i.next = self.stream_head.stall_o.val();
        self.weight_head.row_i.next = self.weight_walk.row_o.val();
        self.weight_head.swap_i.next = self.stream_head.swap_o.val();
        self.wt_valid_o.next = self.weight_head.wt_valid_o.val();
        self.wt_addr_o.next = self.weight_head.wt_addr_o.val();
        self.wt_rows_o.next = self.weight_head.wt_rows_o.val();
        self.weight_head.copy_i.next = self.sequencer.copy_o.val();
        self.weight_head.distance_i.next = self.sequencer.second_param_o[0].val().get_bits::<13>(3);
        self.wt_copy_o.next = self.weight_head.wt_copy_o.val();
        self.wt_dest_o.next = self.weight_head.wt_dest_o.val();

        // Stream unit
        self.stream_walk.cfg_clear_i.next = self.sequencer.cfg_clear_o[1].val();
        self.stream_walk.stop_i.next = self.sequencer.cfg_clear_o[1].val();
        self.stream_walk.cfg_kind_i.next = 0.into();
        self.stream_walk.cfg_attached_i.next = false;
        self.stream_walk.cfg_loop_i.next = 0.into();
        self.stream_walk.cfg_equal_i.next = false;
        self.stream_walk.cfg_trips_i.next = false;
        self.stream_walk.cfg_group_i.next = false;
        self.stream_walk.alone_i.next = false;
        self.stream_walk.offset_only_i.next = false;
        self.stream_walk.cfg_valid_i.next = self.sequencer.cfg_valid_o[1].val();
        self.stream_walk.cfg_sel_i.next = self.sequencer.cfg_sel_o.val();
        self.stream_walk.cfg_row_i.next = self.sequencer.cfg_row_o.val();
        self.stream_walk.cfg_col_i.next = self.sequencer.cfg_col_o.val();
        self.stream_walk.cfg_data_i.next = self.sequencer.cfg_data_o.val();
        self.stream_walk.start_i.next = self.sequencer.start_o[1].val();
        for i in 0..1 {
            self.stream_walk.times_i[i].next = self.sequencer.repeat_o.val().get_bits::<8>(0);
        }
        // Each time takes the next column tile of the prologue and the next operands.
        for i in 0..1 {
            self.stream_walk.increment_i[i].next = 1.into();
        }
        for i in 1..self._operand_rows {
            self.stream_walk.increment_i[i].next =
                bit_cast::<A, 16>(self.sequencer.repeat_o.val().get_bits::<16>(8));
        }
        for i in self._operand_rows..self._record_rows {
            self.stream_walk.increment_i[i].next = 0.into();
        }
        self.stream_walk.pause_i.next = false;
        self.stream_walk.ready_i.next = self.stream_head.addr_ready_o.val();
        self.stream_head.clear_i.next = self.idle.val();
        self.stream_head.addr_valid_i.next = self.stream_walk.valid_o.val();
        self.stream_head.addr_i.next = self.stream_walk.addr_o.val();
        for i in 0..self._loops {
            self.stream_head.final_i[i].next = self.stream_walk.final_o[i].val();
        }
        self.stream_head.rows_i.next = self.sequencer.param_o[1].val().get_bits::<9>(0);
        self.stream_head.level_i.next = self.sequencer.param_o[1].val().get_bits::<3>(12);
        self.stream_head.start_i.next = self.sequencer.start_o[1].val();
        self.stream_head.row_i.next = self.stream_walk.row_o.val();
        self.stream_head.full_i.next = self.weight_head.full_o.val();
        self.stream_head.first_i.next = self.sequencer.param_o[1].val().get_bit(9);
        self.stream_head.last_i.next = self.sequencer.param_o[1].val().get_bit(10);
        self.stream_head.bank_i.next = self.sequencer.param_o[1].val().get_bit(11);
        self.stream_head.thr_i.next = self.sequencer.param_o[1].val().get_bits::<8>(16);
        self.op_valid_o.next = self.stream_head.op_valid_o.val();
        self.op_addr_o.next = self.stream_head.op_addr_o.val();
        self.op_rows_o.next = self.stream_head.op_rows_o.val();
        self.op_thr_o.next = self.stream_head.op_thr_o.val();
        self.op_fresh_o.next = self.stream_head.op_fresh_o.val();
        self.op_swap_o.next = self.stream_head.op_swap_o.val();
        self.op_tag_o.next = self.stream_head.op_tag_o.val();
        self.stream_head.table_i.next = self.sequencer.param_o[1].val().get_bit(15);
        self.stream_head.entry_i.next = self.sequencer.table_o.val().get_bits::<8>(24);
        self.op_table_o.next = self.stream_head.op_table_o.val();
        self.op_entry_o.next = self.stream_head.op_entry_o.val();

        // The bias wave runs five cycles behind the operand wave.
        self.bias_load[0].d_i.next = self.stream_head.op_tag_o.val().get_bit(0);
        self.bias_first[0].d_i.next = self.stream_head.op_tag_o.val().get_bit(2);
        self.bias_tile[0].d_i.next = self.stream_head.op_addr_o.val().get_bits::<8>(0);
        for i in 1..5 {
            self.bias_load[i].d_i.next = self.bias_load[i - 1].q_o.val();
            self.bias_first[i].d_i.next = self.bias_first[i - 1].q_o.val();
            self.bias_tile[i].d_i.next = self.bias_tile[i - 1].q_o.val();
        }
        self.bias_load_o.next = self.bias_load[4].q_o.val();
        self.bias_first_o.next = self.bias_first[4].q_o.val();
        self.bias_tile_o.next = self.bias_tile[4].q_o.val();

        // Drain unit
        self.drain_walk.cfg_clear_i.next = self.sequencer.cfg_clear_o[2].val();
        self.drain_walk.stop_i.next = self.sequencer.cfg_clear_o[2].val();
        self.drain_walk.cfg_kind_i.next = 0.into();
        self.drain_walk.cfg_attached_i.next = false;
        self.drain_walk.cfg_loop_i.next = 0.into();
        self.drain_walk.cfg_equal_i.next = false;
        self.drain_walk.cfg_trips_i.next = false;
        self.drain_walk.cfg_group_i.next = false;
        self.drain_walk.alone_i.next = false;
        self.drain_walk.offset_only_i.next = false;
        self.drain_walk.cfg_valid_i.next = self.sequencer.cfg_valid_o[2].val();
        self.drain_walk.cfg_sel_i.next = self.sequencer.cfg_sel_o.val();
        self.drain_walk.cfg_row_i.next = self.sequencer.cfg_row_o.val();
        self.drain_walk.cfg_col_i.next = self.sequencer.cfg_col_o.val();
        self.drain_walk.cfg_data_i.next = self.sequencer.cfg_data_o.val();
        self.drain_walk.start_i.next = self.sequencer.start_o[2].val();
        self.drain_walk.pause_i.next = false;
        self.drain_walk.ready_i.next = self.drain_head.addr_ready_o.val();
        self.drain_head.clear_i.next = self.idle.val();
        self.drain_head.addr_valid_i.next = self.drain_walk.valid_o.val();
        self.drain_head.addr_i.next = self.drain_walk.addr_o.val();
        self.drain_head.start_i.next = self.sequencer.start_o[2].val();
        self.drain_head.columns_i.next = self.sequencer.param_o[2].val().get_bits::<9>(0);
        self.drain_head.tile_i.next = self.sequencer.param_o[2].val().get_bits::<8>(16);
        self.drain_head.advance_i.next = self.sequencer.param_o[2].val().get_bit(24);
        self.drain_head.level_i.next = self.sequencer.param_o[2].val().get_bits::<3>(25);
        for i in 0..self._loops {
            self.drain_head.addr_final_i[i].next = self.drain_walk.final_o[i].val();
        }
        self.drain_head.addr_end_i.next = self.drain_walk.end_o.val();
        self.drain_head.addr_busy_i.next = self.drain_walk.busy_o.val();
        self.drain_head.op_valid_i.next = self.end_valid_i.val();
        self.drain_head.op_addr_i.next = self.end_addr_i.val();
        self.drain_head.op_tag_i.next = self.end_tag_i.val();
        self.res_valid_o.next = self.drain_head.res_valid_o.val();
        self.res_bank_o.next = self.drain_head.res_bank_o.val();
        self.res_addr_o.next = self.drain_head.res_addr_o.val();
        if self._sums > 0 {
            self.res_add_o.next = self.stream_head.sums_read_o[0].val();
        } else {
            self.res_add_o.next = self.drain_head.res_add_o.val();
        }
        for i in 0..self._sums {
            self.res_add_bank_o[i].next = self.stream_head.sums_bank_o[i].val();
            self.res_add_addr_o[i].next = self.stream_head.sums_addr_o[i].val();
        }
        self.res_sum_o.next = self.drain_head.res_sum_o.val();
        self.res_write_o.next = self.drain_head.res_write_o.val();
        self.post_load_o.next = self.drain_head.post_load_o.val();
        self.post_tile_o.next = self.drain_head.post_tile_o.val();
        self.post_cols_o.next = self.drain_head.post_cols_o.val();
        self.post_skip_o.next = self.sequencer.place_o.val().get_bits::<8>(0);
        self.post_turn_o.next = self.sequencer.place_o.val().get_bits::<8>(16);
        self.post_valid_o.next = self.drain_head.post_valid_o.val();
        self.post_dest_o.next = self.drain_head.post_dest_o.val();
        self.post_flush_o.next = self.drain_head.post_flush_o.val();
        for i in 0..self._pooling {
            self.drain_head.window_i[i].next = self.sequencer.pool_o[i].val().get_bits::<8>(8);
            self.post_first_o[i].next = self.drain_head.post_first_o[i].val();
            self.post_last_o[i].next = self.drain_head.post_last_o[i].val();
            self.post_reduction_o[i].next = self.sequencer.pool_o[i].val().get_bits::<3>(0);
        }
        for i in 0..self._medians {
            self.post_window_o[i].next = self.sequencer.pool_o[i].val().get_bits::<8>(8);
        }
        self.post_single_o.next = self.sequencer.param_o[2].val().get_bit(9);
        self.post_lo_o.next = self.sequencer.second_param_o[2].val().get_bits::<9>(0);
        self.post_hi_o.next = self.sequencer.second_param_o[2].val().get_bits::<9>(16);

        // Counters
        self.counters.clear_i.next = self.host.start_o.val();
        for i in 0..self._counts {
            self.counters.increment_i[i].next = 0.into();
        }
        if self.sequencer.cycle_o.val() {
            self.counters.increment_i[1].next = 1.into();
        }
        for i in 0..self._sums {
            self.counters.increment_i[self._counts + i].next = 0.into();
            if self.stream_head.sums_stall_o[i].val() {
                self.counters.increment_i[self._counts + i].next = 1.into();
            }
            self.host.stall_sums_i[i].next = self.counters.count_o[self._counts + i].val();
        }
        if self.stream_head.vector_o.val() {
            self.counters.increment_i[2].next = 1.into();
            self.counters.increment_i[3].next =
                self.sequencer.second_param_o[1].val().get_bits::<17>(0);
            if self.stream_head.table_i.val() & self.stream_head.last_tile_o.val() {
                self.counters.increment_i[3].next = self.sequencer.table_o.val().get_bits::<17>(0);
            }
        }
        if self.stream_head.stall_o.val() {
            self.counters.increment_i[4].next = 1.into();
        }
        if self.sequencer.wait_o.val() {
            self.counters.increment_i[5].next = 1.into();
        }
        if self.sequencer.issue_o.val() {
            self.counters.increment_i[6].next = 1.into();
        }
        if self.sequencer.running_o.val() {
            self.counters.increment_i[0].next = self.event_i[0].val().get_bits::<17>(0);
        }
        // The loop is outside: a loop variable that a condition leaves alone is a latch to yosys.
        for i in 7..self._counts {
            if self.sequencer.running_o.val() {
                self.counters.increment_i[i].next = self.event_i[i - 6].val().get_bits::<17>(0);
            }
        }
    }
    module!(|this| {
        let control = Meta::module("control")
            .param("rows", "r", this._rows, "rows of the array")
            .param("cols", "c", this._cols, "columns of the array")
            .param("record_rows", "m", this._record_rows, "rows of a record")
            .param("loops", "n", this._loops, "loops of a record")
            .param("offset_bits", "w", this._offset_bits, "bits of an offset")
            .param("A", "a", A, "bits of an address")
            .param(
                "byte_bits",
                "b",
                this._byte_bits,
                "bits of a partition address",
            )
            .feature(
                "work_words",
                "u",
                this._work_words,
                "words of a partition that weights and results may lie in",
            )
            .feature(
                "program_banks",
                "pr",
                this._program_banks,
                "the very last banks of a partition, which hold the program",
            )
            .silent("banked", this._banked)
            .param(
                "result_bits",
                "d",
                this._result_bits,
                "bits of a result address",
            )
            .param("tiles", "t", this._tiles, "column tiles")
            .param("pc_bits", "p", this._pc_bits, "bits of a program address")
            .param(
                "offsets",
                "e",
                this._row_offsets,
                "entries of the offset table of a row",
            )
            .feature(
                "sums",
                "ps",
                this._sums,
                "stored sums enter the array at the top",
            );
        let control = match this._sums {
            0 => control,
            _ => control.doc("The sums wave of res_add_o runs beside the bias wave, t + 5."),
        };
        describe(this._post.describe(control), this._counts)
    });
}
