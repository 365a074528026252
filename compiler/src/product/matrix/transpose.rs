//! Transposes: the block as weights, an identity matrix streamed through the array.

use heddle_arch::isa::Instruction;
use heddle_arch::params::Params;

use super::check::{MatrixError, apart, depth, legal, pause, places, shape};
use super::drain_form::DrainForm;
use super::pieces::pieces;
use super::product::{Pass, Scaling};
use crate::layout::{MatrixPlace, MatrixShape, Run};

/// A piece of a tensor that does not fit the state buffer as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Row of the tensor that is the first of the block.
    pub row: u32,
    /// Column of the tensor that is the first of the block.
    pub col: u32,
    /// As much as there is, at most p x q.
    pub shape: MatrixShape,
}

/// The blocks of at most p x q elements that a tensor of this shape is cut into, row by row: Equation 1 of the
/// specification.
pub fn blocks(shape: MatrixShape, p: u32, q: u32) -> impl Iterator<Item = Block> {
    let MatrixShape { rows, cols } = shape;
    (0..rows.div_ceil(p)).flat_map(move |down| {
        (0..cols.div_ceil(q)).map(move |across| Block {
            row: down * p,
            col: across * q,
            shape: MatrixShape {
                rows: p.min(rows - down * p),
                cols: q.min(cols - across * q),
            },
        })
    })
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
    pub tile: u16,
    /// When the sums leave the array or the results buffer.
    pub form: DrainForm,
}

impl Transpose {
    /// The instructions; the first one waits until all units are idle.
    ///
    /// Sub-blocks of at most R x C elements are loaded one after another, those that go to the same rows
    /// of the destination with one drain.
    ///
    /// # Errors
    /// If the matrices do not fit, results would overwrite what is still to be read, or the machine cannot keep
    /// the form of the drain.
    pub fn instructions(&self, params: &Params) -> Result<Vec<Instruction>, MatrixError> {
        self.check_shapes(params)?;
        self.check_places(params)?;
        self.unplaced(params)
    }

    /// The same, wherever the matrices lie: as many words and cycles.
    pub(crate) fn unplaced(&self, params: &Params) -> Result<Vec<Instruction>, MatrixError> {
        self.check_shapes(params)?;
        let mut pass = Pass::new(Scaling::unchanged(self.tile), params);
        let shape = self.source.shape;
        for piece in pieces(&self.source, params) {
            pass.drain(&piece, &self.destination);
            for band in 0..self.bands(params) {
                let rows = params.array.rows.min(shape.rows - band * params.array.rows);
                // A tile of weights serves one walk over the moving matrix.
                for part in self.parts(rows, params) {
                    pass.load(&self.source, band, &piece, rows);
                    match pause(self.form, part.columns(), self.tile, params)? {
                        None => pass.stream(&part, &piece, rows, true, true),
                        Some(pause) => pass.stream_stored(&part, &piece, rows, &pause),
                    }
                }
            }
        }
        legal(pass.instructions, params)
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

    fn check_shapes(&self, params: &Params) -> Result<(), MatrixError> {
        let MatrixShape { rows, cols } = self.source.shape;
        shape(("destination", &self.destination), cols, rows)?;
        let rows = params.array.rows;
        shape(("identity", &self.identity), rows, rows)?;
        match self.form {
            DrainForm::Direct => Ok(()),
            _ => depth(params),
        }
    }

    fn check_places(&self, params: &Params) -> Result<(), MatrixError> {
        let source = ("source", &self.source);
        let identity = ("identity", &self.identity);
        let destination = ("destination", &self.destination);
        let MatrixShape { rows, .. } = self.source.shape;
        places(source, identity, destination, params)?;
        apart(destination, identity)?;
        // A block that is loaded as a whole before it drains may be overwritten.
        let parts = self.parts(params.array.rows.min(rows), params).len();
        let loads = pieces(&self.source, params).len() * self.bands(params) as usize * parts;
        match loads {
            1 => Ok(()),
            _ => apart(destination, source),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_counts_of_equation_1() {
        for (rows, cols, p, q, count) in [
            (1, 1, 128, 128, 1),
            (128, 128, 128, 128, 1),
            (129, 128, 128, 128, 2),
            (256, 256, 128, 128, 4),
            (300, 200, 128, 128, 6),
            (512, 1000, 128, 128, 32),
            (5, 6, 2, 3, 6),
        ] {
            assert_eq!(blocks(MatrixShape { rows, cols }, p, q).count(), count);
        }
    }
}
