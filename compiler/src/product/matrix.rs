//! Matrices in the state buffer: where they lie, and programs that transpose and multiply them.
//!
//! Row i of a matrix lies in partition i mod R, its elements one after another. So it can be streamed (a
//! column for each clock) and, in groups of C columns, loaded as weights. A pass with weights W and
//! moving matrix X drains as the product of W transposed and X: with X the identity that is the
//! transpose of W. No transpose instruction exists.

mod check;
mod drain_form;
mod identity;
mod pieces;
mod product;
mod transpose;
mod wide;

pub use crate::layout::{MatrixPlace, MatrixShape};
pub use check::MatrixError;
pub use drain_form::DrainForm;
pub use identity::IdentityBuild;
pub use product::{Product, Scaling};
pub use transpose::{Block, Transpose, blocks};
pub use wide::{Portions, WideTranspose, portion_factors};
