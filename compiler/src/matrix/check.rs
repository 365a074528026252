//! What a program of matrices must keep.

use heddle_arch::isa::{Instruction, IsaError};
use heddle_arch::params::Params;

use super::place::MatrixPlace;

/// Why a product or transpose cannot run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixError {
    /// A matrix has another shape than the others ask for.
    #[error("{what} is {} x {}, expected {} x {}", .found.0, .found.1, .expected.0, .expected.1)]
    Shape {
        /// Which matrix.
        what: &'static str,
        /// Rows and columns.
        found: (u32, u32),
        /// Rows and columns that are needed.
        expected: (u32, u32),
    },
    /// A matrix does not fit its partitions.
    #[error("{what} ends at byte {end} of a partition, which has {bytes}")]
    Outside {
        /// Which matrix.
        what: &'static str,
        /// Address behind it.
        end: u32,
        /// Bytes of a partition.
        bytes: u32,
    },
    /// Results would overwrite what is still to be read.
    #[error(
        "{result} (bytes {} to {}) overlaps {what} (bytes {} to {}); allowed for the source of a transpose \
        of a single sub-block only",
        .place.0, .place.1, .other.0, .other.1
    )]
    Overlap {
        /// The matrix that is written.
        result: &'static str,
        /// Its first and last byte.
        place: (u32, u32),
        /// The matrix that is read.
        what: &'static str,
        /// Its first and last byte.
        other: (u32, u32),
    },
    /// Two streams would meet at a read port.
    #[error("bank {bank} holds both {weights} and {moving}")]
    SameBank {
        /// The bank.
        bank: u32,
        /// The matrix that is loaded.
        weights: &'static str,
        /// The matrix that is streamed.
        moving: &'static str,
    },
    /// The machine has no such column tile, or too few loops or rows of a record.
    #[error("an instruction is not legal for this machine: {0}")]
    Machine(#[from] IsaError),
}

/// A matrix and what it is called in messages.
pub(super) type Named<'m> = (&'static str, &'m MatrixPlace);

/// First and last byte.
fn span(matrix: &MatrixPlace) -> (u32, u32) {
    (matrix.base, matrix.end() - 1)
}

/// Checks the shape of a matrix.
pub(super) fn shape(matrix: Named, rows: u32, cols: u32) -> Result<(), MatrixError> {
    let (what, place) = matrix;
    let found = (place.shape.rows, place.shape.cols);
    if found == (rows, cols) {
        return Ok(());
    }
    Err(MatrixError::Shape {
        what,
        found,
        expected: (rows, cols),
    })
}

/// Checks that all matrices lie in their partitions, and that weights and moving matrix share no bank.
pub(super) fn places(
    weights: Named,
    moving: Named,
    result: Named,
    params: &Params,
) -> Result<(), MatrixError> {
    let bytes = params.partition_bytes();
    for (what, matrix) in [weights, moving, result] {
        let end = matrix.end();
        if end > bytes {
            return Err(MatrixError::Outside { what, end, bytes });
        }
    }
    let banks = |(_, matrix): Named| {
        let (first, last) = span(matrix);
        first / params.bank_bytes()..=last / params.bank_bytes()
    };
    let others = banks(moving);
    match banks(weights).find(|bank| others.contains(bank)) {
        Some(bank) => Err(MatrixError::SameBank {
            bank,
            weights: weights.0,
            moving: moving.0,
        }),
        None => Ok(()),
    }
}

/// Checks that the result leaves a matrix alone.
pub(super) fn apart(result: Named, other: Named) -> Result<(), MatrixError> {
    let (place, read) = (span(result.1), span(other.1));
    if place.1 < read.0 || read.1 < place.0 {
        return Ok(());
    }
    Err(MatrixError::Overlap {
        result: result.0,
        place,
        what: other.0,
        other: read,
    })
}

/// The instructions, if the machine has all they ask for.
pub(super) fn legal(
    instructions: Vec<Instruction>,
    params: &Params,
) -> Result<Vec<Instruction>, MatrixError> {
    for instruction in &instructions {
        instruction.check_machine(params)?;
    }
    Ok(instructions)
}
