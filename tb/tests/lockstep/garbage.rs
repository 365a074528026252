//! Programs that are garbage: random words, legal programs with words changed or with one fault, and words that are
//! instructions now and then. Each ends with the golden machine's code and instruction, and writes nothing but
//! what the golden machine writes.
//!
//! Loops can be longer than any patience, and one of step 0 never ends: such a program is cut off on both sides, and
//! agrees until then. Where operands and weights meet in one bank, or a read the write of its word, the golden machine does not judge; then every
//! word written lies in a partition, and the hardware comes to an end.

use heddle_arch::isa::{ErrorCode, Instruction};
use heddle_arch::params::Params;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::faults::{FAULTS, faulty};
use super::nonsense::nonsense;
use super::programs::{disturb, first_seed, run_one, wanted};
use super::shapes;
use super::watch;
use crate::machines::Machine;
use crate::machines::dump::{encode, fill_tables};
use crate::machines::pair::End;
use crate::machines::programs::{fault_entry, random_program};
use crate::matrix::bench::Bench;
use crate::rtl::{Checked, Coverage};

/// Longer than any wait that ends as STUCK.
const LIMIT: u64 = 20_000;

/// The whole state buffer is compared once in so many programs, besides behind every legal one. In the others
/// only the words that drains have written: all of them were seen as they came.
const WHOLE_EVERY: f64 = 16.0;

/// A legal program runs after so many that are garbage.
const LEGAL_EVERY: u32 = 50;

/// Changes one to four words: another word, a bit, a field, or a word more or less.
fn damage(rng: &mut ChaCha8Rng, words: &mut Vec<u32>) {
    for _ in 0..rng.random_range(1..=4) {
        let at = rng.random_range(0..words.len());
        match rng.random_range(0..6) {
            0 => words[at] = rng.random(),
            1 => words[at] ^= 1 << rng.random_range(0..32),
            2 => words[at] ^= 1 << rng.random_range(0..12),
            3 => words[at] = *words.choose(rng).expect("not empty"),
            4 => words.insert(at, rng.random_range(0..64)),
            _ if words.len() > 1 => {
                words.remove(at);
            }
            _ => {}
        }
    }
}

/// The words of a program, what kind of garbage it is, and the name of its fault, if it has one that is known.
fn program(
    rng: &mut ChaCha8Rng,
    params: &Params,
) -> (&'static str, Vec<u32>, Option<&'static str>) {
    match rng.random_range(0..12) {
        0 => {
            let count = rng.random_range(1..40);
            let words = (0..count).map(|_| rng.random()).collect();
            ("random words", words, None)
        }
        1..=3 => ("instructions now and then", nonsense(rng, params), None),
        4..=6 => {
            let (program, fault) = faulty(rng, params);
            ("one fault", encode(&program), fault)
        }
        _ => {
            let mut words = encode(&random_program(rng, params));
            damage(rng, &mut words);
            ("words changed", words, None)
        }
    }
}

/// Whether a LOAD_WEIGHTS and a MATMUL may be in the words that are left of a program; for coverage.
fn has_both(words: &[u32]) -> bool {
    let mut rest = words;
    let mut found = [false; 2];
    while let Ok((instruction, length)) = Instruction::decode(rest) {
        found[0] |= matches!(instruction, Instruction::LoadWeights(_));
        found[1] |= matches!(instruction, Instruction::Matmul(_));
        rest = &rest[length..];
    }
    found == [true; 2]
}

