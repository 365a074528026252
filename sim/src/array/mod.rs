//! Weight-stationary PE array and the bias row above it.
//!
//! [`product`] is the untimed matrix product, [`pe`] the clocked array, [`bias`] the clocked bias
//! memories whose outputs enter the array at the top.

pub mod bias;
pub mod pe;
pub mod product;

pub use bias::{BiasColumnModel, BiasColumnOutputs, BiasInputs, BiasRowModel, BiasWrite};
pub use pe::{PeArrayInputs, PeArrayModel, PeInputs, PeModel, PeOutputs, PeRowInputs, PeRowModel};
pub use product::matrix_product;
