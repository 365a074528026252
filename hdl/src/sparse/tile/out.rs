//! Sums on their way out.

use super::waves::*;
use heddle_kernel::prelude::*;

/// Makes results of the sums of a rectangle: what is below 0 becomes 0, all sums become one result, and results that are 0 are left out; each if it
/// is asked for, and in this order.
///
/// # Timing
/// A sum in cycle T, taken if `ready_o` is high: the result is at the output from T+2 on; that of a whole rectangle behind its last sum. One sum in each clock.
#[module]
pub struct TileOut {
    /// What is asked for.
    pub results_i: TileResults<In>,
    /// There is a sum.
    pub valid_i: Signal<In, Bit>,
    /// It is taken.
    pub ready_o: Signal<Out, Bit>,
    /// The sum, two's complement.
    pub data_i: Signal<In, Bits<32>>,
    /// The word in which it lay.
    pub index_i: Signal<In, Bits<16>>,
    /// It is the last one of its rectangle.
    pub last_i: Signal<In, Bit>,
    /// There is a result.
    pub valid: OutReg<Bit>,
    /// It is taken.
    pub ready_i: Signal<In, Bit>,
    /// The result.
    pub data: OutRegData<Bits<32>>,
    /// The word of its sum, or of the first one.
    pub index: OutRegData<Bits<16>>,
    /// There is a sum or a result.
    pub busy_o: Signal<Out, Bit>,
    /// A rectangle has begun, or is done: its sums so far, and its first word.
    open: Reg<Bit>,
    done: Reg<Bit>,
    total: RegData<Bits<32>>,
    first: RegData<Bits<16>>,
    takes: Signal<Local, Bit>,
    /// What is done may go on.
    moves: Signal<Local, Bit>,
    positive: Signal<Local, Bits<32>>,
    pooled: Signal<Local, Bits<32>>,
    /// Shifted by the bits of `shift` so far.
    shifted: [Signal<Local, Bits<32>>; 4],
    wide: [Signal<Local, Bits<36>>; 3],
}

#[kernel]
impl TileOut {
    fn update(&mut self) {
        self.moves = !self.valid | self.ready_i;
        self.ready_o = !self.done | self.moves;
        self.takes = self.valid_i & (!self.done | self.moves);
        self.busy_o = self.done | self.valid;
        self.pool();
        self.done = self.done & !self.moves;
        self.open = self.open;
        if self.takes {
            self.done = (self.results_i.pool == 0) | self.last_i;
            self.open = !(self.results_i.pool == 0) & !self.last_i;
        }
        self.shift();
        self.data.load(self.done & self.moves, self.shifted[3]);
        self.index.load(self.done & self.moves, self.first);
        self.valid = self.valid & !self.ready_i;
        if self.done & self.moves {
            self.valid = !self.results_i.nonzero | self.shifted[3].any();
        }
    }

    fn pool(&mut self) {
        self.positive = self.data_i;
        if self.results_i.relu & self.data_i.get_bit(31) {
            self.positive = 0.into();
        }
        self.pooled = self.positive;
        if self.open {
            if self.results_i.pool == 2 {
                self.pooled = self.total + self.positive;
            } else if signed_cast(self.positive) < signed_cast(self.total) {
                self.pooled = self.total;
            }
        }
        self.total.load(self.takes, self.pooled);
        self.first.load(self.takes & !self.open, self.index_i);
    }

    /// Rounded down.
    fn shift(&mut self) {
        self.shifted[0] = self.total;
        for bit in 0..3 {
            self.wide[bit] =
                unsigned_cast(bit_cast_signed::<36, 32>(signed_cast(self.shifted[bit])));
            self.shifted[bit + 1] = self.shifted[bit];
            if self.results_i.shift.get_bit(bit) {
                self.shifted[bit + 1] = self.wide[bit].get_bits::<32>(1 << bit);
            }
        }
    }
}
