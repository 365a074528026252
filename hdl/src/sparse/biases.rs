//! What sums begin with.

use super::waves::*;
use heddle_kernel::prelude::*;

/// Biases of the output channels, those of all lanes of a group at once. One is written when no position that needs it is on its way.
///
/// # Timing
/// Position in cycle P, tile in P: its bias is on `bias_o` in P+4.
#[module(name = "sparse_biases", no_reset)]
pub struct SparseBiases {
    /// A parameter of an output channel: a bias if its number is 0.
    pub scale_i: ScaleValue<In>,
    /// Tile of a position.
    pub tile_i: Signal<In, Bits<8>>,
    /// In P+2: the bias is read.
    pub bias_en_i: Signal<In, Bit>,
    /// What its sums begin with.
    pub bias: [OutDelay<Bits<32>>; lanes],
    #[new(Ram1r1w::new(1, tiles).at_rest(true))]
    ram: [Ram1r1w<8, 32>; lanes],
    /// Tile of the positions of the cycles before.
    tile: [Delay<Bits<8>>; 2],
    /// Sums of a position.
    _lanes: Param<'g'>,
    /// Groups of output channels that have parameters.
    _tiles: Param<'t'>,
}

#[kernel]
impl SparseBiases {
    fn update(&mut self) {
        self.tile.shift_in(self.tile_i);
        let is_bias = self.scale_i.valid & (self.scale_i.number == 0);
        for i in 0..self._lanes {
            self.ram[i].wen_i = (is_bias) & (self.scale_i.lane == i.to_bits::<5>());
            self.ram[i].waddr_i = self.scale_i.tile;
            self.ram[i].wdata_i[0] = self.scale_i.data;
            self.ram[i].ren_i = self.bias_en_i;
            self.ram[i].raddr_i = self.tile[1];
            self.bias[i] = self.ram[i].rdata_o[0];
        }
    }
}
