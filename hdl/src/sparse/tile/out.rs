//! Sums on their way out.

use super::waves::*;
use heddle_kernel::prelude::*;

/// Makes results of the sums of a rectangle: what is below 0 becomes 0, all sums become one result, and results that are 0 are left out; each if it
/// is asked for, and in this order.
///
/// # Timing
/// A sum in cycle T, taken if `ready_o` is high: the result is at the output from T+1 on; that of a whole rectangle behind its last sum. One sum in each clock.
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
    /// A rectangle has begun: its sums so far, and its first word.
    open: Reg<Bit>,
    total: RegData<Bits<32>>,
    first: RegData<Bits<16>>,
    takes: Signal<Local, Bit>,
    positive: Signal<Local, Bits<32>>,
    pooled: Signal<Local, Bits<32>>,
    /// The index that goes with the result.
    at: Signal<Local, Bits<16>>,
    /// Shifted by the bits of `shift` so far.
    shifted: [Signal<Local, Bits<32>>; 4],
    wide: [Signal<Local, Bits<36>>; 3],
    leaves: Signal<Local, Bit>,
}

#[kernel]
impl TileOut {
    fn update(&mut self) {
        self.takes = self.valid_i & (!self.valid | self.ready_i);
        self.ready_o = !self.valid | self.ready_i;
        self.positive = self.data_i;
        if self.results_i.relu & self.data_i.get_bit(31) {
            self.positive = 0.into();
        }
        self.pool();
        self.leaves = self.takes
            & ((self.results_i.pool == 0) | self.last_i)
            & (!self.results_i.nonzero | self.shifted[3].any());
        self.valid = self.leaves | (self.valid & !self.ready_i);
        self.data.load(self.leaves, self.shifted[3]);
        self.index.load(self.leaves, self.at);
        self.open = self.open;
        if self.takes {
            self.open = !(self.results_i.pool == 0) & !self.last_i;
        }
        self.total.load(self.takes, self.pooled);
        self.first.load(self.takes & !self.open, self.index_i);
    }

    fn pool(&mut self) {
        self.pooled = self.positive;
        self.at = self.index_i;
        if self.open {
            self.at = self.first;
            if self.results_i.pool == 2 {
                self.pooled = self.total + self.positive;
            } else if signed_cast(self.positive) < signed_cast(self.total) {
                self.pooled = self.total;
            }
        }
        self.shifted[0] = self.pooled;
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
