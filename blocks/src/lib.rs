//! What a user of a block of its own puts into it: [`nest`], loop nests as one writes them, for the traversal unit; [`offsets`], tables
//! that find the operands of a product in a tensor; [`slices`], the slices of a memory that suit its words; [`activation`], tables of
//! functions of one byte.
//!
//! This crate opens no file, and knows no network and no simulator.

pub mod activation;
pub mod nest;
pub mod offsets;
pub mod slices;
