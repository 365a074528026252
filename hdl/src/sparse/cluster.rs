//! The sparse cluster as a block of its own.

use super::{
    CutEngine, Fill, Load, Slots, SparseCounts, SparseDrain, SparseHead, SparseShape, SparseUnits,
    waves::*,
};
use heddle_arch::params::CounterSet;
use heddle_kernel::prelude::*;

/// A cluster of units that multiply values that are not zero, with a stream of commands and three streams of 64 bits: maps and weights in,
/// results out. `docs/sparse.md` has the commands and what is on the streams.
///
/// # Timing
/// A stream moves in each cycle in which valid and ready are high; valid and data stay until then. A word of a command in cycle T reaches its part in
/// T+2; if nothing is waited for, its engine starts a cycle after its last word.
#[module(name = "sparse_cluster", shape: SparseShape)]
pub struct SparseCluster {
    /// A word of a command.
    pub cmd_valid_i: Signal<In, Bit>,
    /// It is taken.
    pub cmd_ready_o: Signal<Out, Bit>,
    /// The word.
    pub cmd_data_i: Signal<In, Bits<32>>,
    /// Bytes of a map.
    pub map_valid_i: Signal<In, Bit>,
    /// They are taken.
    pub map_ready_o: Signal<Out, Bit>,
    /// The bytes.
    pub map_data_i: [Signal<In, Bits<8>>; map_bytes],
    /// A word of weights.
    pub weight_valid_i: Signal<In, Bit>,
    /// It is taken.
    pub weight_ready_o: Signal<Out, Bit>,
    /// The word.
    pub weight_data_i: [Signal<In, Bits<16>>; 4],
    /// Results.
    pub out_valid_o: Signal<Out, Bit>,
    /// They are taken.
    pub out_ready_i: Signal<In, Bit>,
    /// The results.
    pub out_data_o: [Signal<Out, Bits<32>>; 2],
    /// They are the last ones of a SPARSE_DRAIN.
    pub out_last_o: Signal<Out, Bit>,
    /// A bias, written when no drain is under way.
    pub bias_i: [ScaleValue<In>; engines],
    /// Sums leave.
    pub leaves_o: [Signal<Out, Bit>; engines],
    /// The sums.
    pub sum_o: [Signal<Out, Bits<32>>; lanes * engines],
    /// Something happened in the cycle before.
    pub event_o: [Signal<Out, Bit>; engines],
    /// A counter.
    pub count_i: [Signal<In, Bits<4>>; shown],
    /// Its value, a cycle later.
    pub count_o: [Signal<Out, Bits<32>>; shown],
    /// Nothing is under way.
    pub idle_o: Signal<Out, Bit>,
    /// Number of the error that has stopped the cluster, or 0.
    pub error_o: Signal<Out, Bits<5>>,
    /// Words of commands before the one that is looked at, or was wrong.
    pub words_o: Signal<Out, Bits<32>>,
    #[new(SparseHead::new(shape))]
    head: SparseHead,
    #[new(Slots::new(load_lanes, sets, units, usize::from(shape.engine)))]
    slots: Slots,
    #[new(Load::new(load_lanes, entries))]
    load: Load,
    #[new(Fill::new(lanes, units))]
    fill: Fill,
    #[new(SparseUnits::new(shape))]
    units: SparseUnits,
    #[new(SparseDrain::new(shape.drain()))]
    drain: SparseDrain,
    #[new(CutEngine::new(units))]
    cut: [CutEngine; census],
    #[new(SparseCounts::new(units, census, shape.counters))]
    counts: SparseCounts,
    /// Something happened in the cycle before.
    progress: Reg<Bit>,
    map_ready: Signal<Local, Bit>,
    weight_ready: Signal<Local, Bit>,
    out_valid: Signal<Local, Bit>,
    position: DrainPosition<Local>,
    /// Lanes of a unit.
    _lanes: Param<'g'>,
    /// Words of weights.
    _words: Param<'w'>,
    /// Lists of weights.
    _lists: Param<'l'>,
    /// Words of sums.
    _sums: Param<'d'>,
    /// Entries that are written in a clock.
    _entries: Param<'e'>,
    /// Sets of entries.
    _sets: Param<'s'>,
    /// Entries of a set.
    _entry_max: Param<'n'>,
    /// Units.
    _units: Param<'u'>,
    /// Lanes of a map.
    _load_lanes: Param<'r'>,
    /// Groups with parameters.
    _tiles: Param<'t'>,
    /// Sums are scaled.
    #[new(shape.post.into())]
    _posts: Feature<"ps">,
    /// They may be shifted to the left.
    #[new(usize::from(shape.post && shape.left_shift))]
    _lefts: Feature<"ls">,
    /// Results may be counted.
    #[new(shape.census.into())]
    _census: Feature<"cs">,
    /// Sums leave as they come, and no results: `leaves_o` and `sum_o`.
    #[new(shape.engine.into())]
    _engines: Feature<"en">,
    /// Bytes of a word of a map: a slot, if it comes from the array.
    #[new(if shape.engine { load_lanes } else { 8 })]
    _map_bytes: usize,
    /// Counts that are kept.
    _positions: Param<'c'>,
    /// Something is counted.
    #[new((shape.counters != CounterSet::None).into())]
    _counted: usize,
    /// Everything is.
    #[new((shape.counters == CounterSet::Full).into())]
    _full: usize,
    /// There is a counter to show, or what became of a cut.
    #[new(shape.shown())]
    _shown: usize,
}

