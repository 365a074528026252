//! What a LOAD and a STORE mean: the accesses of the machine, the words of memory and the bursts, in their order.

mod bursts;
mod places;
mod windows;

pub use bursts::{Burst, bursts};
pub use places::{Access, Memories, accesses};
pub use windows::Windows;
