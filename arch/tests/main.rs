//! Configurations, instructions and their files. One program: each file of this folder is a module of it.

#![allow(clippy::unwrap_used)]

#[macro_use]
extern crate heddle_proves;

mod advice;
mod bad_config;
mod bad_traverse;
mod ends;
mod image;
mod isa;
mod isa_fields;
mod isa_post;
mod jobs;
mod offset_tables;
mod offsets;
mod presets;
mod program_banks;
mod registers;
mod requantise;
mod slices;
mod traverse;
