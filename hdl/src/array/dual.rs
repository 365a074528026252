//! The whole array that keeps weights or sums.

use super::{DualRow, DualSlot};
use heddle_kernel::prelude::*;

/// Systolic array that multiplies operand vectors with weights that stay in its cells (weight
/// stationary), or operands and weights that both pass by, with the sums staying (output
/// stationary). Every slot says for itself what it is; modes may change from slot to slot.
///
/// A *slot* is one position of the wave that enters row 0 and moves one row down and one column to
/// the right per clock. It may be a step, have weights for one row, and drain sums. A slot without any
/// of them changes nothing.
///
/// Sums that stayed leave by moving down. All rows of a column move in the same clocks although
/// they end one clock after another: behind the last step come rows - 1 draining slots with
/// `wait_i` = rows - 1, .., 1. A row lets them pass until their count, which every row takes one
/// from, has come to 0: row 0 waits rows - 1 clocks, the last row moves at once. The sum of the
/// last row leaves with the last step itself, the ones of the rows above with the draining slots,
/// row 0 last. The next step may follow at once: it enters a row in the very clock in which the
/// row below has taken the last sum from it.
///
/// # Timing
/// Control of a slot in cycle T: operand of row r on `x_i` and `nz_i` in T+r+1, weight of column c
/// on `w_i` in T+c+1. With stationary weights `psum_i` of column c is used in T+c+3. `tag_o` shows
/// the tag in T+rows, `psum_o` of column c the sum in T+rows+c+3. A weight for row r may be in the
/// slot before the first step that needs it, and in the slot after the last step that needs the
/// weight before, as long as the rows are loaded in the order 0, 1, ...
#[module]
pub struct DualArray {
    /// Control of a slot.
    pub wave_i: DualSlot<In>,
    /// Tag of the slot that leaves the last row.
    pub tag_o: Signal<Out, Bits<4>>,
    /// One operand per row, two's complement.
    pub x_i: [Signal<In, Bits<8>>; rows],
    /// One per row: the operand is not zero; if low, `x_i` is ignored.
    pub nz_i: [Signal<In, Bit>; rows],
    /// One weight per column, two's complement.
    pub w_i: [Signal<In, Bits<8>>; cols],
    /// Sums entering at the top, one per column.
    pub psum_i: [Signal<In, Bits<32>>; cols],
    /// Sums leaving at the bottom, one per column.
    pub psum_o: [Signal<Out, Bits<32>>; cols],
    #[new(DualRow::new(cols))]
    row: [DualRow; rows],
    slot: [DualSlot<Local>; rows + 1],
    /// Weights entering each row, last: leaving the array.
    w: [[Signal<Local, Bits<8>>; cols]; rows + 1],
    /// Sums entering each row, last: leaving the array.
    psum: [[Signal<Local, Bits<32>>; cols]; rows + 1],
    /// Rows.
    _rows: Param<'r'>,
    /// Columns.
    _cols: Param<'c'>,
}

#[kernel]
impl DualArray {
    fn update(&mut self) {
        self.slot[0].follow(&self.wave_i);
        self.w[0].follow(&self.w_i);
        self.psum[0].follow(&self.psum_i);
        for i in 0..self._rows {
            self.row[i].wave_i.follow(&self.slot[i]);
            self.slot[i + 1].follow(&self.row[i].wave_o);
            self.row[i].x_i = self.x_i[i];
            self.row[i].nz_i = self.nz_i[i];
            self.row[i].w_i.follow(&self.w[i]);
            self.w[i + 1].follow(&self.row[i].w_o);
            self.row[i].psum_i.follow(&self.psum[i]);
            self.psum[i + 1].follow(&self.row[i].psum_o);
        }
        self.tag_o = self.slot[self._rows].tag;
        self.psum_o.follow(&self.psum[self._rows]);
    }
}
