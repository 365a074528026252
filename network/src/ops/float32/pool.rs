//! Windows over the last two dimensions.

use super::array::Array;
use super::step::{Over, Step};

/// Of a window along one dimension the places inside the input, and how many count for a mean.
type Along = (Vec<usize>, usize);

impl Step {
    /// One element of each window.
    pub(super) fn pooled(&self, from: &Array) -> Vec<f32> {
        let &Step::Pool { over, output, .. } = self else {
            unreachable!("it is a pool");
        };
        let sizes = &from.shape[from.shape.len() - 2..];
        let [rows, columns] = [0, 1].map(|axis| {
            let windows = (0..output[axis]).map(|at| self.along(axis, sizes[axis], at));
            windows.collect::<Vec<Along>>()
        });
        let [height, width] = [sizes[0] as usize, sizes[1] as usize];
        let mut values = Vec::new();
        for plane in from.values.chunks(height * width) {
            for (down, high) in &rows {
                for (across, wide) in &columns {
                    let places = down.iter().flat_map(|&y| across.iter().map(move |&x| (y, x)));
                    let window = places.map(|(y, x)| plane[y * width + x]);
                    values.push(match over {
                        Over::Max => window.fold(f32::NEG_INFINITY, f32::max),
                        // In the order of the window, as onnxruntime adds.
                        _ => window.fold(0.0, |sum, value| sum + value) / (high * wide) as f32,
                    });
                }
            }
        }
        values
    }

    /// The places of a window along a dimension of height and width.
    fn along(&self, axis: usize, size: u32, at: u32) -> Along {
        let &Step::Pool {
            kernel,
            stride,
            dilation,
            padding,
            counts_padding,
            ..
        } = self
        else {
            unreachable!("it is a pool");
        };
        let (size, [before, behind]) = (i64::from(size), padding[axis].map(i64::from));
        let start = i64::from(at) * i64::from(stride[axis]) - before;
        let all = (0..kernel[axis]).map(|k| start + i64::from(k) * i64::from(dilation[axis]));
        let counted = all.clone().filter(|&place| place < size + behind).count();
        let inside = all.filter(|place| (0..size).contains(place));
        let inside: Vec<usize> = inside.map(|place| place as usize).collect();
        let counted = if counts_padding { counted } else { inside.len() };
        (inside, counted)
    }
}
