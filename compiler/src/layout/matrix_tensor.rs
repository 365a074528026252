//! Where the elements of a tensor of matrices lie.

use std::collections::BTreeMap;

use heddle_arch::word::{WORD_BYTES, WordBytes};
use heddle_network::Matrices;

use super::MatrixPlace;

/// A tensor as matrices in the state buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixTensor {
    /// Its matrices; a row has bytes.
    pub matrices: Matrices,
    /// Each of them lies transposed.
    pub turned: bool,
    /// Where each of them lies.
    pub places: Vec<MatrixPlace>,
}

/// Partition and word.
type WordPlace = (u32, u32);

impl MatrixTensor {
    /// Partition and byte address of each element, in the order matrix, row, column.
    fn elements(&self) -> impl Iterator<Item = (u32, u32)> {
        let Matrices { rows, cols, .. } = self.matrices;
        let turned = self.turned;
        self.places.iter().flat_map(move |place| {
            let rows = (0..rows).flat_map(move |row| (0..cols).map(move |col| (row, col)));
            rows.map(move |(row, col)| match turned {
                true => place.element(col, row),
                false => place.element(row, col),
            })
        })
    }

    /// Every word that holds elements, once.
    pub(super) fn word_places(&self) -> Vec<WordPlace> {
        let words = self
            .elements()
            .map(|(partition, at)| (partition, at / WORD_BYTES));
        let mut words: Vec<WordPlace> = words.collect();
        words.sort_unstable();
        words.dedup();
        words
    }

    /// The words of values; bytes without an element are `zero_point`.
    pub(super) fn pack(&self, values: &[i8], zero_point: i8) -> Vec<(u32, u32, WordBytes)> {
        let mut words: BTreeMap<WordPlace, WordBytes> = BTreeMap::new();
        for ((partition, at), &value) in self.elements().zip(values) {
            let word = words
                .entry((partition, at / WORD_BYTES))
                .or_insert([zero_point as u8; WORD_BYTES as usize]);
            word[(at % WORD_BYTES) as usize] = value as u8;
        }
        let words = words.into_iter();
        words
            .map(|((partition, word), bytes)| (partition, word, bytes))
            .collect()
    }

    /// The values in words that are in the order of the places.
    pub(super) fn unpack(&self, words: &[WordBytes]) -> Vec<i8> {
        let places = self.word_places();
        let words: BTreeMap<WordPlace, WordBytes> =
            places.into_iter().zip(words.iter().copied()).collect();
        let elements = self.elements();
        elements
            .map(|(partition, at)| {
                words[&(partition, at / WORD_BYTES)][(at % WORD_BYTES) as usize] as i8
            })
            .collect()
    }
}
