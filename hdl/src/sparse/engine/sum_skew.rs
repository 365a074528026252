//! From the sums of the cluster to the columns of post-processing.

use heddle_kernel::prelude::*;

/// Delays the sum of column c by c + 1 cycles, so that the sums of a position meet the post wave.
///
/// # Timing
/// `leaves_i` in cycle T: `takes_o` of column c is high in T + c + 1, `sum_o` has its sum.
#[module(name = "sparse_sum_skew")]
pub struct SumSkew {
    /// There are sums.
    pub leaves_i: Signal<In, Bit>,
    /// The sums.
    pub sum_i: [Signal<In, Bits<32>>; cols],
    /// The column takes its sum.
    pub takes_o: [Signal<Out, Bit>; cols],
    /// The sum.
    pub sum_o: [Signal<Out, Bits<32>>; cols],
    takes: [Reg<Bit>; cols],
    /// Column c has c + 1 stages, behind those of the columns before.
    sum: [Delay<Bits<32>>; stages],
    at: [Signal<Local, Bits<32>>; stages + cols],
    /// Columns.
    _cols: Param<'c'>,
    #[new((cols * cols + cols) / 2)]
    _stages: usize,
}

#[kernel]
impl SumSkew {
    fn update(&mut self) {
        self.takes.shift_in(self.leaves_i);
        for c in 0..self._cols {
            let first = (c * c + 3 * c) / 2;
            self.at[first] = self.sum_i[c];
            for at in first..first + c + 1 {
                let stage = at - c;
                self.sum[stage] = self.at[at];
                self.at[at + 1] = self.sum[stage];
            }
            self.sum_o[c] = self.at[first + c + 1];
            self.takes_o[c] = self.takes[c];
        }
    }
}
