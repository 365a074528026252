//! The whole machine behind a plain memory-mapped host port.

use crate::array::{BiasRow, PeArray};
use crate::buffer::{BankCount, ResultsBuffer, StateBuffer};
use crate::control::{Control, ControlShape, SequencerShape};
use crate::post::{DrainPlace, Post, PostOptions};
use crate::prelude::*;
use crate::sliced::SlicedShape;
use heddle_arch::Params;
use heddle_arch::params::PartialSums;

/// Neural-network accelerator: state buffer, weight-stationary array, results buffer, scaling,
/// and the sequencer that runs layers on them.
///
/// The host writes weights, column parameters, operands and a program, starts it, waits for
/// `done_o` or `error_o`, and reads results and counters.
///
/// # Timing
/// A vector that is taken from the traversal unit in cycle t enters row 0 of the array in t + 7;
/// its result of column c is scaled from t + Rows + 9 + c on.
#[derive(LogicBlock)]
pub struct Top<const W: usize, const D: usize, const A: usize> {
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
    control: Control<W, D, A>,
    state_buffer: StateBuffer,
    array: PeArray,
    bias: BiasRow,
    results: ResultsBuffer,
    post: Post,
    place: DrainPlace,
    _rows: usize,
    _cols: usize,
    _slices: usize,
    _pooling: usize,
    _medians: usize,
    _activates: usize,
    /// Stored sums enter the array at the top.
    _sums: usize,
    _name: String,
}

impl<const W: usize, const D: usize, const A: usize> Top<W, D, A> {
    /// The machine of a configuration; `W` and `A` are its offset and address bits.
    pub fn new(params: &Params) -> Self {
        let s = SequencerShape {
            rows: params.array.rows as usize,
            cols: params.array.cols as usize,
            record_rows: params.traversal.rows as usize,
            loops: params.traversal.loops as usize,
            offset_bits: W,
            address_bits: A,
            tiles: params.column_tiles as usize,
            program_words: params.program.words as usize,
            banked: params.program_banks() > 0,
            row_offsets: params.state_buffer.row_offsets as usize,
            post: PostOptions::of(params),
        };
        let buffer = &params.state_buffer;
        let bank = SlicedShape::of(buffer.words_per_bank as usize, &buffer.slices);
        let shape = ControlShape {
            sequencer: s,
            byte_bits: params.partition_bytes().ilog2() as usize,
            banks: BankCount::of(params),
            result_bits: params.results_buffer.depth.ilog2() as usize,
            slices: bank.slices(),
            sums_at_top: params.array.partial_sums == PartialSums::Top,
        };
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
            control: Control::new(shape),
            state_buffer: StateBuffer::new(s.rows, shape.banks, &bank, s.row_offsets),
            array: PeArray::new(s.rows, s.cols),
            bias: BiasRow::new(s.cols, s.tiles),
            results: results_buffer(params),
            post: Post::new(s.cols, s.tiles, s.post),
            place: DrainPlace::new(s.rows, s.cols),
            _rows: s.rows,
            _cols: s.cols,
            _slices: bank.slices(),
            _pooling: usize::from(s.post.pooling),
            _medians: usize::from(s.post.median > 0),
            _activates: usize::from(s.post.activations > 0),
            _sums: usize::from(shape.sums_at_top),
            _name: module_name(&params.name),
        }
    }
}

