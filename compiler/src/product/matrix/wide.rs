//! Transposes of elements that are wider than the multipliers: as many passes as an element has portions.
//!
//! A portion is a byte of an element, the lowest one first. The portions of a row lie beside each other, and weights
//! are read in whole words: so the portions are taken apart first, by streaming every S-th byte of a row past an
//! identity. Then the plane of portion s is loaded in pass s. Either (A1) a *spread* identity puts its sums where
//! byte s of each element of the result belongs, every S-th sum from s on, and the passes meet in the results buffer,
//! each adding 0 to the others' places, because results are written as whole words. Or (A2) the identity is multiplied by the
//! weight of the portion, and the results buffer adds the portions up to the element.

use heddle_arch::isa::Instruction;
use heddle_arch::params::Params;
use heddle_arch::word::BYTE_BITS;

use super::check::{MatrixError, apart, legal, places, shape};
use super::pieces::pieces;
use super::product::{Pass, Scaling};
use crate::layout::{MatrixPlace, MatrixShape};

/// How the portions become elements again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Portions {
    /// By their places. The matrix of R rows and S R + S - 1 columns has its 1 of row r in column S r + S - 1.
    Placed(MatrixPlace),
    /// By adding: the identity of R x R times 2^(s w) for each portion s of w bits.
    Added(Vec<MatrixPlace>),
}

/// The transpose of a matrix whose elements have S portions, a byte each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WideTranspose {
    /// The matrix, m x n elements in m x S n bytes.
    pub source: MatrixPlace,
    /// Where its transpose is wanted: n x S m bytes, or n x m if portions are added.
    pub destination: MatrixPlace,
    /// The portions of the source, m x n each; what is there is lost.
    pub planes: Vec<MatrixPlace>,
    /// Identity of R x R, loaded as weights.
    pub identity: MatrixPlace,
    /// How the portions become elements.
    pub portions: Portions,
    /// Column tile with bias 0 and scale 1.
    pub tile: u16,
}

impl WideTranspose {
    /// Rows and columns of the spread identity for elements of so many bytes.
    #[must_use]
    pub fn spread(element_bytes: u32, params: &Params) -> MatrixShape {
        let rows = params.array.rows;
        MatrixShape {
            rows,
            cols: element_bytes * rows + element_bytes - 1,
        }
    }

    /// The instructions; the first one waits until all units are idle, and so does the
    /// first one after the portions being taken apart.
    ///
    /// # Errors
    /// If the matrices do not fit or do not belong together.
    pub fn instructions(&self, params: &Params) -> Result<Vec<Instruction>, MatrixError> {
        self.check(params)?;
        self.unplaced(params)
    }

    /// The same, wherever the matrices lie: as many words and cycles.
    pub(crate) fn unplaced(&self, params: &Params) -> Result<Vec<Instruction>, MatrixError> {
        self.check_shapes(params)?;
        let mut pass = Pass::new(Scaling::unchanged(self.tile), params);
        for (portion, plane) in (0..).zip(&self.planes) {
            self.take_apart(portion, plane, &mut pass, params);
        }
        if let Portions::Added(_) = self.portions {
            // A sum of portions is an unsigned byte.
            pass.set_bounds((0, 255));
        }
        // Weights come from the bank of what was streamed.
        pass.settle();
        let passes: Vec<u32> = (0..self.count()).collect();
        self.put_together(&passes, &mut pass, params);
        legal(pass.instructions, params)
    }

    /// The instructions of some passes of A1 alone, behind those that take the portions apart: of the result they
    /// give the bytes of these portions, and 0 for the others.
    ///
    /// # Errors
    /// As [`WideTranspose::instructions`].
    pub fn passes(
        &self,
        portions: &[u32],
        params: &Params,
    ) -> Result<Vec<Instruction>, MatrixError> {
        self.check(params)?;
        let mut pass = Pass::new(Scaling::unchanged(self.tile), params);
        self.put_together(portions, &mut pass, params);
        legal(pass.instructions, params)
    }

    /// Portions of an element.
    fn count(&self) -> u32 {
        self.planes.len() as u32
    }

    /// Copies a portion of every element to its plane.
    fn take_apart(&self, portion: u32, plane: &MatrixPlace, pass: &mut Pass, params: &Params) {
        let MatrixShape { rows: m, cols: n } = plane.shape;
        for band in 0..m.div_ceil(params.array.rows) {
            let rows = params.array.rows.min(m - band * params.array.rows);
            let walks = self.source.strided(band, portion, self.count(), n);
            // Row r of the band leaves the array at the column in which the identity has its 1.
            for mut piece in pieces(&self.identity.first_columns(rows), params) {
                piece.band = band;
                pass.drain(&piece, plane);
                for walk in &walks {
                    for part in walk.parts(params.results_buffer.depth) {
                        pass.load(&self.identity, 0, &piece, rows);
                        pass.stream(&part, &piece, rows, true, true);
                    }
                }
            }
        }
    }

