//! Sums at the top of the array: what they change in a program's clocks, worked out by hand, and that they change
//! nothing else.

use crate::machine;
use heddle_arch::host::Counter;
use heddle_arch::isa::{ErrorCode, assemble};
use heddle_arch::params::{Params, PartialSums};
use heddle_arch::requantise::Scale;
use heddle_sim::machine::{Counters, Machine, MachineError};

const ROWS: u32 = 2;
/// Slots from one that stores a sum to the first one that can start from it.
const DISTANCE: u32 = ROWS + 3;
const RESULTS: u32 = 8;

fn params(partial_sums: PartialSums) -> Params {
    let mut params = machine::params();
    params.array.partial_sums = partial_sums;
    params
}

/// Counters and the words of both partitions.
type Seen = (Counters, Vec<[u8; 8]>);

/// Runs a program on operands 1, 2, 3, .. and weights 1, 2, 3, ..
fn try_run(lines: &[String], partial_sums: PartialSums) -> Result<Seen, MachineError> {
    let mut machine = Machine::new(&params(partial_sums));
    let program = assemble(&[lines.join("\n"), "halt".to_string()].join("\n")).unwrap();
    let words: Vec<u32> = program.iter().flat_map(|i| i.encode()).collect();
    machine.write_program(0, &words);
    for column in 0..2 {
        machine.write_bias(column, 0, 7 + column as i32);
        machine.write_scale(column, 0, Scale::reciprocal(1));
    }
    for partition in 0..ROWS {
        for word in 0..8 {
            let byte = |k: u32| (8 * word + k + partition) as u8 % 5;
            machine.write_word(partition, word, std::array::from_fn(|k| byte(k as u32)));
            let weight = |k: u32| ((3 * word + k + partition) % 3) as u8;
            let weights = std::array::from_fn(|k| weight(k as u32));
            machine.write_word(partition, 16 + word, weights);
        }
    }
    let counters = machine.run(0, 10_000)?;
    let words = (0..ROWS).flat_map(|p| (0..32).map(move |word| (p, word)));
    let words = words.map(|(p, word)| machine.read_word(p, word)).collect();
    Ok((counters, words))
}

/// Counters at the foot and at the top; results are the same.
fn both(lines: &[String]) -> (Counters, Counters) {
    let (foot, results) = try_run(lines, PartialSums::Foot).unwrap();
    let (top, same) = try_run(lines, PartialSums::Top).unwrap();
    assert!(same == results, "{lines:?}");
    assert_eq!(foot.get(Counter::StallSums), 0);
    (foot, top)
}

fn load(tiles: u32) -> String {
    format!(
        "load_weights rows=2 level=0 [row 0 base 128: 0..8 step 8, 0..{} step 8]",
        8 * tiles
    )
}

fn drain(results: u32) -> String {
    format!(
        "drain columns=2 tile=0 lo=-128 hi=127 [row 0 base {}: 0..{results} step 1]",
        8 * RESULTS
    )
}

/// K tiles of so many vectors.
fn product(flags: &str, vectors: u32, tiles: u32) -> String {
    format!(
        "matmul rows=2 {flags} bank=0 level=0 threshold=127 macs=4 [row 0 base 0] [row 1 base 0: 0..{vectors} step 1, 0..{tiles} step 1]"
    )
}

#[proves("PET-57")]
#[test]
fn k_tiles_of_few_vectors_wait_for_their_sums() {
    for vectors in 1..=DISTANCE + 3 {
        let lines = [load(3), drain(vectors), product("first last", vectors, 3)];
        let (foot, top) = both(&lines);
        // The second and the third tile begin so many slots after the one before, or when that has ended. Their
        // weights, for which they wait at the foot, are there by then.
        let waits = 2 * DISTANCE.saturating_sub(vectors);
        assert_eq!(top.get(Counter::StallSums), waits, "{vectors} vectors");
        assert_eq!(top.get(Counter::StallWeights), 0, "{vectors} vectors");
        let cycles = foot.get(Counter::Cycles) - foot.get(Counter::StallWeights) + waits;
        assert_eq!(top.get(Counter::Cycles), cycles, "{vectors} vectors");
    }
}

#[proves("PET-57")]
#[test]
fn a_product_from_the_bias_or_without_store_makes_nobody_wait() {
    // Two column tiles of one K tile, then an epilogue of sums stored long ago.
    let [one, two] = [product("first last", 2, 1), product("first", 2, 1)];
    for lines in [
        [load(2), drain(4), one.clone(), one.clone()],
        [load(2), drain(2), two, one],
    ] {
        let (foot, top) = both(&lines);
        assert_eq!(top.get(Counter::StallSums), 0, "{lines:?}");
        assert_eq!(top, foot);
    }
}

#[proves("PET-57")]
#[test]
fn streamed_weights_need_tiles_as_long_as_the_way_through() {
    // Three tiles of one vector, each behind so many words.
    for period in [2, DISTANCE - 1, DISTANCE, DISTANCE + 1] {
        let load = format!(
            "load_weights rows=2 level=0 streamed [row 0 base 128: 0..{period} step 1, 0..3 step 1] [row 1 base 128: 0..9 step 1]"
        );
        let lines = [load, drain(1), product("first last", 1, 3)];
        let (foot, _) = try_run(&lines, PartialSums::Foot).unwrap();
        let run = try_run(&lines, PartialSums::Top);
        // The third tile comes while the second one still waits.
        match period < DISTANCE - 1 {
            true => assert!(matches!(
                run,
                Err(MachineError::Stopped {
                    code: ErrorCode::LostWeights,
                    ..
                })
            )),
            false => {
                let (top, _) = run.unwrap();
                let more = 2 * DISTANCE.saturating_sub(period);
                assert_eq!(top.get(Counter::Cycles), foot.get(Counter::Cycles) + more);
            }
        }
    }
}
