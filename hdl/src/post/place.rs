//! From the columns that drain to the partitions.

use super::DrainRotate;
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
    /// One per column: there is a word.
    pub valid_i: [Signal<In, Bit>; cols],
    /// Word addresses.
    pub word_i: [Signal<In, Bits<13>>; cols],
    /// Words of eight bytes.
    pub data_i: [[Signal<In, Bits<8>>; 8]; cols],
    #[new(rotate)]
    rotate: Vec<DrainRotate>,
    /// One per partition: there is a word.
    pub valid: [OutReg<Bit>; rows],
    /// Word addresses.
    pub word: [OutDelay<Bits<13>>; rows],
    /// Words of eight bytes.
    pub data: [[OutDelay<Bits<8>>; 8]; rows],
    /// Columns, and as many that do not exist as make a multiple of the partitions.
    column_valid: [Signal<Local, Bit>; cols.next_multiple_of(rows)],
    column_word: [Signal<Local, Bits<13>>; cols.next_multiple_of(rows)],
    column_data: [[Signal<Local, Bits<8>>; 8]; cols.next_multiple_of(rows)],
    /// Columns beyond the number of partitions begin with partition 0 again.
    lane_valid: [Signal<Local, Bit>; rows],
    lane_word: [Signal<Local, Bits<13>>; rows],
    lane_data: [[Signal<Local, Bits<8>>; 8]; rows],
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
                self.column_valid[i] = self.valid_i[i];
                self.column_word[i] = self.word_i[i];
            } else {
                self.column_valid[i] = false;
                self.column_word[i] = 0.into();
            }
            for k in 0..8 {
                self.column_data[i][k] = mux(i < self._cols, self.data_i[i][k], 0.into());
            }
        }
        for r in 0..self._rows {
            self.lane_valid[r] = false;
            self.lane_word[r] = 0.into();
            for n in 0..self._rounds {
                if self.column_valid[n * self._rows + r] {
                    self.lane_valid[r] = true;
                    self.lane_word[r] = self.column_word[n * self._rows + r];
                }
            }
            for k in 0..8 {
                self.lane_data[r][k] = 0.into();
                for n in 0..self._rounds {
                    if self.column_valid[n * self._rows + r] {
                        self.lane_data[r][k] = self.column_data[n * self._rows + r][k];
                    }
                }
            }
        }

        for b in 0..self._rotations {
            self.rotate[b].rotate_i = self.rotate_i.get_bit(b);
            if b > 0 {
                for r in 0..self._rows {
                    self.rotate[b].valid_i[r] = self.rotate[b - 1].valid_o[r];
                    self.rotate[b].word_i[r] = self.rotate[b - 1].word_o[r];
                    for k in 0..8 {
                        self.rotate[b].data_i[r][k] = self.rotate[b - 1].data_o[r][k];
                    }
                }
            } else {
                self.rotate[b].valid_i.follow(&self.lane_valid);
                self.rotate[b].word_i.follow(&self.lane_word);
                self.rotate[b].data_i.follow(&self.lane_data);
            }
        }

        if self._rotations > 0 {
            let last = self._rotations - 1;
            self.valid.follow(&self.rotate[last].valid_o);
            self.word.follow(&self.rotate[last].word_o);
            self.data.follow(&self.rotate[last].data_o);
        } else {
            self.valid.follow(&self.lane_valid);
            self.word.follow(&self.lane_word);
            self.data.follow(&self.lane_data);
        }
    }
}
