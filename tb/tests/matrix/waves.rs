//! Transposes inside the machine: weights on the first data bus, the identity on the second, products.

use heddle_arch::isa::{Instruction, OP_LOAD_WEIGHTS, OP_MATMUL, ROW_TENSOR};
use heddle_compiler::matrix::{DrainForm, MatrixPlace};

use super::bench::{Bench, Matrix, places};
use super::probe::{self, Trace};
use super::stored::{block, sub_block, transposed};
use crate::machines::Machine;
use crate::rtl::{Checked, check_mutants, faults};

const SHAPES: [(u32, u32); 3] = [(8, 4), (4, 4), (3, 5)];

/// Operands and products of a sub-block: clock in which vector 0 enters row 0 of the array.
fn first_operand(trace: &Trace) -> usize {
    trace.when(|clock| clock.vector.is_some())[0] + 9
}

/// Vector t is 1 at row t and 0 at the others; the vectors come one clock after the other.
fn check_one_hot(trace: &Trace) -> Checked {
    let vectors = trace.when(|clock| clock.vector.is_some());
    let rows = trace.rows;
    if vectors != (vectors[0]..vectors[0] + rows).collect::<Vec<_>>() {
        return Err(format!("vectors in clocks {vectors:?}"));
    }
    let start = first_operand(trace);
    for (at, clock) in trace.clocks.iter().enumerate() {
        for (row, operand) in clock.operands.iter().enumerate() {
            // Row r takes vector t in clock start + t + r.
            let one = at == start + 2 * row;
            if *operand != i32::from(one) {
                return Err(format!("clock {at}: row {row} takes {operand}"));
            }
        }
    }
    Ok(())
}

/// At most one product of each column with each vector is not zero; gives how many are not. Columns
/// beyond `width` have no element.
fn check_products(trace: &Trace, width: u32) -> Checked<u32> {
    let (rows, cols) = (trace.rows, trace.cols);
    let start = first_operand(trace);
    let mut count = 0;
    for vector in 0..rows {
        for column in 0..width as usize {
            let product = |row: &usize| {
                let clock = &trace.clocks[start + vector + row + column + 1];
                clock.products[row * cols + column] != 0
            };
            let found = (0..rows).filter(product).count();
            if found > 1 {
                return Err(format!(
                    "vector {vector}, column {column}: {found} products"
                ));
            }
            count += found as u32;
        }
    }
    Ok(count)
}

#[proves("PET-03", "PET-04", "PET-05")]
#[test]
fn a_block_is_loaded_once_over_the_first_bus() {
    for (rows, cols) in SHAPES {
        let machine = probe::machine(rows, cols);
        let mut bench = Bench::new(&machine, 1).unwrap();
        let matrix = sub_block(rows, cols);
        let width = matrix.shape.cols as usize;
        let trace = transposed(&mut bench, DrainForm::Part, &matrix).unwrap();
        // Element c of partition r is the weight of cell (r, c).
        let last = trace.clocks.last().expect("clocks");
        let weights = last.active.chunks(cols as usize);
        let weights: Vec<i8> = weights.flat_map(|row| &row[..width]).copied().collect();
        assert_eq!(weights, matrix.elements);
        // One LOAD_WEIGHTS, one word for each row: all of its elements.
        let loads = trace.when(|clock| clock.starts[0]);
        let slots = trace.when(|clock| clock.weight.is_some());
        assert_eq!((loads.len(), slots.len()), (1, 1));
        let operands = first_operand(&trace);
        for row in 0..rows as usize {
            let shifts = trace.when(|clock| clock.words[row].is_some());
            assert_eq!(shifts, [slots[0] + 6 + row]);
            assert!(loads[0] < shifts[0] && shifts[0] < operands + row);
            let word = trace.clocks[shifts[0]].words[row].expect("a word");
            let elements = matrix.elements.chunks(width).nth(row).expect("a row");
            assert!(elements.iter().zip(word).all(|(e, byte)| *e as u8 == byte));
        }
        // The second bus never carries an element: all of them are above 1 but the first.
        let carried = trace.clocks.iter().flat_map(|clock| &clock.operands);
        assert!(carried.into_iter().all(|operand| [0, 1].contains(operand)));
    }
}

