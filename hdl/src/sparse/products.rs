//! From values and weights to products and the words that they belong to.

use super::waves::*;
use heddle_kernel::prelude::*;

/// Multiplies a value with a word of weights, and finds the word of sums. What is not kept is dropped.
///
/// A value at (row, column) and a weight at (kernel row, kernel column) belong to the result at row + (kernel rows - 1) - kernel row,
/// columns likewise.
///
/// # Timing
/// Word of weights (`tap_i`) in cycle T: its memory is read in T, `weight_i` and `index_i` are taken in T+1, the place of the products is
/// told in T+3, and the products are at the outputs in T+5. While `hold_i` is high nothing moves. The settings are stable while `busy_o` is high.
#[module]
pub struct UnitProducts {
    /// Nothing moves.
    pub hold_i: Signal<In, Bit>,
    /// A word of weights is read.
    pub tap_i: Signal<In, Bit>,
    /// The value that it meets.
    pub entry_i: Entry<In>,
    /// The weights, one cycle later.
    pub weight_i: [Signal<In, Bits<8>>; lanes],
    /// Their index, one cycle later: kernel row in bits 3..0, column 7..4, group 11..8.
    pub index_i: Signal<In, Bits<16>>,
    /// Kernel rows less 1.
    pub kernel_rows_i: Signal<In, Bits<4>>,
    /// Kernel columns less 1.
    pub kernel_cols_i: Signal<In, Bits<4>>,
    /// The place that is told is that of a result that is kept.
    pub is_in_i: Signal<In, Bit>,
    /// How they lie in the memory of sums.
    pub layout_i: SumLayout<In>,
    /// Row of results.
    pub result_row: OutRegData<Bits<9>>,
    /// Their column.
    pub result_col: OutRegData<Bits<9>>,
    /// There is a word of products.
    pub valid_o: Signal<Out, Bit>,
    /// The word of sums to which they belong.
    pub addr: OutRegData<Bits<16>>,
    /// The word of those behind them.
    pub next_addr: OutRegData<Bits<16>>,
    /// The products, two's complement.
    pub product_o: [Signal<Out, Bits<17>>; lanes],
    /// A word of products is dropped in this cycle.
    pub drop_o: Signal<Out, Bit>,
    /// There is a word of weights here.
    pub busy_o: Signal<Out, Bit>,
    mul: [MulS<9, 8, 17>; lanes],
    /// Words that stand at the memory, in registers, whose place is known, that are in the window, and their products.
    busy: [RegEn<Bit>; 5],
    /// Factors wait for the place of their products: they have fewer bits.
    value: [RegData<Bits<9>>; 4],
    row: [RegData<Bits<8>>; 2],
    col: [RegData<Bits<8>>; 2],
    weight: [[RegData<Bits<8>>; lanes]; 3],
    index: RegData<Bits<16>>,
    product: [RegData<Bits<17>>; lanes],
    /// Their group.
    group: RegData<Bits<4>>,
    /// The next ones are kept.
    keeps: RegData<Bit>,
    moves: Signal<Local, Bit>,
    /// Words of weights at once.
    _lanes: Param<'g'>,
}

#[kernel]
impl UnitProducts {
    fn update(&mut self) {
        self.moves = !self.hold_i;
        self.busy[0].load(self.moves, self.tap_i);
        for i in 0..3 {
            self.busy[i + 1].load(self.moves, self.busy[i]);
        }
        self.busy[4].load(self.moves, self.busy[3] & self.keeps);
        self.value[0].load(self.moves, self.entry_i.value);
        self.row[0].load(self.moves, self.entry_i.row);
        self.col[0].load(self.moves, self.entry_i.col);
        comment!("The weights stand in registers");
        self.value[1].load(self.moves, self.value[0]);
        self.row[1].load(self.moves, self.row[0]);
        self.col[1].load(self.moves, self.col[0]);
        self.index.load(self.moves, self.index_i);
        self.value[2].load(self.moves, self.value[1]);
        self.value[3].load(self.moves, self.value[2]);
        for i in 0..self._lanes {
            self.weight[0][i].load(self.moves, self.weight_i[i]);
            self.weight[1][i].load(self.moves, self.weight[0][i]);
            self.weight[2][i].load(self.moves, self.weight[1][i]);
        }
        comment!("The place of the results");
        self.result_row.load(
            self.moves,
            bit_cast::<9, 8>(self.row[1]) + bit_cast::<9, 4>(self.kernel_rows_i)
                - bit_cast::<9, 4>(self.index.get_bits::<4>(0)),
        );
        self.result_col.load(
            self.moves,
            bit_cast::<9, 8>(self.col[1]) + bit_cast::<9, 4>(self.kernel_cols_i)
                - bit_cast::<9, 4>(self.index.get_bits::<4>(4)),
        );
        self.group.load(self.moves, self.index.get_bits::<4>(8));
        comment!("Their word of sums, if they are in the window");
        self.keeps.load(self.moves, self.is_in_i);
        self.next_addr.load(
            self.moves,
            (bit_cast::<16, 4>(self.group) << self.layout_i.area)
                + (bit_cast::<16, 9>(self.result_row) << self.layout_i.pitch)
                + bit_cast::<16, 9>(self.result_col),
        );
        self.drop_o = self.moves & self.busy[3] & !self.keeps;
        comment!("Products");
        for i in 0..self._lanes {
            self.mul[i].a_i = signed_cast(self.value[3]);
            self.mul[i].b_i = signed_cast(self.weight[2][i]);
            self.product[i].load(self.moves, unsigned_cast(self.mul[i].p_o));
            self.product_o[i] = self.product[i];
        }
        self.addr.load(self.moves, self.next_addr);
        self.valid_o = self.busy[4];
        self.busy_o = self.busy[0] | self.busy[1] | self.busy[2] | self.busy[3] | self.busy[4];
    }
}
