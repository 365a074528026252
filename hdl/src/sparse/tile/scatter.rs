//! From values and weights to the sums of a tile.

use super::{
    TileAdd, TileArbiter, TileMatrix, TilePairs, TilePick, TileSelect, TileShape, TileSlots,
    TileSort, TileSums, TileWindow, waves::*,
};
use heddle_kernel::prelude::*;

/// Multiplies the values of a tile with their weights, channel by channel, and adds the products to the sums of the tile.
///
/// # Timing
/// `go_i` high: channels are taken until the last one of a tile has ended. A channel whose values and weights are full in cycle T is taken in T; its first round is
/// picked in T+1, and adds in T+2, or in T+4 where products are sorted. The next channel is taken in the cycle in which a channel ends.
#[module(shape: TileShape)]
pub struct TileScatter {
    /// How products are formed.
    pub settings_i: TileSettings<In>,
    /// Values of a channel, or its end.
    pub value_valid_i: Signal<In, Bit>,
    /// They are taken.
    pub value_ready_o: Signal<Out, Bit>,
    /// So many, the first ones.
    pub value_count_i: Signal<In, Bits<5>>,
    /// They are the last ones of the channel.
    pub value_last_i: Signal<In, Bit>,
    /// The channel is the last one of the tile.
    pub value_tile_last_i: Signal<In, Bit>,
    /// The values, two's complement, not zero.
    pub value_item_i: [Signal<In, Bits<9>>; lanes],
    /// Their rows in the tile.
    pub value_row_i: [Signal<In, Bits<3>>; lanes],
    /// Their columns in the tile.
    pub value_col_i: [Signal<In, Bits<3>>; lanes],
    /// Weights of a channel, or its end.
    pub weight_valid_i: Signal<In, Bit>,
    /// They are taken.
    pub weight_ready_o: Signal<Out, Bit>,
    /// So many, the first ones.
    pub weight_count_i: Signal<In, Bits<5>>,
    /// They are the last ones of the channel.
    pub weight_last_i: Signal<In, Bit>,
    /// The weights, two's complement.
    pub weight_item_i: [Signal<In, Bits<8>>; lanes],
    /// Their kernel rows.
    pub weight_row_i: [Signal<In, Bits<3>>; lanes],
    /// Their kernel columns.
    pub weight_col_i: [Signal<In, Bits<3>>; lanes],
    /// The sums of a tile are loaded: channels may be taken.
    pub go_i: Signal<In, Bit>,
    /// A channel is taken.
    pub take_o: Signal<Out, Bit>,
    /// A channel ends.
    pub ends_o: Signal<Out, Bit>,
    /// It is the last one of its tile.
    pub tile_ends_o: Signal<Out, Bit>,
    /// Products have not found their sums.
    pub busy_o: Signal<Out, Bit>,
    /// The sums move down by one.
    pub shift_i: Signal<In, Bit>,
    /// The last one becomes this.
    pub data_i: Signal<In, Bits<32>>,
    /// The sums, row by row.
    pub sum_o: [Signal<Out, Bits<32>>; side * side],
    #[new(TileSlots::new(lanes, places))]
    values: TileSlots<9>,
    #[new(TileSlots::new(lanes, places))]
    weights: TileSlots<8>,
    #[new(TilePick::new(lanes, shape.round_weights()))]
    pick: TilePick,
    #[new(TilePairs::new(lanes, places))]
    pairs: TilePairs,
    #[new(TileArbiter::new(lanes, limit))]
    arbiter: [TileArbiter; 1 - windows],
    #[new(TileSort::new(lanes))]
    sort: [TileSort; adds],
    #[new(TileAdd::new(lanes))]
    add: [TileAdd; adds],
    #[new(TileSelect::new(lanes))]
    select: [TileSelect; adds],
    #[new(TileSums::new(lanes, side))]
    sums: [TileSums; 1 - windows],
    #[new(TileMatrix::new(lanes, kernel))]
    matrix: [TileMatrix; windows],
    #[new(TileWindow::new(kernel))]
    window: [TileWindow; windows],
    /// The channel that is loaded is the last one of its tile, that in use is.
    next_is_last: RegData<Bit>,
    is_last: RegData<Bit>,
    take: Signal<Local, Bit>,
    busy: Signal<Local, Bit>,
    /// Products that find their sums.
    product: [TileProduct<Local>; lanes * (1 - windows)],
    /// Products of a round.
    _lanes: Param<'p'>,
    /// Rows and columns of a tile and of a kernel.
    _kernel: Param<'k'>,
    /// Weights of a round.
    _weights: Param<'u'>,
    #[new(shape.places())]
    _places: usize,
    #[new(shape.side())]
    _side: usize,
    /// Products of a sum that go on in a round; 0: all.
    #[new(shape.limit())]
    _limit: Param<'l'>,
    /// Two products of a sum are added.
    #[new(shape.adds())]
    _adds: Param<'a'>,
    /// The products of a round are a matrix.
    #[new(shape.windows())]
    _windows: Feature<"wn">,
}

#[kernel]
impl TileScatter {
    fn update(&mut self) {
        self.streams();
        self.channels();
        self.pairs();
        if self._windows > 0 {
            self.matrix();
        } else {
            self.products();
        }
        self.busy_o = self.busy;
    }

