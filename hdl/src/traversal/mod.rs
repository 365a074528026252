//! Traversal unit: every address stream of the machine, by additions only.
//!
//! Arrays of M rows by N columns hold initial value (V), step (X), end (Y, kept as the distance
//! V + X - Y) and current offset (Z) of every loop. One row is one variable (prologue, tensor or
//! epilogue), one column one loop, column 0 the innermost. The blocks follow that picture:
//!
//! - [`LoopRegisters`]: V, X and the distance of the loops of a row, in one or two sets,
//! - [`RegisterArray`]: those of all rows, in three arrangements,
//! - [`RowCounters`]: Z of the loops of a row, end test, carry from loop to loop,
//! - [`RowAdders`]: the adders of a row and nothing else,
//! - [`AddressSum`]: base plus offsets, pipelined,
//! - [`RowOrder`]: which row is active and which comes next,
//! - [`TraversalCore`]: counters, order and sum behind a handshake, configuration held outside,
//! - [`EndlessCheck`]: refuses loops without an end,
//! - [`RowValues`]: base and end test of the rows in use,
//! - [`GroupValues`]: what the registers of one loop hold, for values group by group,
//! - [`TraversalEngine`]: the core with its registers and their write port,
//! - [`TraversalDecoder`] with [`NextPhase`], [`RecordCheck`] and [`WordVerdict`]: instruction words to
//!   register writes,
//! - [`TraversalUnit`]: decoder and engine, the stand-alone block,
//! - [`OffsetTable`]: offsets stored beforehand, replayed with other bases.
//!
//! Every row has counters of its own: nothing has to be selected before it is added or tested, so
//! a step is one adder and one multiplexer deep. Only the sum is shared.

mod adders;
mod array;
mod core;
mod counters;
mod decoder;
mod endless;
mod engine;
mod group_values;
mod order;
mod phase;
mod record_check;
mod registers;
mod row_values;
mod shape;
mod sum;
mod table;
mod unit;
mod verdict;

pub use adders::RowAdders;
pub use array::{Arrangement, RegisterArray};
pub use core::TraversalCore;
pub use counters::RowCounters;
pub use decoder::TraversalDecoder;
pub use endless::EndlessCheck;
pub use engine::TraversalEngine;
pub use group_values::GroupValues;
pub use order::RowOrder;
pub use phase::{DecodePhase, NextPhase};
pub use record_check::RecordCheck;
pub use registers::LoopRegisters;
pub use row_values::RowValues;
pub use shape::TraversalShape;
pub use sum::AddressSum;
pub use table::OffsetTable;
pub use unit::TraversalUnit;
pub use verdict::WordVerdict;
