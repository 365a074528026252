//! Every kind of operator.

use heddle_kernel::prelude::*;

/// Every kind of operator.
#[module(combinational)]
pub struct Operators {
    /// Operand.
    pub a_i: Signal<In, Bits<8>>,
    /// Operand.
    pub b_i: Signal<In, Bits<8>>,
    /// Signed operand.
    pub s_i: Signal<In, Signed<8>>,
    /// Wide signed operand.
    pub w_i: Signal<In, Signed<32>>,
    /// Shift amount.
    pub n_i: Signal<In, Bits<6>>,
    /// Selector.
    pub sel_i: Signal<In, Bits<3>>,
    /// Elements to choose from.
    pub x_i: [Signal<In, Bits<8>>; 8],
    /// Sum without its carry.
    pub sum_o: Signal<Out, Bits<8>>,
    /// The carry.
    pub carry_o: Signal<Out, Bit>,
    /// Unsigned comparison.
    pub less_o: Signal<Out, Bit>,
    /// Signed comparison.
    pub less_s_o: Signal<Out, Bit>,
    /// Comparison with a wrapped sum.
    pub wrap_o: Signal<Out, Bit>,
    /// Sign-extended operand.
    pub ext_o: Signal<Out, Signed<16>>,
    /// Arithmetic right shift.
    pub sar_o: Signal<Out, Signed<32>>,
    /// Arithmetic right shift plus one.
    pub sar1_o: Signal<Out, Signed<32>>,
    /// Left shift.
    pub shl_o: Signal<Out, Signed<32>>,
    /// Logical right shift.
    pub shr_o: Signal<Out, Bits<8>>,
    /// Shift by a constant.
    pub shr3_o: Signal<Out, Bits<8>>,
    /// Selected element.
    pub mux_o: Signal<Out, Bits<8>>,
    /// Selected bit.
    pub bit_o: Signal<Out, Bit>,
    /// Bit chosen by a number that may be too large.
    pub far_o: Signal<Out, Bit>,
    /// All elements joined, element 7 in the low byte.
    pub join_o: Signal<Out, Bits<64>>,
    /// The middle of a sum.
    pub mid_o: Signal<Out, Bits<4>>,
    /// Bit reversal.
    pub rev_o: Signal<Out, Bits<8>>,
    /// Reductions: all, any, odd.
    pub red_o: [Signal<Out, Bit>; 3],
    /// Number of ones.
    pub ones_o: Signal<Out, Bits<4>>,
    /// Element by element.
    pub and_o: [Signal<Out, Bits<8>>; 8],
    /// One bit high.
    pub hot_o: [Signal<Out, Bit>; 8],
    /// Largest element.
    pub max_o: Signal<Out, Bits<8>>,
    /// Product.
    pub mul_o: Signal<Out, Signed<40>>,
    /// Constant.
    pub k_o: Signal<Out, Bits<8>>,
    /// One bit compared with constants: is 0, is 1, is not 0, is not 1.
    pub low_o: [Signal<Out, Bit>; 4],
    /// The operand negated.
    pub minus_o: Signal<Out, Bits<8>>,
    acc: Signal<Local, Bits<64>>,
    max: Signal<Local, Bits<8>>,
    ones: Signal<Local, Bits<4>>,
    #[new(Constant::new(0xa5.into()))]
    magic: Constant<Bits<8>>,
    mul: MulS<32, 8, 40>,
}

#[kernel]
impl Operators {
    fn update(&mut self) {
        self.sum_o = self.a_i + self.b_i;
        self.carry_o = (bit_cast::<9, 8>(self.a_i) + bit_cast::<9, 8>(self.b_i)).get_bit(8);
        self.less_o = self.a_i < self.b_i;
        self.less_s_o = self.s_i < signed_cast(self.a_i) && self.s_i >= (-3).into();
        self.wrap_o = (self.a_i + 1) < self.b_i;
        self.ext_o = bit_cast_signed::<16, 8>(self.s_i);
        self.sar_o = signed_cast_arith(self.w_i) >> self.n_i;
        self.sar1_o = (signed_cast_arith(self.w_i) >> self.n_i) + signed_cast_to::<32, 8>(self.s_i);
        self.shl_o = signed_cast(unsigned_cast(self.w_i) << self.n_i);
        self.shr_o = self.a_i >> self.sel_i;
        self.shr3_o = self.a_i >> 3;
        self.mux_o = 0.into();
        for i in 0..8 {
            if self.sel_i == i.to_bits::<3>() {
                self.mux_o = self.x_i[i];
            }
        }
        self.bit_o = self.a_i.get_bit(self.sel_i.index());
        self.far_o = self.a_i.get_bit(self.n_i.index());
        self.acc = 0.into();
        for i in 0..8 {
            self.acc = (self.acc << 8) | self.x_i[i].get_bits::<64>(0);
        }
        self.join_o = self.acc;
        self.mid_o = (self.a_i + self.b_i).get_bits::<4>(2);
        self.rev_o = 0.into();
        for i in 0..8 {
            self.rev_o = self.rev_o.replace_bit(i, self.a_i.get_bit(7 - i));
        }
        self.red_o[0] = self.a_i.all();
        self.red_o[1] = self.a_i.any();
        self.red_o[2] = !self.a_i.xor();
        self.ones = 0.into();
        for i in 0..8 {
            if self.a_i.get_bit(i) {
                self.ones = self.ones + 1;
            }
        }
        self.ones_o = self.ones;
        for i in 0..8 {
            if i == 0 {
                self.and_o[i] = self.x_i[i] & !self.a_i;
            } else {
                self.and_o[i] = self.x_i[i] & self.x_i[i - 1];
            }
        }
        for i in 0..8 {
            self.hot_o[i] = self.sel_i == i.to_bits::<3>();
        }
        self.max = self.x_i[0];
        for i in 1..8 {
            if self.x_i[i] > self.max {
                self.max = self.x_i[i];
            }
        }
        self.max_o = self.max;
        self.mul.a_i = self.w_i;
        self.mul.b_i = self.s_i;
        self.mul_o = self.mul.p_o;
        self.k_o = self.magic ^ self.a_i;
        self.low_o[0] = self.a_i.get_bits::<1>(0) == 0;
        self.low_o[1] = self.a_i.get_bits::<1>(0) == 1;
        self.low_o[2] = self.a_i.get_bits::<1>(0) != 0;
        self.low_o[3] = self.a_i.get_bits::<1>(0) != 1;
        self.minus_o = bits::<8>(0) - self.a_i;
    }
}
