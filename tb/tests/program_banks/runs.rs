//! Runs: the same program from both kinds of memory, where it begins and ends, and what the host does between runs.

use heddle_arch::host::{CTRL_START, Counter, Register, buffer_address, program_pair_address};
use heddle_arch::isa::{ErrorCode, Instruction, Wait};
use heddle_sim::machine::Counters;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::rows;
use crate::machines::dump::{encode, fill_tables};
use crate::machines::pair::{End, HALT, Pair};
use crate::machines::{self, Machine};
use crate::rtl::OrPanic;

const SYNC: Instruction = Instruction::Sync { wait: Wait::NONE };

fn pair_of(machine: &Machine, seed: u64) -> (Pair<'_>, ChaCha8Rng) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pair = Pair::new(machine, seed, &mut rng).or_panic();
    fill_tables(&mut pair, &mut rng);
    (pair, rng)
}

#[track_caller]
fn run(pair: &mut Pair, pc: u32) -> End {
    let end = pair.run(pc, 500_000).or_panic();
    pair.compare().or_panic();
    end
}

/// Counters of a run that comes to its HALT.
#[track_caller]
fn halt(pair: &mut Pair, pc: u32) -> Counters {
    match run(pair, pc) {
        End::Halt(counters) => counters,
        end => panic!("{}: {end:?}", pair.place),
    }
}

/// So many SYNCs, which take two cycles each, and HALT.
fn syncs(count: u32) -> Vec<u32> {
    let mut program = vec![SYNC; count as usize];
    program.push(HALT);
    encode(&program)
}

#[proves("PET-60")]
#[test]
fn programs_begin_at_even_and_odd_words_and_end_with_the_memory() {
    for params in [rows(1), machines::banked(), rows(20)] {
        let machine = Machine::new(params);
        let params = &machine.params;
        let end = params.program.words;
        let (mut pair, mut rng) = pair_of(&machine, 2);
        // Far longer than the prefetch buffer, word by word without a pause.
        let long = syncs(end - 1);
        pair.write_program(0, &long);
        let middle = [63, 64, 65, end / 2 + 1];
        for pc in (0..4).chain(middle).chain(end - 3..end) {
            pair.place = format!("{}, from word {pc}", params.name);
            let counters = halt(&mut pair, pc);
            let instructions = end - pc;
            assert_eq!(counters.get(Counter::Instructions), instructions);
            // Fetch and Issue of each, and the way of the first word through buffer and register.
            let cycles = 2 * instructions + params.array.rows + 11;
            assert_eq!(counters.get(Counter::Cycles), cycles, "{}", pair.place);
        }
        // Without HALT the program ends with its memory; the error does not wait for a word that is not there.
        pair.write_program(0, &encode(&vec![SYNC; end as usize]));
        for pc in [end - 5, end - 2, end - 1] {
            assert_eq!(run(&mut pair, pc), End::Error(ErrorCode::ProgramEnd, end));
        }
        for pc in [end, end + 1, 0xffff] {
            assert_eq!(run(&mut pair, pc), End::Error(ErrorCode::ProgramEnd, pc));
        }
        // The memory ends in an instruction.
        pair.write_program(end - 2, &[0x0402, 1]);
        let cut = End::Error(ErrorCode::ProgramEnd, end - 2);
        assert_eq!(run(&mut pair, end - 2), cut);
        // Instructions of all lengths, with waiting between them.
        for number in 0..12 {
            pair.place = format!("{}, program {number}", params.name);
            let (pc, program) =
                pair.defined_program(&mut rng, |rng, words| rng.random_range(0..=end - words));
            let words = encode(&program);
            pair.write_program(pc, &words);
            if let End::Error(..) = run(&mut pair, pc) {
                pair.prepare().unwrap();
            }
        }
    }
}

#[proves("PET-60")]
#[test]
fn a_run_begins_anew_behind_halt_and_behind_errors() {
    let machine = Machine::new(machines::banked());
    let end = machine.params.program.words;
    let (mut pair, mut rng) = pair_of(&machine, 3);
    let mut words = vec![0x0000_0007; end as usize];
    // A HALT here and there, and words that are errors.
    for (at, word) in words.iter_mut().enumerate() {
        *word = match at % 7 {
            2 => 0x0101,
            4 => 0x00ff,
            6 => 0x0201,
            _ => 0x0107,
        };
    }
    pair.write_program(0, &words);
    let mut ends = [0; 2];
    for number in 0..120 {
        // The first words decide at once, while most of the buffer is still on its way.
        let pc = rng.random_range(0..end - 8);
        pair.place = format!("run {number} from {pc}");
        match pair.run(pc, 1000).or_panic() {
            End::Halt(_) => ends[0] += 1,
            End::Error(..) => ends[1] += 1,
            other => panic!("{other:?}"),
        }
        if rng.random_bool(0.3) {
            // The host reads at once: no answer of the fetch is among those it gets.
            let word = rng.random_range(0..machine.params.partition_words());
            pair.compare_words(&[(2, word), (0, word)]).unwrap();
        }
    }
    assert!(ends[0] > 10 && ends[1] > 10, "{ends:?}");
    run(&mut pair, 2);
}

