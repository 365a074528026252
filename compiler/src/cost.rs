//! What instructions cost, from their fields alone.

mod cycles;
mod slots;

use heddle_arch::isa::{Instruction, Wait};
use heddle_arch::params::Params;

pub(crate) use cycles::cycles;
pub(crate) use slots::{
    drained_slots, k_tiles, operand_slots, posted_slots, row_loops, tensor_slots,
};

/// Cycles of instructions that run alone, with HALT behind them.
pub(crate) fn alone(instructions: Vec<Instruction>, params: &Params) -> u64 {
    cycles(&halted(instructions), params)
}

/// The instructions and HALT.
pub(crate) fn halted(mut instructions: Vec<Instruction>) -> Vec<Instruction> {
    instructions.push(Instruction::Halt {
        wait: Wait::default(),
    });
    instructions
}
