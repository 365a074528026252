//! A machine with a DMA: a job list in memory, a doorbell, and all that can go wrong with it.

pub mod bench;
mod events;
mod faults;
mod resets;
mod wiring;
