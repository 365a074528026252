//! Where a matrix lies.

use heddle_arch::isa::{Loop, RowBlock};
use heddle_arch::params::Params;
use heddle_arch::word::{COLUMNS_PER_WORD, WORD_BYTES};

use crate::loops::{Count, merge};

/// Rows and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MatrixShape {
    /// Rows, at least 1.
    pub rows: u32,
    /// Columns, at least 1.
    pub cols: u32,
}

impl MatrixShape {
    /// The shape of the transposed matrix.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self {
            rows: self.cols,
            cols: self.rows,
        }
    }
}

/// A matrix in the state buffer: row i in partition i mod R, the rows of a partition one after another.
///
/// The columns are in groups of C; a group begins at a word, whose place makes the words of the group
/// readable from the last one to the first. With C = 8, 16, 32 and so on the elements of a row
/// follow one another without a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MatrixPlace {
    /// Rows and columns.
    pub shape: MatrixShape,
    /// Byte address of element 0 of the rows 0 to R - 1.
    pub base: u32,
    /// Partitions.
    partitions: u32,
    /// Columns of a group.
    group: u32,
    /// Words of a group.
    group_words: u32,
}

impl MatrixPlace {
    /// A matrix at `base`, which is rounded up to where a group can begin.
    #[must_use]
    pub fn new(shape: MatrixShape, base: u32, params: &Params) -> Self {
        let group_words = params.weight_words();
        let align = WORD_BYTES * group_words.next_power_of_two();
        Self {
            shape,
            base: base.next_multiple_of(align),
            partitions: params.array.rows,
            group: params.array.cols,
            group_words,
        }
    }

    /// A matrix that is only streamed: its columns are one group, whatever the array, so that one walk
    /// over them is one tile. It cannot be loaded as weights unless the array has as many columns.
    #[must_use]
    pub fn streamed(shape: MatrixShape, base: u32, params: &Params) -> Self {
        let group_words = shape.cols.div_ceil(COLUMNS_PER_WORD);
        Self {
            shape,
            base: base.next_multiple_of(WORD_BYTES * group_words.next_power_of_two()),
            partitions: params.array.rows,
            group: shape.cols,
            group_words,
        }
    }

    /// Bytes from one group to the next.
    fn pitch(&self) -> u32 {
        WORD_BYTES * self.group_words.next_power_of_two()
    }

    /// Bytes from a row to the next one of the same partition.
    fn stride(&self) -> u32 {
        self.shape.cols.div_ceil(self.group) * self.pitch()
    }

    /// Bytes of the matrix in each partition.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        self.shape.rows.div_ceil(self.partitions) * self.stride()
    }

    /// The address behind the matrix.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.base + self.bytes()
    }

    /// Partition and byte address of an element.
    ///
    /// # Panics
    /// If there is no such element.
    #[must_use]
    pub fn element(&self, row: u32, col: u32) -> (u32, u32) {
        assert!(row < self.shape.rows && col < self.shape.cols);
        let band = row / self.partitions;
        let (group, rest) = (col / self.group, col % self.group);
        let address = self.base + band * self.stride() + group * self.pitch() + rest;
        (row % self.partitions, address)
    }

    /// Columns of a row in words that follow one another: the first column, how many groups of them, and their width.
    pub(crate) fn column_groups(&self) -> Vec<(u32, u32, u32)> {
        let cols = self.shape.cols;
        if self.pitch() == self.group {
            return vec![(0, 1, cols)];
        }
        let (groups, rest) = (cols / self.group, cols % self.group);
        let all = [(0, groups, self.group), (groups * self.group, 1, rest)];
        all.into_iter()
            .filter(|&(_, groups, width)| groups * width > 0)
            .collect()
    }

    /// The first columns of it.
    pub(crate) fn first_columns(&self, cols: u32) -> Self {
        let shape = MatrixShape {
            cols: cols.min(self.shape.cols),
            ..self.shape
        };
        Self { shape, ..*self }
    }

    /// Columns that can be loaded as weights at once.
    pub(crate) fn group(&self) -> u32 {
        self.group
    }

    /// Partitions that hold the rows.
    pub(crate) fn partitions(&self) -> u32 {
        self.partitions
    }

    /// Base address, bits to invert and count of the words of a group, to be read from the last one to
    /// the first.
    pub(crate) fn weight_words(&self, band: u32, group: u32) -> (u32, u32, u32) {
        let words = self.group_words;
        let whole = words.next_power_of_two();
        let base = self.base + band * self.stride() + group * self.pitch();
        (base + WORD_BYTES * (whole - words), whole - 1, words)
    }

    /// Runs of columns of a band of rows whose addresses one nest of loops can walk, in order.
    pub(crate) fn runs(&self, band: u32) -> Vec<Run> {
        let base = self.base + band * self.stride();
        if self.pitch() == self.group {
            return vec![Run::new(
                base,
                Count::new(self.shape.cols, 1),
                Count::new(1, 0),
            )];
        }
        let (whole, rest) = (self.shape.cols / self.group, self.shape.cols % self.group);
        let mut runs = Vec::new();
        if whole > 0 {
            let groups = Count::new(whole, self.pitch());
            runs.push(Run::new(base, Count::new(self.group, 1), groups));
        }
        if rest > 0 {
            let base = base + whole * self.pitch();
            runs.push(Run::new(base, Count::new(rest, 1), Count::new(1, 0)));
        }
        runs
    }
}

