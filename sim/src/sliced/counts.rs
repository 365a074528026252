//! Accesses of one clock cycle, and their totals.

use super::layout::{SLICES_MAX, SliceLayout};

/// What is accessed in one clock cycle, or by one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Accesses {
    /// Mask slice read.
    pub mask_read: bool,
    /// Mask slice written.
    pub mask_write: bool,
    /// Data slices read: bit k is slice k.
    pub slice_reads: u8,
    /// Data slices written: bit k is slice k.
    pub slice_writes: u8,
    /// Units of the data slices written: bit p is position p.
    pub lanes: u64,
}

impl Accesses {
    /// What a read of a word with `pop` non-zero units accesses.
    pub fn of_read(layout: &SliceLayout, pop: usize) -> Self {
        Self {
            mask_read: layout.mask_bits() > 0,
            slice_reads: layout.needed(pop, false),
            ..Self::default()
        }
    }

    /// What a write accesses; bit p of `mask` is position p.
    pub fn of_write(layout: &SliceLayout, mask: u64) -> Self {
        Self {
            mask_write: layout.mask_bits() > 0,
            slice_writes: layout.needed(mask.count_ones() as usize, true),
            lanes: layout.lanes(mask),
            ..Self::default()
        }
    }

    /// Data slice `slice` is read.
    pub fn reads(&self, slice: usize) -> bool {
        self.slice_reads >> slice & 1 == 1
    }

    /// Data slice `slice` is written.
    pub fn writes(&self, slice: usize) -> bool {
        self.slice_writes >> slice & 1 == 1
    }
}

/// Totals of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Reads of the mask slice.
    pub mask_reads: u64,
    /// Writes of the mask slice.
    pub mask_writes: u64,
    /// Reads of each data slice.
    pub slice_reads: [u64; SLICES_MAX],
    /// Writes of each data slice.
    pub slice_writes: [u64; SLICES_MAX],
    /// Units of data slices written.
    pub lanes: u64,
    /// Words written as zero.
    pub zero_words: u64,
    /// Other words written that fit slice 0.
    pub small_words: u64,
    /// Words written that do not fit slice 0.
    pub large_words: u64,
}

impl Counts {
    /// Counts accesses.
    pub fn add(&mut self, accesses: &Accesses) {
        self.mask_reads += u64::from(accesses.mask_read);
        self.mask_writes += u64::from(accesses.mask_write);
        for slice in 0..SLICES_MAX {
            self.slice_reads[slice] += u64::from(accesses.reads(slice));
            self.slice_writes[slice] += u64::from(accesses.writes(slice));
        }
        self.lanes += u64::from(accesses.lanes.count_ones());
    }

    /// Counts a word written with `pop` non-zero units.
    pub fn add_word(&mut self, layout: &SliceLayout, pop: usize) {
        let kind = match () {
            () if pop <= layout.dropped() => &mut self.zero_words,
            () if layout.plain || pop <= layout.access_threshold => &mut self.small_words,
            () => &mut self.large_words,
        };
        *kind += 1;
    }

    /// Bits accessed in whole rows: what a slice reads and writes is its width, whichever of its
    /// lanes are written.
    pub fn bits(&self, layout: &SliceLayout) -> u64 {
        let mask = layout.mask_bits() as u64 * (self.mask_reads + self.mask_writes);
        (0..layout.slices()).fold(mask, |bits, slice| {
            let accesses = self.slice_reads[slice] + self.slice_writes[slice];
            bits + layout.slice_bits(slice) as u64 * accesses
        })
    }
}
