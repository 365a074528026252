//! One cell of the array.

use heddle_kernel::prelude::*;

/// Multiplies the operands that pass by with a stationary weight and adds the products to the
/// sums that come from above.
///
/// Weights are double-buffered: the shadow weight is loaded through a shift chain while the
/// active weight is in use, and the swap flag that travels with an operand exchanges them in
/// the cycle after it.
///
/// An operand is zero unless `nz_i` is high, whatever `x_i` is. A zero operand is not taken over:
/// the operand inputs of the multipliers of this and all later columns keep their value, and the
/// product register is cleared.
///
/// # Timing
/// An operand on `x_i` in cycle T meets the sum on `psum_i` in T+1 and leaves in `psum_o` in
/// T+2; it is on `x_o` and `nz_o` in T+1. `swap_i` in T: the operand of T still uses the old weight, the
/// operand of T+1 the shadow weight of T. `shift_i` in T: the shadow weight is on `w_o` in T+1.
/// Sums wrap at 32 bits. All outputs are registers.
#[module]
pub struct Pe {
    /// Operand from the left, two's complement.
    pub x_i: Signal<In, Bits<9>>,
    /// The operand is not zero.
    pub nz_i: Signal<In, Bit>,
    /// The shadow weight becomes active behind this operand.
    pub swap_i: Signal<In, Bit>,
    /// Operand to the right.
    pub x: OutRegData<Bits<9>>,
    /// The operand to the right is not zero.
    pub nz: OutReg<Bit>,
    /// Swap flag to the right.
    pub swap: OutReg<Bit>,
    /// Stores `w_i` as shadow weight.
    pub shift_i: Signal<In, Bit>,
    /// Weight from the shift chain, two's complement.
    pub w_i: Signal<In, Bits<8>>,
    /// Shadow weight, to the shift chain.
    pub w_o: Signal<Out, Bits<8>>,
    /// Sum from above.
    pub psum_i: Signal<In, Bits<32>>,
    shadow: RegData<Bits<8>>,
    active: RegData<Bits<8>>,
    product: Delay<Signed<17>>,
    /// Sum to the cell below.
    pub psum: OutDelay<Bits<32>>,
    mul: MulS<9, 8, 17>,
}

#[kernel]
impl Pe {
    fn update(&mut self) {
        self.x.load(self.nz_i, self.x_i);
        self.nz = self.nz_i;
        self.swap = self.swap_i;
        self.shadow.load(self.shift_i, self.w_i);
        self.w_o = self.shadow;

        self.active.load(self.swap_i, self.shadow);

        self.mul.a_i = signed_cast(self.x_i);
        self.mul.b_i = signed_cast(self.active);
        self.product = mux(self.nz_i, self.mul.p_o, 0.into());

        self.psum = self.psum_i + unsigned_cast(bit_cast_signed::<32, 17>(self.product));
    }
}
