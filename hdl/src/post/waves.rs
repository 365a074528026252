//! What travels from column to column.

use heddle_kernel::prelude::*;

/// A slot of the post wave: the start of a drain, a slot with results, or both.
#[bundle(pooling: usize)]
pub struct PostSlot {
    /// Post wave: start of a drain, multiplier and shift of its column tile are loaded.
    #[reset]
    pub load: Bit,
    /// Post wave: column tile of the start.
    pub tile: Bits<10>,
    /// Post wave: columns before the first active one, counted from the one that the start reaches.
    pub skip: Bits<8>,
    /// Post wave: active columns, from there on.
    pub cols: Bits<9>,
    /// Post wave: slot with a result.
    #[reset]
    pub valid: Bit,
    /// Post wave: first slot of a window.
    pub first: [Bit; pooling],
    /// Post wave: last slot of a window, which brings the address of the result.
    pub last: [Bit; pooling],
}

/// What a drain does with all its results. Stable from the load that begins the drain until its last result.
#[bundle(pooling: usize, medians: usize, activates: usize, duals: usize)]
pub struct DrainSettings {
    /// Single rounding, else double. Stable while a drain is active.
    pub single: Bit,
    /// Lower bound of the results, two's complement. Stable while a drain is active.
    pub lo: Bits<9>,
    /// Upper bound of the results, two's complement. Stable while a drain is active.
    pub hi: Bits<9>,
    /// What becomes of a window: 0 maximum, 1 minimum, 2 sum, 3 product, 4 twice the median. Stable while a drain is
    /// active.
    pub reduction: [Bits<3>; pooling],
    /// Sums in a window, less one. Stable while a drain is active.
    pub window: [Bits<8>; medians],
    /// Activation table from 1 on, 0 for none. Stable while a drain is active.
    pub table: [Bits<4>; activates],
    /// A sum has two parts and a factor for each. Stable while a drain is active.
    pub dual: [Bit; duals],
}

/// A write of multiplier and shift.
#[bundle]
pub struct ScaleWrite {
    /// Multiplier and shift are written.
    #[reset]
    pub valid: Bit,
    /// Columns between the one that it reaches and the one that takes them.
    pub column: Bits<8>,
    /// Column tile they belong to.
    pub tile: Bits<10>,
    /// Bits 30..0 multiplier, bits 37..32 shift.
    pub data: [Bits<8>; 8],
}

/// A write to an activation table.
#[bundle]
pub struct TableWrite {
    /// An entry of an activation table is written in all columns: byte 0 of `pw_data_i`.
    #[reset]
    pub valid: Bit,
    /// The entry: table from 0 on, and byte.
    pub entry: Bits<11>,
}
