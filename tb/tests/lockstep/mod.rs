//! Random programs in lockstep on emitted machines and the golden machine: every word that a drain
//! writes in the clock in which it reaches its partition, then how the run ends, all counters and the
//! whole state buffer. Legal programs, and programs that are garbage.

mod events;
mod faults;
mod garbage;
mod guest;
mod matrices;
mod meetings;
mod mutants;
mod nonsense;
mod programs;
mod replay;
mod shapes;
mod together;
mod traffic;
mod watch;
