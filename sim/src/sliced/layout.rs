//! The options of a sliced memory and what follows from them.

use super::packing;
use super::word::Word;
use heddle_arch::params::{self, Params, Slices};

/// Where the mask of a word is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaskPlace {
    /// In a slice of its own.
    Slice,
    /// In a field of slice 0.
    Field,
    /// In the first units of slice 0 of a packed word; a flag tells packed from raw words.
    Hybrid,
}

/// How far units are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// Each unit by the number of zero units before it.
    Full,
    /// By half a word at most.
    Half,
    /// Each half of the word alone; words of at most half the units are joined.
    Split,
}

/// Largest number of data slices.
pub const SLICES_MAX: usize = 8;

/// Options of a sliced memory, as `docs/sliced.md` names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SliceLayout {
    /// Number of words.
    pub words: usize,
    /// Units of a word, 2 to 64.
    pub units: usize,
    /// Bits of a unit: 4, 8, 16 or 32.
    pub unit_bits: usize,
    /// Units of each data slice, slice 0 first.
    pub widths: Vec<usize>,
    /// Place of the mask.
    pub mask: MaskPlace,
    /// Packing.
    pub network: Network,
    /// Only lanes that hold a non-zero unit are written.
    pub exact: bool,
    /// Units are packed towards unit 0, else towards the most significant unit.
    pub right: bool,
    /// Words with at most so many non-zero units are stored as zero.
    pub write_threshold: usize,
    /// Reads of words with at most so many non-zero units access no data slice.
    pub read_threshold: usize,
    /// More non-zero units access slice 1.
    pub access_threshold: usize,
    /// Slice k is accessed k cycles after slice 0.
    pub in_turn: bool,
    /// Cycles from the read to the word, without those of `in_turn`.
    pub latency: usize,
    /// A plain memory: one access of a whole word.
    pub plain: bool,
    /// A read of the word that is written in the same cycle is defined: it returns the new word.
    pub bypass: bool,
}

