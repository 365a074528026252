//! Where the elements of a tensor lie in the partitions.
//!
//! Channel ch lies in partition ch mod lanes; the channels ch div lanes = g form group g, whose
//! planes have the same addresses in all partitions. A plane row is followed by at least as many
//! zero bytes as the consumer pads on either side: they are the right halo of this row and the left
//! halo of the next one. Zero rows lie above the first, between neighbouring and below the last
//! plane.

use heddle_arch::network::{Padding, Shape};

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
    /// Partitions that hold channels: min(rows, columns).
    pub lanes: u32,
    /// Address of the region, halos included.
    pub base: u32,
    /// Size of the region.
    pub bytes: u32,
    /// Address of row 0, column 0 of group 0.
    pub origin: u32,
    /// Distance of rows.
    pub pitch: u32,
    /// Distance of groups.
    pub plane_stride: u32,
}

/// Sizes of a tensor before it has an address; may exceed any memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Footprint {
    /// Size of the region.
    pub bytes: u64,
    /// Distance from the region's address to row 0, column 0 of group 0.
    lead: u64,
    pitch: u64,
    plane_stride: u64,
}

impl Footprint {
    /// `padding` is the padding of the layer that reads the tensor.
    pub fn of(shape: Shape, padding: Padding, lanes: u32) -> Self {
        let left = u64::from(padding.left);
        let right = u64::from(padding.right);
        let top = u64::from(padding.top);
        let bottom = u64::from(padding.bottom);
        let height = u64::from(shape.height);
        let groups = u64::from(shape.channels.div_ceil(lanes));
        let pitch = (u64::from(shape.width) + left.max(right)).next_multiple_of(8);
        let lead = left.next_multiple_of(8) + top * pitch;
        let plane_stride = (height + top.max(bottom)) * pitch;
        Self {
            bytes: lead + (groups - 1) * plane_stride + (height + bottom) * pitch,
            lead,
            pitch,
            plane_stride,
        }
    }
}

impl TensorPlan {
    /// Gives a tensor its address. The region must end inside a partition.
    pub(crate) fn place(
        name: &str,
        shape: Shape,
        zero_point: i8,
        lanes: u32,
        footprint: Footprint,
        base: u32,
    ) -> Self {
        let fit = |size: u64| u32::try_from(size).expect("the region lies inside a partition");
        Self {
            name: name.to_string(),
            shape,
            zero_point,
            lanes,
            base,
            bytes: fit(footprint.bytes),
            origin: base + fit(footprint.lead),
            pitch: fit(footprint.pitch),
            plane_stride: fit(footprint.plane_stride),
        }
    }

    /// Groups of channels.
    #[must_use]
    pub fn groups(&self) -> u32 {
        self.shape.channels.div_ceil(self.lanes)
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

    /// Partition and word of every word that holds elements, in the order of [`TensorPlan::pack`]:
    /// channel, row, word of the row.
    #[must_use]
    pub fn word_places(&self) -> Vec<(u32, u32)> {
        let mut places = Vec::new();
        for channel in 0..self.shape.channels {
            for y in 0..self.shape.height {
                let row = self.address(channel / self.lanes, i64::from(y), 0) / 8;
                let words = self.shape.width.div_ceil(8);
                places.extend((row..row + words).map(|word| (channel % self.lanes, word)));
            }
        }
        places
    }

    /// Host words of a quantised tensor (elements in the order channel, row, column): partition,
    /// word and bytes as they are written to the host port with HOST_ZERO = `zero_point`. Bytes
    /// behind the end of a row are the zero point, which the host port makes a zero.
    ///
    /// # Errors
    /// [`CompileError::TensorLength`]
    pub fn pack(&self, values: &[i8]) -> Result<Vec<(u32, u32, [u8; 8])>, CompileError> {
        self.check_length("values", values.len(), self.shape.elements())?;
        let rows = values.chunks_exact(self.shape.width as usize);
        let words = rows.flat_map(|row| {
            row.chunks(8).map(|values| {
                let mut word = [self.zero_point as u8; 8];
                for (byte, &value) in word.iter_mut().zip(values) {
                    *byte = value as u8;
                }
                word
            })
        });
        let places = self.word_places();
        let packed = places.into_iter().zip(words);
        Ok(packed.map(|((p, w), data)| (p, w, data)).collect())
    }

    /// The quantised tensor from its host words, in the order of [`TensorPlan::word_places`], as
    /// they are read from the host port with HOST_ZERO = `zero_point`.
    ///
    /// # Errors
    /// [`CompileError::TensorLength`]
    pub fn unpack(&self, words: &[[u8; 8]]) -> Result<Vec<i8>, CompileError> {
        let row_words = self.shape.width.div_ceil(8) as usize;
        let rows = self.shape.channels as usize * self.shape.height as usize;
        self.check_length("words", words.len(), rows * row_words)?;
        let mut values = Vec::with_capacity(self.shape.elements());
        for row in words.chunks_exact(row_words) {
            let bytes = row.iter().flatten().take(self.shape.width as usize);
            values.extend(bytes.map(|&byte| byte as i8));
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
        let footprint = Footprint::of(shape, padding, lanes);
        TensorPlan::place("t", shape, -5, lanes, footprint, 64)
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
