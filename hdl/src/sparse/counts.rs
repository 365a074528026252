//! What a cluster counts.

use crate::control::Counters;
use heddle_kernel::prelude::*;

/// Number of counters.
const COUNTS: usize = 9;

/// Counters of 32 bits that wrap: 0 cycles in which something is under way, 1 slots, 2 cycles in which a slot waits, 3 entries, 4 words of
/// weights that are filled, 5 words of weights that are multiplied, 6 of these whose products are dropped, 7 cycles in which products of a unit
/// wait, 8 positions that are drained. Of 5 to 7 all units are counted. Beside them, of the last cut: 9 its spread, 10 its steps, 11 whether
/// the spread is good.
///
/// # Timing
/// An event of cycle T is counted in T+3. `count_o` is the counter that `count_i` named in the cycle before.
#[module(name = "sparse_counts")]
pub struct SparseCounts {
    /// Something is under way.
    pub busy_i: Signal<In, Bit>,
    /// A slot is taken.
    pub slot_i: Signal<In, Bit>,
    /// A slot waits.
    pub slot_waits_i: Signal<In, Bit>,
    /// Entries are sent.
    pub load_i: Signal<In, Bit>,
    /// So many.
    pub entries_i: Signal<In, Bits<4>>,
    /// A word of weights is filled.
    pub fill_i: Signal<In, Bit>,
    /// A position is drained.
    pub position_i: Signal<In, Bit>,
    /// A unit multiplies.
    pub tap_i: [Signal<In, Bit>; units],
    /// It drops products.
    pub drop_i: [Signal<In, Bit>; units],
    /// Its products wait.
    pub hold_i: [Signal<In, Bit>; units],
    /// Of the last cut: the largest sum of a cell less the smallest one.
    pub spread_i: [Signal<In, Bits<32>>; census],
    /// Cycles that the cutter took.
    pub steps_i: [Signal<In, Bits<20>>; census],
    /// The spread is good.
    pub ok_i: [Signal<In, Bit>; census],
    /// Some of this happens.
    pub event_o: Signal<Out, Bit>,
    /// Number of a counter.
    pub count_i: Signal<In, Bits<4>>,
    /// Its value.
    pub count: OutDelay<Bits<32>>,
    #[new(Counters::new(COUNTS))]
    counters: Counters,
    /// What happened in the cycle before.
    happens: [Reg<Bit>; 6],
    entries: Delay<Bits<4>>,
    taps: [Reg<Bit>; units],
    drops: [Reg<Bit>; units],
    holds: [Reg<Bit>; units],
    /// Units below each one that multiply, drop, wait.
    tap_count: [Signal<Local, Bits<7>>; units + 1],
    drop_count: [Signal<Local, Bits<7>>; units + 1],
    hold_count: [Signal<Local, Bits<7>>; units + 1],
    any_tap: Signal<Local, Bit>,
    /// Units.
    _units: Param<'u'>,
    /// Maps are cut.
    _census: Feature<"cs">,
}

#[kernel]
impl SparseCounts {
    fn update(&mut self) {
        self.happens[0] = self.busy_i;
        self.happens[1] = self.slot_i;
        self.happens[2] = self.slot_waits_i;
        self.happens[3] = self.load_i;
        self.happens[4] = self.fill_i;
        self.happens[5] = self.position_i;
        self.entries = self.entries_i;
        self.taps.follow(&self.tap_i);
        self.drops.follow(&self.drop_i);
        self.holds.follow(&self.hold_i);
        self.any_tap = false;
        self.tap_count[0] = 0.into();
        self.drop_count[0] = 0.into();
        self.hold_count[0] = 0.into();
        for u in 0..self._units {
            if self.taps[u] {
                self.any_tap = true;
            }
            self.tap_count[u + 1] = mux(self.taps[u], self.tap_count[u] + 1, self.tap_count[u]);
            self.drop_count[u + 1] = mux(self.drops[u], self.drop_count[u] + 1, self.drop_count[u]);
            self.hold_count[u + 1] = mux(self.holds[u], self.hold_count[u] + 1, self.hold_count[u]);
        }
        self.event_o =
            self.happens[1] | self.happens[3] | self.happens[4] | self.happens[5] | self.any_tap;

        self.counters.clear_i = false;
        self.counters.increment_i[0] = mux(self.happens[0], 1.into(), 0.into());
        self.counters.increment_i[1] = mux(self.happens[1], 1.into(), 0.into());
        self.counters.increment_i[2] = mux(self.happens[2], 1.into(), 0.into());
        self.counters.increment_i[3] = 0.into();
        if self.happens[3] {
            self.counters.increment_i[3] = self.entries.get_bits::<17>(0);
        }
        self.counters.increment_i[4] = mux(self.happens[4], 1.into(), 0.into());
        self.counters.increment_i[5] = self.tap_count[self._units].get_bits::<17>(0);
        self.counters.increment_i[6] = self.drop_count[self._units].get_bits::<17>(0);
        self.counters.increment_i[7] = self.hold_count[self._units].get_bits::<17>(0);
        self.counters.increment_i[8] = mux(self.happens[5], 1.into(), 0.into());
        self.count = 0.into();
        for i in 0..COUNTS {
            if self.count_i == i.to_bits::<4>() {
                self.count = self.counters.count_o[i];
            }
        }
        for k in 0..self._census {
            if self.count_i == 9 {
                self.count = self.spread_i[k];
            }
            if self.count_i == 10 {
                self.count = bit_cast::<32, 20>(self.steps_i[k]);
            }
            if self.count_i == 11 {
                self.count = mux(self.ok_i[k], 1.into(), 0.into());
            }
        }
    }
}
