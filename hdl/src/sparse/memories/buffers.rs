//! Buffers of a set.

use heddle_kernel::prelude::*;

/// Values and indices of entries in a buffer each, or in one.
///
/// # Timing
/// An entry that is read in cycle T is at the outputs from T+1 until the next one. No entry is written in the cycle in which one is read.
#[module]
pub struct SetBuffers {
    /// Writes an entry.
    pub write_i: Signal<In, Bit>,
    /// Where.
    pub write_at_i: Signal<In, Bits<16>>,
    /// Its value and its index: list, row, column.
    pub write_word_i: [Signal<In, Bits<9>>; 4],
    /// Reads an entry.
    pub read_i: Signal<In, Bit>,
    /// Which one.
    pub read_at_i: Signal<In, Bits<16>>,
    /// The entry.
    pub read_word_o: [Signal<Out, Bits<9>>; 4],
    #[new(Ram1r1w::new(4, entry_max))]
    buffer: [Ram1r1w<16, 9>; merged],
    #[new(Ram1r1w::new(1, entry_max))]
    value: [Ram1r1w<16, 9>; 1 - merged],
    #[new(Ram1r1w::new(3, entry_max))]
    index: [Ram1r1w<16, 9>; 1 - merged],
    /// Entries, a power of two.
    _entry_max: Param<'d'>,
    /// Values and indices are one buffer.
    _merged: Feature<"mg">,
}

#[kernel]
impl SetBuffers {
    fn update(&mut self) {
        for b in 0..self._merged {
            self.buffer[b].wen_i = self.write_i;
            self.buffer[b].waddr_i = self.write_at_i;
            self.buffer[b].ren_i = self.read_i;
            self.buffer[b].raddr_i = self.read_at_i;
            for k in 0..4 {
                self.buffer[b].wdata_i[k] = self.write_word_i[k];
                self.read_word_o[k] = self.buffer[b].rdata_o[k];
            }
        }
        for b in 0..(1 - self._merged) {
            self.value[b].wen_i = self.write_i;
            self.value[b].waddr_i = self.write_at_i;
            self.value[b].wdata_i[0] = self.write_word_i[0];
            self.value[b].ren_i = self.read_i;
            self.value[b].raddr_i = self.read_at_i;
            self.read_word_o[0] = self.value[b].rdata_o[0];
            self.index[b].wen_i = self.write_i;
            self.index[b].waddr_i = self.write_at_i;
            self.index[b].ren_i = self.read_i;
            self.index[b].raddr_i = self.read_at_i;
            for k in 0..3 {
                self.index[b].wdata_i[k] = self.write_word_i[k + 1];
                self.read_word_o[k + 1] = self.index[b].rdata_o[k];
            }
        }
    }
}
