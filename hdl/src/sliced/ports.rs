//! Ports that go together.

use super::SlicedShape;
use heddle_kernel::prelude::*;

/// Bits of a word address.
pub const WA: usize = 13;

/// A write and a read. The word to write is a port beside it.
#[bundle]
pub struct MemoryRequest {
    /// Writes a word.
    pub wen: Bit,
    /// Address of the word to write.
    pub waddr: Bits<WA>,
    /// Reads a word.
    pub ren: Bit,
    /// Address of the word to read.
    pub raddr: Bits<WA>,
}

/// The word of an earlier read, in units of `UB` bits.
#[bundle(shape: &SlicedShape)]
pub struct MemoryAnswer<const UB: usize> {
    /// The word of an earlier read is on `rdata_o`.
    pub rvalid: Bit,
    /// Word, unit 0 in the low bits; only defined with `rvalid_o`.
    pub rdata: [Bits<UB>; shape.word_bits() / UB],
    /// Its mask: bit k is 1 if unit k is not zero.
    pub rmask: [Bits<1>; shape.units],
}

/// Accesses of a mask slice.
#[bundle]
pub struct MaskAccess {
    /// The mask slice is read in this cycle.
    pub ren: Bit,
    /// The mask slice is written in this cycle.
    pub wen: Bit,
}

/// Accesses of data slices.
#[bundle(slices: usize, units: usize)]
pub struct SliceAccess {
    /// One per data slice: it is read in this cycle.
    pub slice_ren: [Bit; slices],
    /// One per data slice: it is written in this cycle.
    pub slice_wen: [Bit; slices],
    /// Units of the data slices written in this cycle, by position.
    pub lane_wen: [Bits<1>; units],
}

/// A read on its way from the slice that is accessed first to those behind it.
#[bundle(bypass: usize)]
pub struct SliceRead {
    /// A word is read.
    pub read: Bit,
    /// Its address.
    pub raddr: Bits<WA>,
    /// The word was written in the cycle of the read.
    pub meet: [Bit; bypass],
}

/// A word on its way to the mask slice and the data slices.
#[bundle(shape: &SlicedShape)]
pub struct PackedWrite<const UB: usize> {
    /// The mask is written.
    pub mask_wen: Bit,
    /// Its address.
    pub mask_waddr: Bits<WA>,
    /// The mask to store, by position.
    pub mask: [Bits<1>; shape.units],
    /// One per data slice: it is written.
    pub slice_wen: [Bit; shape.slices()],
    /// Its address.
    pub slice_waddr: Bits<WA>,
    /// Packed units, by position.
    pub packed: [Bits<UB>; shape.units],
}

/// A word on its way out, before its units have their places.
#[bundle(units: usize)]
pub struct RestoredWord<const UB: usize> {
    /// The word follows in the next cycle.
    pub valid: Bit,
    /// Units of the word by position.
    pub word: [Bits<UB>; units],
    /// Its mask by position.
    pub mask: [Bits<1>; units],
}
