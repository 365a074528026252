//! One column of post-processing.

use super::{Activate, Gatherer, PoolLane, PostOptions, REQUANTISE_LATENCY, Requantise};
use crate::prelude::*;

/// Cycles from `valid_i` of a lane without options until its byte reaches the gatherer. A word leaves in the
/// cycle in which a byte of another word arrives there, or one cycle after its flush byte.
pub const POST_LATENCY: usize = REQUANTISE_LATENCY;

/// Post-processing of one column: scales the sums to bytes, collects the bytes to words and hands
/// the words to the state buffer.
///
/// The multiplier and the shift of every column tile are kept in a memory. The shift has six
/// bits, two's complement: positive is left, -31 to 30.
///
/// # Timing
/// `load_i` in cycle T: slots from T+1 on use multiplier and shift of `tile_i`, or write nothing if
/// `cols_i` is 0 or `skip_i` is not. A load without a slot begins a drain and drops what one that was stopped has left. Slot in T: a word that its byte pushes out leaves in T+10; if it is the flush
/// byte, its own word leaves in T+11.
/// Everything else that comes from the left is on the right one cycle later. A parameter is
/// written when its column number is 0; the number is decremented modulo 256 from column to
/// column.
#[derive(LogicBlock)]
pub struct PostLane {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Head of a drain: loads multiplier and shift of `tile_i`.
    pub load_i: Signal<In, Bit>,
    /// Column tile.
    pub tile_i: Signal<In, Bits<8>>,
    /// With `load_i`: columns from this one on before the first active one.
    pub skip_i: Signal<In, Bits<8>>,
    /// With `load_i`: active columns.
    pub cols_i: Signal<In, Bits<9>>,
    /// Slot with a result.
    pub valid_i: Signal<In, Bit>,
    /// Byte address of the result.
    pub dest_i: Signal<In, Bits<16>>,
    /// Last result of the drain.
    pub flush_i: Signal<In, Bit>,
    /// First slot of a window.
    pub first_i: Vec<Signal<In, Bit>>,
    /// Last slot of a window: it brings the address of the result.
    pub last_i: Vec<Signal<In, Bit>>,
    /// Head of a drain to the next column.
    pub load_o: Signal<Out, Bit>,
    /// Column tile to the next column.
    pub tile_o: Signal<Out, Bits<8>>,
    /// Columns from the next one on before the first active one.
    pub skip_o: Signal<Out, Bits<8>>,
    /// Active columns from the next one on.
    pub cols_o: Signal<Out, Bits<9>>,
    /// Slot to the next column.
    pub valid_o: Signal<Out, Bit>,
    /// Byte address to the next column.
    pub dest_o: Signal<Out, Bits<16>>,
    /// Last flag to the next column.
    pub flush_o: Signal<Out, Bit>,
    /// First slot of a window, to the next column.
    pub first_o: Vec<Signal<Out, Bit>>,
    /// Last slot of a window, to the next column.
    pub last_o: Vec<Signal<Out, Bit>>,
    /// Single rounding, else double. Stable while a drain is active.
    pub single_i: Signal<In, Bit>,
    /// Lower bound of the results, two's complement. Stable while a drain is active.
    pub lo_i: Signal<In, Bits<9>>,
    /// Upper bound of the results, two's complement. Stable while a drain is active.
    pub hi_i: Signal<In, Bits<9>>,
    /// What becomes of a window. Stable while a drain is active.
    pub reduction_i: Vec<Signal<In, Bits<3>>>,
    /// Sums in a window, less one. Stable while a drain is active.
    pub window_i: Vec<Signal<In, Bits<8>>>,
    /// Activation table from 1 on, 0 for none. Stable while a drain is active.
    pub table_i: Vec<Signal<In, Bits<4>>>,
    /// Sum of the slot, two's complement.
    pub acc_i: Signal<In, Bits<32>>,
    /// A multiplier and shift are written.
    pub pw_valid_i: Signal<In, Bit>,
    /// Columns between this one and the one that takes them.
    pub pw_column_i: Signal<In, Bits<8>>,
    /// Column tile they belong to.
    pub pw_tile_i: Signal<In, Bits<8>>,
    /// Bits 30..0 multiplier, bits 37..32 shift.
    pub pw_data_i: Vec<Signal<In, Bits<8>>>,
    /// Write to the next column.
    pub pw_valid_o: Signal<Out, Bit>,
    /// Column number for the next column.
    pub pw_column_o: Signal<Out, Bits<8>>,
    /// Column tile to the next column.
    pub pw_tile_o: Signal<Out, Bits<8>>,
    /// Parameters to the next column.
    pub pw_data_o: Vec<Signal<Out, Bits<8>>>,
    /// An entry of an activation table is written: byte 0 of `pw_data_i`.
    pub aw_valid_i: Vec<Signal<In, Bit>>,
    /// The entry: table from 0 on, and byte.
    pub aw_entry_i: Vec<Signal<In, Bits<11>>>,
    /// Write of an entry, to the next column.
    pub aw_valid_o: Vec<Signal<Out, Bit>>,
    /// The entry, to the next column.
    pub aw_entry_o: Vec<Signal<Out, Bits<11>>>,
    /// A word is written to the state buffer.
    pub dr_valid_o: Signal<Out, Bit>,
    /// Word address.
    pub dr_word_o: Signal<Out, Bits<13>>,
    /// The word.
    pub dr_data_o: Vec<Signal<Out, Bits<8>>>,
    load: Reg<Bit>,
    tile: Delay<Bits<8>>,
    skip: Delay<Bits<8>>,
    cols: Delay<Bits<9>>,
    valid: Reg<Bit>,
    dest: Delay<Bits<16>>,
    flush: Delay<Bit>,
    first: Vec<Delay<Bit>>,
    last: Vec<Delay<Bit>>,
    aw_valid: Vec<Reg<Bit>>,
    aw_entry: Vec<Delay<Bits<11>>>,
    pw_valid: Reg<Bit>,
    pw_column: Delay<Bits<8>>,
    pw_tile: Delay<Bits<8>>,
    pw_data: Vec<Delay<Bits<8>>>,
    /// The column takes part in the drain.
    active: RegEn<Bit>,
    multiplier: RegData<Bits<31>>,
    left: RegData<Bits<5>>,
    right: RegData<Bits<5>>,
    /// Head of a drain on its way to the scaling, behind pooling.
    late_load: Vec<Reg<Bit>>,
    late_part: Vec<Delay<Bit>>,
    late_tile: Vec<Delay<Bits<8>>>,
    pool: Vec<PoolLane>,
    activate: Vec<Activate>,
    /// A slot of an active column in each stage of the scaling.
    /// A load drops what a drain that was stopped has left.
    pipe_load: Vec<Reg<Bit>>,
    pipe_valid: Vec<Reg<Bit>>,
    /// Byte address in each stage of the scaling.
    pipe_dest: Vec<Delay<Bits<16>>>,
    /// Last flag in each stage of the scaling.
    pipe_flush: Vec<Delay<Bit>>,
    ram: Ram1r1w<8, 8>,
    requantise: Requantise,
    gather: Gatherer,
    /// The column takes part in the drain whose head is on the inputs.
    takes_part: Signal<Local, Bit>,
    /// Shift of the tile that is being loaded.
    shift: Signal<Local, Bits<6>>,
    _tiles: usize,
    _stages: usize,
    _scaled: usize,
    _pooled: usize,
    _pooling: usize,
    _medians: usize,
    _activates: usize,
    _options: PostOptions,
}

