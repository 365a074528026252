//! How modules of a shape are named.

use super::{MaskPlace, SlicedShape};
use heddle_kernel::prelude::*;

/// Meaning of options.
pub(super) const LANES: &str = "1: lanes are written one by one";
pub(super) const RIGHT: &str = "1: the first position is the least significant unit";

/// Meaning of the number of a network.
pub(super) const NETWORKS: &str = "0: full, 1: half, 2: split";

impl SlicedShape {
    /// Adds the parameters of this shape.
    pub fn describe(&self, meta: Meta) -> Meta {
        let cycles = "cycles from the read to the word";
        let mut meta = meta.param("words", "d", self.words, "words");
        if self.plain {
            meta = meta.param("units", "w", self.units, "units in a word");
        } else {
            for (k, width) in self.widths.iter().enumerate() {
                meta = meta.param(&format!("width{k}"), "w", *width, "units of a slice");
            }
            meta = meta.hidden("units", self.units, "units in a word");
        }
        meta = meta.choice("unit_bits", "u", self.unit_bits, 8, "bits of a unit");
        if !self.plain {
            let zero = "a word with so many non-zero units is stored as zero";
            let unread = "a word with so many non-zero units is not read";
            let (first, more) = (self.first_units(), "more non-zero units need slice 1");
            let exact = "1: only non-zero lanes are written";
            let turn = "1: slice k is accessed k cycles after slice 0";
            meta = meta
                .option("network", "n", self.network as usize, NETWORKS)
                .option("exact", "e", self.exact.into(), exact)
                .option("write_threshold", "tw", self.write_threshold, zero)
                .option("read_threshold", "tr", self.read_threshold, unread)
                .choice("access_threshold", "ta", self.access_threshold, first, more)
                .option("in_turn", "o", self.in_turn.into(), turn);
        }
        meta.option("right", "r", self.right.into(), RIGHT)
            .choice("latency", "l", self.latency, 2, cycles)
            .hidden("slices", self.slices(), "data slices")
    }

    /// Says what a read gets that meets the write of its word.
    pub fn describe_meetings(&self, meta: Meta) -> Meta {
        let new = "A read in the cycle of a write to the same word returns the new word: bypass registers see to it, so that \
                   what a slice reads from a word that is being written is never used.";
        let open = "A read in the cycle of a write to the same word is undefined.";
        meta.doc(if self.bypass { new } else { open })
    }

    /// As [`SlicedShape::describe`], and which kind of memory it is.
    pub fn describe_kind(&self, meta: Meta) -> Meta {
        let kind = |place| usize::from(!self.plain && self.mask == place);
        let (field, hybrid) = (kind(MaskPlace::Field), kind(MaskPlace::Hybrid));
        let raw = "1: slice 0 holds masks or raw units";
        self.describe_meetings(self.describe(meta))
            .option("in_field", "mf", field, "1: the mask is a field of slice 0")
            .option("in_hybrid", "mh", hybrid, raw)
            .option("is_plain", "mp", self.plain.into(), "1: plain memory")
    }
}
