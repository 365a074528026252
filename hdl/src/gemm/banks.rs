//! The operand memory that all rows share.

use super::OperandBank;
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
    /// Writes an operand.
    pub wen_i: Signal<In, Bit>,
    /// Byte address to write.
    pub waddr_i: Signal<In, Bits<A>>,
    /// Operand to write.
    pub wdata_i: Signal<In, Bits<8>>,
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
    /// One per row: the last operand that was not zero.
    pub x_o: [Signal<Out, Bits<8>>; rows],
    /// One per row: an operand was read for the step and is not zero.
    pub nz_o: [Signal<Out, Bit>; rows],
    /// One per row: an operand was read for the step.
    pub read_o: [Signal<Out, Bit>; rows],
    #[new(OperandBank::new(rows, bytes / banks, merge))]
    bank: [OperandBank; banks],
    wen: Reg<Bit>,
    waddr: Delay<Bits<A>>,
    wdata: Delay<Bits<8>>,
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
        self.wen.d_i.next = self.wen_i.val();
        self.waddr.d_i.next = self.waddr_i.val();
        self.wdata.d_i.next = self.wdata_i.val();
        self.write_bank.next =
            self.waddr.q_o.val().get_bits::<4>(0) & (self._banks - 1).to_bits::<4>();
        for b in 0..self._banks {
            self.bank[b].wen_i.next =
                self.wen.q_o.val() & (self.write_bank.val() == b.to_bits::<4>());
            self.bank[b].waddr_i.next =
                (self.waddr.q_o.val() >> self._bank_bits.to_bits::<4>()).get_bits::<16>(0);
            self.bank[b].wdata_i.next = self.wdata.q_o.val();
        }

        comment!("What the rows want, and who is served");
        for r in 0..self._rows {
            self.wanted[r].next =
                self.addr_i[r].val().get_bits::<4>(0) & (self._banks - 1).to_bits::<4>();
            self.missing[r].next = self.ren_i[r].val() & !self.served[r].q_o.val();
            self.word[r].next = (self.addr_i[r].val() >> self._bank_bits.to_bits::<4>())
                .get_bits::<16>(0)
                & (self._bytes / self._banks - 1).to_bits::<16>();
            self.granted[r].next = false;
            for b in 0..self._banks {
                self.bank[b].addr_i[r].next = self.word[r].val();
                self.bank[b].want_i[r].next = self.offer_i.val()
                    & self.missing[r].val()
                    & (self.wanted[r].val() == b.to_bits::<4>());
                if self.bank[b].grant_o[r].val() {
                    self.granted[r].next = true;
                }
            }
        }
        self.complete.next = true;
        for r in 0..self._rows {
            if self.missing[r].val() & !self.granted[r].val() {
                self.complete.next = false;
            }
        }
        self.served_o.next = self.complete.val();
        self.wait_o.next = self.offer_i.val() & !self.complete.val();

        comment!("Operands");
        for r in 0..self._rows {
            self.served[r].d_i.next =
                (self.served[r].q_o.val() | self.granted[r].val()) & !self.complete.val();
            self.arrives[r].d_i.next = self.granted[r].val();
            self.from[r].d_i.next = self.wanted[r].val();
            self.data[r].next = 0.into();
            for b in 0..self._banks {
                if self.from[r].q_o.val() == b.to_bits::<4>() {
                    self.data[r].next = self.data[r].val() | self.bank[b].data_o.val();
                }
            }
            self.x[r].en_i.next = self.arrives[r].q_o.val() & self.data[r].val().any();
            self.x[r].d_i.next = self.data[r].val();
            self.x_o[r].next = self.x[r].q_o.val();
            self.not_zero[r].load(self.arrives[r].q_o.val(), self.data[r].val().any());
            self.reading[r].d_i.next =
                self.offer_i.val() & self.complete.val() & self.ren_i[r].val();
            self.read[r].d_i.next = self.reading[r].q_o.val();
            self.read_o[r].next = self.read[r].q_o.val();
            self.nz_o[r].next = self.read[r].q_o.val() & self.not_zero[r].q_o.val();
        }
    }
}
