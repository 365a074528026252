//! The emitted post-processing against its golden model, every output in every cycle.

mod bench;
mod lanes;
mod options;
mod places;
