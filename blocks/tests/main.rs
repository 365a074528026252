//! Nests, offset tables, slices and functions of one byte. One program: each file of this folder is a module of it.

#![allow(clippy::unwrap_used)]

#[macro_use]
extern crate heddle_proves;

mod activation;
mod bad_nests;
mod nest;
mod nest_limits;
mod nests;
mod offsets;
mod random_nests;
mod slices;
