//! Which columns of a pass go to which partitions.

use heddle_arch::isa::DrainPlace;
use heddle_arch::params::Params;

use crate::layout::MatrixPlace;

/// Columns of a weight matrix that are one group, and whose results go to one band of rows of the
/// result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// Group of the weight matrix.
    pub group: u32,
    /// Band of rows of the result.
    pub band: u32,
    /// Columns.
    pub columns: u32,
    /// First array column and the partition of column 0.
    pub place: DrainPlace,
}

/// The pieces of all columns of `weights`, in order.
///
/// Column j of the weights becomes row j of the result: it leaves the array at column j mod C and goes to
/// partition j mod R. Within a group and a band both count up together.
pub(super) fn pieces(weights: &MatrixPlace, params: &Params) -> Vec<Piece> {
    let (rows, cols) = (weights.partitions(), weights.group());
    let mut pieces = Vec::new();
    let mut first = 0;
    while first < weights.shape.cols {
        let group_end = (first / cols + 1) * cols;
        let band_end = (first / rows + 1) * rows;
        let end = group_end.min(band_end).min(weights.shape.cols);
        let group_start = first / cols * cols;
        pieces.push(Piece {
            group: first / cols,
            band: first / rows,
            columns: end - first,
            place: DrainPlace {
                first_column: first - group_start,
                rotate: group_start % rows / params.partition_step(),
            },
        });
        first = end;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::MatrixShape;

    #[test]
    fn every_column_leaves_for_its_row_of_the_result() {
        for (rows, cols) in [(4, 4), (5, 3), (3, 10), (6, 4), (8, 16), (16, 8), (1, 1)] {
            let mut params =
                Params::from_json(include_str!("../../../../configs/tiny.json")).unwrap();
            (params.array.rows, params.array.cols) = (rows, cols);
            for width in [1, 2, 5, 16, 33] {
                let shape = MatrixShape {
                    rows: 2,
                    cols: width,
                };
                let weights = MatrixPlace::new(shape, 0, &params);
                let mut column = 0;
                for piece in pieces(&weights, &params) {
                    let place = piece.place;
                    assert!(place.first_column + piece.columns <= cols);
                    assert!(piece.columns <= params.lanes() && place.rotate < params.rotations());
                    for array_column in place.first_column..place.first_column + piece.columns {
                        let turned = place.rotate * params.partition_step() + array_column;
                        assert_eq!(piece.group * cols + array_column, column);
                        assert_eq!((piece.band, turned % rows), (column / rows, column % rows));
                        column += 1;
                    }
                }
                assert_eq!(column, width);
            }
        }
    }
}
