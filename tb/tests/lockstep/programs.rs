//! Random legal programs.

use heddle_arch::isa::{ErrorCode, Instruction};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use heddle_compiler::matrix::MatrixShape;

use super::matrices::{self, Piece};
use super::watch;
use super::{events, shapes};
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

/// One transpose or product whose elements are known: nothing else writes.
fn piece(rng: &mut ChaCha8Rng, bench: &mut Bench, coverage: &mut Coverage) -> Option<Program> {
    let identity = matrices::identity(rng, bench)?;
    if !identity.instructions.is_empty() {
        // It might be built in the matrices.
        return None;
    }
    let piece = match rng.random_bool(0.7) {
        true => matrices::transpose(rng, bench, identity.place),
        false => matrices::product(rng, bench),
    }?;
    let array = &bench.params().array;
    let MatrixShape { rows, cols } = piece.loaded;
    for (name, happened) in [
        (piece.name, true),
        ("elements known", true),
        ("one sub-block", rows <= array.rows && cols <= array.cols),
        ("several bands", rows > array.rows),
        ("several groups", cols > array.cols),
        ("partial rows", rows % array.rows > 0),
        ("partial columns", cols % array.cols > 0),
        ("smallest byte", piece.expected.elements.contains(&-128)),
    ] {
        coverage.event(name, happened);
    }
    let mut instructions = piece.instructions.clone();
    instructions.push(HALT);
    let known = Some(piece);
    Some(Program {
        instructions,
        known,
    })
}

/// A random program of phases, transposes and products. What it needs is written to the state buffer.
fn random(rng: &mut ChaCha8Rng, bench: &mut Bench, coverage: &mut Coverage) -> Program {
    let params = bench.params();
    let mut instructions = Vec::new();
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
    for piece in pieces {
        coverage.event("several pieces", !instructions.is_empty());
        let room = params.program.words as usize / 2;
        if encode(&instructions).len() + encode(&piece.instructions).len() <= room {
            instructions.extend(piece.instructions);
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
        known: None,
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
    let mut zero_point = disturb(rng, bench);
    let mut program = None;
    if rng.random_bool(0.4) {
        // Matrices are written as they are stored.
        zero_point = 0;
        bench.pair.set_zero(0);
        program = piece(rng, bench, coverage);
    }
    let program = program.unwrap_or_else(|| random(rng, bench, coverage));
    let words = encode(&program.instructions);
    let Some(room) = params.program.words.checked_sub(words.len() as u32) else {
        return Ok(());
    };
    let pc = rng.random_range(0..=room);
    bench.pair.write_program(pc, &words);
    let visited = program.known.is_none() && rng.random_bool(0.6);
    let guest = visited.then(|| rng.random());
    let seen = watch::run(bench, pc, LIMIT, guest).map_err(|message| {
        let lines: Vec<String> = program
            .instructions
            .iter()
            .map(Instruction::to_string)
            .collect();
        format!("{message}\n{}", lines.join("\n"))
    })?;
    // Copies to words near their own may be read in the clock in which they are written.
    let undefined = matches!(seen.end, End::Undefined) && program.known.is_none();
    coverage.event("read undefined", undefined);
    if undefined {
        return watch::settle(bench, &seen, zero_point, true);
    }
    if !matches!(seen.end, End::Halt(_) | End::Error(ErrorCode::Stuck, _)) {
        let end = seen.end;
        return Err(bench
            .pair
            .message(format!("a legal program ends with {end:?}")));
    }
    events::count(coverage, &program.instructions, &seen, params);
    watch::settle(bench, &seen, zero_point, true)?;
    if let Some(known) = program.known {
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

#[proves(
    "PET-09", "PET-13", "PET-20", "PET-29", "PET-54", "PET-57", "PET-58", "PET-59", "PET-60",
    "PET-61", "PET-72"
)]
#[test]
fn random_legal_programs_agree_word_by_word() {
    let count = wanted("HEDDLE_PROGRAMS", 60, 500);
    let seed = first_seed();
    let mut coverage = Coverage::default();
    for params in shapes::all() {
        let name = params.name.clone();
        match run_programs(&Machine::new(params), seed, count) {
            Ok(found) => {
                println!("{name}, seed {seed}: {count} programs, {found:?}");
                coverage.add(found);
            }
            Err(message) => panic!("{message}"),
        }
    }
    coverage.assert_complete();
    let (halted, all) = (coverage.count("halted"), coverage.count("programs"));
    let undefined = coverage.count("read undefined");
    assert!(
        8 * undefined <= all,
        "{undefined} beside {all} with undefined reads"
    );
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
        let found = run_programs(&Machine::new(params), seed, count);
        let found = found.unwrap_or_else(|message| panic!("{message}"));
        println!("seed {seed}: {count} programs, {found:?}");
        assert!(2 * found.count("halted") > found.count("programs"));
    }
}
