//! What a cluster counts.

use crate::control::Counters;
use heddle_arch::host::CLUSTER_COUNTERS;
use heddle_arch::params::CounterSet;
use heddle_kernel::prelude::*;

// Numbers of counters.
const BUSY: usize = 0;
const SLOT: usize = 1;
const SLOT_WAITS: usize = 2;
const ENTRIES: usize = 3;
const FILL: usize = 4;
const TAPS: usize = 5;
const DROPS: usize = 6;
const HOLDS: usize = 7;
const POSITION: usize = 8;

/// Which counters there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CountList(CounterSet);

impl CountList {
    /// Their numbers in order.
    fn all(self) -> impl Iterator<Item = usize> {
        let all = 0..CLUSTER_COUNTERS.len();
        all.filter(move |&number| self.0.has_of_cluster(number))
    }

    /// Number of the counter at a place.
    fn number(self, place: usize) -> usize {
        self.all().nth(place).expect("a place of the list")
    }

    /// Place of a counter.
    fn place(self, number: usize) -> usize {
        let place = self.all().position(|other| other == number);
        place.expect("a counter of the list")
    }

    /// Place among what is seen of the event of a counter. Some events are seen for that counter alone; the others also
    /// show that the cluster is not stuck.
    fn event(self, number: usize) -> usize {
        let is_seen =
            |event: &usize| ![BUSY, SLOT_WAITS].contains(event) || self.0.has_of_cluster(*event);
        let events = [BUSY, SLOT, SLOT_WAITS, ENTRIES, FILL, POSITION];
        let place = events
            .into_iter()
            .filter(is_seen)
            .position(|event| event == number);
        place.expect("an event that is seen")
    }
}

/// Counters of 32 bits that wrap: 0 cycles in which something is under way, 1 slots, 2 cycles in which a slot waits, 3 entries, 4 words of
/// weights that are filled, 5 words of weights that are multiplied, 6 of these whose products are dropped, 7 cycles in which products of a unit
/// wait, 8 positions that are drained. Of 5 to 7 all units are counted. Beside them, of the last cut: 9 its spread, 10 its steps, 11 whether
/// the spread is good.
///
/// # Timing
/// An event of cycle T is counted in T+3. `count_o` is the counter that `count_i` named in the cycle before.
#[module(name = "sparse_counts", describe)]
pub struct SparseCounts {
    /// Something is under way.
    pub busy_i: [Signal<In, Bit>; counted],
    /// A slot is taken.
    pub slot_i: Signal<In, Bit>,
    /// A slot waits.
    pub slot_waits_i: [Signal<In, Bit>; counted],
    /// Entries are sent.
    pub load_i: Signal<In, Bit>,
    /// So many.
    pub entries_i: [Signal<In, Bits<4>>; full],
    /// A word of weights is filled.
    pub fill_i: Signal<In, Bit>,
    /// A position is drained.
    pub position_i: Signal<In, Bit>,
    /// A unit multiplies.
    pub tap_i: [Signal<In, Bit>; units],
    /// It drops products.
    pub drop_i: [Signal<In, Bit>; full * units],
    /// Its products wait.
    pub hold_i: [Signal<In, Bit>; counted * units],
    /// Of the last cut: the largest sum of a cell less the smallest one.
    pub spread_i: [Signal<In, Bits<32>>; census],
    /// Cycles that the cutter took.
    pub steps_i: [Signal<In, Bits<20>>; census],
    /// The spread is good.
    pub ok_i: [Signal<In, Bit>; census],
    /// Some of this happens.
    pub event_o: Signal<Out, Bit>,
    /// Number of a counter.
    pub count_i: [Signal<In, Bits<4>>; shown],
    /// Its value.
    pub count: [OutDelay<Bits<32>>; shown],
    #[new(Counters::new(counts))]
    counters: [Counters; counted],
    /// What happened in the cycle before.
    happens: [Reg<Bit>; 4 + 2 * counted],
    entries: [Delay<Bits<4>>; full],
    taps: [Reg<Bit>; units],
    drops: [Reg<Bit>; full * units],
    holds: [Reg<Bit>; counted * units],
    /// Units below each one that multiply, drop, wait.
    tap_count: [Signal<Local, Bits<7>>; counted * (units + 1)],
    drop_count: [Signal<Local, Bits<7>>; full * (units + 1)],
    hold_count: [Signal<Local, Bits<7>>; counted * (units + 1)],
    any_tap: Signal<Local, Bit>,
    /// Units.
    _units: Param<'u'>,
    /// Maps are cut.
    _census: Feature<"cs">,
    #[argument]
    _set: CounterSet,
    #[new(CountList(set))]
    _list: CountList,
    #[new(list.all().count())]
    _counts: usize,
    /// There are some.
    #[new((counts > 0).into())]
    _counted: usize,
    /// All are there.
    #[new((set == CounterSet::Full).into())]
    _full: usize,
    /// There is something to show.
    #[new((counted + census).min(1))]
    _shown: usize,
}

