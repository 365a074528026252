//! The emitted traversal engine against its golden model, every output in every cycle; the worked vectors on engines
//! and units.

mod bench;
mod overlap;
mod random;
mod registers;
mod worked;
