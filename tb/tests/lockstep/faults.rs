//! Legal programs with one fault.

use heddle_arch::isa::{
    CopyWords, Drain, Instruction, LoadWeights, Matmul, Record, Reduction, RowTable,
};
use heddle_arch::params::Params;
use rand::Rng;
use rand::seq::IndexedMutRandom;
use rand_chacha::ChaCha8Rng;

use crate::machines::programs::{fault_entry, random_program};

/// Names of the faults.
pub const FAULTS: [&str; 8] = [
    "lost address",
    "lost address of a copy",
    "no drain",
    "short drain",
    "lost row offset",
    "hurried weights",
    "other window",
    "no HALT",
];

/// A random program with one fault, and the name of the fault; none if the program has no place for it.
pub fn faulty(rng: &mut ChaCha8Rng, params: &Params) -> (Vec<Instruction>, Option<&'static str>) {
    let mut program = random_program(rng, params);
    let at = rng.random_range(0..program.len());
    let fault = rng.random_range(0..FAULTS.len());
    let planted = match fault {
        0 => lose_address(rng, &mut program[at], params),
        1 => {
            let mut copies = program.iter_mut();
            let copy = copies.rfind(|i| matches!(i, Instruction::Copy(_)));
            copy.is_some_and(|copy| lose_address(rng, copy, params))
        }
        2 => {
            let removed = program.remove(at);
            matches!(removed, Instruction::Drain(_))
        }
        3 => shorten_drains(&mut program),
        4 => lose_entry(rng, &mut program, params),
        5 => hurry_weights(&mut program),
        6 => change_window(rng, &mut program, params),
        _ => {
            // The words behind it are whatever was there before.
            program.pop();
            true
        }
    };
    (program, planted.then_some(FAULTS[fault]))
}

/// One address is missing in each drain.
fn shorten_drains(program: &mut [Instruction]) -> bool {
    let mut shorter = false;
    for instruction in program {
        if let Instruction::Drain(Drain { record, .. }) = instruction {
            if let Some(values) = record.rows[0].loops.first_mut() {
                values.end = values.end.saturating_sub(values.step);
                shorter |= values.end > 0;
            }
        }
    }
    shorter
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

/// One product uses entries beyond its table, or the one whose sums lie beyond the memory.
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
