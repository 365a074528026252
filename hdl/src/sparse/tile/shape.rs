//! Sizes of a tile unit.

use heddle_arch::Params;
use heddle_arch::params::TileKind;

/// Sizes of a tile unit, and what it does with products that belong to one sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileShape {
    /// What becomes of them.
    pub kind: TileKind,
    /// Products of a round, 1 to 16.
    pub lanes: usize,
    /// Rows and columns of a tile and of the kernel, at most; 1 to 5.
    pub kernel: usize,
    /// Weights of a round, at most.
    pub weights: usize,
    /// Words of the memory of sums, a power of two. Not for windows.
    pub words: usize,
    /// Rows of the register bank of sums. For windows alone, as are its columns.
    pub bank_rows: usize,
    /// Its columns.
    pub bank_cols: usize,
}

impl TileShape {
    /// That of a configuration.
    pub fn of(params: &Params) -> Self {
        let cluster = params.sparse_cluster();
        let tile = &cluster.tile;
        let windows = u32::from(tile.kind == TileKind::Window);
        Self {
            kind: tile.kind,
            lanes: tile.lanes as usize,
            kernel: tile.kernel as usize,
            weights: tile.weights_per_round as usize,
            words: (cluster.sums * (1 - windows)) as usize,
            bank_rows: (tile.bank_rows * windows) as usize,
            bank_cols: (tile.bank_cols * windows) as usize,
        }
    }

    /// Weights that a round may have: products of one weight never meet.
    pub fn round_weights(&self) -> usize {
        match self.kind {
            TileKind::Window | TileKind::Indexed => 1,
            TileKind::Arbiter | TileKind::Select => self.weights.min(self.lanes),
        }
    }

    /// Products of one sum that go on in a round, if there may be more of them; else 0: none waits.
    pub fn limit(&self) -> usize {
        let limit = 1 + self.adds();
        limit * usize::from(self.round_weights() > limit)
    }

    /// 1 if products are sorted, so that those of one sum lie beside each other, and added.
    pub fn adds(&self) -> usize {
        usize::from(self.kind == TileKind::Select && self.round_weights() > 1)
    }

    /// 1 if the products of a round are a matrix that is added at one place.
    pub fn windows(&self) -> usize {
        usize::from(self.kind == TileKind::Window)
    }

    /// Values of a tile, and weights of a kernel.
    pub fn places(&self) -> usize {
        self.kernel * self.kernel
    }

    /// Rows of sums of a tile, and columns.
    pub fn side(&self) -> usize {
        2 * self.kernel - 1
    }
}
