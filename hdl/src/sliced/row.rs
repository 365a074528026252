//! The memory that every request accesses.

use super::ports::*;
use heddle_kernel::prelude::*;

/// Slice that is accessed by every request, in the cycle of the request: it holds the masks,
/// and in some memories the first units too. Rows are single bits.
///
/// # Timing
/// The row is there one cycle after `ren_i`, or two with the register behind the memory, with
/// `read_o`. With a bypass a read that meets a write of the same word gets the new row by way of a register.
#[module(name = "sliced_row")]
pub struct SlicedRow {
    /// A write and a read of a row.
    pub ports_i: MemoryRequest<In>,
    /// Bits of the row to write.
    pub bit_i: [Signal<In, Bits<1>>; bits],
    /// The row that is written is read.
    pub meet_i: [Signal<In, Bit>; bypass],
    /// A row was read.
    #[new(SliceRead::new(bypass))]
    pub ports_o: SliceRead<Out>,
    /// The row, if it was not written in the cycle of the read: for what must be fast.
    pub stored_o: [Signal<Out, Bits<1>>; bits],
    /// The row.
    pub bit_o: [Signal<Out, Bits<1>>; bits],
    /// The rows of all words.
    #[new(Ram1r1w::new(bits, words).passing())]
    pub ram: Ram1r1w<WA, 1>,
    read: [Reg<Bit>; 1 + stages],
    raddr: [RegData<Bits<WA>>; 1 + stages],
    meet: [RegData<Bit>; bypass * (1 + stages)],
    bypass: [RegData<Bits<1>>; bypass * bits],
    stored: [RegData<Bits<1>>; stages * bits],
    /// The row, from the memory or the bypass.
    fetched: [Signal<Local, Bits<1>>; bits],
    /// Words.
    _words: Param<'d'>,
    /// Bits of a row.
    _bits: Param<'b'>,
    /// Registers behind the memory.
    _stages: Optional<'s'>,
    _bypass: usize,
}

#[kernel]
impl SlicedRow {
    fn update(&mut self) {
        self.ram.wen_i.follow(&self.ports_i.wen);
        self.ram.waddr_i.follow(&self.ports_i.waddr);
        if self._bypass > 0 {
            self.ram.ren_i = self.ports_i.ren & !self.meet_i[0];
            self.meet[0].load(self.ports_i.ren, self.meet_i[0]);
        } else {
            self.ram.ren_i.follow(&self.ports_i.ren);
        }
        self.ram.raddr_i.follow(&self.ports_i.raddr);

        self.read[0].follow(&self.ports_i.ren);
        self.raddr[0].load(self.ports_i.ren, self.ports_i.raddr);
        self.ram.wdata_i.follow(&self.bit_i);
        for k in 0..self._bits {
            self.fetched[k].follow(&self.ram.rdata_o[k]);
            for b in 0..self._bypass {
                self.bypass[k].load(self.meet_i[b], self.bit_i[k]);
                if self.meet[0] {
                    self.fetched[k].follow(&self.bypass[k]);
                }
            }
        }
        if self._stages > 0 {
            let read = self.read[0];
            self.read[1] = read;
            self.raddr[1].load(read, self.raddr[0]);
            for _ in 0..self._bypass {
                self.meet[1].load(read, self.meet[0]);
            }
            for k in 0..self._bits {
                self.stored[k].load(read, self.fetched[k]);
            }
            self.stored_o.follow(&self.stored);
            self.bit_o.follow(&self.stored);
        } else {
            self.stored_o.follow(&self.ram.rdata_o);
            self.bit_o.follow(&self.fetched);
        }
        self.ports_o.read.follow(&self.read[self._stages]);
        self.ports_o.raddr.follow(&self.raddr[self._stages]);
        for b in 0..self._bypass {
            self.ports_o.meet[b].follow(&self.meet[self._stages]);
        }
    }
}
