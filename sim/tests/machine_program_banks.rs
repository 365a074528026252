//! The golden machine with its program in banks of the state buffer, against the one with a memory of its own.

use heddle_arch::host::Counter;
use heddle_arch::isa::assemble;
use heddle_arch::params::{Params, ProgramMemory};
use heddle_sim::machine::Machine;

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

#[proves("PET-60")]
#[test]
fn a_program_in_banks_runs_as_one_in_its_own_memory_but_later() {
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
                    Counter::Cycles => rows + 10,
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
