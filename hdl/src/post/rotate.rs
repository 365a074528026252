//! One step of the way from the columns to the partitions.

use heddle_kernel::prelude::*;

/// Hands every word on to the partition of its number, or to the one `shift` places further.
///
/// # Timing
/// Combinational.
#[module(combinational)]
pub struct DrainRotate {
    /// Further, else straight on.
    pub rotate_i: Signal<In, Bit>,
    /// There is a word.
    pub valid_i: [Signal<In, Bit>; rows],
    /// Word addresses.
    pub word_i: [Signal<In, Bits<13>>; rows],
    /// Words of eight bytes.
    pub data_i: [[Signal<In, Bits<8>>; 8]; rows],
    /// There is a word.
    pub valid_o: [Signal<Out, Bit>; rows],
    /// Word addresses.
    pub word_o: [Signal<Out, Bits<13>>; rows],
    /// Words of eight bytes.
    pub data_o: [[Signal<Out, Bits<8>>; 8]; rows],
    /// Partitions.
    _rows: Param<'r'>,
    /// Places.
    _shift: Param<'s'>,
}

#[kernel]
impl DrainRotate {
    fn update(&mut self) {
        for r in 0..self._rows {
            let from = (r + self._rows - self._shift) % self._rows;
            self.valid_o[r] = self.valid_i[r];
            self.word_o[r] = self.word_i[r];
            if self.rotate_i {
                self.valid_o[r] = self.valid_i[from];
                self.word_o[r] = self.word_i[from];
            }
            for k in 0..8 {
                self.data_o[r][k] = mux(self.rotate_i, self.data_i[from][k], self.data_i[r][k]);
            }
        }
    }
}
