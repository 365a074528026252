//! Weight words: Q weights for Q output channels, in the order in which a pointer that is only
//! incremented meets them (SGCR-53).

/// Weights as they are stored by a user: `weights[output * taps + position]`.
#[derive(Debug, Clone, Copy)]
pub struct Weights<'a, T> {
    /// The weights.
    pub values: &'a [T],
    /// For each tap of the tables the position of its weight, see
    /// [`super::order::weight_order`].
    pub order: &'a [u32],
}

impl<T: Copy + Default> Weights<'_, T> {
    fn outputs(&self) -> usize {
        self.values.len() / self.order.len()
    }

    /// The weight of an output and a tap; zero beyond the last of either.
    fn at(&self, output: usize, tap: usize) -> T {
        let position = self.order.get(tap).map(|position| *position as usize);
        let value = position
            .filter(|_| output < self.outputs())
            .map(|position| self.values[output * self.order.len() + position]);
        value.unwrap_or_default()
    }

    /// Words of one column tile behind the other; element `word * columns + j` is for column j.
    fn words(&self, columns: usize, taps: usize) -> Vec<T> {
        let tiles = self.outputs().div_ceil(columns);
        let mut words = Vec::with_capacity(tiles * taps * columns);
        for first in (0..tiles).map(|tile| tile * columns) {
            for tap in 0..taps {
                words.extend((0..columns).map(|column| self.at(first + column, tap)));
            }
        }
        words
    }

    /// Words of an output stationary run with `columns` columns: word `(tile, tap)` has number
    /// `tile * taps + tap`. Columns beyond the last output are zero.
    ///
    /// # Panics
    /// If there is no tap or no column.
    #[must_use]
    pub fn output_stationary(&self, columns: usize) -> Vec<T> {
        self.words(columns, self.order.len())
    }

    /// Words of a weight stationary run with `rows` rows: as
    /// [`Weights::output_stationary`], with the taps rounded up to whole tiles of rows by zeros.
    ///
    /// # Panics
    /// If there is no tap, row or column.
    #[must_use]
    pub fn weight_stationary(&self, rows: usize, columns: usize) -> Vec<T> {
        self.words(columns, self.order.len().next_multiple_of(rows))
    }
}
