//! The window port while programs run: an access waits for the end of the run, with its order, its zero point and its word.

use heddle_arch::host::{buffer_address, program_address};
use heddle_arch::params::{Params, RegisterBus};
use heddle_arch::registers::{
    Register, ctrl, host_zero, irq_status, port_addr, port_whi, start_pc, status,
};
use heddle_sim::machine::MachineError;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::machine::{TINY, machine};
use crate::machines::dump::encode;
use crate::machines::pair::{End, HALT, Pair, random_word};
use crate::machines::{self, Machine};
use crate::rtl::{Checked, Coverage, OrPanic, run_seeds};

const LIMIT: u64 = 200_000;

fn set(pair: &mut Pair, register: Register, word: u32) {
    let (model, port) = pair.host.registers().expect("a machine with registers");
    port.set(model, register, word)
        .expect("an answer in 4 clocks");
}

fn get(pair: &mut Pair, register: Register) -> u32 {
    let (model, port) = pair.host.registers().expect("a machine with registers");
    port.get(model, register).expect("an answer in 4 clocks")
}

/// An access to a word of the state buffer that is under way; of a read, what it must find.
type Expected = Option<u64>;

/// Asks for a write or a read of a word. The golden machine is where the access will find the hardware.
fn begin(pair: &mut Pair, rng: &mut ChaCha8Rng) -> Expected {
    let partition = rng.random_range(0..pair.params().array.rows);
    let params = pair.params();
    let banks = params.state_buffer.banks - params.program_banks();
    let word = rng.random_range(0..banks * params.state_buffer.words_per_bank);
    let address = buffer_address(partition, word);
    let (model, port) = pair.host.registers().expect("a machine with registers");
    if rng.random() {
        let data = random_word(rng);
        let asked = port.begin_write(model, address, u64::from_le_bytes(data));
        asked.expect("an answer in 4 clocks");
        pair.golden.write_word(partition, word, data);
        return None;
    }
    port.begin_read(model, address)
        .expect("an answer in 4 clocks");
    Some(u64::from_le_bytes(pair.golden.read_word(partition, word)))
}

/// Waits for the end of an access and compares what it has read.
fn end(pair: &mut Pair, expected: Expected) -> Checked {
    let (model, port) = pair.host.registers().expect("a machine with registers");
    let found = port.word(model).expect("the access ends");
    match expected {
        Some(expected) if found != expected => {
            Err(pair.message(format!("read {found:#x}, expected {expected:#x}")))
        }
        _ => Ok(()),
    }
}

fn change_zero(pair: &mut Pair, rng: &mut ChaCha8Rng) {
    let zero: i8 = rng.random();
    set(pair, host_zero::REGISTER, u32::from(zero as u8));
    pair.golden.set_host_zero(zero);
}

/// HOST_ZERO and START_PC take other values: what was asked for keeps its own.
fn change_settings(pair: &mut Pair, rng: &mut ChaCha8Rng) {
    change_zero(pair, rng);
    set(pair, start_pc::REGISTER, rng.random_range(0..1 << 16));
}

/// A random program that the golden machine judges, and where it begins: in banks at an even word.
fn judged(pair: &Pair, rng: &mut ChaCha8Rng) -> (u32, Vec<u32>) {
    let params = pair.params();
    let words = params.program.words;
    let even = u32::from(params.program_banks() > 0);
    loop {
        let place = |rng: &mut ChaCha8Rng, n: u32| rng.random_range(0..=words - n) & !even;
        let (pc, program) = pair.defined_program(rng, place);
        let program = encode(&program);
        let mut golden = pair.golden.clone();
        golden.write_program(pc, &program);
        match golden.run(pc, LIMIT) {
            Ok(_) | Err(MachineError::Stopped { .. }) => return (pc, program),
            Err(_) => {}
        }
    }
}

