//! Steps in float32 between bytes and bytes: what a file computes in float32 without scales of its own.
//!
//! Inputs become (byte - zero point) times scale. Each step then makes a tensor of float32 of those before it. The last one is divided
//! by the scale of the output and rounded; the zero point is added, and the result cut to a byte.
//!
//! Each step rounds once: sums are added in double precision, functions and quotients are exact to some 2^-45. A mean of
//! windows alone is added in float32, place after place. So a layer gives the same bytes on every machine.

mod array;
mod check;
mod function;
mod pool;
mod shape;
mod step;

use super::prelude::*;

pub use function::Function;
pub use step::{Over, Pair, Step, Window};

use array::Array;

/// Most elements that all operands, constants and steps of a layer have together.
pub const ELEMENTS_MAX: u64 = 1 << 26;
/// Most terms that all steps of a layer add.
pub const TERMS_MAX: u64 = 1 << 32;

/// What a file says of steps in float32. Operands, constants and results of steps are counted in this order, from 0 on; a step reads those
/// before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Float32File {
    /// What each input is.
    #[schemars(length(min = 1, max = 64))]
    pub operands: Vec<Operand>,
    /// Stored tensors. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 256))]
    pub constants: Vec<Stored>,
    /// What is computed, one step after the other; the last one makes the output.
    #[schemars(length(min = 1, max = 256))]
    pub steps: Vec<Step>,
    /// Real value of one step of the output, in float32.
    pub scale: f32,
    /// Where halves of a step go. Default: even.
    #[serde(default, skip_serializing_if = "is_default")]
    pub halves: Halves,
    /// Channels, height and width, with the elements of the last step in its order.
    #[schemars(inner(range(min = 1, max = 65536)))]
    pub output_shape: [u32; 3],
}

/// Whether a file may leave it out.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Where halves of a step go.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Halves {
    /// To the even byte, before the zero point is added.
    #[default]
    Even,
    /// Away from zero.
    Away,
}

/// An input as float32.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Operand {
    /// Sizes, up to 6 of them. Elements keep the order channel, row, column.
    #[schemars(length(max = 6), inner(range(min = 1, max = 268435456)))]
    pub shape: Vec<u32>,
    /// Real value of one step, in float32.
    pub scale: f32,
}

/// A stored tensor of float32.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stored {
    /// Sizes, up to 6 of them.
    #[schemars(length(max = 6), inner(range(min = 1, max = 268435456)))]
    pub shape: Vec<u32>,
    /// As many numbers, the last dimension moving fastest.
    pub values: Vec<f32>,
}

// Numbers that are none are refused.
impl Eq for Float32File {}

impl OperatorFile for Float32File {
    const COMMON: Common = Common {
        table: Need::Foreign,
        ..Common::SCALED
    }
    .of_several();

    fn reads(&self) -> Reads {
        Reads {
            count: 1..=64,
            case: "",
        }
    }

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        check::check(&self, draft)?;
        draft.layer.output = Shape::of(self.output_shape);
        draft.layer.float32 = Some(Box::new(self));
        Some(LayerKind::Float32)
    }
}

/// What a layer does.
pub(super) struct Op;

impl Operator for Op {
    fn words(&self, layer: &Layer) -> Vec<String> {
        let steps = layer.float32.as_ref().map_or(0, |file| file.steps.len());
        vec![format!("{steps} steps")]
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        let file = layer.float32.as_ref().expect("a layer of this kind has it");
        let mut made: Vec<Array> = Vec::new();
        for ((operand, input), tensor) in file.operands.iter().zip(&layer.inputs).zip(inputs) {
            let real =
                |&byte: &i8| (i32::from(byte) - i32::from(input.zero_point)) as f32 * operand.scale;
            made.push(Array::new(
                &operand.shape,
                tensor.values.iter().map(real).collect(),
            ));
        }
        let stored = file.constants.iter();
        made.extend(stored.map(|stored| Array::new(&stored.shape, stored.values.clone())));
        for step in &file.steps {
            let of: Vec<&Array> = step.of().iter().map(|&of| &made[of as usize]).collect();
            let found = step.run(&of);
            made.push(found);
        }
        let last = made.last().expect("there is a step");
        let byte = |&real: &f32| quantised(real, file.scale, layer.output_zero_point, file.halves);
        Ok(last.values.iter().map(byte).collect())
    }
}

/// The byte of a real number, as QuantizeLinear makes it: what is no number becomes the lowest one.
#[must_use]
pub fn quantised(real: f32, scale: f32, zero_point: i8, halves: Halves) -> i8 {
    if real.is_nan() {
        return i8::MIN;
    }
    let steps = match halves {
        Halves::Even => (real / scale).round_ties_even(),
        Halves::Away => (real / scale).round(),
    };
    let byte = (steps as i32).saturating_add(zero_point.into());
    byte.clamp(i8::MIN.into(), i8::MAX.into()) as i8
}
