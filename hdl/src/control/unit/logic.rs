//! How the parts of the control half are connected: host, sequencer, units, counters.

use super::Control;
use heddle_arch::host::Counter;
use heddle_arch::isa::ErrorCode;
use heddle_arch::isa::fields::{
    copy_distance, drain, drain_bounds, drain_place, drain_pool, load_weights, matmul, matmul_macs,
    matmul_repeat, matmul_table,
};
use heddle_kernel::prelude::*;

/// Results of the array and of the sparse cluster have met.
const ORDER: u64 = ErrorCode::SparseOrder.number() as u64;

/// The walk of a unit, from the sequencer to the issue unit: a unit of the machine uses no option of the engine.
macro_rules! walk {
    ($walk:ident, $issue:ident, $unit:literal) => {
        #[kernel]
        fn $walk(&mut self) {
            self.$walk.cfg_clear_i = self.sequencer.cfg_clear_o[$unit];
            // An instruction begins when its unit is idle: there is nothing to stop.
            self.$walk.stop_i = self.idle;
            self.$walk.cfg_kind_i = 0.into();
            self.$walk.cfg_attached_i = false;
            self.$walk.cfg_loop_i = 0.into();
            self.$walk.cfg_equal_i = false;
            self.$walk.cfg_trips_i = false;
            self.$walk.cfg_group_i = false;
            self.$walk.alone_i = false;
            self.$walk.offset_only_i = false;
            self.$walk.cfg_valid_i = self.sequencer.cfg_valid_o[$unit];
            self.$walk.cfg_sel_i = self.sequencer.cfg_sel_o;
            self.$walk.cfg_row_i = self.sequencer.cfg_row_o;
            self.$walk.cfg_col_i = self.sequencer.cfg_col_o;
            self.$walk.cfg_data_i = self.sequencer.cfg_data_o;
            self.$walk.start_i = self.sequencer.start_o[$unit];
            self.$walk.pause_i = false;
            self.$walk.ready_i = self.$issue.addr_ready_o;
            self.$issue.clear_i = self.idle;
            self.$issue.addr_valid_i = self.$walk.valid_o;
            self.$issue.addr_i = self.$walk.addr_o;
        }
    };
}

