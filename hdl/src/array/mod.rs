//! The systolic arrays: cells, rows, the arrays, and the bias row that feeds the one of the machine
//! at the top.

mod bias;
mod dual;
mod dual_pe;
mod dual_row;
mod pe;
mod pe_array;
mod pe_row;

pub use bias::{BiasColumn, BiasRow, BiasSlot, BiasWrite};
pub use dual::DualArray;
pub use dual_pe::DualPe;
pub use dual_row::{DualRow, DualSlot, DualSlotReg};
pub use pe::Pe;
pub use pe_array::PeArray;
pub use pe_row::PeRow;
