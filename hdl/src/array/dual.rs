//! The whole array that keeps weights or sums.

use super::DualRow;
use crate::prelude::*;

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
/// slot before the first step that needs it, and in the slot behind the last step that needs the
/// weight before, as long as the rows are loaded in the order 0, 1, ...
#[derive(LogicBlock)]
pub struct DualArray {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// The slot is a step.
    pub step_i: Signal<In, Bit>,
    /// The step uses the weights that stay, and sums move down; else sums stay.
    pub stay_i: Signal<In, Bit>,
    /// First step of sums that stay: they begin from 0.
    pub first_i: Signal<In, Bit>,
    /// Row `row_i` takes the weights of this slot for its own.
    pub load_i: Signal<In, Bit>,
    /// Row of the weights.
    pub row_i: Signal<In, Bits<9>>,
    /// Sums that stayed move down, except in the first rows.
    pub drain_i: Signal<In, Bit>,
    /// Number of these rows.
    pub wait_i: Signal<In, Bits<9>>,
    /// Carried along with the slot.
    pub tag_i: Signal<In, Bits<4>>,
    /// Tag of the slot that leaves the last row.
    pub tag_o: Signal<Out, Bits<4>>,
    /// One operand per row, two's complement.
    pub x_i: Vec<Signal<In, Bits<8>>>,
    /// One per row: the operand is not zero; if low, `x_i` is ignored.
    pub nz_i: Vec<Signal<In, Bit>>,
    /// One weight per column, two's complement.
    pub w_i: Vec<Signal<In, Bits<8>>>,
    /// Sums entering at the top, one per column.
    pub psum_i: Vec<Signal<In, Bits<32>>>,
    /// Sums leaving at the bottom, one per column.
    pub psum_o: Vec<Signal<Out, Bits<32>>>,
    row: Vec<DualRow>,
    step: Vec<Signal<Local, Bit>>,
    stay: Vec<Signal<Local, Bit>>,
    first: Vec<Signal<Local, Bit>>,
    load: Vec<Signal<Local, Bit>>,
    load_row: Vec<Signal<Local, Bits<9>>>,
    drain: Vec<Signal<Local, Bit>>,
    waiting: Vec<Signal<Local, Bits<9>>>,
    tag: Vec<Signal<Local, Bits<4>>>,
    /// Weights entering each row, last: leaving the array.
    w: Vec<Vec<Signal<Local, Bits<8>>>>,
    /// Sums entering each row, last: leaving the array.
    psum: Vec<Vec<Signal<Local, Bits<32>>>>,
    _rows: usize,
    _cols: usize,
}

impl DualArray {
    /// An array of `rows` rows and `cols` columns, at most 256 of each.
    pub fn new(rows: usize, cols: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            step_i: Default::default(),
            stay_i: Default::default(),
            first_i: Default::default(),
            load_i: Default::default(),
            row_i: Default::default(),
            drain_i: Default::default(),
            wait_i: Default::default(),
            tag_i: Default::default(),
            tag_o: Default::default(),
            x_i: v(rows),
            nz_i: v(rows),
            w_i: v(cols),
            psum_i: v(cols),
            psum_o: v(cols),
            row: (0..rows).map(|_| DualRow::new(cols)).collect(),
            step: v(rows + 1),
            stay: v(rows + 1),
            first: v(rows + 1),
            load: v(rows + 1),
            load_row: v(rows + 1),
            drain: v(rows + 1),
            waiting: v(rows + 1),
            tag: v(rows + 1),
            w: (0..rows + 1).map(|_| v(cols)).collect(),
            psum: (0..rows + 1).map(|_| v(cols)).collect(),
            _rows: rows,
            _cols: cols,
        }
    }
}

impl Logic for DualArray {
    #[hdl_gen]
    fn update(&mut self) {
        self.step[0].next = self.step_i.val();
        self.stay[0].next = self.stay_i.val();
        self.first[0].next = self.first_i.val();
        self.load[0].next = self.load_i.val();
        self.drain[0].next = self.drain_i.val();
        self.load_row[0].next = self.row_i.val();
        self.waiting[0].next = self.wait_i.val();
        self.tag[0].next = self.tag_i.val();
        for j in 0..self._cols {
            self.w[0][j].next = self.w_i[j].val();
            self.psum[0][j].next = self.psum_i[j].val();
        }
        for i in 0..self._rows {
            self.row[i].clk.next = self.clk.val();
            self.row[i].rst_n.next = self.rst_n.val();
            self.row[i].step_i.next = self.step[i].val();
            self.row[i].stay_i.next = self.stay[i].val();
            self.row[i].first_i.next = self.first[i].val();
            self.row[i].load_i.next = self.load[i].val();
            self.row[i].drain_i.next = self.drain[i].val();
            self.row[i].row_i.next = self.load_row[i].val();
            self.row[i].wait_i.next = self.waiting[i].val();
            self.row[i].tag_i.next = self.tag[i].val();
            self.step[i + 1].next = self.row[i].step_o.val();
            self.stay[i + 1].next = self.row[i].stay_o.val();
            self.first[i + 1].next = self.row[i].first_o.val();
            self.load[i + 1].next = self.row[i].load_o.val();
            self.drain[i + 1].next = self.row[i].drain_o.val();
            self.load_row[i + 1].next = self.row[i].row_o.val();
            self.waiting[i + 1].next = self.row[i].wait_o.val();
            self.tag[i + 1].next = self.row[i].tag_o.val();
            self.row[i].x_i.next = self.x_i[i].val();
            self.row[i].nz_i.next = self.nz_i[i].val();
            for j in 0..self._cols {
                self.row[i].w_i[j].next = self.w[i][j].val();
                self.w[i + 1][j].next = self.row[i].w_o[j].val();
                self.row[i].psum_i[j].next = self.psum[i][j].val();
                self.psum[i + 1][j].next = self.row[i].psum_o[j].val();
            }
        }
        self.tag_o.next = self.tag[self._rows].val();
        for j in 0..self._cols {
            self.psum_o[j].next = self.psum[self._rows][j].val();
        }
    }
    module!(|this| Meta::module("dual_array")
        .param("rows", "r", this._rows, "rows")
        .param("cols", "c", this._cols, "columns"));
}
