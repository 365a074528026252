//! Random legal programs.

use heddle_arch::host::Counter;
use heddle_arch::isa::{
    CopyWords, Drain, ErrorCode, Instruction, LoadWeights, Matmul, Record, Reduction, RowBlock,
};
use heddle_arch::params::Params;
use heddle_arch::requantise::Scale;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machines::dump::{dump, encode, fill_tables};
use crate::machines::pair::{End, HALT, Pair, random_word, row};
use crate::machines::programs::{random_program, random_row_offset};
use crate::machines::{self, Machine};
use crate::rtl::{self, Checked, Coverage};

/// The instructions, a line each.
fn text(program: &[Instruction]) -> String {
    let lines: Vec<String> = program.iter().map(Instruction::to_string).collect();
    lines.join("\n")
}

/// Which situations a program has brought about.
fn count_events(coverage: &mut Coverage, program: &[Instruction], end: &End, params: &Params) {
    let halted = matches!(end, End::Halt(_));
    coverage.event("halted", halted);
    coverage.event("stuck", matches!(end, End::Error(ErrorCode::Stuck, _)));
    let End::Halt(counters) = end else {
        return;
    };
    coverage.event("stall for weights", counters.get(Counter::StallWeights) > 0);
    coverage.event("wait", counters.get(Counter::StallWait) > 0);
    coverage.event(
        "skipped slice",
        counters.get(Counter::SliceReads(1)) < counters.get(Counter::SliceReads(0)),
    );
    for instruction in program {
        let wait = instruction.wait();
        coverage.event("wait for weights", wait.weights);
        coverage.event("wait for stream", wait.stream);
        coverage.event("wait for drain", wait.drain);
        match instruction {
            Instruction::Matmul(Matmul {
                first,
                last,
                bank,
                record,
                rows,
                table,
                repeat,
                ..
            }) => {
                let has = |row| record.rows.iter().any(|block| block.row == row);
                coverage.event("prologue", has(0));
                if params.state_buffer.input_banks > 0 {
                    let input = params.work_bytes()..params.operand_bytes();
                    let starts = |block: &RowBlock| block.row == 1 && input.contains(&block.base);
                    let reads = record.rows.iter().any(starts);
                    coverage.event("operands from an input bank", reads);
                }
                coverage.event("epilogue behind vectors", has(1) && has(2));
                coverage.event("epilogue alone", !has(1));
                coverage.event("bias kept from an earlier product", *first && !has(0));
                coverage.event("accumulates", has(1) && !first);
                coverage.event("stores", has(1) && !last);
                coverage.event("straight to post", has(1) && *last);
                coverage.event("bank 1", *bank);
                coverage.event("one row", *rows == 1);
                let times = repeat.map_or(1, |repeat| repeat.times);
                coverage.event("repeats", times > 1);
                coverage.event("repeats with vectors to post", times > 1 && has(1) && *last);
                coverage.event(
                    "repeats with row tables",
                    times > 1 && has(1) && table.is_some(),
                );
                coverage.event("row tables", has(1) && table.is_some());
                let wraps = |block: &RowBlock| block.base > 0x8000;
                coverage.event("base below 0", record.rows.iter().any(wraps));
            }
            Instruction::Drain(Drain {
                single,
                record,
                columns,
                place,
                activation,
                pooling,
                advance,
                ..
            }) => {
                coverage.event("single rounding", *single);
                coverage.event("double rounding", !single);
                coverage.event("drain of two rows", record.rows.len() > 1);
                coverage.event("one column", *columns == 1);
                coverage.event("column tile goes on", advance.is_some());
                coverage.event("placed", place.is_some());
                if params.post.activations > 0 {
                    coverage.event("activation", *activation > 0);
                }
                if params.post.pooling {
                    let window = pooling.map_or(0, |pooling| pooling.window);
                    coverage.event("windows of several sums", window > 1);
                    let both = window > 0 && place.is_some();
                    coverage.event("placed windows", both);
                    for reduction in Reduction::ALL {
                        let found = pooling.is_some_and(|p| p.reduction == reduction);
                        coverage.event(name_of(reduction), found);
                    }
                }
            }
            Instruction::LoadWeights(LoadWeights { flip, streamed, .. }) => {
                coverage.event("words backwards", *flip > 0);
                coverage.event("streamed weights", *streamed);
            }
            Instruction::Copy(CopyWords {
                rows,
                distance,
                record,
                ..
            }) => {
                let (from, bank) = (record.rows[0].base, params.bank_bytes());
                let to = from.wrapping_add(*distance) & 0xffff;
                coverage.event("copy", true);
                coverage.event("copy to another bank", from / bank != to / bank);
                coverage.event("copy within a bank", from / bank == to / bank);
                coverage.event("copy to a word near", (8..24).contains(distance));
                if params.array.rows > 1 {
                    coverage.event("copy of some rows", *rows < params.array.rows);
                }
            }
            Instruction::Sync { wait } => {
                let named = wait.weights || wait.stream || wait.drain;
                coverage.event("SYNC that waits", named);
                coverage.event("SYNC that waits for nothing", !named);
            }
            Instruction::Halt { .. } => {}
        }
    }
}

