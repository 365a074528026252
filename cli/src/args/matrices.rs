//! Arguments for layers of matrices.

use clap::{Args, ValueEnum};
use heddle_compiler::matrix::DrainForm;
use heddle_compiler::{IdentitySource, MatrixOptions};

/// How layers of matrices are made.
#[derive(Debug, Args)]
pub struct MatrixArgs {
    /// Where the identity of transposes comes from
    #[arg(long, value_name = "SOURCE", default_value = "stored")]
    pub identity: IdentityArg,
    /// When the sums of transposes leave for the state buffer
    #[arg(long, value_name = "FORM", default_value = "end")]
    pub drain: DrainArg,
    /// Leave out transposes: products take and make matrices as they are needed
    #[arg(long)]
    pub fold: bool,
}

/// Value of `--identity`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum IdentityArg {
    /// The host writes it with the program
    Stored,
    /// The program builds it of a stored 1 and a stored 0
    Built,
}

/// Value of `--drain`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DrainArg {
    /// At once; they are not stored in the results buffer
    Direct,
    /// From the results buffer, row by row
    Row,
    /// From the results buffer, when a column is full
    Column,
    /// From the results buffer, when all of a sub-block are stored
    End,
}

impl From<&MatrixArgs> for MatrixOptions {
    fn from(args: &MatrixArgs) -> Self {
        Self {
            identity: match args.identity {
                IdentityArg::Stored => IdentitySource::Stored,
                IdentityArg::Built => IdentitySource::Built,
            },
            fold: args.fold,
            form: match args.drain {
                DrainArg::Direct => DrainForm::Direct,
                DrainArg::Row => DrainForm::Row,
                DrainArg::Column => DrainForm::Part,
                DrainArg::End => DrainForm::All,
            },
        }
    }
}
