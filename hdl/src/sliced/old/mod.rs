//! The networks of the fixed memory of 8 bytes.

mod count;
mod pack;
mod route;
mod unpack;

pub use count::Count;
pub use pack::Pack;
pub use unpack::Unpack;
