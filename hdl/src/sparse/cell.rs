//! A unit of the cluster: its map memory, what it computes, and its link of the drain chain.

use super::{DirectUnit, DrainLink, MapMemory, SparseShape, UnitOrders, waves::*};
use heddle_kernel::prelude::*;

/// One of the units of a cluster. What comes to all of them travels: on the outputs for the next unit one cycle later.
///
/// # Timing
/// As its parts: [`UnitOrders`], [`MapMemory`], [`DirectUnit`], [`DrainLink`]. A word of weights in cycle T is for this unit if bit 0 of
/// `fill_mask_i` is high in T, entries likewise; masks move down by one from unit to unit. Run in cycle T, with its first set full and nothing
/// before it: its first word of weights is multiplied in T+9. The next run's first one follows 14 cycles after the last one of a run.
/// Registers that a run or a load works with, or positions that pass, stay as they are. A region is not named by runs while positions of
/// it pass; they come in the cycle after the first one in which its `region_busy_o` is low, or later.
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
    /// A word for a register, or a run.
    pub order_i: UnitOrder<In>,
    /// A register of this unit is written.
    pub write_i: Signal<In, Bit>,
    /// A run is given.
    pub run_i: Signal<In, Bit>,
    /// Another run may be given.
    pub run_ready_o: Signal<Out, Bit>,
    /// A run names this half of the weights.
    pub half_busy_o: [Signal<Out, Bit>; 2],
    /// A run names this region of the sums.
    pub region_busy_o: [Signal<Out, Bit>; 2],
    /// There is a run.
    pub running_o: Signal<Out, Bit>,
    /// The run under way waits for a set that is not full.
    pub waits_o: Signal<Out, Bit>,
    /// Changes when a set of entries may be loaded again.
    pub released_o: [Signal<Out, Bit>; sets],
    /// Sums of the units before.
    pub sum_i: [Signal<In, Bits<32>>; lanes],
    /// Sums with those of this unit.
    pub sum_o: [Signal<Out, Bits<32>>; lanes],
    /// Event: a set is full, an entry is dropped.
    pub full_o: Signal<Out, Bit>,
    /// Event: a word of weights is multiplied.
    pub tap_o: Signal<Out, Bit>,
    /// Event: a word of products lies outside the window.
    pub drop_o: Signal<Out, Bit>,
    /// Event: products wait.
    pub hold_o: Signal<Out, Bit>,
    #[new(UnitOrders::new(sets))]
    orders: UnitOrders,
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
        self.orders();
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

    /// Registers and runs.
    fn orders(&mut self) {
        self.orders.order_i.follow(&self.order_i);
        self.orders.write_i = self.write_i;
        self.orders.run_i = self.run_i;
        self.orders.filled_i = self.load_i.valid & self.load_i.last & self.load_mask_i[0];
        self.orders.filled_set_i = self.load_i.set;
        self.orders.read_ready_i = self.map.read_ready_o;
        self.orders.read_done_i = self.map.read_done_o;
        self.orders.done_set_i = self.map.done_set_o;
        self.orders.busy_i = self.map.busy_o | self.unit.busy_o;
        self.run_ready_o = self.orders.run_ready_o;
        self.half_busy_o.follow(&self.orders.half_busy_o);
        self.region_busy_o.follow(&self.orders.region_busy_o);
        self.running_o = self.orders.running_o;
        self.waits_o = self.orders.waits_o;
        self.released_o.follow(&self.orders.released_o);
    }

    /// Values meet weights.
    fn values(&mut self) {
        self.map.load_i.follow(&self.load_i);
        self.map.mask_i = self.load_mask_i[0];
        self.map.part_i.follow(&self.orders.part_o);
        self.map.read_valid_i = self.orders.read_valid_o;
        self.map.read_set_i = self.orders.read_set_o;
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
        self.unit.kernel_rows_i = self.orders.kernel_rows_o;
        self.unit.kernel_cols_i = self.orders.kernel_cols_o;
        self.unit.layout_i.follow(&self.orders.layout_o);
        self.unit.region_i = self.orders.region_o;
        self.unit.window_i.follow(&self.orders.window_o);
        self.tap_o = self.unit.tap_o;
        self.drop_o = self.unit.drop_o;
        self.hold_o = self.unit.hold_o;
    }

    /// Sums leave.
    fn drain(&mut self) {
        self.link.position_i.follow(&self.position_i);
        self.link.share_i = self.orders.share_o;
        self.unit.position_i.follow(&self.position_i);
        self.link.is_in_i = self.unit.position_in_o;
        self.unit.drain_i.follow(&self.link.drain_o);
        for i in 0..self._lanes {
            self.link.stored_i[i] = self.unit.stored_o[i];
            self.link.sum_i[i] = self.sum_i[i];
            self.sum_o[i] = self.link.sum_o[i];
        }
    }
}
