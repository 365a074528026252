//! Which bytes of the state buffer an instruction reads or writes.

use std::ops::Range;

use heddle_arch::isa::{CopyWords, Instruction, LoadWeights, Matmul, Move, ROW_TENSOR};
use heddle_arch::transfer::{Space, Transfer};
use heddle_arch::word::WORD_BYTES;

use super::unit::Unit;

/// Bytes of the state buffer between the lowest and the highest address of an instruction.
pub(super) fn bytes(instruction: &Instruction, unit: Unit) -> Range<u32> {
    if let Instruction::Load(Move { transfer, .. }) | Instruction::Store(Move { transfer, .. }) =
        instruction
    {
        return words(transfer);
    }
    let Some(record) = instruction.record() else {
        return 0..0;
    };
    let rows = record.rows.iter();
    let rows = rows.filter(|block| unit != Unit::Stream || block.row == ROW_TENSOR);
    let further = match instruction {
        Instruction::Matmul(Matmul {
            repeat: Some(repeat),
            ..
        }) => (repeat.times - 1) * repeat.step,
        _ => 0,
    };
    let spans = rows.map(|block| {
        let steps = block.loops.iter().map(|l| match l.step {
            0 => 0,
            step => (l.end.max(1) - 1) / step * step,
        });
        let last = block.base.saturating_add(steps.sum());
        block.base..last.saturating_add(further)
    });
    let spans: Vec<Range<u32>> = match instruction {
        Instruction::LoadWeights(load) if load.flip != 0 => flipped(load),
        _ => spans.collect(),
    };
    let (low, high) = spans.iter().fold((u32::MAX, 0), |(low, high), span| {
        (low.min(span.start), high.max(span.end))
    });
    if low > high {
        return 0..0;
    }
    // The same words again, some way off; addresses wrap.
    let (low, high) = match instruction {
        Instruction::Copy(CopyWords { distance, .. }) => {
            let first = low.saturating_add(*distance) & 0xffff;
            (low.min(first), high.max(first.saturating_add(high - low)))
        }
        _ => (low, high),
    };
    // Results are written as whole words; weights are words.
    let (low, high) = match unit {
        Unit::Stream => (low, high),
        _ => (low & !7, high | 7),
    };
    low..high.saturating_add(1)
}

/// Those of words that move.
fn words(transfer: &Transfer) -> Range<u32> {
    if transfer.space != Space::Buffer {
        return 0..0;
    }
    let walks = transfer.loops.iter();
    let last: u32 = walks.map(|walk| (walk.count - 1) * walk.step).sum();
    let first = transfer.place[0];
    WORD_BYTES * first..WORD_BYTES * (first + last + 1)
}

/// The addresses of a load that inverts bits of them, each as a span.
fn flipped(load: &LoadWeights) -> Vec<Range<u32>> {
    let blocks = load.record.rows.iter();
    let addresses = blocks.flat_map(|block| {
        block.loops.iter().fold(vec![block.base], |all, walk| {
            let turns = (0..).map_while(|turn| {
                let offset = turn * walk.step;
                (offset < walk.end.max(1) && (turn == 0 || walk.step > 0)).then_some(offset)
            });
            let turns: Vec<u32> = turns.collect();
            let next = all
                .iter()
                .flat_map(|base| turns.iter().map(move |turn| base + turn));
            next.collect()
        })
    });
    let inverted = addresses.map(|address| address ^ (load.flip * WORD_BYTES));
    inverted.map(|address| address..address).collect()
}
