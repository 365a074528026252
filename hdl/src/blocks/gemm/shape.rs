//! What a GEMM core is built from.

use crate::blocks::offsets::OffsetShape;

// Meaning of the options, in the headers of the modules.
pub(super) const MERGE: &str = "1: rows that want one operand are served together";
pub(super) const STORE_EACH: &str = "1: sums may leave after each step";

/// Sizes and options of a GEMM core: the section `offsets` of a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GemmShape {
    /// The offset unit.
    pub unit: OffsetShape,
    /// Banks of the operand memory that all rows share: 2, 4, 8 or 16. 0: each row has a memory of
    /// its own.
    pub banks: usize,
    /// Rows that want one operand are served together by a bank.
    pub merge: bool,
    /// Bytes of an operand memory, a power of two from 64 to 65536.
    pub operand_bytes: usize,
    /// Weight words of one byte per column, a power of two from 16 to 65536.
    pub weight_words: usize,
    /// Sums that each column keeps between K tiles, a power of two from 16 to 4096.
    pub results: usize,
    /// A run may give its results after each step, or K tile; `results` is then at least the rows.
    pub store_each: bool,
}

impl GemmShape {
    /// A usual unit, a memory for each row.
    pub fn new(rows: usize, cols: usize) -> Self {
        Self {
            unit: OffsetShape::new(rows, cols),
            banks: 0,
            merge: true,
            operand_bytes: 4096,
            weight_words: 1024,
            results: 256,
            store_each: false,
        }
    }

    /// The core that a configuration describes.
    pub fn of(params: &heddle_arch::Params) -> Self {
        let size = |value: u32| value as usize;
        let section = params.offset_unit();
        Self {
            unit: OffsetShape::of(params),
            banks: size(section.banks),
            merge: section.merge,
            operand_bytes: size(section.operand_bytes),
            weight_words: size(section.weight_words),
            results: size(section.results),
            store_each: section.store_each,
        }
    }

    /// This shape.
    ///
    /// # Panics
    /// If it is not allowed, or has other addresses.
    pub(super) fn checked(&self, address_bits: usize) -> Self {
        self.check(address_bits);
        *self
    }

    /// Refuses what cannot be built with addresses of `address_bits` bits.
    ///
    /// # Panics
    /// If a size is not allowed.
    pub fn check(&self, address_bits: usize) {
        self.unit.check(address_bits);
        let allow = |name: &str, found: usize, allowed: bool, which: &str| {
            assert!(allowed, "{name} is {found}, allowed {which}");
        };
        let power =
            |n: usize, low: usize, high: usize| n.is_power_of_two() && (low..=high).contains(&n);
        let banks = self.banks == 0 || (self.unit.broadcast && power(self.banks, 2, 16));
        let which = "0, or 2, 4, 8 or 16 for rows that read at once";
        allow("banks", self.banks, banks, which);
        let bytes = self.operand_bytes;
        let which = "a power of two from 64 to 65536";
        allow("operand_bytes", bytes, power(bytes, 64, 65536), which);
        let words = self.weight_words;
        let which = "a power of two from 16 to 65536";
        allow("weight_words", words, power(words, 16, 65536), which);
        let which = "a power of two from 16 to 4096";
        allow(
            "results",
            self.results,
            power(self.results, 16, 4096),
            which,
        );
        let room = !self.store_each || self.unit.rows <= self.results;
        let which = "at least the rows, which store each iteration";
        allow("results", self.results, room, which);
    }
}
