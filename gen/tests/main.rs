//! Printed modules: golden files, linters, what is refused. One program: each file of this folder is a module of it.

#![allow(clippy::unwrap_used)]

#[macro_use]
extern crate heddle_proves;

mod common;
mod counters;
mod gemm;
mod golden;
mod input_banks;
mod lint;
mod linters;
mod loops;
mod machine;
mod names;
mod offsets;
mod post;
mod program_banks;
mod refuse;
mod scale;
mod sliced;
mod tile;
