//! Where the elements of a tensor lie in the partitions.
//!
//! Channel ch lies in partition ch mod lanes; the channels ch div lanes = g form group g, whose
//! planes have the same addresses in all partitions. An input whose taps are laid over the rows
//! lies in every partition that needs it: each has a list of channels, one plane after the other. A plane row is followed by at least as many
//! zero bytes as the consumer pads on either side: they are the right halo of this row and the left
//! halo of the next one. Zero rows lie above the first, between neighbouring and below the last
//! plane. Tensors around a depthwise layer may have the phases of their pixels in planes of their own ([`PixelOrder`]). Tensors of
//! matrices lie in another way ([`MatrixTensor`]).

use std::ops::Range;

use heddle_arch::word::{WORD_BYTES, WordBytes};
use heddle_network::{Padding, Shape};

use super::{MatrixTensor, PixelOrder};
use crate::error::CompileError;

/// A tensor's place in the state buffer; all sizes in bytes, the same in all partitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorPlan {
    /// Name of the layer that makes the tensor; "input" for the input of the network.
    pub name: String,
    /// Channels, height, width.
    pub shape: Shape,
    /// Zero point; the value of HOST_ZERO for the words of this tensor.
    pub zero_point: i8,
    /// Channels of each partition, in the order of its planes; a channel may lie in several. None if the host alone has the tensor.
    pub planes: Vec<Vec<u32>>,
    /// Which pixels of its channel a plane holds.
    pub order: PixelOrder,
    /// Address of the region, halos included.
    pub base: u32,
    /// Size of the region.
    pub bytes: u32,
    /// Address of row 0, column 0 of the first plane.
    pub origin: u32,
    /// Distance of rows.
    pub pitch: u32,
    /// Distance of planes.
    pub plane_stride: u32,
    /// Its matrices, if it has such instead of planes.
    pub matrices: Option<MatrixTensor>,
}

/// Distances in a tensor, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Distances {
    /// Of rows.
    pub pitch: u32,
    /// Of the planes of a partition.
    pub plane: u32,
}

/// Sizes of a tensor before it has an address; may exceed any memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Footprint {
    /// Size of the region.
    pub bytes: u64,
    /// Distance from the region's address to row 0, column 0 of group 0.
    lead: u64,
    pitch: u64,
    plane_stride: u64,
    planes: u64,
    /// Rows and words of a row that are written of a plane, for planes that follow each other.
    written: Vec<[u64; 2]>,
}

/// Rows, and words of each, of planes of so many rows and columns.
fn words_of_rows(planes: &[[u32; 2]]) -> Vec<[u64; 2]> {
    let words = planes.iter();
    words
        .map(|&[rows, cols]| [u64::from(rows), u64::from(cols.div_ceil(WORD_BYTES))])
        .collect()
}

impl Footprint {
    /// `padding` is the padding of the layer that reads the tensor, `planes` the number of planes
    /// of a partition.
    pub fn of(shape: Shape, padding: Padding, planes: u32) -> Self {
        let size = [shape.height, shape.width];
        Self::of_planes(size, padding, planes, &[size])
    }

    /// No room at all.
    pub fn none() -> Self {
        Self {
            bytes: 0,
            lead: 0,
            pitch: 0,
            plane_stride: 0,
            planes: 0,
            written: Vec::new(),
        }
    }

    /// Planes of this size, of which these rows and columns are written: those of the first plane, of the next one and so on, from the front
    /// again behind the last.
    pub fn of_planes(
        [height, width]: [u32; 2],
        padding: Padding,
        planes: u32,
        written: &[[u32; 2]],
    ) -> Self {
        let left = u64::from(padding.left);
        let right = u64::from(padding.right);
        let top = u64::from(padding.top);
        let bottom = u64::from(padding.bottom);
        let height = u64::from(height);
        let planes = u64::from(planes);
        let pitch = (u64::from(width) + left.max(right)).next_multiple_of(u64::from(WORD_BYTES));
        let lead = left.next_multiple_of(u64::from(WORD_BYTES)) + top * pitch;
        let plane_stride = (height + top.max(bottom)) * pitch;
        Self {
            bytes: lead + (planes - 1) * plane_stride + (height + bottom) * pitch,
            lead,
            pitch,
            plane_stride,
            planes,
            written: words_of_rows(written),
        }
    }

    /// Some planes and rows of it, which has the same region.
    pub fn part(&self, [plane, row]: [u32; 2], planes: u32, written: &[[u32; 2]]) -> Self {
        Self {
            lead: self.lead + u64::from(plane) * self.plane_stride + u64::from(row) * self.pitch,
            planes: planes.into(),
            written: words_of_rows(written),
            ..self.clone()
        }
    }

