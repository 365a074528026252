//! What enters the rows of the array from the left: weights, operands, and the control that belongs to them.

use heddle_compiler::matrix::{MatrixPlace, MatrixShape, Product, Scaling};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, Matrix, UNIT_TILE};
use super::probe::{self, Trace};
use super::stored::block;
use crate::machines::Machine;
use crate::rtl::{Checked, check_mutants, faults, mutated};

/// A weight word that enters a row is in its first eight cells one clock later; what these had moves eight cells
/// to the right. Nothing else changes a weight in the chain. Gives the number of words.
fn check_weights(trace: &Trace) -> Checked<usize> {
    let cols = trace.cols;
    let mut words = 0;
    for (at, pair) in trace.clocks.windows(2).enumerate() {
        let [clock, next] = pair else {
            continue;
        };
        for (row, word) in clock.words.iter().enumerate() {
            let chain = |shadow: &[i8]| shadow[row * cols..(row + 1) * cols].to_vec();
            let before = chain(&clock.shadow);
            let expected = match word {
                None => before,
                Some(word) => {
                    words += 1;
                    let entering = word.iter().map(|byte| *byte as i8);
                    entering.chain(before).take(cols).collect()
                }
            };
            let found = chain(&next.shadow);
            if found != expected {
                return Err(format!(
                    "clock {at}: row {row} holds {found:?}, not {expected:?}"
                ));
            }
        }
    }
    Ok(words)
}

/// Operand, valid flag and swap flag of a cell are those that the cell to its left had one clock before; the first
/// cell has those of its partition.
fn check_neighbours(trace: &Trace) -> Checked {
    let cols = trace.cols;
    for (at, pair) in trace.clocks.windows(2).enumerate() {
        let [before, clock] = pair else {
            continue;
        };
        for cell in 0..trace.rows * cols {
            let (row, col) = (cell / cols, cell % cols);
            let taken = clock.takes[cell].then_some(clock.cell_operands[cell]);
            let found = (taken, clock.cell_swaps[cell]);
            let expected = match col {
                0 => {
                    let operand = clock.operands[row];
                    ((operand != 0).then_some(operand), clock.swaps[row])
                }
                _ => {
                    let left = cell - 1;
                    let taken = before.takes[left].then_some(before.cell_operands[left]);
                    (taken, before.cell_swaps[left])
                }
            };
            if found != expected {
                let at = at + 1;
                return Err(format!(
                    "clock {at}: cell {row}, {col} has {found:?}, from the left comes {expected:?}"
                ));
            }
        }
    }
    Ok(())
}

/// A transpose on an array whose rows take three words of weights.
fn transpose_from_the_left(machine: &Machine) -> Checked {
    let mut bench = Bench::new(machine, 1)?;
    let (rows, cols) = (bench.params().array.rows, bench.params().array.cols);
    let params = bench.params();
    let matrix = block(rows, rows);
    let transpose = bench.transpose(&matrix);
    let program = transpose.instructions(params).map_err(|e| e.to_string())?;
    let (trace, verdict) = probe::watch(&mut bench, program, None)?;
    let words = check_weights(&trace)?;
    let expected = (rows * cols.div_ceil(8)) as usize;
    if words != expected {
        return Err(format!("{words} words, expected {expected}"));
    }
    check_neighbours(&trace)?;
    // Both data busses of row r come from partition r.
    let last = &trace.clocks[trace.clocks.len() - 1];
    for row in 0..rows {
        for col in 0..rows {
            let weight = last.active[(row * cols + col) as usize];
            if weight != matrix.at(row, col) {
                return Err(format!("cell {row}, {col} has weight {weight}"));
            }
        }
    }
    verdict?;
    bench.check(&transpose.destination, &matrix.transposed())
}