impl PostLane {
    /// A lane for `tiles` (1..=256) column tiles.
    pub fn new(tiles: usize, options: PostOptions) -> Self {
        let stages = options.latency();
        let pooled = options.pool_latency();
        let pooling = usize::from(options.pooling);
        let medians = usize::from(options.median > 0);
        let activates = usize::from(options.activations > 0);
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            load_i: Default::default(),
            tile_i: Default::default(),
            skip_i: Default::default(),
            cols_i: Default::default(),
            valid_i: Default::default(),
            dest_i: Default::default(),
            flush_i: Default::default(),
            first_i: v(pooling),
            last_i: v(pooling),
            load_o: Default::default(),
            tile_o: Default::default(),
            skip_o: Default::default(),
            cols_o: Default::default(),
            valid_o: Default::default(),
            dest_o: Default::default(),
            flush_o: Default::default(),
            first_o: v(pooling),
            last_o: v(pooling),
            single_i: Default::default(),
            lo_i: Default::default(),
            hi_i: Default::default(),
            reduction_i: v(pooling),
            window_i: v(medians),
            table_i: v(activates),
            acc_i: Default::default(),
            pw_valid_i: Default::default(),
            pw_column_i: Default::default(),
            pw_tile_i: Default::default(),
            pw_data_i: v(8),
            pw_valid_o: Default::default(),
            pw_column_o: Default::default(),
            pw_tile_o: Default::default(),
            pw_data_o: v(8),
            aw_valid_i: v(activates),
            aw_entry_i: v(activates),
            aw_valid_o: v(activates),
            aw_entry_o: v(activates),
            dr_valid_o: Default::default(),
            dr_word_o: Default::default(),
            dr_data_o: v(8),
            load: Default::default(),
            tile: Default::default(),
            skip: Default::default(),
            cols: Default::default(),
            valid: Default::default(),
            dest: Default::default(),
            flush: Default::default(),
            first: v(pooling),
            last: v(pooling),
            aw_valid: v(activates),
            aw_entry: v(activates),
            pw_valid: Default::default(),
            pw_column: Default::default(),
            pw_tile: Default::default(),
            pw_data: v(8),
            active: Default::default(),
            multiplier: Default::default(),
            left: Default::default(),
            right: Default::default(),
            // One stage more than the sums wait: the scale is read in front of its registers.
            late_load: v(pooled + pooling),
            late_part: v(pooled),
            late_tile: v(pooled),
            pool: (0..pooling).map(|_| PoolLane::new(options)).collect(),
            activate: (0..activates)
                .map(|_| Activate::new(options.activations))
                .collect(),
            pipe_load: v(stages),
            pipe_valid: v(stages),
            pipe_dest: v(stages),
            pipe_flush: v(stages),
            ram: Ram1r1w::new(5, tiles),
            requantise: Requantise::new(),
            gather: Gatherer::new(),
            takes_part: Default::default(),
            shift: Default::default(),
            _tiles: tiles,
            _stages: stages,
            _scaled: pooled + REQUANTISE_LATENCY,
            _pooled: pooled,
            _pooling: pooling,
            _medians: medians,
            _activates: activates,
            _options: options,
        }
    }
}

