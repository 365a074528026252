//! Another order of dimensions; values pass unchanged.
//!
//! A tensor of channels x height x width is `channels` matrices of height x width. A tensor of four dimensions
//! d0 x d1 x d2 x d3 has d0 d1 channels: its elements have the same order.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LayerKind, Operator, OperatorFile, Work};
use crate::draft::Draft;
use crate::file::Common;
use crate::{Layer, NetworkError, Shape, Tensor};

/// What a file says of another order of dimensions.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransposeFile {
    /// Dimension i of the output is this dimension of the input, both of four dimensions, the first two of which are the channels.
    /// Default: 0, 1, 3, 2, the matrix of each channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "[u8; 4]", inner(range(min = 0, max = 3)))]
    pub permutation: Option<[u8; 4]>,
    /// Dimension 0 of the input, which divides the channels. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 4096))]
    pub batch: Option<u32>,
    /// Bytes of an element, the lowest one first; divides the width. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u32", range(min = 1, max = 8))]
    pub element_bytes: Option<u32>,
}

impl OperatorFile for TransposeFile {
    const FOR_HOST: bool = false;
    const COMMON: Common = Common::MOVED;

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        let input = draft.shapes[0];
        let usual = Permutation::default();
        let permutation = Permutation {
            batch: self.batch.unwrap_or(usual.batch),
            axes: self.permutation.unwrap_or(usual.axes),
            element_bytes: self.element_bytes.unwrap_or(usual.element_bytes),
        };
        let axes = permutation.axes;
        let before = draft.faults.len();
        for (field, found, size, what) in [
            ("batch", permutation.batch, input.channels, "channels"),
            ("element_bytes", permutation.element_bytes, input.width, "bytes of a row"),
        ] {
            if size % found != 0 {
                let message = format!("is {found}, expected a divisor of the {size} {what}");
                draft.fault(field, message);
            }
        }
        if !(0..4).all(|axis| axes.contains(&axis)) {
            let message = format!("is {axes:?}, expected each of 0 to 3 once");
            draft.fault("permutation", message);
        }
        if draft.faults.len() > before {
            return None;
        }
        let sides = permutation.output(input).sides().map(u64::from);
        draft.layer.output = draft.bounded(sides, "permutation")?;
        Some(LayerKind::Transpose(permutation))
    }
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

/// What a layer does.
pub(super) struct Op(pub Permutation);

impl Operator for Op {
    fn work(&self) -> Work {
        Work::Permutation(self.0)
    }

    fn moves(&self) -> bool {
        true
    }

    fn run(&self, _layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        let bytes = self.0.element_bytes as usize;
        let sizes = self.0.dimensions(inputs[0].shape).map(|size| size as usize);
        let axes = self.0.axes.map(usize::from);
        // Distance of neighbours along each dimension of the output, in elements of the input.
        let strides = axes.map(|axis| sizes[axis + 1..].iter().product::<usize>());
        let [a, b, c, d] = axes.map(|axis| sizes[axis]);
        let mut values = Vec::with_capacity(inputs[0].values.len());
        for number in 0..a * b * c * d {
            let place = [number / (b * c * d), number / (c * d) % b, number / d % c, number % d];
            let element: usize = place.iter().zip(strides).map(|(at, stride)| at * stride).sum();
            values.extend(&inputs[0].values[element * bytes..][..bytes]);
        }
        Ok(values)
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
