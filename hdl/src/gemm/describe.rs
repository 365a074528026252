//! Name and parameters of a core.

use super::GemmShape;
use crate::prelude::*;

impl GemmShape {
    /// Name, sizes and options.
    pub(super) fn meta(&self) -> Meta {
        let unit = &self.unit;
        let taps_doc = "mask bits of an entry for each axis";
        let spread_doc = "1: all rows have a step at once";
        let merge = self.merge && self.banks > 0;
        Meta::module("gemm")
            .param("rows", "r", unit.rows, "rows")
            .param("cols", "c", unit.cols, "columns")
            .param("A", "a", unit.address_bits, "bits of an operand address")
            .param("bases", "b", unit.bases, "entries of the table of bases")
            .param(
                "offsets",
                "o",
                unit.offsets,
                "entries of the table of offsets",
            )
            .param(
                "operand_bytes",
                "d",
                self.operand_bytes,
                "bytes of an operand memory",
            )
            .param("weight_words", "w", self.weight_words, "weight words")
            .param("results", "s", self.results, "sums of each column")
            .option("taps", "t", unit.taps, taps_doc)
            .option("broadcast", "x", unit.broadcast.into(), spread_doc)
            .option(
                "running",
                "i",
                unit.running.into(),
                "1: offsets may be steps",
            )
            .option(
                "before",
                "f",
                unit.before.into(),
                "1: an index is stepped before a read",
            )
            .option(
                "prefetch",
                "p",
                unit.prefetch.into(),
                "1: all bases of a run are read before its first step",
            )
            .option(
                "expand",
                "e",
                unit.expand.into(),
                "1: tables may be expanded",
            )
            .option("banks", "n", self.banks, "banks of the operand memory")
            .option(
                "merge",
                "g",
                merge.into(),
                "1: rows that want one operand are served together",
            )
            .option(
                "store_each",
                "k",
                self.store_each.into(),
                "1: a run may give its results behind each step",
            )
            .hidden("banked", (self.banks > 0).into(), "1: rows share a memory")
    }
}
