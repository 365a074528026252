//! The units of a cluster, one behind the other.

use super::{SparseShape, SparseUnit, waves::*};
use heddle_kernel::prelude::*;

/// All units: entries and words of weights come to the first one and travel, and so do positions, whose sums leave behind the last one.
///
/// # Timing
/// What comes in cycle T reaches unit u in T+u. Position in T: the first of the sums, mostly a bias, is taken from `sum_i` in T+4, the sums of
/// all units are on `sum_o` in T + units + 4.
#[module(shape: SparseShape)]
pub struct SparseUnits {
    /// Entries.
    #[new(LoadWave::new(entries))]
    pub load_i: LoadWave<In>,
    /// Units that they are for.
    pub load_mask_i: [Signal<In, Bit>; units],
    /// Words of weights.
    #[new(WeightFill::new(lanes))]
    pub fill_i: WeightFill<In>,
    /// Units that they are for.
    pub fill_mask_i: [Signal<In, Bit>; units],
    /// A position whose sums are drained.
    pub position_i: DrainPosition<In>,
    /// What each unit takes of a map.
    pub part_i: [Rectangle<In>; units],
    /// A set of entries is to be computed, in each unit.
    pub read_valid_i: [Signal<In, Bit>; units],
    /// It is taken.
    pub read_ready_o: [Signal<Out, Bit>; units],
    /// Its number.
    pub read_set_i: Signal<In, Bits<2>>,
    /// Event: the entries of a set have been read.
    pub read_done_o: [Signal<Out, Bit>; units],
    /// Kernel rows less 1.
    pub kernel_rows_i: Signal<In, Bits<4>>,
    /// Kernel columns less 1.
    pub kernel_cols_i: Signal<In, Bits<4>>,
    /// Results that each unit keeps.
    pub window_i: [Rectangle<In>; units],
    /// How they lie in the memories of sums.
    pub layout_i: SumLayout<In>,
    /// Results that are drained from each unit.
    pub drain_window_i: [Rectangle<In>; units],
    /// Whose output channels each unit has.
    pub share_i: [Signal<In, Bits<6>>; units],
    /// What the sums of a position begin with.
    pub sum_i: [Signal<In, Bits<32>>; lanes],
    /// Sums of a position.
    pub sum_o: [Signal<Out, Bits<32>>; lanes],
    /// There are entries or products that are not in the sums yet, or a drain.
    pub busy_o: [Signal<Out, Bit>; units],
    /// Event: a set is full, an entry is dropped.
    pub full_o: [Signal<Out, Bit>; units],
    /// Event: a word of weights is multiplied.
    pub tap_o: [Signal<Out, Bit>; units],
    /// Event: a word of products lies outside the window.
    pub drop_o: [Signal<Out, Bit>; units],
    /// Event: products wait.
    pub hold_o: [Signal<Out, Bit>; units],
    #[new(SparseUnit::new(shape))]
    unit: [SparseUnit; units],
    #[new(LoadWave::new(entries))]
    load: [LoadWave<Local>; units + 1],
    load_mask: [[Signal<Local, Bit>; units]; units + 1],
    #[new(WeightFill::new(lanes))]
    fill: [WeightFill<Local>; units + 1],
    fill_mask: [[Signal<Local, Bit>; units]; units + 1],
    position: [DrainPosition<Local>; units + 1],
    sum: [[Signal<Local, Bits<32>>; lanes]; units + 1],
    /// Weights of a word.
    _lanes: Param<'g'>,
    /// Words of weights.
    _words: Param<'w'>,
    /// Lists of weights.
    _lists: Param<'l'>,
    /// Words of sums.
    _sums: Param<'d'>,
    /// Entries that are written in a clock, a power of two.
    _entries: Param<'e'>,
    /// Sets of entries.
    _sets: Param<'s'>,
    /// Entries of a set, a power of two.
    _entry_max: Param<'n'>,
    /// Units.
    _units: Param<'u'>,
}

#[kernel]
impl SparseUnits {
    fn update(&mut self) {
        self.load[0].follow(&self.load_i);
        self.load_mask[0].follow(&self.load_mask_i);
        self.fill[0].follow(&self.fill_i);
        self.fill_mask[0].follow(&self.fill_mask_i);
        self.position[0].follow(&self.position_i);
        self.sum[0].follow(&self.sum_i);
        for u in 0..self._units {
            self.unit[u].load_i.follow(&self.load[u]);
            self.load[u + 1].follow(&self.unit[u].load_o);
            self.unit[u].load_mask_i.follow(&self.load_mask[u]);
            self.load_mask[u + 1].follow(&self.unit[u].load_mask_o);
            self.unit[u].fill_i.follow(&self.fill[u]);
            self.fill[u + 1].follow(&self.unit[u].fill_o);
            self.unit[u].fill_mask_i.follow(&self.fill_mask[u]);
            self.fill_mask[u + 1].follow(&self.unit[u].fill_mask_o);
            self.unit[u].position_i.follow(&self.position[u]);
            self.position[u + 1].follow(&self.unit[u].position_o);
            self.unit[u].sum_i.follow(&self.sum[u]);
            self.sum[u + 1].follow(&self.unit[u].sum_o);
        }
        self.sum_o.follow(&self.sum[self._units]);
        self.settings();
        for u in 0..self._units {
            self.unit[u].read_valid_i = self.read_valid_i[u];
            self.unit[u].read_set_i = self.read_set_i;
            self.read_ready_o[u] = self.unit[u].read_ready_o;
            self.read_done_o[u] = self.unit[u].read_done_o;
            self.busy_o[u] = self.unit[u].busy_o;
            self.full_o[u] = self.unit[u].full_o;
            self.tap_o[u] = self.unit[u].tap_o;
            self.drop_o[u] = self.unit[u].drop_o;
            self.hold_o[u] = self.unit[u].hold_o;
        }
    }

    fn settings(&mut self) {
        for u in 0..self._units {
            self.unit[u].part_i.follow(&self.part_i[u]);
            self.unit[u].kernel_rows_i = self.kernel_rows_i;
            self.unit[u].kernel_cols_i = self.kernel_cols_i;
            self.unit[u].window_i.follow(&self.window_i[u]);
            self.unit[u].layout_i.follow(&self.layout_i);
            self.unit[u].drain_window_i.follow(&self.drain_window_i[u]);
            self.unit[u].share_i = self.share_i[u];
        }
    }
}
