//! Loop nests as a user writes them, compiled to the rows of the traversal unit.
//!
//! A [`Nest`] is a sequence of loops over arrays, built in Rust ([`Nest::then`]) or read from text
//! ([`Nest::parse`], the grammar is in `docs/nests.md`). [`Nest::compile`] finds the main nest and
//! what lies before and behind it (TTU-010, TTU-011), gives every array a place, and computes
//! initial value, step and end of every loop (TTU-012, TTU-013). All multiplications happen here.
//!
//! ```
//! use heddle_blocks::nest::{Array, For, Nest, Use};
//!
//! let built = Nest::new()
//!     .array(Array::new("V", [3, 4]).at(64))
//!     .then(For::new("i", 0, 3).then(For::new("k", 0, 4).then(Use::new("V", ["i", "k"]))));
//! let read = Nest::parse("array V[3][4] at 64; for i in 0..3 { for k in 0..4 { V[i][k] } }")?;
//! assert_eq!(built.to_string(), read.to_string());
//! # Ok::<(), heddle_blocks::nest::NestError>(())
//! ```

mod affine;
mod expand;
mod fault;
mod layout;
mod lexer;
mod parse;
mod plan;
mod print;
mod program;
mod recognise;
mod unique;

pub use affine::Affine;
pub use fault::{NestError, Place, Refusal};
pub use layout::ArrayPlan;
pub use plan::{LoopPlan, Plan, RowPlan};
pub use program::{Array, For, NUMBER_MAX, Nest, Statement, Use};
