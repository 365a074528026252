//! What the parts of a unit tell one another.

use heddle_kernel::prelude::*;

/// Words of weights that fill the memory of a unit.
#[bundle(lanes: usize)]
pub struct WeightFill {
    /// Words will come from the next cycle on.
    #[reset]
    pub begin: Bit,
    /// Where they begin.
    pub word: Bits<16>,
    /// Number of the list that they begin.
    pub first_list: Bits<9>,
    /// A word.
    #[reset]
    pub valid: Bit,
    /// Its weights, two's complement.
    pub weight: [Bits<8>; lanes],
    /// Its index: kernel row in bits 3..0, column 7..4, group 11..8, last word of a list 15.
    pub index: Bits<16>,
}

/// A value that is not zero, and where it lies.
#[bundle]
pub struct Entry {
    /// Value, two's complement.
    pub value: Bits<9>,
    /// Row of the value.
    pub row: Bits<8>,
    /// Its column.
    pub col: Bits<8>,
}

/// How results lie in the memory of sums.
#[bundle]
pub struct SumLayout {
    /// Words of a row, as a power of two.
    pub pitch: Bits<4>,
    /// Words of a group, as a power of two.
    pub area: Bits<4>,
    /// Word of the first result of the first group.
    pub offset: Bits<16>,
}

/// A word of sums that is read, and cleared.
#[bundle]
pub struct SumDrain {
    /// Drains a word.
    pub valid: Bit,
    /// Its address.
    pub addr: Bits<16>,
    /// Its sums stay as they are.
    pub keep: Bit,
}

/// A position whose sums are drained.
#[bundle]
pub struct DrainPosition {
    /// There is one.
    #[reset]
    pub valid: Bit,
    /// Its row, of results.
    pub row: Bits<9>,
    /// Its column.
    pub col: Bits<9>,
    /// Its group of output channels.
    pub group: Bits<8>,
    /// Its sums stay as they are.
    pub keep: Bit,
}

/// Entries of one position that are written to map memories.
#[bundle(entries: usize)]
pub struct LoadWave {
    /// There is something.
    #[reset]
    pub valid: Bit,
    /// Number of entries, from the first one on.
    pub count: Bits<4>,
    /// Row of all of them.
    pub row: Bits<8>,
    /// Their column.
    pub col: Bits<8>,
    /// Set in which they are written.
    pub set: Bits<2>,
    /// The set is empty before.
    pub first: Bit,
    /// Values, two's complement.
    pub value: [Bits<9>; entries],
    /// Numbers of their lists of weights.
    pub list: [Bits<9>; entries],
}

/// A part of a map, of values or of results.
#[bundle]
pub struct Rectangle {
    /// First row.
    pub row0: Bits<9>,
    /// The row behind the last one.
    pub row1: Bits<9>,
    /// First column.
    pub col0: Bits<9>,
    /// The column behind the last one.
    pub col1: Bits<9>,
}
