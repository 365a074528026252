//! How modules of a shape are named.

use super::{MaskPlace, SlicedShape};
use crate::prelude::*;

impl SlicedShape {
    /// Name and parameters of a memory of this shape.
    pub fn meta(&self, name: &str) -> Meta {
        self.describe(Meta::module(name))
    }

    /// Adds the parameters of this shape.
    pub fn describe(&self, meta: Meta) -> Meta {
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
            meta = meta
                .option(
                    "network",
                    "n",
                    self.network.number(),
                    "0: full, 1: half, 2: split",
                )
                .option(
                    "exact",
                    "e",
                    self.exact.into(),
                    "1: only lanes with a non-zero unit are written",
                )
                .option(
                    "write_threshold",
                    "tw",
                    self.write_threshold,
                    "a word with so many non-zero units is stored as zero",
                )
                .option(
                    "read_threshold",
                    "tr",
                    self.read_threshold,
                    "a word with so many non-zero units is not read",
                )
                .choice(
                    "access_threshold",
                    "ta",
                    self.access_threshold,
                    self.first_units(),
                    "more non-zero units need slice 1",
                )
                .option(
                    "in_turn",
                    "o",
                    self.in_turn.into(),
                    "1: slice k is accessed k cycles after slice 0",
                );
        }
        meta.option(
            "right",
            "r",
            self.right.into(),
            "1: the first unit is the least significant one",
        )
        .choice(
            "latency",
            "l",
            self.latency,
            2,
            "cycles from the read to the word",
        )
        .hidden("slices", self.slices(), "data slices")
    }

    /// As [`SlicedShape::describe`], and which kind of memory it is.
    pub fn describe_kind(&self, meta: Meta) -> Meta {
        let kind = |place| usize::from(!self.plain && self.mask == place);
        self.describe(meta)
            .option(
                "in_field",
                "mf",
                kind(MaskPlace::Field),
                "1: the mask is a field of slice 0",
            )
            .option(
                "in_hybrid",
                "mh",
                kind(MaskPlace::Hybrid),
                "1: slice 0 holds masks or raw units",
            )
            .option("is_plain", "mp", self.plain.into(), "1: plain memory")
    }
}
