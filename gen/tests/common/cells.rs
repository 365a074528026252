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

impl Logic for Cell {
    #[kernel]
    fn update(&mut self) {
        self.weight.en_i.next = self.load_i.val();
        self.weight.d_i.next = self.weight_i.val();

        self.x.d_i.next = self.x_i.val();
        self.x_o.next = self.x.q_o.val();

        self.mul.a_i.next = self.x_i.val();
        self.mul.b_i.next = self.weight.q_o.val();
        self.sum.d_i.next = self.sum_i.val() + bit_cast_signed::<24, 16>(self.mul.p_o.val());
        self.sum_o.next = self.sum.q_o.val();
    }
    describe!(|_this| Meta::module("cell"));
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
    _cols: usize,
}

impl Logic for Row {
    #[kernel]
    fn update(&mut self) {
        self.x[0].next = self.x_i.val();
        self.sum[0].next = 0.into();
        for i in 0..self._cols {
            self.cell[i].load_i.next = self.load_i.val();
            self.cell[i].weight_i.next = self.weight_i[i].val();
            self.cell[i].x_i.next = self.x[i].val();
            self.cell[i].sum_i.next = self.sum[i].val();
            self.x[i + 1].next = self.cell[i].x_o.val();
            self.sum[i + 1].next = self.cell[i].sum_o.val();
        }
        self.sum_o.next = self.sum[self._cols].val();
    }
    describe!(|this| Meta::module("row").param("cols", "c", this._cols, "cells"));
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
    _rows: usize,
    _cols: usize,
}

impl Logic for Grid {
    #[kernel]
    fn update(&mut self) {
        for r in 0..self._rows {
            self.x[r][0].next = self.x_i[r].val();
            self.sum[r][0].next = 0.into();
            for c in 0..self._cols {
                self.cell[r][c].load_i.next = self.load_i[r].val();
                self.cell[r][c].weight_i.next = self.weight_i[r][c].val();
                self.cell[r][c].x_i.next = self.x[r][c].val();
                self.cell[r][c].sum_i.next = self.sum[r][c].val();
                self.x[r][c + 1].next = self.cell[r][c].x_o.val();
                self.sum[r][c + 1].next = self.cell[r][c].sum_o.val();
            }
            self.sum_o[r].next = self.sum[r][self._cols].val();
        }
    }
    describe!(|this| Meta::module("grid")
        .param("rows", "r", this._rows, "rows of cells")
        .param("cols", "c", this._cols, "cells of a row"));
}
