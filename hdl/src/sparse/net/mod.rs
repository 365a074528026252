//! Networks between memories and units: streams of words, each from one port to another.
//!
//! A word has four parts of 9 bits: value, list of weights, row and column. Bit 8 of the row is set in the last word of a list, bit 8 of the
//! column in what is meant for a memory, not for a unit.

mod benes;
mod column;
mod entry_network;
mod stage;
mod switch;

pub use benes::Benes;
pub use column::BenesColumn;
pub use entry_network::{EntryNetwork, NetworkKind, ports, route_bits};
pub use stage::StreamStage;
pub use switch::Switch;
