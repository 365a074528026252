//! Blocks that are not parts of the machine: for designs with memories of their own and no
//! instruction set.

pub mod gemm;
pub mod offsets;
