//! The whole machine behind a plain memory-mapped host port.

use crate::array::{BiasRow, PeArray};
use crate::buffer::{HostAnswer, HostRequest, ResultsBuffer, StateBuffer};
use crate::control::clocks::POST;
use crate::control::{Control, ControlShape, DmaRequest, MoveOrder, MoveState, SequencerShape};
use crate::post::{DrainPlace, Post};
use crate::sliced::SlicedShape;
use crate::sparse::{SparseEngine, SparseShape};
use heddle_arch::Params;
use heddle_kernel::prelude::*;

/// Neural-network accelerator: state buffer, weight-stationary array, results buffer, scaling,
/// and the sequencer that runs layers on them.
///
/// The host writes weights, column parameters, operands and a program, starts it, waits for
/// `done_o` or `error_o`, and reads results and counters.
///
/// # Timing
/// A vector that is taken from the traversal unit in cycle t enters row 0 of the array in t + 10;
/// its result of column c is scaled from t + {scaled} + c on.
#[module(describe)]
pub struct Top<const W: usize, const D: usize, const A: usize> {
    /// Host request.
    pub host_i: HostRequest<In>,
    /// The request is taken.
    pub host_ready_o: Signal<Out, Bit>,
    /// Answer to a read.
    pub host_o: HostAnswer<Out>,
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
    #[new(Control::new(shape))]
    control: Control<W, D, A>,
    #[new(StateBuffer::new(s.rows, shape.banks, &bank, s.row_offsets))]
    state_buffer: StateBuffer,
    #[new(PeArray::new(s.rows, s.cols))]
    array: PeArray,
    #[new(BiasRow::new(s.cols, s.tiles))]
    bias: BiasRow,
    #[new(ResultsBuffer::new(s.cols, params.results_buffer.depth as usize, shape.sums_at_top, s.post.dual_scale))]
    results: ResultsBuffer,
    #[new(Post::new(s.cols, s.tiles, s.post))]
    post: Post,
    #[new(DrainPlace::new(s.rows, s.cols))]
    place: DrainPlace,
    #[new(SparseEngine::new(SparseShape::engine(params)))]
    cluster: [SparseEngine; clusters],
    #[argument]
    _params: &Params,
    #[new(ControlShape::of(params))]
    _shape: ControlShape,
    #[new(SlicedShape::of_bank(params))]
    _bank: SlicedShape,
    #[new(shape.sequencer)]
    _s: SequencerShape,
    /// Rows of the array.
    #[new(s.rows)]
    _rows: Hidden,
    /// Columns of the array.
    #[new(s.cols)]
    _cols: Hidden,
    /// Data slices.
    #[new(bank.slices())]
    _slices: Hidden,
    /// Events of the partitions are counted.
    #[new(shape.banks.events.into())]
    _events: usize,
    /// Stored sums enter the array at the top.
    #[new(shape.sums_at_top.into())]
    _sums: usize,
    #[new(params.has_cluster().into())]
    _clusters: usize,
    /// Registers around the engine start and watch it.
    #[new(shape.watched.into())]
    _watched: usize,
    /// Clients go to the memories while a program runs.
    #[new(shape.open.into())]
    _open: usize,
    #[new(s.moves.into())]
    _moves: usize,
    #[new(shape.counters.len())]
    _counts: usize,
    #[new((counts > 0).into())]
    _counted: usize,
    #[new(module_name(&params.name))]
    _name: String,
}

impl<const W: usize, const D: usize, const A: usize> Top<W, D, A> {
    fn describe(&self, meta: Meta) -> Meta {
        // Two machines in one design differ by the names of their configurations.
        // The operand wave begins a clock after the vector is taken.
        let meta = meta.number("scaled", 1 + self._rows + POST);
        meta.named(format!("top_{}", self._name)).top()
    }
}

#[kernel]
impl<const W: usize, const D: usize, const A: usize> Top<W, D, A> {
    fn update(&mut self) {
        self.host();
        self.buffer();
        self.drain();
        self.array();
        self.bias();
        self.results();
        self.post();
        self.cluster();
    }

    /// Host and status.
    fn host(&mut self) {
        self.control.host_i.follow(&self.host_i);
        self.host_ready_o = self.control.host_ready_o;
        self.host_o.follow(&self.control.host_o);
        self.control.start_i.follow(&self.start_i);
        self.control.start_pc_i.follow(&self.start_pc_i);
        self.control.zero_i.follow(&self.zero_i);
        self.control.stop_i.follow(&self.stop_i);
        self.control.keep_i.follow(&self.keep_i);
        self.control.dma_i.follow(&self.dma_i);
        self.dma_ready_o.follow(&self.control.dma_ready_o);
        self.dma_o.follow(&self.control.dma_o);
        self.control.move_i.follow(&self.move_i);
        self.move_o.follow(&self.control.move_o);
        self.control.leaves_i.follow(&self.post.leaves_o);
        self.running_o = self.control.running_o;
        self.done_o = self.control.done_o;
        self.error_o = self.control.error_o;
        self.status_o.follow(&self.control.status_o);
        self.source_o.follow(&self.control.source_o);
        self.count_o.follow(&self.control.count_o);
        self.stall_sums_o.follow(&self.control.stall_sums_o);
    }

