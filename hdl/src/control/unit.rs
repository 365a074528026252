//! The control half of the machine: ports and parts.

mod logic;

use super::clocks::{POST, RESULTS};
use super::counters::describe;
use super::{
    ControlShape, CounterList, Counters, DmaHead, DmaRequest, DrainIssue, HostPort, MoveOrder,
    MoveState, Prefetch, Sequencer, SequencerShape, Status, StreamIssue, WeightIssue,
};
use crate::array::BiasSlot;
use crate::buffer::{HostAccess, HostAnswer, HostRequest, OperandSlot, ResultSlot, WeightSlot};
use crate::post::{DrainSettings, PostSlot, TableWrite};
use crate::sparse::{ClusterOrder, ClusterState};
use crate::traversal::TraversalEngine;
use heddle_kernel::prelude::*;

/// Everything but the data path: takes requests of the host, runs programs, drives the waves.
///
/// # Timing
/// With a slot on the operand wave in cycle t: bias wave t + 8, results wave t + {results},
/// post wave t + {post}. `end_fault_i` belongs to the slot that was behind the last row in the
/// cycle before.
#[module(shape: ControlShape, describe)]
pub struct Control<const W: usize, const D: usize, const A: usize> {
    /// Host request.
    pub host_i: HostRequest<In>,
    /// The request is taken.
    pub host_ready_o: Signal<Out, Bit>,
    /// Answer to a read.
    pub host_o: HostAnswer<Out>,
    /// What the sparse cluster says.
    #[new(ClusterState::new(counted))]
    pub cluster_i: [ClusterState<In>; clusters],
    /// What it is asked for.
    #[new(ClusterOrder::new(counted))]
    pub cluster_o: [ClusterOrder<Out>; clusters],
    /// Starts the program.
    pub start_i: [Signal<In, Bit>; watched],
    /// Word address of its first instruction.
    pub start_pc_i: [Signal<In, Bits<16>>; watched],
    /// Zero point of the host request, steady until its answer.
    pub zero_i: [Signal<In, Bits<8>>; watched],
    /// Stops the program, with an error.
    pub stop_i: [Signal<In, Bit>; open],
    /// The counters keep their values when the program starts.
    pub keep_i: [Signal<In, Bit>; open],
    /// Requests of DMA loads and stores.
    pub dma_i: [DmaRequest<In>; 2 * open],
    /// They are taken.
    pub dma_ready_o: [Signal<Out, Bit>; 2 * open],
    /// Answers to stores.
    pub dma_o: [HostAnswer<Out>; open],
    /// What the DMA says to LOAD and STORE of the program.
    pub move_i: [MoveState<In>; moves],
    /// What it is given.
    pub move_o: [MoveOrder<Out>; moves],
    /// The drain word of column 0 leaves in the next cycle.
    pub leaves_i: [Signal<In, Bit>; open],
    /// A program runs.
    pub running_o: Signal<Out, Bit>,
    /// The program has reached HALT.
    pub done_o: Signal<Out, Bit>,
    /// The program was stopped by an error.
    pub error_o: Signal<Out, Bit>,
    /// Status register.
    pub status_o: [Signal<Out, Bits<32>>; watched],
    /// Where an error came from.
    pub source_o: [Signal<Out, Bits<4>>; watched],
    /// Counters in the order of their registers.
    pub count_o: [Signal<Out, Bits<32>>; watched * counts],
    /// Counter STALL_SUMS.
    pub stall_sums_o: [Signal<Out, Bits<32>>; watched * sums * counted],
    /// Operand wave.
    pub op_o: OperandSlot<Out>,
    /// Operand wave behind the last row: tensor slot.
    pub end_valid_i: Signal<In, Bit>,
    /// Operand wave behind the last row: address.
    pub end_addr_i: Signal<In, Bits<16>>,
    /// Operand wave behind the last row: tag.
    pub end_tag_i: Signal<In, Bits<8>>,
    /// Operand wave behind the last row: a row had no address for a slot.
    pub end_fault_i: Signal<In, Bit>,
    /// Weight wave.
    pub wt_o: WeightSlot<Out>,
    /// Bias wave.
    pub bias_o: BiasSlot<Out>,
    /// Results wave.
    #[new(ResultSlot::new(duals))]
    pub res_o: ResultSlot<Out>,
    /// Sums wave, with sums at the top: bank of `res_add_o`.
    pub res_add_bank_o: [Signal<Out, Bit>; sums],
    /// Sums wave, with sums at the top: result address of `res_add_o`.
    pub res_add_addr_o: [Signal<Out, Bits<12>>; sums],
    /// Post wave.
    #[new(PostSlot::new(pooling))]
    pub post_wave_o: PostSlot<Out>,
    /// Post wave: byte address of the result.
    pub post_dest_o: Signal<Out, Bits<16>>,
    /// Post wave: last byte of the drain.
    pub post_flush_o: Signal<Out, Bit>,
    /// Post: what the drain does with its results.
    #[new(DrainSettings::new(pooling, medians, activates, duals))]
    pub post_ports_o: DrainSettings<Out>,
    /// Steps by which the columns rotate on their way to the partitions.
    pub post_rotate_o: Signal<Out, Bits<8>>,
    /// Writes a bias.
    pub bias_wen_o: Signal<Out, Bit>,
    /// Writes multiplier and shift.
    pub scale_wen_o: Signal<Out, Bit>,
    /// Column of the parameter.
    pub param_column_o: Signal<Out, Bits<8>>,
    /// Column tile of the parameter.
    pub param_tile_o: Signal<Out, Bits<10>>,
    /// Bias.
    pub bias_data_o: Signal<Out, Bits<32>>,
    /// Multiplier and shift.
    pub scale_data_o: [Signal<Out, Bits<8>>; 8],
    /// Writes an entry of the activation tables: byte 0 of `scale_data_o`.
    pub aw_o: [TableWrite<Out>; activates],
    /// State-buffer request of the host: re-centred bytes.
    pub buffer_o: HostAccess<Out>,
    /// Answer of the state buffer: re-centred bytes.
    pub buffer_i: HostAnswer<In>,
    /// Events of this cycle: zero operands, reads and writes of mask slices, reads and writes of
    /// each data slice.
    pub event_i: [Signal<In, Bits<10>>; events],
    #[new(HostPort::new(shape))]
    host: HostPort,
    #[new(DmaHead::new(shape))]
    head: [DmaHead; open],
    /// There is one if the program lies in banks.
    #[new(Prefetch::new(sizes, shape.banks, shape.word_bits()))]
    prefetch: [Prefetch; banked],
    #[new(Sequencer::new(sizes))]
    sequencer: Sequencer,
    #[new(Status::new(clusters, watched, open))]
    status: Status,
    #[new(Counters::new(counts + sums))]
    counters: [Counters; counted],
    #[new(TraversalEngine::new(sizes.units[0]))]
    weight_walk: TraversalEngine<W, D, A>,
    #[new(TraversalEngine::new(sizes.units[1]))]
    stream_walk: TraversalEngine<W, D, A>,
    #[new(TraversalEngine::new(sizes.units[2]))]
    drain_walk: TraversalEngine<W, D, A>,
    #[new(WeightIssue::new(shape))]
    weight_issue: WeightIssue<A>,
    #[new(StreamIssue::new(shape))]
    stream_issue: StreamIssue<A>,
    #[new(DrainIssue::new(shape))]
    drain_issue: DrainIssue<A>,
    bias_load: [Reg<Bit>; 8],
    bias_first: [Reg<Bit>; 8],
    bias_tile: [Delay<Bits<10>>; 8],
    /// The stream unit sent a vector in the cycle before.
    vector: [Reg<Bit>; counted],
    /// It was one of the last K tile, which may have fewer rows.
    last_tile: [Delay<Bit>; counted],
    idle: Signal<Local, Bit>,
    #[new(shape.sequencer)]
    _sizes: SequencerShape,
    /// Rows of the array.
    #[new(sizes.rows)]
    _rows: Param<'r'>,
    /// Columns of the array.
    #[new(sizes.cols)]
    _cols: Param<'c'>,
    /// Rows of a record.
    #[new(sizes.record_rows)]
    _record_rows: Param<'m'>,
    /// Loops of a record.
    #[new(sizes.loops)]
    _loops: Param<'n'>,
    /// Bits of an offset.
    #[new(sizes.offset_bits)]
    _offset_bits: Param<'w'>,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
    /// Bits of a partition address.
    _byte_bits: Param<'b'>,
    /// Words of a partition that weights and results may lie in.
    #[new(shape.work_words())]
    _work_words: Feature<'u'>,
    /// The very last banks of a partition, which hold the program.
    #[new(shape.banks.program)]
    _program_banks: Feature<"pr">,
    /// Bits of a result address.
    _result_bits: Param<'d'>,
    /// Column tiles.
    #[new(sizes.tiles)]
    _tiles: Param<'t'>,
    /// Bits of a program address.
    #[new(heddle_kernel::address_bits(sizes.program_words))]
    _pc_bits: Param<'p'>,
    /// Entries of the offset table of a row.
    #[new(sizes.row_offsets)]
    _offsets: Param<'e'>,
    /// Stored sums enter the array at the top.
    #[new(shape.sums_at_top.into())]
    _sums: Feature<"ps">,
    #[new(sizes.units[1].rows)]
    _stream_rows: usize,
    /// Rows up to that of the operands.
    #[new(stream_rows.min(2))]
    _operand_rows: usize,
    #[new(sizes.banked.into())]
    _banked: usize,
    /// Counters.
    #[new(shape.counters)]
    _list: CounterList,
    #[new(list.len())]
    _counts: usize,
    /// Something is counted.
    #[new((counts > 0).into())]
    _counted: usize,
    /// All are there.
    #[new(list.is_full().into())]
    _full: usize,
    /// What the partitions tell: the first counter, and those behind the six of the units.
    #[new(full * counts.saturating_sub(6))]
    _events: usize,
    #[new(sizes.post.pooling.into())]
    _pooling: usize,
    #[new((sizes.post.median > 0).into())]
    _medians: usize,
    #[new((sizes.post.activations > 0).into())]
    _activates: usize,
    #[new(sizes.post.dual_scale.into())]
    _duals: usize,
    /// There is a sparse cluster.
    #[new(sizes.cluster.into())]
    _clusters: usize,
    #[new(sizes.moves.into())]
    _moves: usize,
    /// Registers around the engine start and watch it.
    #[new(shape.watched.into())]
    _watched: Feature<"sy">,
    #[new(1 - watched)]
    _plain: usize,
    /// Clients go to the memories while a program runs.
    #[new(shape.open.into())]
    _open: Feature<"dm">,
}

impl<const W: usize, const D: usize, const A: usize> Control<W, D, A> {
    fn describe(&self, meta: Meta) -> Meta {
        let wave = "The sums wave of res_add_o runs beside the bias wave, t + 8.";
        let meta = meta.doc_if(self._sums > 0, wave);
        let meta = meta
            .number("results", self._rows + RESULTS + self._sums)
            .number("post", self._rows + POST);
        describe(self._sizes.describe(meta), self._counts)
    }
}
