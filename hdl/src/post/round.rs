//! Right shift behind the multiplication, and the clamp.

use heddle_kernel::prelude::*;

/// Rounding right shift of a signed 32-bit value, clamped to signed 9-bit bounds.
///
/// Rounds to the nearest integer; halves away from zero, or up if `halves_up_i`.
///
/// # Timing
/// Four cycles. `coarse_i` belongs to the value of the same cycle, `fine_i` to the value of the
/// cycle before. `halves_up_i`, `lo_i` and `hi_i` are stable.
#[module(no_reset)]
pub struct RoundingShift {
    /// Value, two's complement.
    pub value_i: Signal<In, Bits<32>>,
    /// Multiples of eight places to shift.
    pub coarse_i: Signal<In, Bits<2>>,
    /// Single places to shift.
    pub fine_i: Signal<In, Bits<3>>,
    /// Rounds halves up, else away from zero.
    pub halves_up_i: Signal<In, Bit>,
    /// Lower bound, two's complement.
    pub lo_i: Signal<In, Bits<9>>,
    /// Upper bound, two's complement.
    pub hi_i: Signal<In, Bits<9>>,
    /// Low eight bits of the clamped result.
    pub byte_o: Signal<Out, Bits<8>>,
    /// Value after the shift by 16 and 8.
    coarse: Delay<Bits<32>>,
    /// Last bit that was shifted out.
    coarse_guard: Delay<Bit>,
    /// Any bit below the last one that was shifted out.
    coarse_sticky: Delay<Bit>,
    /// Value after the whole shift.
    fine: Delay<Bits<32>>,
    /// The result is rounded up.
    fine_up: Delay<Bit>,
    /// Value within -512..=511.
    narrow: Delay<Bits<10>>,
    narrow_up: Delay<Bit>,
    result: Delay<Bits<8>>,
    by_16: Signal<Local, Bits<32>>,
    guard_16: Signal<Local, Bit>,
    sticky_16: Signal<Local, Bit>,
    by_8: Signal<Local, Bits<32>>,
    guard_8: Signal<Local, Bit>,
    sticky_8: Signal<Local, Bit>,
    by_4: Signal<Local, Bits<32>>,
    guard_4: Signal<Local, Bit>,
    sticky_4: Signal<Local, Bit>,
    by_2: Signal<Local, Bits<32>>,
    guard_2: Signal<Local, Bit>,
    sticky_2: Signal<Local, Bit>,
    by_1: Signal<Local, Bits<32>>,
    guard_1: Signal<Local, Bit>,
    sticky_1: Signal<Local, Bit>,
    rounded: Signal<Local, Signed<11>>,
}

#[kernel]
impl RoundingShift {
    fn update(&mut self) {
        self.by_16 = self.value_i;
        self.guard_16 = false;
        self.sticky_16 = false;
        if self.coarse_i.get_bit(1) {
            self.by_16 = unsigned_cast(bit_cast_signed::<32, 16>(signed_cast(
                self.value_i.get_bits::<16>(16),
            )));
            self.guard_16 = self.value_i.get_bit(15);
            self.sticky_16 = self.value_i.get_bits::<15>(0).any();
        }
        self.by_8 = self.by_16;
        self.guard_8 = self.guard_16;
        self.sticky_8 = self.sticky_16;
        if self.coarse_i.get_bit(0) {
            self.by_8 = unsigned_cast(bit_cast_signed::<32, 24>(signed_cast(
                self.by_16.get_bits::<24>(8),
            )));
            self.guard_8 = self.by_16.get_bit(7);
            self.sticky_8 = self.sticky_16 | self.guard_16 | self.by_16.get_bits::<7>(0).any();
        }
        self.coarse = self.by_8;
        self.coarse_guard = self.guard_8;
        self.coarse_sticky = self.sticky_8;

        self.by_4 = self.coarse;
        self.guard_4 = self.coarse_guard;
        self.sticky_4 = self.coarse_sticky;
        if self.fine_i.get_bit(2) {
            self.by_4 = unsigned_cast(bit_cast_signed::<32, 28>(signed_cast(
                self.coarse.get_bits::<28>(4),
            )));
            self.guard_4 = self.coarse.get_bit(3);
            self.sticky_4 =
                self.coarse_sticky | self.coarse_guard | self.coarse.get_bits::<3>(0).any();
        }
        self.by_2 = self.by_4;
        self.guard_2 = self.guard_4;
        self.sticky_2 = self.sticky_4;
        if self.fine_i.get_bit(1) {
            self.by_2 = unsigned_cast(bit_cast_signed::<32, 30>(signed_cast(
                self.by_4.get_bits::<30>(2),
            )));
            self.guard_2 = self.by_4.get_bit(1);
            self.sticky_2 = self.sticky_4 | self.guard_4 | self.by_4.get_bit(0);
        }
        self.by_1 = self.by_2;
        self.guard_1 = self.guard_2;
        self.sticky_1 = self.sticky_2;
        if self.fine_i.get_bit(0) {
            self.by_1 = unsigned_cast(bit_cast_signed::<32, 31>(signed_cast(
                self.by_2.get_bits::<31>(1),
            )));
            self.guard_1 = self.by_2.get_bit(0);
            self.sticky_1 = self.sticky_2 | self.guard_2;
        }
        self.fine = self.by_1;
        self.fine_up = self.guard_1 & (self.halves_up_i | !self.by_1.get_bit(31) | self.sticky_1);

        // The bounds have 9 bits: beyond 10 bits only the sign matters.
        self.narrow = self.fine.get_bits::<10>(0);
        if self.fine.get_bits::<23>(9).any() & !self.fine.get_bits::<23>(9).all() {
            self.narrow = mux(self.fine.get_bit(31), 0x200.into(), 0x1ff.into());
        }
        self.narrow_up = self.fine_up;

        self.rounded = bit_cast_signed::<11, 10>(signed_cast(self.narrow));
        if self.narrow_up {
            self.rounded = bit_cast_signed::<11, 10>(signed_cast(self.narrow)) + 1.into();
        }
        self.result = unsigned_cast(self.rounded).get_bits::<8>(0);
        if self.rounded < bit_cast_signed::<11, 9>(signed_cast(self.lo_i)) {
            self.result = self.lo_i.get_bits::<8>(0);
        } else if self.rounded > bit_cast_signed::<11, 9>(signed_cast(self.hi_i)) {
            self.result = self.hi_i.get_bits::<8>(0);
        }
        self.byte_o = self.result;
    }
}
