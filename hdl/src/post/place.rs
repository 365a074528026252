//! From the columns that drain to the partitions.

use super::DrainRotate;
use crate::buffer::{DrainWord, DrainWordReg};
use heddle_arch::params::common_divisor;
use heddle_kernel::prelude::*;

/// Hands the words of the columns to the partitions: column c to partition (g * `rotate_i` + c) modulo
/// the number of partitions, where g is the greatest common divisor of rows and columns.
///
/// The columns that drain at the same time are at most as many as the partitions, one after another, so
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
    /// Columns beyond the number of partitions begin with partition 0 again.
    lane: [DrainWord<Local>; rows],
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
            self.lane[r].tie_low();
            for n in 0..self._rounds {
                if self.column[n * self._rows + r].valid {
                    self.lane[r].follow(&self.column[n * self._rows + r]);
                }
            }
        }
        for b in 0..self._rotations {
            self.rotate[b].rotate_i = self.rotate_i.get_bit(b);
        }
        if self._rotations > 0 {
            self.rotate[0].ports_i.follow(&self.lane);
            self.ports.follow(&self.rotate[self._rotations - 1].ports_o);
        } else {
            self.ports.follow(&self.lane);
        }
        for b in 1..self._rotations {
            for r in 0..self._rows {
                self.rotate[b].ports_i[r].valid = self.rotate[b - 1].ports_o[r].valid;
                self.rotate[b].ports_i[r].word = self.rotate[b - 1].ports_o[r].word;
                for k in 0..8 {
                    self.rotate[b].ports_i[r].data[k] = self.rotate[b - 1].ports_o[r].data[k];
                }
            }
        }
        self.ports_o.follow(&self.ports);
    }
}
