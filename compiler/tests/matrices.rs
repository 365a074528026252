//! Matrices that no program can be made for.

use heddle_arch::params::Params;
use heddle_compiler::matrix::{MatrixError, MatrixPlace, Product, Scaling, Shape, Transpose};

/// 4 x 4, two banks of 2 KiB.
fn tiny() -> Params {
    Params::from_json(include_str!("../../configs/tiny.json")).expect("a preset")
}

fn place(rows: u32, cols: u32, base: u32) -> MatrixPlace {
    MatrixPlace::new(Shape { rows, cols }, base, &tiny())
}

fn transpose(source: MatrixPlace, destination: MatrixPlace) -> Transpose {
    Transpose {
        source,
        destination,
        identity: place(4, 4, 2048),
        tile: 0,
    }
}

#[track_caller]
fn refused(transpose: &Transpose, message: &str) {
    let error = transpose.instructions(&tiny()).expect_err("refused");
    assert_eq!(error.to_string(), message);
}

#[test]
fn transposes_that_cannot_run_are_refused() {
    refused(
        &transpose(place(4, 4, 0), place(4, 5, 64)),
        "destination is 4 x 5, expected 4 x 4",
    );
    refused(
        &transpose(place(4, 4, 0), place(4, 4, 4096)),
        "destination ends at byte 4104 of a partition, which has 4096",
    );
    refused(
        &transpose(place(4, 4, 2056), place(4, 4, 0)),
        "bank 1 holds both source and identity",
    );
    refused(
        &transpose(place(8, 4, 0), place(4, 8, 8)),
        "destination (bytes 8 to 23) overlaps source (bytes 0 to 15); allowed for the source of a \
        transpose of a single sub-block only",
    );
    refused(
        &transpose(place(4, 4, 0), place(4, 4, 2048)),
        "destination (bytes 2048 to 2055) overlaps identity (bytes 2048 to 2055); allowed for the \
        source of a transpose of a single sub-block only",
    );
    let mut small = transpose(place(4, 4, 0), place(4, 4, 64));
    small.identity = place(3, 3, 2048);
    refused(&small, "identity is 3 x 3, expected 4 x 4");
    let mut tile = transpose(place(4, 4, 0), place(4, 4, 64));
    tile.tile = 16;
    refused(
        &tile,
        "an instruction is not legal for this machine: BAD_FIELD: column tile is 16, this machine has at \
        most 15",
    );
}

#[test]
fn a_single_sub_block_may_be_transposed_in_place() {
    let program = transpose(place(4, 3, 0), place(3, 4, 0)).instructions(&tiny());
    assert_eq!(program.expect("legal").len(), 3);
}

#[test]
fn products_that_cannot_run_are_refused() {
    let product = |weights, moving, result| Product {
        weights,
        moving,
        result,
        scaling: Scaling::unchanged(0),
    };
    let cases = [
        (
            product(place(4, 5, 0), place(3, 6, 2048), place(5, 6, 64)),
            "moving matrix is 3 x 6, expected 4 x 6",
        ),
        (
            product(place(4, 5, 0), place(4, 6, 2048), place(4, 6, 64)),
            "result is 4 x 6, expected 5 x 6",
        ),
        (
            product(place(4, 5, 0), place(4, 6, 64), place(5, 6, 2048)),
            "bank 0 holds both weights and moving matrix",
        ),
    ];
    for (product, message) in cases {
        let error = product.instructions(&tiny()).expect_err("refused");
        assert_eq!(error.to_string(), message);
    }
    let onto = product(place(4, 5, 0), place(4, 6, 2048), place(5, 6, 8));
    let error = onto.instructions(&tiny()).expect_err("refused");
    assert!(matches!(
        error,
        MatrixError::Overlap {
            what: "weights",
            ..
        }
    ));
}