fn name_of(reduction: Reduction) -> &'static str {
    match reduction {
        Reduction::Max => "maximum",
        Reduction::Min => "minimum",
        Reduction::Sum => "sum",
        Reduction::Product => "product",
        Reduction::Median => "median",
    }
}

/// Runs random programs one after another on one machine; state buffer, results and counters are
/// compared after each.
pub fn run_programs(machine: &Machine, seed: u64, programs: u32) -> Checked<Coverage> {
    let mut coverage = Coverage::default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pair = Pair::new(machine, seed, &mut rng)?;
    fill_tables(&mut pair, &mut rng);
    let place = pair.place.clone();
    for number in 0..programs {
        pair.place = format!("{place}, program {number}");
        pair.set_zero(rng.random());
        for _ in 0..rng.random_range(0..4) {
            let row = rng.random_range(0..machine.params.array.rows);
            let entry = rng.random_range(0..machine.params.state_buffer.row_offsets);
            let offset = random_row_offset(&mut rng, &machine.params);
            pair.write_row_offset(row, entry, offset);
        }
        for _ in 0..rng.random_range(0..4) {
            let partition = rng.random_range(0..machine.params.array.rows);
            let word = rng.random_range(0..machine.params.partition_words());
            pair.write_word(partition, word, random_word(&mut rng));
        }
        let program = random_program(&mut rng, &machine.params);
        let words = encode(&program);
        let room = machine.params.program.words - words.len() as u32;
        let pc = rng.random_range(0..=room);
        pair.write_program(pc, &words);
        let listed = |message: String| format!("{message}\n{}", text(&program));
        let end = pair.run(pc, 500_000).map_err(listed)?;
        pair.compare().map_err(listed)?;
        count_events(&mut coverage, &program, &end, &machine.params);
        match end {
            End::Halt(_) => {
                let dump = dump(&mut rng, &machine.params);
                pair.run_instructions(&dump).map_err(listed)?;
                pair.compare().map_err(listed)?;
            }
            End::Error(ErrorCode::Stuck, _) => pair.prepare()?,
            other => return Err(pair.message(format!("a legal program ends with {other:?}"))),
        }
    }
    Ok(coverage)
}

/// Runs random programs for all seeds; most of them must reach HALT.
#[track_caller]
fn check_programs(params: Params) {
    let machine = Machine::new(params);
    let mut coverage = Coverage::default();
    for seed in rtl::seeds() {
        match run_programs(&machine, seed, 50) {
            Ok(found) => coverage.add(found),
            Err(message) => panic!("{message}"),
        }
    }
    if std::env::var("HEDDLE_SEED").is_err() {
        coverage.assert_complete();
        let (halted, stuck) = (coverage.count("halted"), coverage.count("stuck"));
        assert!(
            halted >= 110,
            "only {halted} programs reached HALT, {stuck} were stuck"
        );
    }
}

#[test]
fn random_programs_agree_on_the_tiny_machine() {
    check_programs(machines::tiny());
}

#[test]
fn random_programs_agree_with_more_rows_than_columns_and_two_loops() {
    check_programs(machines::tall());
}

