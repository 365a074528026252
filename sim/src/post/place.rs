//! Where the words of the columns go.

use crate::buffer::DrainWord;

/// Column c goes to partition (g * rotate + c) modulo the number of partitions, one clock later.
#[derive(Debug, Clone)]
pub struct DrainPlaceModel {
    step: usize,
    held: Vec<Option<DrainWord>>,
}

impl DrainPlaceModel {
    /// From `cols` columns to `rows` partitions.
    pub fn new(rows: usize, cols: usize) -> Self {
        let divides = |n: &usize| rows % n == 0 && cols % n == 0;
        Self {
            step: (1..=rows).rev().find(divides).expect("1 divides all"),
            held: vec![None; rows],
        }
    }

    /// One clock cycle with the words that leave the columns: returns the words that reach the
    /// partitions, then takes the clock edge.
    ///
    /// # Panics
    /// If two words go to one partition.
    pub fn step(&mut self, rotate: usize, words: &[Option<DrainWord>]) -> Vec<Option<DrainWord>> {
        let rows = self.held.len();
        let mut next = vec![None; rows];
        for (column, word) in words.iter().enumerate() {
            let Some(word) = word else { continue };
            let taken = next[(self.step * rotate + column) % rows].replace(*word);
            assert!(taken.is_none(), "column {column} meets another one");
        }
        std::mem::replace(&mut self.held, next)
    }
}
