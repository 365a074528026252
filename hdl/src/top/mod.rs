//! The whole machine behind a plain memory-mapped host port.

use crate::array::{BiasRow, PeArray};
use crate::buffer::{ResultsBuffer, StateBuffer};
use crate::control::{Control, ControlShape, SequencerShape};
use crate::post::{DrainPlace, Post};
use crate::sliced::SlicedShape;
use heddle_arch::Params;
use heddle_arch::params::PartialSums;
use heddle_kernel::prelude::*;

/// Neural-network accelerator: state buffer, weight-stationary array, results buffer, scaling,
/// and the sequencer that runs layers on them.
///
/// The host writes weights, column parameters, operands and a program, starts it, waits for
/// `done_o` or `error_o`, and reads results and counters.
///
/// # Timing
/// A vector that is taken from the traversal unit in cycle t enters row 0 of the array in t + 7;
/// its result of column c is scaled from t + Rows + 9 + c on.
#[module(describe)]
pub struct Top<const W: usize, const D: usize, const A: usize> {
    /// Host request.
    pub host_valid_i: Signal<In, Bit>,
    /// The request is taken.
    pub host_ready_o: Signal<Out, Bit>,
    /// Write, else read.
    pub host_write_i: Signal<In, Bit>,
    /// Byte address, a multiple of 8.
    pub host_addr_i: Signal<In, Bits<32>>,
    /// Bytes to write.
    pub host_wdata_i: [Signal<In, Bits<8>>; 8],
    /// Answer to a read.
    pub host_rvalid_o: Signal<Out, Bit>,
    /// Bytes read.
    pub host_rdata_o: [Signal<Out, Bits<8>>; 8],
    /// A program runs.
    pub running_o: Signal<Out, Bit>,
    /// The program has reached HALT.
    pub done_o: Signal<Out, Bit>,
    /// The program was stopped by an error.
    pub error_o: Signal<Out, Bit>,
    #[new(Control::new(shape))]
    control: Control<W, D, A>,
    #[new(StateBuffer::new(s.rows, shape.banks, &bank, s.row_offsets))]
    state_buffer: StateBuffer,
    #[new(PeArray::new(s.rows, s.cols))]
    array: PeArray,
    #[new(BiasRow::new(s.cols, s.tiles))]
    bias: BiasRow,
    #[new(results_buffer(params))]
    results: ResultsBuffer,
    #[new(Post::new(s.cols, s.tiles, s.post))]
    post: Post,
    #[new(DrainPlace::new(s.rows, s.cols))]
    place: DrainPlace,
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
    #[new(s.post.pooling.into())]
    _pooling: usize,
    #[new((s.post.median > 0).into())]
    _medians: usize,
    #[new((s.post.activations > 0).into())]
    _activates: usize,
    /// Stored sums enter the array at the top.
    #[new(shape.sums_at_top.into())]
    _sums: usize,
    #[new(module_name(&params.name))]
    _name: String,
}

impl<const W: usize, const D: usize, const A: usize> Top<W, D, A> {
    fn describe(&self, meta: Meta) -> Meta {
        // Two machines in one design differ by the names of their configurations.
        meta.named(format!("top_{}", self._name))
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
    }

    /// Host and status.
    fn host(&mut self) {
        self.control.host_valid_i = self.host_valid_i;
        self.control.host_write_i = self.host_write_i;
        self.control.host_addr_i = self.host_addr_i;
        self.host_ready_o = self.control.host_ready_o;
        self.host_rvalid_o = self.control.host_rvalid_o;
        self.running_o = self.control.running_o;
        self.done_o = self.control.done_o;
        self.error_o = self.control.error_o;
        self.control.host_wdata_i.follow(&self.host_wdata_i);
        self.host_rdata_o.follow(&self.control.host_rdata_o);
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
        self.control.buffer_rvalid_i = self.state_buffer.host_rvalid_o;
        self.control
            .buffer_rdata_i
            .follow(&self.state_buffer.host_rdata_o);
        self.control.event_i[0] = self.state_buffer.ev_zero_o;
        self.control.event_i[1] = self.state_buffer.ev_mask_read_o;
        self.control.event_i[2] = self.state_buffer.ev_mask_write_o;
        for k in 0..self._slices {
            self.control.event_i[2 * k + 3] = self.state_buffer.ev_slice_read_o[k];
            self.control.event_i[2 * k + 4] = self.state_buffer.ev_slice_write_o[k];
        }
    }

