//! Random and broken words: the design refuses what the model refuses, with the same error at the
//! same word, forms no address of a refused instruction, never hangs, and works after a clear.

use heddle_arch::traverse::{Command, UnitError, UnitShape};
use heddle_sim::traversal::Taken;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, FLOW, Inputs, Unit};
use super::records::{number, random_commands};
use super::traffic::Traffic;
use super::{FULL, NARROW};
use crate::rtl::{Checked, Coverage, run_seeds};

/// Cycles after which words give up waiting for a long traversal.
const PATIENCE: u64 = 250;

/// Words of legal instructions.
fn legal(rng: &mut ChaCha8Rng, shape: &UnitShape) -> Vec<u32> {
    let addresses = rng.random_range(1..=24);
    let commands = random_commands(rng, shape, addresses);
    commands.iter().flat_map(Command::encode).collect()
}

/// A word of a plausible head or row block.
fn plausible(rng: &mut ChaCha8Rng, shape: &UnitShape) -> u32 {
    let mut field = |share: u32, low: u32, most: u32| match rng.random_range(0..share) {
        0 => rng.random_range(0..=most) << low,
        _ => 0,
    };
    let head = 8 + field(2, 0, 4) + (1 << 8) + field(2, 8, 12) + field(3, 24, 7);
    let row = field(1, 0, shape.rows - 1) + field(2, 4, shape.loops) + field(2, 8, 3);
    let row = row + field(5, 10, 1) + field(5, 12, 7) + field(3, 16, 3);
    match rng.random_range(0..3) {
        0 => head,
        1 => row,
        _ => number(rng, shape.offset_bits) as u32,
    }
}

/// Changes words in any way.
fn mutate(rng: &mut ChaCha8Rng, words: &mut Vec<u32>) {
    let index = rng.random_range(0..words.len());
    match rng.random_range(0..7) {
        0 => words[index] = rng.random(),
        1 => words[index] ^= 1 << rng.random_range(0..32),
        2 => words[index] ^= 1 << rng.random_range(0..20),
        3 => words[index] = rng.random_range(0..4),
        4 => words.insert(index, rng.random_range(0..0x40)),
        5 => words.truncate(index + 1),
        _ if words.len() > 1 => drop(words.remove(index)),
        _ => {}
    }
}

/// Breaks one field of a row word, or a value, of a legal record; the words of the instructions
/// before stay as they are.
fn break_field(rng: &mut ChaCha8Rng, shape: &UnitShape, words: &mut [u32]) {
    let window = words[0] >> 26 & 1 != 0;
    let mut places = Vec::new();
    let mut place = if window { 3 } else { 1 };
    while place < (words[0] >> 8 & 0xff) as usize {
        places.push(place);
        let loops = (words[place] >> 4 & 15) as usize;
        place += match words[0] & 0xff {
            8 => 2 + 3 * loops,
            _ => 2 + loops,
        };
    }
    let place = places[rng.random_range(0..places.len())];
    let (low, bits) = [
        (0, 3),
        (3, 1),
        (4, 4),
        (8, 2),
        (10, 1),
        (11, 1),
        (12, 3),
        (15, 1),
        (16, 2),
    ][rng.random_range(0..9)];
    match rng.random_range(0..8) {
        0 => words[place] |= 1 << rng.random_range(18..32),
        1 if shape.address_bits < 32 => {
            words[place + 1] |= 1 << rng.random_range(shape.address_bits..32);
        }
        2 if words[place] >> 4 & 15 > 0 && shape.offset_bits < 32 => {
            words[place + 2] |= 1 << rng.random_range(shape.offset_bits..32);
        }
        3 => words[place] |= 1 << 10,
        _ => {
            let field = ((1 << bits) - 1) << low;
            words[place] = words[place] & !field | rng.random_range(0..1 << bits) << low;
        }
    }
}

fn random_words(rng: &mut ChaCha8Rng, shape: &UnitShape) -> Vec<u32> {
    match rng.random_range(0..11) {
        0 => (0..rng.random_range(1..4)).map(|_| rng.random()).collect(),
        1 => (0..rng.random_range(1..9))
            .map(|_| plausible(rng, shape))
            .collect(),
        2 => legal(rng, shape),
        3 => {
            let mut words = legal(rng, shape);
            words.truncate(rng.random_range(1..=words.len()));
            words
        }
        4 => {
            // Instructions in a wrong order, in particular those of a group set-up.
            let mut commands = random_commands(rng, shape, 12);
            commands.extend(random_commands(rng, shape, 12));
            for _ in 0..rng.random_range(1..3) {
                let from = rng.random_range(0..commands.len());
                let moved = commands.remove(from);
                if commands.is_empty() || rng.random() {
                    commands.insert(rng.random_range(0..=commands.len()), moved);
                }
            }
            commands.iter().flat_map(Command::encode).collect()
        }
        5 | 6 => {
            let mut words = legal(rng, shape);
            break_field(rng, shape, &mut words);
            words
        }
        _ => {
            let mut words = legal(rng, shape);
            for _ in 0..rng.random_range(1..3) {
                mutate(rng, &mut words);
            }
            words
        }
    }
}

