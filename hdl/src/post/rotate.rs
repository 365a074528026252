//! One step of the way from the columns to the partitions.

use crate::buffer::DrainWord;
use heddle_kernel::prelude::*;

/// Hands every word on to the partition of its number, or to the one `shift` places further.
///
/// # Timing
/// Combinational.
#[module(combinational)]
pub struct DrainRotate {
    /// Further, else straight on.
    pub rotate_i: Signal<In, Bit>,
    /// One per partition: a word that arrives.
    pub ports_i: [DrainWord<In>; rows],
    /// One per partition: a word that leaves.
    pub ports_o: [DrainWord<Out>; rows],
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
            self.ports_o[r].follow(&self.ports_i[r]);
            if self.rotate_i {
                self.ports_o[r].follow(&self.ports_i[from]);
            }
        }
    }
}
