//! How a layer may be cut.

use std::ops::RangeInclusive;

use heddle_network::{Layer, Network, Shape};

/// A layer that is cut into pieces. The last ones may be smaller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pieces {
    /// Its name.
    pub layer: String,
    /// Output channels of a piece.
    pub channels: u32,
    /// Output rows of a piece.
    pub rows: u32,
    /// What it lacks as a whole.
    pub reason: String,
}

/// Pieces of a layer, at least and at most.
const COUNT: RangeInclusive<u32> = 2..=4096;

impl Pieces {
    /// Groups of channels and bands of rows of the layer.
    #[must_use]
    pub fn counts(&self, layer: &Layer) -> [u32; 2] {
        let Shape {
            channels, height, ..
        } = layer.output;
        [channels.div_ceil(self.channels), height.div_ceil(self.rows)]
    }

    /// Whether the network has a layer that can be cut so.
    pub(crate) fn fits(&self, network: &Network) -> bool {
        let layer = network.layers.iter().find(|layer| layer.name == self.layer);
        layer
            .filter(|layer| can_be_cut(layer))
            .is_some_and(|layer| {
                let Shape {
                    channels, height, ..
                } = layer.output;
                (1..=channels).contains(&self.channels)
                    && (1..=height).contains(&self.rows)
                    && (self.channels == channels || self.channels % step(layer) == 0)
                    && COUNT.contains(&self.counts(layer).into_iter().product())
            })
    }
}

/// The layer makes rows and channels each from some of its inputs, whatever the others are.
pub(crate) fn can_be_cut(layer: &Layer) -> bool {
    layer.work().is_of_planes() && layer.kind.constant().is_none()
}

/// Groups of channels are summed as a whole.
pub(crate) fn step(layer: &Layer) -> u32 {
    match layer.groups {
        1 => 1,
        _ => layer.group_outputs(),
    }
}
