//! The sliced memory without time: the rows of its slices, with stale units, and access counts.

use super::counts::{Accesses, Counts};
use super::layout::{MaskPlace, SliceLayout};
use super::packing::{pack, unpack};
use super::word::Word;
use std::collections::BTreeMap;

/// Bytes of a data slice before its first write.
pub const STALE: u8 = 0xee;

/// Bytes on the output of a data slice that was not enabled.
pub const NOT_READ: u8 = 0xdd;

/// What the slices hold for one word.
#[derive(Debug, Clone)]
struct StoredRow {
    /// Mask slice or field: bit p is position p.
    mask: u64,
    /// Flag of a hybrid row.
    packed: bool,
    /// Units of each data slice by position.
    slices: Vec<Vec<u32>>,
}

/// Mask slice and data slices.
#[derive(Debug, Clone)]
pub struct SlicedReference {
    layout: SliceLayout,
    rows: BTreeMap<u32, StoredRow>,
    counts: Counts,
}

impl SlicedReference {
    /// A memory that holds no word. The number of words does not matter.
    pub fn new(layout: &SliceLayout) -> Self {
        Self {
            layout: layout.clone(),
            rows: BTreeMap::new(),
            counts: Counts::default(),
        }
    }

    /// Accesses so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// A unit made of one byte value.
    fn unit_of(&self, byte: u8) -> u32 {
        u32::from_le_bytes([byte; 4]) & (u32::MAX >> (32 - self.layout.unit_bits))
    }

    fn stale_row(&self) -> StoredRow {
        let stale = self.unit_of(STALE);
        let widths = match self.layout.plain {
            true => &vec![self.layout.units],
            false => &self.layout.widths,
        };
        StoredRow {
            mask: 0,
            packed: false,
            slices: widths.iter().map(|width| vec![stale; *width]).collect(),
        }
    }

    /// Stores a word.
    pub fn write(&mut self, address: u32, word: Word) -> Accesses {
        let layout = self.layout.clone();
        let mask = layout.turned(layout.mask_of(word));
        let pop = mask.count_ones() as usize;
        let touched = Accesses::of_write(&layout, mask);
        self.counts.add(&touched);
        self.counts.add_word(&layout, pop);

        let stored = match pop <= layout.dropped() {
            true => Word::ZERO,
            false => word,
        };
        let stored_mask = layout.turned(layout.mask_of(stored));
        let raw = layout.by_position(stored);
        let is_raw = layout.plain || layout.mask == MaskPlace::Hybrid && touched.slice_writes > 1;
        let image = match (is_raw, layout.mask) {
            (true, _) => raw,
            (false, MaskPlace::Hybrid) => {
                let mut image = mask_image(&layout, stored_mask);
                image.extend(pack(&raw, layout.network));
                image.truncate(layout.units);
                image
            }
            (false, _) => pack(&raw, layout.network),
        };

        let stale = self.stale_row();
        let row = self.rows.entry(address).or_insert(stale);
        row.mask = stored_mask;
        row.packed = !is_raw;
        let mut position = 0;
        for (slice, content) in row.slices.iter_mut().enumerate() {
            for unit in content {
                let lane = touched.lanes >> position & 1 == 1;
                if touched.writes(slice) && lane {
                    *unit = image[position];
                }
                position += 1;
            }
        }
        touched
    }

    /// Reads a word: what is not in an enabled slice is poison.
    ///
    /// # Panics
    /// If the word was never written.
    pub fn read(&mut self, address: u32) -> (Word, Accesses) {
        let layout = self.layout.clone();
        let row = self.rows.get(&address).expect("a word written before");
        let mask = match layout.mask {
            _ if layout.plain => 0,
            MaskPlace::Slice | MaskPlace::Field => row.mask,
            MaskPlace::Hybrid if row.packed => mask_of_image(&layout, &row.slices[0]),
            MaskPlace::Hybrid => 0,
        };
        let pop = match layout.mask {
            // A raw word has more units than fit slice 0: its flag stands for all of them.
            MaskPlace::Hybrid if !row.packed => layout.units,
            _ => mask.count_ones() as usize,
        };
        let touched = Accesses::of_read(&layout, pop);
        self.counts.add(&touched);

        let mut image = Vec::with_capacity(layout.units);
        for (slice, content) in row.slices.iter().enumerate() {
            match touched.reads(slice) {
                true => image.extend(content),
                false => image.extend(vec![self.unit_of(NOT_READ); content.len()]),
            }
        }
        if layout.plain || layout.mask == MaskPlace::Hybrid && !row.packed {
            return (layout.word_of(&image), touched);
        }
        if pop <= layout.read_threshold {
            return (Word::ZERO, touched);
        }
        let flags: Vec<bool> = (0..layout.units).map(|p| mask >> p & 1 == 1).collect();
        let packed = match layout.mask {
            MaskPlace::Hybrid => &image[layout.mask_units()..],
            MaskPlace::Slice | MaskPlace::Field => &image[..],
        };
        let units = unpack(packed, &flags, layout.network);
        (layout.word_of(&units), touched)
    }

    /// Stored mask of a word by unit, if the word was written: mask slice or field.
    pub fn mask(&self, address: u32) -> Option<u64> {
        let row = self.rows.get(&address)?;
        Some(self.layout.turned(row.mask))
    }

    /// Flag of a hybrid row, if the word was written.
    pub fn flag(&self, address: u32) -> Option<bool> {
        self.rows.get(&address).map(|row| row.packed)
    }

    /// Units of one data slice by position, stale units included.
    pub fn slice(&self, slice: usize, address: u32) -> Vec<u32> {
        match self.rows.get(&address) {
            Some(row) => row.slices[slice].clone(),
            None => self.stale_row().slices[slice].clone(),
        }
    }
}

/// A mask in the first units of a hybrid row: position 0 in the most significant bit of the first
/// unit, zeros behind the last position.
fn mask_image(layout: &SliceLayout, mask: u64) -> Vec<u32> {
    let mut units = vec![0; layout.mask_units()];
    for position in 0..layout.units {
        let bit = layout.unit_bits - 1 - position % layout.unit_bits;
        units[position / layout.unit_bits] |= ((mask >> position & 1) as u32) << bit;
    }
    units
}

/// The mask that a hybrid row holds.
fn mask_of_image(layout: &SliceLayout, units: &[u32]) -> u64 {
    (0..layout.units).fold(0, |mask, position| {
        let bit = layout.unit_bits - 1 - position % layout.unit_bits;
        let set = units[position / layout.unit_bits] >> bit & 1;
        mask | u64::from(set) << position
    })
}
