//! What enters the array at the top: bias or zero.

use heddle_kernel::prelude::*;

/// A slot of the bias wave.
#[bundle]
pub struct BiasSlot {
    /// Bias wave: prologue slot, the bias of its column tile is loaded.
    #[reset]
    pub load: Bit,
    /// Bias wave: column tile of the prologue slot.
    pub tile: Bits<10>,
    /// Bias wave: tensor slot of the first K tile, the sum starts from the bias.
    #[reset]
    pub first: Bit,
}

/// A write of a bias.
#[bundle]
pub struct BiasWrite {
    /// A bias is written.
    #[reset]
    pub valid: Bit,
    /// Columns between the one that it reaches and the one that takes the bias.
    pub column: Bits<8>,
    /// Column tile of the bias.
    pub tile: Bits<10>,
    /// The bias, two's complement.
    pub data: Bits<32>,
}

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
    /// Slot of the bias wave.
    pub wave: Wave<BiasSlot>,
    /// Write of a bias.
    pub pw: Wave<BiasWrite>,
    /// The first partial sum is the bias.
    use_bias: Reg<Bit>,
    bias: RegData<Bits<32>>,
    /// First partial sum of the column.
    pub psum_o: Signal<Out, Bits<32>>,
    #[new(Ram1r1w::new(1, tiles).passing().at_rest(true))]
    ram: Ram1r1w<10, 32>,
    /// Column tiles.
    _tiles: Param<'t'>,
}

#[kernel]
impl BiasColumn {
    fn update(&mut self) {
        self.wave.pass_on();
        self.pw.pass_on(column = self.pw_i.column - 1);

        // Memory and bias register
        self.ram.wen_i = self.pw_i.valid & (self.pw_i.column == 0);
        self.ram.waddr_i = self.pw_i.tile;
        self.ram.wdata_i[0] = self.pw_i.data;
        self.ram.ren_i = self.wave_i.load;
        self.ram.raddr_i = self.wave_i.tile;
        self.bias.load(self.wave.load, self.ram.rdata_o[0]);

        // First partial sum
        self.use_bias = self.wave.first;
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
    /// Slot of the bias wave.
    pub wave_i: BiasSlot<In>,
    /// Write of a bias.
    pub pw_i: BiasWrite<In>,
    /// First partial sums, one per column.
    pub psum_o: [Signal<Out, Bits<32>>; cols],
    #[new(BiasColumn::new(tiles))]
    column: [BiasColumn; cols],
    wave: [BiasSlot<Local>; cols + 1],
    pw: [BiasWrite<Local>; cols + 1],
    /// Columns.
    _cols: Param<'c'>,
    /// Column tiles.
    _tiles: Param<'t'>,
}

#[kernel]
impl BiasRow {
    fn update(&mut self) {
        self.wave[0].follow(&self.wave_i);
        self.pw[0].follow(&self.pw_i);
        for i in 0..self._cols {
            self.column[i].wave_i.follow(&self.wave[i]);
            self.column[i].pw_i.follow(&self.pw[i]);
            self.wave[i + 1].follow(&self.column[i].wave_o);
            self.pw[i + 1].follow(&self.column[i].pw_o);
            self.psum_o[i] = self.column[i].psum_o;
        }
    }
}
