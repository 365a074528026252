//! Planes of a tensor in the host's memory: rows of whole words, channel by channel. Columns that lie in words of their own in the
//! machine do so here, behind the others.

use std::collections::BTreeSet;

use heddle_arch::word::WORD_BYTES;
use heddle_network::Shape;

use super::TensorPlan;
use super::nest::Piece;

/// Planes in the host's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HostPlanes {
    shape: Shape,
    /// Columns from one byte of a word to the next.
    apart: u32,
}

impl HostPlanes {
    pub fn of(shape: Shape, apart: u32) -> Self {
        Self { shape, apart }
    }

    /// Bytes of all.
    pub fn bytes(self) -> u32 {
        self.begin(self.apart.min(self.shape.width))
    }

    /// Columns of a row from the first one on.
    fn columns(self, first: u32) -> impl Iterator<Item = u32> + Clone {
        (first..self.shape.width).step_by(self.apart as usize)
    }

    fn row_bytes(self, first: u32) -> u32 {
        (self.columns(first).count() as u32).next_multiple_of(WORD_BYTES)
    }

    /// Where the columns from one of the first on begin.
    fn begin(self, first: u32) -> u32 {
        let rows = self.shape.channels * self.shape.height;
        (0..first).map(|other| rows * self.row_bytes(other)).sum()
    }

    /// Byte and number of each element, by bytes. Numbers are in the order channel, row, column.
    pub fn elements(self) -> Vec<(u32, u32)> {
        let Shape {
            channels,
            height,
            width,
        } = self.shape;
        let mut elements = Vec::new();
        for first in 0..self.apart.min(width) {
            let (begin, row) = (self.begin(first), self.row_bytes(first));
            for line in 0..channels * height {
                let places = (begin + line * row..).zip(self.columns(first));
                elements.extend(places.map(|(at, x)| (at, line * width + x)));
            }
        }
        elements
    }

    /// The words of a tensor that is a part of this one, from a channel and a row on; of a channel in several partitions one copy if `once`.
    pub fn pieces(self, part: &TensorPlan, [channel, row]: [u32; 2], once: bool) -> Vec<Piece> {
        let mut found = BTreeSet::new();
        let mut pieces = Vec::new();
        for plane in 0..part.groups() {
            for (partition, planes) in (0..).zip(&part.planes) {
                let held = planes.get(plane as usize).copied();
                let Some(own) = held.filter(|&own| own < part.shape.channels) else {
                    continue;
                };
                for y in 0..part.shape.height {
                    let Some((words, first)) = part.words_of_row(partition, plane, y) else {
                        continue;
                    };
                    if words.is_empty() || (once && !found.insert((own, y, first))) {
                        continue;
                    }
                    let line = (channel + own) * self.shape.height + row + y;
                    pieces.push(Piece {
                        partition,
                        place: words.start,
                        count: words.len() as u32,
                        memory: self.begin(first) + line * self.row_bytes(first),
                    });
                }
            }
        }
        pieces
    }
}
