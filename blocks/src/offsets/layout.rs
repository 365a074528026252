//! Where the elements of a tensor lie.

use heddle_arch::offsets::{Convolution, Layout};

/// Distances in elements between neighbours of a tensor.
pub(super) struct Pitches {
    /// Next image.
    pub(super) image: i64,
    /// Next row of a plane.
    pub(super) row: i64,
    /// Next column of a plane.
    pub(super) column: i64,
    /// Next channel of a vector; of all channels, if there are no vectors.
    pub(super) lane: i64,
    /// Next vector of channels.
    pub(super) block: i64,
    /// Channels of a vector.
    vector: u32,
}

impl Pitches {
    /// The pitches of a convolution's tensor as it is stored, border included.
    pub(super) fn of(convolution: &Convolution) -> Pitches {
        let [height, width] = convolution.stored().map(i64::from);
        let channels = i64::from(convolution.channels);
        let images = i64::from(convolution.images);
        let vector = i64::from(convolution.vector);
        let plane = height * width;
        let (image, row, column, lane, block) = match convolution.layout {
            Layout::Nchw => (channels * plane, width, 1, plane, plane),
            Layout::Cnhw => (plane, width, 1, images * plane, images * plane),
            Layout::Nhwc => (channels * plane, channels * width, channels, 1, 1),
            Layout::NchwVector => (channels * plane, width * vector, vector, 1, plane * vector),
        };
        Pitches {
            image,
            row,
            column,
            lane,
            block,
            vector: convolution.vector,
        }
    }

    /// Distance of a channel from channel 0.
    pub(super) fn channel(&self, channel: u32) -> i64 {
        let (block, lane) = (channel / self.vector, channel % self.vector);
        i64::from(block) * self.block + i64::from(lane) * self.lane
    }
}
