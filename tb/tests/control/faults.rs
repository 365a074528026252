//! Programs with one fault.

use heddle_arch::isa::{
    CopyWords, Drain, ErrorCode, Instruction, LoadWeights, Matmul, Record, Reduction, RowTable,
};
use heddle_arch::params::Params;
use rand::seq::{IndexedMutRandom, IndexedRandom};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machines::dump::{encode, fill_tables};
use crate::machines::pair::{End, Pair, random_word};
use crate::machines::programs::{fault_entry, random_program};
use crate::machines::{self, Machine};
use crate::rtl::{self, Checked, Coverage};

/// Instruction words that no machine accepts.
fn illegal_words(rng: &mut ChaCha8Rng) -> (Vec<u32>, ErrorCode) {
    let list: [(&[u32], ErrorCode); 24] = [
        (&[0], ErrorCode::IllegalOpcode),
        (&[0x0106], ErrorCode::IllegalOpcode),
        // A SYNC of two words or with a bit too many; a copy without a record, of no rows, with a bit behind them,
        // of a part of a word, farther than an address reaches.
        (&[0x0207, 0], ErrorCode::BadLength),
        (&[0x0008_0107], ErrorCode::BadField),
        (&[0x0405, 1, 8, 0], ErrorCode::BadLength),
        (&[0x0505, 0, 8, 0, 0], ErrorCode::BadField),
        (&[0x0505, 0x201, 8, 0, 0], ErrorCode::BadField),
        (&[0x0505, 1, 4, 0, 0], ErrorCode::BadField),
        (&[0x0505, 1, 0x1_0000, 0, 0], ErrorCode::BadField),
        (&[0x0201], ErrorCode::BadLength),
        (&[0x0303, 1, 0], ErrorCode::BadLength),
        (&[0x0502, 1, 0, 0, 0], ErrorCode::BadLength),
        (&[0x0008_0101], ErrorCode::BadField),
        (&[0x0402, 0, 0, 0], ErrorCode::BadField),
        (&[0x0504, 0x1000_0001, 0, 0, 0], ErrorCode::BadField),
        (&[0x0403, 0x8001, 0, 0], ErrorCode::BadLength),
        (&[0x0603, 0x8001, 0, 1 << 17, 0, 0], ErrorCode::BadField),
        // A bit behind those of streaming, a level without an advance, a word of repetitions that is too long or missing.
        (&[0x0402, 0x0020_0001, 0, 0], ErrorCode::BadField),
        (&[0x0504, 0x0200_0001, 0, 0, 0], ErrorCode::BadField),
        (
            &[0x0603, 0x0100_0001, 0, 1 << 24, 0, 0],
            ErrorCode::BadField,
        ),
        (&[0x0403, 0x0100_0001, 0, 0], ErrorCode::BadLength),
        // Activation table 4, a reduction that nobody has, windows with a bit too many.
        (&[0x0504, 0x2001, 0, 0, 0], ErrorCode::BadField),
        (&[0x0604, 0x8001, 0, 5, 0, 0], ErrorCode::BadField),
        (&[0x0604, 0x8001, 0, 1 << 16, 0, 0], ErrorCode::BadField),
    ];
    let (words, code) = list.choose(rng).expect("not empty");
    (words.to_vec(), *code)
}

/// Addresses of an instruction leave their memory in one of its rows, or those of its copies do.
fn lose_address(rng: &mut ChaCha8Rng, instruction: &mut Instruction, params: &Params) -> bool {
    if let Instruction::Copy(CopyWords { distance, .. }) = instruction {
        if rng.random_bool(0.7) {
            *distance = params.work_bytes();
            return true;
        }
    }
    // Weights and results may not lie in input banks either.
    let end = match instruction {
        Instruction::LoadWeights(_) | Instruction::Copy(_) | Instruction::Drain(_) => {
            params.work_bytes()
        }
        _ => params.operand_bytes(),
    };
    let Some(Record { rows: blocks }) = instruction.record_mut() else {
        return false;
    };
    let at = rng.random_range(0..blocks.len());
    let block = &mut blocks[at];
    for values in &mut block.loops {
        values.initial = 0;
        values.end = values.step;
    }
    block.base = end;
    true
}

