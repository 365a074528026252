//! What a user may ask of a compilation.

use crate::product::Mapping;
use crate::product::matrix::DrainForm;
use crate::rule::{EngineOptions, EnginePolicy, Zeros};

/// Options of [`compile`](crate::compile).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// The mapping of every layer that can have it; default: the one that takes fewer cycles.
    pub mapping: Option<Mapping>,
    /// All layers up to the next one of the host, or the next output, are one run of the machine; default: the host starts each of
    /// them.
    pub whole: bool,
    /// The data of each segment lie beside those of the next one, so that a host can load these while the array works.
    pub double_buffered: bool,
    /// Images follow one another: the inputs keep a place of their own where there is room, and a run of the machine ends behind the last
    /// one that needs that place, so that the next inputs can come while the array works.
    pub stream: bool,
    /// The program itself loads weights that do not fit at once, from an image: a file of a program cannot have that.
    pub moves: bool,
    /// Layers of matrices.
    pub matrices: MatrixOptions,
    /// Engines of the layers.
    pub engines: EngineOptions,
    /// Zeros of the tensors, as far as they are known: of the input, then of the output of each layer.
    pub zeros: Vec<Option<Zeros>>,
    /// What may be cut if not everything fits at once.
    pub cuts: Cuts,
    /// The stage whose tables are wanted.
    pub tables: Option<Stage>,
}

impl Options {
    /// The same with what follows from it.
    pub(crate) fn settled(&self) -> Self {
        let mut settled = self.clone();
        if self.engines.policy == EnginePolicy::Sparse {
            // The cluster reads planes.
            settled.mapping = self.mapping.or(Some(Mapping::Channel));
        }
        settled
    }
}

/// A stage whose result can be had as tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// All ways that the layers can take through the array together, and why one of them was taken.
    Map,
    /// Where everything lies in the memories.
    Place,
}

/// What may be cut if a network does not fit at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Cuts {
    /// Nothing.
    Nothing,
    /// The network, into segments that the host loads between runs.
    Network,
    /// Also layers that do not fit alone, into pieces.
    #[default]
    Layers,
}

/// Where the identity of transposes comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum IdentitySource {
    /// The host writes it with the image.
    #[default]
    Stored,
    /// The host writes a 1 and seven 0; the first layer that transposes builds the identity of them.
    Built,
}

/// Options for layers of matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatrixOptions {
    /// Where the identity comes from.
    pub identity: IdentitySource,
    /// Transposes that only products read are left out: the products take, or make, the matrix as it is needed.
    pub fold: bool,
    /// How the sums of a transpose leave the array.
    pub form: DrainForm,
}

impl Default for MatrixOptions {
    fn default() -> Self {
        Self {
            identity: IdentitySource::Stored,
            fold: false,
            form: DrainForm::All,
        }
    }
}