/// A start, from where it comes.
macro_rules! start {
    ($name:ident, $($start:ident).+, $($pc:ident).+) => {
        #[kernel]
        fn $name(&mut self, k: usize) {
            self.sequencer.host_start_i = self.$($start).+[k];
            self.sequencer.start_pc_i = self.$($pc).+[k];
            for i in 0..self._banked {
                self.prefetch[i].start_i = self.$($start).+[k];
                self.prefetch[i].start_pc_i = self.$($pc).+[k];
            }
            self.status.start_i = self.$($start).+[k];
            self.done_o = self.status.done_o & !self.$($start).+[k];
            self.error_o = self.status.error_o & !self.$($start).+[k];
        }
    };
}

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
        self.cluster();
        self.watched();
    }

    start!(host_starts, host.start_o, host.start_pc_o);
    start!(registers_start, start_i, start_pc_i);
    walk!(weight_walk, weight_issue, 0);
    walk!(stream_walk, stream_issue, 1);
    walk!(drain_walk, drain_issue, 2);

    /// What the host asks for.
    fn host(&mut self) {
        if self._open > 0 {
            self.head();
        } else {
            self.host.host_i.follow(&self.host_i);
            self.host_o.follow(&self.host.host_o);
            self.host_ready_o = self.host.host_ready_o;
            self.host.zero_i.follow(&self.zero_i);
        }
        self.scale_data_o.follow(&self.host.param_data_o);
        self.host.buffer_i.rdata.follow(&self.buffer_i.rdata);
        for i in 0..self._banked {
            self.prefetch[i].run_i = self.sequencer.cycle_o;
            self.prefetch[i].running_i = self.sequencer.running_o;
            self.prefetch[i].pc_i = self.sequencer.fetch_pc_o[i];
            self.prefetch[i].host_i.follow(&self.host.buffer_o);
            self.prefetch[i].program_wen_i = self.host.program_o.wen;
            self.prefetch[i].program_pair_i = self.host.program_o.waddr;
            self.prefetch[i].answer_i.follow(&self.buffer_i);
            self.sequencer.ready_i[i] = self.prefetch[i].ready_o;
        }
        self.host.running_i = self.sequencer.running_o;
        for k in 0..self._plain {
            self.host.status_i[k] = self.status.status_o;
            for i in 0..self._counts {
                self.host.count_i[i] = self.counters[0].count_o[i];
            }
        }
        self.bias_wen_o = self.host.bias_wen_o;
        self.scale_wen_o = self.host.scale_wen_o;
        self.param_column_o = self.host.column_o;
        self.param_tile_o = self.host.tile_o;
        self.aw_o.follow(&self.host.aw_o);
        self.bias_data_o = self.host.program_o.wdata;
        if self._banked > 0 {
            self.host.buffer_i.rvalid = self.prefetch[0].host_rvalid_o;
            self.buffer_o.follow(&self.prefetch[0].buffer_o);
            self.sequencer.program_i.follow(&self.prefetch[0].program_o);
        } else {
            self.host.buffer_i.rvalid = self.buffer_i.rvalid;
            self.buffer_o.follow(&self.host.buffer_o);
            self.sequencer.program_i.follow(&self.host.program_o);
        }
    }

    /// The clients of the memories take turns.
    fn head(&mut self) {
        for k in 0..self._open {
            self.head[k].dma_i.follow(&self.dma_i);
            self.dma_ready_o.follow(&self.head[k].dma_ready_o);
            self.head[k].window_i.follow(&self.host_i);
            self.head[k].window_zero_i = self.zero_i[k];
            self.host_ready_o = self.head[k].window_ready_o;
            self.host.host_i.follow(&self.head[k].host_o);
            self.host.zero_i[k] = self.head[k].zero_o;
            self.host.read_zero_i[k] = self.head[k].read_zero_o;
            self.head[k].host_ready_i = self.host.host_ready_o;
            self.host_o.rvalid = self.host.host_o.rvalid & !self.head[k].is_store_o;
            self.host_o.rdata.follow(&self.host.host_o.rdata);
            self.dma_o[k].rvalid = self.host.host_o.rvalid & self.head[k].is_store_o;
            self.dma_o[k].rdata.follow(&self.host.host_o.rdata);
            self.head[k].op_i.follow(&self.stream_issue.op_o);
            self.head[k].wave_i.leaves = self.leaves_i[k];
            self.head[k].wave_i.copying = self.weight_issue.copying_o;
            self.head[k].wave_i.weight = self.weight_issue.next_o[k];
            self.head[k].wave_i.running = self.sequencer.running_o | self.start_i[k];
            if self._clusters > 0 {
                self.head[k].wave_i.takes_command = self.host.takes_o[2 * k];
                self.head[k].wave_i.takes_weights = self.host.takes_o[2 * k + 1];
            } else {
                self.head[k].wave_i.takes_command = true;
                self.head[k].wave_i.takes_weights = true;
            }
        }
    }

    /// What registers around the engine show.
    fn watched(&mut self) {
        for k in 0..self._watched {
            self.status_o[k] = self.status.status_o;
            self.source_o[k] = self.status.source_o[k];
            for i in 0..self._counts {
                self.count_o[i] = self.counters[0].count_o[i];
            }
            for i in 0..self._sums * self._counted {
                self.stall_sums_o[i] = self.counters[0].count_o[self._counts + i];
            }
        }
    }

    /// The sequencer and what it needs to know of the units.
    fn sequencer(&mut self) {
        self.sequencer.busy_i[0] = self.weight_walk.busy_o | self.weight_issue.copying_o;
        self.sequencer.busy_i[1] = self.stream_walk.busy_o;
        self.sequencer.busy_i[2] = self.drain_issue.busy_o;
        self.sequencer.progress_i = (self.weight_walk.valid_o & self.weight_issue.addr_ready_o)
            | (self.stream_walk.valid_o & self.stream_issue.addr_ready_o)
            | self.drain_issue.addr_ready_o;
        for k in 0..self._clusters {
            if self.cluster_i[k].event {
                self.sequencer.progress_i = true;
            }
        }
        self.sequencer.unit_error_i = self.status.unit_error_o;
        self.sequencer.move_i.follow(&self.move_i);
        self.move_o.follow(&self.sequencer.move_o);
        // The clock of the start pulse belongs to the run: a host finds nothing of the run before.
        if self._watched > 0 {
            self.running_o = self.sequencer.running_o | self.start_i[0];
        } else {
            self.running_o = self.sequencer.running_o | self.host.start_o[0];
        }
        self.idle = self.sequencer.clear_o;
    }

    /// The sparse cluster: commands of the program or of the host, slots of the stream unit.
    fn cluster(&mut self) {
        for k in 0..self._clusters {
            self.host.cluster_i[k].follow(&self.cluster_i[k]);
            self.cluster_o[k].command =
                self.host.cluster_o[k].command | self.sequencer.command_o[k];
            self.cluster_o[k].word = mux(
                self.sequencer.command_o[k],
                self.sequencer.command_word_o[k],
                self.host.cluster_o[k].word,
            );
            self.cluster_o[k].sends = self.stream_issue.sends_o[k];
            self.cluster_o[k].weight = self.host.cluster_o[k].weight;
            self.cluster_o[k]
                .weights
                .follow(&self.host.cluster_o[k].weights);
            self.cluster_o[k]
                .counter
                .follow(&self.host.cluster_o[k].counter);
            self.sequencer.takes_command_i[k] = self.cluster_i[k].takes_command;
            self.sequencer.cluster_busy_i[k] = self.cluster_i[k].busy;
            self.stream_issue.takes_slot_i[k] = self.cluster_i[k].takes_slot;
            self.stream_issue.cluster_i[k] = flag!(self.sequencer.param_o[1], matmul::CLUSTER);
            self.drain_issue.leaves_i[k] = self.cluster_i[k].leaves;
            self.status.cluster_busy_i[k] = self.cluster_i[k].busy;
            self.status.cluster_error_i[k] = self.cluster_i[k].error;
            if self.drain_issue.meets_o[k] {
                self.status.cluster_error_i[k] = ORDER.into();
            }
        }
    }

    /// What the program has come to.
    fn status(&mut self) {
        self.status.running_i = self.sequencer.running_o;
        self.status.halt_i = self.sequencer.halt_o;
        self.status.fault_i = self.sequencer.fault_o;
        self.status.fault_code_i = self.sequencer.fault_code_o;
        self.status.pc_i = self.sequencer.pc_o;
        self.status.weights_error_i = self.weight_issue.error_o;
        self.status.lost_i = self.weight_issue.lost_o;
        self.status.stream_error_i = self.stream_issue.error_o | self.end_fault_i;
        self.status.drain_error_i = self.drain_issue.dest_error_o;
        self.status.underflow_i = self.drain_issue.underflow_o;
        self.status.unit_pc_i.follow(&self.sequencer.unit_pc_o);
        for k in 0..self._plain {
            self.host_starts(k);
        }
        for k in 0..self._watched {
            self.registers_start(k);
        }
        for k in 0..self._open {
            self.status.stop_i[k] = self.stop_i[k];
        }
        for i in 0..self._counted {
            if self._open > 0 {
                self.counters[i].clear_i = self.start_i[0] & !self.keep_i[0];
            } else if self._watched > 0 {
                self.counters[i].clear_i = self.start_i[0];
            } else {
                self.counters[i].clear_i = self.host.start_o[0];
            }
        }
    }

    /// The weight unit.
    fn weights(&mut self) {
        self.weight_walk();
        self.weight_issue.final_i.follow(&self.weight_walk.final_o);
        self.weight_issue.rows_i = field!(self.sequencer.param_o[0], load_weights::ROWS);
        self.weight_issue.level_i = field!(self.sequencer.param_o[0], load_weights::LEVEL);
        self.weight_issue.flip_i = field!(self.sequencer.param_o[0], load_weights::FLIP);
        self.weight_issue.streamed_i = flag!(self.sequencer.param_o[0], load_weights::STREAMED);
        self.weight_issue.stall_i = self.stream_issue.stall_o;
        self.weight_issue.row_i = self.weight_walk.row_o;
        self.weight_issue.swap_i = self.stream_issue.swap_o;
        self.wt_o.follow(&self.weight_issue.wt_o);
        self.weight_issue.copy_i = self.sequencer.copy_o;
        self.weight_issue.distance_i =
            field!(self.sequencer.second_param_o[0], copy_distance::WORDS);
    }

    /// The stream unit.
    fn stream(&mut self) {
        self.stream_walk();
        for i in 0..1 {
            self.stream_walk.times_i[i] = field!(self.sequencer.repeat_o, matmul_repeat::TIMES);
        }
        // Each time takes the next column tile of the prologue and the next operands.
        for i in 0..1 {
            self.stream_walk.increment_i[i] = 1.into();
        }
        for i in 1..self._operand_rows {
            self.stream_walk.increment_i[i] =
                bit_cast::<A, 16>(field!(self.sequencer.repeat_o, matmul_repeat::STEP));
        }
        for i in self._operand_rows..self._stream_rows {
            self.stream_walk.increment_i[i] = 0.into();
        }
        self.stream_issue.final_i.follow(&self.stream_walk.final_o);
        self.stream_issue.rows_i = field!(self.sequencer.param_o[1], matmul::ROWS);
        self.stream_issue.level_i = field!(self.sequencer.param_o[1], matmul::LEVEL);
        self.stream_issue.start_i = self.sequencer.start_o[1];
        self.stream_issue.row_i = self.stream_walk.row_o;
        self.stream_issue.full_i = self.weight_issue.full_o;
        self.stream_issue.first_i = flag!(self.sequencer.param_o[1], matmul::FIRST);
        self.stream_issue.last_i = flag!(self.sequencer.param_o[1], matmul::LAST);
        self.stream_issue.bank_i = flag!(self.sequencer.param_o[1], matmul::BANK);
        for i in 0..self._duals {
            self.stream_issue.raised_i[i] = flag!(self.sequencer.param_o[1], matmul::RAISED);
        }
        self.stream_issue.thr_i = field!(self.sequencer.param_o[1], matmul::THRESHOLD);
        self.op_o.follow(&self.stream_issue.op_o);
        self.stream_issue.table_i = flag!(self.sequencer.param_o[1], matmul::TABLE);
        self.stream_issue.entry_i = field!(self.sequencer.table_o, matmul_table::ENTRY);

        // The bias wave runs eight cycles after the operand wave.
        self.bias_load
            .shift_in(self.stream_issue.op_o.tag.get_bit(0));
        self.bias_first
            .shift_in(self.stream_issue.op_o.tag.get_bit(2));
        self.bias_tile
            .shift_in(self.stream_issue.op_o.addr.get_bits::<10>(0));
        self.bias_o.load = self.bias_load[7];
        self.bias_o.first = self.bias_first[7];
        self.bias_o.tile = self.bias_tile[7];
    }

    /// The drain unit.
    fn drain(&mut self) {
        self.drain_walk();
        self.drain_issue.start_i = self.sequencer.start_o[2];
        self.drain_issue.columns_i = field!(self.sequencer.param_o[2], drain::COLUMNS);
        self.drain_issue.tile_i = field!(self.sequencer.param_o[2], drain::TILE);
        self.drain_issue.advance_i = flag!(self.sequencer.param_o[2], drain::ADVANCING);
        self.drain_issue.level_i = field!(self.sequencer.param_o[2], drain::LEVEL);
        self.drain_issue
            .addr_final_i
            .follow(&self.drain_walk.final_o);
        self.drain_issue.addr_end_i = self.drain_walk.end_o;
        self.drain_issue.addr_busy_i = self.drain_walk.busy_o;
        self.drain_issue.op_valid_i = self.end_valid_i;
        self.drain_issue.op_addr_i = self.end_addr_i;
        self.drain_issue.op_tag_i = self.end_tag_i;
        self.res_o.valid = self.drain_issue.res_o.valid;
        self.res_o.bank = self.drain_issue.res_o.bank;
        self.res_o.addr = self.drain_issue.res_o.addr;
        self.res_o.sum_en = self.drain_issue.res_o.sum_en;
        self.res_o.write = self.drain_issue.res_o.write;
        self.res_o.raised.follow(&self.drain_issue.res_o.raised);
        if self._sums > 0 {
            self.res_o.add = self.stream_issue.sums_read_o[0];
        } else {
            self.res_o.add = self.drain_issue.res_o.add;
        }
        self.res_add_bank_o.follow(&self.stream_issue.sums_bank_o);
        self.res_add_addr_o.follow(&self.stream_issue.sums_addr_o);
        self.drain_issue.skip_i = field!(self.sequencer.place_o, drain_place::COLUMN);
        self.post_wave_o.follow(&self.drain_issue.post_wave_o);
        self.post_rotate_o = field!(self.sequencer.place_o, drain_place::ROTATE);
        self.post_dest_o = self.drain_issue.post_dest_o;
        self.post_flush_o = self.drain_issue.post_flush_o;
        for i in 0..self._pooling {
            self.drain_issue.window_i[i] = field!(self.sequencer.pool_o[i], drain_pool::WINDOW);
            self.post_ports_o.reduction[i] =
                field!(self.sequencer.pool_o[i], drain_pool::REDUCTION);
        }
        for i in 0..self._medians {
            self.post_ports_o.window[i] = field!(self.sequencer.pool_o[i], drain_pool::WINDOW);
        }
        for i in 0..self._activates {
            self.post_ports_o.table[i] = field!(self.sequencer.param_o[2], drain::ACTIVATION);
        }
        for i in 0..self._duals {
            self.post_ports_o.dual[i] = flag!(self.sequencer.param_o[2], drain::DUAL);
        }
        self.post_ports_o.single = flag!(self.sequencer.param_o[2], drain::SINGLE);
        self.post_ports_o.lo = field!(self.sequencer.second_param_o[2], drain_bounds::LO);
        self.post_ports_o.hi = field!(self.sequencer.second_param_o[2], drain_bounds::HI);
    }

    /// The performance counters.
    fn counters(&mut self) {
        for i in 0..self._counts {
            self.counters[0].increment_i[i] = 0.into();
        }
        if self._counted > 0 {
            self.cycles();
            self.vectors();
            self.waits();
        }
        if self._full > 0 {
            self.events();
        }
    }

    /// Cycles, and those in which a slot waits for sums.
    fn cycles(&mut self) {
        if self.sequencer.cycle_o {
            self.counters[0].increment_i[self._list.place(Counter::Cycles)] = 1.into();
        }
        for i in 0..self._sums {
            self.counters[0].increment_i[self._counts + i] =
                mux(self.stream_issue.sums_stall_o[i], 1.into(), 0.into());
        }
        for i in 0..self._plain * self._sums {
            self.host.stall_sums_i[i] = self.counters[0].count_o[self._counts + i];
        }
    }

    /// Vectors and what is multiplied with them. A vector is known late in its cycle.
    fn vectors(&mut self) {
        self.vector[0] = self.stream_issue.vector_o;
        self.last_tile[0] = self.stream_issue.table_i & self.stream_issue.last_tile_o;
        if self.vector[0] {
            if self._full > 0 {
                self.counters[0].increment_i[self._list.place(Counter::Vectors)] = 1.into();
            }
            self.counters[0].increment_i[self._list.place(Counter::Macs)] =
                field!(self.sequencer.second_param_o[1], matmul_macs::MACS);
            if self.last_tile[0] {
                self.counters[0].increment_i[self._list.place(Counter::Macs)] =
                    field!(self.sequencer.table_o, matmul_table::LAST_MACS);
            }
        }
    }

    /// Cycles in which something waits.
    fn waits(&mut self) {
        if self.stream_issue.stall_o {
            self.counters[0].increment_i[self._list.place(Counter::StallWeights)] = 1.into();
        }
        if self.sequencer.wait_o {
            self.counters[0].increment_i[self._list.place(Counter::StallWait)] = 1.into();
        }
    }

    /// Instructions, and what the partitions tell.
    fn events(&mut self) {
        if self.sequencer.issue_o {
            self.counters[0].increment_i[self._list.place(Counter::Instructions)] = 1.into();
        }
        if self.sequencer.running_o {
            self.counters[0].increment_i[0] = self.event_i[0].get_bits::<17>(0);
        }
        // The loop is outside: a loop variable that a condition leaves alone is a latch to yosys.
        for i in 7..self._counts {
            if self.sequencer.running_o {
                self.counters[0].increment_i[i] = self.event_i[i - 6].get_bits::<17>(0);
            }
        }
    }
}
