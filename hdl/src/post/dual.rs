//! Multiplication by a scale, or of two parts by a factor each.

use heddle_kernel::prelude::*;

/// Multiplication of a value by a scale, or of the two parts of a sum by a factor each.
///
/// The four products of 17-bit parts of a value and a multiplier are those of two pairs: the two in the middle, ah ql
/// and al qh, have one weight and meet in one adder. With `dual_i` they are all that counts: ah is the upper part of the
/// sum, al the lower one, ql and qh are their factors; the other two are held at 0.
///
/// # Timing
/// Two cycles.
#[module(no_reset)]
pub struct DualMultiply {
    /// Value, two's complement; or the upper and the lower part, bits 31..17 and 16..0, each two's complement.
    pub value_i: Signal<In, Bits<32>>,
    /// The lower part is negative; 0 for a value.
    pub negative_i: Signal<In, Bit>,
    /// Multiplier, unsigned; or the factor of the upper part in bits 16..0, that of the lower part above.
    pub multiplier_i: Signal<In, Bits<31>>,
    /// Highest bits of the factor of the lower part; 0 for a multiplier.
    pub factor_i: Signal<In, Bits<3>>,
    /// Two parts and a factor for each. Stable.
    pub dual_i: Signal<In, Bit>,
    mul_hh: MulS<15, 15, 30>,
    mul_hl: MulS<15, 18, 33>,
    mul_lh: MulS<18, 18, 36>,
    mul_ll: MulS<18, 18, 36>,
    product_hh: Delay<Bits<29>>,
    product_hl: Delay<Bits<32>>,
    product_lh: Delay<Bits<34>>,
    /// Without its lower 17 bits.
    product_ll: Delay<Bits<17>>,
    /// Product divided by 2^30, or the sum of both products divided by 2^13, two's complement.
    pub product: OutDelay<Bits<33>>,
    /// Upper part of the value.
    ah: Signal<Local, Bits<15>>,
    /// Lower part of the value with its sign.
    al: Signal<Local, Bits<18>>,
    /// Upper part of a multiplier with a sign of 0.
    qh: Signal<Local, Bits<15>>,
    /// Factor of the lower part with a sign of 0; of a multiplier its upper part.
    factor: Signal<Local, Bits<18>>,
    /// Lower part of the multiplier with a sign of 0.
    ql: Signal<Local, Bits<18>>,
    /// Products with a weight of 2^34 and 1, divided by 2^17.
    outer: Signal<Local, Bits<46>>,
    /// Sum of the products with a weight of 2^17.
    middle: Signal<Local, Bits<35>>,
    total: Signal<Local, Bits<46>>,
}

#[kernel]
impl DualMultiply {
    fn update(&mut self) {
        self.ah = self.value_i.get_bits::<15>(17);
        self.al =
            bit_cast::<18, 17>(self.value_i.get_bits::<17>(0)).replace_bit(17, self.negative_i);
        self.qh = bit_cast::<15, 14>(self.multiplier_i.get_bits::<14>(17));
        self.factor = (bit_cast::<18, 3>(self.factor_i) << 14)
            | bit_cast::<18, 14>(self.multiplier_i.get_bits::<14>(17));
        self.ql = bit_cast::<18, 17>(self.multiplier_i.get_bits::<17>(0));
        self.mul_hh.a_i = signed_cast(self.ah);
        self.mul_hh.b_i = signed_cast(self.qh);
        self.mul_hl.a_i = signed_cast(self.ah);
        self.mul_hl.b_i = signed_cast(self.ql);
        self.mul_lh.a_i = signed_cast(self.al);
        self.mul_lh.b_i = signed_cast(self.factor);
        self.mul_ll.a_i = signed_cast(self.al);
        self.mul_ll.b_i = signed_cast(self.ql);
        self.product_hh = 0.into();
        self.product_ll = 0.into();
        if !self.dual_i {
            self.product_hh = unsigned_cast(self.mul_hh.p_o).get_bits::<29>(0);
            self.product_ll = unsigned_cast(self.mul_ll.p_o).get_bits::<17>(17);
        }
        self.product_hl = unsigned_cast(self.mul_hl.p_o).get_bits::<32>(0);
        self.product_lh = unsigned_cast(self.mul_lh.p_o).get_bits::<34>(0);

        self.outer =
            (bit_cast::<46, 29>(self.product_hh) << 17) | bit_cast::<46, 17>(self.product_ll);
        self.middle = unsigned_cast(
            bit_cast_signed::<35, 32>(signed_cast(self.product_hl))
                + bit_cast_signed::<35, 34>(signed_cast(self.product_lh)),
        );
        self.total =
            self.outer + unsigned_cast(bit_cast_signed::<46, 35>(signed_cast(self.middle)));
        self.product = self.total.get_bits::<33>(13);
    }
}
