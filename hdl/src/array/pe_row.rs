//! One row of the array.

use super::Pe;
use crate::buffer::RowFeed;
use heddle_kernel::prelude::*;

/// One row of cells: operands move to the right, sums pass through from top to bottom.
///
/// Weights arrive in words of eight bytes. Cell c takes byte c of the word, or, from column 8
/// on, the shadow weight of cell c-8, so that one word moves the weights of all columns on by
/// eight. The word of the last columns is shifted in first.
///
/// # Timing
/// An operand on `x_i` in cycle T reaches column c in T+c; it meets `psum_i` of that column in
/// T+c+1 and leaves in `psum_o` in T+c+2.
#[module(grid)]
pub struct PeRow {
    /// Operand, and weight word with byte k for column k.
    pub ports_i: RowFeed<In>,
    /// Sums from above, one per column.
    pub psum_i: [Signal<In, Bits<32>>; cols],
    /// Sums to the row below.
    pub psum_o: [Signal<Out, Bits<32>>; cols],
    pe: [Pe; cols],
    /// Operand entering each column, last: leaving the row.
    x: [Signal<Local, Bits<9>>; cols + 1],
    /// The operand entering each column is not zero, last: leaving the row.
    nz: [Signal<Local, Bit>; cols + 1],
    /// Swap flag entering each column, last: leaving the row.
    swap: [Signal<Local, Bit>; cols + 1],
    /// Weight entering each column, last eight: leaving the row.
    w: [Signal<Local, Bits<8>>; cols + 8],
    /// Columns.
    _cols: Param<'c'>,
}

#[kernel]
impl PeRow {
    fn update(&mut self) {
        self.x[0] = self.ports_i.x;
        self.nz[0] = self.ports_i.nz;
        self.swap[0] = self.ports_i.swap;
        for k in 0..8 {
            self.w[k] = self.ports_i.w[k];
        }
        for i in 0..self._cols {
            self.pe[i].x_i = self.x[i];
            self.pe[i].nz_i = self.nz[i];
            self.pe[i].swap_i = self.swap[i];
            self.pe[i].shift_i = self.ports_i.shift;
            self.pe[i].w_i = self.w[i];
            self.pe[i].psum_i = self.psum_i[i];
            self.x[i + 1] = self.pe[i].x_o;
            self.nz[i + 1] = self.pe[i].nz_o;
            self.swap[i + 1] = self.pe[i].swap_o;
            self.w[i + 8] = self.pe[i].w_o;
            self.psum_o[i] = self.pe[i].psum_o;
        }
    }
}
