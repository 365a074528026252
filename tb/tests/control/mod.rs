//! The control half on the emitted machine: programs that no compiler has written, errors, and the
//! host port, against the golden machine.

mod copies;
mod faults;
mod garbage;
mod mutants;
mod programs;
