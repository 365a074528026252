//! The matrices of permutations.

use heddle_network::{Permutation, Shape};

#[proves("PET-X4")]
#[test]
fn the_permutations_of_the_table_and_their_matrices() {
    let matrices = |axes, batch, (channels, height, width)| {
        let permutation = Permutation {
            batch,
            axes,
            element_bytes: 1,
        };
        let shape = Shape {
            channels,
            height,
            width,
        };
        let found = permutation.matrices(shape);
        let out = permutation.output(shape);
        (
            (found.count, found.rows, found.cols),
            (out.channels, out.height, out.width),
        )
    };
    // N = 2, C = 3, H = 5, W = 7.
    assert_eq!(
        matrices([0, 2, 3, 1], 2, (6, 5, 7)),
        ((2, 3, 35), (10, 7, 3))
    );
    // N = 2, H = 5, W = 7, C = 3.
    assert_eq!(
        matrices([0, 3, 1, 2], 2, (10, 7, 3)),
        ((2, 35, 3), (6, 5, 7))
    );
    assert_eq!(matrices([0, 1, 3, 2], 2, (6, 5, 7)), ((6, 5, 7), (6, 7, 5)));
    assert_eq!(
        matrices([1, 2, 3, 0], 2, (6, 5, 7)),
        ((1, 2, 105), (15, 7, 2))
    );
    // Blocks of elements change their places, or nothing does.
    for axes in [[1, 0, 2, 3], [0, 1, 2, 3], [0, 2, 1, 3], [3, 2, 1, 0]] {
        assert!(!Permutation::is_transpose(axes), "{axes:?}");
    }
}
