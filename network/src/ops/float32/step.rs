//! One step: what it reads, which shape it makes, and what it computes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::array::{Array, elements};
use super::function::Function;
use super::is_default;

/// A step. What it reads are numbers of operands, constants and steps before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// A function of each element.
    Function {
        /// What it reads.
        of: [u32; 1],
        /// Which function.
        function: Function,
        /// The two numbers that some functions have: alpha first. Default: 0.
        #[serde(default, skip_serializing_if = "is_default")]
        numbers: [f32; 2],
    },
    /// Two tensors element by element. Sides of 1 are broadcast; the last dimensions of both belong together.
    Pair {
        /// What it reads.
        of: [u32; 2],
        /// What two elements become.
        pair: Pair,
    },
    /// One place of some dimensions.
    Reduce {
        /// What it reads.
        of: [u32; 1],
        /// What the elements become.
        over: Over,
        /// Which dimensions; they have one place then.
        axes: Vec<u32>,
    },
    /// One element of each window over the last two dimensions.
    Pool {
        /// What it reads.
        of: [u32; 1],
        /// What the elements of a window become: mean or max.
        over: Over,
        /// How the window moves.
        window: Window,
        /// A mean counts places around the input too.
        counts_padding: bool,
    },
    /// A convolution: of batch, channels, height and width, and weights of outputs, channels of a group, rows and columns.
    Conv {
        /// What it reads: the image and the weights.
        of: [u32; 2],
        /// How the kernel moves.
        window: Window,
        /// Groups of channels.
        #[schemars(range(min = 1, max = 65536))]
        groups: u32,
    },
    /// Elements of other places: each is the one whose number is the sum of what its place along each dimension says.
    Gather {
        /// What it reads.
        of: [u32; 1],
        /// For each dimension the numbers that its places add, up to 6 dimensions.
        #[schemars(length(min = 1, max = 6), inner(length(min = 1, max = 65536)))]
        sources: Vec<Vec<u32>>,
    },
    /// The same elements in another shape.
    Reshape {
        /// What it reads.
        of: [u32; 1],
        /// Sizes, up to 6 of them.
        #[schemars(length(max = 6), inner(range(min = 1, max = 268435456)))]
        shape: Vec<u32>,
    },
    /// One tensor after another along a dimension.
    Concat {
        /// What it reads.
        #[schemars(length(min = 1, max = 64))]
        of: Vec<u32>,
        /// The dimension.
        axis: u32,
    },
    /// Products of matrices, which the last two dimensions hold. Sides of 1 in front of them are broadcast.
    Matmul {
        /// What it reads.
        of: [u32; 2],
    },
}

/// Windows over height and width, which come first in all lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Places of a window.
    #[schemars(inner(range(min = 1, max = 65536)))]
    pub kernel: [u32; 2],
    /// How far apart windows are.
    #[schemars(inner(range(min = 1, max = 65536)))]
    pub stride: [u32; 2],
    /// How far apart the places of a window are.
    #[schemars(inner(range(min = 1, max = 65536)))]
    pub dilation: [u32; 2],
    /// Places before and behind the input.
    #[schemars(inner(inner(range(min = 0, max = 65536))))]
    pub padding: [[u32; 2]; 2],
    /// Windows, the last of which may reach beyond the padding.
    #[schemars(inner(range(min = 1, max = 65536)))]
    pub output: [u32; 2],
}

/// What two elements become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pair {
    /// Their sum.
    Add,
    /// The first less the second.
    Sub,
    /// Their product.
    Mul,
    /// The first by the second.
    Div,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
}

/// What several elements become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// Their mean.
    Mean,
    /// Their sum.
    Sum,
    /// The smallest one.
    Min,
    /// The largest one.
    Max,
}

impl Pair {
    fn of(self, one: f32, other: f32) -> f32 {
        match self {
            Pair::Add => one + other,
            Pair::Sub => one - other,
            Pair::Mul => one * other,
            Pair::Div => one / other,
            Pair::Min => one.min(other),
            Pair::Max => one.max(other),
        }
    }
}

impl Over {
    pub(super) fn of(self, values: &[f32]) -> f32 {
        let sum = || values.iter().copied().map(f64::from).sum::<f64>();
        match self {
            Over::Mean => (sum() / values.len() as f64) as f32,
            Over::Sum => sum() as f32,
            Over::Min => values.iter().copied().fold(f32::INFINITY, f32::min),
            Over::Max => values.iter().copied().fold(f32::NEG_INFINITY, f32::max),
        }
    }
}

impl Step {
    /// What it reads.
    #[must_use]
    pub fn of(&self) -> &[u32] {
        match self {
            Step::Pair { of, .. } | Step::Conv { of, .. } | Step::Matmul { of } => of,
            Step::Concat { of, .. } => of,
            Step::Function { of, .. }
            | Step::Reduce { of, .. }
            | Step::Pool { of, .. }
            | Step::Gather { of, .. }
            | Step::Reshape { of, .. } => of,
        }
    }

    /// The same, to be changed.
    #[must_use]
    pub fn of_mut(&mut self) -> &mut [u32] {
        match self {
            Step::Pair { of, .. } | Step::Conv { of, .. } | Step::Matmul { of } => of,
            Step::Concat { of, .. } => of,
            Step::Function { of, .. }
            | Step::Reduce { of, .. }
            | Step::Pool { of, .. }
            | Step::Gather { of, .. }
            | Step::Reshape { of, .. } => of,
        }
    }

    /// Whether each element is made of the elements at its place alone.
    #[must_use]
    pub fn is_of_elements(&self) -> bool {
        matches!(self, Step::Function { .. } | Step::Pair { .. })
    }

    /// Whether float32 has one result, in whichever order and by whichever library it is computed.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        match self {
            Step::Function { function, .. } => function.is_exact(),
            Step::Reduce { over, .. } | Step::Pool { over, .. } => {
                matches!(over, Over::Min | Over::Max)
            }
            Step::Conv { .. } | Step::Matmul { .. } => false,
            _ => true,
        }
    }

    pub(super) fn run(&self, of: &[&Array]) -> Array {
        let first = of[0];
        let shapes: Vec<&[u32]> = of.iter().map(|of| &of.shape[..]).collect();
        let shape = self.shape(&shapes).expect("it was checked");
        let values: Vec<f32> = match self {
            Step::Function {
                function, numbers, ..
            } => {
                let at = |&x: &f32| function.at(x.into(), *numbers) as f32;
                first.values.iter().map(at).collect()
            }
            Step::Pair { pair, .. } => {
                let (one, other) = (first.broadcast(&shape), of[1].broadcast(&shape));
                let pairs = one.into_iter().zip(other);
                pairs.map(|(one, other)| pair.of(one, other)).collect()
            }
            Step::Reduce { over, axes, .. } => {
                let rows = first.rows(axes);
                let length = rows.len() / elements(&shape) as usize;
                rows.chunks(length).map(|row| over.of(row)).collect()
            }
            Step::Pool {
                over,
                window,
                counts_padding,
                ..
            } => window.pooled(first, *over, *counts_padding),
            Step::Conv { window, groups, .. } => window.convolved(first, of[1], *groups as usize),
            Step::Gather { sources, .. } => first.gathered(sources),
            Step::Reshape { .. } => first.values.clone(),
            Step::Concat { axis, .. } => Array::joined(of, *axis as usize),
            Step::Matmul { .. } => first.times(of[1], &shape),
        };
        Array::new(&shape, values)
    }
}
