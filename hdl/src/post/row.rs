//! Post-processing of all columns.

use super::waves::*;
use super::{PackIssue, PackSlot, PostLane, PostOptions, SharedRequantise};
use crate::buffer::DrainWord;
use heddle_kernel::prelude::*;

/// Post-processing of all columns, one lane per column. A wave that enters column 0 in cycle T
/// reaches column c in T+c. Addresses enter a wave of their own when the byte of column 0 is scaled: they wait once, not in each column.
///
/// # Timing
/// `valid_i` in cycle T: column c takes `acc_i` in T+c; a word that the byte pushes out is on
/// `dr_*_o` in T+c+7, the word of a flush byte in T+c+8. A load without a slot begins a drain and drops what one that was stopped has left.
#[module(describe)]
pub struct Post {
    /// Slot of the post wave.
    #[new(PostSlot::new(pooling))]
    pub wave_i: PostSlot<In>,
    /// Byte address of the results.
    pub dest_i: Signal<In, Bits<16>>,
    /// Last slot of the drain.
    pub flush_i: Signal<In, Bit>,
    /// What the drain does with its results.
    #[new(DrainSettings::new(pooling, medians, activates, duals))]
    pub ports_i: DrainSettings<In>,
    /// Sums, one per column.
    pub acc_i: [Signal<In, Bits<32>>; cols],
    /// Write of multiplier and shift.
    pub pw_i: ScaleWrite<In>,
    /// Write to an activation table.
    pub aw_i: [TableWrite<In>; activates],
    /// One per column: a word for the state buffer.
    pub dr_o: [DrainWord<Out>; cols],
    /// The word of column 0 leaves in the next cycle.
    pub leaves_o: [Signal<Out, Bit>; announces],
    #[new(PostLane::new(tiles, options))]
    lane: [PostLane; cols],
    #[new(SharedRequantise::new(options.columns_per_multiplier, options.left_shift, options.dual_scale))]
    shared: [SharedRequantise; groups],
    /// Slots on their way to the byte packers: a drain that was stopped is dropped.
    wait_drop: [Reg<Bit>; stages - 1],
    /// There is a byte.
    wait_valid: [Reg<Bit>; stages - 1],
    /// Its address.
    wait_dest: [Delay<Bits<16>>; stages - 1],
    /// It is the last one.
    wait_flush: [Delay<Bit>; stages - 1],
    pack_issue: PackIssue,
    #[new(PostSlot::new(pooling))]
    wave: [PostSlot<Local>; cols + 1],
    pack: [PackSlot<Local>; cols + 1],
    #[new(DrainSettings::new(pooling, medians, activates, duals))]
    settings: [DrainSettings<Local>; cols + 1],
    pw: [ScaleWrite<Local>; cols + 1],
    aw: [[TableWrite<Local>; activates]; cols + 1],
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
    #[new(options.dual_scale.into())]
    _duals: usize,
    /// A word is announced.
    #[new(options.announces.into())]
    _announces: Feature<"dm">,
    /// Groups of columns that share a multiplier.
    #[new(if options.shares() { cols / options.columns_per_multiplier } else { 0 })]
    _groups: usize,
    #[new(options.columns_per_multiplier)]
    _columns: usize,
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
        self.wait_drop
            .shift_in(self.wave_i.load & !self.wave_i.valid);
        if self._pooling > 0 {
            self.wait_valid
                .shift_in(self.wave_i.valid & self.wave_i.last[0]);
        } else {
            self.wait_valid.shift_in(self.wave_i.valid);
        }
        self.wait_dest.shift_in(self.dest_i);
        self.wait_flush.shift_in(self.flush_i);
        let last = self._stages - 2;
        self.pack_issue.drop_i = self.wait_drop[last];
        self.pack_issue.valid_i = self.wait_valid[last];
        self.pack_issue.dest_i = self.wait_dest[last];
        self.pack_issue.flush_i = self.wait_flush[last];
        for i in 0..self._announces {
            self.leaves_o[i] = self.pack_issue.pack_o.leaves;
        }
    }

    /// The waves through the lanes.
    fn lanes(&mut self) {
        self.wave[0].follow(&self.wave_i);
        self.pw[0].follow(&self.pw_i);
        self.aw[0].follow(&self.aw_i);
        self.pack[0].follow(&self.pack_issue.pack_o);
        self.settings[0].follow(&self.ports_i);
        for i in 0..self._cols {
            self.lane[i].wave_i.follow(&self.wave[i]);
            self.lane[i].ports_i.follow(&self.settings[i]);
            self.lane[i].acc_i = self.acc_i[i];
            self.lane[i].pw_i.follow(&self.pw[i]);
            self.lane[i].aw_i.follow(&self.aw[i]);
            self.lane[i].pack_i.follow(&self.pack[i]);
            self.wave[i + 1].follow(&self.lane[i].wave_o);
            self.pw[i + 1].follow(&self.lane[i].pw_o);
            self.aw[i + 1].follow(&self.lane[i].aw_o);
            self.pack[i + 1].follow(&self.lane[i].pack_o);
            self.settings[i + 1].follow(&self.lane[i].ports_o);
            self.dr_o[i].follow(&self.lane[i].dr_o);
        }
        for g in 0..self._groups {
            let behind = self._columns * (g + 1);
            self.shared[g].single_i = self.settings[behind].single;
            self.shared[g].dual_i.follow(&self.settings[behind].dual);
            self.shared[g].lo_i = self.settings[behind].lo;
            self.shared[g].hi_i = self.settings[behind].hi;
            for k in 0..self._columns {
                let c = self._columns * g + k;
                self.shared[g].operand_i[k].follow(&self.lane[c].operand_o[0]);
                self.lane[c].byte_i[0] = self.shared[g].byte_o;
            }
        }
    }
}
