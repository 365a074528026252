//! Fully connected layers and matrix products.

use heddle_blocks::offsets::order::weight_order;
use heddle_blocks::offsets::{FullyConnected, Matrix, Request, generate};

use super::{convolution, gemm, request, run, tables};

fn empty() -> Request {
    Request {
        convolution: None,
        ..request(convolution(1, 1, [1, 1]))
    }
}

fn value(i: i64) -> i64 {
    (i * i * 5 + i * 7 + 3) % 41 - 20
}

/// Row m, column n of A x B with B stored by column.
fn product(rows: i64, depth: i64, outputs: i64, a: impl Fn(i64, i64) -> i64) -> Vec<i64> {
    let at = |m, n| {
        (0..depth)
            .map(|k| a(m, k) * value(n * depth + k + 500))
            .sum()
    };
    (0..rows)
        .flat_map(|m| (0..outputs).map(move |n| at(m, n)).collect::<Vec<i64>>())
        .collect()
}

#[proves("SGCR-33")]
#[test]
fn a_fully_connected_layer_is_a_row_for_each_image() {
    let layer = FullyConnected {
        inputs: 5,
        outputs: 3,
        images: 4,
    };
    let wanted = Request {
        fully_connected: Some(layer),
        element_bytes: 2,
        ..empty()
    };
    let tables = tables(&wanted);
    assert_eq!(tables.bases, [0, 10, 20, 30]);
    assert_eq!(tables.offsets, [0, 2, 4, 6, 8]);
    assert_eq!((tables.pixels, tables.outputs), (1, 3));
    let memory: Vec<i64> = (0..20).map(value).collect();
    let weights: Vec<i64> = (500..515).map(value).collect();
    let expected = product(4, 5, 3, |m, k| value(m * 5 + k));
    assert_eq!(run(&wanted, &memory, &weights), expected);
}

#[proves("SGCR-33")]
#[test]
fn matrices_have_a_leading_dimension_and_may_be_transposed() {
    let matrix = |leading, transposed| Matrix {
        rows: 4,
        depth: 3,
        outputs: 2,
        leading,
        transposed,
    };
    for (matrix, row, tap) in [
        (matrix(None, false), 3, 1),
        (matrix(Some(7), false), 7, 1),
        (matrix(None, true), 1, 4),
        (matrix(Some(9), true), 1, 9),
    ] {
        let wanted = Request {
            matrix: Some(matrix),
            element_bytes: 4,
            unit_shift: 1,
            running: true,
            ..empty()
        };
        let tables = tables(&wanted);
        let list = |count: i32, pitch: i32| (0..count).map(|i| i * pitch * 2).collect::<Vec<_>>();
        assert_eq!(tables.bases, list(4, row));
        assert_eq!(tables.offsets, [0, tap * 2, tap * 2]);
        assert_eq!(
            (tables.pixels, tables.outputs, tables.unit_shift),
            (4, 2, 1)
        );
        let memory: Vec<i64> = (0..64).map(value).collect();
        let weights: Vec<i64> = (500..506).map(value).collect();
        let c = gemm(&tables, 4, &weight_order(&wanted), &memory, &weights).expect("in the tensor");
        let element = |m, k| value(m * i64::from(row) + k * i64::from(tap));
        let by_row = product(4, 3, 2, element);
        let by_output: Vec<i64> = (0..8).map(|i| by_row[i % 4 * 2 + i / 4]).collect();
        assert_eq!(c, by_output);
        tables
            .check_in(wanted.tensor_bytes())
            .expect("in the tensor");
        tables
            .check_in(wanted.tensor_bytes() - 3)
            .expect_err("half of the last element lies outside");
    }
}

#[test]
fn faulty_requests_are_refused() {
    let errors = generate(&empty())
        .expect_err("nothing is asked for")
        .to_string();
    let expected = "convolution, fully_connected and matrix: 0 are there, expected one";
    assert_eq!(errors, expected);
    let zero = generate(&request(convolution(3, 0, [1, 1]))).expect_err("no columns");
    let expected = "convolution.width is 0, expected a whole number from 1 to 65535";
    assert_eq!(zero.to_string(), expected);
}
