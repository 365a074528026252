//! What a sliced memory is built from.

use super::ports::WA;
use heddle_arch::params;
pub use heddle_arch::params::{MaskPlace, PackNetwork as Network};

/// As [`SlicedShape::place`].
pub(super) fn place(right: bool, count: usize, p: usize) -> usize {
    if right { p } else { count - 1 - p }
}

/// Sizes and options of a sliced memory.
#[derive(Debug, Clone, PartialEq)]
pub struct SlicedShape {
    /// Number of words.
    pub words: usize,
    /// Units in a word.
    pub units: usize,
    /// Bits of a unit.
    pub unit_bits: usize,
    /// Units of each data slice.
    pub widths: Vec<usize>,
    /// Where the mask is kept.
    pub mask: MaskPlace,
    /// How far units are moved.
    pub network: Network,
    /// Only lanes with a non-zero unit are written.
    pub exact: bool,
    /// Units are packed towards unit 0, not towards the last unit.
    pub right: bool,
    /// A word with at most so many non-zero units is stored as zero.
    pub write_threshold: usize,
    /// A word with at most so many non-zero units is not read from the data slices.
    pub read_threshold: usize,
    /// A word with more non-zero units needs slice 1.
    pub access_threshold: usize,
    /// Slice k is accessed k cycles after slice 0.
    pub in_turn: bool,
    /// Cycles from the read to the word, before `in_turn`.
    pub latency: usize,
    /// A plain memory with the same ports and latency.
    pub plain: bool,
    /// A read in the cycle of a write to the same word returns the new word; else it is undefined.
    pub bypass: bool,
}

impl SlicedShape {
    /// Bytes, mask slice, full network, filled slices, packed to the left, no thresholds, all
    /// slices together, latency 2, with a bypass.
    pub fn new(words: usize, widths: Vec<usize>) -> Self {
        Self {
            words,
            units: widths.iter().sum(),
            unit_bits: 8,
            mask: MaskPlace::Slice,
            network: Network::Full,
            exact: false,
            right: false,
            write_threshold: 0,
            read_threshold: 0,
            access_threshold: widths[0],
            in_turn: false,
            latency: 2,
            plain: false,
            bypass: true,
            widths,
        }
    }

    /// The memory that a configuration describes, `words` words deep, with a bypass.
    pub fn of(words: usize, slices: &params::Slices) -> Self {
        let size = |value: u32| value as usize;
        Self {
            words,
            units: size(slices.units()),
            unit_bits: size(slices.unit_bits),
            widths: slices.widths.iter().copied().map(size).collect(),
            mask: slices.mask,
            network: slices.network,
            exact: slices.write == params::SliceWrite::Exact,
            right: slices.end == params::PackEnd::Right,
            write_threshold: size(slices.write_threshold),
            read_threshold: size(slices.read_threshold),
            access_threshold: size(slices.threshold()),
            in_turn: slices.read_order == params::ReadOrder::InTurn,
            latency: size(slices.latency),
            plain: slices.plain,
            bypass: true,
        }
    }

    /// Number of data slices; a plain memory has one.
    pub fn slices(&self) -> usize {
        if self.plain { 1 } else { self.widths.len() }
    }

    /// Bits of a word.
    pub fn word_bits(&self) -> usize {
        self.units * self.unit_bits
    }

    /// Units of a hybrid row that hold the mask, m.
    pub fn mask_units(&self) -> usize {
        self.units.div_ceil(self.unit_bits)
    }

    /// Non-zero units that slice 0 holds, F.
    pub fn first_units(&self) -> usize {
        match self.mask {
            MaskPlace::Hybrid => self.widths[0] - self.mask_units(),
            _ => self.widths[0],
        }
    }

    /// One bank of the state buffer of a machine.
    pub fn of_bank(params: &heddle_arch::Params) -> Self {
        let buffer = &params.state_buffer;
        Self {
            bypass: buffer.bypass,
            ..Self::of(buffer.words_per_bank as usize, &buffer.slices)
        }
    }

    /// Position of the first unit of slice k in the packed word.
    pub fn from(&self, slice: usize) -> usize {
        self.widths[..slice].iter().sum()
    }

