//! The emitted traversal engine against its golden model, every output in every cycle.

mod bench;
mod options;
mod overlap;
mod random;
#[path = "../rtl/mod.rs"]
mod rtl;
mod sequence;
mod vectors;
