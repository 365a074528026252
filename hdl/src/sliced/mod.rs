//! Sparse-aware sliced memory: zero bytes are neither written nor read.
//!
//! A word of 8 bytes is stored as a mask of its non-zero bytes, in the mask slice, and as these
//! bytes packed towards the most significant end, in data slice a and, if they do not fit, in
//! data slice b. The blocks:
//!
//! - [`Count`]: number of non-zero bytes of a mask and the slices they need,
//! - [`Route`]: how far each non-zero byte moves when a word is packed,
//! - [`Pack`] and [`Unpack`]: move the bytes there and back,
//! - [`Sliced`]: the three slices and their pipeline.
//!
//! Byte k of a word is bits 8k+7..8k, mask bit k belongs to byte k. Packing moves bytes up,
//! towards byte 7.

mod count;
mod memory;
mod pack;
mod route;
mod unpack;

pub use count::Count;
pub use memory::Sliced;
pub use pack::Pack;
pub use route::Route;
pub use unpack::Unpack;
