//! What a program of matrices must keep.

use heddle_arch::isa::{Instruction, IsaError, Matmul, ROW_PROLOGUE};
use heddle_arch::params::{MachineUnit, Params, PartialSums};

use super::drain_form::{DrainForm, Pause};
use crate::layout::MatrixPlace;

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
    /// A matrix lies as one that is only streamed.
    #[error(
        "{what} has groups of {group} columns and cannot be loaded as weights, expected {cols}"
    )]
    Groups {
        /// Which matrix.
        what: &'static str,
        /// Columns of its groups.
        group: u32,
        /// Columns of the array.
        cols: u32,
    },
    /// A matrix begins where its groups cannot.
    #[error("{what} begins at byte {base}, the next byte where it can is {next}")]
    Unaligned {
        /// Which matrix.
        what: &'static str,
        /// First byte.
        base: u32,
        /// Where it could begin.
        next: u32,
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
    /// Weights or results lie in the input banks.
    #[error(
        "{what} ends at byte {end} of a partition, expected at most {bytes}: the input banks begin there, \
         which hold neither weights nor results"
    )]
    InputBank {
        /// Which matrix.
        what: &'static str,
        /// Address behind it.
        end: u32,
        /// Bytes in front of the input banks.
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
    /// The results buffer cannot hold a sub-block.
    #[error(
        "results_buffer.depth is {depth}, sums that are stored before they drain need at least array.rows, \
        which is {rows}; sums that drain at once (--drain direct) need no results buffer"
    )]
    Shallow {
        /// Sums of a column.
        depth: u32,
        /// Rows of the array.
        rows: u32,
    },
    /// A drain cannot begin in the clocks of its form.
    #[error(
        "with {vectors} vectors and {cols} columns a drain of the form {form:?} begins {first} to {last} clocks \
        behind the last vector; the column tiles up to {tile} and a prologue of {loops} loops ({field}) make no such \
        pause, a greater tile or more loops may"
    )]
    Pause {
        /// The form.
        form: DrainForm,
        /// Vectors of the sub-block.
        vectors: u32,
        /// Columns of the array.
        cols: u32,
        /// Fewest clocks.
        first: u32,
        /// Most clocks.
        last: u32,
        /// Column tile of the transpose.
        tile: u16,
        /// Loops of the prologue.
        loops: u32,
        /// Field that says so.
        field: &'static str,
    },
    /// The results buffer cannot hold all portions of an element.
    #[error("results_buffer.depth is {depth}, elements of {count} bytes need at least {count}")]
    Sums {
        /// Sums of a column.
        depth: u32,
        /// Bytes of an element.
        count: u32,
    },
    /// A matrix that is only streamed lies in groups.
    #[error("{what} lies in groups of columns with gaps, expected one group")]
    Gaps {
        /// Which matrix.
        what: &'static str,
    },
    /// Portions that cannot be added up.
    #[error(
        "{portions} portions of {bits} bits cannot be added: expected at most 8 bits in all, and a factor \
        2^((portions - 1) bits) of at most 127"
    )]
    Portions {
        /// Portions of an element.
        portions: u32,
        /// Bits of each.
        bits: u32,
    },
    /// The traversal units have too few rows for the way of the sums.
    #[error(
        "{field} gives {found} rows, sums that are stored before they drain need {needed}; sums that drain at \
        once (--drain direct) need 2"
    )]
    TraversalRows {
        /// Field that says so.
        field: &'static str,
        /// Rows of the machine.
        found: u32,
        /// Rows that an instruction uses.
        needed: u32,
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

/// Checks that a matrix lies where it was wanted.
pub(super) fn aligned((what, place): Named, base: u32) -> Result<(), MatrixError> {
    let next = place.base;
    if next == base {
        return Ok(());
    }
    Err(MatrixError::Unaligned { what, base, next })
}

/// Checks that a matrix lies in its partitions.
pub(super) fn inside((what, matrix): Named, params: &Params) -> Result<(), MatrixError> {
    let (end, bytes) = (matrix.end(), params.operand_bytes());
    if end <= bytes {
        return Ok(());
    }
    Err(MatrixError::Outside { what, end, bytes })
}

/// Checks that a matrix lies where weights and results may.
pub(super) fn at_work((what, matrix): Named, params: &Params) -> Result<(), MatrixError> {
    let (end, bytes) = (matrix.end(), params.work_bytes());
    if end <= bytes {
        return Ok(());
    }
    if params.state_buffer.input_banks == 0 {
        return Err(MatrixError::Outside { what, end, bytes });
    }
    Err(MatrixError::InputBank { what, end, bytes })
}

/// Checks that all matrices lie in their partitions, weights and result in front of the input banks, and that weights and
/// moving matrix share no bank.
pub(super) fn places(
    weights: Named,
    moving: Named,
    result: Named,
    params: &Params,
) -> Result<(), MatrixError> {
    let (group, cols) = (weights.1.group(), params.array.cols);
    if group != cols {
        let what = weights.0;
        return Err(MatrixError::Groups { what, group, cols });
    }
    for matrix in [weights, moving, result] {
        inside(matrix, params)?;
    }
    at_work(weights, params)?;
    at_work(result, params)?;
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

/// Checks that a results bank holds the sums of a sub-block.
pub(super) fn depth(params: &Params) -> Result<(), MatrixError> {
    let (depth, rows) = (params.results_buffer.depth, params.array.rows);
    if depth >= rows {
        return Ok(());
    }
    Err(MatrixError::Shallow { depth, rows })
}

/// The pause of a form behind so many vectors; none for a form that stores nothing.
pub(super) fn pause(
    form: DrainForm,
    vectors: u32,
    tile: u16,
    params: &Params,
) -> Result<Option<Pause>, MatrixError> {
    let cols = params.array.cols;
    let way = match params.array.partial_sums {
        PartialSums::Foot => 0,
        PartialSums::Top => params.array.rows,
    };
    let Some(clocks) = form.clocks(vectors, cols, way) else {
        return Ok(None);
    };
    let unit = MachineUnit::Stream;
    let loops = params.traversal.row_loops(unit, ROW_PROLOGUE);
    match form.pause(vectors, cols, way, tile, loops) {
        Some(pause) => Ok(Some(pause)),
        None => Err(MatrixError::Pause {
            form,
            vectors,
            cols,
            first: *clocks.start(),
            last: *clocks.end(),
            tile,
            loops,
            field: params.traversal.unit_field(unit, "traversal.loops"),
        }),
    }
}

/// The instructions, if the machine has all they ask for.
pub(super) fn legal(
    instructions: Vec<Instruction>,
    params: &Params,
) -> Result<Vec<Instruction>, MatrixError> {
    let unit = MachineUnit::Stream;
    let found = params.traversal.unit_loops(unit).len() as u32;
    for instruction in &instructions {
        if let Instruction::Matmul(Matmul { record, .. }) = instruction {
            let needed = record.rows.iter().map(|block| u32::from(block.row) + 1);
            if let Some(needed) = needed.max().filter(|&needed| needed > found) {
                let field = params.traversal.unit_field(unit, "traversal.rows");
                return Err(MatrixError::TraversalRows {
                    field,
                    found,
                    needed,
                });
            }
        }
        instruction.check_machine(params)?;
    }
    Ok(instructions)
}
