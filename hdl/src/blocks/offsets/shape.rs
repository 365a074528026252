//! What an offset unit is built from.

use heddle_arch::params::{self, Index, Spread};

// Meaning of the options, in the headers of the modules.
pub(crate) const TAPS: &str = "row bits of an entry, and column bits";
pub(crate) const BROADCAST: &str = "1: a slot is in all rows at once";
pub(crate) const RUNNING: &str = "1: offsets may be steps";
pub(crate) const BEFORE: &str = "1: an index is stepped before a read";
pub(crate) const PREFETCH: &str = "1: all bases of a run are read before its first step";
pub(crate) const EXPAND: &str = "1: compressed tables may be expanded";

/// Sizes and options of an offset unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OffsetShape {
    /// Rows that make addresses, 1 to 256.
    pub rows: usize,
    /// Columns of the array behind the unit, 1 to 256: output channels of one pass.
    pub cols: usize,
    /// Bits of an address and of a table entry: 16, 24 or 32.
    pub address_bits: usize,
    /// Entries of the table of bases, a power of two from 16 to 65536.
    pub bases: usize,
    /// Entries of the table of offsets, a power of two from 16 to 65536.
    pub offsets: usize,
    /// Mask bits of an entry for each axis: 0, 4, 8 or 16.
    pub taps: usize,
    /// A slot reaches all rows at once, not row r r clocks after row 0.
    pub broadcast: bool,
    /// Offsets may be steps.
    pub running: bool,
    /// The index of a list is stepped before a read, not after it.
    pub before: bool,
    /// All bases of a run are read before its first step; each row keeps its own.
    pub prefetch: bool,
    /// Compressed tables may be expanded.
    pub expand: bool,
}

impl OffsetShape {
    /// Default sizes of the tables, 16 bits, no options.
    pub fn new(rows: usize, cols: usize) -> Self {
        Self {
            rows,
            cols,
            address_bits: 16,
            bases: 1024,
            offsets: 512,
            ..Self::default()
        }
    }

    /// The unit that a configuration describes.
    pub fn of(params: &heddle_arch::Params) -> Self {
        let size = |value: u32| value as usize;
        let params::Offsets {
            rows,
            cols,
            address_bits,
            bases,
            offsets,
            taps,
            spread,
            running,
            index,
            prefetch,
            expand,
            ..
        } = params.offset_unit();
        Self {
            rows: size(rows.unwrap_or(params.array.rows)),
            cols: size(cols.unwrap_or(params.array.cols)),
            address_bits: size(address_bits),
            bases: size(bases),
            offsets: size(offsets),
            taps: size(taps),
            broadcast: spread == Spread::Broadcast,
            running,
            before: index == Index::Before,
            prefetch,
            expand,
        }
    }

    /// Entries that a row keeps: a base for each of its row tiles with `prefetch`, otherwise none.
    pub fn kept(&self) -> usize {
        match self.prefetch {
            true => self.bases.div_ceil(self.rows),
            false => 0,
        }
    }

    /// This shape.
    ///
    /// # Panics
    /// If it is not allowed, or has another number of address bits.
    pub(super) fn checked(&self, address_bits: usize) -> Self {
        self.check(address_bits);
        *self
    }

    /// Refuses what cannot be built with addresses of `address_bits` bits.
    ///
    /// # Panics
    /// If a size is not allowed.
    pub fn check(&self, address_bits: usize) {
        let allow = |name: &str, found: usize, allowed: bool, which: &str| {
            assert!(allowed, "{name} is {found}, allowed {which}");
        };
        let one_to_256 = |n: usize| (1..=256).contains(&n);
        let entries = |n: usize| n.is_power_of_two() && (16..=65536).contains(&n);
        let powers = "a power of two from 16 to 65536";
        allow("rows", self.rows, one_to_256(self.rows), "1 to 256");
        allow("cols", self.cols, one_to_256(self.cols), "1 to 256");
        allow("bases", self.bases, entries(self.bases), powers);
        allow("offsets", self.offsets, entries(self.offsets), powers);
        let built = self.address_bits == address_bits;
        let built_for = format!("{address_bits}, for which the module is built");
        allow("address_bits", self.address_bits, built, &built_for);
        let taps = [0, 4, 8, 16].contains(&self.taps);
        allow("taps", self.taps, taps, "0, 4, 8 or 16");
    }
}
