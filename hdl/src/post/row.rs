//! Post-processing of all columns.

use super::{PackIssue, PackSlot, PostLane, PostOptions};
use heddle_kernel::prelude::*;

/// Post-processing of all columns, one lane per column. A wave that enters column 0 in cycle T
/// reaches column c in T+c. Addresses enter a wave of their own when the byte of column 0 is scaled: they wait once, not in each column.
///
/// # Timing
/// `valid_i` in cycle T: column c takes `acc_i` in T+c; a word that the byte pushes out is on
/// `dr_*_o` in T+c+7, the word of a flush byte in T+c+8. A load without a slot begins a drain and drops what one that was stopped has left.
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
    /// Slots on their way to the byte packers: a drain that was stopped is dropped.
    wait_drop: [Reg<Bit>; stages - 1],
    /// There is a byte.
    wait_valid: [Reg<Bit>; stages - 1],
    /// Its address.
    wait_dest: [Delay<Bits<16>>; stages - 1],
    /// It is the last one.
    wait_flush: [Delay<Bit>; stages - 1],
    pack_issue: PackIssue,
    load: [Signal<Local, Bit>; cols + 1],
    tile: [Signal<Local, Bits<8>>; cols + 1],
    skip: [Signal<Local, Bits<8>>; cols + 1],
    active_cols: [Signal<Local, Bits<9>>; cols + 1],
    valid: [Signal<Local, Bit>; cols + 1],
    pack: [PackSlot<Local>; cols + 1],
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
    #[new(options.latency())]
    _stages: usize,
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
        self.addresses();
        self.lanes();
    }

    /// The addresses wait for the bytes.
    fn addresses(&mut self) {
        // Within a drain a load comes with a slot, and the word goes on.
        self.wait_drop.shift_in(self.load_i & !self.valid_i);
        if self._pooling > 0 {
            self.wait_valid.shift_in(self.valid_i & self.last_i[0]);
        } else {
            self.wait_valid.shift_in(self.valid_i);
        }
        self.wait_dest.shift_in(self.dest_i);
        self.wait_flush.shift_in(self.flush_i);
        let last = self._stages - 2;
        self.pack_issue.drop_i = self.wait_drop[last];
        self.pack_issue.valid_i = self.wait_valid[last];
        self.pack_issue.dest_i = self.wait_dest[last];
        self.pack_issue.flush_i = self.wait_flush[last];
    }

    /// The waves through the lanes.
    fn lanes(&mut self) {
        self.load[0] = self.load_i;
        self.tile[0] = self.tile_i;
        self.skip[0] = self.skip_i;
        self.active_cols[0] = self.cols_i;
        self.valid[0] = self.valid_i;
        self.pw_valid[0] = self.pw_valid_i;
        self.pw_column[0] = self.pw_column_i;
        self.pw_tile[0] = self.pw_tile_i;
        self.pw_data[0].follow(&self.pw_data_i);
        self.first[0].follow(&self.first_i);
        self.last[0].follow(&self.last_i);
        self.aw_valid[0].follow(&self.aw_valid_i);
        self.aw_entry[0].follow(&self.aw_entry_i);
        self.pack[0].follow(&self.pack_issue.pack_o);
        for i in 0..self._cols {
            self.lane[i].load_i = self.load[i];
            self.lane[i].tile_i = self.tile[i];
            self.lane[i].skip_i = self.skip[i];
            self.lane[i].cols_i = self.active_cols[i];
            self.lane[i].valid_i = self.valid[i];
            self.lane[i].pack_i.follow(&self.pack[i]);
            self.lane[i].single_i = self.single_i;
            self.lane[i].lo_i = self.lo_i;
            self.lane[i].hi_i = self.hi_i;
            self.lane[i].acc_i = self.acc_i[i];
            self.lane[i].pw_valid_i = self.pw_valid[i];
            self.lane[i].pw_column_i = self.pw_column[i];
            self.lane[i].pw_tile_i = self.pw_tile[i];
            self.load[i + 1] = self.lane[i].load_o;
            self.tile[i + 1] = self.lane[i].tile_o;
            self.skip[i + 1] = self.lane[i].skip_o;
            self.active_cols[i + 1] = self.lane[i].cols_o;
            self.valid[i + 1] = self.lane[i].valid_o;
            self.pack[i + 1].follow(&self.lane[i].pack_o);
            self.pw_valid[i + 1] = self.lane[i].pw_valid_o;
            self.pw_column[i + 1] = self.lane[i].pw_column_o;
            self.pw_tile[i + 1] = self.lane[i].pw_tile_o;
            self.dr_valid_o[i] = self.lane[i].dr_valid_o;
            self.dr_word_o[i] = self.lane[i].dr_word_o;
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
