//! What commands wait for.

use super::SparseShape;
use heddle_kernel::prelude::*;

/// Knows which sets are taken, and what the units say of their runs.
///
/// A set is taken from the clock on in which a chunk of a load begins, until the unit has read it: here and in the unit a bit
/// changes, and the set is free while both are equal. So nothing depends on how long entries take to the last unit.
///
/// # Timing
/// A chunk that begins in cycle T has its set taken in T+1. `busy_o` and the like show what the units said in the cycle before.
#[module(shape: SparseShape)]
pub struct Scoreboard {
    /// A chunk of a load begins.
    pub begins_i: Signal<In, Bit>,
    /// Its set.
    pub load_set_i: Signal<In, Bits<2>>,
    /// Its units.
    pub load_mask_i: [Signal<In, Bit>; units],
    /// The set is free in all of these units.
    pub free_o: Signal<Out, Bit>,
    /// First set of a run.
    pub run_set_i: Signal<In, Bits<2>>,
    /// Its units.
    pub run_mask_i: [Signal<In, Bit>; units],
    /// All of them can take a run.
    pub ready_o: Signal<Out, Bit>,
    /// The set is free in one of them: nothing fills it.
    pub unsent_o: Signal<Out, Bit>,
    /// The unit can take a run.
    pub run_ready_i: [Signal<In, Bit>; units],
    /// It has released a set; changes.
    pub released_i: [[Signal<In, Bit>; sets]; units],
    /// Its runs name a half of the weights.
    pub half_busy_i: [[Signal<In, Bit>; 2]; units],
    /// They name a region of the sums.
    pub region_busy_i: [[Signal<In, Bit>; 2]; units],
    /// It has a run.
    pub running_i: [Signal<In, Bit>; units],
    /// A run names this half.
    pub half_busy: [OutReg<Bit>; 2],
    /// A run names this region.
    pub region_busy: [OutReg<Bit>; 2],
    /// There is a run.
    pub running: OutReg<Bit>,
    sent: [[Reg<Bit>; sets]; units],
    free: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    unsent: Signal<Local, Bit>,
    /// Units.
    _units: Param<'u'>,
    /// Sets of a map memory.
    _sets: Param<'s'>,
}

#[kernel]
impl Scoreboard {
    fn update(&mut self) {
        self.sets();
        self.runs();
    }

    fn sets(&mut self) {
        self.free = true;
        self.unsent = false;
        for u in 0..self._units {
            for s in 0..self._sets {
                let is_free = self.sent[u][s] == self.released_i[u][s];
                if self.load_mask_i[u] & (self.load_set_i == s.to_bits::<2>()) & !is_free {
                    self.free = false;
                }
                if self.run_mask_i[u] & (self.run_set_i == s.to_bits::<2>()) & is_free {
                    self.unsent = true;
                }
                self.sent[u][s] = self.sent[u][s]
                    ^ (self.begins_i & self.load_mask_i[u] & (self.load_set_i == s.to_bits::<2>()));
            }
        }
        self.free_o = self.free;
        self.unsent_o = self.unsent;
    }

    fn runs(&mut self) {
        self.ready = true;
        self.running = false;
        for h in 0..2 {
            self.half_busy[h] = false;
            self.region_busy[h] = false;
        }
        for u in 0..self._units {
            if self.run_mask_i[u] & !self.run_ready_i[u] {
                self.ready = false;
            }
            if self.running_i[u] {
                self.running = true;
            }
            for h in 0..2 {
                if self.half_busy_i[u][h] {
                    self.half_busy[h] = true;
                }
                if self.region_busy_i[u][h] {
                    self.region_busy[h] = true;
                }
            }
        }
        self.ready_o = self.ready;
    }
}
