//! Another order of dimensions; values pass unchanged.
//!
//! A tensor of channels x height x width is `channels` matrices of height x width. A tensor of four dimensions
//! d0 x d1 x d2 x d3 has d0 d1 channels: its elements have the same order.

use super::prelude::*;

/// A transpose: another order of four dimensions, the first two of which are the channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Permutation {
    /// Dimension 0 of the input, which divides the channels: they are dimension 0 times dimension 1.
    #[schemars(range(min = 1, max = 65536))]
    pub batch: u32,
    /// Dimension i of the output is this dimension of the input.
    #[serde(rename = "permutation")]
    #[schemars(inner(range(max = 3)))]
    pub axes: [u8; 4],
    /// Bytes of an element, the lowest one first; divides the width, which counts bytes.
    #[schemars(range(min = 1, max = 8))]
    pub element_bytes: u32,
}

impl Default for Permutation {
    /// The matrix of each channel is transposed.
    fn default() -> Self {
        Self {
            batch: 1,
            axes: [0, 1, 3, 2],
            element_bytes: 1,
        }
    }
}

impl OperatorFile for Permutation {
    const FOR_HOST: bool = false;
    const COMMON: Common = Common::MOVED;

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        let Permutation {
            batch,
            axes,
            element_bytes,
        } = self;
        let input = draft.shapes[0];
        let before = draft.faults.len();
        for (field, found, size, what) in [
            ("batch", batch, input.channels, "channels"),
            ("element_bytes", element_bytes, input.width, "bytes of a row"),
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
        let sides = self.output(input).sides().map(u64::from);
        draft.layer.output = draft.bounded(sides, "permutation")?;
        Some(LayerKind::Transpose(self))
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

    fn host_reason(&self, _layer: &Layer, _inputs: &[Shape]) -> Option<&'static str> {
        (!self.0.is_of_matrices()).then_some("it is no transpose of matrices")
    }

    fn words(&self, _layer: &Layer) -> Vec<String> {
        let [a, b, c, d] = self.0.axes;
        let axes = format!("{a} {b} {c} {d}");
        match self.0.element_bytes {
            1 => vec![axes],
            bytes => vec![axes, format!("elements of {bytes} bytes")],
        }
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