impl Logic for PostLane {
    #[hdl_gen]
    fn update(&mut self) {
        // The wave
        self.load.clk.next = self.clk.val();
        self.load.rst_n.next = self.rst_n.val();
        self.load.d_i.next = self.load_i.val();
        self.load_o.next = self.load.q_o.val();
        self.tile.clk.next = self.clk.val();
        self.tile.d_i.next = self.tile_i.val();
        self.tile_o.next = self.tile.q_o.val();
        self.cols.clk.next = self.clk.val();
        self.skip.clk.next = self.clk.val();
        self.skip.d_i.next = 0.into();
        self.cols.d_i.next = self.cols_i.val();
        self.takes_part.next = false;
        if self.skip_i.val().any() {
            self.skip.d_i.next = self.skip_i.val() - 1;
        } else if self.cols_i.val().any() {
            self.cols.d_i.next = self.cols_i.val() - 1;
            self.takes_part.next = true;
        }
        self.skip_o.next = self.skip.q_o.val();
        self.cols_o.next = self.cols.q_o.val();
        self.valid.clk.next = self.clk.val();
        self.valid.rst_n.next = self.rst_n.val();
        self.valid.d_i.next = self.valid_i.val();
        self.valid_o.next = self.valid.q_o.val();
        self.dest.clk.next = self.clk.val();
        self.dest.d_i.next = self.dest_i.val();
        self.dest_o.next = self.dest.q_o.val();
        self.flush.clk.next = self.clk.val();
        self.flush.d_i.next = self.flush_i.val();
        self.flush_o.next = self.flush.q_o.val();
        for i in 0..self._pooling {
            self.first[i].clk.next = self.clk.val();
            self.first[i].d_i.next = self.first_i[i].val();
            self.first_o[i].next = self.first[i].q_o.val();
            self.last[i].clk.next = self.clk.val();
            self.last[i].d_i.next = self.last_i[i].val();
            self.last_o[i].next = self.last[i].q_o.val();
        }

        // Parameter writes
        self.pw_valid.clk.next = self.clk.val();
        self.pw_valid.rst_n.next = self.rst_n.val();
        self.pw_valid.d_i.next = self.pw_valid_i.val();
        self.pw_valid_o.next = self.pw_valid.q_o.val();
        self.pw_column.clk.next = self.clk.val();
        self.pw_column.d_i.next = self.pw_column_i.val() - 1;
        self.pw_column_o.next = self.pw_column.q_o.val();
        self.pw_tile.clk.next = self.clk.val();
        self.pw_tile.d_i.next = self.pw_tile_i.val();
        self.pw_tile_o.next = self.pw_tile.q_o.val();
        for k in 0..8 {
            self.pw_data[k].clk.next = self.clk.val();
            self.pw_data[k].d_i.next = self.pw_data_i[k].val();
            self.pw_data_o[k].next = self.pw_data[k].q_o.val();
        }

        for i in 0..self._activates {
            self.aw_valid[i].clk.next = self.clk.val();
            self.aw_valid[i].rst_n.next = self.rst_n.val();
            self.aw_valid[i].d_i.next = self.aw_valid_i[i].val();
            self.aw_valid_o[i].next = self.aw_valid[i].q_o.val();
            self.aw_entry[i].clk.next = self.clk.val();
            self.aw_entry[i].d_i.next = self.aw_entry_i[i].val();
            self.aw_entry_o[i].next = self.aw_entry[i].q_o.val();
        }

        // Parameters of the drain
        self.ram.clk.next = self.clk.val();
        self.ram.wen_i.next = self.pw_valid_i.val() & (self.pw_column_i.val() == 0);
        self.ram.waddr_i.next = self.pw_tile_i.val();
        for k in 0..5 {
            self.ram.wdata_i[k].next = self.pw_data_i[k].val();
        }
        for i in 0..self._pooling {
            self.late_load[i].d_i.next = self.load_i.val();
            self.late_part[i].d_i.next = self.takes_part.val();
            self.late_tile[i].d_i.next = self.tile_i.val();
        }
        for i in 0..(self._pooled + self._pooling) {
            self.late_load[i].clk.next = self.clk.val();
            self.late_load[i].rst_n.next = self.rst_n.val();
            if i > 0 {
                self.late_load[i].d_i.next = self.late_load[i - 1].q_o.val();
            }
        }
        for i in 0..self._pooled {
            self.late_part[i].clk.next = self.clk.val();
            self.late_tile[i].clk.next = self.clk.val();
            if i > 0 {
                self.late_part[i].d_i.next = self.late_part[i - 1].q_o.val();
                self.late_tile[i].d_i.next = self.late_tile[i - 1].q_o.val();
            }
        }
        if self._pooling > 0 {
            self.ram.ren_i.next = self.late_load[self._pooled - 1].q_o.val()
                & self.late_part[self._pooled - 1].q_o.val();
            self.ram.raddr_i.next = self.late_tile[self._pooled - 1].q_o.val();
        } else {
            self.ram.ren_i.next = self.load_i.val() & self.takes_part.val();
            self.ram.raddr_i.next = self.tile_i.val();
        }
        self.active.clk.next = self.clk.val();
        self.active.rst_n.next = self.rst_n.val();
        self.active.en_i.next = self.load_i.val();
        self.active.d_i.next = self.takes_part.val();
        if self._pooling > 0 {
            self.multiplier.en_i.next = self.late_load[self._pooled].q_o.val();
            self.left.en_i.next = self.late_load[self._pooled].q_o.val();
            self.right.en_i.next = self.late_load[self._pooled].q_o.val();
        } else {
            self.multiplier.en_i.next = self.load.q_o.val();
            self.left.en_i.next = self.load.q_o.val();
            self.right.en_i.next = self.load.q_o.val();
        }
        self.multiplier.clk.next = self.clk.val();
        self.multiplier.d_i.next = (bit_cast::<31, 7>(self.ram.rdata_o[3].val().get_bits::<7>(0))
            << 24)
            | (bit_cast::<31, 8>(self.ram.rdata_o[2].val()) << 16)
            | (bit_cast::<31, 8>(self.ram.rdata_o[1].val()) << 8)
            | bit_cast::<31, 8>(self.ram.rdata_o[0].val());
        self.shift.next = self.ram.rdata_o[4].val().get_bits::<6>(0);
        self.left.clk.next = self.clk.val();
        self.left.d_i.next = self.shift.val().get_bits::<5>(0);
        self.right.clk.next = self.clk.val();
        self.right.d_i.next = 0.into();
        if self.shift.val().get_bit(5) {
            self.left.d_i.next = 0.into();
            self.right.d_i.next = !self.shift.val().get_bits::<5>(0) + 1;
        }

        // Pooling
        for i in 0..self._pooling {
            self.pool[i].clk.next = self.clk.val();
            self.pool[i].rst_n.next = self.rst_n.val();
            self.pool[i].valid_i.next = self.valid_i.val() & self.active.q_o.val();
            self.pool[i].first_i.next = self.first_i[i].val();
            self.pool[i].last_i.next = self.last_i[i].val();
            self.pool[i].reduction_i.next = self.reduction_i[i].val();
            self.pool[i].acc_i.next = self.acc_i.val();
        }
        for i in 0..self._medians {
            self.pool[i].window_i[i].next = self.window_i[i].val();
        }

        // Scaling
        self.requantise.clk.next = self.clk.val();
        if self._pooling > 0 {
            self.requantise.valid_i.next = self.pool[0].valid_o.val();
            self.requantise.acc_i.next = self.pool[0].acc_o.val();
        } else {
            self.requantise.valid_i.next = self.valid_i.val() & self.active.q_o.val();
            self.requantise.acc_i.next = self.acc_i.val();
        }
        self.requantise.multiplier_i.next = self.multiplier.q_o.val();
        self.requantise.left_i.next = self.left.q_o.val();
        self.requantise.right_i.next = self.right.q_o.val();
        self.requantise.single_i.next = self.single_i.val();
        self.requantise.lo_i.next = self.lo_i.val();
        self.requantise.hi_i.next = self.hi_i.val();

        // What travels beside the scaling
        // Within a drain a load comes with a slot, and the word goes on.
        self.pipe_load[0].d_i.next = self.load_i.val() & !self.valid_i.val();
        if self._pooling > 0 {
            self.pipe_valid[0].d_i.next =
                self.valid_i.val() & self.active.q_o.val() & self.last_i[0].val();
        } else {
            self.pipe_valid[0].d_i.next = self.valid_i.val() & self.active.q_o.val();
        }
        self.pipe_dest[0].d_i.next = self.dest_i.val();
        self.pipe_flush[0].d_i.next = self.flush_i.val();
        for i in 0..self._stages {
            self.pipe_load[i].clk.next = self.clk.val();
            self.pipe_load[i].rst_n.next = self.rst_n.val();
            self.pipe_valid[i].clk.next = self.clk.val();
            self.pipe_valid[i].rst_n.next = self.rst_n.val();
            self.pipe_dest[i].clk.next = self.clk.val();
            self.pipe_flush[i].clk.next = self.clk.val();
        }
        for i in 1..self._stages {
            self.pipe_load[i].d_i.next = self.pipe_load[i - 1].q_o.val();
            self.pipe_valid[i].d_i.next = self.pipe_valid[i - 1].q_o.val();
            self.pipe_dest[i].d_i.next = self.pipe_dest[i - 1].q_o.val();
            self.pipe_flush[i].d_i.next = self.pipe_flush[i - 1].q_o.val();
        }

        // Activation
        for i in 0..self._activates {
            self.activate[i].clk.next = self.clk.val();
            self.activate[i].valid_i.next = self.pipe_valid[self._scaled - 1].q_o.val();
            self.activate[i].table_i.next = self.table_i[i].val();
            self.activate[i].byte_i.next = self.requantise.byte_o.val();
            self.activate[i].wen_i.next = self.aw_valid_i[i].val();
            self.activate[i].wentry_i.next = self.aw_entry_i[i].val();
            self.activate[i].wdata_i.next = self.pw_data_i[0].val();
        }

        // Words
        self.gather.clk.next = self.clk.val();
        self.gather.rst_n.next = self.rst_n.val();
        for i in (self._stages - 1)..self._stages {
            self.gather.drop_i.next = self.pipe_load[i].q_o.val();
            self.gather.valid_i.next = self.pipe_valid[i].q_o.val();
            self.gather.dest_i.next = self.pipe_dest[i].q_o.val();
            self.gather.flush_i.next = self.pipe_flush[i].q_o.val();
        }
        if self._activates > 0 {
            self.gather.byte_i.next = self.activate[0].byte_o.val();
        } else {
            self.gather.byte_i.next = self.requantise.byte_o.val();
        }
        self.dr_valid_o.next = self.gather.valid_o.val();
        self.dr_word_o.next = self.gather.word_o.val();
        for k in 0..8 {
            self.dr_data_o[k].next = self.gather.data_o[k].val();
        }
    }
    module!(|this| {
        let lane = Meta::module("post_lane").param("tiles", "t", this._tiles, "column tiles");
        let lane = this
            ._options
            .describe(lane)
            .silent("stages", this._stages)
            .silent("scaled", this._scaled)
            .silent("pooled", this._pooled);
        this._options.describe_clocks(lane)
    });
}
