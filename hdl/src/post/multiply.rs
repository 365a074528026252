//! Multiplication by the scale.

use heddle_kernel::prelude::*;

/// Product of a signed 32-bit value and an unsigned 31-bit multiplier, divided by 2^31 and
/// rounded to the nearest integer (halves up) or down.
///
/// Four products of 16-bit halves, so that each fits one multiplier block. With value =
/// 2^16 ah + al and multiplier = 2^15 qh + ql, the product divided by 2^15 is
/// 2^16 ah qh + 2 ah ql + al qh + al ql / 2^15; the fraction of the last term cannot change the
/// result. The result fits 32 bits because the multiplier is less than 2^31.
///
/// # Timing
/// Three cycles. `nearest_i` belongs to the value of two cycles before.
#[module(no_reset)]
pub struct HighMultiply {
    /// Value, two's complement.
    pub value_i: Signal<In, Bits<32>>,
    /// Multiplier, unsigned.
    pub multiplier_i: Signal<In, Bits<31>>,
    /// Rounds to the nearest integer, else down.
    pub nearest_i: Signal<In, Bit>,
    mul_hh: MulS<16, 17, 33>,
    mul_hl: MulS<16, 16, 32>,
    mul_lh: MulS<17, 17, 34>,
    mul_ll: MulS<17, 16, 33>,
    product_hh: Delay<Bits<33>>,
    product_hl: Delay<Bits<32>>,
    product_lh: Delay<Bits<34>>,
    product_ll: Delay<Bits<33>>,
    /// Sum of everything with a weight of 2^31 and more.
    high: Delay<Bits<32>>,
    /// Sum of everything with a weight of 2^15 to 2^30.
    low: Delay<Bits<18>>,
    /// Rounded product, two's complement.
    pub product: OutDelay<Bits<32>>,
    /// Upper half of the value.
    ah: Signal<Local, Bits<16>>,
    /// Lower half of the value with a sign of 0.
    al: Signal<Local, Bits<17>>,
    /// Upper half of the multiplier with a sign of 0.
    qh: Signal<Local, Bits<17>>,
    /// Lower half of the multiplier with a sign of 0.
    ql: Signal<Local, Bits<16>>,
    /// Carry of the low sum and its rounding.
    carry: Signal<Local, Bits<2>>,
}

#[kernel]
impl HighMultiply {
    fn update(&mut self) {
        self.ah = self.value_i.get_bits::<16>(16);
        self.al = bit_cast::<17, 16>(self.value_i.get_bits::<16>(0));
        self.qh = bit_cast::<17, 16>(self.multiplier_i.get_bits::<16>(15));
        self.ql = bit_cast::<16, 15>(self.multiplier_i.get_bits::<15>(0));
        self.mul_hh.a_i = signed_cast(self.ah);
        self.mul_hh.b_i = signed_cast(self.qh);
        self.mul_hl.a_i = signed_cast(self.ah);
        self.mul_hl.b_i = signed_cast(self.ql);
        self.mul_lh.a_i = signed_cast(self.al);
        self.mul_lh.b_i = signed_cast(self.qh);
        self.mul_ll.a_i = signed_cast(self.al);
        self.mul_ll.b_i = signed_cast(self.ql);
        self.product_hh = unsigned_cast(self.mul_hh.p_o);
        self.product_hl = unsigned_cast(self.mul_hl.p_o);
        self.product_lh = unsigned_cast(self.mul_lh.p_o);
        self.product_ll = unsigned_cast(self.mul_ll.p_o);

        self.high = self.product_hh.get_bits::<32>(0)
            + bit_cast::<32, 16>(self.product_lh.get_bits::<16>(16))
            + unsigned_cast(bit_cast_signed::<32, 17>(signed_cast(
                self.product_hl.get_bits::<17>(15),
            )));
        self.low = bit_cast::<18, 16>(self.product_lh.get_bits::<16>(0))
            + (bit_cast::<18, 15>(self.product_hl.get_bits::<15>(0)) << 1)
            + bit_cast::<18, 16>(self.product_ll.get_bits::<16>(15));

        self.carry = self.low.get_bits::<2>(16);
        if self.nearest_i & self.low.get_bit(15) {
            self.carry = self.low.get_bits::<2>(16) + 1;
        }
        self.product = self.high + bit_cast::<32, 2>(self.carry);
    }
}
