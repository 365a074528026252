//! How the user has tensors, and regions for them.

use std::collections::BTreeSet;

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
    /// Real values of a step, of tensors where they are known.
    pub scales: Vec<Option<f32>>,
}
