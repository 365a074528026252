//! What enters the array at the top: bias or zero.

use heddle_kernel::prelude::*;

/// Bias of one column: keeps one bias per column tile and offers the current one, or zero, as
/// first partial sum.
///
/// # Timing
/// `load_i` in cycle T: the memory is read, the bias register holds the bias of the tile from
/// T+2 on. `first_i` in T: `psum_o` in T+2 is the bias register, in all other cycles it is 0.
/// Everything else that comes from the left is on the right one cycle later. A parameter is
/// written when its column number is 0; the number is decremented modulo 256 from column to
/// column.
#[module]
pub struct BiasColumn {
    /// Prologue slot: loads the bias of `tile_i`.
    pub load_i: Signal<In, Bit>,
    /// Column tile of the prologue slot.
    pub tile_i: Signal<In, Bits<8>>,
    /// Tensor slot of the first K tile: the sum starts from the bias.
    pub first_i: Signal<In, Bit>,
    /// Prologue slot to the next column.
    pub load: OutReg<Bit>,
    /// Column tile to the next column.
    pub tile: OutDelay<Bits<8>>,
    /// Tensor slot to the next column.
    pub first: OutReg<Bit>,
    /// A bias is written.
    pub pw_valid_i: Signal<In, Bit>,
    /// Columns between this one and the one that takes the bias.
    pub pw_column_i: Signal<In, Bits<8>>,
    /// Column tile of the bias.
    pub pw_tile_i: Signal<In, Bits<8>>,
    /// The bias, two's complement.
    pub pw_data_i: Signal<In, Bits<32>>,
    /// The first partial sum is the bias.
    use_bias: Reg<Bit>,
    bias: RegData<Bits<32>>,
    /// Write to the next column.
    pub pw_valid: OutReg<Bit>,
    /// Column number for the next column.
    pub pw_column: OutDelay<Bits<8>>,
    /// Column tile to the next column.
    pub pw_tile: OutDelay<Bits<8>>,
    /// Bias to the next column.
    pub pw_data: OutDelay<Bits<32>>,
    /// First partial sum of the column.
    pub psum_o: Signal<Out, Bits<32>>,
    #[new(Ram1r1w::new(1, tiles))]
    ram: Ram1r1w<8, 32>,
    /// Column tiles.
    _tiles: Param<'t'>,
}

#[kernel]
impl BiasColumn {
    fn update(&mut self) {
        // The wave
        self.load = self.load_i;
        self.tile = self.tile_i;
        self.first = self.first_i;

        // Parameter writes
        self.pw_valid = self.pw_valid_i;
        self.pw_column = self.pw_column_i - 1;
        self.pw_tile = self.pw_tile_i;
        self.pw_data = self.pw_data_i;

        // Memory and bias register
        self.ram.wen_i = self.pw_valid_i & (self.pw_column_i == 0);
        self.ram.waddr_i = self.pw_tile_i;
        self.ram.wdata_i[0] = self.pw_data_i;
        self.ram.ren_i = self.load_i;
        self.ram.raddr_i = self.tile_i;
        self.bias.load(self.load, self.ram.rdata_o[0]);

        // First partial sum
        self.use_bias = self.first;
        self.psum_o = mux(self.use_bias, self.bias, 0.into());
    }
}

/// The bias columns of the array. A wave that enters column 0 in cycle T reaches column c in
/// T+c.
///
/// # Timing
/// `first_i` in cycle T: `psum_o` of column c is the bias in T+c+2. `load_i` in T-1 or before
/// decides which.
#[module]
pub struct BiasRow {
    /// Prologue slot: loads the biases of `tile_i`.
    pub load_i: Signal<In, Bit>,
    /// Column tile of the prologue slot.
    pub tile_i: Signal<In, Bits<8>>,
    /// Tensor slot of the first K tile: the sums start from the biases.
    pub first_i: Signal<In, Bit>,
    /// A bias is written.
    pub pw_valid_i: Signal<In, Bit>,
    /// Column that takes the bias.
    pub pw_column_i: Signal<In, Bits<8>>,
    /// Column tile of the bias.
    pub pw_tile_i: Signal<In, Bits<8>>,
    /// The bias, two's complement.
    pub pw_data_i: Signal<In, Bits<32>>,
    /// First partial sums, one per column.
    pub psum_o: [Signal<Out, Bits<32>>; cols],
    #[new(BiasColumn::new(tiles))]
    column: [BiasColumn; cols],
    load: [Signal<Local, Bit>; cols + 1],
    tile: [Signal<Local, Bits<8>>; cols + 1],
    first: [Signal<Local, Bit>; cols + 1],
    pw_valid: [Signal<Local, Bit>; cols + 1],
    pw_column: [Signal<Local, Bits<8>>; cols + 1],
    pw_tile: [Signal<Local, Bits<8>>; cols + 1],
    pw_data: [Signal<Local, Bits<32>>; cols + 1],
    /// Columns.
    _cols: Param<'c'>,
    /// Column tiles.
    _tiles: Param<'t'>,
}

#[kernel]
impl BiasRow {
    fn update(&mut self) {
        self.load[0] = self.load_i;
        self.tile[0] = self.tile_i;
        self.first[0] = self.first_i;
        self.pw_valid[0] = self.pw_valid_i;
        self.pw_column[0] = self.pw_column_i;
        self.pw_tile[0] = self.pw_tile_i;
        self.pw_data[0] = self.pw_data_i;
        for i in 0..self._cols {
            self.column[i].load_i = self.load[i];
            self.column[i].tile_i = self.tile[i];
            self.column[i].first_i = self.first[i];
            self.column[i].pw_valid_i = self.pw_valid[i];
            self.column[i].pw_column_i = self.pw_column[i];
            self.column[i].pw_tile_i = self.pw_tile[i];
            self.column[i].pw_data_i = self.pw_data[i];
            self.load[i + 1] = self.column[i].load_o;
            self.tile[i + 1] = self.column[i].tile_o;
            self.first[i + 1] = self.column[i].first_o;
            self.pw_valid[i + 1] = self.column[i].pw_valid_o;
            self.pw_column[i + 1] = self.column[i].pw_column_o;
            self.pw_tile[i + 1] = self.column[i].pw_tile_o;
            self.pw_data[i + 1] = self.column[i].pw_data_o;
            self.psum_o[i] = self.column[i].psum_o;
        }
    }
}
