//! The operand memory that all rows share.

use super::OperandBank;
use super::waves::*;
use heddle_kernel::prelude::*;

/// Operand memory in banks, for rows that want their operands at once. Byte address a lies in bank
/// a modulo the number of banks. A bank serves one address per clock; a step takes as many clocks
/// as the bank that is wanted most often.
///
/// # Timing
/// `offer_i`, `ren_i` and `addr_i` must stay until `served_o` is high with `offer_i`: the last
/// operand is read in that cycle T. All of them are on `x_o`, `nz_o` and `read_o` in T+2. The next
/// step may be offered in T+1. A byte written in T may be read in T+2. Addresses count modulo the
/// bytes of the memory.
#[module]
pub struct OperandBanks<const A: usize> {
    /// Write of an operand.
    pub wave_i: OperandWrite<In, A>,
    /// The rows want the operands of a step.
    pub offer_i: Signal<In, Bit>,
    /// One per row: it wants an operand.
    pub ren_i: [Signal<In, Bit>; rows],
    /// One per row: byte address to read.
    pub addr_i: [Signal<In, Bits<A>>; rows],
    /// All operands of the step are read with this cycle.
    pub served_o: Signal<Out, Bit>,
    /// The step waits for a bank.
    pub wait_o: Signal<Out, Bit>,
    /// One per row: what was read for the step.
    pub ports_o: [Operand<Out>; rows],
    #[new(OperandBank::new(rows, bytes / banks, merge))]
    bank: [OperandBank; banks],
    wave: OperandWriteReg<A>,
    /// Rows whose operand of this step is read.
    served: [Reg<Bit>; rows],
    /// Rows whose operand is on the outputs of the banks, and the bank.
    arrives: [Reg<Bit>; rows],
    from: [Delay<Bits<4>>; rows],
    x: [RegData<Bits<8>>; rows],
    /// The operand read last is not zero.
    not_zero: [RegData<Bit>; rows],
    /// Reads of the step that was served last, and of the one before.
    reading: [Reg<Bit>; rows],
    read: [Reg<Bit>; rows],
    /// Bank that a row wants.
    wanted: [Signal<Local, Bits<4>>; rows],
    /// Address in it.
    word: [Signal<Local, Bits<16>>; rows],
    missing: [Signal<Local, Bit>; rows],
    granted: [Signal<Local, Bit>; rows],
    data: [Signal<Local, Bits<8>>; rows],
    write_bank: Signal<Local, Bits<4>>,
    complete: Signal<Local, Bit>,
    /// Rows.
    _rows: Param<'r'>,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
    /// Bytes of the memory.
    _bytes: Param<'d'>,
    /// Banks.
    _banks: Param<'b'>,
    /// 1: rows that want one operand are served together.
    _merge: Optional<'e', bool>,
    /// Address bits that name the bank.
    #[new(banks.ilog2() as usize)]
    _bank_bits: usize,
}

#[kernel]
impl<const A: usize> OperandBanks<A> {
    fn update(&mut self) {
        comment!("Writes");
        self.wave.follow(&self.wave_i);
        self.write_bank = self.wave.waddr.get_bits::<4>(0) & (self._banks - 1).to_bits::<4>();
        for b in 0..self._banks {
            self.bank[b].wen_i = self.wave.wen & (self.write_bank == b.to_bits::<4>());
            self.bank[b].waddr_i =
                (self.wave.waddr >> self._bank_bits.to_bits::<4>()).get_bits::<16>(0);
            self.bank[b].wdata_i = self.wave.wdata;
        }

        comment!("What the rows want, and who is served");
        for r in 0..self._rows {
            self.wanted[r] = self.addr_i[r].get_bits::<4>(0) & (self._banks - 1).to_bits::<4>();
            self.missing[r] = self.ren_i[r] & !self.served[r];
            self.word[r] = (self.addr_i[r] >> self._bank_bits.to_bits::<4>()).get_bits::<16>(0)
                & (self._bytes / self._banks - 1).to_bits::<16>();
            self.granted[r] = false;
            for b in 0..self._banks {
                self.bank[b].addr_i[r] = self.word[r];
                self.bank[b].want_i[r] =
                    self.offer_i & self.missing[r] & (self.wanted[r] == b.to_bits::<4>());
                if self.bank[b].grant_o[r] {
                    self.granted[r] = true;
                }
            }
        }
        self.complete = true;
        for r in 0..self._rows {
            if self.missing[r] & !self.granted[r] {
                self.complete = false;
            }
        }
        self.served_o = self.complete;
        self.wait_o = self.offer_i & !self.complete;

        comment!("Operands");
        for r in 0..self._rows {
            self.served[r] = (self.served[r] | self.granted[r]) & !self.complete;
            self.arrives[r] = self.granted[r];
            self.from[r] = self.wanted[r];
            self.data[r] = 0.into();
            for b in 0..self._banks {
                if self.from[r] == b.to_bits::<4>() {
                    self.data[r] = self.data[r] | self.bank[b].data_o;
                }
            }
            self.x[r].load(self.arrives[r] & self.data[r].any(), self.data[r]);
            self.ports_o[r].x = self.x[r];
            self.not_zero[r].load(self.arrives[r], self.data[r].any());
            self.reading[r] = self.offer_i & self.complete & self.ren_i[r];
            self.read[r] = self.reading[r];
            self.ports_o[r].read = self.read[r];
            self.ports_o[r].nz = self.read[r] & self.not_zero[r];
        }
    }
}
