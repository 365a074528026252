//! Operand memories, one for each row.

use heddle_kernel::prelude::*;

/// Operand memory of one row.
///
/// # Timing
/// `ren_i` and `addr_i` in cycle T: `x_o`, `nz_o` and `read_o` in T+2. A write is on the outputs
/// for the next row one cycle later. Addresses count modulo the bytes of the memory.
#[module]
pub struct OperandRow<const A: usize> {
    /// Writes an operand.
    pub wen_i: Signal<In, Bit>,
    /// Byte address to write.
    pub waddr_i: Signal<In, Bits<A>>,
    /// Operand to write.
    pub wdata_i: Signal<In, Bits<8>>,
    /// Write, to the next row.
    pub wen_o: Signal<Out, Bit>,
    /// Byte address to write, to the next row.
    pub waddr_o: Signal<Out, Bits<A>>,
    /// Operand to write, to the next row.
    pub wdata_o: Signal<Out, Bits<8>>,
    /// Reads an operand.
    pub ren_i: Signal<In, Bit>,
    /// Byte address to read.
    pub addr_i: Signal<In, Bits<A>>,
    /// The last operand that was not zero.
    pub x_o: Signal<Out, Bits<8>>,
    /// An operand was read and is not zero: it is on `x_o`.
    pub nz_o: Signal<Out, Bit>,
    /// An operand was read.
    pub read_o: Signal<Out, Bit>,
    wen: Reg<Bit>,
    waddr: Delay<Bits<A>>,
    wdata: Delay<Bits<8>>,
    reading: Reg<Bit>,
    read: Reg<Bit>,
    x: RegData<Bits<8>>,
    nz: Reg<Bit>,
    #[new(Ram1r1w::new(1, bytes))]
    ram: Ram1r1w<16, 8>,
    not_zero: Signal<Local, Bit>,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
    /// Bytes of the memory.
    _bytes: Param<'d'>,
}

#[kernel]
impl<const A: usize> OperandRow<A> {
    fn update(&mut self) {
        // Writes
        self.wen = self.wen_i;
        self.wen_o = self.wen;
        self.waddr = self.waddr_i;
        self.waddr_o = self.waddr;
        self.wdata = self.wdata_i;
        self.wdata_o = self.wdata;
        self.ram.wen_i = self.wen_i;
        self.ram.waddr_i = self.waddr_i.get_bits::<16>(0);
        self.ram.wdata_i[0] = self.wdata_i;

        // Reads
        self.ram.ren_i = self.ren_i;
        self.ram.raddr_i = self.addr_i.get_bits::<16>(0);
        self.reading = self.ren_i;
        self.read = self.reading;
        self.read_o = self.read;
        self.not_zero = self.reading & self.ram.rdata_o[0].any();
        self.x.load(self.not_zero, self.ram.rdata_o[0]);
        self.x_o = self.x;
        self.nz = self.not_zero;
        self.nz_o = self.nz;
    }
}

/// A memory for each row, all with the same bytes.
///
/// # Timing
/// `ren_i` and `addr_i` of a row in cycle T: `x_o`, `nz_o` and `read_o` in T+2. A byte written in
/// cycle T is in the memory of row r in T+r+1.
#[module]
pub struct OperandRows<const A: usize> {
    /// Writes an operand.
    pub wen_i: Signal<In, Bit>,
    /// Byte address to write.
    pub waddr_i: Signal<In, Bits<A>>,
    /// Operand to write.
    pub wdata_i: Signal<In, Bits<8>>,
    /// One per row: reads an operand.
    pub ren_i: [Signal<In, Bit>; rows],
    /// One per row: byte address to read.
    pub addr_i: [Signal<In, Bits<A>>; rows],
    /// One per row: the last operand that was not zero.
    pub x_o: [Signal<Out, Bits<8>>; rows],
    /// One per row: an operand was read and is not zero.
    pub nz_o: [Signal<Out, Bit>; rows],
    /// One per row: an operand was read.
    pub read_o: [Signal<Out, Bit>; rows],
    #[new(OperandRow::new(bytes))]
    row: [OperandRow<A>; rows],
    wen: [Signal<Local, Bit>; rows + 1],
    waddr: [Signal<Local, Bits<A>>; rows + 1],
    wdata: [Signal<Local, Bits<8>>; rows + 1],
    /// Rows.
    _rows: Param<'r'>,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
    /// Bytes of each memory.
    _bytes: Param<'d'>,
}

#[kernel]
impl<const A: usize> OperandRows<A> {
    fn update(&mut self) {
        self.wen[0] = self.wen_i;
        self.waddr[0] = self.waddr_i;
        self.wdata[0] = self.wdata_i;
        for i in 0..self._rows {
            self.row[i].wen_i = self.wen[i];
            self.row[i].waddr_i = self.waddr[i];
            self.row[i].wdata_i = self.wdata[i];
            self.wen[i + 1] = self.row[i].wen_o;
            self.waddr[i + 1] = self.row[i].waddr_o;
            self.wdata[i + 1] = self.row[i].wdata_o;
            self.row[i].ren_i = self.ren_i[i];
            self.row[i].addr_i = self.addr_i[i];
            self.x_o[i] = self.row[i].x_o;
            self.nz_o[i] = self.row[i].nz_o;
            self.read_o[i] = self.row[i].read_o;
        }
    }
}
