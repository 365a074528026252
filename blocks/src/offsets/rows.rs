//! What a GEMM row and a tap are: an output pixel and a place of the filter.

use heddle_arch::offsets::{Convolution, Layout};

/// A GEMM row: one output pixel of one image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GemmRow {
    /// Image of the batch (`ibs`).
    pub image: u32,
    /// Output pixel of the image (`pix`).
    pub pixel: u32,
    /// Row of the output plane.
    pub y: u32,
    /// Column of the output plane.
    pub x: u32,
}

/// A tap: one place of the filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tap {
    /// Input channel of the group (`c`).
    pub channel: u32,
    /// Filter row (`v`).
    pub v: u32,
    /// Filter column (`u`).
    pub u: u32,
}

/// The GEMM rows in their order: along the columns of the output first, so that neighbours read
/// neighbours (SGCR-05).
///
/// # Panics
/// If the convolution is not that of a request that passes [`Request::check`].
///
/// [`Request::check`]: heddle_arch::offsets::Request::check
#[must_use]
pub fn rows(convolution: &Convolution) -> Vec<GemmRow> {
    let [height, width] = convolution.output();
    let pixels = height * width;
    let row = |index: u32| {
        let pixel = index % pixels;
        GemmRow {
            image: index / pixels,
            pixel,
            y: pixel / width,
            x: pixel % width,
        }
    };
    (0..convolution.images * pixels).map(row).collect()
}

/// The taps of a group in their order (SGCR-07): that of the weights, channel slowest and filter
/// column fastest, or with `reuse` that of the elements in memory.
///
/// # Panics
/// As [`rows`].
#[must_use]
pub fn taps(convolution: &Convolution, reuse: bool) -> Vec<Tap> {
    let channels = convolution.group_channels();
    let [height, width] = convolution.kernel;
    // Channels that lie next to each other, and are fastest then.
    let together = match convolution.layout {
        _ if !reuse => 1,
        Layout::Nchw | Layout::Cnhw => 1,
        Layout::Nhwc => channels,
        Layout::NchwVector => convolution.vector,
    };
    let mut taps = Vec::new();
    for block in 0..channels / together {
        for v in 0..height {
            for u in 0..width {
                for lane in 0..together {
                    let channel = block * together + lane;
                    taps.push(Tap { channel, v, u });
                }
            }
        }
    }
    taps
}
