//! What a unit adds to the sums that are drained.

use super::waves::*;
use heddle_kernel::prelude::*;

/// A link of the drain chain: sums of a position come from the units before, and go on with those of this unit, if it has any.
///
/// Neighbours may both have sums of a position: their products belong to one result. A position outside the window adds nothing,
/// neither does one of another share.
///
/// # Timing
/// Position in cycle T: the unit's word of sums is asked for in T+1 (`drain_o`), and is on `stored_i` in T+3. The sums of the units before
/// are on `sum_i` in T+4, the sums of both on `sum_o` in T+5. Each unit is a cycle after the one before it, so that the sums of
/// m units come out m + 4 cycles after the position. The share is stable in T.
#[module]
pub struct DrainLink {
    /// A position whose sums are drained.
    pub position_i: DrainPosition<In>,
    /// It lies in the unit's window.
    pub is_in_i: Signal<In, Bit>,
    /// Whose output channels it has.
    pub share_i: Signal<In, Bits<6>>,
    /// A word of sums is read.
    pub drain_o: SumDrain<Out>,
    /// Sums of the word that was asked for two cycles ago.
    pub stored_i: [Signal<In, Bits<32>>; lanes],
    /// Sums of the units before.
    pub sum_i: [Signal<In, Bits<32>>; lanes],
    /// Sums with those of this unit.
    pub sum: [OutDelay<Bits<32>>; lanes],
    drain: SumDrainReg,
    /// The word on `stored_i` was asked for; one cycle before.
    has: [Reg<Bit>; 2],
    /// What the unit adds, or 0: a register that is cleared costs no logic.
    added: [Delay<Bits<32>>; lanes],
    /// Sums of a word.
    _lanes: Param<'g'>,
}

#[kernel]
impl DrainLink {
    fn update(&mut self) {
        comment!("Its word, if it has one");
        self.drain.valid =
            self.position_i.valid & self.is_in_i & (self.position_i.share == self.share_i);
        self.drain.addr = self.position_i.addr;
        self.drain.keep = self.position_i.keep;
        self.drain_o.follow(&self.drain);
        self.has.shift_in(self.drain.valid);
        comment!("Its sums");
        for i in 0..self._lanes {
            self.added[i] = self.stored_i[i];
            if !self.has[1] {
                self.added[i] = 0.into();
            }
            self.sum[i] = self.sum_i[i] + self.added[i];
        }
    }
}
