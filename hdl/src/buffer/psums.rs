//! A column of the results buffer whose stored sums go back to the top of the array.

use super::waves::*;
use heddle_kernel::prelude::*;

/// One column of the results buffer without an adder: a stored sum enters the array at the top as first
/// partial sum, what leaves the array at the foot is stored.
///
/// Two waves use the memory, one its read port and one its write port. The bank is the lowest bit of the
/// memory address. Nothing is forwarded: a sum may be read in the cycle after it was written.
///
/// # Timing
/// At the top, slot (`read_valid_i`, `read_bank_i`, `read_addr_i`) in cycle T: the memory is read in T,
/// `psum_o` is the stored sum in T+2. It is 0 two cycles after every slot that does not read.
/// At the foot, slot (`valid_i`, `bank_i`, `addr_i`, `write_i`) in cycle T: `sum_i` is taken in T+1 and
/// written at the end of T+1 if `write_i`; `acc_o` has it from T+2 on, until the next slot's.
/// Slots are on the outputs for the next column in T+1.
#[module]
pub struct PsumColumn {
    /// Top: the slot reads a stored sum.
    pub read: Wave<SumSlot>,
    /// Stored sum, or 0.
    pub psum_o: Signal<Out, Bits<32>>,
    /// Foot: the slot holds a result.
    pub wave: Wave<SumSlot>,
    /// Foot: store the result.
    pub write_i: Signal<In, Bit>,
    /// Foot: store flag for the next column.
    pub write: OutDelay<Bit>,
    /// Foot: the sum counts 2^17 times, plus 2^16.
    pub raised_i: [Signal<In, Bit>; raises],
    /// Foot: the same for the next column.
    pub raised: [OutDelay<Bit>; raises],
    /// Sum leaving the array.
    pub sum_i: Signal<In, Bits<32>>,
    /// Stored sum of the slot of two cycles ago.
    psum: Delay<Bits<32>>,
    /// Result.
    pub acc: OutRegData<Bits<32>>,
    #[new(Ram1r1w::new(1, 2 * depth).passing())]
    ram: Ram1r1w<13, 32>,
    /// The sum that is stored.
    result: [Signal<Local, Bits<32>>; raises],
    /// Sums in each bank.
    _depth: Param<'d'>,
    /// Sums of the array may be raised.
    _raises: Feature<"ds">,
}

#[kernel]
impl PsumColumn {
    fn update(&mut self) {
        // The waves
        self.read.pass_on();
        self.wave.pass_on();
        self.write = self.write_i;
        self.raised.follow(&self.raised_i);

        // Top
        self.ram.ren_i = self.read_i.valid;
        self.ram.raddr_i =
            (bit_cast::<13, 12>(self.read_i.addr) << 1).replace_bit(0, self.read_i.bank);
        self.psum = mux(self.read.valid, self.ram.rdata_o[0], 0.into());
        self.psum_o = self.psum;

        // Foot
        self.ram.wen_i = self.wave.valid & self.write;
        self.ram.waddr_i = (bit_cast::<13, 12>(self.wave.addr) << 1).replace_bit(0, self.wave.bank);
        if self._raises > 0 {
            self.result[0] = mux(
                self.raised[0],
                (self.sum_i << 17).replace_bit(16, true),
                self.sum_i,
            );
            self.ram.wdata_i[0] = self.result[0];
            self.acc.load(self.wave.valid, self.result[0]);
        } else {
            self.ram.wdata_i[0] = self.sum_i;
            self.acc.load(self.wave.valid, self.sum_i);
        }
    }
}