#[proves("PET-55")]
#[test]
fn weights_and_operands_from_the_left_give_the_same_transpose() {
    let params = probe::params(2, 17);
    let sources = probe::sources(&params);
    let machine = Machine::from_verilog(params.clone(), &sources);
    transpose_from_the_left(&machine).unwrap();

    // All rows take the weights of the first one, as if a bus came from above.
    let fault = mutated(&sources, "heddle_pe_array", "w_i[64*i+:64]", "w_i[63:0]");
    let machine = Machine::from_verilog(params, &fault);
    let found = transpose_from_the_left(&machine);
    println!("weights of row 0: {}", found.expect_err("a fault"));
}

/// A product of two tiles: in the clock in which a cell gets an operand it gets its valid flag, zero operands have
/// none, and the swap flag comes after the last operand of a tile to every cell.
fn check_product(machine: &Machine) -> Checked {
    let mut bench = Bench::new(machine, 1)?;
    bench.pair.set_zero(0);
    let params = bench.params();
    let (rows, cols) = (params.array.rows, params.array.cols);
    let mut rng = ChaCha8Rng::seed_from_u64(56);
    let weights = Matrix::random(&mut rng, 2 * rows, rows.min(cols));
    // Many zeros, so that the valid flag says something.
    let moving = Matrix::new(2 * rows, 9, |_| rng.random_range(-1..=1));
    let place = |shape, bank| MatrixPlace::new(shape, bank * params.bank_bytes(), params);
    let result = MatrixShape {
        rows: weights.shape.cols,
        cols: moving.shape.cols,
    };
    let product = Product {
        weights: place(weights.shape, 0),
        // One walk over the columns, one tile.
        moving: MatrixPlace::streamed(moving.shape, params.bank_bytes(), params),
        result: place(result, 2),
        scaling: Scaling::unchanged(UNIT_TILE),
    };
    bench.write(&product.weights, &weights);
    bench.write(&product.moving, &moving);
    let program = product.instructions(params).map_err(|e| e.to_string())?;
    let (trace, verdict) = probe::watch(&mut bench, program, None)?;
    let slots = trace.when(|clock| clock.vector.is_some());
    if slots.len() as u32 != 2 * moving.shape.cols {
        return Err(format!("{} vectors", slots.len()));
    }
    let mut valid = 0;
    for (number, slot) in (0..).zip(&slots) {
        let (band, vector) = (number / moving.shape.cols, number % moving.shape.cols);
        for row in 0..rows {
            let operand = i32::from(moving.at(band * rows + row, vector));
            for col in 0..cols {
                let clock = &trace.clocks[slot + (9 + row + col) as usize];
                let cell = (row * cols + col) as usize;
                let at = || format!("vector {number}, cell {row}, {col}");
                if clock.takes[cell] != (operand != 0) {
                    return Err(format!("{}: valid is {}", at(), clock.takes[cell]));
                }
                if operand == 0 {
                    continue;
                }
                valid += 1;
                let found = (clock.cell_operands[cell], clock.active[cell]);
                if found.0 != operand {
                    return Err(format!("{}: {found:?}, operand {operand}", at()));
                }
                if col < weights.shape.cols && found.1 != weights.at(band * rows + row, col) {
                    return Err(format!("{}: weight {}", at(), found.1));
                }
            }
        }
    }
    let takes = trace.clocks.iter().flat_map(|clock| &clock.takes);
    let all = takes.filter(|taken| **taken).count();
    if all != valid {
        return Err(format!("{all} valid flags, {valid} operands"));
    }
    check_neighbours(&trace)?;
    verdict?;
    bench.check(&product.result, &weights.transposed_times(&moving))
}

#[proves("PET-56")]
#[test]
fn control_from_the_left_arrives_with_the_operand_at_every_cell() {
    for (rows, cols) in [(4, 4), (3, 5)] {
        check_product(&probe::machine(rows, cols)).unwrap();
    }
    let params = probe::params(4, 4);
    let sources = probe::sources(&params);
    // The valid flag overtakes its operand; the swap flag does.
    let list = r"
        heddle_pe.v: assign nz_o = nz_q; => assign nz_o = nz_i;
        heddle_pe.v: assign swap_o = swap_q; => assign swap_o = swap_i;";
    check_mutants(&sources, &faults(list), |sources, _| {
        check_product(&Machine::from_verilog(params.clone(), sources))
    });
}
