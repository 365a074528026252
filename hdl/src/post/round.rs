//! Right shift behind the multiplication, and the clamp.

use heddle_kernel::prelude::*;

/// Rounding right shift of a product, clamped to signed 9-bit bounds.
///
/// The value is twice the product, rounded down: its lowest bit is a half. Once: value / 2 / 2^places to the nearest
/// integer, halves up. Twice: value / 2 to the nearest, halves up, and that divided by 2^places to the nearest, halves
/// away from zero. Both add the half of the result that is shifted out last; twice, a number not below 0 also gets it
/// if all bits below are ones, a negative one only if they are not all zeros.
///
/// The bounds have 9 bits. So every step of the shift keeps the bits that the steps after it may bring there, and
/// notes if the others are not the sign.
///
/// # Timing
/// Four cycles. `coarse_i` and `twice_i` belong to the value of the same cycle, `fine_i` to the value of the
/// cycle before. `lo_i` and `hi_i` are stable.
#[module(no_reset)]
pub struct RoundingShift {
    /// Twice the product, two's complement.
    pub value_i: Signal<In, Bits<33>>,
    /// Multiples of eight places to shift.
    pub coarse_i: Signal<In, Bits<2>>,
    /// Single places to shift.
    pub fine_i: Signal<In, Bits<3>>,
    /// Rounds twice; not with a shift by 0 places.
    pub twice_i: Signal<In, Bit>,
    /// Lower bound, two's complement.
    pub lo_i: Signal<In, Bits<9>>,
    /// Upper bound, two's complement.
    pub hi_i: Signal<In, Bits<9>>,
    /// Low eight bits of the clamped result.
    pub byte_o: Signal<Out, Bits<8>>,
    /// Value after the shift by 16 and 8.
    coarse: Delay<Bits<17>>,
    coarse_wide: Delay<Bit>,
    coarse_below: Delay<Bit>,
    negative: Delay<Bit>,
    /// Value after the whole shift.
    fine: Delay<Bits<9>>,
    /// The result is rounded up.
    fine_up: Delay<Bit>,
    /// The result is below -256.
    fine_less: Delay<Bit>,
    /// The result is above 255.
    fine_more: Delay<Bit>,
    rounded: Delay<Bits<10>>,
    rounded_less: Delay<Bit>,
    rounded_more: Delay<Bit>,
    result: Delay<Bits<8>>,
    /// The sign of the value.
    sign: Signal<Local, Bit>,
    by_16: Signal<Local, Bits<25>>,
    by_8: Signal<Local, Bits<17>>,
    by_4: Signal<Local, Bits<13>>,
    by_2: Signal<Local, Bits<11>>,
    by_1: Signal<Local, Bits<10>>,
    /// A bit that was not kept differs from the sign.
    wide_16: Signal<Local, Bit>,
    wide_8: Signal<Local, Bit>,
    wide_4: Signal<Local, Bit>,
    wide_2: Signal<Local, Bit>,
    wide_1: Signal<Local, Bit>,
    /// A bit that was shifted out differs from those that a number of this sign rounds with: zeros of a negative one, ones of
    /// others. Also if it does not round twice.
    below_16: Signal<Local, Bit>,
    below_8: Signal<Local, Bit>,
    below_4: Signal<Local, Bit>,
    below_2: Signal<Local, Bit>,
    below_1: Signal<Local, Bit>,
    half: Signal<Local, Bit>,
}

#[kernel]
impl RoundingShift {
    fn update(&mut self) {
        self.sign = self.value_i.get_bit(32);
        let low = self.value_i.get_bits::<16>(0);
        self.by_16 = self.value_i.get_bits::<25>(0);
        self.wide_16 = self.value_i.get_bits::<9>(24).any() & !self.value_i.get_bits::<9>(24).all();
        self.below_16 = !self.twice_i;
        if self.coarse_i.get_bit(1) {
            self.by_16 = unsigned_cast(bit_cast_signed::<25, 17>(signed_cast(
                self.value_i.get_bits::<17>(16),
            )));
            self.wide_16 = false;
            self.below_16 = !self.twice_i | (self.sign & low.any()) | !(self.sign | low.all());
        }
        let low = self.by_16.get_bits::<8>(0);
        self.by_8 = self.by_16.get_bits::<17>(0);
        self.wide_8 = self.wide_16
            | (self.by_16.get_bits::<9>(16).any() & !self.by_16.get_bits::<9>(16).all());
        self.below_8 = self.below_16;
        if self.coarse_i.get_bit(0) {
            self.by_8 = self.by_16.get_bits::<17>(8);
            self.wide_8 = self.wide_16;
            self.below_8 = self.below_16 | (self.sign & low.any()) | !(self.sign | low.all());
        }
        self.coarse = self.by_8;
        self.coarse_wide = self.wide_8;
        self.coarse_below = self.below_8;
        self.negative = self.sign;

        let low = self.coarse.get_bits::<4>(0);
        self.by_4 = self.coarse.get_bits::<13>(0);
        self.wide_4 = self.coarse_wide
            | (self.coarse.get_bits::<5>(12).any() & !self.coarse.get_bits::<5>(12).all());
        self.below_4 = self.coarse_below;
        if self.fine_i.get_bit(2) {
            self.by_4 = self.coarse.get_bits::<13>(4);
            self.wide_4 = self.coarse_wide;
            self.below_4 =
                self.coarse_below | (self.negative & low.any()) | !(self.negative | low.all());
        }
        let low = self.by_4.get_bits::<2>(0);
        self.by_2 = self.by_4.get_bits::<11>(0);
        self.wide_2 =
            self.wide_4 | (self.by_4.get_bits::<3>(10).any() & !self.by_4.get_bits::<3>(10).all());
        self.below_2 = self.below_4;
        if self.fine_i.get_bit(1) {
            self.by_2 = self.by_4.get_bits::<11>(2);
            self.wide_2 = self.wide_4;
            self.below_2 =
                self.below_4 | (self.negative & low.any()) | !(self.negative | low.all());
        }
        self.by_1 = self.by_2.get_bits::<10>(0);
        self.wide_1 = self.wide_2 | (self.by_2.get_bit(10) ^ self.by_2.get_bit(9));
        self.below_1 = self.below_2;
        if self.fine_i.get_bit(0) {
            self.by_1 = self.by_2.get_bits::<10>(1);
            self.wide_1 = self.wide_2;
            self.below_1 = self.below_2 | (self.by_2.get_bit(0) ^ !self.negative);
        }
        self.half = self.by_1.get_bit(0);
        self.fine = self.by_1.get_bits::<9>(1);
        self.fine_up = mux(
            self.negative,
            self.half & self.below_1,
            self.half | !self.below_1,
        );
        self.fine_less = self.wide_1 & self.negative;
        self.fine_more = self.wide_1 & !self.negative;

        self.rounded = unsigned_cast(bit_cast_signed::<10, 9>(signed_cast(self.fine)))
            + bit_cast::<10, 1>(self.fine_up.into());
        self.rounded_less = self.fine_less;
        self.rounded_more = self.fine_more;

        let below = signed_cast(self.rounded) < bit_cast_signed::<10, 9>(signed_cast(self.lo_i));
        let above = signed_cast(self.rounded) > bit_cast_signed::<10, 9>(signed_cast(self.hi_i));
        self.result = self.rounded.get_bits::<8>(0);
        if self.rounded_less | (below & !self.rounded_more) {
            self.result = self.lo_i.get_bits::<8>(0);
        } else if self.rounded_more | above {
            self.result = self.hi_i.get_bits::<8>(0);
        }
        self.byte_o = self.result;
    }
}
