//! The whole scaling pipeline.

use super::{HighMultiply, RoundingShift, SaturatingShift};
use heddle_kernel::prelude::*;

/// Cycles from `acc_i` to `byte_o` of [`Requantise`].
pub const REQUANTISE_LATENCY: usize = 10;

/// Scales a 32-bit sum to a byte: saturating left shift, multiplication, rounding right shift,
/// clamp. One sum per clock.
///
/// Bit for bit the two rounding schemes of the TensorFlow Lite reference kernels. Double
/// rounding: the product is rounded to the nearest integer (halves up) before the right shift,
/// which rounds halves away from zero. Single rounding: one rounding, halves up.
///
/// # Timing
/// `byte_o` belongs to the sum taken from `acc_i` ten cycles before. `multiplier_i`, `left_i`
/// and `right_i` are those of the cycle behind that of the sum, so each sum may have its own. `single_i`, `lo_i`
/// and `hi_i` are stable while sums are on their way. Nothing switches while `valid_i` is low.
#[module(no_reset)]
pub struct Requantise {
    /// A sum is taken.
    pub valid_i: Signal<In, Bit>,
    /// Sum, two's complement.
    pub acc_i: Signal<In, Bits<32>>,
    /// Multiplier, unsigned.
    pub multiplier_i: Signal<In, Bits<31>>,
    /// Left shift in front of the multiplication.
    pub left_i: Signal<In, Bits<5>>,
    /// Right shift behind the multiplication.
    pub right_i: Signal<In, Bits<5>>,
    /// Single rounding, else double.
    pub single_i: Signal<In, Bit>,
    /// Lower bound of the result, two's complement.
    pub lo_i: Signal<In, Bits<9>>,
    /// Upper bound of the result, two's complement.
    pub hi_i: Signal<In, Bits<9>>,
    /// Result.
    pub byte_o: Signal<Out, Bits<8>>,
    acc: RegData<Bits<32>>,
    saturate: SaturatingShift,
    /// Multiplier of the stages 2 and 3.
    multiplier: [Delay<Bits<31>>; 2],
    /// Lower bits of the left shift of stage 2.
    left_fine: Delay<Bits<3>>,
    multiply: HighMultiply,
    /// Right shift of the stages 2 to 6.
    right: [Delay<Bits<5>>; 5],
    /// Lower bits of the right shift of stage 7.
    right_fine: Delay<Bits<3>>,
    round: RoundingShift,
}

#[kernel]
impl Requantise {
    fn update(&mut self) {
        // Stage 0
        self.acc.load(self.valid_i, self.acc_i);

        // Stages 1 and 2
        self.saturate.value_i = self.acc;
        self.left_fine = self.left_i.get_bits::<3>(0);
        self.saturate.coarse_i = self.left_i.get_bits::<2>(3);
        self.saturate.fine_i = self.left_fine;
        self.multiplier[0] = self.multiplier_i;
        self.multiplier[1] = self.multiplier[0];
        self.right.shift_in(self.right_i);

        // Stages 3 to 5
        self.multiply.value_i = self.saturate.value_o;
        self.multiply.multiplier_i = self.multiplier[1];
        self.multiply.nearest_i = !self.single_i | (self.right[3] == 0);

        // Stages 6 to 9
        self.right_fine = self.right[4].get_bits::<3>(0);
        self.round.value_i = self.multiply.product_o;
        self.round.coarse_i = self.right[4].get_bits::<2>(3);
        self.round.fine_i = self.right_fine;
        self.round.halves_up_i = self.single_i;
        self.round.lo_i = self.lo_i;
        self.round.hi_i = self.hi_i;
        self.byte_o = self.round.byte_o;
    }
}
