//! Sizes of the control half, and the control half of these sizes.

use super::Control;
use crate::buffer::BankCount;
use crate::control::counters::describe;
use crate::control::{DrainHead, HostPort, SequencerShape, StreamHead, WeightHead};
use crate::traversal::TraversalShape;
use heddle_kernel::prelude::*;

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
    /// Name, parameters and options of the module.
    pub(super) fn describe(&self, meta: Meta) -> Meta {
        let control = meta
            .param("rows", "r", self._sizes.rows, "rows of the array")
            .param("cols", "c", self._sizes.cols, "columns of the array")
            .param(
                "record_rows",
                "m",
                self._sizes.record_rows,
                "rows of a record",
            )
            .param("loops", "n", self._sizes.loops, "loops of a record")
            .param(
                "offset_bits",
                "w",
                self._sizes.offset_bits,
                "bits of an offset",
            )
            .param("A", "a", A, "bits of an address")
            .param(
                "byte_bits",
                "b",
                self._shape.byte_bits,
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
                self._shape.banks.program,
                "the very last banks of a partition, which hold the program",
            )
            .param(
                "result_bits",
                "d",
                self._shape.result_bits,
                "bits of a result address",
            )
            .param("tiles", "t", self._sizes.tiles, "column tiles")
            .param(
                "pc_bits",
                "p",
                address_bits(self._sizes.program_words),
                "bits of a program address",
            )
            .param(
                "offsets",
                "e",
                self._sizes.row_offsets,
                "entries of the offset table of a row",
            )
            .feature(
                "sums",
                "ps",
                self._sums,
                "stored sums enter the array at the top",
            );
        let wave = "The sums wave of res_add_o runs beside the bias wave, t + 5.";
        let control = control.doc_if(self._sums > 0, wave);
        describe(self._sizes.post.describe(control), self._counts)
    }
}

/// The walks of the machine.
pub(super) fn walk(sizes: &SequencerShape) -> TraversalShape {
    TraversalShape::plain(sizes.record_rows, sizes.loops)
}

pub(super) fn weight_head<const A: usize>(shape: ControlShape) -> WeightHead<A> {
    let s = shape.sequencer;
    WeightHead::new(s.loops, shape.byte_bits, s.rows, s.cols).with_banks(shape.banks)
}

pub(super) fn host_port(shape: ControlShape) -> HostPort {
    let port = HostPort::new(shape.sequencer, shape.byte_bits - 3, shape.slices);
    match shape.sums_at_top {
        true => port.with_stall_sums(),
        false => port,
    }
}

pub(super) fn stream_head<const A: usize>(shape: ControlShape) -> StreamHead<A> {
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

pub(super) fn drain_head<const A: usize>(shape: ControlShape) -> DrainHead<A> {
    let s = shape.sequencer;
    let tile_bits = s.tiles.ilog2() as usize;
    let head =
        DrainHead::new(shape.byte_bits, s.cols, tile_bits, s.loops, s.post).with_banks(shape.banks);
    match shape.sums_at_top {
        true => head.with_sums_at_top(),
        false => head,
    }
}
