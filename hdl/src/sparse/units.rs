//! The units of a cluster, one after the other.

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
    /// A word for a register, or a run.
    pub order_i: UnitOrder<In>,
    /// A register of a unit is written.
    pub write_i: [Signal<In, Bit>; units],
    /// A run is given to a unit.
    pub run_i: [Signal<In, Bit>; units],
    /// Another run may be given.
    pub run_ready_o: [Signal<Out, Bit>; units],
    /// A run names this half of the weights.
    pub half_busy_o: [[Signal<Out, Bit>; 2]; units],
    /// A run names this region of the sums.
    pub region_busy_o: [[Signal<Out, Bit>; 2]; units],
    /// There is a run.
    pub running_o: [Signal<Out, Bit>; units],
    /// The run under way waits for a set that is not full.
    pub waits_o: [Signal<Out, Bit>; units],
    /// Changes when a set of entries may be loaded again.
    pub released_o: [[Signal<Out, Bit>; sets]; units],
    /// What the sums of a position begin with.
    pub sum_i: [Signal<In, Bits<32>>; lanes],
    /// Sums of a position.
    pub sum_o: [Signal<Out, Bits<32>>; lanes],
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
        for u in 0..self._units {
            self.unit[u].order_i.follow(&self.order_i);
            self.unit[u].write_i = self.write_i[u];
            self.unit[u].run_i = self.run_i[u];
            self.run_ready_o[u] = self.unit[u].run_ready_o;
            self.half_busy_o[u].follow(&self.unit[u].half_busy_o);
            self.region_busy_o[u].follow(&self.unit[u].region_busy_o);
            self.running_o[u] = self.unit[u].running_o;
            self.waits_o[u] = self.unit[u].waits_o;
            self.released_o[u].follow(&self.unit[u].released_o);
            self.full_o[u] = self.unit[u].full_o;
            self.tap_o[u] = self.unit[u].tap_o;
            self.drop_o[u] = self.unit[u].drop_o;
            self.hold_o[u] = self.unit[u].hold_o;
        }
    }
}
