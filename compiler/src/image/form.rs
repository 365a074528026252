//! How the user has tensors, and regions for them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use heddle_arch::image::Operation;
use heddle_network::Network;

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
    /// The same for a network with layers in pieces, which has the tensors of the original by name.
    pub(super) fn of_pieces(&self, original: &Network, network: &Network) -> Self {
        let names = 0..=network.layers.len();
        let names: Vec<&str> = names.map(|tensor| network.tensor_name(tensor)).collect();
        // The original's are the last ones of their name: parts stand before the whole.
        let numbers: HashMap<&str, usize> = names.iter().copied().zip(0..).collect();
        let of = |tensor: usize| match tensor {
            0 => 0,
            _ => numbers[original.tensor_name(tensor)],
        };
        let mut form = Self {
            interleaved: self.interleaved,
            names: names.iter().map(ToString::to_string).collect(),
            unsigned: self.unsigned.iter().map(|&tensor| of(tensor)).collect(),
            ranges: self
                .ranges
                .iter()
                .map(|(&tensor, &range)| (of(tensor), range))
                .collect(),
            quantised: self
                .quantised
                .iter()
                .map(|(&tensor, &made)| (of(tensor), made))
                .collect(),
            reals: self.reals.clone(),
        };
        for real in &mut form.reals {
            real.tensor = of(real.tensor);
        }
        for (tensor, name) in self.names.iter().enumerate() {
            form.names[of(tensor)].clone_from(name);
        }
        form
    }

    /// Whether the bytes of an output are one of the user.
    pub(super) fn has_bytes(&self, tensor: usize) -> bool {
        let mut reals = self.reals.iter().filter(|real| real.tensor == tensor);
        reals.all(|real| real.bytes)
    }
}
