//! A unit that works tile by tile, with its memory of sums.

use super::{TileBank, TileControl, TileOut, TileScatter, TileShape, waves::*};
use heddle_kernel::prelude::*;

/// Adds the products of a tile to sums that lie in a memory. A command is a tile, whose first sum lies in a word, or a rectangle of words that become 0 or are sent; words
/// begin with any value. Values and weights come channel by channel, values of all tiles in the order of commands, weights of a channel again for each tile.
///
/// The sums of a tile take 2K - 1 rows of 2K - 1 words, rows `pitch_i` words apart, all of them different words: smaller tiles and kernels leave the
/// last ones as they are. Addresses wrap at the end of the memory.
///
/// A unit that adds matrices has a register bank in place of the memory. The word of a place is its row in bits 15 to 8, and its column below: the bank
/// finds the sums of a tile by the row and column of the tile's first value. Beyond its last row or column nothing is kept. All its
/// sums can be shifted, in a ring.
///
/// # Timing
/// Command in cycle T, taken if `cmd_ready_o` is high: the first word to be sent is at the output in T+5, then one in each clock. A tile is
/// loaded in (2K - 1)^2 cycles, then its channels are taken ([`TileScatter`]), and it is stored in as many cycles again. Streams hold what is not taken. `pitch_i`
/// and the settings are stable from the command on until the next one is taken.
#[module(name = "sparse_tile", shape: TileShape)]
pub struct TileUnit {
    /// There is a command.
    pub cmd_valid_i: Signal<In, Bit>,
    /// It is taken.
    pub cmd_ready_o: Signal<Out, Bit>,
    /// 0: a tile, 1: clear, 2: send, 3: shift, which a memory has not.
    pub cmd_op_i: Signal<In, Bits<2>>,
    /// The word of its first position; for a shift the side: 0 right, 1 left, 2 down, 3 up.
    pub cmd_first_i: Signal<In, Bits<16>>,
    /// Rows of the rectangle, at least 1; 1 for a shift. Not for a tile.
    pub cmd_rows_i: Signal<In, Bits<8>>,
    /// Its columns, at least 1, or the steps of a shift.
    pub cmd_cols_i: Signal<In, Bits<8>>,
    /// Words from row to row. Not for a register bank.
    pub pitch_i: Signal<In, Bits<16>>,
    /// How products are formed.
    pub settings_i: TileSettings<In>,
    /// Values of a channel, or its end.
    pub value_valid_i: Signal<In, Bit>,
    /// They are taken.
    pub value_ready_o: Signal<Out, Bit>,
    /// So many, the first ones: as many as there are lanes, but the last ones of a channel.
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
    /// So many, the first ones: as many as there are lanes, but the last ones of a channel.
    pub weight_count_i: Signal<In, Bits<5>>,
    /// They are the last ones of the channel.
    pub weight_last_i: Signal<In, Bit>,
    /// The weights, two's complement.
    pub weight_item_i: [Signal<In, Bits<8>>; lanes],
    /// Their kernel rows.
    pub weight_row_i: [Signal<In, Bits<3>>; lanes],
    /// Their kernel columns.
    pub weight_col_i: [Signal<In, Bits<3>>; lanes],
    /// What sums become when they leave.
    pub results_i: TileResults<In>,
    /// There is a sum, or a result.
    pub sum_valid_o: Signal<Out, Bit>,
    /// It is taken.
    pub sum_ready_i: Signal<In, Bit>,
    /// The sum.
    pub sum_data_o: Signal<Out, Bits<32>>,
    /// Its word, or the first one of those that were made one.
    pub sum_index_o: Signal<Out, Bits<16>>,
    /// What is done: 0 idle, 1 clear, 2 send, 3 load, 4 data, 5 round, 6 drain, 7 store, 8 shift.
    pub state_o: Signal<Out, Bits<4>>,
    #[new(TileControl::new(shape.side()))]
    control: TileControl,
    #[new(TileScatter::new(shape))]
    scatter: TileScatter,
    #[new(Ram1r1w::new(1, words))]
    ram: [Ram1r1w<16, 32>; 1 - windows],
    #[new(TileBank::new(bank_rows, bank_cols))]
    bank: [TileBank; windows],
    /// The memory shows a word that is loaded, that is sent.
    shows_load: Reg<Bit>,
    shows_send: Reg<Bit>,
    shows_index: RegData<Bits<16>>,
    shows_last: RegData<Bit>,
    loads: Reg<Bit>,
    /// A word that leaves.
    sends: Reg<Bit>,
    word: RegData<Bits<32>>,
    index: RegData<Bits<16>>,
    last: RegData<Bit>,
    out: TileOut,
    moves: Signal<Local, Bit>,
    /// What the memory, or the bank, shows.
    shown: Signal<Local, Bits<32>>,
    written: Signal<Local, Bits<32>>,
    /// Products of a round.
    _lanes: Param<'p'>,
    /// Rows and columns of a tile and of a kernel.
    _kernel: Param<'k'>,
    /// Weights of a round.
    _weights: Param<'u'>,
    /// Words of sums.
    _words: Optional<"d">,
    /// Rows of the register bank.
    _bank_rows: Optional<"r">,
    /// Its columns.
    _bank_cols: Optional<"c">,
    /// Products of a sum that go on in a round; 0: all.
    #[new(shape.limit())]
    _limit: Param<'l'>,
    /// Two products of a sum are added.
    #[new(shape.adds())]
    _adds: Param<'a'>,
    /// The products of a round are a matrix, and sums lie in a register bank.
    #[new(shape.windows())]
    _windows: Feature<"wn">,
}