    /// For each word of the region: it holds elements. The words of a row are written as wholes.
    pub fn written(&self) -> Vec<bool> {
        let mut written = vec![false; (self.bytes / u64::from(WORD_BYTES)) as usize];
        for plane in 0..self.planes {
            let [rows, words] = self.written[plane as usize % self.written.len()];
            for y in 0..rows {
                let row = (self.lead + plane * self.plane_stride + y * self.pitch)
                    / u64::from(WORD_BYTES);
                written[row as usize..][..words as usize].fill(true);
            }
        }
        written
    }

    /// Room for addresses that begin so many bytes below the halo.
    pub fn with_slack(self, slack: u32) -> Self {
        let slack = u64::from(slack).next_multiple_of(u64::from(WORD_BYTES));
        Self {
            bytes: self.bytes + slack,
            lead: self.lead + slack,
            ..self
        }
    }

    /// Distances of rows and planes; for a tensor that fits a partition.
    pub fn distances(&self) -> Distances {
        let fit = |size: u64| u32::try_from(size).unwrap_or(u32::MAX);
        Distances {
            pitch: fit(self.pitch),
            plane: fit(self.plane_stride),
        }
    }
}

impl TensorPlan {
    /// Gives a tensor its address. The region must end inside a partition.
    pub(crate) fn place(
        name: &str,
        shape: Shape,
        zero_point: i8,
        (planes, order): (Vec<Vec<u32>>, PixelOrder),
        footprint: &Footprint,
        base: u32,
    ) -> Self {
        let fit = |size: u64| u32::try_from(size).expect("the region lies inside a partition");
        Self {
            name: name.to_string(),
            shape,
            zero_point,
            planes,
            order,
            base,
            bytes: fit(footprint.bytes),
            origin: base + fit(footprint.lead),
            pitch: fit(footprint.pitch),
            plane_stride: fit(footprint.plane_stride),
            matrices: None,
        }
    }

    /// A tensor of matrices, which have their addresses.
    pub(crate) fn of_matrices(
        name: &str,
        shape: Shape,
        zero_point: i8,
        matrices: MatrixTensor,
    ) -> Self {
        let places = || matrices.places.iter();
        let base = places().map(|place| place.base).min().unwrap_or(0);
        let end = places().map(|place| place.end()).max().unwrap_or(0);
        Self {
            name: name.to_string(),
            shape,
            zero_point,
            planes: Vec::new(),
            order: PixelOrder::Plain,
            base,
            bytes: end - base,
            origin: base,
            pitch: 0,
            plane_stride: 0,
            matrices: Some(matrices),
        }
    }

    /// Planes of a partition, at most: groups of channels.
    #[must_use]
    pub fn groups(&self) -> u32 {
        let most = self.planes.iter().map(Vec::len).max();
        most.map_or(0, |planes| planes as u32)
    }

    /// Distances of rows and planes.
    pub(crate) fn distances(&self) -> Distances {
        Distances {
            pitch: self.pitch,
            plane: self.plane_stride,
        }
    }

    /// Partition and plane of everything that there is of a channel.
    fn copies(&self, channel: u32) -> impl Iterator<Item = (u32, u32)> {
        (0..)
            .zip(&self.planes)
            .flat_map(move |(partition, planes)| {
                let planes = (0..).zip(planes);
                let held = planes.filter(move |&(_, &other)| other == channel);
                held.map(move |(plane, _)| (partition, plane))
            })
    }

    /// Partition and plane of every copy of pixels of a row of a channel, with the first of their columns and their distance.
    fn row_pieces(&self, channel: u32, y: u32) -> impl Iterator<Item = (u32, u32, [u32; 2])> {
        let lanes = self.planes.len() as u32;
        self.copies(channel).filter_map(move |(partition, plane)| {
            let columns = self.order.columns(y, partition, plane, lanes)?;
            Some((partition, plane, columns))
        })
    }

    /// The words of these columns of a row in one of its planes.
    fn row_words(&self, plane: u32, y: u32, columns: [u32; 2]) -> std::ops::Range<u32> {
        let row = y / self.order.steps()[0];
        let word = self.address(plane, row.into(), 0) / WORD_BYTES;
        word..word + self.columns(columns).len().div_ceil(WORD_BYTES as usize) as u32
    }

    /// The words of a row of a channel that a partition has in one of its planes, and the first of its columns.
    pub(crate) fn words_of_row(
        &self,
        partition: u32,
        plane: u32,
        y: u32,
    ) -> Option<(std::ops::Range<u32>, u32)> {
        let lanes = self.planes.len() as u32;
        let columns = self.order.columns(y, partition, plane, lanes)?;
        Some((self.row_words(plane, y, columns), columns[0]))
    }

