//! Hand-written programs on the emitted machine against plain nested loops: every element at its
//! address, biases from the prologue, matrix products from memory to memory.

use crate::machines;
use crate::rtl;
use heddle_arch::isa::{Drain, Instruction, LoadWeights, Matmul, Record, RowBlock};
use heddle_arch::params::Params;
use heddle_arch::requantise::Scale;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machines::Machine;
use crate::machines::pair::{End, HALT, Pair, row};
use crate::rtl::{Checked, Coverage};

/// Byte address of the results: the second half of bank 0.
fn results(params: &Params) -> u32 {
    params.bank_bytes() / 2
}

/// The last bank, which holds the weights.
fn weights(params: &Params) -> u32 {
    params.partition_bytes() - params.bank_bytes()
}

fn load(params: &Params, tile_loops: &[(u32, u32)]) -> Instruction {
    let mut loops = vec![(params.weight_words(), 8)];
    loops.extend(tile_loops);
    Instruction::LoadWeights(LoadWeights {
        rows: params.array.rows,
        record: Record {
            rows: vec![row(0, weights(params), &loops)],
        },
        ..LoadWeights::default()
    })
}

fn drain(params: &Params, count: u32) -> Instruction {
    Instruction::Drain(Drain {
        columns: params.lanes(),
        record: Record {
            rows: vec![row(0, results(params), &[(count, 1)])],
        },
        ..Drain::default()
    })
}

fn matmul(params: &Params, first: bool, tile_level: u32, rows: Vec<RowBlock>) -> Instruction {
    Instruction::Matmul(Matmul {
        rows: params.array.rows,
        first,
        tile_level,
        macs: 0,
        record: Record { rows },
        ..Matmul::default()
    })
}

/// Writes one weight tile: `weight(row, column)`.
fn write_tile(pair: &mut Pair, tile: u32, weight: impl Fn(u32, u32) -> i8) {
    let params = pair.params();
    let groups = params.weight_words();
    for partition in 0..params.array.rows {
        for group in 0..groups {
            let first = 8 * (groups - 1 - group);
            let bytes = std::array::from_fn(|k| match first + k as u32 {
                column if column < params.array.cols => weight(partition, column) as u8,
                _ => 0,
            });
            let word = weights(params) / 8 + tile * groups + group;
            pair.write_word(partition, word, bytes);
        }
    }
}

/// Scale 1 and `bias(column, tile)`.
fn write_columns(pair: &mut Pair, bias: impl Fn(u32, u32) -> i32) {
    let params = pair.params();
    for column in 0..params.array.cols {
        for tile in 0..params.column_tiles {
            let one = Scale::reciprocal(1);
            pair.write_column(column, tile, bias(column, tile), one);
        }
    }
}

fn read_bytes(pair: &mut Pair, base: u32, count: u32) -> Vec<Vec<i8>> {
    let rows = pair.params().array.rows;
    let words = base / 8..(base + count).div_ceil(8);
    let partitions = (0..rows).map(|partition| {
        let places: Vec<(u32, u32)> = words.clone().map(|word| (partition, word)).collect();
        let found = pair
            .host
            .read_words(&places)
            .expect("words answer")
            .concat();
        let from = (base % 8) as usize;
        found[from..from + count as usize]
            .iter()
            .map(|&byte| byte as i8)
            .collect()
    });
    partitions.collect()
}

/// Runs on both machines, which must agree.
fn run(pair: &mut Pair, program: &[Instruction]) -> Checked {
    match pair.run_instructions(program)? {
        End::Halt(_) => pair.compare(),
        end => Err(pair.message(format!("ends with {end:?}, expected HALT"))),
    }
}

fn expect(pair: &Pair, what: &str, found: &[i8], expected: &[i8]) -> Checked {
    if found == expected {
        return Ok(());
    }
    Err(pair.message(format!("{what} are {found:?}, expected {expected:?}")))
}

