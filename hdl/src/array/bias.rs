//! What enters the array at the top: bias or zero.

use crate::prelude::*;

/// Bias of one column: keeps one bias per column tile and offers the current one, or zero, as
/// first partial sum.
///
/// # Timing
/// `load_i` in cycle T: the memory is read, the bias register holds the bias of the tile from
/// T+2 on. `first_i` in T: `psum_o` in T+2 is the bias register, in all other cycles it is 0.
/// Everything else that comes from the left is on the right one cycle later. A parameter is
/// written when its column number is 0; the number is decremented modulo 256 from column to
/// column.
#[derive(LogicBlock)]
pub struct BiasColumn {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Prologue slot: loads the bias of `tile_i`.
    pub load_i: Signal<In, Bit>,
    /// Column tile of the prologue slot.
    pub tile_i: Signal<In, Bits<8>>,
    /// Tensor slot of the first K tile: the sum starts from the bias.
    pub first_i: Signal<In, Bit>,
    /// Prologue slot to the next column.
    pub load_o: Signal<Out, Bit>,
    /// Column tile to the next column.
    pub tile_o: Signal<Out, Bits<8>>,
    /// Tensor slot to the next column.
    pub first_o: Signal<Out, Bit>,
    /// A bias is written.
    pub pw_valid_i: Signal<In, Bit>,
    /// Columns between this one and the one that takes the bias.
    pub pw_column_i: Signal<In, Bits<8>>,
    /// Column tile of the bias.
    pub pw_tile_i: Signal<In, Bits<8>>,
    /// The bias, two's complement.
    pub pw_data_i: Signal<In, Bits<32>>,
    /// Write to the next column.
    pub pw_valid_o: Signal<Out, Bit>,
    /// Column number for the next column.
    pub pw_column_o: Signal<Out, Bits<8>>,
    /// Column tile to the next column.
    pub pw_tile_o: Signal<Out, Bits<8>>,
    /// Bias to the next column.
    pub pw_data_o: Signal<Out, Bits<32>>,
    /// First partial sum of the column.
    pub psum_o: Signal<Out, Bits<32>>,
    load: Reg<Bit>,
    tile: Delay<Bits<8>>,
    first: Reg<Bit>,
    /// The first partial sum is the bias.
    use_bias: Reg<Bit>,
    bias: RegData<Bits<32>>,
    pw_valid: Reg<Bit>,
    pw_column: Delay<Bits<8>>,
    pw_tile: Delay<Bits<8>>,
    pw_data: Delay<Bits<32>>,
    ram: Ram1r1w<8, 32>,
    _tiles: usize,
}

impl BiasColumn {
    /// A column for `tiles` (1..=256) column tiles.
    pub fn new(tiles: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            load_i: Default::default(),
            tile_i: Default::default(),
            first_i: Default::default(),
            load_o: Default::default(),
            tile_o: Default::default(),
            first_o: Default::default(),
            pw_valid_i: Default::default(),
            pw_column_i: Default::default(),
            pw_tile_i: Default::default(),
            pw_data_i: Default::default(),
            pw_valid_o: Default::default(),
            pw_column_o: Default::default(),
            pw_tile_o: Default::default(),
            pw_data_o: Default::default(),
            psum_o: Default::default(),
            load: Default::default(),
            tile: Default::default(),
            first: Default::default(),
            use_bias: Default::default(),
            bias: Default::default(),
            pw_valid: Default::default(),
            pw_column: Default::default(),
            pw_tile: Default::default(),
            pw_data: Default::default(),
            ram: Ram1r1w::new(1, tiles),
            _tiles: tiles,
        }
    }
}

