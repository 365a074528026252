//! Pins of the designs, for the agreement harness: every port of every top module.

use heddle_hdl::array::{BiasRow, PeArray};
use heddle_hdl::blocks::offsets::OffsetUnit;
use heddle_hdl::buffer::{ResultsBuffer, StateBuffer};
use heddle_hdl::control::{
    Control, DrainIssue, HostPort, Prefetch, Sequencer, StreamIssue, WeightIssue,
};
use heddle_hdl::post::{Activate, BytePacker, DrainPlace, PoolLane, Post, Requantise};
use heddle_hdl::sliced::Sliced;
use heddle_hdl::top::Top;
use heddle_hdl::traversal::{OffsetTable, RegisterArray, TraversalEngine, TraversalUnit};

use crate::agreement::pins;
use crate::designs::samples::Shifter;

pins! { Shifter {
    clock: clk; in: rst_n, start_i, x_i, places_i; out: direct_o, y_o, done_o, low_o
} }

pins! { BiasRow {
    clock: clk;
    in: rst_n, load_i, tile_i, first_i, pw_valid_i, pw_column_i, pw_tile_i, pw_data_i;
    out: psum_o
} }

pins! { OffsetUnit<16> {
    clock: clk;
    in: rst_n, wr_valid_i, wr_kind_i, wr_index_i, wr_data_i, wr_row_i, wr_col_i, start_i, ready_i;
    out: wr_ready_o, refused_o, busy_o, done_o, error_o, row_valid_o, row_ren_o, row_addr_o,
        row_first_o, row_last_o, b_valid_o, b_addr_o, b_row_o, pass_held_o, pass_cols_o,
        pass_sum_first_o, pass_sum_last_o
} }

pins! { PeArray {
    clock: clk;
    in: rst_n, x_i, nz_i, swap_i, shift_i, w_i, psum_i;
    out: psum_o
} }

pins! { ResultsBuffer {
    clock: clk;
    in: rst_n, valid_i, bank_i, addr_i, add_i, sum_en_i, write_i, sum_i;
    out: acc_o
} }

pins! { StateBuffer {
    clock: clk;
    in: rst_n, op_i.valid, op_i.addr, op_i.rows, op_i.thr, op_i.fresh, op_i.swap, op_i.tag,
        op_i.table, op_i.entry, wt_i.valid, wt_i.addr, wt_i.rows, wt_i.copy, wt_i.dest, host_i.valid, host_i.write,
        host_i.table, host_i.partition, host_i.word, host_i.data, dr_valid_i, dr_word_i, dr_data_i;
    out: x_o, nz_o, swap_o, w_o, shift_o, op_valid_o, op_addr_o, op_tag_o, op_fault_o,
        host_rvalid_o, host_rdata_o, ev_mask_read_o, ev_mask_write_o, ev_slice_read_o, ev_slice_write_o, ev_zero_o
} }

pins! { DrainIssue<16> {
    clock: clk;
    in: rst_n, clear_i, start_i, columns_i, tile_i, advance_i, level_i, window_i, op_valid_i, op_addr_i, op_tag_i, addr_valid_i,
        addr_i, addr_final_i, addr_end_i, addr_busy_i;
    out: addr_ready_o, res_valid_o, res_bank_o, res_addr_o, res_add_o, res_sum_o, res_write_o,
        post_load_o, post_tile_o, post_cols_o, post_valid_o, post_dest_o, post_flush_o,
        post_first_o, post_last_o, busy_o, underflow_o, dest_error_o
} }

pins! { HostPort {
    clock: clk;
    in: rst_n, host_valid_i, host_write_i, host_addr_i, host_wdata_i, running_i, status_i,
        count_i, buffer_rvalid_i, buffer_rdata_i;
    out: host_ready_o, host_rvalid_o, host_rdata_o, start_o, start_pc_o, program_wen_o,
        program_waddr_o, program_wdata_o, bias_wen_o, scale_wen_o, activation_wen_o,
        activation_entry_o, column_o, tile_o, buffer_valid_o, buffer_write_o, buffer_table_o, buffer_partition_o, buffer_word_o,
        buffer_data_o, param_data_o
} }

pins! { Sequencer {
    clock: clk;
    in: rst_n, host_start_i, start_pc_i, program_wen_i, program_waddr_i, program_wdata_i, ready_i, busy_i,
        progress_i, unit_error_i;
    out: cfg_valid_o, cfg_clear_o, cfg_sel_o, cfg_row_o, cfg_col_o, cfg_data_o, start_o, param_o,
        second_param_o, copy_o, table_o, repeat_o, place_o, pool_o, unit_pc_o, running_o, clear_o, halt_o, fault_o, fault_code_o, pc_o, fetch_pc_o, cycle_o,
        wait_o, issue_o
} }

pins! { Prefetch {
    clock: clk;
    in: rst_n, start_i, start_pc_i, run_i, running_i, pc_i, host_valid_i, host_write_i, host_table_i,
        host_partition_i, host_word_i, program_wen_i, program_pair_i, answer_valid_i, answer_i;
    out: valid_o, write_o, table_o, partition_o, word_o, host_rvalid_o, wen_o, waddr_o, wdata_o, ready_o
} }

pins! { StreamIssue<16> {
    clock: clk;
    in: rst_n, clear_i, start_i, rows_i, first_i, last_i, bank_i, level_i, thr_i, table_i,
        entry_i, addr_valid_i, addr_i, row_i, final_i, full_i;
    out: addr_ready_o, swap_o, op_o.valid, op_o.addr, op_o.rows, op_o.thr, op_o.fresh, op_o.swap,
        op_o.tag, op_o.table, op_o.entry, vector_o, last_tile_o, stall_o, error_o
} }

