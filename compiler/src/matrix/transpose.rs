//! Transposes: the block as weights, an identity matrix streamed through the array.

use heddle_arch::isa::Instruction;
use heddle_arch::params::Params;

use super::pieces::pieces;
use super::place::{MatrixPlace, Run, Shape};
use super::product::{Pass, Scaling};

/// Blocks of at most p x q elements that a tensor of this shape is cut into: Equation 1 of the
/// specification.
#[must_use]
pub fn blocks(shape: Shape, p: u32, q: u32) -> u64 {
    u64::from((shape.rows - 1) / p + 1) * u64::from((shape.cols - 1) / q + 1)
}

/// Why a transpose cannot run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransposeError {
    /// The destination has another shape.
    #[error("destination is {found_rows} x {found_cols}, expected {rows} x {cols}")]
    Shape {
        /// Rows of the destination.
        found_rows: u32,
        /// Columns of the destination.
        found_cols: u32,
        /// Columns of the source.
        rows: u32,
        /// Rows of the source.
        cols: u32,
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
        "destination (bytes {} to {}) overlaps {what} (bytes {} to {}); allowed for the source of a \
        single sub-block only",
        .destination.0, .destination.1, .other.0, .other.1
    )]
    Overlap {
        /// Which matrix.
        what: &'static str,
        /// First and last byte of the destination.
        destination: (u32, u32),
        /// First and last byte of the other matrix.
        other: (u32, u32),
    },
    /// Two streams would meet at a read port.
    #[error("bank {bank} holds both source and identity")]
    SameBank {
        /// The bank.
        bank: u32,
    },
}

/// The transpose of a matrix in the state buffer, by a product with the identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transpose {
    /// The matrix, bytes of any meaning.
    pub source: MatrixPlace,
    /// Where its transpose is wanted.
    pub destination: MatrixPlace,
    /// Identity matrix of R x R, 1 in byte r of row r.
    pub identity: MatrixPlace,
    /// Column tile with bias 0 and scale 1.
    pub tile: u8,
}

impl Transpose {
    /// The instructions; the first one waits until all units are idle.
    ///
    /// Sub-blocks of at most R x C elements are loaded one after another, those that go to the same rows
    /// of the destination with one drain.
    ///
    /// # Errors
    /// If the matrices do not fit or would overwrite one another.
    pub fn instructions(&self, params: &Params) -> Result<Vec<Instruction>, TransposeError> {
        self.check(params)?;
        let mut pass = Pass::new(Scaling::unchanged(self.tile), params);
        let shape = self.source.shape;
        for piece in pieces(&self.source, params) {
            pass.drain(&piece, &self.destination);
            for band in 0..self.bands(params) {
                let rows = params.array.rows.min(shape.rows - band * params.array.rows);
                // A tile of weights serves one walk over the moving matrix.
                for part in self.parts(rows, params) {
                    pass.load(&self.source, band, &piece, rows);
                    pass.stream(&part, &piece, rows, true, true);
                }
            }
        }
        Ok(pass.instructions)
    }

    /// The columns of the identity for a band with so many rows.
    fn parts(&self, rows: u32, params: &Params) -> Vec<Run> {
        let runs = self.identity.first_columns(rows).runs(0).into_iter();
        runs.flat_map(|run| run.parts(params.results_buffer.depth))
            .collect()
    }

    fn bands(&self, params: &Params) -> u32 {
        self.source.shape.rows.div_ceil(params.array.rows)
    }

    fn check(&self, params: &Params) -> Result<(), TransposeError> {
        let (source, found) = (self.source.shape, self.destination.shape);
        if found != source.transposed() {
            return Err(TransposeError::Shape {
                found_rows: found.rows,
                found_cols: found.cols,
                rows: source.cols,
                cols: source.rows,
            });
        }
        let bytes = params.partition_bytes();
        let matrices = [
            ("source", &self.source),
            ("destination", &self.destination),
            ("identity", &self.identity),
        ];
        for (what, matrix) in matrices {
            let end = matrix.end();
            if end > bytes {
                return Err(TransposeError::Outside { what, end, bytes });
            }
        }
        // A block that is loaded as a whole before it drains may be overwritten.
        let loads = pieces(&self.source, params).len()
            * self.bands(params) as usize
            * self.parts(params.array.rows.min(source.rows), params).len();
        let span = |matrix: &MatrixPlace| (matrix.base, matrix.end() - 1);
        let needed = [
            ("source", &self.source, loads > 1),
            ("identity", &self.identity, true),
        ];
        for (what, other, _) in needed.into_iter().filter(|(_, _, needed)| *needed) {
            let (destination, other) = (span(&self.destination), span(other));
            if destination.0 <= other.1 && other.0 <= destination.1 {
                return Err(TransposeError::Overlap {
                    what,
                    destination,
                    other,
                });
            }
        }
        let banks = |matrix: &MatrixPlace| {
            let (first, last) = span(matrix);
            first / params.bank_bytes()..=last / params.bank_bytes()
        };
        let (source, identity) = (banks(&self.source), banks(&self.identity));
        match source.into_iter().find(|bank| identity.contains(bank)) {
            Some(bank) => Err(TransposeError::SameBank { bank }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pet_31_block_counts_of_equation_1() {
        for (rows, cols, p, q, count) in [
            (1, 1, 128, 128, 1),
            (128, 128, 128, 128, 1),
            (129, 128, 128, 128, 2),
            (256, 256, 128, 128, 4),
            (300, 200, 128, 128, 6),
            (512, 1000, 128, 128, 32),
            (5, 6, 2, 3, 6),
        ] {
            assert_eq!(blocks(Shape { rows, cols }, p, q), count);
        }
    }
}
