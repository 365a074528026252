//! What a unit adds to the sums that are drained.

use super::{SumAddress, WindowPlace, waves::*};
use heddle_kernel::prelude::*;

/// A link of the drain chain: sums of a position come from the units before, and go on with those of this unit, if it has any.
///
/// Neighbours may both have sums of a position: their products belong to one result. A position outside the window adds nothing.
///
/// # Timing
/// Position in cycle T: the unit's word of sums is asked for in T+2 (`drain_o`), and is on `stored_i` in T+4,
/// with the sums of the units before on `sum_i`; the sums of both are on `sum_o` in T+5. Each unit is a cycle behind the one before
/// it, so that the sums of m units come out m + 4 cycles behind the position. The window is stable from T to T+1.
#[module]
pub struct DrainLink {
    /// A position whose sums are drained.
    pub position_i: DrainPosition<In>,
    /// Results of which this unit has sums.
    pub window_i: Rectangle<In>,
    /// How they lie in the memory of sums.
    pub layout_i: SumLayout<In>,
    /// First group of which it has sums.
    pub group0_i: Signal<In, Bits<8>>,
    /// The group behind the last one.
    pub group1_i: Signal<In, Bits<8>>,
    /// A word of sums is read.
    pub drain_o: SumDrain<Out>,
    /// Sums of the word that was asked for two cycles ago.
    pub stored_i: [Signal<In, Bits<32>>; lanes],
    /// Sums of the units before.
    pub sum_i: [Signal<In, Bits<32>>; lanes],
    /// Sums with those of this unit.
    pub sum: [OutDelay<Bits<32>>; lanes],
    place: WindowPlace,
    word: SumAddress,
    /// The position is one of this unit, one cycle ago and more.
    has: [Reg<Bit>; 4],
    row: Delay<Bits<9>>,
    col: Delay<Bits<9>>,
    group: Delay<Bits<8>>,
    addr: Delay<Bits<16>>,
    keep: [Delay<Bit>; 2],
    /// What the unit adds.
    added: [Signal<Local, Bits<32>>; lanes],
    /// Sums of a word.
    _lanes: Param<'g'>,
}

#[kernel]
impl DrainLink {
    fn update(&mut self) {
        comment!("In the window");
        self.place.row_i = self.position_i.row;
        self.place.col_i = self.position_i.col;
        self.place.window_i.follow(&self.window_i);
        self.has.shift_in(
            self.position_i.valid
                & self.place.is_in_o
                & (self.position_i.group >= self.group0_i)
                & (self.position_i.group < self.group1_i),
        );
        self.row = self.place.row_o;
        self.col = self.place.col_o;
        self.group = self.position_i.group - self.group0_i;
        comment!("Its word");
        self.word.group_i = self.group;
        self.word.row_i = self.row;
        self.word.col_i = self.col;
        self.word.layout_i.follow(&self.layout_i);
        self.addr = self.word.addr_o;
        self.keep.shift_in(self.position_i.keep);
        self.drain_o.valid = self.has[1];
        self.drain_o.addr = self.addr;
        self.drain_o.keep = self.keep[1];
        comment!("Its sums");
        for i in 0..self._lanes {
            self.added[i] = mux(self.has[3], self.stored_i[i], 0.into());
            self.sum[i] = self.sum_i[i] + self.added[i];
        }
    }
}
