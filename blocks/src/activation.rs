//! Tables of activation functions: what post-processing stores instead of a scaled byte.
//!
//! A table has one entry for each byte, so that every function of one value is exact to half a unit
//! of its output. Index and entry are stored bytes, (quantised value - zero point) mod 256.

/// Functions of one real value x.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Function {
    /// x.
    Identity,
    /// e^x.
    Exponential,
    /// x^2.
    Square,
    /// The square root of x; 0 for x below 0.
    SquareRoot,
    /// 1 from x = 0 on, 0 below.
    BinaryStep,
    /// 1 from x = 0 on, -1 below.
    BipolarStep,
    /// 1 / (1 + e^-x).
    Sigmoid,
    /// x from 0 on, 0 below (ReLU).
    Ramp,
    /// x from 0 on, below x times this slope (leaky ReLU).
    LeakyRamp(f64),
    /// The hyperbolic tangent of x.
    Tanh,
}

impl Function {
    /// The value of the function.
    #[must_use]
    pub fn at(self, x: f64) -> f64 {
        let from_zero = x >= 0.0;
        match self {
            Function::Identity => x,
            Function::Exponential => x.exp(),
            Function::Square => x * x,
            Function::SquareRoot => x.max(0.0).sqrt(),
            Function::BinaryStep => f64::from(u8::from(from_zero)),
            Function::BipolarStep => f64::from(i8::from(from_zero) * 2 - 1),
            Function::Sigmoid => 1.0 / (1.0 + (-x).exp()),
            Function::Ramp => x.max(0.0),
            Function::LeakyRamp(_) if from_zero => x,
            Function::LeakyRamp(slope) => slope * x,
            Function::Tanh => x.tanh(),
        }
    }
}

/// What a quantised byte q stands for: (q - zero point) * scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantisation {
    scale: f64,
    zero_point: i8,
}

/// A table that cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ActivationError {
    /// The scale of a quantisation.
    #[error("scale is {0}, expected a finite number above 0")]
    Scale(f64),
    /// The slope of a leaky ramp.
    #[error("slope is {0}, expected a finite number")]
    Slope(f64),
}

impl Quantisation {
    /// # Errors
    /// `Scale` unless the scale is finite and above 0.
    pub fn new(scale: f64, zero_point: i8) -> Result<Self, ActivationError> {
        if scale.is_finite() && scale > 0.0 {
            return Ok(Self { scale, zero_point });
        }
        Err(ActivationError::Scale(scale))
    }

    /// The real value of a stored byte.
    #[must_use]
    pub fn real(self, stored: u8) -> f64 {
        f64::from(self.difference(stored)) * self.scale
    }

    /// q - zero point of a stored byte, which only knows it modulo 256.
    fn difference(self, stored: u8) -> i16 {
        let quantised = stored.wrapping_add(self.zero_point as u8) as i8;
        i16::from(quantised) - i16::from(self.zero_point)
    }

    /// The stored byte nearest to a real value: halves are rounded away from zero, values beyond the
    /// range become its bounds.
    #[must_use]
    pub fn stored(self, real: f64) -> u8 {
        let zero = f64::from(self.zero_point);
        let bounds = (f64::from(i8::MIN) - zero, f64::from(i8::MAX) - zero);
        let units = (real / self.scale).round().clamp(bounds.0, bounds.1);
        (units as i16) as u8
    }
}

/// The table of a function from one quantisation to another: entry b is what is stored instead of b.
///
/// # Errors
/// `Slope` unless the slope of a leaky ramp is finite.
pub fn table(
    function: Function,
    input: Quantisation,
    output: Quantisation,
) -> Result<[u8; 256], ActivationError> {
    if let Function::LeakyRamp(slope) = function {
        if !slope.is_finite() {
            return Err(ActivationError::Slope(slope));
        }
    }
    let entry = |byte: usize| output.stored(function.at(input.real(byte as u8)));
    Ok(std::array::from_fn(entry))
}
