//! The control half of the machine: ports and parts.

mod logic;
mod shape;

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
