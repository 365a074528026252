//! Layers of matrices: products and transposes.
//!
//! A tensor of channels x height x width is `channels` matrices of height x width. A tensor of four dimensions
//! d0 x d1 x d2 x d3 has d0 d1 channels: its elements have the same order.

use super::Shape;

/// A product of matrices, one for each channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Matmul {
    /// The first, the second factor is taken transposed.
    pub transposed: [bool; 2],
}

/// A transpose: another order of four dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Permutation {
    /// Dimension 0 of the input; the channels are dimension 0 times dimension 1.
    pub batch: u32,
    /// Dimension i of the output is dimension `axes[i]` of the input.
    pub axes: [u8; 4],
    /// Bytes of an element, the lowest one first; the width counts bytes.
    pub element_bytes: u32,
}

impl Default for Permutation {
    fn default() -> Self {
        Self {
            batch: 1,
            axes: [0, 1, 3, 2],
            element_bytes: 1,
        }
    }
}

/// Matrices of one shape, one after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Matrices {
    /// How many.
    pub count: u32,
    /// Rows of each.
    pub rows: u32,
    /// Elements of a row.
    pub cols: u32,
}

impl Matrices {
    /// The channels of a tensor.
    #[must_use]
    pub fn of(shape: Shape) -> Self {
        Self {
            count: shape.channels,
            rows: shape.height,
            cols: shape.width,
        }
    }

    /// The same, each of them transposed.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self {
            rows: self.cols,
            cols: self.rows,
            ..self
        }
    }
}

impl Permutation {
    /// Dimensions that stay in front, and dimensions behind them that go to the end; none if the permutation is
    /// no transpose of matrices.
    fn split(axes: [u8; 4]) -> Option<(usize, usize)> {
        (0..3).find_map(|front| {
            let moved = (1..4 - front).find(|moved| {
                let turned = (0..4 - front).map(|i| front + (i + moved) % (4 - front));
                let order = (0..front).chain(turned);
                order.eq(axes.iter().map(|&axis| usize::from(axis)))
            });
            moved.map(|moved| (front, moved))
        })
    }

    /// Whether it swaps two neighbouring groups of dimensions, the last of which is at the end.
    #[must_use]
    pub fn is_transpose(axes: [u8; 4]) -> bool {
        Self::split(axes).is_some()
    }

    /// Whether it is one of matrices, whose last dimension is at the end or not.
    #[must_use]
    pub fn is_of_matrices(&self) -> bool {
        Self::is_transpose(self.axes)
    }

    /// The four dimensions of an input, in elements.
    #[must_use]
    pub fn dimensions(&self, input: Shape) -> [u32; 4] {
        [
            self.batch,
            input.channels / self.batch,
            input.height,
            input.width / self.element_bytes,
        ]
    }

    /// The matrices of an input that are transposed.
    ///
    /// # Panics
    /// If the permutation is no transpose.
    #[must_use]
    pub fn matrices(&self, input: Shape) -> Matrices {
        let (front, moved) = Self::split(self.axes).expect("networks have transposes alone");
        let sizes = self.dimensions(input);
        Matrices {
            count: sizes[..front].iter().product(),
            rows: sizes[front..front + moved].iter().product(),
            cols: sizes[front + moved..].iter().product(),
        }
    }

    /// Shape of the output.
    #[must_use]
    pub fn output(&self, input: Shape) -> Shape {
        let sizes = self.dimensions(input);
        let [a, b, c, d] = self.axes.map(|axis| sizes[usize::from(axis)]);
        Shape {
            channels: a * b,
            height: c,
            width: d * self.element_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pet_x4_the_permutations_of_the_table_and_their_matrices() {
        let matrices = |axes, batch, (channels, height, width)| {
            let permutation = Permutation {
                batch,
                axes,
                element_bytes: 1,
            };
            let shape = Shape {
                channels,
                height,
                width,
            };
            let found = permutation.matrices(shape);
            let out = permutation.output(shape);
            (
                (found.count, found.rows, found.cols),
                (out.channels, out.height, out.width),
            )
        };
        // N = 2, C = 3, H = 5, W = 7.
        assert_eq!(
            matrices([0, 2, 3, 1], 2, (6, 5, 7)),
            ((2, 3, 35), (10, 7, 3))
        );
        // N = 2, H = 5, W = 7, C = 3.
        assert_eq!(
            matrices([0, 3, 1, 2], 2, (10, 7, 3)),
            ((2, 35, 3), (6, 5, 7))
        );
        assert_eq!(matrices([0, 1, 3, 2], 2, (6, 5, 7)), ((6, 5, 7), (6, 7, 5)));
        assert_eq!(
            matrices([1, 2, 3, 0], 2, (6, 5, 7)),
            ((1, 2, 105), (15, 7, 2))
        );
        // Blocks of elements change their places, or nothing does.
        for axes in [[1, 0, 2, 3], [0, 1, 2, 3], [0, 2, 1, 3], [3, 2, 1, 0]] {
            assert!(!Permutation::is_transpose(axes), "{axes:?}");
        }
    }
}
