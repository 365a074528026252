//! Network files, and what is wrong with them. One program: each file of this folder is a module of it.

#![allow(clippy::unwrap_used)]

mod bad_host;
mod bad_matrices;
mod bad_network;
mod transposes;
