use std::path::PathBuf;

/// Why a model cannot be loaded or driven. The message is the whole explanation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The library cannot be opened or exports no model.
    #[error("cannot load model {path}: {source}", path = path.display())]
    Load {
        /// The library.
        path: PathBuf,
        /// The loader's reason.
        source: libloading::Error,
    },
    /// The library was built by another version of this crate.
    #[error("model has interface version {found}, expected {expected}: build it again")]
    Version {
        /// Version in the library.
        found: u32,
        /// Version of this crate.
        expected: u32,
    },
    /// The module has no such port.
    #[error("{top} has no port {name}, expected one of {known}")]
    UnknownPort {
        /// Name of the module.
        top: String,
        /// The name that was asked for.
        name: String,
        /// All ports, separated by commas.
        known: String,
    },
    /// The model was built without waves.
    #[error("{top} was built without waves, expected trace option vcd or fst")]
    NoTrace {
        /// Name of the module.
        top: String,
    },
    /// The wave file cannot be written.
    #[error("cannot write wave {path}: {reason}", path = path.display())]
    Wave {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}
