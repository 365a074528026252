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
        self.by_16.next = self.value_i.val();
        self.guard_16.next = false;
        self.sticky_16.next = false;
        if self.coarse_i.val().get_bit(1) {
            self.by_16.next = unsigned_cast(bit_cast_signed::<32, 16>(signed_cast(
                self.value_i.val().get_bits::<16>(16),
            )));
            self.guard_16.next = self.value_i.val().get_bit(15);
            self.sticky_16.next = self.value_i.val().get_bits::<15>(0).any();
        }
        self.by_8.next = self.by_16.val();
        self.guard_8.next = self.guard_16.val();
        self.sticky_8.next = self.sticky_16.val();
        if self.coarse_i.val().get_bit(0) {
            self.by_8.next = unsigned_cast(bit_cast_signed::<32, 24>(signed_cast(
                self.by_16.val().get_bits::<24>(8),
            )));
            self.guard_8.next = self.by_16.val().get_bit(7);
            self.sticky_8.next = self.sticky_16.val()
                | self.guard_16.val()
                | self.by_16.val().get_bits::<7>(0).any();
        }
        self.coarse.d_i.next = self.by_8.val();
        self.coarse_guard.d_i.next = self.guard_8.val();
        self.coarse_sticky.d_i.next = self.sticky_8.val();

        self.by_4.next = self.coarse.q_o.val();
        self.guard_4.next = self.coarse_guard.q_o.val();
        self.sticky_4.next = self.coarse_sticky.q_o.val();
        if self.fine_i.val().get_bit(2) {
            self.by_4.next = unsigned_cast(bit_cast_signed::<32, 28>(signed_cast(
                self.coarse.q_o.val().get_bits::<28>(4),
            )));
            self.guard_4.next = self.coarse.q_o.val().get_bit(3);
            self.sticky_4.next = self.coarse_sticky.q_o.val()
                | self.coarse_guard.q_o.val()
                | self.coarse.q_o.val().get_bits::<3>(0).any();
        }
        self.by_2.next = self.by_4.val();
        self.guard_2.next = self.guard_4.val();
        self.sticky_2.next = self.sticky_4.val();
        if self.fine_i.val().get_bit(1) {
            self.by_2.next = unsigned_cast(bit_cast_signed::<32, 30>(signed_cast(
                self.by_4.val().get_bits::<30>(2),
            )));
            self.guard_2.next = self.by_4.val().get_bit(1);
            self.sticky_2.next =
                self.sticky_4.val() | self.guard_4.val() | self.by_4.val().get_bit(0);
        }
        self.by_1.next = self.by_2.val();
        self.guard_1.next = self.guard_2.val();
        self.sticky_1.next = self.sticky_2.val();
        if self.fine_i.val().get_bit(0) {
            self.by_1.next = unsigned_cast(bit_cast_signed::<32, 31>(signed_cast(
                self.by_2.val().get_bits::<31>(1),
            )));
            self.guard_1.next = self.by_2.val().get_bit(0);
            self.sticky_1.next = self.sticky_2.val() | self.guard_2.val();
        }
        self.fine.d_i.next = self.by_1.val();
        self.fine_up.d_i.next = self.guard_1.val()
            & (self.halves_up_i.val() | !self.by_1.val().get_bit(31) | self.sticky_1.val());

        // The bounds have 9 bits: beyond 10 bits only the sign matters.
        self.narrow.d_i.next = self.fine.q_o.val().get_bits::<10>(0);
        if self.fine.q_o.val().get_bits::<23>(9).any()
            & !self.fine.q_o.val().get_bits::<23>(9).all()
        {
            self.narrow.d_i.next = 0x1ff.into();
            if self.fine.q_o.val().get_bit(31) {
                self.narrow.d_i.next = 0x200.into();
            }
        }
        self.narrow_up.d_i.next = self.fine_up.q_o.val();

        self.rounded.next = bit_cast_signed::<11, 10>(signed_cast(self.narrow.q_o.val()));
        if self.narrow_up.q_o.val() {
            self.rounded.next =
                bit_cast_signed::<11, 10>(signed_cast(self.narrow.q_o.val())) + 1.into();
        }
        self.result.d_i.next = unsigned_cast(self.rounded.val()).get_bits::<8>(0);
        if self.rounded.val() < bit_cast_signed::<11, 9>(signed_cast(self.lo_i.val())) {
            self.result.d_i.next = self.lo_i.val().get_bits::<8>(0);
        } else if self.rounded.val() > bit_cast_signed::<11, 9>(signed_cast(self.hi_i.val())) {
            self.result.d_i.next = self.hi_i.val().get_bits::<8>(0);
        }
        self.byte_o.next = self.result.q_o.val();
    }
}
