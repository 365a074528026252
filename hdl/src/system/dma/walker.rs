//! Three nested loops.

use heddle_kernel::prelude::*;

/// Walks three loops, X innermost, by one adder: a number in each clock, and no gap where a loop wraps.
///
/// A turn of a loop adds its step to the number with which the loop's last turn began. Sums wrap at {width} bits.
///
/// # Timing
/// `start_i` in cycle t: the first number on `place_o` in t + 1, from the fields as they are in t. The fields stay until the last one.
/// With `next_i` the next number is there a cycle later.
#[module(describe)]
pub struct Walker<const N: usize> {
    /// Stops.
    pub clear_i: Signal<In, Bit>,
    /// Begins.
    pub start_i: Signal<In, Bit>,
    /// First number.
    pub first_i: Signal<In, Bits<N>>,
    /// Turns of X, Y and Z, less 1.
    pub count_i: [Signal<In, Bits<16>>; 3],
    /// What a turn of X, Y and Z adds.
    pub step_i: [Signal<In, Bits<N>>; 3],
    /// There is a number.
    pub valid: OutReg<Bit>,
    /// It is the last one.
    pub last_o: Signal<Out, Bit>,
    /// The number.
    pub place_o: Signal<Out, Bits<N>>,
    /// It is taken.
    pub next_i: Signal<In, Bit>,
    /// Turns of each loop that are left.
    left: [RegData<Bits<16>>; 3],
    /// The number with which the turn of X, of Y and of Z began.
    begin: [RegData<Bits<N>>; 3],
    /// Each loop is in its last turn.
    ends: [RegData<Bit>; 3],
    /// A turn of each loop, or of one around it, ends with this number.
    wraps: [Signal<Local, Bit>; 4],
    from: Signal<Local, Bits<N>>,
    step: Signal<Local, Bits<N>>,
    following: Signal<Local, Bits<N>>,
    /// Bits of a number.
    _width: Generic<'n', N>,
}

impl<const N: usize> Walker<N> {
    fn describe(&self, meta: Meta) -> Meta {
        meta.number("width", N)
    }
}

#[kernel]
impl<const N: usize> Walker<N> {
    fn update(&mut self) {
        self.wraps[0] = self.next_i;
        for i in 0..3 {
            self.wraps[i + 1] = self.wraps[i] & self.ends[i];
            let begins = self.start_i | self.ends[i];
            self.left[i].load(
                self.start_i | self.wraps[i],
                mux(begins, self.count_i[i], self.left[i] - 1),
            );
            self.ends[i].load(
                self.start_i | self.wraps[i],
                mux(begins, self.count_i[i] == 0, self.left[i] == 1),
            );
        }
        self.from = self.begin[2];
        self.step = self.step_i[2];
        if !self.ends[1] {
            self.from = self.begin[1];
            self.step = self.step_i[1];
        }
        if !self.ends[0] {
            self.from = self.begin[0];
            self.step = self.step_i[0];
        }
        self.following = mux(self.start_i, self.first_i, self.from + self.step);
        for i in 0..3 {
            self.begin[i].load(self.start_i | self.wraps[i], self.following);
        }
        self.place_o = self.begin[0];
        self.last_o = self.ends[0] & self.ends[1] & self.ends[2];
        self.valid = (self.start_i | (self.valid & !self.wraps[3])) & !self.clear_i;
    }
}
