//! The sums of a tile, to which matrices are added.

use heddle_kernel::prelude::*;

/// Adds a matrix to the sums at its place: a window of as many rows and columns as a tile has. The sums are a chain, too, through which they are
/// loaded and stored.
///
/// # Timing
/// A matrix in cycle T, or `shift_i`: the sums have changed in T+1. Never both.
#[module]
pub struct TileWindow {
    /// There is a matrix.
    pub valid_i: Signal<In, Bit>,
    /// Its first row in the sums, less than `kernel`.
    pub row_i: Signal<In, Bits<3>>,
    /// Its first column.
    pub col_i: Signal<In, Bits<3>>,
    /// The matrix, row by row, two's complement.
    pub value_i: [Signal<In, Bits<18>>; kernel * kernel],
    /// The sums move down by one.
    pub shift_i: Signal<In, Bit>,
    /// The last one becomes this.
    pub data_i: Signal<In, Bits<32>>,
    /// The sums, row by row, two's complement; they wrap.
    pub sum: [OutRegData<Bits<32>>; side * side],
    /// The window begins in this row, in this column.
    at_row: [Signal<Local, Bit>; kernel],
    at_col: [Signal<Local, Bit>; kernel],
    /// The matrix in its columns, and in its rows, too.
    moved: [[Signal<Local, Bits<18>>; side]; kernel],
    placed: [Signal<Local, Bits<18>>; side * side],
    /// Rows and columns of a tile and of a kernel.
    _kernel: Param<'k'>,
    #[new(2 * kernel - 1)]
    _side: usize,
}

#[kernel]
impl TileWindow {
    fn update(&mut self) {
        for n in 0..self._kernel {
            self.at_row[n] = self.row_i == n.to_bits::<3>();
            self.at_col[n] = self.col_i == n.to_bits::<3>();
        }
        for row in 0..self._kernel {
            for col in 0..self._side {
                self.columns(row, col);
            }
        }
        for row in 0..self._side {
            for col in 0..self._side {
                self.rows(row, col);
            }
        }
        for c in 0..self._side * self._side {
            self.add(c);
        }
    }

    fn columns(&mut self, row: usize, col: usize) {
        self.moved[row][col] = 0.into();
        for n in 0..self._kernel {
            if n <= col {
                if col - n < self._kernel {
                    if self.at_col[n] {
                        self.moved[row][col] =
                            self.moved[row][col] | self.value_i[row * self._kernel + col - n];
                    }
                }
            }
        }
    }

    fn rows(&mut self, row: usize, col: usize) {
        let c = row * self._side + col;
        self.placed[c] = 0.into();
        for n in 0..self._kernel {
            if n <= row {
                if row - n < self._kernel {
                    if self.at_row[n] {
                        self.placed[c] = self.placed[c] | self.moved[row - n][col];
                    }
                }
            }
        }
    }

    fn add(&mut self, c: usize) {
        self.sum[c].en_i = self.shift_i | self.valid_i;
        self.sum[c] =
            self.sum[c] + unsigned_cast(bit_cast_signed::<32, 18>(signed_cast(self.placed[c])));
        if self.shift_i {
            if c + 1 < self._side * self._side {
                self.sum[c] = self.sum[c + 1];
            } else {
                self.sum[c] = self.data_i;
            }
        }
    }
}
