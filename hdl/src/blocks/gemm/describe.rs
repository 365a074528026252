//! Name and parameters of a core.

use super::GemmShape;
use super::shape::{MERGE, STORE_EACH};
use crate::blocks::offsets::shape::{BEFORE, BROADCAST, EXPAND, PREFETCH, RUNNING, TAPS};
use heddle_kernel::prelude::*;

impl GemmShape {
    /// Name, sizes and options.
    pub(super) fn describe(&self, meta: Meta) -> Meta {
        let unit = &self.unit;
        let merge = self.merge && self.banks > 0;
        meta.param("rows", "r", unit.rows, "rows")
            .param("cols", "c", unit.cols, "columns")
            .param("A", "a", unit.address_bits, "bits of an operand address")
            .param("bases", "b", unit.bases, "entries of the table of bases")
            .param("offsets", "o", unit.offsets, "entries of the offsets")
            .param("operand_bytes", "d", self.operand_bytes, "operands")
            .param("weight_words", "w", self.weight_words, "weight words")
            .param("results", "s", self.results, "sums of each column")
            .option("taps", "t", unit.taps, TAPS)
            .option("broadcast", "x", unit.broadcast.into(), BROADCAST)
            .option("running", "i", unit.running.into(), RUNNING)
            .option("before", "f", unit.before.into(), BEFORE)
            .option("prefetch", "p", unit.prefetch.into(), PREFETCH)
            .option("expand", "e", unit.expand.into(), EXPAND)
            .option("banks", "n", self.banks, "banks of the operand memory")
            .option("merge", "g", merge.into(), MERGE)
            .option("store_each", "k", self.store_each.into(), STORE_EACH)
    }
}