    /// Words of the columns to the partitions.
    fn drain(&mut self) {
        self.place.rotate_i = self.control.post_rotate_o;
        self.place.valid_i.follow(&self.post.dr_valid_o);
        self.place.word_i.follow(&self.post.dr_word_o);
        self.place.data_i.follow(&self.post.dr_data_o);
        self.state_buffer.dr_valid_i.follow(&self.place.valid_o);
        self.state_buffer.dr_word_i.follow(&self.place.word_o);
        self.state_buffer.dr_data_i.follow(&self.place.data_o);
    }

    /// Operands, weights and sums of the array.
    fn array(&mut self) {
        self.array.x_i.follow(&self.state_buffer.x_o);
        self.array.nz_i.follow(&self.state_buffer.nz_o);
        self.array.swap_i.follow(&self.state_buffer.swap_o);
        self.array.shift_i.follow(&self.state_buffer.shift_o);
        self.array.w_i.follow(&self.state_buffer.w_o);
        for c in 0..self._cols {
            // A slot starts from a bias or from a stored sum; what it does not start from is 0.
            if self._sums > 0 {
                self.array.psum_i[c] = self.bias.psum_o[c] | self.results.psum_o[c];
            } else {
                self.array.psum_i[c] = self.bias.psum_o[c];
            }
            self.results.sum_i[c] = self.array.psum_o[c];
            self.post.acc_i[c] = self.results.acc_o[c];
        }
    }

    /// The bias wave.
    fn bias(&mut self) {
        self.bias.load_i = self.control.bias_load_o;
        self.bias.tile_i = self.control.bias_tile_o;
        self.bias.first_i = self.control.bias_first_o;
        self.bias.pw_valid_i = self.control.bias_wen_o;
        self.bias.pw_column_i = self.control.param_column_o;
        self.bias.pw_tile_i = self.control.param_tile_o;
        self.bias.pw_data_i = self.control.bias_data_o;
    }

    /// The results wave.
    fn results(&mut self) {
        self.results.valid_i = self.control.res_valid_o;
        self.results.bank_i = self.control.res_bank_o;
        self.results.addr_i = self.control.res_addr_o;
        self.results.add_i = self.control.res_add_o;
        self.results.sum_en_i = self.control.res_sum_o;
        self.results.write_i = self.control.res_write_o;
        self.results.add_bank_i.follow(&self.control.res_add_bank_o);
        self.results.add_addr_i.follow(&self.control.res_add_addr_o);
    }

    /// The post wave.
    fn post(&mut self) {
        self.post.load_i = self.control.post_load_o;
        self.post.tile_i = self.control.post_tile_o;
        self.post.skip_i = self.control.post_skip_o;
        self.post.cols_i = self.control.post_cols_o;
        self.post.valid_i = self.control.post_valid_o;
        self.post.dest_i = self.control.post_dest_o;
        self.post.flush_i = self.control.post_flush_o;
        self.post.single_i = self.control.post_single_o;
        self.post.lo_i = self.control.post_lo_o;
        self.post.hi_i = self.control.post_hi_o;
        self.post.pw_valid_i = self.control.scale_wen_o;
        self.post.pw_column_i = self.control.param_column_o;
        self.post.pw_tile_i = self.control.param_tile_o;
        self.post.pw_data_i.follow(&self.control.scale_data_o);
        self.post.first_i.follow(&self.control.post_first_o);
        self.post.last_i.follow(&self.control.post_last_o);
        self.post.reduction_i.follow(&self.control.post_reduction_o);
        self.post.window_i.follow(&self.control.post_window_o);
        self.post.table_i.follow(&self.control.post_table_o);
        self.post.aw_valid_i.follow(&self.control.activation_wen_o);
        self.post
            .aw_entry_i
            .follow(&self.control.activation_entry_o);
    }
}

/// The results buffer of a configuration.
pub(crate) fn results_buffer(params: &Params) -> ResultsBuffer {
    let buffer = ResultsBuffer::new(
        params.array.cols as usize,
        params.results_buffer.depth as usize,
    );
    match params.array.partial_sums {
        PartialSums::Foot => buffer,
        PartialSums::Top => buffer.with_sums_at_top(),
    }
}

/// A configuration's name as part of a module name: single underscores, none at the end.
fn module_name(name: &str) -> String {
    let words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
    words.join("_")
}
