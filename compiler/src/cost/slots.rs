//! What the loops of an instruction amount to: slots and K tiles.

use heddle_arch::isa::fields::sparse::{drain, drain_size, header};
use heddle_arch::isa::sparse::OP_DRAIN;
use heddle_arch::isa::{Drain, Instruction, Loop, Matmul, ROW_EPILOGUE, ROW_TENSOR, Record};

/// Tensor slots of an instruction that go to the array: what the counter VECTORS counts.
pub(crate) fn tensor_slots(instruction: &Instruction) -> u64 {
    match instruction {
        Instruction::Matmul(Matmul { cluster: true, .. }) => 0,
        _ => operand_slots(instruction),
    }
}

/// Tensor slots of an instruction, whatever takes them.
pub(crate) fn operand_slots(instruction: &Instruction) -> u64 {
    let Instruction::Matmul(Matmul { record, repeat, .. }) = instruction else {
        return 0;
    };
    let Some(block) = record.rows.iter().find(|block| block.row == ROW_TENSOR) else {
        return 0;
    };
    let loops = block.loops.iter();
    let trips = loops.map(|l| l.end.div_ceil(l.step.max(1)).max(1));
    let once = trips.fold(1, |slots: u64, trips| slots.saturating_mul(trips.into()));
    once.saturating_mul(repeat.map_or(1, |repeat| repeat.times.into()))
}

/// Slots that a drain has addresses for, if it is one.
pub(crate) fn drained_slots(instruction: &Instruction) -> Option<u64> {
    let Instruction::Drain(Drain {
        record, pooling, ..
    }) = instruction
    else {
        return None;
    };
    let window = pooling.map_or(1, |pooling| u64::from(pooling.window));
    let rows = record.rows.iter();
    let addresses = rows.map(|block| block.loops.iter().map(trips).product::<u64>());
    Some(window * addresses.sum::<u64>())
}

/// Slots that a product sends to post: the sums of its last K tile, and sums that were stored before; and those that leave the sparse
/// cluster.
pub(crate) fn posted_slots(instruction: &Instruction) -> u64 {
    if let Instruction::Sparse(command) = instruction {
        return cluster_slots(&command.words);
    }
    let Instruction::Matmul(Matmul {
        last,
        tile_level,
        record,
        repeat,
        ..
    }) = instruction
    else {
        return 0;
    };
    let slots = |row: u8, level: usize| {
        let loops = row_loops(record, row);
        loops.map_or(0, |loops| loops.iter().take(level).map(trips).product())
    };
    let sums = match last {
        true => slots(ROW_TENSOR, *tile_level as usize + 1),
        false => 0,
    };
    let times = repeat.map_or(1, |repeat| u64::from(repeat.times));
    times * (sums + slots(ROW_EPILOGUE, usize::MAX))
}

/// Positions whose sums leave the sparse cluster, group by group.
fn cluster_slots(words: &[u32]) -> u64 {
    if header::OPCODE.get(words[0]) != OP_DRAIN || drain::DISCARD.is_set(words[1]) {
        return 0;
    }
    let sides = [
        drain::GROUPS.get(words[1]),
        drain_size::ROWS.get(words[3]),
        drain_size::COLS.get(words[3]),
    ];
    sides.into_iter().map(u64::from).product()
}

/// Loops of a row, if the record has it. Blocks that say the same again have none.
pub(crate) fn row_loops(record: &Record, row: u8) -> Option<&[Loop]> {
    let mut blocks = record.rows.iter().filter(|block| block.row == row);
    blocks.next().map(|block| &block.loops[..])
}

/// Iterations of a loop.
fn trips(l: &Loop) -> u64 {
    u64::from(l.end.div_ceil(l.step.max(1))).max(1)
}

/// Iterations of the loops outside `level`.
pub(crate) fn k_tiles(record: &Record, row: u8, level: u32) -> u64 {
    let loops = row_loops(record, row).unwrap_or_default();
    let outer = loops.iter().skip(level as usize + 1);
    outer.map(trips).product()
}
