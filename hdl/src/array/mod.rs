//! The systolic array: cells, rows, the array, and the bias row that feeds it at the top.

mod bias;
mod pe;
mod pe_array;
mod pe_row;

pub use bias::{BiasColumn, BiasRow};
pub use pe::Pe;
pub use pe_array::PeArray;
pub use pe_row::PeRow;
