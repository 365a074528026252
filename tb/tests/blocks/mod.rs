//! The blocks that are not parts of the machine, against their golden models.

mod gemm;
mod offset_unit;
pub mod offsets;
