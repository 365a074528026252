//! The command as its user calls it. One program: each file of this folder is a module of it.

#![allow(clippy::unwrap_used)]

#[macro_use]
extern crate heddle_proves;

mod advise;
mod arrays;
mod bad_arguments;
mod bad_config;
mod bad_model;
mod bench;
mod client;
mod compile;
mod component;
mod config;
mod cosim;
mod cosim_image;
mod ends;
mod extremes;
mod fit;
mod generate;
mod image;
mod import;
mod lint;
mod matrices;
mod offsets;
mod output;
mod rows;
mod sidecar;
mod signals;
mod states;
mod system;
mod traverse;
