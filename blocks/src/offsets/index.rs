//! Tables by division of the two indices of the matrix (figure 15 of the specification): in
//! elements, without dilation. Equal to those of [`generate`](super::generate()) where both exist.

use heddle_arch::offsets::{Convolution, Layout, Sides};

/// `m_base` and `k_memory_offset` of a convolution in the layout NCHW: undilated, in one group,
/// with no padding but a stored border. `None` for any other.
///
/// # Panics
/// If the convolution is not that of a request that passes [`Request::check`].
///
/// [`Request::check`]: heddle_arch::offsets::Request::check
#[must_use]
pub fn tables(convolution: &Convolution) -> Option<(Vec<i64>, Vec<i64>)> {
    let stored =
        convolution.padding == Sides::default() || convolution.stored() == convolution.padded();
    let plain = convolution.layout == Layout::Nchw && convolution.groups == 1;
    if !plain || !stored || convolution.dilation != [1, 1] {
        return None;
    }
    let [height, width] = convolution.stored().map(i64::from);
    let [rows, columns] = convolution.output().map(i64::from);
    let [vertical, horizontal] = convolution.stride.map(i64::from);
    let channels = i64::from(convolution.channels);
    let m_base = |m: i64| {
        let n = m / (rows * columns);
        let h = m % (rows * columns) / columns * vertical;
        let w = m % (rows * columns) % columns * horizontal;
        n * channels * height * width + h * width + w
    };
    let [filter_rows, filter_columns] = convolution.kernel.map(i64::from);
    let k_memory_offset = |k: i64| {
        let c = k / (filter_rows * filter_columns);
        let s = k % (filter_rows * filter_columns) / filter_columns;
        let r = k % filter_columns;
        c * height * width + s * width + r
    };
    let bases = (0..i64::from(convolution.images) * rows * columns).map(m_base);
    let offsets = (0..channels * filter_rows * filter_columns).map(k_memory_offset);
    Some((bases.collect(), offsets.collect()))
}

/// Places of the operand of row m and of the weight of output n for tap k, in elements from the
/// origins of the two tensors: `m_base + k_memory_offset` and `n_base` plus its own offset.
#[must_use]
pub fn global_address(tables: &(Vec<i64>, Vec<i64>), m: usize, n: usize, k: usize) -> (i64, i64) {
    let (m_base, k_memory_offset) = tables;
    let n_base = (n * k_memory_offset.len()) as i64;
    (m_base[m] + k_memory_offset[k], n_base + k as i64)
}
