//! Random legal programs.

use heddle_arch::isa::{Drain, ErrorCode, Instruction, LoadWeights, Matmul, Reduction};
use heddle_arch::params::Params;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::matrices::{self, Piece};
use super::shapes;
use super::watch::{self, Seen};
use crate::machines::Machine;
use crate::machines::dump::{dump, encode, fill_tables};
use crate::machines::pair::{End, HALT, random_word};
use crate::machines::programs::{random_program, random_row_offset};
use crate::matrix::bench::Bench;
use crate::rtl::{self, Checked, Coverage};

/// Longest run of a program in cycles.
const LIMIT: u64 = 500_000;

/// A program, and a result that is known besides.
pub struct Program {
    pub instructions: Vec<Instruction>,
    pub known: Option<Piece>,
}

/// A random program of phases, transposes and products. What it needs is written to the state buffer.
pub fn random(rng: &mut ChaCha8Rng, bench: &mut Bench, coverage: &mut Coverage) -> Program {
    let params = bench.params();
    let mut instructions = Vec::new();
    let mut known = None;
    let mut pieces = Vec::new();
    if rng.random_bool(0.5) {
        if let Some(identity) = matrices::identity(rng, bench) {
            coverage.event("identity built", !identity.instructions.is_empty());
            instructions.extend(identity.instructions);
            for _ in 0..rng.random_range(1..=3) {
                let piece = match rng.random_bool(0.7) {
                    true => matrices::transpose(rng, bench, identity.place),
                    false => matrices::product(rng, bench),
                };
                pieces.extend(piece);
            }
        }
    }
    let phases = pieces.is_empty() || rng.random_bool(0.4);
    // A single piece is checked element by element: nothing else writes, no identity is built in its matrices.
    let alone = pieces.len() == 1 && !phases && instructions.is_empty();
    for piece in pieces {
        coverage.event("several pieces", !instructions.is_empty());
        let room = params.program.words as usize / 2;
        if encode(&instructions).len() + encode(&piece.instructions).len() > room {
            continue;
        }
        coverage.event(piece.name, true);
        instructions.extend(piece.instructions.iter().cloned());
        if alone {
            known = Some(piece);
        }
    }
    if phases {
        let mut random = random_program(rng, params);
        coverage.event("phases behind matrices", !instructions.is_empty());
        random.pop();
        match rng.random_bool(0.5) {
            true => instructions.extend(random),
            false => {
                random.append(&mut instructions);
                instructions = random;
            }
        }
    }
    instructions.push(HALT);
    Program {
        instructions,
        known,
    }
}

/// Which situations a program has brought about.
fn count_events(coverage: &mut Coverage, program: &[Instruction], seen: &Seen, params: &Params) {
    coverage.event("programs", true);
    coverage.event("halted", matches!(seen.end, End::Halt(_)));
    coverage.event("stuck", matches!(seen.end, End::Error(..)));
    coverage.event("words copied", seen.copied > 0);
    coverage.event("registers read during a run", seen.visits.registers > 0);
    coverage.event("CYCLES read during a run", seen.visits.counted > 0);
    coverage.event("a request held off", seen.visits.held_clocks > 0);
    for instruction in program {
        match instruction {
            Instruction::LoadWeights(LoadWeights { flip, .. }) => {
                coverage.event("words backwards", *flip > 0)
            }
            Instruction::Matmul(Matmul {
                first,
                last,
                bank,
                record,
                table,
                ..
            }) => {
                let has = |row| record.rows.iter().any(|block| block.row == row);
                coverage.event("accumulates", has(1) && !first);
                coverage.event("stores", has(1) && !last);
                coverage.event("stored sums to post", has(2));
                coverage.event("bank 1", *bank);
                coverage.event("row tables", has(1) && table.is_some());
            }
            Instruction::Drain(Drain {
                single,
                place,
                activation,
                pooling,
                ..
            }) => {
                coverage.event("single rounding", *single);
                let place = place.unwrap_or_default();
                if params.array.cols > 1 {
                    coverage.event("placed", place.first_column > 0);
                }
                coverage.event("turned", place.turn > 0);
                coverage.event("activation", *activation > 0);
                coverage.event("pooling", pooling.is_some_and(|p| p.window > 1));
                let is = |r| pooling.is_some_and(|p| p.reduction == r);
                coverage.event("median", is(Reduction::Median));
                coverage.event("product of a window", is(Reduction::Product));
            }
            Instruction::Copy(_) => coverage.event("copy", true),
            Instruction::Sync { .. } => coverage.event("SYNC", true),
            Instruction::Halt { .. } => {}
        }
    }
}