    /// For each slice: a write with more non-zero units accesses it.
    pub fn write_thresholds(&self) -> Vec<usize> {
        self.thresholds(self.write_threshold)
    }

    /// For each slice: a read with more non-zero units accesses it.
    pub fn read_thresholds(&self) -> Vec<usize> {
        self.thresholds(self.read_threshold)
    }

    fn thresholds(&self, least: usize) -> Vec<usize> {
        let one = |slice| match (slice, self.mask) {
            (0, _) => least,
            (1, _) | (_, MaskPlace::Hybrid) => least.max(self.access_threshold),
            _ => least.max(self.from(slice)),
        };
        (0..self.widths.len()).map(one).collect()
    }

    /// Registers at the inputs: 0 or 1.
    pub fn input_stages(&self) -> usize {
        (self.latency >= 5).into()
    }

    /// Registers behind the mask slice: 0 or 1.
    pub fn mask_stages(&self) -> usize {
        (self.latency >= 3).into()
    }

    /// Registers behind the enables and addresses of the data slices: 0 or 1.
    pub fn enable_stages(&self) -> usize {
        (self.latency >= 6).into()
    }

    /// Registers behind the data slices: 0 or 1.
    pub fn data_stages(&self) -> usize {
        (self.latency >= 4).into()
    }

    /// Registers at the output: 0 or 1.
    pub fn output_stages(&self) -> usize {
        (self.latency >= 7).into()
    }

    /// Cycles from the access of the mask to that of slice 0, d.
    pub fn distance(&self) -> usize {
        1 + self.mask_stages() + self.enable_stages()
    }

    /// Cycles from a request to the access of slice k, read or written.
    pub fn access_cycles(&self, slice: usize) -> usize {
        let turn = if self.in_turn { slice } else { 0 };
        match self.mask != MaskPlace::Slice && slice == 0 && !self.plain {
            true => self.input_stages(),
            false => self.input_stages() + self.distance() + turn,
        }
    }

    /// Cycles by which the last slice is accessed after slice 0.
    pub fn turns(&self) -> usize {
        match self.in_turn {
            true => self.slices() - 1,
            false => 0,
        }
    }

    /// Cycles from the mask, bypassed and behind its register, to the data of the slices.
    pub fn mask_to_data(&self) -> usize {
        self.enable_stages() + 1 + self.data_stages() + self.turns()
    }

    /// Units of a word of a memory with units of `unit_bits` bits and the mask at `mask`.
    ///
    /// # Panics
    /// If the shape is not allowed, or has other units or another place for the mask.
    pub(super) fn checked(&self, unit_bits: usize, mask: MaskPlace) -> usize {
        self.check();
        assert_eq!((unit_bits, mask), (self.unit_bits, self.mask));
        self.units
    }

    /// The place of position p among the `count` lanes of a memory: position 0 is the left one,
    /// the last, unless units are packed to the right. The place of a place is the position.
    pub fn place(&self, count: usize, p: usize) -> usize {
        place(self.right, count, p)
    }

    /// Refuses what cannot be built.
    ///
    /// # Panics
    /// If a size or an option is not allowed.
    pub fn check(&self) {
        let range = |name: &str, found: usize, allowed: std::ops::RangeInclusive<usize>| {
            assert!(
                allowed.contains(&found),
                "{name} is {found}, allowed {allowed:?}"
            );
        };
        range("words", self.words, 1..=1 << WA);
        range("units", self.units, 2..=64);
        range("latency", self.latency, 2..=7);
        if self.plain {
            return;
        }
        range("slices", self.widths.len(), 2..=8);
        range("width of slice 0", self.widths[0], 1..=self.units);
        range(
            "units",
            self.units,
            self.from(self.widths.len())..=self.units,
        );
        if self.mask == MaskPlace::Hybrid {
            range(
                "width of slice 0",
                self.widths[0],
                self.mask_units() + 1..=64,
            );
        }
        range(
            "access_threshold",
            self.access_threshold,
            1..=self.first_units(),
        );
        range("write_threshold", self.write_threshold, 0..=self.units - 1);
        range(
            "read_threshold",
            self.read_threshold,
            0..=self.write_threshold,
        );
        assert!(
            !self.exact || self.mask == MaskPlace::Slice,
            "exact writes need a mask slice"
        );
    }
}
