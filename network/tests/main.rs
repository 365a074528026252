//! Network files, and what is wrong with them. One program: each file of this folder is a module of it.

#![allow(clippy::unwrap_used)]

#[macro_use]
extern crate heddle_proves;

mod bad_host;
mod bad_matrices;
mod bad_network;
mod states;
mod transposes;
