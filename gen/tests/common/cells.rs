//! A cell, a row of cells, a grid of cells.

use heddle_kernel::prelude::*;

/// One processing cell: stores a weight, adds operand times weight to a passing sum.
///
/// # Timing
/// One cycle from `x_i` to `x_o` and from `sum_i` to `sum_o`.
#[module]
pub struct Cell {
    /// High while `weight_i` is to be stored.
    pub load_i: Signal<In, Bit>,
    /// Weight.
    pub weight_i: Signal<In, Signed<8>>,
    /// Operand from the left.
    pub x_i: Signal<In, Signed<8>>,
    /// Operand to the right.
    pub x_o: Signal<Out, Signed<8>>,
    /// Sum from the left.
    pub sum_i: Signal<In, Signed<24>>,
    /// Sum to the right.
    pub sum_o: Signal<Out, Signed<24>>,
    /// Stored weight.
    weight: RegEn<Signed<8>>,
    x: Delay<Signed<8>>,
    sum: Reg<Signed<24>>,
    mul: MulS<8, 8, 16>,
}

#[kernel]
impl Cell {
    fn update(&mut self) {
        self.weight.en_i = self.load_i;
        self.weight = self.weight_i;

        self.x = self.x_i;
        self.x_o = self.x;

        self.mul.a_i = self.x_i;
        self.mul.b_i = self.weight;
        self.sum = self.sum_i + bit_cast_signed::<24, 16>(self.mul.p_o);
        self.sum_o = self.sum;
    }
}

/// A row of cells. Operands and sums move one cell per cycle.
#[module]
pub struct Row {
    /// Stores the weights.
    pub load_i: Signal<In, Bit>,
    /// One weight per cell.
    pub weight_i: [Signal<In, Signed<8>>; cols],
    /// Operand entering the first cell.
    pub x_i: Signal<In, Signed<8>>,
    /// Sum leaving the last cell.
    pub sum_o: Signal<Out, Signed<24>>,
    cell: [Cell; cols],
    x: [Signal<Local, Signed<8>>; cols + 1],
    sum: [Signal<Local, Signed<24>>; cols + 1],
    /// Cells.
    _cols: Param<'c'>,
}

#[kernel]
impl Row {
    fn update(&mut self) {
        self.x[0] = self.x_i;
        self.sum[0] = 0.into();
        for i in 0..self._cols {
            self.cell[i].load_i = self.load_i;
            self.cell[i].weight_i = self.weight_i[i];
            self.cell[i].x_i = self.x[i];
            self.cell[i].sum_i = self.sum[i];
            self.x[i + 1] = self.cell[i].x_o;
            self.sum[i + 1] = self.cell[i].sum_o;
        }
        self.sum_o = self.sum[self._cols];
    }
}

/// A grid of cells: weights enter by row and column, sums leave by row.
#[module]
pub struct Grid {
    /// Stores the weights of a row.
    pub load_i: [Signal<In, Bit>; rows],
    /// Weights by row and column.
    pub weight_i: [[Signal<In, Signed<8>>; cols]; rows],
    /// Operands by row.
    pub x_i: [Signal<In, Signed<8>>; rows],
    /// Sums by row.
    pub sum_o: [Signal<Out, Signed<24>>; rows],
    cell: [[Cell; cols]; rows],
    x: [[Signal<Local, Signed<8>>; cols + 1]; rows],
    sum: [[Signal<Local, Signed<24>>; cols + 1]; rows],
    /// Rows of cells.
    _rows: Param<'r'>,
    /// Cells of a row.
    _cols: Param<'c'>,
}

#[kernel]
impl Grid {
    fn update(&mut self) {
        for r in 0..self._rows {
            self.x[r][0] = self.x_i[r];
            self.sum[r][0] = 0.into();
            for c in 0..self._cols {
                self.cell[r][c].load_i = self.load_i[r];
                self.cell[r][c].weight_i = self.weight_i[r][c];
                self.cell[r][c].x_i = self.x[r][c];
                self.cell[r][c].sum_i = self.sum[r][c];
                self.x[r][c + 1] = self.cell[r][c].x_o;
                self.sum[r][c + 1] = self.cell[r][c].sum_o;
            }
            self.sum_o[r] = self.sum[r][self._cols];
        }
    }
}