/// Addresses of nested loops, innermost first: trips and step.
fn addresses(base: u32, loops: &[(u32, u32)]) -> Vec<u32> {
    let mut list = vec![base];
    for &(trips, step) in loops {
        let inner = std::mem::take(&mut list);
        list = (0..trips)
            .flat_map(|trip| inner.iter().map(move |address| address + trip * step))
            .collect();
    }
    list
}

/// With the identity as weights the results are the elements in the order of the traversal.
fn check_elements(machine: &Machine, seed: u64) -> Checked<Coverage> {
    let mut coverage = Coverage::default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pair = Pair::new(machine, seed, &mut rng)?;
    let params = pair.params();
    pair.set_zero(0);
    write_columns(&mut pair, |_, _| 0);
    write_tile(&mut pair, 0, |row, column| i8::from(row == column));
    for _ in 0..12 {
        let depth = params.traversal.loops.min(4);
        let most = [params.results_buffer.depth, 16, 6, 4, 2][depth as usize].min(16);
        let loops: Vec<(u32, u32)> = (0..depth)
            .map(|_| (rng.random_range(1..=most.min(4)), rng.random_range(1..40)))
            .collect();
        let base = rng.random_range(0..20);
        let order = addresses(base, &loops);
        let count = order.len() as u32;
        let reach = *order.iter().max().expect("not empty");
        if count > params.results_buffer.depth || count.max(reach) >= results(params) {
            continue;
        }
        let elements = read_bytes(&mut pair, 0, reach + 1);
        let program = [
            load(params, &[]),
            drain(params, count),
            matmul(
                params,
                true,
                params.traversal.loops - 1,
                vec![row(0, 0, &[]), row(1, base, &loops)],
            ),
            HALT,
        ];
        run(&mut pair, &program)?;
        let found = read_bytes(&mut pair, results(params), count);
        for lane in 0..params.lanes() as usize {
            let expected: Vec<i8> = order
                .iter()
                .map(|&at| elements[lane][at as usize])
                .collect();
            expect(&pair, "elements", &found[lane], &expected)?;
            coverage.event("negative element", expected.iter().any(|&x| x < 0));
        }
        coverage.event(
            "several loops",
            loops.iter().filter(|l| l.0 > 1).count() > 1,
        );
        coverage.event("element read twice", {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            sorted.windows(2).any(|pair| pair[0] == pair[1])
        });
    }
    Ok(coverage)
}

#[test]
fn ttu_056_every_element_is_read_at_its_address_in_order() {
    for params in [machines::tiny(), machines::tall(), machines::wide()] {
        let machine = Machine::new(params);
        let seeds = rtl::seeds();
        let mut coverage = Coverage::default();
        for seed in seeds {
            match check_elements(&machine, seed) {
                Ok(found) => coverage.add(found),
                Err(message) => panic!("{message}"),
            }
        }
        coverage.assert_complete();
    }
}

#[test]
fn ttu_057_sums_start_from_the_values_that_the_prologue_loads() {
    for params in [machines::tiny(), machines::wide()] {
        let machine = Machine::new(params);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let pair = Pair::new(&machine, 1, &mut rng);
        let mut pair = pair.unwrap_or_else(|message| panic!("{message}"));
        let params = pair.params();
        pair.set_zero(0);
        let bias = |column: u32, tile: u32| 7 * tile as i32 - 3 * column as i32 - 20;
        write_columns(&mut pair, bias);
        write_tile(&mut pair, 0, |row, column| i8::from(row == column));
        for partition in 0..params.array.rows {
            pair.write_word(partition, 0, [0, 1, 2, 3, 4, 0, 0, 0]);
        }
        // The last address of the prologue counts, and it holds for the products that follow.
        let program = [
            load(params, &[]),
            load(params, &[]),
            drain(params, 10),
            matmul(
                params,
                true,
                0,
                vec![row(0, 1, &[(3, 2)]), row(1, 0, &[(5, 1)])],
            ),
            matmul(params, true, 0, vec![row(1, 0, &[(5, 1)])]),
            HALT,
        ];
        run(&mut pair, &program).unwrap_or_else(|message| panic!("{message}"));
        let found = read_bytes(&mut pair, results(params), 10);
        for lane in 0..params.lanes() {
            let start = bias(lane, 5) as i8;
            let once: Vec<i8> = (0..5).map(|x| x + start).collect();
            let expected = [once.clone(), once].concat();
            expect(&pair, "sums", &found[lane as usize], &expected)
                .unwrap_or_else(|message| panic!("{message}"));
        }
    }
}

