//! Ways of the layers through the array: combinations of mappings, how tensors lie with them, and what each layer costs.
//!
//! A layer costs the cycles of its own instructions, which do not depend on addresses.

mod candidate;
mod helpers;
mod layouts;
mod matrices;
mod orders;

pub use candidate::MappingCost;
pub(crate) use candidate::{Addresses, Builder, Candidate, Layout, Pixels, Switches, Ways};
pub(crate) use helpers::{Helper, Wanted, helpers, other};
pub(crate) use layouts::TensorLayout;
pub(crate) use matrices::{Places, instructions};
pub(crate) use orders::{BlockGroup, Part, block_layers};
