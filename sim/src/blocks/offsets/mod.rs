//! The offset unit: operand addresses from a table of bases and a table of offsets.
//!
//! [`state`] has the registers and tables and what a write does to them, [`expand`] the lists that
//! the expander writes, [`index`] how a list is walked through, [`run`] the slots of a run in their order, [`rows`] the clock in which each
//! row shows each of them, [`examples`] the worked examples. Written from docs/offsets.md and the specification.

pub mod examples;
pub mod expand;
pub mod index;
pub mod options;
pub mod rows;
pub mod run;
pub mod state;

pub use expand::Expanded;
pub use index::{ListIndex, Stepping};
pub use options::UnitOptions;
pub use rows::{RowOutputs, RowsModel, RowsOutputs};
pub use run::{Refusal, Run, Slot};
pub use state::{OffsetState, RegisterKind, Registers, TableEntry, Write};
