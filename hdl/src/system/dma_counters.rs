//! The counters of the DMA.

use heddle_arch::registers::DMA_COUNTERS;
use heddle_kernel::prelude::*;

const COUNTS: usize = DMA_COUNTERS.len();

/// Eleven counters of 32 bits in a memory: one of sixteen places has its turn in a cycle, and its events of the cycles before are added then.
///
/// # Timing
/// An event of cycle t is counted in t + 18 at the latest, and each read in between is a cycle more. A read comes in every second cycle at most. The count at `place_i` in cycle t is on `count_o` in t + 1. `clear_i` in t forgets events of t and before.
#[module]
pub struct DmaCounters {
    /// Sets all counters to 0.
    pub clear_i: Signal<In, Bit>,
    /// What is counted, each in one cycle.
    pub event_i: [Signal<In, Bit>; COUNTS],
    /// Which counter is read.
    pub place_i: Signal<In, Bits<4>>,
    /// It is read.
    pub read_i: Signal<In, Bit>,
    /// Its count.
    pub count_o: Signal<Out, Bits<32>>,
    /// The copy that is added to, and that which is read.
    #[new(Ram1r1w::new(1, 16))]
    own: Ram1r1w<4, 32>,
    #[new(Ram1r1w::new(1, 16))]
    seen: Ram1r1w<4, 32>,
    /// Events since the last turn.
    pending: [Reg<Bits<5>>; COUNTS],
    /// The memory holds a count.
    used: [Reg<Bit>; COUNTS],
    turn: Reg<Bits<4>>,
    /// The place of the cycle before, its events, and whether it holds a count.
    last: Reg<Bits<4>>,
    amount: Reg<Bits<5>>,
    holds: Reg<Bit>,
    adds: Reg<Bit>,
    /// The place that is read holds a count.
    known: Reg<Bit>,
    events: Signal<Local, Bits<5>>,
    /// The sum of the turn before is written.
    writes: Signal<Local, Bit>,
    is_used: Signal<Local, Bit>,
    is_known: Signal<Local, Bit>,
    stored: Signal<Local, Bits<32>>,
    sum: Signal<Local, Bits<32>>,
}

#[kernel]
impl DmaCounters {
    fn update(&mut self) {
        // A read of the host takes the turn of a clock: no word is read while it is written.
        let goes = !self.read_i;
        self.turn = mux(self.read_i, self.turn, self.turn + 1);
        self.writes = self.adds & (goes);
        self.events = 0.into();
        self.is_used = false;
        self.is_known = false;
        for i in 0..COUNTS {
            let has_turn = (goes) & (self.turn == i.to_bits::<4>());
            self.pending[i] = mux(has_turn, 0.into(), self.pending[i]);
            if self.event_i[i] {
                self.pending[i] = mux(has_turn, 1.into(), self.pending[i] + 1);
            }
            self.used[i] = self.used[i] | (self.writes & (self.last == i.to_bits::<4>()));
            if has_turn {
                self.events = self.pending[i];
                self.is_used = self.used[i];
            }
            if self.place_i == i.to_bits::<4>() {
                self.is_known = self.used[i];
            }
            if self.clear_i {
                self.pending[i] = 0.into();
                self.used[i] = false;
            }
        }
        self.own.ren_i = goes;
        self.own.raddr_i = self.turn;
        self.last = mux(self.read_i, self.last, self.turn);
        self.amount = mux(self.read_i, self.amount, self.events);
        if goes {
            self.holds = self.is_used;
        } else {
            self.holds = self.holds;
        }
        self.adds = !self.clear_i;
        self.stored = mux(self.holds, self.own.rdata_o[0], 0.into());
        self.sum = self.stored + bit_cast::<32, 5>(self.amount);
        self.own.wen_i = self.writes;
        self.own.waddr_i = self.last;
        self.own.wdata_i[0] = self.sum;
        self.seen.wen_i = self.writes;
        self.seen.waddr_i = self.last;
        self.seen.wdata_i[0] = self.sum;
        self.seen.ren_i = self.read_i;
        self.seen.raddr_i = self.place_i;
        self.known = self.read_i & self.is_known & !self.clear_i;
        self.count_o = mux(self.known, self.seen.rdata_o[0], 0.into());
    }
}
