//! Pixels of the planes that a layer reads and writes.

use crate::layout::{Phases, PixelOrder};

/// Pixels of the planes that a layer reads and writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Orders {
    /// Those of each input.
    pub reads: Vec<PixelOrder>,
    /// Those of the output.
    pub writes: PixelOrder,
    /// It reads phases of blocks where they lie, since its stride is 2 or it adds them all up.
    pub in_place: bool,
}

impl Orders {
    /// The phases that the layer makes apart, or together.
    pub fn phases(&self) -> Option<Phases> {
        let reads = self.reads.iter().filter(|_| !self.in_place);
        let all = reads.chain([&self.writes]);
        all.filter_map(|order| order.phases()).max()
    }

    /// The layer is done in so many parts, one after the other: a phase each, or a share of the channels.
    pub fn parts(&self) -> u32 {
        self.phases().map_or(1, Phases::count)
    }

    /// All pixels of all planes are read and written.
    pub fn is_plain(&self) -> bool {
        let mut all = self.reads.iter().chain([&self.writes]);
        all.all(|&order| order == PixelOrder::Plain)
    }
}
