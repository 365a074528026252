//! One cell of the array that keeps weights or sums.

use heddle_kernel::prelude::*;

/// Multiplies the operands that pass by with a weight and adds the products to the sums that come
/// from above (weight stationary) or to its own sum (output stationary).
///
/// The weight register is the second factor of the multiplier in both modes: with stationary
/// weights it takes the passing weight once for each tile, with stationary sums once for each
/// operand.
///
/// An operand is zero unless `nz_i` is high, whatever `x_i` is. A zero operand is not taken over,
/// nor is its weight: the factors keep their values, and the product register is cleared.
///
/// # Timing
/// Operand and flags `nz_i` and `take_i` of a slot on the inputs in cycle T, `above_i` and `zero_i`
/// in T+1: `psum_i` is used in T+2, the sum is on `psum_o` in T+3. What travels is on the outputs
/// one cycle later. A slot without operand and flags keeps the sum. Sums wrap at 32 bits.
#[module]
pub struct DualPe {
    /// Operand from the left, two's complement.
    pub x_i: Signal<In, Bits<8>>,
    /// The operand is not zero.
    pub nz_i: Signal<In, Bit>,
    /// The weight that passes by is taken.
    pub take_i: Signal<In, Bit>,
    /// One cycle later: the sum comes from above.
    pub above_i: Signal<In, Bit>,
    /// One cycle later: the sum begins from 0.
    pub zero_i: Signal<In, Bit>,
    /// Operand to the right.
    pub x: OutRegData<Bits<8>>,
    /// The operand to the right is not zero.
    pub nz: OutReg<Bit>,
    /// Weight flag to the right.
    pub take: OutReg<Bit>,
    /// Flag of the sum from above to the right.
    pub above: OutDelay<Bit>,
    /// Flag of the sum from 0 to the right.
    pub zero: OutDelay<Bit>,
    /// Weight from above, two's complement.
    pub w_i: Signal<In, Bits<8>>,
    /// Weight to the cell below.
    pub w_o: Signal<Out, Bits<8>>,
    /// Sum from above.
    pub psum_i: Signal<In, Bits<32>>,
    /// The weight that passes by.
    passing: Delay<Bits<8>>,
    weight: RegData<Bits<8>>,
    product: Delay<Signed<16>>,
    /// Sum to the cell below.
    pub psum: OutDelay<Bits<32>>,
    mul: MulS<8, 8, 16>,
    /// What the product is added to.
    addend: Signal<Local, Bits<32>>,
}

#[kernel]
impl DualPe {
    fn update(&mut self) {
        self.x.load(self.nz_i, self.x_i);
        self.nz = self.nz_i;
        self.take = self.take_i;
        self.above = self.above_i;
        self.zero = self.zero_i;
        self.passing = self.w_i;
        self.w_o = self.passing;

        self.weight.load(self.take_i, self.w_i);

        self.mul.a_i = signed_cast(self.x);
        self.mul.b_i = signed_cast(self.weight);
        self.product = mux(self.nz, self.mul.p_o, 0.into());

        self.addend = mux(self.above, self.psum_i, self.psum);
        if self.zero {
            self.addend = 0.into();
        }
        self.psum = self.addend + unsigned_cast(bit_cast_signed::<32, 16>(self.product));
    }
}
