//! Matrices in the state buffer of the emitted machine: transposes by the identity, products, and
//! chains of both, against the golden machine and against the elements that are expected.

pub mod bench;
mod flow;
mod identities;
mod left;
mod options;
mod probe;
mod stored;
mod transposes;
mod waves;
mod wide;
