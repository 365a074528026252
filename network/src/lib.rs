//! Quantised networks: the file of a network, its graph, and its operators with their meaning.
//!
//! [`Network`] is a checked network, [`mod@file`] the form of its JSON, formats "heddle-network-1" and "heddle-network-2". What a layer
//! can be is said in [`ops`], a file for each operator: its fields, its rules, and what it makes of bytes.
//!
//! This crate opens no file and knows no machine.

mod build;
mod draft;
pub mod file;
mod form;
mod layer;
mod name;
mod network;
pub mod ops;
pub mod real;
pub mod requantise;
mod shape;
mod state;
pub mod stored;
mod table;
mod tensor;

pub use layer::{Constant, Input, Layer};
pub use name::{INPUT_NAME, NAME, is_name};
pub use network::Network;
pub use ops::{
    Alignment, LayerKind, Matmul, Matrices, Mean, Order, PLACE_BYTES, Permutation, Prelu, Product,
    Reduction, Softmax, Sum, Work,
};
pub use shape::{Axis, Padding, Shape};
pub use state::State;
pub use table::Table;
pub use tensor::{NetworkError, Tensor};

/// JSON schema of a network file.
pub fn schema() -> serde_json::Value {
    stored::schema()
}