/// One product uses entries beyond its table, or one whose sums lie beyond the memory
/// ([`run_faults`] writes it).
fn lose_entry(rng: &mut ChaCha8Rng, program: &mut [Instruction], params: &Params) -> bool {
    let entries = params.state_buffer.row_offsets;
    let products = program
        .iter_mut()
        .filter_map(|instruction| match instruction {
            Instruction::Matmul(Matmul { table, record, .. }) => {
                let vectors = record.rows.iter().any(|block| block.row == 1);
                vectors.then_some(table)
            }
            _ => None,
        });
    let mut products: Vec<_> = products.collect();
    let Some(table) = products.choose_mut(rng) else {
        return false;
    };
    **table = Some(RowTable {
        first_entry: match rng.random_bool(0.3) {
            true => rng.random_range(entries..=255) as u8,
            false => fault_entry(params) as u8,
        },
        last_macs: 1,
    });
    true
}

/// Streamed words of a tile come faster than its vectors.
fn hurry_weights(program: &mut [Instruction]) -> bool {
    let loops = program
        .iter_mut()
        .find_map(|instruction| match instruction {
            Instruction::LoadWeights(LoadWeights {
                streamed: true,
                tile_level,
                record,
                ..
            }) => Some((*tile_level, &mut record.rows[0].loops)),
            _ => None,
        });
    let Some((level, loops)) = loops else {
        return false;
    };
    for values in loops.iter_mut().take(level as usize + 1) {
        values.end = values.initial;
    }
    true
}

/// A drain gets windows of another length, or of a kind that does not exist.
fn change_window(rng: &mut ChaCha8Rng, program: &mut [Instruction], params: &Params) -> bool {
    let windows = program
        .iter_mut()
        .find_map(|instruction| match instruction {
            Instruction::Drain(Drain { pooling, .. }) => pooling.as_mut(),
            _ => None,
        });
    let Some(pooling) = windows else {
        return false;
    };
    if rng.random_bool(0.2) {
        pooling.reduction = Reduction::Median;
        pooling.window = params.post.median + 1;
    } else {
        pooling.window += rng.random_range(1..4);
    }
    true
}

/// A legal program with one fault; the code that the fault must give, if it is only one.
fn faulty_program(
    rng: &mut ChaCha8Rng,
    params: &Params,
    coverage: &mut Coverage,
) -> (Vec<u32>, Option<ErrorCode>) {
    let mut program = random_program(rng, params);
    let at = rng.random_range(0..program.len());
    let pools = u32::from(params.post.pooling);
    let kind = rng.random_range(0..7 + pools);
    coverage.event("illegal word", kind == 0);
    match kind {
        0 => {
            let (illegal, code) = illegal_words(rng);
            let mut words = encode(&program[..at]);
            words.extend(illegal);
            return (words, Some(code));
        }
        1 => {
            let copies = program
                .iter_mut()
                .filter(|i| matches!(i, Instruction::Copy(_)));
            let copy = copies.last().filter(|_| rng.random_bool(0.4));
            coverage.event("lost address of a copy", copy.is_some());
            let lost = match copy {
                Some(copy) => lose_address(rng, copy, params),
                None => lose_address(rng, &mut program[at], params),
            };
            coverage.event("lost address", lost);
        }
        2 => {
            let removed = program.remove(at);
            coverage.event("no drain", matches!(removed, Instruction::Drain(_)));
        }
        6 => {
            let hurried = hurry_weights(&mut program);
            coverage.event("hurried weights", hurried);
        }
        7 => {
            let changed = change_window(rng, &mut program, params);
            coverage.event("other window", changed);
        }
        5 => {
            let lost = lose_entry(rng, &mut program, params);
            coverage.event("lost row offset", lost);
        }
        3 => {
            // One address is missing in each drain.
            for instruction in &mut program {
                if let Instruction::Drain(Drain { record, .. }) = instruction {
                    if let Some(values) = record.rows[0].loops.first_mut() {
                        let shorter = values.end.saturating_sub(values.step);
                        coverage.event("short drain", shorter > 0);
                        values.end = shorter;
                    }
                }
            }
        }
        _ => {
            // HALT is missing: the words behind it are whatever was there before.
            program.pop();
            coverage.event("no HALT", true);
            let mut words = encode(&program);
            words.push(0);
            return (words, None);
        }
    }
    (encode(&program), None)
}

