//! One row of the array.

use super::Pe;
use crate::prelude::*;

/// One row of cells: operands move to the right, sums pass through from top to bottom.
///
/// Weights arrive in words of eight bytes. Cell c takes byte c of the word, or, from column 8
/// on, the shadow weight of cell c-8, so that one word moves the weights of all columns on by
/// eight. The word of the last columns is shifted in first.
///
/// # Timing
/// An operand on `x_i` in cycle T reaches column c in T+c; it meets `psum_i` of that column in
/// T+c+1 and leaves in `psum_o` in T+c+2.
#[derive(LogicBlock)]
pub struct PeRow {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Operand, two's complement.
    pub x_i: Signal<In, Bits<9>>,
    /// The operand is not zero; if low, `x_i` is ignored.
    pub nz_i: Signal<In, Bit>,
    /// The shadow weights become active behind this operand.
    pub swap_i: Signal<In, Bit>,
    /// Shifts one weight word in.
    pub shift_i: Signal<In, Bit>,
    /// Weight word, byte k for column k.
    pub w_i: Vec<Signal<In, Bits<8>>>,
    /// Sums from above, one per column.
    pub psum_i: Vec<Signal<In, Bits<32>>>,
    /// Sums to the row below.
    pub psum_o: Vec<Signal<Out, Bits<32>>>,
    pe: Vec<Pe>,
    /// Operand entering each column, last: leaving the row.
    x: Vec<Signal<Local, Bits<9>>>,
    /// The operand entering each column is not zero, last: leaving the row.
    nz: Vec<Signal<Local, Bit>>,
    /// Swap flag entering each column, last: leaving the row.
    swap: Vec<Signal<Local, Bit>>,
    /// Weight entering each column, last eight: leaving the row.
    w: Vec<Signal<Local, Bits<8>>>,
    _cols: usize,
}

impl PeRow {
    /// A row of `cols` cells.
    pub fn new(cols: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            x_i: Default::default(),
            nz_i: Default::default(),
            swap_i: Default::default(),
            shift_i: Default::default(),
            w_i: v(8),
            psum_i: v(cols),
            psum_o: v(cols),
            pe: v(cols),
            x: v(cols + 1),
            nz: v(cols + 1),
            swap: v(cols + 1),
            w: v(cols + 8),
            _cols: cols,
        }
    }
}

impl Logic for PeRow {
    #[hdl_gen]
    fn update(&mut self) {
        self.x[0].next = self.x_i.val();
        self.nz[0].next = self.nz_i.val();
        self.swap[0].next = self.swap_i.val();
        for k in 0..8 {
            self.w[k].next = self.w_i[k].val();
        }
        for i in 0..self._cols {
            self.pe[i].clk.next = self.clk.val();
            self.pe[i].rst_n.next = self.rst_n.val();
            self.pe[i].x_i.next = self.x[i].val();
            self.pe[i].nz_i.next = self.nz[i].val();
            self.pe[i].swap_i.next = self.swap[i].val();
            self.pe[i].shift_i.next = self.shift_i.val();
            self.pe[i].w_i.next = self.w[i].val();
            self.pe[i].psum_i.next = self.psum_i[i].val();
            self.x[i + 1].next = self.pe[i].x_o.val();
            self.nz[i + 1].next = self.pe[i].nz_o.val();
            self.swap[i + 1].next = self.pe[i].swap_o.val();
            self.w[i + 8].next = self.pe[i].w_o.val();
            self.psum_o[i].next = self.pe[i].psum_o.val();
        }
    }
    module!(|this| Meta::module("pe_row")
        .param("cols", "c", this._cols, "columns")
        .grid());
}
