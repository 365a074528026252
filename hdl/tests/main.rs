//! The hardware under rust-hdl's own simulator. One program: each file of this folder is a module of it.

#![allow(clippy::unwrap_used)]

#[macro_use]
extern crate heddle_proves;

mod control_options;
mod conventions;
mod offsets;
mod post;
mod shapes;
mod sliced;
mod traversal_options;
