//! One bank of the operand memory that all rows share.

use heddle_kernel::prelude::*;

/// Bank of the operand memory: serves the lowest row that wants an operand, and with the option
/// `merge` every row that wants the same one.
///
/// # Timing
/// `want_i` and `addr_i` in cycle T: `grant_o` in T, the operand of all rows with a grant on
/// `data_o` in T+1. A byte written in T may be read in T+1.
#[module(no_reset)]
pub struct OperandBank {
    /// Writes a byte.
    pub wen_i: Signal<In, Bit>,
    /// Address in the bank.
    pub waddr_i: Signal<In, Bits<16>>,
    /// Byte to write.
    pub wdata_i: Signal<In, Bits<8>>,
    /// One per row: it wants an operand of this bank.
    pub want_i: [Signal<In, Bit>; rows],
    /// One per row: address in the bank.
    pub addr_i: [Signal<In, Bits<16>>; rows],
    /// One per row: it gets the operand that is read.
    pub grant_o: [Signal<Out, Bit>; rows],
    /// The operand read last.
    pub data_o: Signal<Out, Bits<8>>,
    #[new(Ram1r1w::new(1, bytes))]
    ram: Ram1r1w<16, 8>,
    /// A row below this one wants an operand, last: any row.
    below: [Signal<Local, Bit>; rows + 1],
    /// Address of the lowest row that wants an operand.
    pick: Signal<Local, Bits<16>>,
    /// Rows.
    _rows: Param<'r'>,
    /// Bytes of the bank.
    _bytes: Param<'d'>,
    /// 1: rows that want one operand are served together.
    _merge: Optional<'e', bool>,
}

#[kernel]
impl OperandBank {
    fn update(&mut self) {
        self.below[0] = false;
        for r in 0..self._rows {
            self.below[r + 1] = self.below[r] | self.want_i[r];
        }
        self.pick = 0.into();
        for r in 0..self._rows {
            if self.want_i[r] & !self.below[r] {
                self.pick = self.pick | self.addr_i[r];
            }
        }
        for r in 0..self._rows {
            if self._merge {
                self.grant_o[r] = self.want_i[r] & (self.addr_i[r] == self.pick);
            } else {
                self.grant_o[r] = self.want_i[r] & !self.below[r];
            }
        }
        self.ram.wen_i = self.wen_i;
        self.ram.waddr_i = self.waddr_i;
        self.ram.wdata_i[0] = self.wdata_i;
        self.ram.ren_i = self.below[self._rows];
        self.ram.raddr_i = self.pick;
        self.data_o = self.ram.rdata_o[0];
    }
}
