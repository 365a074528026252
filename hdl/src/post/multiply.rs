//! Multiplication by the scale.

use heddle_kernel::prelude::*;

/// Product of a signed 32-bit value and an unsigned 31-bit multiplier, divided by 2^30 and rounded down.
///
/// Four products of 17-bit parts, so that each fits one multiplier block. With value = 2^17 ah + al and
/// multiplier = 2^17 qh + ql the product is (2^34 ah qh + al ql) + 2^17 (ah ql + al qh). The terms of the first
/// sum do not overlap, so that two adders are enough; what lies below 2^17 has no carry.
///
/// # Timing
/// Two cycles.
#[module(no_reset)]
pub struct HighMultiply {
    /// Value, two's complement.
    pub value_i: Signal<In, Bits<32>>,
    /// Multiplier, unsigned.
    pub multiplier_i: Signal<In, Bits<31>>,
    mul_hh: MulS<15, 15, 30>,
    mul_hl: MulS<15, 18, 33>,
    mul_lh: MulS<18, 15, 33>,
    mul_ll: MulS<18, 18, 36>,
    product_hh: Delay<Bits<29>>,
    product_hl: Delay<Bits<32>>,
    product_lh: Delay<Bits<31>>,
    /// Without its lower 17 bits.
    product_ll: Delay<Bits<17>>,
    /// Product divided by 2^30, two's complement.
    pub product: OutDelay<Bits<33>>,
    /// Upper part of the value.
    ah: Signal<Local, Bits<15>>,
    /// Lower part of the value with a sign of 0.
    al: Signal<Local, Bits<18>>,
    /// Upper part of the multiplier with a sign of 0.
    qh: Signal<Local, Bits<15>>,
    /// Lower part of the multiplier with a sign of 0.
    ql: Signal<Local, Bits<18>>,
    /// Products with a weight of 2^34 and 1, divided by 2^17.
    outer: Signal<Local, Bits<46>>,
    /// Sum of the products with a weight of 2^17.
    middle: Signal<Local, Bits<33>>,
    total: Signal<Local, Bits<46>>,
}

#[kernel]
impl HighMultiply {
    fn update(&mut self) {
        self.ah = self.value_i.get_bits::<15>(17);
        self.al = bit_cast::<18, 17>(self.value_i.get_bits::<17>(0));
        self.qh = bit_cast::<15, 14>(self.multiplier_i.get_bits::<14>(17));
        self.ql = bit_cast::<18, 17>(self.multiplier_i.get_bits::<17>(0));
        self.mul_hh.a_i = signed_cast(self.ah);
        self.mul_hh.b_i = signed_cast(self.qh);
        self.mul_hl.a_i = signed_cast(self.ah);
        self.mul_hl.b_i = signed_cast(self.ql);
        self.mul_lh.a_i = signed_cast(self.al);
        self.mul_lh.b_i = signed_cast(self.qh);
        self.mul_ll.a_i = signed_cast(self.al);
        self.mul_ll.b_i = signed_cast(self.ql);
        self.product_hh = unsigned_cast(self.mul_hh.p_o).get_bits::<29>(0);
        self.product_hl = unsigned_cast(self.mul_hl.p_o).get_bits::<32>(0);
        self.product_lh = unsigned_cast(self.mul_lh.p_o).get_bits::<31>(0);
        self.product_ll = unsigned_cast(self.mul_ll.p_o).get_bits::<17>(17);

        self.outer =
            (bit_cast::<46, 29>(self.product_hh) << 17) | bit_cast::<46, 17>(self.product_ll);
        self.middle = unsigned_cast(bit_cast_signed::<33, 32>(signed_cast(self.product_hl)))
            + bit_cast::<33, 31>(self.product_lh);
        self.total =
            self.outer + unsigned_cast(bit_cast_signed::<46, 33>(signed_cast(self.middle)));
        self.product = self.total.get_bits::<33>(13);
    }
}
