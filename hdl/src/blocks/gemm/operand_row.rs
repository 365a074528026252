//! Operand memories, one for each row.

use super::waves::*;
use heddle_kernel::prelude::*;

/// Operand memory of one row.
///
/// # Timing
/// `ren_i` and `addr_i` in cycle T: `x_o`, `nz_o` and `read_o` in T+2. A write is on the outputs
/// for the next row one cycle later. Addresses count modulo the bytes of the memory.
#[module]
pub struct OperandRow<const A: usize> {
    /// Write of an operand, and for the next row.
    pub wave: Wave<OperandWrite<A>>,
    /// Reads an operand.
    pub ren_i: Signal<In, Bit>,
    /// Byte address to read.
    pub addr_i: Signal<In, Bits<A>>,
    /// What was read.
    pub ports_o: Operand<Out>,
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
        self.wave.pass_on();
        self.ram.wen_i = self.wave_i.wen;
        self.ram.waddr_i = self.wave_i.waddr.get_bits::<16>(0);
        self.ram.wdata_i[0] = self.wave_i.wdata;

        // Reads
        self.ram.ren_i = self.ren_i;
        self.ram.raddr_i = self.addr_i.get_bits::<16>(0);
        self.reading = self.ren_i;
        self.read = self.reading;
        self.ports_o.read = self.read;
        self.not_zero = self.reading & self.ram.rdata_o[0].any();
        self.x.load(self.not_zero, self.ram.rdata_o[0]);
        self.ports_o.x = self.x;
        self.nz = self.not_zero;
        self.ports_o.nz = self.nz;
    }
}

/// A memory for each row, all with the same bytes.
///
/// # Timing
/// `ren_i` and `addr_i` of a row in cycle T: `x_o`, `nz_o` and `read_o` in T+2. A byte written in
/// cycle T is in the memory of row r in T+r+1.
#[module]
pub struct OperandRows<const A: usize> {
    /// Write of an operand.
    pub wave_i: OperandWrite<In, A>,
    /// One per row: reads an operand.
    pub ren_i: [Signal<In, Bit>; rows],
    /// One per row: byte address to read.
    pub addr_i: [Signal<In, Bits<A>>; rows],
    /// One per row: what was read.
    pub ports_o: [Operand<Out>; rows],
    #[new(OperandRow::new(bytes))]
    row: [OperandRow<A>; rows],
    wave: [OperandWrite<Local, A>; rows + 1],
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
        self.wave[0].follow(&self.wave_i);
        for i in 0..self._rows {
            self.row[i].wave_i.follow(&self.wave[i]);
            self.wave[i + 1].follow(&self.row[i].wave_o);
            self.row[i].ren_i = self.ren_i[i];
            self.row[i].addr_i = self.addr_i[i];
            self.ports_o[i].follow(&self.row[i].ports_o);
        }
    }
}
