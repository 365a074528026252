//! Networks, nests and matrices to programs and tables. One program: each file of this folder is a module of it.

#![allow(clippy::unwrap_used)]

mod activation;
mod bad_nests;
mod cliffs;
mod engines;
mod files;
mod input_banks;
mod limits;
mod matrices;
mod matrix_networks;
mod matrix_programs;
mod nest;
mod nest_limits;
mod nests;
mod networks;
mod offsets;
mod partial_sums;
mod pieces;
mod program_banks;
mod random_nests;
mod segments;
mod slices;
mod sparse_balance;
mod sparse_layers;
mod sparse_maps;
mod sparse_random;
mod stages;
mod support;
mod toeplitz;
