//! How the taps of a layer are laid over the rows of the array.

use std::fmt;

use crate::layout::Phases;

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
    /// Depthwise: four columns hold it, so that blocks of 2 x 2 pixels of its output come out together.
    Blocks,
}

impl Mapping {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Channel, Self::Flattened, Self::Toeplitz, Self::Blocks];

    /// The pixels that come out together.
    #[must_use]
    pub const fn phases(self) -> Option<Phases> {
        match self {
            Mapping::Channel | Mapping::Flattened => None,
            Mapping::Toeplitz => Some(Phases::Rows),
            Mapping::Blocks => Some(Phases::Blocks),
        }
    }

    /// Name in reports and options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Mapping::Channel => "channel",
            Mapping::Flattened => "flattened",
            Mapping::Toeplitz => "toeplitz",
            Mapping::Blocks => "blocks",
        }
    }
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
