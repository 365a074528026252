//! Post-processing of all columns.

use super::{PostLane, PostOptions};
use heddle_kernel::prelude::*;

/// Post-processing of all columns, one lane per column. A wave that enters column 0 in cycle T
/// reaches column c in T+c.
///
/// # Timing
/// `valid_i` in cycle T: column c takes `acc_i` in T+c; a word that the byte pushes out is on
/// `dr_*_o` in T+c+10, the word of a flush byte in T+c+11.
#[module(describe)]
pub struct Post {
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
    pub first_i: [Signal<In, Bit>; pooling],
    /// Last slot of a window: it brings the address of the results.
    pub last_i: [Signal<In, Bit>; pooling],
    /// Single rounding, else double. Stable while a drain is active.
    pub single_i: Signal<In, Bit>,
    /// Lower bound of the results, two's complement. Stable while a drain is active.
    pub lo_i: Signal<In, Bits<9>>,
    /// Upper bound of the results, two's complement. Stable while a drain is active.
    pub hi_i: Signal<In, Bits<9>>,
    /// What becomes of a window: 0 maximum, 1 minimum, 2 sum, 3 product, 4 twice the median. Stable
    /// while a drain is active.
    pub reduction_i: [Signal<In, Bits<3>>; pooling],
    /// Sums in a window, less one. Stable while a drain is active.
    pub window_i: [Signal<In, Bits<8>>; medians],
    /// Activation table from 1 on, 0 for none. Stable while a drain is active.
    pub table_i: [Signal<In, Bits<4>>; activates],
    /// Sums, one per column.
    pub acc_i: [Signal<In, Bits<32>>; cols],
    /// A multiplier and shift are written.
    pub pw_valid_i: Signal<In, Bit>,
    /// Column that takes them.
    pub pw_column_i: Signal<In, Bits<8>>,
    /// Column tile they belong to.
    pub pw_tile_i: Signal<In, Bits<8>>,
    /// Bits 30..0 multiplier, bits 37..32 shift.
    pub pw_data_i: [Signal<In, Bits<8>>; 8],
    /// An entry of an activation table is written in all columns: byte 0 of `pw_data_i`.
    pub aw_valid_i: [Signal<In, Bit>; activates],
    /// The entry: table from 0 on, and byte.
    pub aw_entry_i: [Signal<In, Bits<11>>; activates],
    /// One per column: a word is written to the state buffer.
    pub dr_valid_o: [Signal<Out, Bit>; cols],
    /// Word addresses.
    pub dr_word_o: [Signal<Out, Bits<13>>; cols],
    /// Words of eight bytes.
    pub dr_data_o: [[Signal<Out, Bits<8>>; 8]; cols],
    #[new(PostLane::new(tiles, options))]
    lane: [PostLane; cols],
    load: [Signal<Local, Bit>; cols + 1],
    tile: [Signal<Local, Bits<8>>; cols + 1],
    skip: [Signal<Local, Bits<8>>; cols + 1],
    active_cols: [Signal<Local, Bits<9>>; cols + 1],
    valid: [Signal<Local, Bit>; cols + 1],
    dest: [Signal<Local, Bits<16>>; cols + 1],
    flush: [Signal<Local, Bit>; cols + 1],
    first: [[Signal<Local, Bit>; pooling]; cols + 1],
    last: [[Signal<Local, Bit>; pooling]; cols + 1],
    aw_valid: [[Signal<Local, Bit>; activates]; cols + 1],
    aw_entry: [[Signal<Local, Bits<11>>; activates]; cols + 1],
    pw_valid: [Signal<Local, Bit>; cols + 1],
    pw_column: [Signal<Local, Bits<8>>; cols + 1],
    pw_tile: [Signal<Local, Bits<8>>; cols + 1],
    pw_data: [[Signal<Local, Bits<8>>; 8]; cols + 1],
    /// Columns.
    _cols: Param<'c'>,
    /// Column tiles.
    _tiles: Param<'t'>,
    #[new(options.pooling.into())]
    _pooling: usize,
    #[new((options.median > 0).into())]
    _medians: usize,
    #[new((options.activations > 0).into())]
    _activates: usize,
    _options: PostOptions,
}

impl Post {
    fn describe(&self, meta: Meta) -> Meta {
        let meta = self._options.describe(meta);
        self._options.describe_clocks(meta)
    }
}

#[kernel]
impl Post {
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
        self.pw_data[0].follow(&self.pw_data_i);
        self.first[0].follow(&self.first_i);
        self.last[0].follow(&self.last_i);
        self.aw_valid[0].follow(&self.aw_valid_i);
        self.aw_entry[0].follow(&self.aw_entry_i);
        for i in 0..self._cols {
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
            self.lane[i].pw_data_i.follow(&self.pw_data[i]);
            self.pw_data[i + 1].follow(&self.lane[i].pw_data_o);
            self.dr_data_o[i].follow(&self.lane[i].dr_data_o);
            self.lane[i].first_i.follow(&self.first[i]);
            self.lane[i].last_i.follow(&self.last[i]);
            self.lane[i].reduction_i.follow(&self.reduction_i);
            self.first[i + 1].follow(&self.lane[i].first_o);
            self.last[i + 1].follow(&self.lane[i].last_o);
            self.lane[i].window_i.follow(&self.window_i);
            self.lane[i].table_i.follow(&self.table_i);
            self.lane[i].aw_valid_i.follow(&self.aw_valid[i]);
            self.lane[i].aw_entry_i.follow(&self.aw_entry[i]);
            self.aw_valid[i + 1].follow(&self.lane[i].aw_valid_o);
            self.aw_entry[i + 1].follow(&self.lane[i].aw_entry_o);
        }
    }
}
