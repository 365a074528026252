//! Values of a tile, or weights that they meet.

use heddle_kernel::prelude::*;

/// Registers for the items of the next channel, which come with the stream, and for those of the channel in use.
///
/// All clocks of a channel but the last one bring as many items as there are lanes, so that a place is written from one lane alone. A channel
/// has no more items than there are places; it may have none.
///
/// # Timing
/// Items in cycle T, taken if `ready_o` is high. The last ones in T: `full_o` is high from T+1 on. `take_i` in T, with the next
/// channel full: it is at the outputs from T+1 on.
#[module]
pub struct TileSlots<const B: usize> {
    /// There are items, or a channel ends.
    pub valid_i: Signal<In, Bit>,
    /// They are taken.
    pub ready_o: Signal<Out, Bit>,
    /// So many, the first ones.
    pub count_i: Signal<In, Bits<5>>,
    /// They are the last ones of their channel.
    pub last_i: Signal<In, Bit>,
    /// Items, lane by lane.
    pub item_i: [Signal<In, Bits<B>>; lanes],
    /// Their rows.
    pub row_i: [Signal<In, Bits<3>>; lanes],
    /// Their columns.
    pub col_i: [Signal<In, Bits<3>>; lanes],
    /// The next channel comes into use.
    pub take_i: Signal<In, Bit>,
    /// It is full.
    pub full: OutReg<Bit>,
    /// Its items.
    pub next_count: OutRegData<Bits<5>>,
    /// Items of the channel in use, place by place.
    pub item: [OutRegData<Bits<B>>; places],
    /// Their rows.
    pub row: [OutRegData<Bits<3>>; places],
    /// Their columns.
    pub col: [OutRegData<Bits<3>>; places],
    next_item: [RegData<Bits<B>>; places],
    next_row: [RegData<Bits<3>>; places],
    next_col: [RegData<Bits<3>>; places],
    /// Items that the next channel has.
    place: Reg<Bits<5>>,
    loads: Signal<Local, Bit>,
    /// Its last ones.
    fills: Signal<Local, Bit>,
    /// Bits of an item.
    _bits: Generic<'b', B>,
    /// Items of a clock.
    _lanes: Param<'p'>,
    /// Places of a channel.
    _places: Param<'n'>,
}

#[kernel]
impl<const B: usize> TileSlots<B> {
    fn update(&mut self) {
        self.ready_o = self.rst_n & !self.full;
        self.loads = self.valid_i & !self.full;
        self.fills = self.loads & self.last_i;
        self.full = self.fills | (self.full & !self.take_i);
        self.next_count.load(self.fills, self.place + self.count_i);
        self.place = self.place;
        if self.loads {
            self.place = self.place + self._lanes.to_bits::<5>();
        }
        if self.fills {
            self.place = 0.into();
        }
        for s in 0..self._places {
            let lane = s % self._lanes;
            let writes = self.loads & (self.place == (s - lane).to_bits::<5>());
            self.next_item[s].load(writes, self.item_i[lane]);
            self.next_row[s].load(writes, self.row_i[lane]);
            self.next_col[s].load(writes, self.col_i[lane]);
            self.item[s].load(self.take_i, self.next_item[s]);
            self.row[s].load(self.take_i, self.next_row[s]);
            self.col[s].load(self.take_i, self.next_col[s]);
        }
    }
}
