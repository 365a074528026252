//! Networks and matrices to programs. One program: each file of this folder is a module of it.

#![allow(clippy::unwrap_used)]

#[macro_use]
extern crate heddle_proves;

mod bands;
mod cliffs;
mod engines;
mod files;
mod images;
mod input_banks;
mod limits;
mod matrices;
mod matrix_models;
mod matrix_networks;
mod matrix_programs;
mod matrix_segments;
mod moves;
mod networks;
mod partial_sums;
mod pieces;
mod program_banks;
mod segments;
mod sparse_balance;
mod sparse_layers;
mod sparse_maps;
mod sparse_random;
mod stages;
mod support;
mod toeplitz;
mod waits;
mod waste;
