//! A compute unit.

use super::{RegionWindows, UnitProducts, UnitSums, UnitTaps, UnitWeights, waves::*};
use heddle_kernel::prelude::*;

/// Convolves values that are not zero: each meets a list of weights, one word of them in a clock, and each product is added
/// to the sum of the result that it belongs to. Zeros never enter, and take no time.
///
/// # Timing
/// Value in cycle T, taken if `ready_o` is high: its first word of weights is read in T+3, its products are added to a word of sums
/// that is read in T+8 and written in T+11. A word that is on its way, or a drain, holds the products before it,
/// and all that follows. The settings are stable while `busy_o` is high.
#[module]
pub struct DirectUnit {
    /// Words of weights.
    #[new(WeightFill::new(lanes))]
    pub fill_i: WeightFill<In>,
    /// A value.
    pub valid_i: Signal<In, Bit>,
    /// It is taken.
    pub ready_o: Signal<Out, Bit>,
    /// The value.
    pub entry_i: Entry<In>,
    /// Number of the list of weights that it meets, mostly its channel.
    pub list_i: Signal<In, Bits<9>>,
    /// Kernel rows less 1.
    pub kernel_rows_i: Signal<In, Bits<4>>,
    /// Kernel columns less 1.
    pub kernel_cols_i: Signal<In, Bits<4>>,
    /// Region of the results.
    pub region_i: Signal<In, Bit>,
    /// The results that are kept in each region.
    pub window_i: [Rectangle<In>; 2],
    /// How they lie in the memory of sums.
    pub layout_i: SumLayout<In>,
    /// A position of the other region.
    pub position_i: DrainPosition<In>,
    /// It lies in the window of its region.
    pub position_in_o: Signal<Out, Bit>,
    /// A word of sums that is drained.
    pub drain_i: SumDrain<In>,
    /// Sums of the word that was read two cycles ago.
    pub stored_o: [Signal<Out, Bits<32>>; lanes],
    /// There are values, or products that are not taken by the sums.
    pub busy_o: Signal<Out, Bit>,
    /// Event: a word of weights is multiplied.
    pub tap_o: Signal<Out, Bit>,
    /// Event: a word of products lies outside the window.
    pub drop_o: Signal<Out, Bit>,
    /// Event: products wait for the sums of those before, or for a drain.
    pub hold_o: Signal<Out, Bit>,
    #[new(UnitWeights::new(lanes, words, lists))]
    weights: UnitWeights,
    taps: UnitTaps,
    #[new(UnitProducts::new(lanes))]
    products: UnitProducts,
    windows: RegionWindows,
    #[new(UnitSums::new(lanes, sums))]
    sum: UnitSums,
    tap: Signal<Local, Bit>,
    /// Weights of a word.
    _lanes: Param<'g'>,
    /// Words of weights.
    _words: Param<'w'>,
    /// Lists of weights.
    _lists: Param<'l'>,
    /// Words of sums.
    _sums: Param<'d'>,
}

#[kernel]
impl DirectUnit {
    fn update(&mut self) {
        comment!("Values and their lists");
        self.weights.fill_i.follow(&self.fill_i);
        self.taps.valid_i = self.valid_i;
        self.ready_o = self.taps.ready_o;
        self.taps.entry_i.follow(&self.entry_i);
        self.taps.list_i = self.list_i;
        self.weights.list_en_i = self.taps.list_en_o;
        self.weights.list_i = self.taps.list_o;
        self.taps.first_i = self.weights.first_o;
        self.taps.more_i = self.weights.more_o;
        self.taps.hold_i = self.sum.hold_o;

        comment!("Products");
        self.tap = self.taps.tap_o & !self.sum.hold_o;
        self.weights.read_i = self.tap;
        self.weights.addr_i = self.taps.addr_o;
        self.products.hold_i = self.sum.hold_o;
        self.products.tap_i = self.taps.tap_o;
        self.products.entry_i.follow(&self.taps.entry_o);
        self.products.index_i = self.weights.index_o;
        self.products.kernel_rows_i = self.kernel_rows_i;
        self.products.kernel_cols_i = self.kernel_cols_i;
        self.products.layout_i.follow(&self.layout_i);

        comment!("Which of them are kept");
        self.windows.window_i.follow(&self.window_i);
        self.windows.region_i = self.region_i;
        self.windows.row_i = self.products.result_row_o;
        self.windows.col_i = self.products.result_col_o;
        self.products.is_in_i = self.windows.is_in_o;
        self.windows.position_i.follow(&self.position_i);
        self.position_in_o = self.windows.position_in_o;

        comment!("Sums");
        self.sum.valid_i = self.products.valid_o;
        self.sum.addr_i = self.products.addr_o;
        self.sum.next_addr_i = self.products.next_addr_o;
        self.sum.drain_i.follow(&self.drain_i);
        for i in 0..self._lanes {
            self.products.weight_i[i] = self.weights.weight_o[i];
            self.sum.value_i[i] = self.products.product_o[i];
            self.stored_o[i] = self.sum.stored_o[i];
        }
        self.busy_o = self.taps.busy_o | self.products.busy_o;
        self.tap_o = self.tap;
        self.drop_o = self.products.drop_o;
        self.hold_o = self.sum.hold_o;
    }
}
