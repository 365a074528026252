//! What the parts of a tile unit tell one another.

use heddle_kernel::prelude::*;

/// A product, and the sum to which it belongs.
#[bundle]
pub struct TileProduct {
    /// There is one.
    #[reset]
    pub valid: Bit,
    /// Row of the sum, from the first row of the tile on.
    pub row: Bits<4>,
    /// Its column.
    pub col: Bits<4>,
    /// The product, or two of them added, two's complement.
    pub value: Bits<18>,
}

/// How products are formed. Stable from the first value of a tile until it is stored.
#[bundle]
pub struct TileSettings {
    /// Kernel rows less 1.
    pub kernel_rows: Bits<3>,
    /// Kernel columns less 1.
    pub kernel_cols: Bits<3>,
    /// Weights that a round may have, at least 1, no more than the unit is built for.
    pub limit: Bits<5>,
    /// Of new products of one sum the earlier weight waits, not the later one.
    pub earlier_waits: Bit,
}

/// What sums become when they leave. Stable while they are sent.
#[bundle]
pub struct TileResults {
    /// Those below 0 become 0.
    pub relu: Bit,
    /// Those of a rectangle become one result: 0 no, 1 the largest, 2 all added.
    pub pool: Bits<2>,
    /// A result is divided by 2 so many times, rounded down.
    pub shift: Bits<3>,
    /// Results that are 0 do not leave.
    pub nonzero: Bit,
}
