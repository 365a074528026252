//! The golden machine with its program in banks of the state buffer, against the one with a memory of its own.

use heddle_arch::host::Counter;
use heddle_arch::isa::{ErrorCode, assemble};
use heddle_arch::params::{Params, ProgramMemory};
use heddle_sim::machine::{Counters, Machine, MachineError};

fn params(rows: u32) -> Params {
    let text = include_str!("../../configs/tiny.json");
    let mut params = Params::from_json(text).expect("legal");
    params.array.rows = rows;
    params.state_buffer.banks = 8;
    params.state_buffer.words_per_bank = 256;
    params.program.memory = ProgramMemory::Banks;
    params.validate().expect("legal");
    params
}

fn words(lines: &[&str]) -> Vec<u32> {
    let text = lines.join("\n");
    let list = assemble(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    list.iter().flat_map(|i| i.encode()).collect()
}

/// Copies words to and fro so often.
fn program(copies: usize) -> Vec<u32> {
    let mut lines = vec!["copy rows=1 distance=256 [row 0 base 64: 0..24 step 8]"; copies];
    lines.push("sync wait=weights");
    lines.push("halt");
    words(&lines)
}

fn get(run: Result<Counters, MachineError>, counter: Counter) -> u32 {
    run.unwrap_or_else(|error| panic!("{error}")).get(counter)
}

#[test]
fn pet_60_a_program_in_banks_runs_as_one_in_a_memory_of_its_own_but_later() {
    for rows in [1, 2, 3, 6, 8, 9, 10, 17, 33, 64, 100] {
        let banked = params(rows);
        let mut separate = banked.clone();
        separate.program.memory = ProgramMemory::Separate;
        for (copies, pc) in [(1, 0), (20, 0), (20, 1), (20, 2), (60, 7), (60, 100)] {
            let program = program(copies);
            let mut runs = [&banked, &separate].map(|params| {
                let mut machine = Machine::new(params);
                for word in 0..256 {
                    machine.write_word(0, word, [word as u8; 8]);
                }
                machine.write_program(pc, &program);
                let counters = machine.run(pc, 100_000);
                (counters.unwrap_or_else(|e| panic!("{rows}: {e}")), machine)
            });
            for counter in Counter::ALL {
                let later = match counter {
                    Counter::Cycles => rows + 6,
                    _ => 0,
                };
                let [found, expected] = [&runs[0].0, &runs[1].0].map(|run| run.get(counter));
                assert_eq!(found, expected + later, "{rows} rows, {}", counter.name());
            }
            for word in 0..banked.operand_bytes() / 8 {
                let [found, expected] = [0, 1].map(|run| runs[run].1.read_word(0, word));
                assert_eq!(found, expected);
            }
            // Once more: nothing is left of the first run.
            let again = runs[0].1.run(pc, 100_000).expect("HALT");
            let cycles = [&again, &runs[0].0].map(|run| run.get(Counter::Cycles));
            assert_eq!(cycles[0], cycles[1]);
        }
    }
}

#[test]
fn pet_60_a_word_that_the_host_writes_to_a_program_bank_changes_the_program() {
    let params = params(6);
    let mut machine = Machine::new(&params);
    let sync = words(&["sync"])[0];
    let halt = words(&["halt"])[0];
    machine.write_program(0, &[&vec![sync; 99][..], &[halt]].concat());
    assert_eq!(get(machine.run(0, 1000), Counter::Instructions), 100);
    // Pair 9 lies in partition 1, word 2 of the last bank.
    let base = params.operand_bytes() / 8;
    let pair = u64::from(halt) << 32 | u64::from(sync);
    assert_eq!(
        machine.read_word(1, base + 2),
        (u64::from(sync) << 32 | u64::from(sync)).to_le_bytes()
    );
    machine.set_host_zero(3);
    machine.write_word(
        1,
        base + 2,
        pair.to_le_bytes().map(|byte| byte.wrapping_add(3)),
    );
    assert_eq!(get(machine.run(0, 1000), Counter::Instructions), 20);
    assert_eq!(get(machine.run(20, 1000), Counter::Instructions), 80);
    // Words are written in pairs: one beside them that is not given becomes 0, which is no instruction.
    machine.write_program(31, &[sync]);
    match machine.run(20, 1000) {
        Err(MachineError::Stopped { code, pc, .. }) => {
            assert_eq!((code, pc), (ErrorCode::IllegalOpcode, 30));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn pet_60_programs_in_banks_end_with_their_memory() {
    let params = params(5);
    let end = params.program.words;
    let sync = words(&["sync"])[0];
    let mut machine = Machine::new(&params);
    machine.write_program(0, &vec![sync; end as usize]);
    for pc in [0, 1, end - 1, end, end + 7, 65535] {
        match machine.run(pc, 10_000) {
            Err(MachineError::Stopped { code, pc: at, .. }) => {
                assert_eq!((code, at), (ErrorCode::ProgramEnd, pc.max(end)));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn pet_60_nothing_that_runs_reaches_the_program() {
    let params = params(3);
    let (work, end) = (params.work_bytes(), params.partition_bytes());
    assert_eq!((work, end), (7 * 2048, 8 * 2048));
    let stopped = |lines: &[String]| {
        let lines: Vec<&str> = lines.iter().map(String::as_str).chain(["halt"]).collect();
        let mut machine = Machine::new(&params);
        machine.write_program(0, &words(&lines));
        match machine.run(0, 10_000) {
            Ok(_) => None,
            Err(MachineError::Stopped { code, .. }) => Some(code),
            Err(other) => panic!("{other}"),
        }
    };
    let address = Some(ErrorCode::Address);
    for base in [work, end - 8] {
        let copy = format!("copy rows=1 distance=0 [row 0 base {base}]");
        assert_eq!(stopped(&[copy]), address);
        let copy = format!("copy rows=1 distance={base} [row 0 base 0]");
        assert_eq!(stopped(&[copy]), address);
    }
    let copy = format!("copy rows=1 distance={} [row 0 base 0]", work - 8);
    assert_eq!(stopped(&[copy]), None);
}
