//! Sparse-aware sliced memory: zero units are neither written nor read (docs/sliced.md).
//!
//! A word is stored as a mask of its non-zero units and as these units, packed towards one end,
//! in data slices; slices that get none are not accessed. Start with [`SlicedShape`], the sizes and
//! options, and [`Sliced`], the memory with a mask slice. [`SlicedField`] and [`SlicedHybrid`] keep
//! the mask in slice 0, [`PlainMemory`] is for comparison.
//!
//! Inside, units are counted by position: packing is towards position 0. Only [`Request`] and
//! [`Reply`] know which unit is position 0, and rows of memories put position 0 on that side.
//!
//! - [`Select`]: number of non-zero units of a word ([`Population`]) and the slices they need,
//! - [`Zeros`] and [`Route`]: how far each non-zero unit moves when a word is packed,
//! - [`Pack`] and [`Unpack`]: move the units there and back,
//! - [`Packed`]: requests of the memories that pack before they access anything,
//! - [`Hold`]: keeps the inputs of packing still,
//! - [`Row`]: the slice that every request accesses first,
//! - [`DataSlice`] and [`DataSlices`]: the slices that a mask names,
//! - [`Restore`]: from mask and packed units to the word.
//!
//! [`SlicedChoice`] and [`SlicedBank`] build what a shape asks for, [`SlicedCounters`] counts accesses.

mod bank;
mod choice;
mod counters;
mod data_slice;
mod data_slices;
mod describe;
mod field;
mod hold;
mod hybrid;
mod memory;
mod pack;
mod packed;
mod plain;
mod population;
mod reply;
mod request;
mod restore;
mod route;
mod row;
mod select;
mod shape;
mod unpack;
mod wait;
mod zeros;

pub use bank::SlicedBank;
pub use choice::SlicedChoice;
pub use counters::SlicedCounters;
pub use data_slice::{DataSlice, DataSliceShape};
pub use data_slices::DataSlices;
pub use field::SlicedField;
pub use hold::Hold;
pub use hybrid::SlicedHybrid;
pub use memory::Sliced;
pub use pack::Pack;
pub use packed::Packed;
pub use plain::PlainMemory;
pub use population::Population;
pub use reply::Reply;
pub use request::Request;
pub use restore::Restore;
pub use route::{Route, moves};
pub use row::Row;
pub use select::Select;
pub use shape::{MaskPlace, Network, SlicedShape};
pub use unpack::Unpack;
pub use wait::Wait;
pub use zeros::Zeros;