#[test]
fn random_programs_agree_with_more_columns_than_rows_and_three_loops() {
    check_programs(machines::wide());
}

#[test]
fn pet_58_pet_59_random_programs_agree_with_pooling_and_activation_functions() {
    check_programs(machines::pooling());
}

#[test]
fn pet_61_random_programs_agree_with_an_input_bank() {
    check_programs(machines::buffered());
}

#[test]
fn pet_60_random_programs_agree_with_the_program_in_banks() {
    check_programs(machines::banked());
}

#[test]
fn random_programs_agree_on_a_single_processing_element() {
    check_programs(machines::single());
}

/// Eight operands of one word, of which the first result word of the same product takes the place while they
/// are read: so many are the old ones. A kept word that outlives the write would give old ones to the end.
#[test]
fn a_drain_into_the_word_that_is_being_read_is_seen_from_its_clock_on() {
    let machine = Machine::new(machines::tiny());
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut pair = Pair::new(&machine, 1, &mut rng).unwrap_or_else(|message| panic!("{message}"));
    let params = pair.params();
    let (array, bank) = (&params.array, params.bank_bytes());
    pair.set_zero(0);
    for row in 0..array.rows {
        let mut weights = [0; 8];
        weights[row as usize] = 1;
        pair.write_word(row, 0, weights);
    }
    for column in 0..array.cols {
        let one = Scale::new(1 << 30, 1).expect("scale 1");
        pair.write_column(column, 0, 1, one);
    }
    // Vectors in front of those of the word: their zeros become the ones that are written to it.
    let words = bank / 8..bank / 8 + 20;
    let at = 8 * (words.start + 10);
    let mut olds = Vec::new();
    for before in 8..=params.results_buffer.depth - 8 {
        for row in 0..array.rows {
            for word in words.clone() {
                let byte = if 8 * word == at { 5 } else { 0 };
                pair.write_word(row, word, [byte; 8]);
            }
        }
        let vectors = before + 8;
        let program = [
            Instruction::LoadWeights(LoadWeights {
                rows: array.rows,
                record: Record {
                    rows: vec![row(0, 0, &[(params.weight_words(), 8)])],
                },
                ..LoadWeights::default()
            }),
            Instruction::Drain(Drain {
                columns: array.cols,
                record: Record {
                    rows: vec![row(0, at, &[(vectors, 1)])],
                },
                ..Drain::default()
            }),
            Instruction::Matmul(Matmul {
                rows: array.rows,
                last: true,
                record: Record {
                    rows: vec![row(0, 0, &[]), row(1, at - before, &[(vectors, 1)])],
                },
                ..Matmul::default()
            }),
            HALT,
        ];
        let program: Vec<u32> = program.iter().flat_map(Instruction::encode).collect();
        pair.write_program(0, &program);
        assert!(pair.run_hardware(0, 10_000), "{before} vectors before");
        let status = pair.host.status().unwrap();
        assert!(status.done && !status.error, "{before}: {status:?}");
        for partition in 0..array.rows {
            let read = [at, at + before, at + before + 7].map(|byte| (partition, byte / 8));
            let found = pair.host.read_words(&read).unwrap();
            assert_eq!(found[0], [1; 8]);
            let results = (0..8).map(|index| {
                let byte = before % 8 + index;
                found[1 + (byte / 8) as usize][(byte % 8) as usize]
            });
            let results: Vec<u8> = results.collect();
            let old = results.iter().take_while(|result| **result == 6).count();
            // Then 1 + 1
            assert!(
                results[old..].iter().all(|result| *result == 2),
                "{before}: {results:?}"
            );
            if partition == 0 {
                olds.push(old);
            } else {
                assert_eq!(
                    olds.last(),
                    Some(&old),
                    "all partitions write and read alike"
                );
            }
        }
    }
    // One vector more before the word, one old operand less.
    let first = olds.iter().position(|old| *old < 8).expect("some are new");
    let expected: Vec<usize> = (0..olds.len())
        .map(|at| (7 + first).saturating_sub(at).min(8))
        .collect();
    assert_eq!(olds, expected);
    assert!(first > 0 && olds.contains(&0), "{olds:?}");
}
