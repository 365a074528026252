//! What the rows of the array sum over.

use heddle_arch::isa::Pooling;
use heddle_arch::params::Params;
use heddle_network::{Layer, Work};

use super::flatten::Flattening;
use super::mapping::Mapping;
use super::phased_taps::PhasedTaps;
use super::pixel_blocks::PixelBlocks;
use super::pixel_orders::Orders;
use super::windows::{phased_elements, pooled};
use crate::layout::PixelOrder;

/// What a K tile of a layer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// Channels at one place of the kernel.
    Channels,
    /// The same in phases that are read where they lie.
    InPlace(PhasedTaps),
    /// Pixels of the input for those of all phases at a time.
    Blocks(PixelBlocks),
    /// Channels of windows that go through pooling: one weight for all of their elements.
    Window(Pooling),
    /// Taps that are laid over the rows.
    Rows(Flattening),
    /// Channels of one of the tensors that are added.
    Terms,
}

impl Reduction {
    /// That of a layer whose taps may be laid over so many rows.
    pub fn of(
        layer: &Layer,
        mapping: Mapping,
        orders: &Orders,
        rows: u32,
        params: &Params,
    ) -> Self {
        let window = match orders.reads[0] {
            PixelOrder::Phased => phased_elements(layer),
            _ => layer.kernel.iter().product(),
        };
        match (mapping.phases(), pooled(layer, params), layer.work()) {
            (Some(phases), ..) => Reduction::Blocks(PixelBlocks::of(layer, phases)),
            // All elements of a window are taps already.
            _ if mapping == Mapping::Flattened => Reduction::Rows(Flattening::of(layer, rows)),
            (_, Some(reduction), _) => Reduction::Window(Pooling { reduction, window }),
            (_, _, Work::Terms(_)) => Reduction::Terms,
            _ if orders.in_place => Reduction::InPlace(PhasedTaps::of(layer)),
            _ => Reduction::Channels,
        }
    }

    /// The windows, if they go through pooling.
    pub fn pooling(self) -> Option<Pooling> {
        match self {
            Reduction::Window(pooling) => Some(pooling),
            _ => None,
        }
    }

    /// The taps of each row, if they are laid over the rows.
    pub fn flattening(self) -> Option<Flattening> {
        match self {
            Reduction::Rows(flattening) => Some(flattening),
            _ => None,
        }
    }

    /// Rows before and behind the planes of phases that are read, and columns; none if the layer makes a pixel at a time.
    pub fn around(self, layer: &Layer) -> Option<[[u32; 2]; 2]> {
        match self {
            Reduction::Blocks(blocks) => Some(blocks.around(layer)),
            Reduction::InPlace(taps) => Some(taps.around(layer)),
            _ => None,
        }
    }
}