impl SparseCounts {
    fn describe(&self, meta: Meta) -> Meta {
        let numbers: Vec<String> = self._list.all().map(|number| number.to_string()).collect();
        let some = format!("Of the counters 0 to 8 there are {}.", numbers.join(", "));
        let meta = meta.doc_if(self._counted > 0 && self._full == 0, &some);
        meta.doc_if(self._counted == 0, "There are none of the counters 0 to 8.")
    }
}

#[kernel]
impl SparseCounts {
    fn update(&mut self) {
        self.events();
        self.units();
        if self._counted > 0 {
            self.counters();
        }
        if self._shown > 0 {
            self.shows();
        }
    }

    /// What happens.
    fn events(&mut self) {
        for i in 0..self._counted {
            self.happens[self._list.event(BUSY)] = self.busy_i[i];
        }
        self.happens[self._list.event(SLOT)] = self.slot_i;
        for i in 0..self._counted {
            self.happens[self._list.event(SLOT_WAITS)] = self.slot_waits_i[i];
        }
        self.happens[self._list.event(ENTRIES)] = self.load_i;
        self.happens[self._list.event(FILL)] = self.fill_i;
        self.happens[self._list.event(POSITION)] = self.position_i;
        self.entries.follow(&self.entries_i);
        self.taps.follow(&self.tap_i);
        self.drops.follow(&self.drop_i);
        self.holds.follow(&self.hold_i);
    }

    /// In how many units.
    fn units(&mut self) {
        self.any_tap = false;
        if self._counted > 0 {
            self.tap_count[0] = 0.into();
            if self._full > 0 {
                self.drop_count[0] = 0.into();
            }
            self.hold_count[0] = 0.into();
        }
        for u in 0..self._units {
            if self.taps[u] {
                self.any_tap = true;
            }
            if self._counted > 0 {
                self.tap_count[u + 1] = mux(self.taps[u], self.tap_count[u] + 1, self.tap_count[u]);
                if self._full > 0 {
                    self.drop_count[u + 1] =
                        mux(self.drops[u], self.drop_count[u] + 1, self.drop_count[u]);
                }
                self.hold_count[u + 1] =
                    mux(self.holds[u], self.hold_count[u] + 1, self.hold_count[u]);
            }
        }
        self.event_o = self.happens[self._list.event(SLOT)]
            | self.happens[self._list.event(ENTRIES)]
            | self.happens[self._list.event(FILL)]
            | self.happens[self._list.event(POSITION)]
            | self.any_tap;
    }

    /// What is counted of it.
    fn counters(&mut self) {
        self.counters[0].clear_i = false;
        self.counters[0].increment_i[self._list.place(BUSY)] =
            mux(self.happens[BUSY], 1.into(), 0.into());
        if self._full > 0 {
            self.counters[0].increment_i[SLOT] = mux(self.happens[SLOT], 1.into(), 0.into());
        }
        self.counters[0].increment_i[self._list.place(SLOT_WAITS)] =
            mux(self.happens[SLOT_WAITS], 1.into(), 0.into());
        if self._full > 0 {
            self.counters[0].increment_i[ENTRIES] = 0.into();
            if self.happens[ENTRIES] {
                self.counters[0].increment_i[ENTRIES] = self.entries[0].get_bits::<17>(0);
            }
            self.counters[0].increment_i[FILL] = mux(self.happens[FILL], 1.into(), 0.into());
        }
        self.counters[0].increment_i[self._list.place(TAPS)] =
            self.tap_count[self._units].get_bits::<17>(0);
        if self._full > 0 {
            self.counters[0].increment_i[DROPS] = self.drop_count[self._units].get_bits::<17>(0);
        }
        self.counters[0].increment_i[self._list.place(HOLDS)] =
            self.hold_count[self._units].get_bits::<17>(0);
        if self._full > 0 {
            self.counters[0].increment_i[POSITION] =
                mux(self.happens[self._list.event(POSITION)], 1.into(), 0.into());
        }
    }

    /// The counter that is asked for.
    fn shows(&mut self) {
        self.count[0] = 0.into();
        for i in 0..self._counts {
            if self.count_i[0] == self._list.number(i).to_bits::<4>() {
                self.count[0] = self.counters[0].count_o[i];
            }
        }
        for k in 0..self._census {
            if self.count_i[0] == 9 {
                self.count[0] = self.spread_i[k];
            }
            if self.count_i[0] == 10 {
                self.count[0] = bit_cast::<32, 20>(self.steps_i[k]);
            }
            if self.count_i[0] == 11 {
                self.count[0] = mux(self.ok_i[k], 1.into(), 0.into());
            }
        }
    }
}
