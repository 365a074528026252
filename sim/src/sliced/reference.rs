//! The sliced memory without time: mask slice and data slices, with stale bytes and access counts.

use super::packing::{enables, mask, pack, pop, unpack};
use std::collections::BTreeMap;

/// Content of a data slice before its first write.
pub const STALE: u8 = 0xee;

/// Value on the output of a data slice that was not enabled.
pub const NOT_READ: u8 = 0xdd;

/// What one access touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// Enables of the data slices, first slice first. The mask slice is always accessed.
    pub slices: Vec<bool>,
}

/// Mask slice and data slices of an unbounded memory. A written slice is filled with zeros.
#[derive(Debug, Clone)]
pub struct SlicedReference {
    widths: Vec<usize>,
    masks: BTreeMap<u32, Vec<bool>>,
    slices: Vec<BTreeMap<u32, Vec<u8>>>,
}

impl SlicedReference {
    /// Slices of the given widths in bytes, first slice first.
    pub fn new(widths: &[usize]) -> Self {
        Self {
            widths: widths.to_vec(),
            masks: BTreeMap::new(),
            slices: vec![BTreeMap::new(); widths.len()],
        }
    }

    /// Stores a word (byte 0 leftmost).
    pub fn write(&mut self, address: u32, word: &[u8]) -> Touched {
        let mask = mask(word);
        let touched = enables(pop(&mask), &self.widths);
        let packed = pack(word);
        let mut first = 0;
        for (slice, width) in self.widths.iter().enumerate() {
            if touched[slice] {
                let row = packed[first..first + width].to_vec();
                self.slices[slice].insert(address, row);
            }
            first += width;
        }
        self.masks.insert(address, mask);
        Touched { slices: touched }
    }

    /// Reads a word.
    ///
    /// # Panics
    /// If the word was never written.
    pub fn read(&self, address: u32) -> (Vec<u8>, Touched) {
        let mask = self.masks.get(&address).expect("a word written before");
        let touched = enables(pop(mask), &self.widths);
        let mut packed = Vec::new();
        for (slice, width) in self.widths.iter().enumerate() {
            match touched[slice] {
                true => packed.extend(self.slice(slice, address)),
                false => packed.extend(vec![NOT_READ; *width]),
            }
        }
        (unpack(&packed, mask), Touched { slices: touched })
    }

    /// Stored mask of a word, if it was written.
    pub fn mask(&self, address: u32) -> Option<&[bool]> {
        self.masks.get(&address).map(Vec::as_slice)
    }

    /// Content of one data slice, stale bytes included.
    pub fn slice(&self, slice: usize, address: u32) -> Vec<u8> {
        match self.slices[slice].get(&address) {
            Some(row) => row.clone(),
            None => vec![STALE; self.widths[slice]],
        }
    }
}
