//! The AXI4-Lite side of the register port.

use heddle_arch::registers::ADDRESS_BITS;
use heddle_kernel::prelude::*;

/// Takes reads and writes from AXI4-Lite, one of each at a time, and asks the registers behind it.
///
/// Address and data of a write may come in any order, each into a register; the registers get both in one clock. All
/// answers are OKAY. No way leads from an input of one channel to an output of any: readies and valids are registers, but for the reset,
/// in which nothing is ready.
///
/// # Timing
/// Whichever of address and data comes last, taken in cycle t: `write_o` in t + 1, `b_valid_o` from t + 2 on. A read taken in t:
/// `read_o` in t + 1, its word on `word_i` in t + 2, `r_valid_o` from t + 3 on. The clock behind an answer takes the next one.
#[module]
pub struct Axil {
    /// Address of a write.
    pub aw_valid_i: Signal<In, Bit>,
    /// The address is taken.
    pub aw_ready_o: Signal<Out, Bit>,
    /// Byte address.
    pub aw_addr_i: Signal<In, Bits<ADDRESS_BITS>>,
    /// Word of a write.
    pub w_valid_i: Signal<In, Bit>,
    /// The word is taken.
    pub w_ready_o: Signal<Out, Bit>,
    /// Word to write.
    pub w_data_i: Signal<In, Bits<32>>,
    /// Its bytes that are to be written.
    pub w_strb_i: Signal<In, Bits<4>>,
    /// A write has been done.
    pub b_valid: OutReg<Bit>,
    /// The master knows.
    pub b_ready_i: Signal<In, Bit>,
    /// Address of a read.
    pub ar_valid_i: Signal<In, Bit>,
    /// The address is taken.
    pub ar_ready_o: Signal<Out, Bit>,
    /// Byte address.
    pub ar_addr_i: Signal<In, Bits<ADDRESS_BITS>>,
    /// A word has been read.
    pub r_valid: OutReg<Bit>,
    /// The master has it.
    pub r_ready_i: Signal<In, Bit>,
    /// The word.
    pub r_data: OutRegData<Bits<32>>,
    /// Writes a register.
    pub write_o: Signal<Out, Bit>,
    /// Byte address of the write.
    pub write_addr: OutRegData<Bits<ADDRESS_BITS>>,
    /// Word to write.
    pub write_data: OutRegData<Bits<32>>,
    /// All bytes are to be written.
    pub write_whole: OutRegData<Bit>,
    /// Reads a register.
    pub read: OutReg<Bit>,
    /// Byte address of the read.
    pub read_addr: OutRegData<Bits<ADDRESS_BITS>>,
    /// The word of the read of the cycle before.
    pub word_i: Signal<In, Bits<32>>,
    /// There is an address of a write that has no answer yet.
    has_address: Reg<Bit>,
    /// There is a word of it.
    has_data: Reg<Bit>,
    /// There is a read that has no answer yet.
    reads: Reg<Bit>,
    /// The word of a read is on `word_i`.
    answers: Reg<Bit>,
}

#[kernel]
impl Axil {
    fn update(&mut self) {
        self.write();
        self.read();
    }

    fn write(&mut self) {
        self.aw_ready_o = self.rst_n & !self.has_address;
        self.w_ready_o = self.rst_n & !self.has_data;
        let takes_address = self.aw_valid_i & !self.has_address;
        let takes_data = self.w_valid_i & !self.has_data;
        let ends = self.b_valid & self.b_ready_i;
        self.has_address = (self.has_address | self.aw_valid_i) & !ends;
        self.has_data = (self.has_data | self.w_valid_i) & !ends;
        self.write_addr.load(takes_address, self.aw_addr_i);
        self.write_data.load(takes_data, self.w_data_i);
        self.write_whole.load(takes_data, self.w_strb_i.all());
        let complete = self.has_address & self.has_data;
        self.write_o = complete & !self.b_valid;
        self.b_valid = complete & !ends;
    }

    fn read(&mut self) {
        self.ar_ready_o = self.rst_n & !self.reads;
        let takes = self.ar_valid_i & !self.reads;
        let ends = self.r_valid & self.r_ready_i;
        self.reads = (self.reads | self.ar_valid_i) & !ends;
        self.read = takes;
        // The address of a read is used in the clock behind it alone.
        self.read_addr.load(self.ar_valid_i, self.ar_addr_i);
        self.answers = self.read;
        self.r_data.load(self.answers, self.word_i);
        self.r_valid = (self.r_valid | self.answers) & !ends;
    }
}