    fn streams(&mut self) {
        self.values.valid_i = self.value_valid_i;
        self.value_ready_o = self.values.ready_o;
        self.values.count_i = self.value_count_i;
        self.values.last_i = self.value_last_i;
        self.values.item_i.follow(&self.value_item_i);
        self.values.row_i.follow(&self.value_row_i);
        self.values.col_i.follow(&self.value_col_i);
        self.next_is_last.load(
            self.value_valid_i & self.values.ready_o,
            self.value_tile_last_i,
        );
        self.weights.valid_i = self.weight_valid_i;
        self.weight_ready_o = self.weights.ready_o;
        self.weights.count_i = self.weight_count_i;
        self.weights.last_i = self.weight_last_i;
        self.weights.item_i.follow(&self.weight_item_i);
        self.weights.row_i.follow(&self.weight_row_i);
        self.weights.col_i.follow(&self.weight_col_i);
    }

    fn channels(&mut self) {
        self.take = self.go_i
            & self.values.full_o
            & self.weights.full_o
            & (!self.pick.busy_o | (self.pick.ends_o & !self.is_last));
        self.values.take_i = self.take;
        self.weights.take_i = self.take;
        self.is_last.load(self.take, self.next_is_last);
        self.take_o = self.take;
        self.ends_o = self.pick.ends_o;
        self.tile_ends_o = self.pick.ends_o & self.is_last;
    }

    fn pairs(&mut self) {
        self.pick.start_i = self.take;
        self.pick.values_i = self.values.next_count_o;
        self.pick.weights_i = self.weights.next_count_o;
        self.pick.limit_i = self.settings_i.limit;
        self.pairs.item_i.follow(&self.values.item_o);
        self.pairs.item_row_i.follow(&self.values.row_o);
        self.pairs.item_col_i.follow(&self.values.col_o);
        self.pairs.tap_i.follow(&self.weights.item_o);
        self.pairs.valid_i.follow(&self.pick.valid_o);
        self.pairs.value_i.follow(&self.pick.value_o);
        self.pairs.weight_i.follow(&self.pick.weight_o);
    }

    /// Products are a matrix: none is moved by its weight, all are moved together behind it.
    fn matrix(&mut self) {
        self.pick.queued_i.tie_low();
        self.pairs.tap_row_i.tie_low();
        self.pairs.tap_col_i.tie_low();
        self.pairs.kernel_rows_i = 0.into();
        self.pairs.kernel_cols_i = 0.into();
        for k in 0..self._windows {
            self.matrix[k].product_i.follow(&self.pairs.product_o);
            comment!("All lanes have the weight of the first one");
            self.matrix[k].weight_i = self.pick.weight_o[0];
            self.matrix[k].tap_row_i.follow(&self.weights.row_o);
            self.matrix[k].tap_col_i.follow(&self.weights.col_o);
            self.matrix[k].kernel_rows_i = self.settings_i.kernel_rows;
            self.matrix[k].kernel_cols_i = self.settings_i.kernel_cols;
            self.window[k].valid_i = self.matrix[k].valid_o;
            self.window[k].row_i = self.matrix[k].row_o;
            self.window[k].col_i = self.matrix[k].col_o;
            self.window[k].value_i.follow(&self.matrix[k].value_o);
            self.window[k].shift_i = self.shift_i;
            self.window[k].data_i = self.data_i;
            self.sum_o.follow(&self.window[k].sum_o);
            self.busy = self.matrix[k].valid_o;
        }
    }

    /// Each product has an index.
    fn products(&mut self) {
        self.pairs.tap_row_i.follow(&self.weights.row_o);
        self.pairs.tap_col_i.follow(&self.weights.col_o);
        self.pairs.kernel_rows_i = self.settings_i.kernel_rows;
        self.pairs.kernel_cols_i = self.settings_i.kernel_cols;
        for k in 0..1 - self._windows {
            self.pick.queued_i.follow(&self.arbiter[k].queued_o);
            self.arbiter[k].earlier_waits_i = self.settings_i.earlier_waits;
            self.arbiter[k].product_i.follow(&self.pairs.product_o);
            self.add(k);
            self.sums[k].product_i.follow(&self.product);
            self.sums[k].shift_i = self.shift_i;
            self.sums[k].data_i = self.data_i;
            self.sum_o.follow(&self.sums[k].sum_o);
        }
    }

    /// Products of one sum are added.
    fn add(&mut self, k: usize) {
        if self._adds == 0 {
            self.busy = self.arbiter[k].busy_o;
            self.product.follow(&self.arbiter[k].product_o);
        } else {
            self.sort[k].product_i.follow(&self.arbiter[k].product_o);
            for i in 0..self._lanes {
                self.add[k].value_i[i] = self.sort[k].product_o[i].value;
            }
            self.select[k].product_i.follow(&self.sort[k].product_o);
            self.select[k].sum_i.follow(&self.add[k].sum_o);
            self.product.follow(&self.select[k].product_o);
            comment!("Sorted ones come first: the first lane tells whether there are any");
            self.busy = self.arbiter[k].busy_o
                | self.sort[k].product_o[0].valid
                | self.select[k].product_o[0].valid;
        }
    }
}
