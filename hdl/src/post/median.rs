//! The median of a window of sums.

use heddle_kernel::prelude::*;

/// Keeps the sums of a window in order and gives its middle.
///
/// Every sum is compared with all that are there; larger ones move up by one place. The output is
/// the sum of the two middle places, which are one and the same in an odd window: twice the median,
/// modulo 2^32.
///
/// # Timing
/// One sum per clock. A sum taken in cycle T counts in `twice_o` from T+1 on.
#[module(no_reset)]
pub struct MedianChain {
    /// A sum is taken.
    pub valid_i: Signal<In, Bit>,
    /// It is the first of its window: those before are forgotten.
    pub first_i: Signal<In, Bit>,
    /// Sums in a window, less one.
    pub window_i: Signal<In, Bits<8>>,
    /// Sum, two's complement.
    pub acc_i: Signal<In, Bits<32>>,
    /// Twice the median.
    pub twice_o: Signal<Out, Bits<32>>,
    /// Sums from the smallest one up.
    sorted: [RegData<Bits<32>>; depth],
    /// The place holds a sum of this window.
    full: [RegData<Bit>; depth],
    /// The place before this one keeps its sum: it is not larger than the one that comes.
    stays: [Signal<Local, Bit>; depth + 1],
    /// Sum of the place before this one.
    place: [Signal<Local, Bits<32>>; depth + 1],
    /// Places of the middle.
    lower: Signal<Local, Bits<8>>,
    upper: Signal<Local, Bits<8>>,
    lower_sum: Signal<Local, Bits<32>>,
    upper_sum: Signal<Local, Bits<32>>,
    /// Longest window.
    _depth: Param<'d'>,
}

#[kernel]
impl MedianChain {
    fn update(&mut self) {
        self.stays[0] = true;
        self.place[0] = self.acc_i;
        for k in 0..self._depth {
            self.stays[k + 1] = self.full[k]
                & !self.first_i
                & (signed_cast(self.acc_i) >= signed_cast(self.sorted[k]));
            self.place[k + 1] = self.sorted[k];
            self.full[k].en_i = self.valid_i;
            self.full[k] = mux(k > 0, self.full[k - 1] & !self.first_i, true);
        }
        for k in 0..self._depth {
            self.sorted[k].load(self.valid_i, self.acc_i);
            if self.stays[k + 1] {
                self.sorted[k] = self.sorted[k];
            } else if !self.stays[k] {
                self.sorted[k] = self.place[k];
            }
        }

        self.lower = self.window_i >> 1;
        self.upper = self.lower + self.window_i.get_bits::<1>(0).get_bits::<8>(0);
        self.lower_sum = 0.into();
        self.upper_sum = 0.into();
        for k in 0..self._depth {
            if self.lower == k.to_bits::<8>() {
                self.lower_sum = self.sorted[k];
            }
            if self.upper == k.to_bits::<8>() {
                self.upper_sum = self.sorted[k];
            }
        }
        self.twice_o = self.lower_sum + self.upper_sum;
    }
}
