//! Sizes of the control half, and the control half of these sizes.

use super::Control;
use crate::buffer::BankCount;
use crate::control::counters::describe;
use crate::control::{
    Counters, DrainHead, HostPort, Prefetch, Sequencer, SequencerShape, Status, StreamHead,
    WeightHead, counters,
};
use crate::prelude::*;
use crate::traversal::{TraversalEngine, TraversalShape};

/// Sizes of the control half.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControlShape {
    /// What instructions are checked against.
    pub sequencer: SequencerShape,
    /// Bits of a byte address of a partition.
    pub byte_bits: usize,
    /// Banks of a partition.
    pub banks: BankCount,
    /// Bits of a word address of a results bank.
    pub result_bits: usize,
    /// Data slices of the memory: as many are counted.
    pub slices: usize,
    /// Stored sums enter the array at the top.
    pub sums_at_top: bool,
}

impl<const W: usize, const D: usize, const A: usize> Control<W, D, A> {
    /// The control half for the given sizes; `W` and `A` are the sizes' offset and address bits.
    pub fn new(shape: ControlShape) -> Self {
        let s = shape.sequencer;
        let counts = counters(shape.slices);
        let sums = usize::from(shape.sums_at_top);
        let walk = TraversalShape::plain(s.record_rows, s.loops);
        let pooling = usize::from(s.post.pooling);
        let banked = usize::from(s.banked);
        let medians = usize::from(s.post.median > 0);
        let activates = usize::from(s.post.activations > 0);
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            host_valid_i: Default::default(),
            host_ready_o: Default::default(),
            host_write_i: Default::default(),
            host_addr_i: Default::default(),
            host_wdata_i: v(8),
            host_rvalid_o: Default::default(),
            host_rdata_o: v(8),
            running_o: Default::default(),
            done_o: Default::default(),
            error_o: Default::default(),
            op_valid_o: Default::default(),
            op_addr_o: Default::default(),
            op_rows_o: Default::default(),
            op_thr_o: Default::default(),
            op_fresh_o: Default::default(),
            op_swap_o: Default::default(),
            op_tag_o: Default::default(),
            op_table_o: Default::default(),
            op_entry_o: Default::default(),
            end_valid_i: Default::default(),
            end_addr_i: Default::default(),
            end_tag_i: Default::default(),
            end_fault_i: Default::default(),
            wt_valid_o: Default::default(),
            wt_addr_o: Default::default(),
            wt_rows_o: Default::default(),
            wt_copy_o: Default::default(),
            wt_dest_o: Default::default(),
            bias_load_o: Default::default(),
            bias_tile_o: Default::default(),
            bias_first_o: Default::default(),
            res_valid_o: Default::default(),
            res_bank_o: Default::default(),
            res_addr_o: Default::default(),
            res_add_o: Default::default(),
            res_sum_o: Default::default(),
            res_write_o: Default::default(),
            res_add_bank_o: v(sums),
            res_add_addr_o: v(sums),
            post_load_o: Default::default(),
            post_tile_o: Default::default(),
            post_cols_o: Default::default(),
            post_skip_o: Default::default(),
            post_turn_o: Default::default(),
            post_valid_o: Default::default(),
            post_dest_o: Default::default(),
            post_flush_o: Default::default(),
            post_first_o: v(pooling),
            post_last_o: v(pooling),
            post_reduction_o: v(pooling),
            post_window_o: v(medians),
            post_table_o: v(activates),
            post_single_o: Default::default(),
            post_lo_o: Default::default(),
            post_hi_o: Default::default(),
            bias_wen_o: Default::default(),
            scale_wen_o: Default::default(),
            param_column_o: Default::default(),
            param_tile_o: Default::default(),
            bias_data_o: Default::default(),
            scale_data_o: v(8),
            activation_wen_o: v(activates),
            activation_entry_o: v(activates),
            buffer_valid_o: Default::default(),
            buffer_write_o: Default::default(),
            buffer_table_o: Default::default(),
            buffer_partition_o: Default::default(),
            buffer_word_o: Default::default(),
            buffer_data_o: v(8),
            buffer_rvalid_i: Default::default(),
            buffer_rdata_i: v(8),
            event_i: v(counts - 6),
            host: host_port(shape),
            prefetch: (0..banked)
                .map(|_| Prefetch::new(s, shape.banks, shape.byte_bits - 3))
                .collect(),
            sequencer: Sequencer::new(s),
            status: Status::new(),
            counters: match shape.sums_at_top {
                true => Counters::with_stall_sums(shape.slices),
                false => Counters::new(shape.slices),
            },
            weight_walk: TraversalEngine::new(walk),
            stream_walk: TraversalEngine::new(TraversalShape {
                repeat: true,
                ..walk
            }),
            drain_walk: TraversalEngine::new(walk),
            weight_head: WeightHead::new(s.loops, shape.byte_bits, s.rows, s.cols)
                .with_banks(shape.banks),
            stream_head: stream_head(shape),
            drain_head: drain_head(shape),
            bias_load: v(5),
            bias_first: v(5),
            bias_tile: v(5),
            idle: Default::default(),
            _loops: s.loops,
            _offset_bits: s.offset_bits,
            _rows: s.rows,
            _cols: s.cols,
            _record_rows: s.record_rows,
            _operand_rows: s.record_rows.min(2),
            _byte_bits: shape.byte_bits,
            _program_banks: shape.banks.program,
            _banked: banked,
            _work_words: shape.banks.guard(1 << (shape.byte_bits - 3)),
            _result_bits: shape.result_bits,
            _tiles: s.tiles,
            _pc_bits: address_bits(s.program_words),
            _row_offsets: s.row_offsets,
            _counts: counts,
            _sums: sums,
            _post: s.post,
            _pooling: pooling,
            _medians: medians,
            _activates: activates,
        }
    }

    /// Name, parameters and options of the module.
    pub(super) fn description(&self) -> Meta {
        let control = Meta::module("control")
            .param("rows", "r", self._rows, "rows of the array")
            .param("cols", "c", self._cols, "columns of the array")
            .param("record_rows", "m", self._record_rows, "rows of a record")
            .param("loops", "n", self._loops, "loops of a record")
            .param("offset_bits", "w", self._offset_bits, "bits of an offset")
            .param("A", "a", A, "bits of an address")
            .param(
                "byte_bits",
                "b",
                self._byte_bits,
                "bits of a partition address",
            )
            .feature(
                "work_words",
                "u",
                self._work_words,
                "words of a partition that weights and results may lie in",
            )
            .feature(
                "program_banks",
                "pr",
                self._program_banks,
                "the very last banks of a partition, which hold the program",
            )
            .silent("banked", self._banked)
            .param(
                "result_bits",
                "d",
                self._result_bits,
                "bits of a result address",
            )
            .param("tiles", "t", self._tiles, "column tiles")
            .param("pc_bits", "p", self._pc_bits, "bits of a program address")
            .param(
                "offsets",
                "e",
                self._row_offsets,
                "entries of the offset table of a row",
            )
            .feature(
                "sums",
                "ps",
                self._sums,
                "stored sums enter the array at the top",
            );
        let control = match self._sums {
            0 => control,
            _ => control.doc("The sums wave of res_add_o runs beside the bias wave, t + 5."),
        };
        describe(self._post.describe(control), self._counts)
    }
}

fn host_port(shape: ControlShape) -> HostPort {
    let port = HostPort::new(shape.sequencer, shape.byte_bits - 3, shape.slices);
    match shape.sums_at_top {
        true => port.with_stall_sums(),
        false => port,
    }
}

fn stream_head<const A: usize>(shape: ControlShape) -> StreamHead<A> {
    let s = shape.sequencer;
    let head = StreamHead::new(
        s.loops,
        shape.byte_bits,
        s.tiles.ilog2() as usize,
        shape.result_bits,
        s.row_offsets.ilog2() as usize,
    )
    .with_banks(shape.banks);
    match shape.sums_at_top {
        true => head.with_sums_at_top(s.rows),
        false => head,
    }
}

fn drain_head<const A: usize>(shape: ControlShape) -> DrainHead<A> {
    let s = shape.sequencer;
    let tile_bits = s.tiles.ilog2() as usize;
    let head =
        DrainHead::new(s.loops, shape.byte_bits, tile_bits, s.cols, s.post).with_banks(shape.banks);
    match shape.sums_at_top {
        true => head.with_sums_at_top(),
        false => head,
    }
}
