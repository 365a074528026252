//! The golden models against numbers worked by hand and against plain loops. One program: each file of this folder is a module of it.

#![allow(clippy::unwrap_used)]

#[macro_use]
extern crate heddle_proves;

mod array;
mod buffer;
mod dual_scale;
mod host_layers;
mod machine;
mod machine_copy;
mod machine_moves;
mod machine_post;
mod machine_program_banks;
mod network;
mod partial_sums;
mod post;
mod sliced;
mod sparse_commands;
mod traversal_random;
mod traversal_unit;