impl MatrixPlace {
    /// Runs of every `step`-th column of a band of rows, `count` of them from column `first` on.
    pub(crate) fn strided(&self, band: u32, first: u32, step: u32, count: u32) -> Vec<Run> {
        let address = |at: u32| {
            let col = first + step * at;
            let (group, rest) = (col / self.group, col % self.group);
            self.base + band * self.stride() + group * self.pitch() + rest
        };
        let mut runs = Vec::new();
        let mut at = 0;
        while at < count {
            let base = address(at);
            let distance = match at + 1 < count {
                true => address(at + 1) - base,
                false => 1,
            };
            let columns = (at..count).take_while(|&i| address(i) == base + (i - at) * distance);
            let columns = columns.count() as u32;
            runs.push(Run::new(
                base,
                Count::new(columns, distance),
                Count::new(1, 0),
            ));
            at += columns;
        }
        runs
    }
}

/// Columns whose addresses one nest of loops can walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    base: u32,
    columns: Count,
    groups: Count,
}

impl Run {
    fn new(base: u32, columns: Count, groups: Count) -> Self {
        Self {
            base,
            columns,
            groups,
        }
    }

    /// Columns of it.
    pub fn columns(&self) -> u32 {
        self.columns.trips * self.groups.trips
    }

    /// The same in parts of at most `most` columns.
    pub fn parts(self, most: u32) -> Vec<Run> {
        let one = |group: u32, first: u32, columns: u32, groups: u32| Run {
            base: self.base + group * self.groups.step + first * self.columns.step,
            columns: Count::new(columns, self.columns.step),
            groups: Count::new(groups, self.groups.step),
        };
        let (columns, groups) = (self.columns.trips, self.groups.trips);
        if columns <= most {
            let together = most / columns;
            let parts = (0..groups).step_by(together as usize);
            return parts
                .map(|group| one(group, 0, columns, together.min(groups - group)))
                .collect();
        }
        let parts = (0..groups).flat_map(|group| {
            let firsts = (0..columns).step_by(most as usize);
            firsts.map(move |first| one(group, first, most.min(columns - first), 1))
        });
        parts.collect()
    }

    /// The row of a record that walks them; it has at least one loop.
    pub fn block(&self, row: u8, offset_bits: u32) -> RowBlock {
        let mut counts = merge(&[self.columns, self.groups]);
        if counts.is_empty() {
            counts.push(Count::new(1, 1));
        }
        let loops: Vec<Loop> = counts.iter().map(|c| c.registers(offset_bits)).collect();
        RowBlock {
            row,
            base: self.base,
            loops,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Addresses that loops walk.
    fn addresses(block: &RowBlock) -> Vec<u32> {
        block.loops.iter().fold(vec![block.base], |inner, l| {
            let turns = (l.initial..l.end).step_by(l.step as usize);
            turns
                .flat_map(|turn| inner.iter().map(move |a| a + turn))
                .collect()
        })
    }

    #[test]
    fn runs_walk_all_columns_in_order() {
        for (text, array) in [("4 x 3", (4, 3)), ("8 x 8", (8, 8)), ("5 x 20", (5, 20))] {
            let mut params = Params::from_json(include_str!("../../../configs/tiny.json")).unwrap();
            (params.array.rows, params.array.cols) = array;
            for cols in [1, 2, 3, 7, 8, 9, 20, 41] {
                let shape = MatrixShape { rows: 9, cols };
                let place = MatrixPlace::new(shape, 5, &params);
                for most in [1, 2, 5, 64] {
                    let parts = place.runs(1).into_iter().flat_map(|run| run.parts(most));
                    let parts: Vec<Run> = parts.collect();
                    let walked: Vec<Vec<u32>> = parts
                        .iter()
                        .map(|part| addresses(&part.block(0, 16)))
                        .collect();
                    assert!(walked.iter().all(|part| part.len() <= most as usize));
                    let walked = walked.concat();
                    let row = params.array.rows;
                    let expected = (0..cols).map(|col| place.element(row, col).1);
                    assert_eq!(
                        walked,
                        expected.collect::<Vec<_>>(),
                        "{text}, {cols}, {most}"
                    );
                }
            }
        }
    }
}