/// A run with accesses in front of its start and behind it, none of which the host waits for.
fn run(pair: &mut Pair, rng: &mut ChaCha8Rng, coverage: &mut Coverage) -> Checked {
    let (pc, words) = judged(pair, rng);
    pair.write_program(pc, &words);
    set(pair, start_pc::REGISTER, pc);
    let before = rng.random_bool(0.6).then(|| begin(pair, rng));
    if rng.random() {
        change_zero(pair, rng);
    }
    let predicted = pair.golden.run(pc, LIMIT);
    set(pair, ctrl::REGISTER, ctrl::START.mask());
    let expected_running = status::RUNNING.is_set(get(pair, status::REGISTER));
    if let Some(expected) = before {
        let busy = status::PORT_BUSY.is_set(get(pair, status::REGISTER));
        coverage.event("an access is under way behind START", busy);
        end(pair, expected)?;
    }
    pair.host.model().cycles(rng.random_range(0..200));
    change_settings(pair, rng);
    let runs = status::RUNNING.is_set(get(pair, status::REGISTER));
    let behind = rng.random_bool(0.8).then(|| begin(pair, rng));
    if behind.is_some() {
        change_settings(pair, rng);
        let now = get(pair, status::REGISTER);
        let waits = status::RUNNING.is_set(now) && status::PORT_BUSY.is_set(now);
        coverage.event("an access waits for the end of a run", waits && runs);
        // The port takes nothing beside it. If the run has just ended this writes what is there.
        let at = get(pair, port_addr::REGISTER);
        set(pair, port_addr::REGISTER, at);
        if status::RUNNING.is_set(get(pair, status::REGISTER)) {
            coverage.event("the port is used beside an access", true);
            let bad = irq_status::BAD_ACCESS.is_set(get(pair, irq_status::REGISTER));
            assert!(bad, "{}", pair.message("taken beside another access"));
        }
    }
    if !pair.await_end(LIMIT + 1000) {
        return Err(pair.message("still runs"));
    }
    if let Some(expected) = behind {
        coverage.event("read behind a run", expected.is_some());
        coverage.event("write behind a run", expected.is_none());
        end(pair, expected)?;
    }
    coverage.event("START is seen at once", expected_running);
    let found = pair.host.status().expect("STATUS answers");
    let seen = pair.check_end(predicted, found)?;
    if let End::Halt(counters) = seen {
        pair.check_counters(&counters)?;
        coverage.event("HALT", true);
    } else {
        coverage.event("an error", true);
        pair.prepare()?;
    }
    set(pair, irq_status::REGISTER, u32::MAX);
    Ok(())
}

fn random_runs(machine: &Machine, seed: u64, rounds: u32) -> Checked<Coverage> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pair = Pair::new(machine, seed, &mut rng)?;
    let mut coverage = Coverage::default();
    for round in 0..rounds {
        run(&mut pair, &mut rng, &mut coverage)?;
        if round % 8 == 7 {
            pair.compare()?;
        }
    }
    pair.compare()?;
    Ok(coverage)
}

#[proves("PET-65", "PET-78")]
#[test]
fn accesses_beside_programs_are_neither_lost_nor_wrong() {
    run_seeds(|seed| random_runs(&TINY, seed, 60));
}

/// More rows than columns; the program in banks, which are read over the way of the accesses.
#[test]
fn accesses_beside_programs_of_other_machines() {
    let of = |params: Params| machine(params, RegisterBus::Axil);
    for machine in [of(machines::tall()), of(machines::banked())] {
        run_seeds(|seed| random_runs(&machine, seed, 40));
    }
}

/// A program memory is not written while a program runs, and the address stays where it was.
#[test]
fn a_refused_access_changes_nothing() {
    let mut pair = TINY.pair(2);
    // It waits for weights until it is stuck.
    let mut words = vec![0x0503, 1, 0, 0x01, pair.params().bank_bytes()];
    words.extend(HALT.encode());
    pair.write_program(0, &words);
    set(&mut pair, start_pc::REGISTER, 0);
    set(&mut pair, ctrl::REGISTER, ctrl::START.mask());
    let (model, port) = pair.host.registers().expect("a machine with registers");
    let asked = port.begin_write(model, program_address(4), u64::MAX);
    asked.expect("an answer in 4 clocks");
    let now = get(&mut pair, status::REGISTER);
    assert_eq!(now, status::RUNNING.mask());
    assert!(irq_status::BAD_ACCESS.is_set(get(&mut pair, irq_status::REGISTER)));
    let at = get(&mut pair, port_addr::REGISTER);
    assert_eq!(at, program_address(4));
    assert!(pair.await_end(10_000));
    let predicted = pair.golden.run(0, 100_000);
    let found = pair.host.status().expect("STATUS answers");
    pair.check_end(predicted, found).or_panic();
    // The next write goes there.
    set(&mut pair, port_whi::REGISTER, 0);
    assert_eq!(
        get(&mut pair, status::REGISTER) & status::PORT_BUSY.mask(),
        0
    );
    let at = get(&mut pair, port_addr::REGISTER);
    assert_eq!(at, program_address(5));
}