    /// Columns from the first one on.
    fn columns(&self, [first, step]: [u32; 2]) -> impl ExactSizeIterator<Item = u32> {
        (first..self.shape.width).step_by(step as usize)
    }

    /// First columns and distances of the pieces in which a row lies.
    fn pieces(&self) -> impl Iterator<Item = [u32; 2]> {
        let step = self.order.steps()[1];
        (0..step).map(move |first| [first, step])
    }

    /// Address of an element of a group; with the padding of the consumer, rows and columns reach
    /// from -padding on.
    #[must_use]
    pub(crate) fn address(&self, group: u32, y: i64, x: i64) -> u32 {
        let address = i64::from(self.origin)
            + i64::from(group) * i64::from(self.plane_stride)
            + y * i64::from(self.pitch)
            + x;
        u32::try_from(address).expect("halos lie inside the region")
    }

    /// Partition and word of every word that holds elements, in the order channel, row, phase, word of the
    /// row; none if the host alone has the tensor. Of a channel in several partitions the first copy. Of matrices each once, by partition.
    #[must_use]
    pub fn word_places(&self) -> Vec<(u32, u32)> {
        if let Some(matrices) = &self.matrices {
            return matrices.word_places();
        }
        let mut places = Vec::new();
        if self.planes.is_empty() {
            return places;
        }
        for channel in 0..self.shape.channels {
            for y in 0..self.shape.height {
                for columns in self.pieces() {
                    let mut pieces = self.row_pieces(channel, y);
                    let piece = pieces.find(|&(_, _, found)| found == columns);
                    let (partition, plane, _) = piece.expect("every pixel has a place");
                    let words = self.row_words(plane, y, columns);
                    places.extend(words.map(|word| (partition, word)));
                }
            }
        }
        places
    }

    /// Host words of a quantised tensor (elements in the order channel, row, column): partition,
    /// word and bytes as they are written to the host port with HOST_ZERO = `zero_point`, channel by
    /// channel with all its copies. Bytes behind the end of a row are the zero point, which the host port makes a zero.
    ///
    /// # Errors
    /// [`CompileError::TensorLength`]
    pub fn pack(&self, values: &[i8]) -> Result<Vec<(u32, u32, WordBytes)>, CompileError> {
        self.check_length("values", values.len(), self.shape.elements())?;
        if let Some(matrices) = &self.matrices {
            return Ok(matrices.pack(values, self.zero_point));
        }
        let plane_values = (self.shape.height * self.shape.width) as usize;
        let lanes = self.planes.len() as u32;
        let mut words = Vec::new();
        for (channel, values) in (0..).zip(values.chunks_exact(plane_values)) {
            for (partition, plane) in self.copies(channel) {
                let rows = (0..).zip(values.chunks_exact(self.shape.width as usize));
                let held = rows.filter_map(|(y, row)| {
                    let columns = self.order.columns(y, partition, plane, lanes)?;
                    Some((y, row, columns))
                });
                for (y, row, columns) in held {
                    let mut found = self.columns(columns).map(|x| row[x as usize]);
                    for word in self.row_words(plane, y, columns) {
                        let mut bytes = [self.zero_point as u8; WORD_BYTES as usize];
                        for (byte, value) in bytes.iter_mut().zip(found.by_ref()) {
                            *byte = value as u8;
                        }
                        words.push((partition, word, bytes));
                    }
                }
            }
        }
        Ok(words)
    }

    /// Its bytes in a partition.
    pub(crate) fn range(&self) -> Range<u32> {
        self.base..self.base + self.bytes
    }

    /// The number of these words.
    pub(crate) fn written_words(&self) -> u64 {
        let words = self.pack(&vec![0; self.shape.elements()]);
        words.map_or(0, |words| words.len() as u64)
    }

    /// The quantised tensor from its host words, in the order of [`TensorPlan::word_places`], as
    /// they are read from the host port with HOST_ZERO = `zero_point`.
    ///
    /// # Errors
    /// [`CompileError::TensorLength`]
    pub fn unpack(&self, words: &[WordBytes]) -> Result<Vec<i8>, CompileError> {
        if let Some(matrices) = &self.matrices {
            let places = matrices.word_places();
            self.check_length("words", words.len(), places.len())?;
            return Ok(matrices.unpack(words));
        }
        let pieces: Vec<_> = self.pieces().collect();
        let row_words =
            |columns: [u32; 2]| self.columns(columns).len().div_ceil(WORD_BYTES as usize);
        let in_row: usize = pieces.iter().map(|&columns| row_words(columns)).sum();
        let rows = self.shape.channels as usize * self.shape.height as usize;
        self.check_length("words", words.len(), rows * in_row)?;
        let mut values = Vec::with_capacity(self.shape.elements());
        let mut words = words.iter();
        for _ in 0..rows {
            let mut row = vec![0; self.shape.width as usize];
            for &columns in &pieces {
                let of_piece = words.by_ref().take(row_words(columns));
                let bytes = of_piece.flatten();
                for (x, &byte) in self.columns(columns).zip(bytes) {
                    row[x as usize] = byte as i8;
                }
            }
            values.append(&mut row);
        }
        Ok(values)
    }

