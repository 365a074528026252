//! The whole scaling pipeline.

use super::{DualMultiply, HighMultiply, RoundingShift, SaturatingShift};
use heddle_kernel::prelude::*;

/// Cycles from `acc_i` to `byte_o` of [`Requantise`] without a left shift.
pub const REQUANTISE_LATENCY: usize = 7;

/// Cycles that a left shift adds.
pub const LEFT_SHIFT_LATENCY: usize = 2;

/// Scales a 32-bit sum to a byte: multiplication, rounding right shift, clamp; as an option a saturating left
/// shift in front. One sum per clock.
///
/// Bit for bit the two rounding schemes of the TensorFlow Lite reference kernels. Double
/// rounding: the product is rounded to the nearest integer (halves up) before the right shift,
/// which rounds halves away from zero. Single rounding: one rounding, halves up.
///
/// # Timing
/// `byte_o` belongs to the sum taken from `acc_i` seven cycles before. `multiplier_i`, `left_i`
/// and `right_i` are those of the cycle after that of the sum, so each sum may have its own. `single_i`, `lo_i`
/// and `hi_i` are stable while sums are on their way. Nothing switches while `valid_i` is low.
#[module(no_reset, describe)]
pub struct Requantise {
    /// A sum is taken.
    pub valid_i: Signal<In, Bit>,
    /// Sum, two's complement.
    pub acc_i: Signal<In, Bits<32>>,
    /// Multiplier, unsigned.
    pub multiplier_i: Signal<In, Bits<31>>,
    /// Highest bits of the factor of the lower part; 0 unless `dual_i`.
    pub factor_i: [Signal<In, Bits<3>>; duals],
    /// Left shift in front of the multiplication.
    pub left_i: [Signal<In, Bits<5>>; lefts],
    /// Right shift behind the multiplication.
    pub right_i: Signal<In, Bits<5>>,
    /// Single rounding, else double.
    pub single_i: Signal<In, Bit>,
    /// The sum has two parts and a factor for each, see [`DualMultiply`]. Stable as `single_i`.
    pub dual_i: [Signal<In, Bit>; duals],
    /// Lower bound of the result, two's complement.
    pub lo_i: Signal<In, Bits<9>>,
    /// Upper bound of the result, two's complement.
    pub hi_i: Signal<In, Bits<9>>,
    /// Result.
    pub byte_o: Signal<Out, Bits<8>>,
    acc: RegData<Bits<32>>,
    /// The lower part of the sum is negative.
    negative: [RegData<Bit>; duals],
    late_negative: [Delay<Bit>; LEFT_SHIFT_LATENCY * lefts * duals],
    saturate: [SaturatingShift; lefts],
    /// Multiplier on its way beside the left shift.
    multiplier: [Delay<Bits<31>>; LEFT_SHIFT_LATENCY * lefts],
    factor: [Delay<Bits<3>>; LEFT_SHIFT_LATENCY * lefts * duals],
    /// Lower bits of the left shift, for its second cycle.
    left_fine: [Delay<Bits<3>>; lefts],
    multiply: [HighMultiply; 1 - duals],
    dual_multiply: [DualMultiply; duals],
    /// Right shift on its way beside left shift and multiplication.
    right: [Delay<Bits<5>>; 2 + LEFT_SHIFT_LATENCY * lefts],
    /// Lower bits of the right shift, for its second cycle.
    right_fine: Delay<Bits<3>>,
    round: RoundingShift,
    /// Values may be shifted to the left.
    _lefts: Feature<"ls">,
    /// Sums may have two parts and a factor for each.
    _duals: Feature<"ds">,
}

impl Requantise {
    fn describe(&self, meta: Meta) -> Meta {
        let meta = meta.doc_if(self._lefts > 0, "The left shift adds two cycles to that.");
        meta.doc_if(
            self._duals > 0,
            "A sum may have two parts and a factor for each.",
        )
    }
}

#[kernel]
impl Requantise {
    fn update(&mut self) {
        self.sum();
        self.multiplication();
        self.rounding();
    }

    /// The sum, with the parts of a dual scale apart; it may be shifted to the left.
    fn sum(&mut self) {
        if self._duals > 0 {
            // The lower part comes plus 2^16. Its highest bit takes that away, before it meets a multiplier.
            let lower = self.acc_i.get_bit(16);
            let sum = self.acc_i.replace_bit(16, lower ^ self.dual_i[0]);
            self.acc.load(self.valid_i, sum);
            self.negative[0].load(self.valid_i, !lower & self.dual_i[0]);
        } else {
            self.acc.load(self.valid_i, self.acc_i);
        }
        self.right.shift_in(self.right_i);
        if self._lefts > 0 {
            self.saturate[0].value_i = self.acc;
            self.saturate[0].coarse_i = self.left_i[0].get_bits::<2>(3);
            self.left_fine[0] = self.left_i[0].get_bits::<3>(0);
            self.saturate[0].fine_i = self.left_fine[0];
            self.multiplier[0] = self.multiplier_i;
            self.multiplier[1] = self.multiplier[0];
        }
    }

    /// Multiplied by a multiplier or by factors.
    fn multiplication(&mut self) {
        for i in 0..(1 - self._duals) {
            self.multiply[i].value_i = mux(self._lefts > 0, self.saturate[0].value_o, self.acc);
            self.multiply[i].multiplier_i =
                mux(self._lefts > 0, self.multiplier[1], self.multiplier_i);
        }
        for i in 0..self._duals {
            for _ in 0..self._lefts {
                self.factor[0] = self.factor_i[i];
                self.factor[1] = self.factor[0];
                self.late_negative[0] = self.negative[i];
                self.late_negative[1] = self.late_negative[0];
            }
            self.dual_multiply[i].value_i =
                mux(self._lefts > 0, self.saturate[0].value_o, self.acc);
            self.dual_multiply[i].multiplier_i =
                mux(self._lefts > 0, self.multiplier[1], self.multiplier_i);
            self.dual_multiply[i].negative_i =
                mux(self._lefts > 0, self.late_negative[1], self.negative[i]);
            self.dual_multiply[i].factor_i = mux(self._lefts > 0, self.factor[1], self.factor_i[i]);
            self.dual_multiply[i].dual_i = self.dual_i[i];
        }
    }

    /// Shifted to the right, rounded and clamped.
    fn rounding(&mut self) {
        let right = self.right[1 + LEFT_SHIFT_LATENCY * self._lefts];
        self.right_fine = right.get_bits::<3>(0);
        self.round.value_i = mux(
            self._duals > 0,
            self.dual_multiply[0].product_o,
            self.multiply[0].product_o,
        );
        self.round.coarse_i = right.get_bits::<2>(3);
        self.round.fine_i = self.right_fine;
        self.round.twice_i = !self.single_i & right.any();
        self.round.lo_i = self.lo_i;
        self.round.hi_i = self.hi_i;
        self.byte_o = self.round.byte_o;
    }
}
