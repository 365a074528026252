//! The whole array.

use super::PeRow;
use crate::prelude::*;

/// Weight-stationary systolic array: computes the products of operand vectors and a weight
/// tile, one vector per clock.
///
/// # Timing
/// Operands enter skewed: with row 0 of a vector on `x_i` in cycle T, row r is on it in T+r.
/// The sums that enter at the top of column c are taken from `psum_i` in T+c+1, the results
/// are on `psum_o` of column c in T+rows+c+1. Each row swaps and shifts its weights on its own.
#[derive(LogicBlock)]
pub struct PeArray {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// One operand per row, two's complement.
    pub x_i: Vec<Signal<In, Bits<9>>>,
    /// One per row: the operand is not zero; if low, `x_i` is ignored.
    pub nz_i: Vec<Signal<In, Bit>>,
    /// One per row: the shadow weights become active behind this operand.
    pub swap_i: Vec<Signal<In, Bit>>,
    /// One per row: shifts one weight word in.
    pub shift_i: Vec<Signal<In, Bit>>,
    /// One weight word of eight bytes per row.
    pub w_i: Vec<Vec<Signal<In, Bits<8>>>>,
    /// Sums entering at the top, one per column.
    pub psum_i: Vec<Signal<In, Bits<32>>>,
    /// Sums leaving at the bottom, one per column.
    pub psum_o: Vec<Signal<Out, Bits<32>>>,
    row: Vec<PeRow>,
    /// Sums entering each row, last: leaving the array.
    psum: Vec<Vec<Signal<Local, Bits<32>>>>,
    _rows: usize,
    _cols: usize,
}

impl PeArray {
    /// An array of `rows` rows and `cols` columns.
    pub fn new(rows: usize, cols: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            x_i: v(rows),
            nz_i: v(rows),
            swap_i: v(rows),
            shift_i: v(rows),
            w_i: (0..rows).map(|_| v(8)).collect(),
            psum_i: v(cols),
            psum_o: v(cols),
            row: (0..rows).map(|_| PeRow::new(cols)).collect(),
            psum: (0..rows + 1).map(|_| v(cols)).collect(),
            _rows: rows,
            _cols: cols,
        }
    }
}

impl Logic for PeArray {
    #[hdl_gen]
    fn update(&mut self) {
        for j in 0..self._cols {
            self.psum[0][j].next = self.psum_i[j].val();
        }
        for i in 0..self._rows {
            self.row[i].clk.next = self.clk.val();
            self.row[i].rst_n.next = self.rst_n.val();
            self.row[i].x_i.next = self.x_i[i].val();
            self.row[i].nz_i.next = self.nz_i[i].val();
            self.row[i].swap_i.next = self.swap_i[i].val();
            self.row[i].shift_i.next = self.shift_i[i].val();
            for k in 0..8 {
                self.row[i].w_i[k].next = self.w_i[i][k].val();
            }
            for j in 0..self._cols {
                self.row[i].psum_i[j].next = self.psum[i][j].val();
                self.psum[i + 1][j].next = self.row[i].psum_o[j].val();
            }
        }
        for j in 0..self._cols {
            self.psum_o[j].next = self.psum[self._rows][j].val();
        }
    }
    module!(|this| Meta::module("pe_array")
        .param("rows", "r", this._rows, "rows")
        .param("cols", "c", this._cols, "columns")
        .grid());
}