    fn check_length(
        &self,
        what: &'static str,
        found: usize,
        expected: usize,
    ) -> Result<(), CompileError> {
        if found == expected {
            return Ok(());
        }
        Err(CompileError::TensorLength {
            tensor: self.name.clone(),
            what,
            found,
            expected,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(channels: u32, height: u32, width: u32, padding: Padding, lanes: u32) -> TensorPlan {
        let shape = Shape {
            channels,
            height,
            width,
        };
        let footprint = Footprint::of(shape, padding, channels.div_ceil(lanes));
        let planes = PixelOrder::Plain.planes(channels, lanes);
        TensorPlan::place("t", shape, -5, (planes, PixelOrder::Plain), &footprint, 64)
    }

    #[test]
    fn every_copy_of_a_channel_is_packed_and_the_first_is_unpacked() {
        let shape = Shape {
            channels: 2,
            height: 2,
            width: 3,
        };
        let planes = vec![vec![0], vec![0, 1], vec![], vec![1]];
        let footprint = Footprint::of(shape, Padding::default(), 2).with_slack(3);
        let t = TensorPlan::place("t", shape, 0, (planes, PixelOrder::Plain), &footprint, 64);
        assert_eq!((t.groups(), t.origin, t.bytes), (2, 72, 40));
        let values: Vec<i8> = (1..13).collect();
        let words = t.pack(&values).unwrap();
        let row = |first: u8| [first, first + 1, first + 2, 0, 0, 0, 0, 0];
        let expected = [
            (0, 9, row(1)),
            (0, 10, row(4)),
            (1, 9, row(1)),
            (1, 10, row(4)),
            (1, 11, row(7)),
            (1, 12, row(10)),
            (3, 9, row(7)),
            (3, 10, row(10)),
        ];
        assert_eq!(words, expected);
        let places = [(0, 9), (0, 10), (1, 11), (1, 12)];
        assert_eq!(t.word_places(), places);
        let read = places.map(|(p, w)| words.iter().find(|x| (x.0, x.1) == (p, w)).unwrap().2);
        assert_eq!(t.unpack(&read).unwrap(), values);
    }

    #[test]
    fn halos_of_all_sides_lie_inside_the_region() {
        let padding = Padding {
            top: 1,
            bottom: 2,
            left: 3,
            right: 1,
        };
        let t = plan(5, 4, 6, padding, 2);
        assert_eq!((t.pitch, t.plane_stride), (16, 6 * 16));
        assert_eq!(t.origin, 64 + 8 + 16);
        assert_eq!(t.bytes, 8 + 16 + 2 * 96 + 6 * 16);
        assert!(t.address(0, -1, -3) >= t.base);
        assert!(t.address(2, 5, 6) < t.base + t.bytes);
    }

    #[test]
    fn a_tensor_without_padding_has_no_waste_but_whole_words() {
        let t = plan(4, 3, 8, Padding::default(), 4);
        assert_eq!((t.bytes, t.origin, t.pitch), (24, 64, 8));
    }

    #[test]
    fn packing_keeps_every_element_and_fills_with_the_zero_point() {
        let padding = Padding {
            left: 1,
            ..Padding::default()
        };
        let t = plan(3, 2, 9, padding, 2);
        let values: Vec<i8> = (0..54).collect();
        let words = t.pack(&values).unwrap();
        assert_eq!(words.len(), 12);
        assert_eq!(
            words[1],
            (0, t.origin / 8 + 1, [8, 251, 251, 251, 251, 251, 251, 251])
        );
        assert_eq!(words[8].0, 0, "channel 2 is in partition 0 again");
        assert_eq!(words[8].1, (t.origin + t.plane_stride) / 8);
        let data: Vec<[u8; 8]> = words.iter().map(|w| w.2).collect();
        assert_eq!(t.unpack(&data).unwrap(), values);
        let message = t.pack(&values[1..]).unwrap_err().to_string();
        assert_eq!(message, "tensor t is given 53 values, expected 54");
        let message = t.unpack(&data[1..]).unwrap_err().to_string();
        assert_eq!(message, "tensor t is given 11 words, expected 12");
    }
}
