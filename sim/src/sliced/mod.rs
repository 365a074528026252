//! Sliced memory: zero units are neither written nor read.
//!
//! [`layout`] has the options and what follows from them, [`packing`] the packing rules on words
//! of any length, [`reference`](mod@reference) the untimed memory with the rows of its slices,
//! [`model`] the clocked memory, [`choose`] the bits that words of a given kind cost.

pub mod choose;
pub mod counts;
pub mod layout;
pub mod model;
pub mod packing;
pub mod reference;
pub mod vectors;
pub mod word;

pub use choose::Histogram;
pub use counts::{Accesses, Counts};
pub use layout::{MaskPlace, Network, SliceLayout};
pub use model::{SlicedInputs, SlicedModel, SlicedOutputs};
pub use reference::SlicedReference;
pub use word::Word;
