//! A machine with a DMA: a job list in memory, a doorbell, and all that can go wrong with it.

pub mod bench;
mod events;
mod faults;
mod moves;
mod pairs;
mod resets;
mod wiring;
