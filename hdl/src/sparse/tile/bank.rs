//! The register bank of sums.

use heddle_kernel::prelude::*;

/// A row of the register bank: a ring of sums, and of each column a sum of the rings that the columns are.
///
/// # Timing
/// A read is combinational. A write, or `shift_i`, in cycle T: the sums have changed in T+1.
#[module]
pub struct TileBankRow {
    /// The place that is read or written is in this row.
    pub here_i: Signal<In, Bit>,
    /// It is in the column.
    pub in_col_i: [Signal<In, Bit>; cols],
    /// The place is written.
    pub wen_i: Signal<In, Bit>,
    /// With this.
    pub data_i: Signal<In, Bits<32>>,
    /// All sums move by one.
    pub shift_i: Signal<In, Bit>,
    /// 0: to the right, 1: to the left, 2: down, 3: up.
    pub direction_i: Signal<In, Bits<2>>,
    /// The row above.
    pub above_i: [Signal<In, Bits<32>>; cols],
    /// The row below.
    pub below_i: [Signal<In, Bits<32>>; cols],
    /// The sum of the place, 0 if it is not here.
    pub read_o: Signal<Out, Bits<32>>,
    /// The sums.
    pub sum: [OutRegData<Bits<32>>; cols],
    hits: [Signal<Local, Bit>; cols],
    read: Signal<Local, Bits<32>>,
    /// The sum on each side.
    left: [Signal<Local, Bits<32>>; cols],
    right: [Signal<Local, Bits<32>>; cols],
    /// Columns of the bank.
    _cols: Param<'c'>,
}

#[kernel]
impl TileBankRow {
    fn update(&mut self) {
        self.read = 0.into();
        for c in 0..self._cols {
            self.hits[c] = self.here_i & self.in_col_i[c];
            if self.hits[c] {
                self.read = self.read | self.sum[c];
            }
            self.left[c] = self.sum[(c + self._cols - 1) % self._cols];
            self.right[c] = self.sum[(c + 1) % self._cols];
        }
        self.read_o = self.read;
        for c in 0..self._cols {
            self.step(c);
        }
    }

    fn step(&mut self, c: usize) {
        self.sum[c].en_i = self.shift_i | (self.wen_i & self.hits[c]);
        self.sum[c] = self.data_i;
        if self.shift_i {
            if self.direction_i == 0 {
                self.sum[c] = self.left[c];
            } else if self.direction_i == 1 {
                self.sum[c] = self.right[c];
            } else if self.direction_i == 2 {
                self.sum[c] = self.above_i[c];
            } else {
                self.sum[c] = self.below_i[c];
            }
        }
    }
}

/// Keeps a sum for each place of a map. A place is named by its row and column: one beyond the last row or column reads as 0, and is not
/// written. Rows and columns are rings: all sums can move by one column or row.
///
/// # Timing
/// A read in cycle T: the sum is at the output from T+1 on. A write, or `shift_i`, in T: the sums have changed in T+1. Never more than one of them.
#[module]
pub struct TileBank {
    /// Row of the place.
    pub row_i: Signal<In, Bits<8>>,
    /// Its column.
    pub col_i: Signal<In, Bits<8>>,
    /// It is read.
    pub ren_i: Signal<In, Bit>,
    /// It is written.
    pub wen_i: Signal<In, Bit>,
    /// With this.
    pub data_i: Signal<In, Bits<32>>,
    /// All sums move by one.
    pub shift_i: Signal<In, Bit>,
    /// 0: to the right, 1: to the left, 2: down, 3: up.
    pub direction_i: Signal<In, Bits<2>>,
    /// What was read.
    pub data: OutRegData<Bits<32>>,
    /// The sums, row by row.
    pub sum_o: [Signal<Out, Bits<32>>; rows * cols],
    #[new(TileBankRow::new(cols))]
    row: [TileBankRow; rows],
    /// The place is in the column.
    in_col: [Signal<Local, Bit>; cols],
    read: Signal<Local, Bits<32>>,
    /// The sums of the rows above, and below.
    above: [Signal<Local, Bits<32>>; rows * cols],
    below: [Signal<Local, Bits<32>>; rows * cols],
    /// Rows of the bank.
    _rows: Param<'r'>,
    /// Its columns.
    _cols: Param<'c'>,
}

#[kernel]
impl TileBank {
    fn update(&mut self) {
        for c in 0..self._cols {
            self.in_col[c] = self.col_i == c.to_bits::<8>();
        }
        self.read = 0.into();
        for r in 0..self._rows {
            self.row[r].here_i = self.row_i == r.to_bits::<8>();
            self.row[r].in_col_i.follow(&self.in_col);
            self.row[r].wen_i = self.wen_i;
            self.row[r].data_i = self.data_i;
            self.row[r].shift_i = self.shift_i;
            self.row[r].direction_i = self.direction_i;
            for c in 0..self._cols {
                let at = r * self._cols + c;
                let above = (r + self._rows - 1) % self._rows;
                self.sum_o[at] = self.row[r].sum_o[c];
                self.above[at] = self.row[above].sum_o[c];
                self.below[at] = self.row[(r + 1) % self._rows].sum_o[c];
                self.row[r].above_i[c] = self.above[at];
                self.row[r].below_i[c] = self.below[at];
            }
            self.read = self.read | self.row[r].read_o;
        }
        self.data.load(self.ren_i, self.read);
    }
}
