//! What travels from partition to partition of the state buffer.

use crate::sliced::layout::SLICES_MAX;

/// One position of the operand wave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OperandSlot {
    /// Tensor slot: read an operand.
    pub valid: bool,
    /// Byte address, or the address of a prologue or epilogue slot.
    pub address: u16,
    /// Rows still to be served, this one included; 0 stays 0.
    pub rows: u16,
    /// Decode threshold 127 - z.
    pub threshold: u8,
    /// The kept word must not be reused.
    pub fresh: bool,
    /// Swap weights behind this slot; also in slots without operand.
    pub swap: bool,
    /// Carried along for the results end.
    pub tag: u8,
    /// Every partition adds its own offset to the address.
    pub table: bool,
    /// Entry of the offset tables.
    pub entry: u8,
}

impl OperandSlot {
    /// The partition reads an operand for this slot.
    pub fn is_active(&self) -> bool {
        self.valid && self.rows != 0
    }

    /// The slot as the next partition sees it.
    pub fn for_next(self) -> Self {
        Self {
            rows: self.rows.saturating_sub(1),
            ..self
        }
    }
}

/// One position of the weight wave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WeightSlot {
    /// A weight word is shifted in or copied.
    pub valid: bool,
    /// The word is copied.
    pub copy: bool,
    /// Byte address of the word.
    pub address: u16,
    /// Rows still to be served, this one included; 0 stays 0.
    pub rows: u16,
}

impl WeightSlot {
    /// The partition reads a word for this slot.
    pub fn is_active(&self) -> bool {
        self.valid && self.rows != 0
    }

    /// The slot as the next partition sees it.
    pub fn for_next(self) -> Self {
        Self {
            rows: self.rows.saturating_sub(1),
            ..self
        }
    }
}

/// A word that a drain lane stores into its partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrainWord {
    /// Word address.
    pub word: u16,
    /// Data, byte k in bits 8k+7..8k.
    pub data: u64,
}

/// A host access on its way to its partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HostRequest {
    /// The request is valid.
    pub valid: bool,
    /// Write, else read.
    pub write: bool,
    /// The write is for the offset table: bits 7..0 of the word address are the entry, bit 16 of
    /// the data says whether it is valid, bits 15..0 are the offset.
    pub table: bool,
    /// Partitions still to pass, modulo 256; taken where it is 0.
    pub partition: u8,
    /// Word address.
    pub word: u16,
    /// Data of a write.
    pub data: u64,
}

impl HostRequest {
    /// The request as the next partition sees it.
    pub fn for_next(self) -> Self {
        Self {
            partition: self.partition.wrapping_sub(1),
            ..self
        }
    }
}

/// Numbers of slice accesses and zero operands in one clock cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Events {
    /// Mask slice reads.
    pub mask_reads: u16,
    /// Mask slice writes.
    pub mask_writes: u16,
    /// Reads of each data slice.
    pub slice_reads: [u16; SLICES_MAX],
    /// Writes of each data slice.
    pub slice_writes: [u16; SLICES_MAX],
    /// Operands that are zero.
    pub zero_operands: u16,
}

impl Events {
    /// Sum, modulo 2^16.
    pub fn plus(self, other: Self) -> Self {
        let sum = u16::wrapping_add;
        Self {
            mask_reads: sum(self.mask_reads, other.mask_reads),
            mask_writes: sum(self.mask_writes, other.mask_writes),
            slice_reads: std::array::from_fn(|k| sum(self.slice_reads[k], other.slice_reads[k])),
            slice_writes: std::array::from_fn(|k| sum(self.slice_writes[k], other.slice_writes[k])),
            zero_operands: sum(self.zero_operands, other.zero_operands),
        }
    }
}

/// Inputs of a partition in one clock cycle.
#[derive(Debug, Clone, Copy, Default)]
pub struct PartitionInputs {
    /// Operand wave.
    pub operand: OperandSlot,
    /// The slot of the cycle before has no address in a partition before.
    pub fault: bool,
    /// Weight wave.
    pub weight: WeightSlot,
    /// Word address of the copy of the weight slot six cycles ago.
    pub destination: u16,
    /// Word from the drain of the same-numbered column.
    pub drain: Option<DrainWord>,
    /// Host access.
    pub host: HostRequest,
    /// Host read answer of the partitions before.
    pub answer: Option<u64>,
    /// Events of the partitions before.
    pub events: Events,
}