/// Faults in random programs: code, program word and state buffer agree, the host may write at
/// once, and the next program runs as if nothing had happened.
pub fn run_faults(machine: &Machine, seed: u64, programs: u32) -> Checked<Coverage> {
    let params = &machine.params;
    let mut coverage = Coverage::default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pair = Pair::new(machine, seed, &mut rng)?;
    let place = pair.place.clone();
    for number in 0..programs {
        pair.place = format!("{place}, program {number}");
        fill_tables(&mut pair, &mut rng);
        // An entry of one row, often the first, leads beyond the memory.
        let beyond = Some(rng.random_range(params.operand_bytes() as u16..=u16::MAX));
        let row = match rng.random_bool(0.5) {
            true => 0,
            false => rng.random_range(0..params.array.rows),
        };
        pair.write_row_offset(row, fault_entry(params), beyond);
        let (words, expected) = faulty_program(&mut rng, params, &mut coverage);
        pair.write_program(0, &words);
        let end = pair.run(0, 500_000)?;
        // Writes right behind the error must not get lost, nor be overwritten.
        for _ in 0..8 {
            let partition = rng.random_range(0..params.array.rows);
            let word = rng.random_range(0..params.partition_words());
            pair.write_word(partition, word, random_word(&mut rng));
        }
        coverage.event("judged", end != End::Conflict);
        if end == End::Conflict {
            // A row offset has led an operand into the bank of the weights: what was read is undefined.
            pair = Pair::new(machine, seed, &mut rng)?;
        }
        pair.compare()?;
        if let (End::Error(code, _), Some(expected)) = (end, expected) {
            if code != expected && code != ErrorCode::Stuck {
                let (code, expected) = (code.name(), expected.name());
                return Err(pair.message(format!("{code}, expected {expected}")));
            }
        }
        for code in [
            ErrorCode::IllegalOpcode,
            ErrorCode::BadLength,
            ErrorCode::BadField,
            ErrorCode::Address,
            ErrorCode::DrainUnderflow,
            ErrorCode::Stuck,
            ErrorCode::LostWeights,
        ] {
            coverage.event(
                code.name(),
                matches!(end, End::Error(found, _) if found == code),
            );
        }
        if let End::Error(..) = end {
            pair.prepare()?;
        }
        fill_tables(&mut pair, &mut rng);
        let program = random_program(&mut rng, params);
        if let End::Error(..) = pair.run_instructions(&program)? {
            pair.prepare()?;
        }
        pair.compare()?;
    }
    Ok(coverage)
}

/// Faulty programs for each seed: enough for every error of the sequencer.
fn programs() -> u32 {
    if rtl::is_slow() { 120 } else { 80 }
}

#[test]
fn pet_61_errors_leave_the_state_buffer_with_an_input_bank_as_predicted() {
    let machine = Machine::new(machines::buffered());
    rtl::run_seeds(|seed| run_faults(&machine, seed, programs()));
}

#[test]
fn pet_60_errors_leave_the_state_buffer_with_the_program_as_predicted() {
    let machine = Machine::new(machines::banked());
    rtl::run_seeds(|seed| run_faults(&machine, seed, programs()));
}

#[test]
fn errors_leave_the_state_buffer_as_predicted() {
    for params in [machines::tiny(), machines::wide(), machines::pooling()] {
        let machine = Machine::new(params);
        rtl::run_seeds(|seed| run_faults(&machine, seed, programs()));
    }
}