impl Logic for BiasColumn {
    #[hdl_gen]
    fn update(&mut self) {
        // The wave
        self.load.clk.next = self.clk.val();
        self.load.rst_n.next = self.rst_n.val();
        self.load.d_i.next = self.load_i.val();
        self.load_o.next = self.load.q_o.val();
        self.tile.clk.next = self.clk.val();
        self.tile.d_i.next = self.tile_i.val();
        self.tile_o.next = self.tile.q_o.val();
        self.first.clk.next = self.clk.val();
        self.first.rst_n.next = self.rst_n.val();
        self.first.d_i.next = self.first_i.val();
        self.first_o.next = self.first.q_o.val();

        // Parameter writes
        self.pw_valid.clk.next = self.clk.val();
        self.pw_valid.rst_n.next = self.rst_n.val();
        self.pw_valid.d_i.next = self.pw_valid_i.val();
        self.pw_valid_o.next = self.pw_valid.q_o.val();
        self.pw_column.clk.next = self.clk.val();
        self.pw_column.d_i.next = self.pw_column_i.val() - 1;
        self.pw_column_o.next = self.pw_column.q_o.val();
        self.pw_tile.clk.next = self.clk.val();
        self.pw_tile.d_i.next = self.pw_tile_i.val();
        self.pw_tile_o.next = self.pw_tile.q_o.val();
        self.pw_data.clk.next = self.clk.val();
        self.pw_data.d_i.next = self.pw_data_i.val();
        self.pw_data_o.next = self.pw_data.q_o.val();

        // Memory and bias register
        self.ram.clk.next = self.clk.val();
        self.ram.wen_i.next = self.pw_valid_i.val() & (self.pw_column_i.val() == 0);
        self.ram.waddr_i.next = self.pw_tile_i.val();
        self.ram.wdata_i[0].next = self.pw_data_i.val();
        self.ram.ren_i.next = self.load_i.val();
        self.ram.raddr_i.next = self.tile_i.val();
        self.bias.clk.next = self.clk.val();
        self.bias.en_i.next = self.load.q_o.val();
        self.bias.d_i.next = self.ram.rdata_o[0].val();

        // First partial sum
        self.use_bias.clk.next = self.clk.val();
        self.use_bias.rst_n.next = self.rst_n.val();
        self.use_bias.d_i.next = self.first.q_o.val();
        self.psum_o.next = 0.into();
        if self.use_bias.q_o.val() {
            self.psum_o.next = self.bias.q_o.val();
        }
    }
    module!(|this| Meta::module("bias_column").param("tiles", "t", this._tiles, "column tiles"));
}

/// The bias columns of the array. A wave that enters column 0 in cycle T reaches column c in
/// T+c.
///
/// # Timing
/// `first_i` in cycle T: `psum_o` of column c is the bias in T+c+2. `load_i` in T-1 or before
/// decides which.
#[derive(LogicBlock)]
pub struct BiasRow {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
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
    pub psum_o: Vec<Signal<Out, Bits<32>>>,
    column: Vec<BiasColumn>,
    load: Vec<Signal<Local, Bit>>,
    tile: Vec<Signal<Local, Bits<8>>>,
    first: Vec<Signal<Local, Bit>>,
    pw_valid: Vec<Signal<Local, Bit>>,
    pw_column: Vec<Signal<Local, Bits<8>>>,
    pw_tile: Vec<Signal<Local, Bits<8>>>,
    pw_data: Vec<Signal<Local, Bits<32>>>,
    _cols: usize,
    _tiles: usize,
}

impl BiasRow {
    /// `cols` columns for `tiles` (1..=256) column tiles.
    pub fn new(cols: usize, tiles: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            load_i: Default::default(),
            tile_i: Default::default(),
            first_i: Default::default(),
            pw_valid_i: Default::default(),
            pw_column_i: Default::default(),
            pw_tile_i: Default::default(),
            pw_data_i: Default::default(),
            psum_o: v(cols),
            column: (0..cols).map(|_| BiasColumn::new(tiles)).collect(),
            load: v(cols + 1),
            tile: v(cols + 1),
            first: v(cols + 1),
            pw_valid: v(cols + 1),
            pw_column: v(cols + 1),
            pw_tile: v(cols + 1),
            pw_data: v(cols + 1),
            _cols: cols,
            _tiles: tiles,
        }
    }
}

impl Logic for BiasRow {
    #[hdl_gen]
    fn update(&mut self) {
        self.load[0].next = self.load_i.val();
        self.tile[0].next = self.tile_i.val();
        self.first[0].next = self.first_i.val();
        self.pw_valid[0].next = self.pw_valid_i.val();
        self.pw_column[0].next = self.pw_column_i.val();
        self.pw_tile[0].next = self.pw_tile_i.val();
        self.pw_data[0].next = self.pw_data_i.val();
        for i in 0..self._cols {
            self.column[i].clk.next = self.clk.val();
            self.column[i].rst_n.next = self.rst_n.val();
            self.column[i].load_i.next = self.load[i].val();
            self.column[i].tile_i.next = self.tile[i].val();
            self.column[i].first_i.next = self.first[i].val();
            self.column[i].pw_valid_i.next = self.pw_valid[i].val();
            self.column[i].pw_column_i.next = self.pw_column[i].val();
            self.column[i].pw_tile_i.next = self.pw_tile[i].val();
            self.column[i].pw_data_i.next = self.pw_data[i].val();
            self.load[i + 1].next = self.column[i].load_o.val();
            self.tile[i + 1].next = self.column[i].tile_o.val();
            self.first[i + 1].next = self.column[i].first_o.val();
            self.pw_valid[i + 1].next = self.column[i].pw_valid_o.val();
            self.pw_column[i + 1].next = self.column[i].pw_column_o.val();
            self.pw_tile[i + 1].next = self.column[i].pw_tile_o.val();
            self.pw_data[i + 1].next = self.column[i].pw_data_o.val();
            self.psum_o[i].next = self.column[i].psum_o.val();
        }
    }
    module!(|this| Meta::module("bias_row")
        .param("cols", "c", this._cols, "columns")
        .param("tiles", "t", this._tiles, "column tiles"));
}