#[kernel]
impl SparseCluster {
    fn update(&mut self) {
        self.commands();
        self.maps();
        self.weights();
        self.results();
        self.cuts();
        self.events();
    }

    fn commands(&mut self) {
        self.head.cmd_valid_i = self.cmd_valid_i;
        self.head.cmd_data_i = self.cmd_data_i;
        self.cmd_ready_o = self.head.cmd_ready_o;
        self.units.order_i.follow(&self.head.order_o);
        self.units.write_i.follow(&self.head.write_o);
        self.units.run_i.follow(&self.head.run_o);
        self.head.run_ready_i.follow(&self.units.run_ready_o);
        self.head.released_i.follow(&self.units.released_o);
        self.head.half_busy_i.follow(&self.units.half_busy_o);
        self.head.region_busy_i.follow(&self.units.region_busy_o);
        self.head.running_i.follow(&self.units.running_o);
        self.head.full_i.follow(&self.units.full_o);
        self.idle_o = self.head.idle_o;
        self.error_o = self.head.error_o;
        self.words_o = self.head.words_o;
    }

    fn maps(&mut self) {
        self.slots.command_i.follow(&self.head.command_o[0]);
        self.slots.start_i = self.head.start_o[0];
        self.head.busy_i[0] = self.slots.busy_o;
        self.slots.map_valid_i = self.map_valid_i;
        self.slots.map_data_i.follow(&self.map_data_i);
        self.map_ready = self.slots.map_ready_o;
        self.map_ready_o = self.map_ready;
        self.load.slot_i.follow(&self.slots.slot_o);
        self.slots.slot_ready_i = self.load.slot_ready_o;
        self.head.load_mask_i.follow(&self.slots.mask_o);
        self.head.begins_i = self.slots.begins_o;
        self.head.load_set_i = self.slots.set_o;
        self.slots.free_i = self.head.free_o;
        self.units.load_i.follow(&self.load.load_o);
        self.units.load_mask_i.follow(&self.slots.mask_o);
    }

