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

/// A request of the host to the machine.
#[bundle]
pub struct HostRequest {
    /// Host request.
    pub valid: Bit,
    /// Write, else read.
    pub write: Bit,
    /// Byte address, a multiple of 8.
    pub addr: Bits<32>,
    /// Bytes to write.
    pub wdata: [Bits<8>; 8],
}

/// An answer to a read of the host.
#[bundle]
pub struct HostAnswer {
    /// Answer to a read.
    #[reset]
    pub rvalid: Bit,
    /// Bytes read; 0 without an answer.
    pub rdata: [Bits<8>; 8],
}

/// A word from the drain of a column.
#[bundle]
pub struct DrainWord {
    /// There is a word from the drain.
    #[reset]
    pub valid: Bit,
    /// Word address.
    pub word: Bits<13>,
    /// The word.
    pub data: [Bits<8>; 8],
}

/// What a row of the array is given.
#[bundle]
pub struct RowFeed {
    /// The last operand that was not zero, two's complement.
    pub x: Bits<9>,
    /// The slot holds an operand that is not zero.
    pub nz: Bit,
    /// The weights are swapped behind this operand.
    pub swap: Bit,
    /// Weight word.
    pub w: [Bits<8>; 8],
    /// The weight word is shifted in.
    pub shift: Bit,
}

/// Events of a clock, those of the partitions before included.
#[bundle(told: usize, slices: usize)]
pub struct Events {
    /// Events: reads of mask slices, those of the partitions before included.
    pub mask_read: [Bits<10>; told],
    /// Events: writes of mask slices.
    pub mask_write: [Bits<10>; told],
    /// Events: reads of each data slice.
    pub slice_read: [Bits<10>; told * slices],
    /// Events: writes of each data slice.
    pub slice_write: [Bits<10>; told * slices],
    /// Events: zero operands.
    pub zero: [Bits<10>; told],
}

/// A slot of the results wave.
#[bundle(raises: usize)]
pub struct ResultSlot {
    /// Results wave: the slot holds a result.
    #[reset]
    pub valid: Bit,
    /// Results wave: bank.
    pub bank: Bit,
    /// Results wave: address in the bank.
    pub addr: Bits<12>,
    /// Results wave: add the stored sum.
    pub add: Bit,
    /// Results wave: add the sum of the array.
    pub sum_en: Bit,
    /// Results wave: store the result.
    pub write: Bit,
    /// Results wave: the sum of the array counts 2^17 times, plus 2^16.
    pub raised: [Bit; raises],
}

/// A slot of a wave that reads or stores sums alone.
#[bundle]
pub struct SumSlot {
    /// The slot has a sum.
    #[reset]
    pub valid: Bit,
    /// Bank.
    pub bank: Bit,
    /// Address in the bank.
    pub addr: Bits<12>,
}
