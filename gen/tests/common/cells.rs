//! A cell, a row of cells, a grid of cells.

use heddle_hdl::prelude::*;

/// One processing cell: stores a weight, adds operand times weight to a passing sum.
///
/// # Timing
/// One cycle from `x_i` to `x_o` and from `sum_i` to `sum_o`.
#[derive(LogicBlock, Default)]
pub struct Cell {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
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
    #[hdl_gen]
    fn update(&mut self) {
        self.weight.clk.next = self.clk.val();
        self.weight.rst_n.next = self.rst_n.val();
        self.weight.en_i.next = self.load_i.val();
        self.weight.d_i.next = self.weight_i.val();

        self.x.clk.next = self.clk.val();
        self.x.d_i.next = self.x_i.val();
        self.x_o.next = self.x.q_o.val();

        self.mul.a_i.next = self.x_i.val();
        self.mul.b_i.next = self.weight.q_o.val();
        self.sum.clk.next = self.clk.val();
        self.sum.rst_n.next = self.rst_n.val();
        self.sum.d_i.next = self.sum_i.val() + bit_cast_signed::<24, 16>(self.mul.p_o.val());
        self.sum_o.next = self.sum.q_o.val();
    }
    module!(|_this| Meta::module("cell"));
}

/// A row of cells. Operands and sums move one cell per cycle.
#[derive(LogicBlock)]
pub struct Row {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Stores the weights.
    pub load_i: Signal<In, Bit>,
    /// One weight per cell.
    pub weight_i: Vec<Signal<In, Signed<8>>>,
    /// Operand entering the first cell.
    pub x_i: Signal<In, Signed<8>>,
    /// Sum leaving the last cell.
    pub sum_o: Signal<Out, Signed<24>>,
    cell: Vec<Cell>,
    x: Vec<Signal<Local, Signed<8>>>,
    sum: Vec<Signal<Local, Signed<24>>>,
    _cols: usize,
}

impl Row {
    /// A row of `cols` cells.
    pub fn new(cols: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            load_i: Default::default(),
            weight_i: v(cols),
            x_i: Default::default(),
            sum_o: Default::default(),
            cell: v(cols),
            x: v(cols + 1),
            sum: v(cols + 1),
            _cols: cols,
        }
    }
}

impl Logic for Row {
    #[hdl_gen]
    fn update(&mut self) {
        self.x[0].next = self.x_i.val();
        self.sum[0].next = 0.into();
        for i in 0..self._cols {
            self.cell[i].clk.next = self.clk.val();
            self.cell[i].rst_n.next = self.rst_n.val();
            self.cell[i].load_i.next = self.load_i.val();
            self.cell[i].weight_i.next = self.weight_i[i].val();
            self.cell[i].x_i.next = self.x[i].val();
            self.cell[i].sum_i.next = self.sum[i].val();
            self.x[i + 1].next = self.cell[i].x_o.val();
            self.sum[i + 1].next = self.cell[i].sum_o.val();
        }
        self.sum_o.next = self.sum[self._cols].val();
    }
    module!(|this| Meta::module("row").param("cols", "c", this._cols, "cells"));
}

/// A grid of cells: weights enter by row and column, sums leave by row.
#[derive(LogicBlock)]
pub struct Grid {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Stores the weights of a row.
    pub load_i: Vec<Signal<In, Bit>>,
    /// Weights by row and column.
    pub weight_i: Vec<Vec<Signal<In, Signed<8>>>>,
    /// Operands by row.
    pub x_i: Vec<Signal<In, Signed<8>>>,
    /// Sums by row.
    pub sum_o: Vec<Signal<Out, Signed<24>>>,
    cell: Vec<Vec<Cell>>,
    x: Vec<Vec<Signal<Local, Signed<8>>>>,
    sum: Vec<Vec<Signal<Local, Signed<24>>>>,
    _rows: usize,
    _cols: usize,
}

impl Grid {
    /// A grid of `rows` by `cols` cells.
    pub fn new(rows: usize, cols: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            load_i: v(rows),
            weight_i: (0..rows).map(|_| v(cols)).collect(),
            x_i: v(rows),
            sum_o: v(rows),
            cell: (0..rows).map(|_| v(cols)).collect(),
            x: (0..rows).map(|_| v(cols + 1)).collect(),
            sum: (0..rows).map(|_| v(cols + 1)).collect(),
            _rows: rows,
            _cols: cols,
        }
    }
}

impl Logic for Grid {
    #[hdl_gen]
    fn update(&mut self) {
        for r in 0..self._rows {
            self.x[r][0].next = self.x_i[r].val();
            self.sum[r][0].next = 0.into();
            for c in 0..self._cols {
                self.cell[r][c].clk.next = self.clk.val();
                self.cell[r][c].rst_n.next = self.rst_n.val();
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
    module!(|this| Meta::module("grid")
        .param("rows", "r", this._rows, "rows of cells")
        .param("cols", "c", this._cols, "cells of a row"));
}