impl<const W: usize, const D: usize, const A: usize> Logic for Top<W, D, A> {
    #[hdl_gen]
    fn update(&mut self) {
        self.control.clk.next = self.clk.val();
        self.control.rst_n.next = self.rst_n.val();
        self.state_buffer.clk.next = self.clk.val();
        self.state_buffer.rst_n.next = self.rst_n.val();
        self.array.clk.next = self.clk.val();
        self.array.rst_n.next = self.rst_n.val();
        self.bias.clk.next = self.clk.val();
        self.bias.rst_n.next = self.rst_n.val();
        self.results.clk.next = self.clk.val();
        self.results.rst_n.next = self.rst_n.val();
        self.post.clk.next = self.clk.val();
        self.post.rst_n.next = self.rst_n.val();
        self.place.clk.next = self.clk.val();
        self.place.rst_n.next = self.rst_n.val();

        // Host and status
        self.control.host_valid_i.next = self.host_valid_i.val();
        self.control.host_write_i.next = self.host_write_i.val();
        self.control.host_addr_i.next = self.host_addr_i.val();
        self.host_ready_o.next = self.control.host_ready_o.val();
        self.host_rvalid_o.next = self.control.host_rvalid_o.val();
        self.running_o.next = self.control.running_o.val();
        self.done_o.next = self.control.done_o.val();
        self.error_o.next = self.control.error_o.val();
        for i in 0..8 {
            self.control.host_wdata_i[i].next = self.host_wdata_i[i].val();
            self.host_rdata_o[i].next = self.control.host_rdata_o[i].val();
        }

        // State buffer
        self.state_buffer.op_valid_i.next = self.control.op_valid_o.val();
        self.state_buffer.op_addr_i.next = self.control.op_addr_o.val();
        self.state_buffer.op_rows_i.next = self.control.op_rows_o.val();
        self.state_buffer.op_thr_i.next = self.control.op_thr_o.val();
        self.state_buffer.op_fresh_i.next = self.control.op_fresh_o.val();
        self.state_buffer.op_swap_i.next = self.control.op_swap_o.val();
        self.state_buffer.op_tag_i.next = self.control.op_tag_o.val();
        self.state_buffer.op_table_i.next = self.control.op_table_o.val();
        self.state_buffer.op_entry_i.next = self.control.op_entry_o.val();
        self.control.end_valid_i.next = self.state_buffer.op_valid_o.val();
        self.control.end_addr_i.next = self.state_buffer.op_addr_o.val();
        self.control.end_tag_i.next = self.state_buffer.op_tag_o.val();
        self.control.end_fault_i.next = self.state_buffer.op_fault_o.val();
        self.state_buffer.wt_valid_i.next = self.control.wt_valid_o.val();
        self.state_buffer.wt_addr_i.next = self.control.wt_addr_o.val();
        self.state_buffer.wt_rows_i.next = self.control.wt_rows_o.val();
        self.state_buffer.wt_copy_i.next = self.control.wt_copy_o.val();
        self.state_buffer.wt_dest_i.next = self.control.wt_dest_o.val();
        self.state_buffer.host_valid_i.next = self.control.buffer_valid_o.val();
        self.state_buffer.host_write_i.next = self.control.buffer_write_o.val();
        self.state_buffer.host_table_i.next = self.control.buffer_table_o.val();
        self.state_buffer.host_partition_i.next = self.control.buffer_partition_o.val();
        self.state_buffer.host_word_i.next = self.control.buffer_word_o.val();
        self.control.buffer_rvalid_i.next = self.state_buffer.host_rvalid_o.val();
        for i in 0..8 {
            self.state_buffer.host_data_i[i].next = self.control.buffer_data_o[i].val();
            self.control.buffer_rdata_i[i].next = self.state_buffer.host_rdata_o[i].val();
        }
        self.control.event_i[0].next = self.state_buffer.ev_zero_o.val();
        self.control.event_i[1].next = self.state_buffer.ev_mask_read_o.val();
        self.control.event_i[2].next = self.state_buffer.ev_mask_write_o.val();
        for k in 0..self._slices {
            self.control.event_i[2 * k + 3].next = self.state_buffer.ev_slice_read_o[k].val();
            self.control.event_i[2 * k + 4].next = self.state_buffer.ev_slice_write_o[k].val();
        }

        // Words of the columns to the partitions
        self.place.turn_i.next = self.control.post_turn_o.val();
        for c in 0..self._cols {
            self.place.valid_i[c].next = self.post.dr_valid_o[c].val();
            self.place.word_i[c].next = self.post.dr_word_o[c].val();
            for k in 0..8 {
                self.place.data_i[c][k].next = self.post.dr_data_o[c][k].val();
            }
        }
        for r in 0..self._rows {
            self.state_buffer.dr_valid_i[r].next = self.place.valid_o[r].val();
            self.state_buffer.dr_word_i[r].next = self.place.word_o[r].val();
            for k in 0..8 {
                self.state_buffer.dr_data_i[r][k].next = self.place.data_o[r][k].val();
            }
        }

        // Array
        for r in 0..self._rows {
            self.array.x_i[r].next = self.state_buffer.x_o[r].val();
            self.array.nz_i[r].next = self.state_buffer.nz_o[r].val();
            self.array.swap_i[r].next = self.state_buffer.swap_o[r].val();
            self.array.shift_i[r].next = self.state_buffer.shift_o[r].val();
            for k in 0..8 {
                self.array.w_i[r][k].next = self.state_buffer.w_o[r][k].val();
            }
        }
        for c in 0..self._cols {
            // A slot starts from a bias or from a stored sum; what it does not start from is 0.
            if self._sums > 0 {
                self.array.psum_i[c].next =
                    self.bias.psum_o[c].val() | self.results.psum_o[c].val();
            } else {
                self.array.psum_i[c].next = self.bias.psum_o[c].val();
            }
            self.results.sum_i[c].next = self.array.psum_o[c].val();
            self.post.acc_i[c].next = self.results.acc_o[c].val();
        }

        // Bias
        self.bias.load_i.next = self.control.bias_load_o.val();
        self.bias.tile_i.next = self.control.bias_tile_o.val();
        self.bias.first_i.next = self.control.bias_first_o.val();
        self.bias.pw_valid_i.next = self.control.bias_wen_o.val();
        self.bias.pw_column_i.next = self.control.param_column_o.val();
        self.bias.pw_tile_i.next = self.control.param_tile_o.val();
        self.bias.pw_data_i.next = self.control.bias_data_o.val();

        // Results
        self.results.valid_i.next = self.control.res_valid_o.val();
        self.results.bank_i.next = self.control.res_bank_o.val();
        self.results.addr_i.next = self.control.res_addr_o.val();
        self.results.add_i.next = self.control.res_add_o.val();
        self.results.sum_en_i.next = self.control.res_sum_o.val();
        self.results.write_i.next = self.control.res_write_o.val();
        for i in 0..self._sums {
            self.results.add_bank_i[i].next = self.control.res_add_bank_o[i].val();
            self.results.add_addr_i[i].next = self.control.res_add_addr_o[i].val();
        }

        // Post
        self.post.load_i.next = self.control.post_load_o.val();
        self.post.tile_i.next = self.control.post_tile_o.val();
        self.post.skip_i.next = self.control.post_skip_o.val();
        self.post.cols_i.next = self.control.post_cols_o.val();
        self.post.valid_i.next = self.control.post_valid_o.val();
        self.post.dest_i.next = self.control.post_dest_o.val();
        self.post.flush_i.next = self.control.post_flush_o.val();
        self.post.single_i.next = self.control.post_single_o.val();
        self.post.lo_i.next = self.control.post_lo_o.val();
        self.post.hi_i.next = self.control.post_hi_o.val();
        self.post.pw_valid_i.next = self.control.scale_wen_o.val();
        self.post.pw_column_i.next = self.control.param_column_o.val();
        self.post.pw_tile_i.next = self.control.param_tile_o.val();
        for i in 0..8 {
            self.post.pw_data_i[i].next = self.control.scale_data_o[i].val();
        }
        for i in 0..self._pooling {
            self.post.first_i[i].next = self.control.post_first_o[i].val();
            self.post.last_i[i].next = self.control.post_last_o[i].val();
            self.post.reduction_i[i].next = self.control.post_reduction_o[i].val();
        }
        for i in 0..self._medians {
            self.post.window_i[i].next = self.control.post_window_o[i].val();
        }
        for i in 0..self._activates {
            self.post.table_i[i].next = self.control.post_table_o[i].val();
            self.post.aw_valid_i[i].next = self.control.activation_wen_o[i].val();
            self.post.aw_entry_i[i].next = self.control.activation_entry_o[i].val();
        }
    }
    module!(|this| {
        // Two machines in one design differ by the names of their configurations.
        Meta::module(format!("top_{}", this._name))
            .hidden("rows", this._rows, "rows of the array")
            .hidden("cols", this._cols, "columns of the array")
            .hidden("slices", this._slices, "data slices")
            .silent("pooling", this._pooling)
            .silent("medians", this._medians)
            .silent("activates", this._activates)
            .silent("sums", this._sums)
    });
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
