//! The Wishbone side of the register port.

use heddle_arch::registers::ADDRESS_BITS;
use heddle_kernel::prelude::*;

/// Takes classic cycles of Wishbone B4, one at a time, and asks the registers behind it.
///
/// Every cycle ends with an acknowledge. One that the master breaks off gets none; a write may have been done by then.
///
/// # Timing
/// A cycle that begins in cycle t: `write_o` or `read_o` in t + 1, the word of a read on `word_i` in t + 2, `ack_o` in t + 3. The next one
/// begins in the clock behind.
#[module]
pub struct Wishbone {
    /// A cycle is under way.
    pub cyc_i: Signal<In, Bit>,
    /// There is a request.
    pub stb_i: Signal<In, Bit>,
    /// Write, else read.
    pub we_i: Signal<In, Bit>,
    /// Bytes of the word that are meant.
    pub sel_i: Signal<In, Bits<4>>,
    /// Byte address.
    pub adr_i: Signal<In, Bits<ADDRESS_BITS>>,
    /// Word to write.
    pub dat_i: Signal<In, Bits<32>>,
    /// The request is done.
    pub ack: OutReg<Bit>,
    /// Word read.
    pub dat: OutRegData<Bits<32>>,
    /// Writes a register.
    pub write: OutReg<Bit>,
    /// Byte address of the write.
    pub write_addr_o: Signal<Out, Bits<ADDRESS_BITS>>,
    /// Word to write.
    pub write_data: OutRegData<Bits<32>>,
    /// All bytes are to be written.
    pub write_whole: OutRegData<Bit>,
    /// Reads a register.
    pub read: OutReg<Bit>,
    /// Byte address of the read.
    pub read_addr_o: Signal<Out, Bits<ADDRESS_BITS>>,
    /// The word of the read of the cycle before.
    pub word_i: Signal<In, Bits<32>>,
    addr: RegData<Bits<ADDRESS_BITS>>,
    /// The word of a read is on `word_i`, or a write was done.
    answers: Reg<Bit>,
    asks: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
}

#[kernel]
impl Wishbone {
    fn update(&mut self) {
        self.asks = self.cyc_i & self.stb_i;
        self.begins = self.asks & !self.write & !self.read & !self.answers & !self.ack;
        self.write = self.begins & self.we_i;
        self.read = self.begins & !self.we_i;
        self.addr.load(self.begins, self.adr_i);
        self.write_addr_o = self.addr;
        self.read_addr_o = self.addr;
        self.write_data.load(self.begins, self.dat_i);
        self.write_whole.load(self.begins, self.sel_i.all());
        self.answers = self.write | self.read;
        self.dat.load(self.answers, self.word_i);
        self.ack = self.answers & self.asks;
    }
}
