//! Legality checks: what is not hardware is refused, with the name from the kernel.
//!
//! [`drivers()`] finds latches, undriven signals and second drivers, [`loops()`] combinational
//! loops, also through children and array elements, [`reset()`] asynchronous resets made by logic.

mod drivers;
mod loops;
mod reset;

pub use drivers::drivers;
pub use loops::{Paths, loops};
pub use reset::{edge, reset};