#[proves("PET-06", "PET-07", "PET-12", "PET-38")]
#[test]
fn the_identity_of_the_state_buffer_enters_column_by_column() {
    for (rows, cols) in SHAPES {
        let machine = probe::machine(rows, cols);
        let mut bench = Bench::new(&machine, 1).unwrap();
        let matrix = sub_block(rows, cols);
        let width = matrix.shape.cols;
        for form in [DrainForm::Direct, DrainForm::Row, DrainForm::All] {
            let trace = transposed(&mut bench, form, &matrix).unwrap();
            check_one_hot(&trace).unwrap();
            assert_eq!(check_products(&trace, width), Ok(rows * width));
            // The operands come from the place of the identity, one address after the other.
            let base = bench.params().bank_bytes();
            let slots = trace.clocks.iter().filter_map(|clock| clock.vector);
            assert!(slots.eq(base..base + rows));
            let words = probe::memory(&mut bench, base / 8);
            for (row, word) in words.iter().enumerate() {
                let ones = word.iter().take(rows as usize).enumerate();
                assert!(ones.into_iter().all(|(col, e)| *e == u8::from(row == col)));
            }
        }
        // Another matrix in that place is seen on the bus and in the cells.
        let params = bench.params();
        let ones = Matrix::new(rows, rows, |_| 1);
        let place = MatrixPlace::streamed(ones.shape, params.bank_bytes(), params);
        bench.write(&place, &ones);
        let transpose = places(matrix.shape, place, params);
        bench.write(&transpose.source, &matrix);
        let trace = probe::run(&mut bench, transpose.instructions(params).unwrap()).unwrap();
        check_one_hot(&trace).expect_err("not the identity");
        check_products(&trace, width).expect_err("several products");
    }
}

/// Each sub-block is loaded before the one ahead of it is streamed: as early as the machine allows.
fn loads_first(program: Vec<Instruction>) -> Vec<Instruction> {
    let mut reordered: Vec<Instruction> = Vec::new();
    let streams = |instruction: &Instruction| {
        let rows = instruction.record().map_or(&[][..], |record| &record.rows);
        instruction.opcode() == OP_MATMUL && rows.iter().any(|block| block.row == ROW_TENSOR)
    };
    for instruction in program {
        let place = match instruction.opcode() {
            OP_LOAD_WEIGHTS => reordered.iter().rposition(streams),
            _ => None,
        };
        reordered.insert(place.unwrap_or(reordered.len()), instruction);
    }
    reordered
}

/// Sub-blocks one after another: each cell uses the weights of the sub-block that its operand belongs to,
/// and keeps them until then. Gives whether weights were loaded meanwhile.
fn back_to_back(machine: &Machine, form: DrainForm) -> Checked<bool> {
    let mut bench = Bench::new(machine, 1)?;
    let (rows, cols) = (bench.params().array.rows, bench.params().array.cols);
    let matrix = block(3 * rows, cols);
    let params = bench.params();
    let mut transpose = bench.transpose(&matrix);
    transpose.form = form;
    let program = transpose.instructions(params).map_err(|e| e.to_string())?;
    let (trace, verdict) = probe::watch(&mut bench, loads_first(program), None)?;
    let mut used = vec![0; (rows * cols) as usize];
    for (at, clock) in trace.clocks.iter().enumerate() {
        for (index, taken) in (0..).zip(clock.takes.iter()) {
            if !taken {
                continue;
            }
            let (row, col) = (index / cols, index % cols);
            let index = index as usize;
            // The identity gives each cell one operand for each sub-block.
            let expected = matrix.at(used[index] * rows + row, col);
            let found = clock.active[index];
            if found != expected {
                return Err(format!(
                    "clock {at}: cell {row}, {col} uses {found}, not {expected}"
                ));
            }
            used[index] += 1;
        }
    }
    if used.iter().any(|count| *count != 3) {
        return Err(format!("cells take operands: {used:?}"));
    }
    verdict?;
    bench.check(&transpose.destination, &matrix.transposed())?;
    let operands = trace.when(|clock| clock.takes.contains(&true));
    let loads = trace.when(|clock| clock.words.iter().any(Option::is_some));
    let end = operands.last().expect("operands");
    Ok(loads.iter().any(|load| operands[0] < *load && load < end))
}

#[proves("PET-71")]
#[test]
fn no_weight_changes_while_an_operand_still_needs_it() {
    for (rows, cols) in [(8, 4), (4, 4)] {
        let machine = probe::machine(rows, cols);
        for form in [DrainForm::Direct, DrainForm::Row, DrainForm::Part] {
            assert_eq!(back_to_back(&machine, form), Ok(true), "{form:?}");
        }
    }
}

#[test]
fn weights_that_come_too_early_are_found() {
    let params = probe::params(8, 4);
    let sound = probe::sources(&params);
    // The next tile swaps in with any vector; it is loaded before the swap has passed all columns.
    let list = r"
        heddle_stream_issue: (vector & tile_end) => vector
        heddle_weight_issue: travel_q <= 9'd2 => travel_q <= 9'd0";
    check_mutants(&sound, &faults(list), |sources, _| {
        let machine = Machine::from_verilog(params.clone(), sources);
        back_to_back(&machine, DrainForm::Direct)
    });
}