/// Small changes between programs: zero point, words, entries of row tables.
pub fn disturb(rng: &mut ChaCha8Rng, bench: &mut Bench) -> i8 {
    let params = bench.params();
    let zero_point = *[0, 0, rng.random()].choose(rng).expect("not empty");
    bench.pair.set_zero(zero_point);
    for _ in 0..rng.random_range(0..4) {
        let row = rng.random_range(0..params.array.rows);
        let entry = rng.random_range(0..params.state_buffer.row_offsets);
        let offset = random_row_offset(rng, params);
        bench.pair.write_row_offset(row, entry, offset);
    }
    for _ in 0..rng.random_range(0..4) {
        let partition = rng.random_range(0..params.array.rows);
        let word = rng.random_range(0..params.partition_words());
        bench.pair.write_word(partition, word, random_word(rng));
    }
    zero_point
}

/// One random program in lockstep, then all that the results buffer holds.
pub fn run_one(rng: &mut ChaCha8Rng, bench: &mut Bench, coverage: &mut Coverage) -> Checked {
    let params = bench.params();
    let zero_point = disturb(rng, bench);
    let mut program = random(rng, bench, coverage);
    if zero_point != 0 {
        // Matrices are written as they are stored.
        program.known = None;
    }
    let words = encode(&program.instructions);
    let Some(room) = params.program.words.checked_sub(words.len() as u32) else {
        return Ok(());
    };
    let pc = rng.random_range(0..=room);
    bench.pair.write_program(pc, &words);
    let guest = rng.random_bool(0.5).then(|| rng.random());
    let seen = watch::run(bench, pc, LIMIT, guest)?;
    if !matches!(seen.end, End::Halt(_) | End::Error(ErrorCode::Stuck, _)) {
        let end = seen.end;
        return Err(bench
            .pair
            .message(format!("a legal program ends with {end:?}")));
    }
    count_events(coverage, &program.instructions, &seen, params);
    watch::settle(bench, &seen, zero_point, true)?;
    if let (Some(known), None) = (program.known, guest) {
        coverage.event("elements known", true);
        bench.check(&known.result, &known.expected)?;
    }
    if let End::Halt(_) = seen.end {
        bench.pair.write_program(0, &encode(&dump(rng, params)));
        let seen = watch::run(bench, 0, LIMIT, None)?;
        if !matches!(seen.end, End::Halt(_)) {
            let end = seen.end;
            return Err(bench.pair.message(format!("sums to post: {end:?}")));
        }
        watch::settle(bench, &seen, zero_point, true)?;
    }
    Ok(())
}

/// `count` random programs one after another.
pub fn run_programs(machine: &Machine, seed: u64, count: u32) -> Checked<Coverage> {
    let mut coverage = Coverage::default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bench = Bench::new(machine, seed)?;
    fill_tables(&mut bench.pair, &mut rng);
    let place = bench.pair.place.clone();
    for number in 0..count {
        bench.pair.place = format!("{place}, program {number}");
        run_one(&mut rng, &mut bench, &mut coverage)?;
    }
    Ok(coverage)
}

/// How many of something a test takes: what the variable of this name says, else more with `scripts/test.sh --all`.
pub fn wanted(name: &str, usual: u32, slow: u32) -> u32 {
    if let Ok(text) = std::env::var(name) {
        return text
            .parse()
            .unwrap_or_else(|_| panic!("{name} is {text}, expected a number"));
    }
    match rtl::is_slow() {
        true => slow,
        false => usual,
    }
}

/// Seed of the random programs, for the messages and to run one again.
pub fn first_seed() -> u64 {
    match std::env::var("HEDDLE_SEED") {
        Ok(text) => text.parse().expect("HEDDLE_SEED is a number"),
        Err(_) => 1,
    }
}

#[test]
fn random_legal_programs_agree_word_by_word() {
    let count = wanted("HEDDLE_PROGRAMS", 60, 500);
    let seed = first_seed();
    let mut coverage = Coverage::default();
    for params in shapes::all() {
        let name = params.name.clone();
        match run_programs(&shapes::machine(params), seed, count) {
            Ok(found) => {
                println!("{name}, seed {seed}: {count} programs, {found:?}");
                coverage.add(found);
            }
            Err(message) => panic!("{message}"),
        }
    }
    coverage.assert_complete();
    let (halted, all) = (coverage.count("halted"), coverage.count("programs"));
    assert!(3 * halted >= 2 * all, "{halted} of {all} reached HALT");
}

#[test]
fn random_legal_programs_agree_on_random_machines_slow() {
    let machines = wanted("HEDDLE_MACHINES", 6, 6);
    let count = wanted("HEDDLE_PROGRAMS", 60, 500);
    let seed = first_seed();
    for seed in seed..seed + u64::from(machines) {
        let params = shapes::random(seed);
        println!("{params:?}");
        let found = run_programs(&shapes::machine(params), seed, count);
        let found = found.unwrap_or_else(|message| panic!("{message}"));
        println!("seed {seed}: {count} programs, {found:?}");
        assert!(2 * found.count("halted") > found.count("programs"));
    }
}
