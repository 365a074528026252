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
        self.by_16 = self.value_i;
        self.lost_16 = false;
        if self.coarse_i.get_bit(1) {
            self.by_16 = self.value_i << 16;
            self.lost_16 =
                self.value_i.get_bits::<17>(15).any() & !self.value_i.get_bits::<17>(15).all();
        }
        self.by_8 = self.by_16;
        self.lost_8 = false;
        if self.coarse_i.get_bit(0) {
            self.by_8 = self.by_16 << 8;
            self.lost_8 = self.by_16.get_bits::<9>(23).any() & !self.by_16.get_bits::<9>(23).all();
        }
        self.coarse = self.by_8;
        self.overflow = self.lost_16 | self.lost_8;
        self.negative = self.value_i.get_bit(31);

        self.by_4 = self.coarse;
        self.lost_4 = false;
        if self.fine_i.get_bit(2) {
            self.by_4 = self.coarse << 4;
            self.lost_4 =
                self.coarse.get_bits::<5>(27).any() & !self.coarse.get_bits::<5>(27).all();
        }
        self.by_2 = self.by_4;
        self.lost_2 = false;
        if self.fine_i.get_bit(1) {
            self.by_2 = self.by_4 << 2;
            self.lost_2 = self.by_4.get_bits::<3>(29).any() & !self.by_4.get_bits::<3>(29).all();
        }
        self.by_1 = self.by_2;
        self.lost_1 = false;
        if self.fine_i.get_bit(0) {
            self.by_1 = self.by_2 << 1;
            self.lost_1 = self.by_2.get_bit(31) ^ self.by_2.get_bit(30);
        }
        self.value = self.by_1;
        if self.overflow | self.lost_4 | self.lost_2 | self.lost_1 {
            self.value = mux(self.negative, 0x8000_0000u64.into(), 0x7fff_ffff.into());
        }
    }
}
