//! How the taps of a layer are laid over the rows of the array, and why.

use std::fmt;

use crate::matrices::MatrixOptions;

/// How the taps of a layer are laid over the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mapping {
    /// A row serves input channels; a K tile is one place of the kernel.
    #[default]
    Channel,
    /// K = input channels x kernel height x kernel width laid over all rows.
    Flattened,
    /// Depthwise: two columns hold the kernel of a channel, one of them shifted, so that two rows of its output come out
    /// together.
    Toeplitz,
}

impl Mapping {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Channel, Self::Flattened, Self::Toeplitz];

    /// Name in reports and options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Mapping::Channel => "channel",
            Mapping::Flattened => "flattened",
            Mapping::Toeplitz => "toeplitz",
        }
    }
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Options of [`compile_with`](crate::compile_with).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// The mapping of every layer that can have it; default: the one that takes fewer cycles.
    pub mapping: Option<Mapping>,
    /// All layers are one run of the machine; default: the host starts each of them.
    pub whole: bool,
    /// Layers of matrices.
    pub matrices: MatrixOptions,
}

/// What a layer takes with a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MappingCost {
    /// Cycles of one image: the counter CYCLES.
    pub cycles: u64,
    /// Bytes of the layer's input and weights in each partition.
    pub buffer_bytes: u64,
}

/// The mapping of a layer and what speaks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappingChoice {
    /// The mapping of the layer.
    pub mapping: Mapping,
    /// What the layer takes.
    pub cost: MappingCost,
    /// What it takes with another mapping, if there is one.
    pub other: Option<(Mapping, MappingCost)>,
    /// Why it has this mapping.
    pub reason: String,
}

impl MappingChoice {
    /// What the layer takes with a mapping, if it is known.
    #[must_use]
    pub fn cost_of(&self, mapping: Mapping) -> Option<MappingCost> {
        let all = [Some((self.mapping, self.cost)), self.other];
        let found = all.into_iter().flatten().find(|&(of, _)| of == mapping);
        found.map(|(_, cost)| cost)
    }
}
