//! Golden models of the blocks that are not parts of the machine.

pub mod gemm;
pub mod offsets;
