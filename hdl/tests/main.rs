//! The hardware under rust-hdl's own simulator. One program: each file of this folder is a module of it.

mod control_options;
mod conventions;
mod gemm;
mod offsets;
mod post;
mod sliced;
mod sliced_networks;
mod traversal_options;
