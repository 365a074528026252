//! Golden models in plain Rust: what the hardware must do, written from the documents alone.
//!
//! Nothing here shares code with the hardware description. [`traversal`], [`sliced`], [`array`],
//! [`buffer`] and [`post`] hold one clocked model per hardware module, with the method
//! `step(inputs) -> outputs`: the outputs visible in the current clock cycle for the inputs of
//! this cycle, then the clock edge. [`blocks::offsets`] and [`blocks::gemm`] are lists first, what each row and
//! column does in its order; only the rows of the unit have clocks. [`network`] runs the layers of a network by their meaning. Words of 8 bytes are numbers: byte k is bits 8k+7..8k.

#[cfg(test)]
#[macro_use]
extern crate heddle_proves;

pub mod array;
pub mod blocks;
pub mod buffer;
pub mod delay;
pub mod dma;
pub mod image;
pub mod machine;
pub mod network;
pub mod post;
pub mod sliced;
pub mod sparse;
pub mod system;
pub mod traversal;
