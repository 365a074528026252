//! Post-processing of all columns.

use super::{PostLane, PostOptions};
use crate::prelude::*;

/// Post-processing of all columns, one lane per column. A wave that enters column 0 in cycle T
/// reaches column c in T+c.
///
/// # Timing
/// `valid_i` in cycle T: column c takes `acc_i` in T+c; a word that the byte pushes out is on
/// `dr_*_o` in T+c+10, the word of a flush byte in T+c+11.
#[derive(LogicBlock)]
pub struct Post {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Head of a drain: loads multipliers and shifts of `tile_i`.
    pub load_i: Signal<In, Bit>,
    /// Column tile.
    pub tile_i: Signal<In, Bits<8>>,
    /// With `load_i`: columns before the first active one.
    pub skip_i: Signal<In, Bits<8>>,
    /// With `load_i`: active columns.
    pub cols_i: Signal<In, Bits<9>>,
    /// Slot with results.
    pub valid_i: Signal<In, Bit>,
    /// Byte address of the results.
    pub dest_i: Signal<In, Bits<16>>,
    /// Last slot of the drain.
    pub flush_i: Signal<In, Bit>,
    /// First slot of a window.
    pub first_i: Vec<Signal<In, Bit>>,
    /// Last slot of a window: it brings the address of the results.
    pub last_i: Vec<Signal<In, Bit>>,
    /// Single rounding, else double. Stable while a drain is active.
    pub single_i: Signal<In, Bit>,
    /// Lower bound of the results, two's complement. Stable while a drain is active.
    pub lo_i: Signal<In, Bits<9>>,
    /// Upper bound of the results, two's complement. Stable while a drain is active.
    pub hi_i: Signal<In, Bits<9>>,
    /// What becomes of a window: 0 maximum, 1 minimum, 2 sum, 3 product, 4 twice the median. Stable
    /// while a drain is active.
    pub reduction_i: Vec<Signal<In, Bits<3>>>,
    /// Sums in a window, less one. Stable while a drain is active.
    pub window_i: Vec<Signal<In, Bits<8>>>,
    /// Activation table from 1 on, 0 for none. Stable while a drain is active.
    pub table_i: Vec<Signal<In, Bits<4>>>,
    /// Sums, one per column.
    pub acc_i: Vec<Signal<In, Bits<32>>>,
    /// A multiplier and shift are written.
    pub pw_valid_i: Signal<In, Bit>,
    /// Column that takes them.
    pub pw_column_i: Signal<In, Bits<8>>,
    /// Column tile they belong to.
    pub pw_tile_i: Signal<In, Bits<8>>,
    /// Bits 30..0 multiplier, bits 37..32 shift.
    pub pw_data_i: Vec<Signal<In, Bits<8>>>,
    /// An entry of an activation table is written in all columns: byte 0 of `pw_data_i`.
    pub aw_valid_i: Vec<Signal<In, Bit>>,
    /// The entry: table from 0 on, and byte.
    pub aw_entry_i: Vec<Signal<In, Bits<11>>>,
    /// One per column: a word is written to the state buffer.
    pub dr_valid_o: Vec<Signal<Out, Bit>>,
    /// Word addresses.
    pub dr_word_o: Vec<Signal<Out, Bits<13>>>,
    /// Words of eight bytes.
    pub dr_data_o: Vec<Vec<Signal<Out, Bits<8>>>>,
    lane: Vec<PostLane>,
    load: Vec<Signal<Local, Bit>>,
    tile: Vec<Signal<Local, Bits<8>>>,
    skip: Vec<Signal<Local, Bits<8>>>,
    active_cols: Vec<Signal<Local, Bits<9>>>,
    valid: Vec<Signal<Local, Bit>>,
    dest: Vec<Signal<Local, Bits<16>>>,
    flush: Vec<Signal<Local, Bit>>,
    first: Vec<Vec<Signal<Local, Bit>>>,
    last: Vec<Vec<Signal<Local, Bit>>>,
    aw_valid: Vec<Vec<Signal<Local, Bit>>>,
    aw_entry: Vec<Vec<Signal<Local, Bits<11>>>>,
    pw_valid: Vec<Signal<Local, Bit>>,
    pw_column: Vec<Signal<Local, Bits<8>>>,
    pw_tile: Vec<Signal<Local, Bits<8>>>,
    pw_data: Vec<Vec<Signal<Local, Bits<8>>>>,
    _cols: usize,
    _tiles: usize,
    _pooling: usize,
    _medians: usize,
    _activates: usize,
    _options: PostOptions,
}

impl Post {
    /// `cols` lanes for `tiles` (1..=256) column tiles.
    pub fn new(cols: usize, tiles: usize, options: PostOptions) -> Self {
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
            single_i: Default::default(),
            lo_i: Default::default(),
            hi_i: Default::default(),
            reduction_i: v(pooling),
            window_i: v(medians),
            table_i: v(activates),
            acc_i: v(cols),
            pw_valid_i: Default::default(),
            pw_column_i: Default::default(),
            pw_tile_i: Default::default(),
            pw_data_i: v(8),
            aw_valid_i: v(activates),
            aw_entry_i: v(activates),
            dr_valid_o: v(cols),
            dr_word_o: v(cols),
            dr_data_o: (0..cols).map(|_| v(8)).collect(),
            lane: (0..cols).map(|_| PostLane::new(tiles, options)).collect(),
            load: v(cols + 1),
            tile: v(cols + 1),
            skip: v(cols + 1),
            active_cols: v(cols + 1),
            valid: v(cols + 1),
            dest: v(cols + 1),
            flush: v(cols + 1),
            first: (0..cols + 1).map(|_| v(pooling)).collect(),
            last: (0..cols + 1).map(|_| v(pooling)).collect(),
            aw_valid: (0..cols + 1).map(|_| v(activates)).collect(),
            aw_entry: (0..cols + 1).map(|_| v(activates)).collect(),
            pw_valid: v(cols + 1),
            pw_column: v(cols + 1),
            pw_tile: v(cols + 1),
            pw_data: (0..cols + 1).map(|_| v(8)).collect(),
            _cols: cols,
            _tiles: tiles,
            _pooling: pooling,
            _medians: medians,
            _activates: activates,
            _options: options,
        }
    }
}

