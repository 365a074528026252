//! Base and offset tables of a GEMM whose operands are read straight from a tensor, see
//! `docs/offsets.md`.
//!
//! [`generate`] makes the tables that a [`Request`] asks for: element k of GEMM row m lies at
//! `bases[m] + offsets[k]`. All multiplications with a shape happen here; who uses the tables adds.
//! Around it: [`order`] the order of the taps and what weights have to follow it, [`pack`] weight
//! words, [`compress`] tables as values for the expander of the unit, [`access`] what the rows
//! read in each step, and with which conflicts, [`size`] how much the tables save, and [`index`]
//! another way to make them.
//!
//! ```
//! use heddle_blocks::offsets::{Request, generate};
//!
//! let request = Request::from_json(
//!     r#"{"convolution": {"channels": 1, "height": 4, "width": 4, "outputs": 1, "kernel": [3, 3]}}"#,
//! )?;
//! let tables = generate(&request)?;
//! assert_eq!(tables.bases, [0, 1, 4, 5]);
//! assert_eq!(tables.offsets, [0, 1, 2, 4, 5, 6, 8, 9, 10]);
//! # Ok::<(), heddle_arch::ConfigErrors>(())
//! ```

pub mod access;
pub mod compress;
mod fill;
mod generate;
pub mod index;
mod layout;
pub mod order;
pub mod pack;
mod rows;
pub mod size;

pub use fill::{Fill, Filled, Nest, Repeat, Table};
pub use generate::{generate, group_origin};
pub use heddle_arch::offsets::{
    Convolution, FullyConnected, Layout, Masks, Matrix, Pad, Request, Sides, Tables,
};
pub use rows::{GemmRow, Tap, rows, taps};