    /// Waves of the state buffer.
    fn buffer(&mut self) {
        self.state_buffer.op_i.follow(&self.control.op_o);
        self.control.end_valid_i = self.state_buffer.op_valid_o;
        self.control.end_addr_i = self.state_buffer.op_addr_o;
        self.control.end_tag_i = self.state_buffer.op_tag_o;
        self.control.end_fault_i = self.state_buffer.op_fault_o;
        self.state_buffer.wt_i.follow(&self.control.wt_o);
        self.state_buffer.host_i.follow(&self.control.buffer_o);
        self.control.buffer_i.follow(&self.state_buffer.host_o);
        for i in 0..self._events {
            self.control.event_i[0] = self.state_buffer.ev_o.zero[i];
            self.control.event_i[1] = self.state_buffer.ev_o.mask_read[i];
            self.control.event_i[2] = self.state_buffer.ev_o.mask_write[i];
            for k in 0..self._slices {
                self.control.event_i[2 * k + 3] = self.state_buffer.ev_o.slice_read[k];
                self.control.event_i[2 * k + 4] = self.state_buffer.ev_o.slice_write[k];
            }
        }
    }

    /// Words of the columns to the partitions.
    fn drain(&mut self) {
        self.place.rotate_i = self.control.post_rotate_o;
        self.place.ports_i.follow(&self.post.dr_o);
        self.state_buffer.dr_i.follow(&self.place.ports_o);
    }

    /// Operands, weights and sums of the array.
    fn array(&mut self) {
        self.array.ports_i.follow(&self.state_buffer.ports_o);
        for c in 0..self._cols {
            // A slot starts from a bias or from a stored sum; what it does not start from is 0.
            if self._sums > 0 {
                self.array.psum_i[c] = self.bias.psum_o[c] | self.results.psum_o[c];
            } else {
                self.array.psum_i[c] = self.bias.psum_o[c];
            }
            self.results.sum_i[c] = self.array.psum_o[c];
            self.post.acc_i[c] = self.results.acc_o[c];
            for k in 0..self._clusters {
                if self.cluster[k].takes_o[c] {
                    self.post.acc_i[c] = self.cluster[k].sum_o[c];
                }
            }
        }
    }

    /// The sparse cluster.
    fn cluster(&mut self) {
        for k in 0..self._clusters {
            self.cluster[k].order_i.follow(&self.control.cluster_o[k]);
            self.control.cluster_i[k].follow(&self.cluster[k].state_o);
            self.cluster[k].ports_i.follow(&self.state_buffer.ports_o);
            self.cluster[k].bias_i.valid = self.control.bias_wen_o;
            self.cluster[k].bias_i.column = self.control.param_column_o;
            self.cluster[k].bias_i.tile = self.control.param_tile_o;
            self.cluster[k].bias_i.data = self.control.bias_data_o;
        }
    }

    /// The bias wave.
    fn bias(&mut self) {
        self.bias.wave_i.follow(&self.control.bias_o);
        self.bias.pw_i.valid = self.control.bias_wen_o;
        self.bias.pw_i.column = self.control.param_column_o;
        self.bias.pw_i.tile = self.control.param_tile_o;
        self.bias.pw_i.data = self.control.bias_data_o;
    }

    /// The results wave.
    fn results(&mut self) {
        self.results.wave_i.follow(&self.control.res_o);
        self.results.add_bank_i.follow(&self.control.res_add_bank_o);
        self.results.add_addr_i.follow(&self.control.res_add_addr_o);
    }

    /// The post wave.
    fn post(&mut self) {
        self.post.wave_i.follow(&self.control.post_wave_o);
        self.post.dest_i = self.control.post_dest_o;
        self.post.flush_i = self.control.post_flush_o;
        self.post.ports_i.follow(&self.control.post_ports_o);
        self.post.pw_i.valid = self.control.scale_wen_o;
        self.post.pw_i.column = self.control.param_column_o;
        self.post.pw_i.tile = self.control.param_tile_o;
        self.post.pw_i.data.follow(&self.control.scale_data_o);
        self.post.aw_i.follow(&self.control.aw_o);
    }
}

/// A configuration's name as part of a module name: single underscores, none at the end.
pub(crate) fn module_name(name: &str) -> String {
    let words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
    words.join("_")
}
