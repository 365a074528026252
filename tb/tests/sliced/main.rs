//! The emitted sliced memory against its golden model: every output of many variants in every
//! cycle, and the rules that its memories must see.

mod bench;
#[path = "../beside/mod.rs"]
mod beside;
mod exhaustive;
mod faults;
mod networks;
mod random;
#[path = "../rtl/mod.rs"]
mod rtl;
mod sides;
mod tables;
mod variants;
