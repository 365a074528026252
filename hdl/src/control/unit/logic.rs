//! How the parts of the control half are connected: host, sequencer, units, counters.

use super::Control;
use heddle_kernel::prelude::*;

#[kernel]
impl<const W: usize, const D: usize, const A: usize> Control<W, D, A> {
    fn update(&mut self) {
        self.host();
        self.sequencer();
        self.status();
        self.weights();
        self.stream();
        self.drain();
        self.counters();
    }

    /// What the host asks for.
    fn host(&mut self) {
        self.host.host_valid_i.next = self.host_valid_i.val();
        self.host.host_write_i.next = self.host_write_i.val();
        self.host.host_addr_i.next = self.host_addr_i.val();
        self.host.host_wdata_i.follow(&self.host_wdata_i);
        self.host_rdata_o.follow(&self.host.host_rdata_o);
        self.scale_data_o.follow(&self.host.param_data_o);
        self.buffer_o.data.follow(&self.host.buffer_data_o);
        self.host.buffer_rdata_i.follow(&self.buffer_rdata_i);
        for i in 0..self._banked {
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
            self.prefetch[i].answer_i.follow(&self.buffer_rdata_i);
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
            self.buffer_o.valid.next = self.prefetch[0].valid_o.val();
            self.buffer_o.write.next = self.prefetch[0].write_o.val();
            self.buffer_o.table.next = self.prefetch[0].table_o.val();
            self.buffer_o.partition.next = self.prefetch[0].partition_o.val();
            self.buffer_o.word.next = self.prefetch[0].word_o.val();
            self.sequencer.program_wen_i.next = self.prefetch[0].wen_o.val();
            self.sequencer.program_waddr_i.next = self.prefetch[0].waddr_o.val();
            self.sequencer.program_wdata_i.next = self.prefetch[0].wdata_o.val();
        } else {
            self.host.buffer_rvalid_i.next = self.buffer_rvalid_i.val();
            self.buffer_o.valid.next = self.host.buffer_valid_o.val();
            self.buffer_o.write.next = self.host.buffer_write_o.val();
            self.buffer_o.table.next = self.host.buffer_table_o.val();
            self.buffer_o.partition.next = self.host.buffer_partition_o.val();
            self.buffer_o.word.next = self.host.buffer_word_o.val();
            self.sequencer.program_wen_i.next = self.host.program_wen_o.val();
            self.sequencer.program_waddr_i.next = self.host.program_waddr_o.val();
            self.sequencer.program_wdata_i.next = self.host.program_wdata_o.val();
        }
    }

    /// The sequencer and what it needs to know of the units.
    fn sequencer(&mut self) {
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
    }

    /// What the program has come to.
    fn status(&mut self) {
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
        self.status.unit_pc_i.follow(&self.sequencer.unit_pc_o);
        self.done_o.next = self.status.done_o.val();
        self.error_o.next = self.status.error_o.val();
    }

    /// The weight unit.
    fn weights(&mut self) {
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
        self.weight_head.final_i.follow(&self.weight_walk.final_o);
        self.weight_head.rows_i.next = self.sequencer.param_o[0].val().get_bits::<9>(0);
        self.weight_head.level_i.next = self.sequencer.param_o[0].val().get_bits::<3>(12);
        self.weight_head.flip_i.next = self.sequencer.param_o[0].val().get_bits::<5>(15);
        self.weight_head.streamed_i.next = self.sequencer.param_o[0].val().get_bit(20);
        self.weight_head.stall_i.next = self.stream_head.stall_o.val();
        self.weight_head.row_i.next = self.weight_walk.row_o.val();
        self.weight_head.swap_i.next = self.stream_head.swap_o.val();
        self.wt_o.follow(&self.weight_head.wt_o);
        self.weight_head.copy_i.next = self.sequencer.copy_o.val();
        self.weight_head.distance_i.next = self.sequencer.second_param_o[0].val().get_bits::<13>(3);
    }

    /// The stream unit.
    fn stream(&mut self) {
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
        for i in self._operand_rows..self._sizes.record_rows {
            self.stream_walk.increment_i[i].next = 0.into();
        }
        self.stream_walk.pause_i.next = false;
        self.stream_walk.ready_i.next = self.stream_head.addr_ready_o.val();
        self.stream_head.clear_i.next = self.idle.val();
        self.stream_head.addr_valid_i.next = self.stream_walk.valid_o.val();
        self.stream_head.addr_i.next = self.stream_walk.addr_o.val();
        self.stream_head.final_i.follow(&self.stream_walk.final_o);
        self.stream_head.rows_i.next = self.sequencer.param_o[1].val().get_bits::<9>(0);
        self.stream_head.level_i.next = self.sequencer.param_o[1].val().get_bits::<3>(12);
        self.stream_head.start_i.next = self.sequencer.start_o[1].val();
        self.stream_head.row_i.next = self.stream_walk.row_o.val();
        self.stream_head.full_i.next = self.weight_head.full_o.val();
        self.stream_head.first_i.next = self.sequencer.param_o[1].val().get_bit(9);
        self.stream_head.last_i.next = self.sequencer.param_o[1].val().get_bit(10);
        self.stream_head.bank_i.next = self.sequencer.param_o[1].val().get_bit(11);
        self.stream_head.thr_i.next = self.sequencer.param_o[1].val().get_bits::<8>(16);
        self.op_o.follow(&self.stream_head.op_o);
        self.stream_head.table_i.next = self.sequencer.param_o[1].val().get_bit(15);
        self.stream_head.entry_i.next = self.sequencer.table_o.val().get_bits::<8>(24);

        // The bias wave runs five cycles behind the operand wave.
        self.bias_load
            .shift_in(self.stream_head.op_o.tag.val().get_bit(0));
        self.bias_first
            .shift_in(self.stream_head.op_o.tag.val().get_bit(2));
        self.bias_tile
            .shift_in(self.stream_head.op_o.addr.val().get_bits::<8>(0));
        self.bias_load_o.next = self.bias_load[4].q_o.val();
        self.bias_first_o.next = self.bias_first[4].q_o.val();
        self.bias_tile_o.next = self.bias_tile[4].q_o.val();
    }

    /// The drain unit.
    fn drain(&mut self) {
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
        self.drain_head
            .addr_final_i
            .follow(&self.drain_walk.final_o);
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
        self.res_add_bank_o.follow(&self.stream_head.sums_bank_o);
        self.res_add_addr_o.follow(&self.stream_head.sums_addr_o);
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
    }

    /// The performance counters.
    fn counters(&mut self) {
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
}