/// Operand matrix [vectors][K tiles x rows] times weight matrix, plus bias, written as bytes.
fn check_product(machine: &Machine, seed: u64) -> Checked<Coverage> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pair = Pair::new(machine, seed, &mut rng)?;
    let params = pair.params();
    pair.set_zero(0);
    let vectors = rng.random_range(2..=12);
    let tiles = rng.random_range(2..=4);
    let rows = params.array.rows;
    let mut element = || rng.random_range(-3i8..=3);
    // Operand k of vector m: partition k mod rows, byte 16 (k / rows) + m.
    let operands: Vec<Vec<i8>> = (0..tiles * rows)
        .map(|_| (0..16).map(|_| element()).collect())
        .collect();
    let factors: Vec<Vec<i8>> = (0..tiles * rows)
        .map(|_| (0..params.array.cols).map(|_| element()).collect())
        .collect();
    for (k, line) in (0..).zip(&operands) {
        for half in 0..2 {
            let bytes = std::array::from_fn(|at| line[half * 8 + at] as u8);
            pair.write_word(k % rows, k / rows * 2 + half as u32, bytes);
        }
    }
    for tile in 0..tiles {
        let of = |row, column| factors[(tile * rows + row) as usize][column as usize];
        write_tile(&mut pair, tile, of);
    }
    let bias = |column: u32, tile: u32| column as i32 - tile as i32;
    write_columns(&mut pair, bias);
    let step = 8 * params.weight_words();
    // Two sums of the results buffer, never stored by this product, follow as epilogue.
    let operand_rows = vec![
        row(0, 3, &[]),
        row(1, 0, &[(vectors, 1), (tiles, 16)]),
        row(2, vectors, &[(2, 1)]),
    ];
    let mut stored = matmul(
        params,
        true,
        0,
        vec![row(0, 2, &[]), row(1, 0, &[(vectors + 2, 1)])],
    );
    if let Instruction::Matmul(Matmul { last, .. }) = &mut stored {
        *last = false;
    }
    let program = [
        load(params, &[]),
        stored,
        load(params, &[(tiles, step)]),
        drain(params, vectors + 2),
        matmul(params, true, 0, operand_rows),
        HALT,
    ];
    run(&mut pair, &program)?;
    let found = read_bytes(&mut pair, results(params), vectors + 2);
    let mut coverage = Coverage::default();
    for column in 0..params.lanes() {
        let sum = |lines: u32, m: u32| -> i32 {
            (0..lines as usize)
                .map(|k| {
                    let (x, w) = (operands[k][m as usize], factors[k][column as usize]);
                    i32::from(x) * i32::from(w)
                })
                .sum()
        };
        let mut expected: Vec<i8> = (0..vectors)
            .map(|m| (sum(tiles * rows, m) + bias(column, 3)).clamp(-128, 127) as i8)
            .collect();
        // The first tile alone, of vectors that this product has not overwritten.
        for m in vectors..vectors + 2 {
            expected.push((sum(rows, m) + bias(column, 2)).clamp(-128, 127) as i8);
        }
        coverage.event("negative sum", expected.iter().any(|&x| x < 0));
        coverage.event("positive sum", expected.iter().any(|&x| x > 0));
        expect(&pair, "sums", &found[column as usize], &expected)?;
    }
    Ok(coverage)
}

#[test]
fn ttu_065_spm_45_spm_46_matrix_product_from_memory_to_memory() {
    for params in [machines::tiny(), machines::tall(), machines::wide()] {
        let machine = Machine::new(params);
        rtl::run_seeds(|seed| check_product(&machine, seed));
    }
}
