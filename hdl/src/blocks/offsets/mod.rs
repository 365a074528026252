//! The offset unit of `docs/offsets.md`: addresses `base[m] + offset[k]` from two tables.
//!
//! A slot goes through the modules in this order: [`OffsetSequencer`] (which entry), [`EntryTable`],
//! [`OffsetEntry`] (shift), [`OffsetIssue`] (origin, running sum), [`OffsetRows`] (one adder in
//! each [`OffsetRow`], which may keep entries in an [`OffsetKept`]). [`OffsetPass`] counts what goes beside it.

mod entry;
mod expander;
mod issue;
mod kept;
mod pass;
mod registers;
mod row;
mod rows;
mod sequencer;
pub(crate) mod shape;
mod table;
mod unit;
mod wave;

pub use entry::OffsetEntry;
pub use expander::OffsetExpander;
pub use issue::OffsetIssue;
pub use kept::OffsetKept;
pub use pass::OffsetPass;
pub use registers::OffsetRegisters;
pub use row::OffsetRow;
pub use rows::OffsetRows;
pub use sequencer::OffsetSequencer;
pub use shape::OffsetShape;
pub use table::EntryTable;
pub use unit::OffsetUnit;
pub use wave::OffsetWave;
