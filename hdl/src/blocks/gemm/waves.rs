//! What travels through the core: operands, passes, names of results.

use heddle_kernel::prelude::*;

/// A write of an operand.
#[bundle]
pub struct OperandWrite<const A: usize> {
    /// Writes an operand.
    #[reset]
    pub wen: Bit,
    /// Byte address to write.
    pub waddr: Bits<A>,
    /// Operand to write.
    pub wdata: Bits<8>,
}

/// What a row has read.
#[bundle]
pub struct Operand {
    /// The last operand that was not zero.
    pub x: Bits<8>,
    /// An operand was read for the step and is not zero.
    pub nz: Bit,
    /// An operand was read for the step.
    pub read: Bit,
}

/// What the sums of a pass are for.
#[bundle(store_each: usize)]
pub struct Pass {
    /// GEMM row of the first sum that leaves.
    pub start: Bits<16>,
    /// First output channel.
    pub cols: Bits<16>,
    /// Enabled rows.
    pub rows: Bits<9>,
    /// Enabled columns.
    pub width: Bits<9>,
    /// Weights stay: rows follow upwards, and sums of K tiles are added.
    pub stay: Bit,
    /// The sums are added to those of steps or K tiles before.
    pub add: Bit,
    /// The sums are stored: they wait for more steps or K tiles.
    pub store: Bit,
    /// They are results all the same; only with `store_each`.
    pub each: [Bit; store_each],
}

/// The name of a result.
#[bundle]
pub struct ResultTag {
    /// The slot is a result.
    #[reset]
    pub valid: Bit,
    /// Its GEMM row.
    pub row: Bits<16>,
    /// Its output channel; in front of a column, that of the column before.
    pub col: Bits<16>,
    /// Columns that still give a result; in front of a column, this one included.
    pub width: Bits<9>,
    /// Last slot of the run.
    #[reset]
    pub end: Bit,
}
