//! The taps of a unit: which weight words meet a value.

use super::waves::*;
use heddle_kernel::prelude::*;

/// Goes through the list of weights that each value meets: one word in a clock, the next value follows the last word without a
/// gap. A value with an empty list passes in one clock.
///
/// # Timing
/// Value in cycle T, taken if `ready_o` is high: its list is read in T, its first word is named in T+3 if nothing is before it.
/// While `hold_i` is high the word that is named stays.
#[module]
pub struct UnitTaps {
    /// A value.
    pub valid_i: Signal<In, Bit>,
    /// It is taken.
    pub ready_o: Signal<Out, Bit>,
    /// The value.
    pub entry_i: Entry<In>,
    /// Number of the list of weights that it meets.
    pub list_i: Signal<In, Bits<9>>,
    /// Reads where a list lies.
    pub list_en_o: Signal<Out, Bit>,
    /// Its number.
    pub list_o: Signal<Out, Bits<9>>,
    /// First word of the list that was read last.
    pub first_i: Signal<In, Bits<16>>,
    /// Its words less 1; 65535 if it is empty.
    pub more_i: Signal<In, Bits<16>>,
    /// The word named is not taken.
    pub hold_i: Signal<In, Bit>,
    /// A word is named.
    pub tap_o: Signal<Out, Bit>,
    /// Its address.
    pub addr: OutRegData<Bits<16>>,
    /// The value that it meets.
    pub entry_o: Entry<Out>,
    /// There is a value here.
    pub busy_o: Signal<Out, Bit>,
    /// Values whose list is read, stands at the memory, is gone through.
    busy: [RegEn<Bit>; 3],
    value: [RegData<Bits<9>>; 3],
    row: [RegData<Bits<8>>; 3],
    col: [RegData<Bits<8>>; 3],
    /// List of the second value.
    first: RegData<Bits<16>>,
    more: RegData<Bits<16>>,
    /// Words of the third value behind the one that is named.
    left: RegData<Bits<16>>,
    /// It has no words.
    is_empty: RegData<Bit>,
    /// The third value goes on or makes room.
    moves: Signal<Local, Bit>,
    /// It has met its last word.
    ends: Signal<Local, Bit>,
    /// Each value moves on to the next place.
    free: [Signal<Local, Bit>; 3],
}

#[kernel]
impl UnitTaps {
    fn update(&mut self) {
        comment!("A value moves on where there is room");
        self.moves = !(self.hold_i & self.tap_o);
        self.ends = self.is_empty | !self.left.any();
        self.free[2] = !self.busy[2] | (self.ends & self.moves);
        for i in 0..2 {
            self.free[1 - i] = !self.busy[1 - i] | self.free[2 - i];
        }
        self.ready_o = self.rst_n & self.free[0];
        self.busy[0].load(self.free[0], self.valid_i);
        self.value[0].load(self.free[0], self.entry_i.value);
        self.row[0].load(self.free[0], self.entry_i.row);
        self.col[0].load(self.free[0], self.entry_i.col);
        for i in 0..2 {
            self.busy[i + 1].load(self.free[i + 1], self.busy[i]);
            self.value[i + 1].load(self.free[i + 1], self.value[i]);
            self.row[i + 1].load(self.free[i + 1], self.row[i]);
            self.col[i + 1].load(self.free[i + 1], self.col[i]);
        }
        self.list_en_o = self.free[0] & self.valid_i;
        self.list_o = self.list_i;
        self.first.load(self.free[1], self.first_i);
        self.more.load(self.free[1], self.more_i);

        comment!("Words of the third value, one after the other");
        self.tap_o = self.busy[2] & !self.is_empty;
        self.addr.load(
            self.free[2] | self.moves,
            mux(self.free[2], self.first, self.addr + 1),
        );
        self.left.load(
            self.free[2] | self.moves,
            mux(self.free[2], self.more, self.left - 1),
        );
        self.is_empty.load(self.free[2], self.more == 0xffff);
        self.entry_o.value = self.value[2];
        self.entry_o.row = self.row[2];
        self.entry_o.col = self.col[2];
        self.busy_o = self.busy[0] | self.busy[1] | self.busy[2];
    }
}
