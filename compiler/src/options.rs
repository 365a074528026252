//! What a user may ask of a compilation.

use crate::product::Mapping;
use crate::product::matrix::DrainForm;
use crate::rule::EngineOptions;

/// Options of [`compile_with`](crate::compile_with).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// The mapping of every layer that can have it; default: the one that takes fewer cycles.
    pub mapping: Option<Mapping>,
    /// All layers up to the next one of the host, or the next output, are one run of the machine; default: the host starts each of
    /// them.
    pub whole: bool,
    /// The data of each segment lie beside those of the next one, so that a host can load these while the array works.
    pub double_buffered: bool,
    /// Layers of matrices.
    pub matrices: MatrixOptions,
    /// Engines of the layers.
    pub engines: EngineOptions,
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