/// One garbage program on both machines.
fn run_garbage(rng: &mut ChaCha8Rng, bench: &mut Bench, coverage: &mut Coverage) -> Checked {
    let params = bench.params();
    let zero_point = disturb(rng, bench);
    let (kind, words, fault) = program(rng, params);
    if fault.is_some() || rng.random_bool(0.1) {
        // An entry that leads beyond the memory.
        let row = rng.random_range(0..params.array.rows);
        let beyond = rng.random_range(params.operand_bytes() as u16..=u16::MAX);
        let pair = &mut bench.pair;
        pair.write_row_offset(row, fault_entry(params), Some(beyond));
    }
    let room = params.program.words.saturating_sub(words.len() as u32);
    // What lies behind it is left over from others; some programs lie at the end of the memory.
    let pc = match rng.random_range(0..20) {
        0 => room,
        1 => params.program.words - rng.random_range(1..=params.program.words.min(60)),
        _ => rng.random_range(0..=room),
    };
    let length = words.len().min((params.program.words - pc) as usize);
    bench.pair.write_program(pc, &words[..length]);
    // What a host writes right after a fault is not lost, nor written over.
    let visited = if fault.is_some() { 0.7 } else { 0.1 };
    let guest = rng.random_bool(visited).then(|| rng.random());
    let seen = watch::run(bench, pc, LIMIT, guest)?;
    coverage.event("all", true);
    coverage.event(kind, true);
    if let Some(fault) = fault {
        coverage.event(fault, true);
    }
    coverage.event("words written", seen.words > 0);
    coverage.event("words copied", seen.copied > 0);
    coverage.event("products with weights", has_both(&words));
    coverage.event("halted", matches!(seen.end, End::Halt(_)));
    let breaches = bench.pair.host.model().take_stops();
    if breaches > 0 && !matches!(seen.end, End::Conflict) {
        return Err(bench
            .pair
            .message(format!("{breaches} breaches of contracts, told above")));
    }
    match seen.end {
        End::Conflict => coverage.event("not judged", true),
        End::Undefined => coverage.event("read undefined", true),
        End::Endless => coverage.event("cut off", true),
        End::Halt(_) | End::Error(..) => {}
    }
    coverage.event("visited", seen.visits.registers > 0);
    // None of these machines has a sparse cluster.
    let of_cluster = [ErrorCode::MapFull, ErrorCode::SparseOrder];
    for code in ErrorCode::ALL {
        if of_cluster.contains(&code) {
            continue;
        }
        let is = matches!(seen.end, End::Error(found, _) if found == code);
        coverage.event(code.name(), is);
    }
    let whole = fault.is_some() || rng.random_bool(1.0 / WHOLE_EVERY);
    watch::settle(bench, &seen, zero_point, whole)
}

/// `count` garbage programs one after another; legal ones between them find what was damaged.
pub fn run_all(machine: &Machine, seed: u64, count: u32) -> Checked<Coverage> {
    let mut coverage = Coverage::default();
    let mut legal = Coverage::default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bench = Bench::new(machine, seed)?;
    fill_tables(&mut bench.pair, &mut rng);
    let place = bench.pair.place.clone();
    for number in 0..count {
        bench.pair.place = format!("{place}, garbage {number}");
        run_garbage(&mut rng, &mut bench, &mut coverage)?;
        if number % LEGAL_EVERY == LEGAL_EVERY - 1 {
            bench.pair.place = format!("{place}, legal program behind garbage {number}");
            fill_tables(&mut bench.pair, &mut rng);
            run_one(&mut rng, &mut bench, &mut legal)?;
            coverage.event("legal programs", true);
        }
    }
    Ok(coverage)
}

#[proves("PET-54", "PET-57", "PET-58", "PET-59", "PET-60", "PET-61")]
#[test]
fn garbage_programs_end_as_predicted_and_write_nothing_else() {
    let count = wanted("HEDDLE_GARBAGE", 200, 20_000);
    let seed = first_seed();
    let mut coverage = Coverage::default();
    for params in shapes::all() {
        let name = params.name.clone();
        match run_all(&Machine::new(params), seed, count) {
            Ok(found) => {
                println!("{name}, seed {seed}: {found:?}");
                coverage.add(found);
            }
            Err(message) => panic!("{message}"),
        }
    }
    for fault in FAULTS {
        assert!(coverage.count(fault) > 0, "no program with {fault}");
    }
    coverage.assert_complete();
    let all = coverage.count("all");
    for (event, most) in [
        ("cut off", all / 25),
        ("not judged", all / 25),
        ("read undefined", all / 10),
    ] {
        let count = coverage.count(event);
        assert!(count <= most, "{event}: {count} of {all}");
    }
}
