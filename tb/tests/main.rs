//! The emitted Verilog under Verilator. One program: each file of this folder is a module of it.

#![allow(clippy::unwrap_used)]

#[macro_use]
extern crate heddle_proves;

mod agreement;
mod array;
mod beside;
mod blocks;
mod buffer;
mod contracts;
mod control;
mod converted;
mod depthwise;
mod designs;
mod dual_scale;
mod engines;
mod errors;
mod figures;
#[allow(dead_code, reason = "the compiler's tests use the rest")]
#[path = "../../compiler/tests/support/mod.rs"]
mod generator;
mod handshakes;
mod host_port;
mod imported;
mod input_banks;
mod large;
mod lockstep;
mod machines;
mod matrix;
mod model;
mod modules;
mod nodes;
mod partial_sums;
mod post;
mod program_banks;
#[allow(dead_code, reason = "the importer's tests use the rest")]
#[path = "../../import/tests/files.rs"]
mod recorded;
mod rtl;
mod segments;
mod shared_builds;
mod sliced;
mod sparse;
mod tables;
mod top;
mod traversal;
mod traversal_system;
mod traversal_unit;
mod traversal_variants;
mod traversal_words;
