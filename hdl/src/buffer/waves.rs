//! What travels from partition to partition, and what arrives at one.

use heddle_kernel::prelude::*;

/// An operand slot: what one clock asks of a row.
#[bundle]
pub struct OperandSlot {
    /// Operand slot with a tensor address.
    #[reset]
    pub valid: Bit,
    /// Byte address of the operand, or what else the slot carries.
    pub addr: Bits<16>,
    /// Rows still to be served, this one included; the row is active if not 0.
    pub rows: Bits<9>,
    /// Largest byte that is not negative.
    pub thr: Bits<8>,
    /// The slot must not use a kept word.
    pub fresh: Bit,
    /// Swaps the weights behind this slot; also in a slot without operand.
    #[reset]
    pub swap: Bit,
    /// Carried along for the results end.
    #[reset]
    pub tag: Bits<8>,
    /// Each row adds an offset of its own to the address.
    pub table: Bit,
    /// Entry of the offsets.
    pub entry: Bits<8>,
}

/// A weight slot: a word is shifted in or copied.
#[bundle]
pub struct WeightSlot {
    /// Weight slot: a word is shifted in or copied.
    #[reset]
    pub valid: Bit,
    /// Byte address of the weight word.
    pub addr: Bits<16>,
    /// Rows still to be served, this one included.
    pub rows: Bits<9>,
    /// The word is copied, in each row that is served.
    pub copy: Bit,
    /// Word address of the copy of the slot six cycles before.
    pub dest: Bits<13>,
}

/// An access of the host to the word of a partition.
#[bundle]
pub struct HostAccess {
    /// Host access.
    #[reset]
    pub valid: Bit,
    /// Write, else read.
    pub write: Bit,
    /// The write is for the offset table: its entry is the low part of the word address.
    pub table: Bit,
    /// Partitions between this one and the one that is meant.
    pub partition: Bits<8>,
    /// Word address.
    pub word: Bits<13>,
    /// Word to write.
    pub data: [Bits<8>; 8],
}

/// A word from the drain of a column.
#[bundle]
pub struct DrainWord {
    /// A word arrives from the drain.
    pub valid: Bit,
    /// Word address.
    pub word: Bits<13>,
    /// The word.
    pub data: [Bits<8>; 8],
}
