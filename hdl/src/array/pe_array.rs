//! The whole array.

use super::PeRow;
use crate::buffer::RowFeed;
use heddle_kernel::prelude::*;

/// Weight-stationary systolic array: computes the products of operand vectors and a weight
/// tile, one vector per clock.
///
/// # Timing
/// Operands enter skewed: with row 0 of a vector on `x_i` in cycle T, row r is on it in T+r.
/// The sums that enter at the top of column c are taken from `psum_i` in T+c+1, the results
/// are on `psum_o` of column c in T+rows+c+1. Each row swaps and shifts its weights on its own.
#[module(grid)]
pub struct PeArray {
    /// One per row: operand and weight word.
    pub ports_i: [RowFeed<In>; rows],
    /// Sums entering at the top, one per column.
    pub psum_i: [Signal<In, Bits<32>>; cols],
    /// Sums leaving at the bottom, one per column.
    pub psum_o: [Signal<Out, Bits<32>>; cols],
    #[new(PeRow::new(cols))]
    row: [PeRow; rows],
    /// Sums entering each row, last: leaving the array.
    psum: [[Signal<Local, Bits<32>>; cols]; rows + 1],
    /// Rows.
    _rows: Param<'r'>,
    /// Columns.
    _cols: Param<'c'>,
}

#[kernel]
impl PeArray {
    fn update(&mut self) {
        self.psum[0].follow(&self.psum_i);
        for i in 0..self._rows {
            self.row[i].ports_i.follow(&self.ports_i[i]);
            self.row[i].psum_i.follow(&self.psum[i]);
            self.psum[i + 1].follow(&self.row[i].psum_o);
        }
        self.psum_o.follow(&self.psum[self._rows]);
    }
}
