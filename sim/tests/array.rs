//! The clocked array and bias models against the untimed matrix product.

use heddle_sim::array::{
    BiasColumnModel, BiasInputs, BiasRowModel, BiasWrite, PeArrayInputs, PeArrayModel,
    matrix_product,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Runs one tile: weights in, swap, then vectors; returns the sums at the documented cycles.
fn run_tile(vectors: &[Vec<i16>], weights: &[Vec<i8>], start: &[i32]) -> Vec<Vec<i32>> {
    let (rows, cols) = (weights.len(), start.len());
    let mut array = PeArrayModel::new(rows, cols);
    let groups = cols.div_ceil(8);
    for g in (0..groups).rev() {
        let mut inputs = PeArrayInputs::idle(rows, cols);
        inputs.shift = vec![true; rows];
        for (word, row) in inputs.w.iter_mut().zip(weights) {
            let mut bytes = [0; 8];
            for (byte, weight) in bytes.iter_mut().zip(&row[8 * g..]) {
                *byte = *weight as u8;
            }
            *word = u64::from_le_bytes(bytes);
        }
        array.step(&inputs);
    }

    let mut sums = vec![vec![0; cols]; vectors.len()];
    // Slot -1 carries the swap, vector m is slot m: row r sees slot m in cycle m + 1 + r.
    for t in 0..vectors.len() + rows + cols + 4 {
        let mut inputs = PeArrayInputs::idle(rows, cols);
        for r in 0..rows {
            inputs.swap[r] = t == r;
            if let Some(m) = (t as i64 - 1 - r as i64)
                .try_into()
                .ok()
                .filter(|m: &usize| *m < vectors.len())
            {
                inputs.x[r] = vectors[m][r];
                inputs.nz[r] = vectors[m][r] != 0;
            }
        }
        for (c, (psum, start)) in inputs.psum.iter_mut().zip(start).enumerate() {
            // Used one cycle after the operand of row 0 at column c.
            let m = t as i64 - 2 - c as i64;
            if (0..vectors.len() as i64).contains(&m) {
                *psum = *start;
            }
        }
        let psum = array.step(&inputs);
        for c in 0..cols {
            // x of row 0 in cycle m + 1, sum below the last row rows + 1 + c cycles later.
            let m = t as i64 - 1 - (rows + 1 + c) as i64;
            if (0..vectors.len() as i64).contains(&m) {
                sums[m as usize][c] = psum[c];
            }
        }
    }
    sums
}

#[test]
fn array_multiplies_matrices() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for (rows, cols) in [(1, 1), (2, 3), (4, 4), (3, 10), (5, 17)] {
        let vectors: Vec<Vec<i16>> = (0..6)
            .map(|_| (0..rows).map(|_| rng.random_range(-255..=255)).collect())
            .collect();
        let weights: Vec<Vec<i8>> = (0..rows)
            .map(|_| (0..cols).map(|_| rng.random()).collect())
            .collect();
        let start: Vec<i32> = (0..cols).map(|_| rng.random()).collect();
        assert_eq!(
            run_tile(&vectors, &weights, &start),
            matrix_product(&vectors, &weights, &start),
            "{rows} x {cols}"
        );
    }
}

#[test]
fn first_after_a_load_gets_the_new_bias() {
    let mut column = BiasColumnModel::new(4);
    let write = |tile, data| BiasInputs {
        write: BiasWrite {
            valid: true,
            column: 0,
            tile,
            data,
        },
        ..BiasInputs::default()
    };
    let slot = |load, first, tile| BiasInputs {
        load,
        tile,
        first,
        ..BiasInputs::default()
    };
    let inputs = [
        write(1, 11),
        write(3, -33),
        slot(true, false, 1),
        slot(false, true, 0),
        slot(true, false, 3),
        slot(false, true, 0),
        slot(false, false, 0),
        slot(false, true, 0),
    ];
    let idle = BiasInputs::default();
    let seen: Vec<i32> = inputs
        .iter()
        .chain([&idle, &idle])
        .map(|i| column.step(i).psum)
        .collect();
    assert_eq!(seen, [0, 0, 0, 0, 0, 11, 0, -33, 0, -33]);
}

#[test]
fn bias_row_delivers_to_the_addressed_column() {
    let mut row = BiasRowModel::new(3, 2);
    for column in 0..3 {
        row.step(&BiasInputs {
            write: BiasWrite {
                valid: true,
                column,
                tile: 1,
                data: 100 + i32::from(column),
            },
            ..BiasInputs::default()
        });
    }
    let slots = [(true, false), (false, true)];
    let mut seen = Vec::new();
    for t in 0..8 {
        let (load, first) = slots.get(t).copied().unwrap_or_default();
        seen.push(row.step(&BiasInputs {
            load,
            first,
            tile: 1,
            ..BiasInputs::default()
        }));
    }
    assert_eq!(seen[3..6], [[100, 0, 0], [0, 101, 0], [0, 0, 102]]);
}
