//! Matrices in the state buffer of the emitted machine: transposes by the identity, products, and
//! chains of both, against the golden machine and against the elements that are expected.

mod bench;
mod flow;
mod identities;
mod left;
#[path = "../machines/mod.rs"]
mod machines;
mod options;
mod probe;
mod products;
mod rounds;
#[path = "../rtl/mod.rs"]
mod rtl;
mod stored;
mod transposes;
mod waves;
mod wide;