/// Offers words until they are taken, an error shows, or a long traversal is in the way. Returns
/// how many were taken.
fn feed(
    bench: &mut Bench,
    words: &[u32],
    traffic: Traffic,
    rng: &mut ChaCha8Rng,
    coverage: &mut Coverage,
) -> Checked<u64> {
    let begin = bench.cycle;
    let clears = if rng.random_ratio(1, 4) { 60 } else { 2000 };
    let mut taken = 0;
    let mut quiet = 0;
    while quiet < 14 && bench.cycle - begin < PATIENCE + words.len() as u64 {
        let mut inputs = traffic.inputs(rng, words.get(taken).copied());
        inputs.clear = rng.random_ratio(1, clears);
        let (busy, middle) = (bench.unfinished > 0, bench.in_instruction());
        let outputs = bench.step(&inputs)?;
        taken += usize::from(outputs.taken.is_some());
        if let Some(Taken::Stopped(_)) = outputs.taken {
            coverage.event("wrong word in a traversal", busy);
        }
        if inputs.clear {
            coverage.event("clear in a traversal", busy);
            coverage.event("clear in an instruction", middle);
            coverage.event("clear after an error", outputs.error);
        }
        let over = taken == words.len() || outputs.error;
        let rests = over && !outputs.busy && outputs.address.is_none();
        let rests = rests && outputs.taken.is_none() && !inputs.clear;
        quiet = if rests { quiet + 1 } else { 0 };
    }
    if quiet == 14 {
        bench.check_done()?;
    }
    Ok(taken as u64)
}

/// Feeds words until `count` are taken.
pub fn fuzz(unit: &Unit, seed: u64, count: u64) -> Checked<Coverage> {
    let mut bench = Bench::new(unit, seed);
    let mut coverage = Coverage::default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut taken, mut refused) = (0, 0);
    while taken < count {
        let words = random_words(&mut rng, &unit.shape);
        let traffic = match rng.random_ratio(1, 2) {
            true => Traffic::STEADY,
            false => Traffic::random(&mut rng),
        };
        let fed = feed(&mut bench, &words, traffic, &mut rng, &mut coverage);
        taken += fed.map_err(|m| format!("{m}\nword {taken} of seed {seed}, in {words:x?}"))?;
        let stop = bench.model.stop();
        for error in UnitError::ALL {
            // Fields of a single row and loop of as many bits as an address leave no other errors.
            let possible = error != UnitError::Order || unit.shape.group_setup;
            coverage.event(
                error.name(),
                stop.is_some_and(|s| s.error == error) || !possible,
            );
        }
        coverage.event("no error", stop.is_none());
        coverage.event("word 0", stop.is_some_and(|s| s.position == 0));
        coverage.event("a word behind it", stop.is_some_and(|s| s.position > 0));
        refused += u64::from(stop.is_some());
        if stop.is_some() || bench.in_instruction() || rng.random_ratio(1, 4) {
            bench.clear()?;
        }
    }
    let top = &unit.sources.top;
    println!(
        "{top}: seed {seed}: {taken} words, {refused} errors, {} cycles",
        bench.cycle
    );
    Ok(coverage)
}

#[proves("TTU-067")]
#[test]
fn random_words_on_every_unit() {
    let counts = [35_000, 60_000, 45_000, 15_000, 12_000, 12_000, 8_000];
    for (unit, count) in super::units().into_iter().zip(counts) {
        run_seeds(|seed| fuzz(unit, seed, count));
    }
}

/// Words of the instructions with one bit changed each, at every place.
fn flip_every_bit(unit: &Unit, text: &str) -> u32 {
    let commands = heddle_arch::traverse::parse(text).expect("text without faults");
    let words: Vec<u32> = commands.iter().flat_map(Command::encode).collect();
    let mut bench = Bench::new(unit, 1);
    let mut refused = 0;
    for place in 0..words.len() {
        for bit in 0..32 {
            let mut changed = words.clone();
            changed[place] ^= 1 << bit;
            let mut next = 0;
            for _ in 0..words.len() + 60 {
                let inputs = Inputs {
                    word: changed.get(next).copied(),
                    ..FLOW
                };
                let outputs = bench.step(&inputs);
                let outputs = outputs.unwrap_or_else(|m| panic!("word {place}, bit {bit}: {m}"));
                next += usize::from(outputs.taken.is_some());
            }
            refused += u32::from(bench.model.stop().is_some());
            bench.clear().unwrap();
        }
    }
    refused
}

#[test]
fn every_bit_of_every_word_counts_or_is_refused() {
    let traverse = "traverse offset_only window 0x5..0x30
        prologue row 3 attach 1 base 0x7f loops 12:1:15
        tensor row 1 base 0x23 equal loops 5:1:7, 6:6:18, 0:2:6
        epilogue row 2 base 0x11 trips loops 15:3:2
        start on_demand";
    let groups = "set_initial
        prologue row 3 attach 0 base 0x7f loops 12
        tensor row 1 base 0x23 equal loops 5, 6
        set_step
        row 1 loops 1, 2, 3
        row 3 loops 1
        set_end
        row 3 loops 14
        row 1 loops 7, 12, 3
        start window 0x20..0x200";
    for unit in [&NARROW, &FULL] {
        for text in [traverse, groups] {
            assert!(flip_every_bit(unit, text) > 200);
        }
    }
}
