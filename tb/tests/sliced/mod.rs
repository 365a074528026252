//! The emitted sliced memory against its golden model: every output of many variants in every
//! cycle, and the rules that its memories must see.

mod bench;
mod exhaustive;
mod faults;
mod images;
mod networks;
mod random;
mod shapes;
pub mod sides;
mod tables;
mod variants;
