//! Sums and differences of two tensors.

use super::Constant;
use heddle_arch::requantise::Scale;

/// A sum of two tensors with scales of their own, as the TensorFlow Lite reference kernels make it:
///
/// a = scale(2^20 * (x - zero point)) of each input, y = clamp(scale(a + b) + zero point), rounded twice each time.
///
/// A squared difference is y = clamp(scale((a - b)^2) + zero point), with 2^7 instead of 2^20.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sum {
    /// Scales of the inputs.
    pub inputs: [Scale; 2],
    /// Scale of the sum.
    pub output: Scale,
    /// The second input is subtracted.
    pub subtracts: bool,
    /// What stands for one of the two.
    pub constant: Option<Constant>,
}

impl Default for Sum {
    fn default() -> Self {
        Self {
            inputs: [Scale::reciprocal(1); 2],
            output: Scale::reciprocal(1),
            subtracts: false,
            constant: None,
        }
    }
}

impl Sum {
    /// Bits by which inputs are shifted to the left.
    pub const LEFT_SHIFT: u32 = 20;
}
