//! From the columns that drain to the partitions.

use super::DrainRotate;
use crate::buffer::{DrainWord, DrainWordReg};
use heddle_arch::params::common_divisor;
use heddle_kernel::prelude::*;

/// Hands the words of the columns to the partitions: column c to partition (g * `rotate_i` + c) modulo
/// the number of partitions, where g is the greatest common divisor of rows and columns.
///
/// The columns that drain at the same time are at most as many as the partitions, one behind another, so
/// that no two of them meet.
///
/// # Timing
/// A word on `valid_i` in cycle T is on `valid_o` in T+1. `rotate_i` is stable while a drain is active.
#[module(build)]
pub struct DrainPlace {
    /// Steps by which the columns rotate.
    pub rotate_i: Signal<In, Bits<8>>,
    /// One per column: a word for a partition.
    pub ports_i: [DrainWord<In>; cols],
    #[new(rotate)]
    rotate: Vec<DrainRotate>,
    /// One per partition: a word that arrives.
    pub ports_o: [DrainWord<Out>; rows],
    ports: [DrainWordReg; rows],
    /// Columns, and as many that do not exist as make a multiple of the partitions.
    column: [DrainWord<Local>; cols.next_multiple_of(rows)],
    /// Words in front of each step of the rotation and behind the last one; columns beyond the number of partitions begin
    /// with partition 0 again.
    moved: [[DrainWord<Local>; rows]; rotations + 1],
    /// Partitions.
    _rows: Param<'r'>,
    /// Columns.
    _cols: Param<'c'>,
    /// Columns for each partition.
    _rounds: Hidden,
    /// Columns, also those that do not exist.
    _padded: Hidden,
    /// Bits of a rotation.
    _rotations: Hidden,
    #[argument]
    _rotate: Vec<DrainRotate>,
}

impl DrainPlace {
    /// From `cols` columns to `rows` partitions.
    pub fn new(rows: usize, cols: usize) -> Self {
        let step = common_divisor(rows as u32, cols as u32) as usize;
        let places = rows / step;
        // Bit b of the rotation shifts by 2^b steps.
        let rotate: Vec<DrainRotate> = (0..usize::BITS - (places - 1).leading_zeros())
            .map(|bit| DrainRotate::new(rows, (step << bit) % rows))
            .collect();
        Self::build(
            rows,
            cols,
            cols.div_ceil(rows),
            cols.next_multiple_of(rows),
            rotate.len(),
            rotate,
        )
    }
}

#[kernel]
impl DrainPlace {
    fn update(&mut self) {
        for i in 0..self._padded {
            if i < self._cols {
                self.column[i].follow(&self.ports_i[i]);
            } else {
                self.column[i].tie_low();
            }
        }
        for r in 0..self._rows {
            self.moved[0][r].tie_low();
            for n in 0..self._rounds {
                if self.column[n * self._rows + r].valid {
                    self.moved[0][r].follow(&self.column[n * self._rows + r]);
                }
            }
        }
        for b in 0..self._rotations {
            self.rotate[b].rotate_i = self.rotate_i.get_bit(b);
            self.rotate[b].ports_i.follow(&self.moved[b]);
            self.moved[b + 1].follow(&self.rotate[b].ports_o);
        }
        self.ports.follow(&self.moved[self._rotations]);
        self.ports_o.follow(&self.ports);
    }
}
