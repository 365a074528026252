use std::path::{Path, PathBuf};

/// Why a model could not be built. The message is the whole explanation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerilateError {
    /// No Verilator was found. Callers with an exit code use 2.
    #[error("verilator not found ({searched}): run scripts/setup.sh")]
    MissingVerilator {
        /// Where it was looked for.
        searched: String,
    },
    /// No C++ compiler was found. Callers with an exit code use 2.
    #[error("c++ compiler {program} not found: run scripts/setup.sh or set CXX")]
    MissingCompiler {
        /// The program that could not be started.
        program: String,
    },
    /// The installed Verilator is too old or prints no version.
    #[error("{program} reports version {found:?}, expected Verilator 5.000 or later")]
    UnsupportedVersion {
        /// The program that was asked.
        program: String,
        /// The first line that it printed.
        found: String,
    },
    /// Verilator refused the text.
    #[error("verilator failed for {top}:\n{message}")]
    Verilator {
        /// Name of the top module.
        top: String,
        /// What Verilator printed, with file name and line.
        message: String,
    },
    /// The C++ compiler or the linker failed.
    #[error("c++ compiler failed for {top}:\n{message}")]
    Compile {
        /// Name of the top module.
        top: String,
        /// What the compiler printed.
        message: String,
    },
    /// The port table and the Verilog text disagree.
    #[error("port {port} of {top} is {found} in Verilog, the port table says {expected}")]
    PortMismatch {
        /// Name of the top module.
        top: String,
        /// Name of the port.
        port: String,
        /// Direction and width in the Verilog text, or `absent`.
        found: String,
        /// Direction and width in the port table, or `absent`.
        expected: String,
    },
    /// A name that cannot be used as a Verilog and C++ identifier or file name.
    #[error("{what} is {found:?}, expected letters, digits and underscores{extra}")]
    BadName {
        /// Which name.
        what: &'static str,
        /// Its value.
        found: String,
        /// What else is allowed.
        extra: &'static str,
    },
    /// A module that shall be translated as a block of its own is not there.
    #[error("hierarchical block {block} is no module below {top}")]
    NoBlock {
        /// Name of the block.
        block: String,
        /// Name of the top module.
        top: String,
    },
    /// The generated make fragment lacks what the build needs.
    #[error("{file} lists no {what}, expected the make fragment of Verilator 5")]
    BadClasses {
        /// File name.
        file: String,
        /// The missing variable.
        what: &'static str,
    },
    /// Neither `HEDDLE_CACHE` nor `XDG_CACHE_HOME` nor `HOME` is set.
    #[error("no cache folder: set HEDDLE_CACHE, XDG_CACHE_HOME or HOME")]
    NoCacheFolder,
    /// A file operation failed.
    #[error("cannot {action} {path}: {source}", path = path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

impl VerilateError {
    /// Exit code of a program that stops on this error: 1 if a tool ran and refused the text,
    /// 2 for bad input or a missing tool.
    #[must_use]
    pub fn exit_code(&self) -> i32 {
        match self {
            Self::Verilator { .. } | Self::Compile { .. } | Self::PortMismatch { .. } => 1,
            _ => 2,
        }
    }
}

/// Adapter for `map_err` of file operations.
pub(crate) fn io_error<'a>(
    action: &'static str,
    path: &'a Path,
) -> impl FnOnce(std::io::Error) -> VerilateError + 'a {
    move |source| VerilateError::Io {
        action,
        path: path.to_path_buf(),
        source,
    }
}