    /// Loads the planes of these portions in turn.
    fn put_together(&self, portions: &[u32], pass: &mut Pass, params: &Params) {
        let rows_of_array = params.array.rows;
        let MatrixShape { rows: m, .. } = self.planes[0].shape;
        // Sums of a row of the source.
        let sums = match self.portions {
            Portions::Placed(_) => self.count(),
            Portions::Added(_) => 1,
        };
        let most = params.results_buffer.depth / sums;
        for piece in pieces(&self.planes[0], params) {
            pass.drain(&piece, &self.destination);
            for band in 0..m.div_ceil(rows_of_array) {
                let rows = rows_of_array.min(m - band * rows_of_array);
                for first in (0..rows).step_by(most as usize) {
                    let vectors = sums * most.min(rows - first);
                    for (at, &portion) in portions.iter().enumerate() {
                        let (moving, from) = match &self.portions {
                            Portions::Placed(spread) => (spread, sums * first + sums - 1 - portion),
                            Portions::Added(scaled) => (&scaled[portion as usize], first),
                        };
                        let walks = moving.strided(0, from, 1, vectors);
                        pass.load(&self.planes[portion as usize], band, &piece, rows);
                        let ends = (at == 0, at + 1 == portions.len());
                        // Moving matrices that are only streamed have no gap.
                        pass.stream(&walks[0], &piece, rows, ends.0, ends.1);
                    }
                    pass.next_bank();
                }
            }
        }
    }

    /// What the portions are multiplied with.
    fn moving(&self) -> Vec<(&'static str, &MatrixPlace)> {
        match &self.portions {
            Portions::Placed(spread) => vec![("spread identity", spread)],
            Portions::Added(scaled) => scaled.iter().map(|of| ("scaled identity", of)).collect(),
        }
    }

    fn check_shapes(&self, params: &Params) -> Result<(), MatrixError> {
        let (count, rows) = (self.count(), params.array.rows);
        let MatrixShape { rows: m, cols } = self.source.shape;
        let n = cols / count.max(1);
        shape(("source", &self.source), m, n * count)?;
        shape(("identity", &self.identity), rows, rows)?;
        let spread = Self::spread(count, params);
        let (wanted, bytes) = match &self.portions {
            Portions::Placed(_) => ((spread.rows, spread.cols), count * m),
            Portions::Added(_) => ((rows, rows), m),
        };
        for (what, place) in self.moving() {
            shape((what, place), wanted.0, wanted.1)?;
        }
        shape(("destination", &self.destination), n, bytes)?;
        let depth = params.results_buffer.depth;
        if matches!(self.portions, Portions::Placed(_)) && depth < count {
            return Err(MatrixError::Sums { depth, count });
        }
        let mut planes = self.planes.iter();
        planes.try_for_each(|plane| shape(("portion", plane), m, n))
    }

    fn check(&self, params: &Params) -> Result<(), MatrixError> {
        self.check_shapes(params)?;
        let source = ("source", &self.source);
        let destination = ("destination", &self.destination);
        let identity = ("identity", &self.identity);
        for (at, plane) in self.planes.iter().enumerate() {
            let plane = ("portion", plane);
            for other in &self.planes[..at] {
                apart(plane, ("another portion", other))?;
            }
            places(identity, source, plane, params)?;
            apart(plane, source)?;
            apart(plane, identity)?;
            apart(destination, plane)?;
            for other in self.moving() {
                places(plane, other, destination, params)?;
                if other.1.strided(0, 0, 1, other.1.shape.cols).len() > 1 {
                    return Err(MatrixError::Gaps { what: other.0 });
                }
                apart(plane, other)?;
                apart(destination, other)?;
            }
        }
        apart(destination, identity)
    }
}

/// The identity times 2^(s w) for the portions of elements of S portions of w bits each, row by row.
///
/// # Errors
/// If a factor does not fit an operand of 8 bits, or an element a byte of the state buffer.
pub fn portion_factors(portions: u32, bits: u32) -> Result<Vec<i8>, MatrixError> {
    let factor = |portion: u32| 1u32.checked_shl(portion * bits).unwrap_or(u32::MAX);
    let largest = factor(portions.saturating_sub(1));
    if portions * bits > BYTE_BITS || largest > 127 {
        return Err(MatrixError::Portions { portions, bits });
    }
    Ok((0..portions).map(|portion| factor(portion) as i8).collect())
}