impl Logic for Post {
    #[hdl_gen]
    fn update(&mut self) {
        self.load[0].next = self.load_i.val();
        self.tile[0].next = self.tile_i.val();
        self.skip[0].next = self.skip_i.val();
        self.active_cols[0].next = self.cols_i.val();
        self.valid[0].next = self.valid_i.val();
        self.dest[0].next = self.dest_i.val();
        self.flush[0].next = self.flush_i.val();
        self.pw_valid[0].next = self.pw_valid_i.val();
        self.pw_column[0].next = self.pw_column_i.val();
        self.pw_tile[0].next = self.pw_tile_i.val();
        for k in 0..8 {
            self.pw_data[0][k].next = self.pw_data_i[k].val();
        }
        for k in 0..self._pooling {
            self.first[0][k].next = self.first_i[k].val();
            self.last[0][k].next = self.last_i[k].val();
        }
        for k in 0..self._activates {
            self.aw_valid[0][k].next = self.aw_valid_i[k].val();
            self.aw_entry[0][k].next = self.aw_entry_i[k].val();
        }
        for i in 0..self._cols {
            self.lane[i].clk.next = self.clk.val();
            self.lane[i].rst_n.next = self.rst_n.val();
            self.lane[i].load_i.next = self.load[i].val();
            self.lane[i].tile_i.next = self.tile[i].val();
            self.lane[i].skip_i.next = self.skip[i].val();
            self.lane[i].cols_i.next = self.active_cols[i].val();
            self.lane[i].valid_i.next = self.valid[i].val();
            self.lane[i].dest_i.next = self.dest[i].val();
            self.lane[i].flush_i.next = self.flush[i].val();
            self.lane[i].single_i.next = self.single_i.val();
            self.lane[i].lo_i.next = self.lo_i.val();
            self.lane[i].hi_i.next = self.hi_i.val();
            self.lane[i].acc_i.next = self.acc_i[i].val();
            self.lane[i].pw_valid_i.next = self.pw_valid[i].val();
            self.lane[i].pw_column_i.next = self.pw_column[i].val();
            self.lane[i].pw_tile_i.next = self.pw_tile[i].val();
            self.load[i + 1].next = self.lane[i].load_o.val();
            self.tile[i + 1].next = self.lane[i].tile_o.val();
            self.skip[i + 1].next = self.lane[i].skip_o.val();
            self.active_cols[i + 1].next = self.lane[i].cols_o.val();
            self.valid[i + 1].next = self.lane[i].valid_o.val();
            self.dest[i + 1].next = self.lane[i].dest_o.val();
            self.flush[i + 1].next = self.lane[i].flush_o.val();
            self.pw_valid[i + 1].next = self.lane[i].pw_valid_o.val();
            self.pw_column[i + 1].next = self.lane[i].pw_column_o.val();
            self.pw_tile[i + 1].next = self.lane[i].pw_tile_o.val();
            self.dr_valid_o[i].next = self.lane[i].dr_valid_o.val();
            self.dr_word_o[i].next = self.lane[i].dr_word_o.val();
            for k in 0..8 {
                self.lane[i].pw_data_i[k].next = self.pw_data[i][k].val();
                self.pw_data[i + 1][k].next = self.lane[i].pw_data_o[k].val();
                self.dr_data_o[i][k].next = self.lane[i].dr_data_o[k].val();
            }
            for k in 0..self._pooling {
                self.lane[i].first_i[k].next = self.first[i][k].val();
                self.lane[i].last_i[k].next = self.last[i][k].val();
                self.lane[i].reduction_i[k].next = self.reduction_i[k].val();
                self.first[i + 1][k].next = self.lane[i].first_o[k].val();
                self.last[i + 1][k].next = self.lane[i].last_o[k].val();
            }
            for k in 0..self._medians {
                self.lane[i].window_i[k].next = self.window_i[k].val();
            }
            for k in 0..self._activates {
                self.lane[i].table_i[k].next = self.table_i[k].val();
                self.lane[i].aw_valid_i[k].next = self.aw_valid[i][k].val();
                self.lane[i].aw_entry_i[k].next = self.aw_entry[i][k].val();
                self.aw_valid[i + 1][k].next = self.lane[i].aw_valid_o[k].val();
                self.aw_entry[i + 1][k].next = self.lane[i].aw_entry_o[k].val();
            }
        }
    }
    module!(|this| {
        let post = Meta::module("post")
            .param("cols", "c", this._cols, "columns")
            .param("tiles", "t", this._tiles, "column tiles");
        let post = this._options.describe(post);
        this._options.describe_clocks(post)
    });
}
