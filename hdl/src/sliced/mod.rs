//! Sparse-aware sliced memory: zero bytes are neither written nor read.
//!
//! A word of 8 bytes is stored as a mask of its non-zero bytes, in the mask slice, and as these
//! bytes packed towards the most significant end, in data slice a and, if they do not fit, in
//! data slice b. [`Sliced`] is the memory.
//!
//! The networks work on words of any power of two of units, by position: packing is towards
//! position 0.
//!
//! - [`Select`]: number of non-zero units of a word ([`Population`]) and the slices they need,
//! - [`Zeros`] and [`Route`]: how far each non-zero unit moves when a word is packed,
//! - [`Pack`] and [`Unpack`]: move the units there and back.

mod memory;
mod old;
mod pack;
mod population;
mod route;
mod select;
mod shape;
mod unpack;
mod zeros;

pub use memory::Sliced;
pub use pack::Pack;
pub use population::Population;
pub use route::{Route, moves};
pub use select::Select;
pub use shape::Network;
pub use unpack::Unpack;
pub use zeros::Zeros;
