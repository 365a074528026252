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
        self.wen.d_i.next = self.wen_i.val();
        self.wen_o.next = self.wen.q_o.val();
        self.waddr.d_i.next = self.waddr_i.val();
        self.waddr_o.next = self.waddr.q_o.val();
        self.wdata.d_i.next = self.wdata_i.val();
        self.wdata_o.next = self.wdata.q_o.val();
        self.ram.wen_i.next = self.wen_i.val();
        self.ram.waddr_i.next = self.waddr_i.val().get_bits::<16>(0);
        self.ram.wdata_i[0].next = self.wdata_i.val();

        // Reads
        self.ram.ren_i.next = self.ren_i.val();
        self.ram.raddr_i.next = self.addr_i.val().get_bits::<16>(0);
        self.reading.d_i.next = self.ren_i.val();
        self.read.d_i.next = self.reading.q_o.val();
        self.read_o.next = self.read.q_o.val();
        self.not_zero.next = self.reading.q_o.val() & self.ram.rdata_o[0].val().any();
        self.x.load(self.not_zero.val(), self.ram.rdata_o[0].val());
        self.x_o.next = self.x.q_o.val();
        self.nz.d_i.next = self.not_zero.val();
        self.nz_o.next = self.nz.q_o.val();
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
        self.wen[0].next = self.wen_i.val();
        self.waddr[0].next = self.waddr_i.val();
        self.wdata[0].next = self.wdata_i.val();
        for i in 0..self._rows {
            self.row[i].wen_i.next = self.wen[i].val();
            self.row[i].waddr_i.next = self.waddr[i].val();
            self.row[i].wdata_i.next = self.wdata[i].val();
            self.wen[i + 1].next = self.row[i].wen_o.val();
            self.waddr[i + 1].next = self.row[i].waddr_o.val();
            self.wdata[i + 1].next = self.row[i].wdata_o.val();
            self.row[i].ren_i.next = self.ren_i[i].val();
            self.row[i].addr_i.next = self.addr_i[i].val();
            self.x_o[i].next = self.row[i].x_o.val();
            self.nz_o[i].next = self.row[i].nz_o.val();
            self.read_o[i].next = self.row[i].read_o.val();
        }
    }
}
