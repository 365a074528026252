//! The emitted traversal engine against its golden model, every output in every cycle.

mod bench;
mod options;
mod overlap;
mod random;
mod sequence;
mod vectors;
