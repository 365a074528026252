//! A unit of the cluster: its map memory, what it computes, and its link of the drain chain.

use super::{DirectUnit, DrainLink, MapMemory, SparseShape, waves::*};
use heddle_kernel::prelude::*;

/// One of the units of a cluster. What comes to all of them travels: on the outputs for the next unit one cycle later.
///
/// # Timing
/// As its parts: [`MapMemory`], [`DirectUnit`], [`DrainLink`]. A word of weights in cycle T is for this unit if bit 0 of `fill_mask_i` is
/// high in T, entries likewise; masks move down by one from unit to unit. The settings of values and products are stable while `busy_o` is
/// high, those of drains while positions pass.
#[module(shape: SparseShape)]
pub struct SparseUnit {
    /// Entries on their way.
    #[new(entries)]
    pub load: Wave<LoadWave>,
    /// Units that they are for, this one first.
    pub load_mask_i: [Signal<In, Bit>; units],
    /// The same for the next unit.
    pub load_mask: [OutDelay<Bit>; units],
    /// Words of weights on their way.
    #[new(lanes)]
    pub fill: Wave<WeightFill>,
    /// Units that they are for, this one first.
    pub fill_mask_i: [Signal<In, Bit>; units],
    /// The same for the next unit.
    pub fill_mask: [OutDelay<Bit>; units],
    /// A position whose sums are drained.
    pub position: Wave<DrainPosition>,
    /// What the unit takes of a map.
    pub part_i: Rectangle<In>,
    /// A set of entries is to be computed.
    pub read_valid_i: Signal<In, Bit>,
    /// It is taken.
    pub read_ready_o: Signal<Out, Bit>,
    /// Its number.
    pub read_set_i: Signal<In, Bits<2>>,
    /// Event: the entries of a set have been read.
    pub read_done_o: Signal<Out, Bit>,
    /// Kernel rows less 1.
    pub kernel_rows_i: Signal<In, Bits<4>>,
    /// Kernel columns less 1.
    pub kernel_cols_i: Signal<In, Bits<4>>,
    /// Results that are kept.
    pub window_i: Rectangle<In>,
    /// How they lie in the memory of sums.
    pub layout_i: SumLayout<In>,
    /// Results that are drained.
    pub drain_window_i: Rectangle<In>,
    /// Whose output channels the unit has.
    pub share_i: Signal<In, Bits<6>>,
    /// Sums of the units before.
    pub sum_i: [Signal<In, Bits<32>>; lanes],
    /// Sums with those of this unit.
    pub sum_o: [Signal<Out, Bits<32>>; lanes],
    /// There are entries or products that are not in the sums yet, or a drain.
    pub busy_o: Signal<Out, Bit>,
    /// Event: a set is full, an entry is dropped.
    pub full_o: Signal<Out, Bit>,
    /// Event: a word of weights is multiplied.
    pub tap_o: Signal<Out, Bit>,
    /// Event: a word of products lies outside the window.
    pub drop_o: Signal<Out, Bit>,
    /// Event: products wait.
    pub hold_o: Signal<Out, Bit>,
    #[new(MapMemory::new(entries, sets, entry_max))]
    map: MapMemory,
    #[new(DirectUnit::new(lanes, words, lists, sums))]
    unit: DirectUnit,
    #[new(DrainLink::new(lanes))]
    link: DrainLink,
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
    /// Units of the cluster.
    _units: Param<'u'>,
}

#[kernel]
impl SparseUnit {
    fn update(&mut self) {
        self.travel();
        self.values();
        self.drain();
    }

    /// What comes to all units.
    fn travel(&mut self) {
        self.load.pass_on();
        self.fill.pass_on();
        self.position.pass_on();
        for i in 0..self._units {
            if i + 1 < self._units {
                self.load_mask[i] = self.load_mask_i[i + 1];
                self.fill_mask[i] = self.fill_mask_i[i + 1];
            } else {
                self.load_mask[i] = false;
                self.fill_mask[i] = false;
            }
        }
    }

    /// Values meet weights.
    fn values(&mut self) {
        self.map.load_i.follow(&self.load_i);
        self.map.mask_i = self.load_mask_i[0];
        self.map.part_i.follow(&self.part_i);
        self.map.read_valid_i = self.read_valid_i;
        self.map.read_set_i = self.read_set_i;
        self.read_ready_o = self.map.read_ready_o;
        self.read_done_o = self.map.read_done_o;
        self.full_o = self.map.full_o;
        self.unit.fill_i.begin = self.fill_i.begin & self.fill_mask_i[0];
        self.unit.fill_i.word = self.fill_i.word;
        self.unit.fill_i.first_list = self.fill_i.first_list;
        self.unit.fill_i.valid = self.fill_i.valid & self.fill_mask_i[0];
        self.unit.fill_i.weight.follow(&self.fill_i.weight);
        self.unit.fill_i.index = self.fill_i.index;
        self.unit.valid_i = self.map.valid_o;
        self.map.ready_i = self.unit.ready_o;
        self.unit.entry_i.follow(&self.map.entry_o);
        self.unit.list_i = self.map.list_o;
        self.unit.kernel_rows_i = self.kernel_rows_i;
        self.unit.kernel_cols_i = self.kernel_cols_i;
        self.unit.window_i.follow(&self.window_i);
        self.unit.layout_i.follow(&self.layout_i);
        self.busy_o = self.map.busy_o | self.unit.busy_o;
        self.tap_o = self.unit.tap_o;
        self.drop_o = self.unit.drop_o;
        self.hold_o = self.unit.hold_o;
    }

    /// Sums leave.
    fn drain(&mut self) {
        self.link.position_i.follow(&self.position_i);
        self.link.window_i.follow(&self.drain_window_i);
        self.link.share_i = self.share_i;
        self.unit.drain_i.follow(&self.link.drain_o);
        for i in 0..self._lanes {
            self.link.stored_i[i] = self.unit.stored_o[i];
            self.link.sum_i[i] = self.sum_i[i];
            self.sum_o[i] = self.link.sum_o[i];
        }
    }
}
