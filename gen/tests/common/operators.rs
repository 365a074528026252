//! Every kind of operator.

use heddle_kernel::prelude::*;

/// A command of two fields.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Command {
    op: Bits<4>,
    addr: Bits<12>,
}

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
    /// Fields.
    pub cmd_i: Signal<In, Command>,
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
    /// Address of the command.
    pub addr_o: Signal<Out, Bits<12>>,
    /// Command with its address incremented.
    pub cmd_o: Signal<Out, Command>,
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

impl Logic for Operators {
    #[kernel]
    fn update(&mut self) {
        self.sum_o.next = self.a_i.val() + self.b_i.val();
        self.carry_o.next =
            (bit_cast::<9, 8>(self.a_i.val()) + bit_cast::<9, 8>(self.b_i.val())).get_bit(8);
        self.less_o.next = self.a_i.val() < self.b_i.val();
        self.less_s_o.next =
            self.s_i.val() < signed_cast(self.a_i.val()) && self.s_i.val() >= (-3).into();
        self.wrap_o.next = (self.a_i.val() + 1) < self.b_i.val();
        self.ext_o.next = bit_cast_signed::<16, 8>(self.s_i.val());
        self.sar_o.next = signed_cast_arith(self.w_i.val()) >> self.n_i.val();
        self.sar1_o.next = (signed_cast_arith(self.w_i.val()) >> self.n_i.val())
            + signed_cast_to::<32, 8>(self.s_i.val());
        self.shl_o.next = signed_cast(unsigned_cast(self.w_i.val()) << self.n_i.val());
        self.shr_o.next = self.a_i.val() >> self.sel_i.val();
        self.shr3_o.next = self.a_i.val() >> 3;
        self.mux_o.next = 0.into();
        for i in 0..8 {
            if self.sel_i.val() == i.to_bits::<3>() {
                self.mux_o.next = self.x_i[i].val();
            }
        }
        self.bit_o.next = self.a_i.val().get_bit(self.sel_i.val().index());
        self.far_o.next = self.a_i.val().get_bit(self.n_i.val().index());
        self.acc.next = 0.into();
        for i in 0..8 {
            self.acc.next = (self.acc.val() << 8) | self.x_i[i].val().get_bits::<64>(0);
        }
        self.join_o.next = self.acc.val();
        self.mid_o.next = (self.a_i.val() + self.b_i.val()).get_bits::<4>(2);
        self.addr_o.next = self.cmd_i.val().addr;
        self.cmd_o.next.op = self.cmd_i.val().op;
        self.cmd_o.next.addr = self.cmd_i.val().addr + 1;
        self.rev_o.next = 0.into();
        for i in 0..8 {
            self.rev_o.next = self
                .rev_o
                .val()
                .replace_bit(i, self.a_i.val().get_bit(7 - i));
        }
        self.red_o[0].next = self.a_i.val().all();
        self.red_o[1].next = self.a_i.val().any();
        self.red_o[2].next = !self.a_i.val().xor();
        self.ones.next = 0.into();
        for i in 0..8 {
            if self.a_i.val().get_bit(i) {
                self.ones.next = self.ones.val() + 1;
            }
        }
        self.ones_o.next = self.ones.val();
        for i in 0..8 {
            if i == 0 {
                self.and_o[i].next = self.x_i[i].val() & !self.a_i.val();
            } else {
                self.and_o[i].next = self.x_i[i].val() & self.x_i[i - 1].val();
            }
        }
        for i in 0..8 {
            self.hot_o[i].next = self.sel_i.val() == i.to_bits::<3>();
        }
        self.max.next = self.x_i[0].val();
        for i in 1..8 {
            if self.x_i[i].val() > self.max.val() {
                self.max.next = self.x_i[i].val();
            }
        }
        self.max_o.next = self.max.val();
        self.mul.a_i.next = self.w_i.val();
        self.mul.b_i.next = self.s_i.val();
        self.mul_o.next = self.mul.p_o.val();
        self.k_o.next = self.magic.val() ^ self.a_i.val();
        self.low_o[0].next = self.a_i.val().get_bits::<1>(0) == 0;
        self.low_o[1].next = self.a_i.val().get_bits::<1>(0) == 1;
        self.low_o[2].next = self.a_i.val().get_bits::<1>(0) != 0;
        self.low_o[3].next = self.a_i.val().get_bits::<1>(0) != 1;
        self.minus_o.next = bits::<8>(0) - self.a_i.val();
    }
    describe!(|_this| Meta::module("operators"));
}