pins! { Control<16, 17, 16> {
    clock: clk;
    in: rst_n, host_valid_i, host_write_i, host_addr_i, host_wdata_i, end_valid_i, end_addr_i,
        end_tag_i, end_fault_i, buffer_rvalid_i, buffer_rdata_i, event_i;
    out: host_ready_o, host_rvalid_o, host_rdata_o, running_o, done_o, error_o, op_o.valid,
        op_o.addr, op_o.rows, op_o.thr, op_o.fresh, op_o.swap, op_o.tag, op_o.table, op_o.entry, wt_o.valid,
        wt_o.addr, wt_o.rows, wt_o.copy, wt_o.dest, bias_load_o, bias_tile_o, bias_first_o, res_valid_o, res_bank_o, res_addr_o,
        res_add_o, res_sum_o, res_write_o, post_load_o, post_tile_o, post_cols_o, post_skip_o, post_rotate_o,
        post_valid_o,
        post_dest_o, post_flush_o, post_first_o, post_last_o, post_reduction_o, post_window_o,
        post_table_o, post_single_o, post_lo_o, post_hi_o, bias_wen_o, scale_wen_o,
        param_column_o, param_tile_o, bias_data_o, scale_data_o, activation_wen_o, activation_entry_o, buffer_o.valid, buffer_o.write,
        buffer_o.table, buffer_o.partition, buffer_o.word, buffer_o.data
} }

pins! { WeightIssue<16> {
    clock: clk;
    in: rst_n, clear_i, rows_i, level_i, streamed_i, stall_i, flip_i, copy_i, distance_i, addr_valid_i, row_i, addr_i, final_i, swap_i;
    out: addr_ready_o, full_o, wt_o.valid, wt_o.addr, wt_o.rows, wt_o.copy, wt_o.dest, copying_o,
        error_o, lost_o
} }

pins! { BytePacker {
    clock: clk;
    in: rst_n, drop_i, valid_i, dest_i, flush_i, byte_i;
    out: valid_o, word_o, data_o
} }

pins! { Requantise {
    clock: clk;
    in: valid_i, acc_i, multiplier_i, left_i, right_i, single_i, lo_i, hi_i;
    out: byte_o
} }

pins! { Post {
    clock: clk;
    in: rst_n, load_i, tile_i, skip_i, cols_i, valid_i, dest_i, flush_i, first_i, last_i, single_i, lo_i, hi_i,
        reduction_i, window_i, table_i, acc_i, pw_valid_i, pw_column_i, pw_tile_i, pw_data_i, aw_valid_i, aw_entry_i;
    out: dr_valid_o, dr_word_o, dr_data_o
} }

pins! { PoolLane {
    clock: clk;
    in: rst_n, valid_i, first_i, last_i, reduction_i, window_i, acc_i;
    out: valid_o, acc_o
} }

pins! { Activate {
    clock: clk;
    in: valid_i, table_i, byte_i, wen_i, wentry_i, wdata_i;
    out: byte_o
} }

pins! { DrainPlace {
    clock: clk;
    in: rst_n, rotate_i, valid_i, word_i, data_i;
    out: valid_o, word_o, data_o
} }
pins! { Sliced<8> {
    clock: clk;
    in: rst_n, wen_i, waddr_i, wdata_i, ren_i, raddr_i;
    out: rvalid_o, rdata_o, rmask_o, mask_ren_o, mask_wen_o, slice_ren_o, slice_wen_o, lane_wen_o
} }

pins! { Top<16, 17, 16> {
    clock: clk;
    in: rst_n, host_valid_i, host_write_i, host_addr_i, host_wdata_i;
    out: host_ready_o, host_rvalid_o, host_rdata_o, running_o, done_o, error_o
} }

/// An engine has the same ports at all widths.
macro_rules! engine_pins {
    ($type:ty) => {
        pins! { $type {
            clock: clk;
            in: rst_n, stop_i, cfg_clear_i, cfg_valid_i, cfg_sel_i, cfg_row_i, cfg_col_i, cfg_data_i,
                cfg_kind_i, cfg_attached_i, cfg_loop_i, cfg_equal_i, cfg_trips_i, cfg_group_i,
                alone_i, start_i, offset_only_i, pause_i, ready_i;
            out: cfg_ready_o, endless_o, load_o, able_o, valid_o, addr_o, row_o, kind_o, final_o,
                last_o, end_o, busy_o
        } }
    };
}

engine_pins! { TraversalEngine<16, 17, 16> }
engine_pins! { TraversalEngine<24, 25, 32> }
engine_pins! { TraversalEngine<12, 13, 16> }

pins! { RegisterArray<6, 7> {
    clock: clk;
    in: write_initial_i, write_step_i, write_distance_i, initial_i, step_i, distance_i, load_i;
    out: initial_o, step_o, distance_o, next_initial_o, next_step_o, next_distance_o
} }

/// A unit has the same ports at all widths.
macro_rules! unit_pins {
    ($type:ty) => {
        pins! { $type {
            clock: clk;
            in: rst_n, clear_i, pause_i, demand_i, instr_valid_i, instr_data_i, ready_i;
            out: demand_ready_o, instr_ready_o, valid_o, addr_o, row_o, kind_o, final_o, last_o,
                end_o, busy_o, error_o, error_code_o, error_word_o
        } }
    };
}

unit_pins! { TraversalUnit<6, 7, 10> }
unit_pins! { TraversalUnit<8, 9, 8> }

pins! { OffsetTable<10> {
    clock: clk;
    in: rst_n, clear_i, base_valid_i, base_row_i, base_data_i, in_valid_i, in_offset_i, in_row_i,
        replay_i, ready_i;
    out: in_ready_o, valid_o, addr_o, row_o, end_o, stored_o, busy_o
} }
