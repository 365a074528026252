//! What a convolution of values that are not zero is, from the specification alone: no clocks, no units.

use std::collections::BTreeMap;

/// A value that is not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The value, without its zero point.
    pub value: i32,
    /// Its channel.
    pub channel: usize,
    /// Its row.
    pub row: i32,
    /// Its column.
    pub col: i32,
}

/// A word of weights of one channel at one place of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tap {
    /// Row of the kernel.
    pub row: i32,
    /// Column of the kernel.
    pub col: i32,
    /// Group of output channels.
    pub group: usize,
    /// A weight for each output channel of the group.
    pub weights: Vec<i32>,
}

/// Group, row and column of a word of results.
pub type Place = (usize, i32, i32);

/// Where the product of a value and a weight belongs, for a kernel of these rows and columns.
pub fn place(entry: &Entry, tap: &Tap, kernel: (i32, i32)) -> Place {
    let row = entry.row + (kernel.0 - 1) - tap.row;
    let col = entry.col + (kernel.1 - 1) - tap.col;
    (tap.group, row, col)
}

/// The sums of all products. `lists` has the weights of each channel.
///
/// # Panics
/// If a channel has no list.
pub fn scatter(
    entries: &[Entry],
    lists: &[Vec<Tap>],
    kernel: (i32, i32),
) -> BTreeMap<Place, Vec<i32>> {
    let mut sums: BTreeMap<Place, Vec<i32>> = BTreeMap::new();
    for entry in entries {
        for tap in &lists[entry.channel] {
            let sums = sums.entry(place(entry, tap, kernel));
            let sums = sums.or_insert_with(|| vec![0; tap.weights.len()]);
            for (sum, weight) in sums.iter_mut().zip(&tap.weights) {
                *sum = sum.wrapping_add(entry.value * weight);
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A convolution as it is written down, over the zeros too.
    fn convolved(map: &[[i32; 5]; 4], kernel: &[[i32; 2]; 3], row: i32, col: i32) -> i32 {
        let at = |row: i32, col: i32| {
            let row = usize::try_from(row).ok().and_then(|row| map.get(row));
            let col = usize::try_from(col).ok();
            *row.zip(col)
                .and_then(|(row, col)| row.get(col))
                .unwrap_or(&0)
        };
        let mut sum = 0;
        for (a, weights) in (0..).zip(kernel) {
            for (b, weight) in (0..).zip(weights) {
                // Result 0 is where the last weight meets the first value.
                sum += at(row + a - 2, col + b - 1) * weight;
            }
        }
        sum
    }

    #[proves("FSA-58")]
    #[test]
    fn products_scatter_to_the_results_of_a_convolution() {
        let map = [[0, 3, 0, 0, -7], [1, 0, 0, 2, 0], [0; 5], [0, -5, 4, 0, 6]];
        let kernel = [[1, -2], [0, 4], [3, 5]];
        let cells = (0..4).flat_map(|row| (0..5).map(move |col| (row, col)));
        let entries = cells.map(|(row, col)| Entry {
            value: map[row][col],
            channel: 0,
            row: row as i32,
            col: col as i32,
        });
        let entries: Vec<Entry> = entries.filter(|entry| entry.value != 0).collect();
        let places = (0..3).flat_map(|row| (0..2).map(move |col| (row, col)));
        let taps = places.map(|(row, col)| Tap {
            row: row as i32,
            col: col as i32,
            group: 0,
            weights: vec![kernel[row][col]],
        });
        let sums = scatter(&entries, &[taps.collect()], (3, 2));
        for row in 0..6 {
            for col in 0..6 {
                // A result without a product is 0.
                let sum = sums.get(&(0, row, col)).map_or(0, |sums| sums[0]);
                assert_eq!(sum, convolved(&map, &kernel, row, col), "{row}, {col}");
            }
        }
    }
}