#[proves("PET-60")]
#[test]
fn the_host_sees_and_changes_a_program_through_the_codec() {
    let machine = Machine::new(machines::banked());
    let params = &machine.params;
    let base = params.operand_bytes() / 8;
    let (mut pair, _) = pair_of(&machine, 4);
    pair.write_program(0, &syncs(200));
    // Pair 103, words 206 and 207, lies in partition 1, word 51 of the program bank.
    assert_eq!(params.program_partitions(), 2);
    pair.set_zero(-77);
    let word = pair.host.read(buffer_address(1, base + 51)).unwrap();
    assert_eq!(word, pair_word(0, 0, -77));
    pair.set_zero(0);
    let instructions = |pair: &mut Pair, pc| halt(pair, pc).get(Counter::Instructions);
    assert_eq!(instructions(&mut pair, 0), 201);
    // HALT at word 101: pair 50 is word 25 of partition 0.
    let bytes = |low: u32, high: u32| (u64::from(high) << 32 | u64::from(low)).to_le_bytes();
    pair.write_word(0, base + 25, bytes(0x0107, 0x0101));
    assert_eq!(instructions(&mut pair, 0), 102);
    // The same over the zero codec, at word 20: pair 10 is word 5 of partition 0.
    pair.set_zero(5);
    let coded = bytes(0x0101, 0x0107).map(|byte| byte.wrapping_add(5));
    pair.write_word(0, base + 5, coded);
    assert_eq!(instructions(&mut pair, 0), 21);
    assert_eq!(instructions(&mut pair, 21), 81);
    // Region 1 is written only, past the codec; pairs beyond the program are not there.
    pair.write_program(20, &encode(&[SYNC, SYNC]));
    assert_eq!(instructions(&mut pair, 0), 102);
    assert_eq!(pair.host.read(program_pair_address(10)).unwrap(), 0);
    let beyond = program_pair_address(params.program.words / 2);
    for address in [beyond, beyond << 3, program_pair_address(0) | 1 << 29] {
        let address = address & 0x7fff_ffff | 1 << 30;
        pair.host.write(address, u64::MAX).unwrap();
    }
    assert_eq!(instructions(&mut pair, 0), 102);
    pair.compare().unwrap();
}

/// Two program words as the host reads them.
fn pair_word(low: u32, high: u32, zero: i8) -> u64 {
    let bytes = (u64::from(high) << 32 | u64::from(low)).to_le_bytes();
    u64::from_le_bytes(bytes.map(|byte| byte.wrapping_add(zero as u8)))
}

#[proves("PET-60")]
#[test]
fn a_host_that_starts_right_behind_a_write_runs_what_it_wrote() {
    let machine = Machine::new(machines::banked());
    let params = &machine.params;
    let (mut pair, mut rng) = pair_of(&machine, 5);
    for number in 0..30 {
        // The last pair written is the first one fetched.
        let count = rng.random_range(0..40);
        let pc = 2 * rng.random_range(0..(params.program.words - 64) / 2);
        let words = syncs(count);
        pair.write_program(pc, &words);
        pair.write_program(pc, &words[..2.min(words.len())]);
        let host = &mut pair.host;
        host.write(Register::StartPc.address(), pc.into()).unwrap();
        pair.write_program(pc, &words[..2.min(words.len())]);
        let host = &mut pair.host;
        host.write(Register::Ctrl.address(), CTRL_START).unwrap();
        assert!(pair.await_end(2000), "run {number} does not end");
        let predicted = pair.golden.run(pc, 2000);
        let status = pair.host.status().unwrap();
        let end = pair.check_end(predicted, status).unwrap();
        let End::Halt(counters) = end else {
            panic!("run {number}: {end:?}");
        };
        pair.check_counters(&counters).unwrap();
        assert_eq!(counters.get(Counter::Instructions), count + 1);
    }
}
