//! Constants for what no single scale makes exactly, and the proof over all inputs of what they give.

mod sum;

use heddle_network::Layer;

pub(crate) use sum::dual_sum;
pub use sum::{Difference, DualSum};

/// Constants of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LayerConstants {
    /// Rows of the array that its taps may be laid over.
    pub rows: u32,
    /// How it adds two tensors.
    pub dual: Option<DualSum>,
    /// Its table from 1 on, 0 for none.
    pub table: u8,
}

impl LayerConstants {
    /// The inputs that a layer streams, one after the other, and the factor of each in a sum of tensors.
    pub fn terms(&self, layer: &Layer) -> Vec<(usize, i8)> {
        match &self.dual {
            Some(dual) => dual.terms().to_vec(),
            None => {
                let factor = |input: usize| layer.weights.get(input).copied().unwrap_or(1);
                (0..layer.inputs.len())
                    .map(|input| (input, factor(input)))
                    .collect()
            }
        }
    }
}
