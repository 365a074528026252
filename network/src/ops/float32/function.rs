//! Functions of one real number: their exact values, to some 2^-45.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_2_SQRT_PI, SQRT_2};

use crate::real::{erf, exp, ln, tanh};

/// A function of x and of two numbers, a and b.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Function {
    /// The absolute value.
    Abs,
    /// The next whole number from x on.
    Ceil,
    /// x from 0 on, a times (e^(x / a) - 1) below.
    Celu,
    /// x from 0 on, a times (e^x - 1) below.
    Elu,
    /// The error function.
    Erf,
    /// e^x.
    Exp,
    /// The whole number up to x.
    Floor,
    /// x times the share of a normal distribution below x.
    Gelu,
    /// The same by a hyperbolic tangent.
    GeluTanh,
    /// a times x, plus b, cut to 0 to 1.
    HardSigmoid,
    /// x times x / 6 + 1/2 cut to 0 to 1.
    HardSwish,
    /// x from 0 on, a times x below.
    LeakyRelu,
    /// The natural logarithm.
    Log,
    /// x times the hyperbolic tangent of the softplus.
    Mish,
    /// -x.
    Neg,
    /// 1 / x.
    Reciprocal,
    /// x from 0 on, 0 below.
    Relu,
    /// The nearest whole number, halves to even.
    Round,
    /// b times x from 0 on, b times a times (e^x - 1) below.
    Selu,
    /// 1 / (1 + e^-x).
    Sigmoid,
    /// The natural logarithm of 1 + e^x.
    Softplus,
    /// x / (1 + |x|).
    Softsign,
    /// The square root.
    Sqrt,
    /// The hyperbolic tangent.
    Tanh,
    /// x above a, else 0.
    ThresholdedRelu,
}

impl Function {
    /// Its value, of x and the two numbers.
    #[must_use]
    pub fn at(self, x: f64, numbers: [f32; 2]) -> f64 {
        let [a, b] = numbers.map(f64::from);
        match self {
            Function::Abs => x.abs(),
            Function::Ceil => x.ceil(),
            Function::Celu => x.max(0.0) + (a * (exp(x / a) - 1.0)).min(0.0),
            Function::Elu if x < 0.0 => a * (exp(x) - 1.0),
            Function::LeakyRelu if x < 0.0 => a * x,
            Function::Elu | Function::LeakyRelu => x,
            Function::Erf => erf(x),
            Function::Exp => exp(x),
            Function::Floor => x.floor(),
            Function::Gelu => 0.5 * x * (1.0 + erf(x / SQRT_2)),
            Function::GeluTanh => {
                let inner = FRAC_2_SQRT_PI / SQRT_2 * (x + 0.044_715 * x * x * x);
                0.5 * x * (1.0 + tanh(inner))
            }
            Function::HardSigmoid => (a * x + b).clamp(0.0, 1.0),
            Function::HardSwish => x * (x / 6.0 + 0.5).clamp(0.0, 1.0),
            Function::Log if x == 0.0 => f64::NEG_INFINITY,
            Function::Log if x < 0.0 => f64::NAN,
            Function::Log => ln(x),
            Function::Mish => x * tanh(softplus(x)),
            Function::Neg => -x,
            Function::Reciprocal => 1.0 / x,
            Function::Relu => x.max(0.0),
            Function::Round => x.round_ties_even(),
            Function::Selu if x > 0.0 => b * x,
            Function::Selu => b * (a * (exp(x.min(0.0)) - 1.0)),
            Function::Sigmoid => 1.0 / (1.0 + exp(-x)),
            Function::Softplus => softplus(x),
            Function::Softsign => x / (1.0 + x.abs()),
            Function::Sqrt => x.sqrt(),
            Function::Tanh => tanh(x),
            Function::ThresholdedRelu => {
                if x > a {
                    x
                } else {
                    0.0
                }
            }
        }
    }

    /// Whether float32 has one result, whichever library computes it: at most one number is rounded.
    #[must_use]
    pub fn is_exact(self) -> bool {
        matches!(
            self,
            Function::Abs | Function::Ceil | Function::Floor | Function::Neg | Function::Round
        ) || matches!(
            self,
            Function::LeakyRelu | Function::Reciprocal | Function::Relu | Function::Sqrt
        ) || matches!(self, Function::ThresholdedRelu)
    }
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + ln(1.0 + exp(-x.abs()))
}
