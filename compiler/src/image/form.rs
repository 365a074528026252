//! How the user has tensors, and regions for them.

use std::collections::{BTreeMap, BTreeSet};

use heddle_arch::image::Operation;

/// Region of the inputs.
pub(super) const INPUT: u32 = 1;
/// Region of the outputs.
pub(super) const OUTPUT: u32 = 2;

/// How the user has the tensors of a network.
#[derive(Debug, Clone, Default)]
pub struct UserForm {
    /// The channels of a pixel are together: rows, columns, channels; else channels, rows, columns.
    pub interleaved: bool,
    /// Names of all tensors of the network, its input first.
    pub names: Vec<String>,
    /// Tensors whose bytes have no sign, and are 128 more.
    pub unsigned: BTreeSet<usize>,
    /// What bytes of the network stand for, of tensors where it is known.
    pub ranges: BTreeMap<usize, Range>,
    /// Inputs that the user has as real numbers, and what makes bytes of them.
    pub quantised: BTreeMap<usize, Operation>,
    /// Outputs that the user has as real numbers.
    pub reals: Vec<Real>,
}

/// What bytes stand for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Real value of a step.
    pub scale: f32,
    /// Byte of the network that stands for 0.
    pub zero_point: i8,
}

/// An output that the user has as real numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Real {
    /// Tensor of the network.
    pub tensor: usize,
    /// Name of the real numbers.
    pub name: String,
    /// The user has its bytes too.
    pub bytes: bool,
}

impl UserForm {
    /// Whether the bytes of an output are one of the user.
    pub(super) fn has_bytes(&self, tensor: usize) -> bool {
        let mut reals = self.reals.iter().filter(|real| real.tensor == tensor);
        reals.all(|real| real.bytes)
    }
}
