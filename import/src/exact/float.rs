//! Tables of functions of one byte as operators of .onnx files mean them: docs/import.md has the rule.

use super::real::{erf, exp, tanh};
use super::table::each;
use crate::model::Quantised;

/// A function of float32.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Float {
    /// The absolute value.
    Abs,
    /// x from 0 on, e^x - 1 times this below.
    Elu(f32),
    /// e^x.
    Exp,
    /// x times the share of a normal distribution below x, or its approximation by a hyperbolic tangent.
    Gelu {
        /// By a hyperbolic tangent.
        approximate: bool,
    },
    /// x times alpha, plus beta, cut to 0 to 1.
    HardSigmoid {
        /// The factor.
        alpha: f32,
        /// What is added.
        beta: f32,
    },
    /// x times x / 6 + 1/2, cut to 0 to 1.
    HardSwish,
    /// x from 0 on, x times this below.
    LeakyRelu(f32),
    /// 1 / (1 + e^-x).
    Sigmoid,
    /// The hyperbolic tangent.
    Tanh,
}

/// The outputs for -128 to 127: all in single precision but the function, whose exact value is rounded to it; halves of a
/// step to even.
pub fn table(function: Float, input: Quantised, output: Quantised) -> [i8; 256] {
    each(input, |x| {
        let x = x as f32 * input.scale;
        let y = at(function, x.into()) as f32;
        let steps = (y / output.scale).round_ties_even() as i32;
        let byte = steps.saturating_add(output.zero_point.into());
        byte.clamp(i8::MIN.into(), i8::MAX.into()) as i8
    })
}

fn at(function: Float, x: f64) -> f64 {
    match function {
        Float::Abs => x.abs(),
        Float::Elu(alpha) if x < 0.0 => f64::from(alpha) * (exp(x) - 1.0),
        Float::Exp => exp(x),
        Float::Gelu { approximate: false } => 0.5 * x * (1.0 + erf(x / std::f64::consts::SQRT_2)),
        Float::Gelu { approximate: true } => {
            let factor = std::f64::consts::FRAC_2_SQRT_PI / std::f64::consts::SQRT_2;
            0.5 * x * (1.0 + tanh(factor * (x + 0.044_715 * x * x * x)))
        }
        Float::HardSigmoid { alpha, beta } => {
            (f64::from(alpha) * x + f64::from(beta)).clamp(0.0, 1.0)
        }
        Float::HardSwish => x * (x / 6.0 + 0.5).clamp(0.0, 1.0),
        Float::LeakyRelu(alpha) if x < 0.0 => f64::from(alpha) * x,
        Float::Sigmoid => 1.0 / (1.0 + exp(-x)),
        Float::Tanh => tanh(x),
        Float::Elu(_) | Float::LeakyRelu(_) => x,
    }
}
