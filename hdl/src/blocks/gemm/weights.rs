//! Weight memory.

use heddle_kernel::prelude::*;

/// Weight bytes of one column.
///
/// # Timing
/// `ren_i` and `addr_i` in cycle T: on the outputs for the next column in T+1, the weight on `w_o`
/// in T+2. `w_o` holds while nothing is read. Addresses count modulo the words.
#[module]
pub struct WeightColumn {
    /// Writes a byte.
    pub wen_i: Signal<In, Bit>,
    /// Word to write.
    pub waddr_i: Signal<In, Bits<16>>,
    /// Byte to write.
    pub wdata_i: Signal<In, Bits<8>>,
    /// Reads a byte.
    pub ren_i: Signal<In, Bit>,
    /// Word to read.
    pub addr_i: Signal<In, Bits<16>>,
    /// Read, to the next column.
    pub ren: OutReg<Bit>,
    /// Word to read, to the next column.
    pub addr: OutDelay<Bits<16>>,
    /// Weight for the top of the column.
    pub w: OutDelay<Bits<8>>,
    #[new(Ram1r1w::new(1, words))]
    ram: Ram1r1w<16, 8>,
    /// Weights.
    _words: Param<'d'>,
}

#[kernel]
impl WeightColumn {
    fn update(&mut self) {
        self.ren = self.ren_i;
        self.addr = self.addr_i;
        self.ram.wen_i = self.wen_i;
        self.ram.waddr_i = self.waddr_i;
        self.ram.wdata_i[0] = self.wdata_i;
        self.ram.ren_i = self.ren_i;
        self.ram.raddr_i = self.addr_i;
        self.w = self.ram.rdata_o[0];
    }
}

/// Weight words of one byte per column. A read that enters column 0 in cycle T reaches column c in
/// T+c.
///
/// # Timing
/// `ren_i` and `addr_i` in cycle T: the weight of column c is on `w_o` in T+c+2. A word written in
/// T is in the memories in T+2.
#[module]
pub struct WeightMemory {
    /// Writes a word.
    pub wen_i: Signal<In, Bit>,
    /// Word to write.
    pub waddr_i: Signal<In, Bits<16>>,
    /// Its bytes, one per column.
    pub wdata_i: [Signal<In, Bits<8>>; cols],
    /// Reads a word.
    pub ren_i: Signal<In, Bit>,
    /// Word to read.
    pub addr_i: Signal<In, Bits<16>>,
    /// Weights for the tops of the columns.
    pub w_o: [Signal<Out, Bits<8>>; cols],
    #[new(WeightColumn::new(words))]
    column: [WeightColumn; cols],
    wen: Reg<Bit>,
    waddr: Delay<Bits<16>>,
    wdata: [Delay<Bits<8>>; cols],
    ren: [Signal<Local, Bit>; cols + 1],
    addr: [Signal<Local, Bits<16>>; cols + 1],
    /// Columns.
    _cols: Param<'c'>,
    /// Words.
    _words: Param<'d'>,
}

#[kernel]
impl WeightMemory {
    fn update(&mut self) {
        self.wen = self.wen_i;
        self.waddr = self.waddr_i;
        self.ren[0] = self.ren_i;
        self.addr[0] = self.addr_i;
        for i in 0..self._cols {
            self.wdata[i] = self.wdata_i[i];
            self.column[i].wen_i = self.wen;
            self.column[i].waddr_i = self.waddr;
            self.column[i].wdata_i = self.wdata[i];
            self.column[i].ren_i = self.ren[i];
            self.column[i].addr_i = self.addr[i];
            self.ren[i + 1] = self.column[i].ren_o;
            self.addr[i + 1] = self.column[i].addr_o;
            self.w_o[i] = self.column[i].w_o;
        }
    }
}