impl SliceLayout {
    /// Byte units, mask slice, full network, filled slices, packed to the left, thresholds 0 and
    /// W[0], all slices together, latency 2, with a bypass.
    pub fn new(words: usize, widths: impl Into<Vec<usize>>) -> Self {
        let widths = widths.into();
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

    /// One bank of the machine's state buffer.
    pub fn of_machine(params: &Params) -> Self {
        let buffer = &params.state_buffer;
        Self {
            bypass: buffer.bypass,
            ..Self::of_slices(buffer.words_per_bank, &buffer.slices)
        }
    }

    /// A memory of `words` words with the options of a configuration.
    pub fn of_slices(words: u32, slices: &Slices) -> Self {
        let widths: Vec<usize> = slices.widths.iter().map(|width| *width as usize).collect();
        let layout = Self::new(words as usize, widths);
        let mask = match slices.mask {
            params::MaskPlace::Slice => MaskPlace::Slice,
            params::MaskPlace::Field => MaskPlace::Field,
            params::MaskPlace::Hybrid => MaskPlace::Hybrid,
        };
        let layout = Self {
            unit_bits: slices.unit_bits as usize,
            network: match slices.network {
                params::PackNetwork::Full => Network::Full,
                params::PackNetwork::Half => Network::Half,
                params::PackNetwork::Split => Network::Split,
            },
            exact: slices.write == params::SliceWrite::Exact,
            right: slices.end == params::PackEnd::Right,
            write_threshold: slices.write_threshold as usize,
            read_threshold: slices.read_threshold as usize,
            in_turn: slices.read_order == params::ReadOrder::InTurn,
            latency: slices.latency as usize,
            plain: slices.plain,
            ..layout
        };
        let layout = layout.with_mask(mask);
        match slices.access_threshold {
            Some(threshold) => Self {
                access_threshold: threshold as usize,
                ..layout
            },
            None => layout,
        }
    }

    /// The same with the mask elsewhere; the access threshold becomes the units that fit slice 0.
    #[must_use]
    pub fn with_mask(self, mask: MaskPlace) -> Self {
        let moved = Self { mask, ..self };
        Self {
            access_threshold: moved.fit(),
            ..moved
        }
    }

    /// Bits of a word.
    pub fn word_bits(&self) -> usize {
        self.units * self.unit_bits
    }

    /// Bytes of a word.
    pub fn word_bytes(&self) -> usize {
        self.word_bits() / 8
    }

    /// Number of data slices; a plain memory has one.
    pub fn slices(&self) -> usize {
        if self.plain { 1 } else { self.widths.len() }
    }

    /// Units that hold the mask in a packed row of `hybrid`.
    pub fn mask_units(&self) -> usize {
        self.units.div_ceil(self.unit_bits)
    }

    /// Packed units that slice 0 holds.
    ///
    /// # Panics
    /// If the mask does not fit slice 0.
    pub fn fit(&self) -> usize {
        match self.mask {
            MaskPlace::Slice | MaskPlace::Field => self.widths[0],
            MaskPlace::Hybrid => self.widths[0]
                .checked_sub(self.mask_units())
                .expect("slice 0 of a hybrid memory has more units than the mask"),
        }
    }

    /// First position of each data slice.
    pub fn firsts(&self) -> impl Iterator<Item = usize> {
        self.widths.iter().scan(0, |before, width| {
            let first = *before;
            *before += width;
            Some(first)
        })
    }

    /// Bits of one access of the mask slice; 0 if there is none.
    pub fn mask_bits(&self) -> usize {
        match self.mask {
            MaskPlace::Slice if !self.plain => self.units,
            _ => 0,
        }
    }

    /// Bits of one access of a data slice.
    pub fn slice_bits(&self, slice: usize) -> usize {
        if self.plain {
            return self.word_bits();
        }
        let beside = match (slice, self.mask) {
            (0, MaskPlace::Field) => self.units,
            (0, MaskPlace::Hybrid) => 1,
            _ => 0,
        };
        beside + self.widths[slice] * self.unit_bits
    }

    /// Bits of all rows of a word.
    pub fn row_bits(&self) -> usize {
        let slices: usize = (0..self.slices()).map(|k| self.slice_bits(k)).sum();
        self.mask_bits() + slices
    }

    /// Words with at most so many non-zero units are stored as zero.
    pub fn dropped(&self) -> usize {
        if self.plain { 0 } else { self.write_threshold }
    }

    /// Data slices that a read (`write`: a write) of a word with `pop` non-zero units accesses:
    /// bit k is slice k.
    pub fn needed(&self, pop: usize, write: bool) -> u8 {
        if self.plain {
            return 1;
        }
        let threshold = match write {
            true => self.write_threshold,
            false => self.read_threshold,
        };
        let mut needed = 0;
        for (slice, first) in self.firsts().enumerate() {
            let enough = match (slice, self.mask) {
                (0, _) => true,
                (1, _) | (_, MaskPlace::Hybrid) => pop > self.access_threshold,
                _ => pop > first,
            };
            needed |= u8::from(enough && pop > threshold) << slice;
        }
        match self.mask {
            MaskPlace::Slice => needed,
            MaskPlace::Field | MaskPlace::Hybrid => needed | 1,
        }
    }

    /// Positions of the slices given as a bit set: bit p is position p.
    pub fn positions(&self, slices: u8) -> u64 {
        if self.plain {
            return ones(self.units);
        }
        let all = self.firsts().zip(&self.widths).enumerate();
        all.filter(|(slice, _)| slices >> slice & 1 == 1)
            .fold(0, |set, (_, (first, width))| set | ones(*width) << first)
    }

    /// Positions written with a word whose mask by position is `mask`.
    pub fn lanes(&self, mask: u64) -> u64 {
        let written = self.positions(self.needed(mask.count_ones() as usize, true));
        match self.exact && !self.plain {
            true => written & packing::lanes(mask, self.units, self.network),
            false => written,
        }
    }

    /// The mask of a word by unit: bit k is unit k.
    pub fn mask_of(&self, word: Word) -> u64 {
        word.mask(self.units, self.unit_bits)
    }

    /// A mask by unit as a mask by position, or back: bit p is position p.
    pub fn turned(&self, mask: u64) -> u64 {
        match self.right {
            true => mask,
            false => mask.reverse_bits() >> (64 - self.units),
        }
    }

    /// Position of a unit, or unit of a position.
    pub fn position(&self, unit: usize) -> usize {
        match self.right {
            true => unit,
            false => self.units - 1 - unit,
        }
    }

    /// Units of a word in the order of their positions.
    pub fn by_position(&self, word: Word) -> Vec<u32> {
        (0..self.units)
            .map(|p| word.unit(self.position(p), self.unit_bits))
            .collect()
    }

    /// The word with the given units in the order of their positions.
    pub fn word_of(&self, units: &[u32]) -> Word {
        units
            .iter()
            .enumerate()
            .fold(Word::ZERO, |word, (p, unit)| {
                word.with_unit(self.position(p), self.unit_bits, *unit)
            })
    }

    /// Cycles from a request to the access of the mask slice.
    pub fn mask_cycle(&self) -> usize {
        usize::from(self.latency >= 5)
    }

    /// Cycles from a request to the access of a data slice.
    pub fn slice_cycle(&self, slice: usize) -> usize {
        if slice == 0 && !self.plain && self.mask != MaskPlace::Slice {
            return self.mask_cycle();
        }
        let behind = match self.latency {
            ..=2 => 1,
            3..=5 => 2,
            _ => 3,
        };
        let turn = if self.in_turn { slice } else { 0 };
        self.mask_cycle() + behind + turn
    }

    /// Cycles from a read to its word.
    pub fn read_cycle(&self) -> usize {
        let turns = if self.in_turn { self.slices() - 1 } else { 0 };
        self.latency + turns
    }
}

/// The lowest `count` bits, at most 64.
fn ones(count: usize) -> u64 {
    match count {
        0 => 0,
        count => u64::MAX >> (64 - count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_machine(slices: &str) -> SliceLayout {
        let text = include_str!("../../../configs/tiny.json");
        let from = "\"widths\": [4, 4]";
        assert!(text.contains(from));
        let params = Params::from_json(&text.replace(from, slices));
        SliceLayout::of_machine(&params.unwrap_or_else(|faults| panic!("{slices}: {faults}")))
    }

    #[test]
    fn a_bank_has_the_options_of_the_configuration() {
        let new = |widths: &[usize]| SliceLayout {
            latency: 5,
            bypass: false,
            ..SliceLayout::new(256, widths)
        };
        let usual = new(&[4, 4]);
        assert_eq!(of_machine("\"widths\": [4, 4]"), usual);
        let halves = SliceLayout {
            unit_bits: 4,
            network: Network::Split,
            exact: true,
            right: true,
            access_threshold: 2,
            ..new(&[3, 5, 8])
        };
        let text = r#""unit_bits": 4, "widths": [3, 5, 8], "network": "split", "write": "exact",
                      "end": "right", "access_threshold": 2"#;
        assert_eq!(of_machine(text), halves);
        let hybrid = SliceLayout {
            network: Network::Half,
            ..new(&[5, 3]).with_mask(MaskPlace::Hybrid)
        };
        assert_eq!(hybrid.access_threshold, 4);
        let text = r#""widths": [5, 3], "network": "half", "mask": "hybrid""#;
        assert_eq!(of_machine(text), hybrid);
        let field = usual.clone().with_mask(MaskPlace::Field);
        assert_eq!(of_machine(r#""widths": [4, 4], "mask": "field""#), field);
        let plain = SliceLayout {
            plain: true,
            ..usual
        };
        assert_eq!(of_machine(r#""widths": [4, 4], "plain": true"#), plain);
    }
}
