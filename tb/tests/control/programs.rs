//! Random legal programs.

use heddle_arch::host::Counter;
use heddle_arch::isa::{
    CopyWords, Drain, ErrorCode, Instruction, LoadWeights, Matmul, Reduction, RowBlock,
};
use heddle_arch::params::Params;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machines::dump::{dump, encode, fill_tables};
use crate::machines::pair::{End, Pair, random_word};
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