#[kernel]
impl TileUnit {
    fn update(&mut self) {
        self.control();
        self.streams();
        self.memory();
        self.results();
    }

    fn control(&mut self) {
        self.control.cmd_valid_i = self.cmd_valid_i;
        self.cmd_ready_o = self.control.cmd_ready_o;
        self.control.cmd_op_i = self.cmd_op_i;
        self.control.cmd_first_i = self.cmd_first_i;
        self.control.cmd_rows_i = self.cmd_rows_i;
        self.control.cmd_cols_i = self.cmd_cols_i;
        comment!("Row and column of a place in a register bank have 8 bits each");
        self.control.pitch_i = mux(self._windows > 0, 256.into(), self.pitch_i);
        self.control.moves_i = self.moves;
        self.control.sends_i = self.shows_send | self.sends | self.out.busy_o;
        self.control.take_i = self.scatter.take_o;
        self.control.ends_i = self.scatter.ends_o;
        self.control.tile_ends_i = self.scatter.tile_ends_o;
        self.control.busy_i = self.scatter.busy_o;
        self.scatter.go_i = self.control.go_o;
        self.state_o = self.control.state_o;
    }

    fn streams(&mut self) {
        self.scatter.settings_i.follow(&self.settings_i);
        self.scatter.value_valid_i = self.value_valid_i;
        self.value_ready_o = self.scatter.value_ready_o;
        self.scatter.value_count_i = self.value_count_i;
        self.scatter.value_last_i = self.value_last_i;
        self.scatter.value_tile_last_i = self.value_tile_last_i;
        self.scatter.value_item_i.follow(&self.value_item_i);
        self.scatter.value_row_i.follow(&self.value_row_i);
        self.scatter.value_col_i.follow(&self.value_col_i);
        self.scatter.weight_valid_i = self.weight_valid_i;
        self.weight_ready_o = self.scatter.weight_ready_o;
        self.scatter.weight_count_i = self.weight_count_i;
        self.scatter.weight_last_i = self.weight_last_i;
        self.scatter.weight_item_i.follow(&self.weight_item_i);
        self.scatter.weight_row_i.follow(&self.weight_row_i);
        self.scatter.weight_col_i.follow(&self.weight_col_i);
    }

    /// A word that is read goes into the sums of the tile, or leaves.
    fn memory(&mut self) {
        if self._windows > 0 {
            self.bank();
        } else {
            self.ram();
        }
        self.moves = !self.sends | self.out.ready_o;
        self.shows_load = self.control.load_o;
        self.shows_send = self.shows_send & !self.moves;
        if self.control.send_o {
            self.shows_send = true;
        }
        self.shows_index
            .load(self.control.send_o, self.control.addr_o);
        self.shows_last
            .load(self.control.send_o, self.control.last_o);
        self.word
            .load(self.shows_load | (self.shows_send & self.moves), self.shown);
        self.index
            .load(self.shows_send & self.moves, self.shows_index);
        self.last
            .load(self.shows_send & self.moves, self.shows_last);
        self.loads = self.shows_load;
        self.sends = (self.sends & !self.out.ready_o) | (self.shows_send & self.moves);
        self.scatter.shift_i = self.loads | self.control.store_o;
        self.scatter.data_i = self.word;
        self.written = self.scatter.sum_o[0];
        if self.control.clear_o {
            self.written = 0.into();
        }
    }

    fn results(&mut self) {
        self.out.results_i.follow(&self.results_i);
        self.out.valid_i = self.sends;
        self.out.data_i = self.word;
        self.out.index_i = self.index;
        self.out.last_i = self.last;
        self.sum_valid_o = self.out.valid_o;
        self.out.ready_i = self.sum_ready_i;
        self.sum_data_o = self.out.data_o;
        self.sum_index_o = self.out.index_o;
    }

    fn ram(&mut self) {
        for k in 0..1 - self._windows {
            self.ram[k].ren_i = self.control.load_o | self.control.send_o;
            self.ram[k].raddr_i = self.control.addr_o;
            self.shown = self.ram[k].rdata_o[0];
            self.ram[k].wen_i = self.control.clear_o | self.control.store_o;
            self.ram[k].waddr_i = self.control.addr_o;
            self.ram[k].wdata_i[0] = self.written;
        }
    }

    fn bank(&mut self) {
        for k in 0..self._windows {
            self.bank[k].row_i = self.control.addr_o.get_bits::<8>(8);
            self.bank[k].col_i = self.control.addr_o.get_bits::<8>(0);
            self.bank[k].ren_i = self.control.load_o | self.control.send_o;
            self.shown = self.bank[k].data_o;
            self.bank[k].wen_i = self.control.clear_o | self.control.store_o;
            self.bank[k].data_i = self.written;
            self.bank[k].shift_i = self.control.shift_o;
            self.bank[k].direction_i = self.control.direction_o;
        }
    }
}