    fn weights(&mut self) {
        self.fill.command_i.follow(&self.head.command_o[1]);
        self.fill.start_i = self.head.start_o[1];
        self.head.busy_i[1] = self.fill.busy_o;
        self.head.fill_half_i = self.fill.half_o;
        self.fill.weight_valid_i = self.weight_valid_i;
        self.fill.weight_data_i.follow(&self.weight_data_i);
        self.weight_ready = self.fill.weight_ready_o;
        self.weight_ready_o = self.weight_ready;
        self.units.fill_i.follow(&self.fill.fill_o);
        self.units.fill_mask_i.follow(&self.fill.fill_mask_o);
    }

    fn results(&mut self) {
        self.drain.command_i.follow(&self.head.command_o[2]);
        self.drain.start_i = self.head.start_o[2];
        if self._engines == 0 {
            self.drain.scale_i.follow(&self.head.scale_o);
        }
        for k in 0..self._engines {
            self.drain.scale_i.follow(&self.bias_i[k]);
            self.leaves_o[k] = self.drain.leaves_o[k];
            self.sum_o.follow(&self.units.sum_o);
            self.event_o[k] = self.counts.event_o;
        }
        self.head.busy_i[2] = self.drain.busy_o;
        self.head.drains_i.follow(&self.drain.region_busy_o);
        self.head.scales_i = self.drain.scale_busy_o;
        self.head.drained_i = self.drain.idle_o;
        self.position.follow(&self.drain.position_o);
        self.units.position_i.follow(&self.position);
        self.units.sum_i.follow(&self.drain.sum_o);
        self.drain.sum_i.follow(&self.units.sum_o);
        self.out_valid = self.drain.out_valid_o;
        self.out_valid_o = self.out_valid;
        self.drain.out_ready_i = self.out_ready_i;
        self.out_data_o.follow(&self.drain.out_data_o);
        self.out_last_o = self.drain.out_last_o;
    }

    /// Counts become parts of the next map.
    fn cuts(&mut self) {
        for k in 0..self._census {
            self.cut[k].command_i.follow(&self.head.command_o[3 + k]);
            self.cut[k].start_i = self.head.start_o[3 + k];
            self.head.busy_i[3 + k] = self.cut[k].busy_o;
            self.head.cut_i[k].follow(&self.cut[k].write_o);
            self.drain.count_en_i[k] = self.cut[k].count_en_o;
            self.drain.count_addr_i[k] = self.cut[k].count_addr_o;
            self.cut[k].count_i = self.drain.count_o[k];
            self.counts.spread_i[k] = self.cut[k].spread_o;
            self.counts.steps_i[k] = self.cut[k].steps_o;
            self.counts.ok_i[k] = self.cut[k].ok_o;
        }
    }

    /// What is counted, and what shows that the cluster is not stuck: who waits for a stream is not.
    fn events(&mut self) {
        for i in 0..self._counted {
            self.counts.busy_i[i] = !self.head.idle_o;
        }
        self.counts.slot_i = self.slots.slot_o.valid & self.load.slot_ready_o;
        for i in 0..self._counted {
            self.counts.slot_waits_i[i] = self.slots.slot_o.valid & !self.load.slot_ready_o;
        }
        self.counts.load_i = self.load.load_o.valid;
        for i in 0..self._full {
            self.counts.entries_i[i] = self.load.load_o.count;
        }
        self.counts.fill_i = self.fill.fill_o.valid;
        self.counts.position_i = self.position.valid;
        self.counts.tap_i.follow(&self.units.tap_o);
        if self._full > 0 {
            self.counts.drop_i.follow(&self.units.drop_o);
        }
        if self._counted > 0 {
            self.counts.hold_i.follow(&self.units.hold_o);
        }
        self.counts.count_i.follow(&self.count_i);
        self.count_o.follow(&self.counts.count_o);
        self.progress = (self.map_ready & !self.map_valid_i)
            | (self.weight_ready & !self.weight_valid_i)
            | (self.out_valid & !self.out_ready_i)
            | self.counts.event_o;
        self.head.progress_i = self.progress;
    }
}
