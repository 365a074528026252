//! Left shift in front of the multiplication.

use heddle_kernel::prelude::*;

/// Left shift of a signed 32-bit value that saturates instead of wrapping.
///
/// # Timing
/// Two cycles. `value_i` belongs to `coarse_i` of the same cycle and to `fine_i` of the next one.
#[module(no_reset)]
pub struct SaturatingShift {
    /// Value, two's complement.
    pub value_i: Signal<In, Bits<32>>,
    /// Multiples of eight places to shift, 0 to 3.
    pub coarse_i: Signal<In, Bits<2>>,
    /// Single places to shift, 0 to 7.
    pub fine_i: Signal<In, Bits<3>>,
    /// Value after the shift by 16 and 8.
    coarse: Delay<Bits<32>>,
    /// The shift by 16 or 8 lost significant bits.
    overflow: Delay<Bit>,
    negative: Delay<Bit>,
    /// `value_i` times 2 to the power of the places, or the nearest 32-bit number.
    pub value: OutDelay<Bits<32>>,
    by_16: Signal<Local, Bits<32>>,
    by_8: Signal<Local, Bits<32>>,
    by_4: Signal<Local, Bits<32>>,
    by_2: Signal<Local, Bits<32>>,
    by_1: Signal<Local, Bits<32>>,
    lost_16: Signal<Local, Bit>,
    lost_8: Signal<Local, Bit>,
    lost_4: Signal<Local, Bit>,
    lost_2: Signal<Local, Bit>,
    lost_1: Signal<Local, Bit>,
}

#[kernel]
impl SaturatingShift {
    fn update(&mut self) {
        // A shift by n loses nothing if the n + 1 highest bits are equal.
        self.by_16.next = self.value_i.val();
        self.lost_16.next = false;
        if self.coarse_i.val().get_bit(1) {
            self.by_16.next = self.value_i.val() << 16;
            self.lost_16.next = self.value_i.val().get_bits::<17>(15).any()
                & !self.value_i.val().get_bits::<17>(15).all();
        }
        self.by_8.next = self.by_16.val();
        self.lost_8.next = false;
        if self.coarse_i.val().get_bit(0) {
            self.by_8.next = self.by_16.val() << 8;
            self.lost_8.next = self.by_16.val().get_bits::<9>(23).any()
                & !self.by_16.val().get_bits::<9>(23).all();
        }
        self.coarse.d_i.next = self.by_8.val();
        self.overflow.d_i.next = self.lost_16.val() | self.lost_8.val();
        self.negative.d_i.next = self.value_i.val().get_bit(31);

        self.by_4.next = self.coarse.q_o.val();
        self.lost_4.next = false;
        if self.fine_i.val().get_bit(2) {
            self.by_4.next = self.coarse.q_o.val() << 4;
            self.lost_4.next = self.coarse.q_o.val().get_bits::<5>(27).any()
                & !self.coarse.q_o.val().get_bits::<5>(27).all();
        }
        self.by_2.next = self.by_4.val();
        self.lost_2.next = false;
        if self.fine_i.val().get_bit(1) {
            self.by_2.next = self.by_4.val() << 2;
            self.lost_2.next =
                self.by_4.val().get_bits::<3>(29).any() & !self.by_4.val().get_bits::<3>(29).all();
        }
        self.by_1.next = self.by_2.val();
        self.lost_1.next = false;
        if self.fine_i.val().get_bit(0) {
            self.by_1.next = self.by_2.val() << 1;
            self.lost_1.next = self.by_2.val().get_bit(31) ^ self.by_2.val().get_bit(30);
        }
        self.value.d_i.next = self.by_1.val();
        if self.overflow.q_o.val() | self.lost_4.val() | self.lost_2.val() | self.lost_1.val() {
            self.value.d_i.next = 0x7fff_ffff.into();
            if self.negative.q_o.val() {
                self.value.d_i.next = 0x8000_0000u64.into();
            }
        }
    }
}
