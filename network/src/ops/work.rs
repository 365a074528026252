//! What the array of a machine does for a layer, and what follows from that.

use super::{LayerKind, Matmul, Permutation, Sum};
use crate::Layer;

/// What the array of a machine does for a layer, whatever its operator is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Work {
    /// Nothing: the host makes the tensor, or writes it.
    Host,
    /// Sums of inputs times weights.
    Weighted,
    /// One value for each window of a channel.
    Window(Reduction),
    /// A sum of tensors, place by place: each times a factor of the layer, or with scales of its own.
    Terms(Option<Sum>),
    /// A table of bytes alone.
    Bytes,
    /// Products of matrices.
    Product(Matmul),
    /// Another order of dimensions.
    Permutation(Permutation),
}

/// What becomes of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// The largest value.
    Largest,
    /// The mean.
    Mean,
}

impl LayerKind {
    /// What the array does for such a layer, if a machine does it.
    #[must_use]
    pub fn work(self) -> Work {
        self.with(|operator| operator.work())
    }

    /// Whether no machine does it, whatever its configuration.
    #[must_use]
    pub fn is_for_host(self) -> bool {
        self.work() == Work::Host
    }
}

impl Work {
    /// Whether the array makes planes: not of the host's, nor of matrices.
    #[must_use]
    pub fn is_of_planes(self) -> bool {
        !matches!(self, Work::Host | Work::Product(_) | Work::Permutation(_))
    }
}

impl Layer {
    /// What the array does for it.
    #[must_use]
    pub fn work(&self) -> Work {
        match self.kind.with(|operator| operator.only_on_host(self)) {
            true => Work::Host,
            false => self.kind.work(),
        }
    }

    /// Whether no machine does it, whatever its configuration.
    #[must_use]
    pub fn is_for_host(&self) -> bool {
        self.work() == Work::Host
    }

    /// Taps of one output: weights, or elements of a pooling window, or tensors to be added.
    #[must_use]
    pub fn taps(&self) -> usize {
        match self.kind.work() {
            Work::Host => 1,
            Work::Terms(_) => self.inputs.len(),
            Work::Product(matmul) => matmul.terms(self.input) as usize,
            _ => self.window_taps(),
        }
    }

    /// Elements under the kernel in the channels of a group.
    pub(crate) fn window_taps(&self) -> usize {
        self.group_inputs() as usize * self.kernel[0] as usize * self.kernel[1] as usize
    }

    /// Multiply-accumulates for one image, padding included; of a maximum, a table, or what the host alone does none.
    #[must_use]
    pub fn macs(&self) -> u64 {
        match self.kind.work() {
            Work::Weighted | Work::Terms(_) | Work::Product(_) | Work::Window(Reduction::Mean) => {
                self.output.elements() as u64 * self.taps() as u64
            }
            _ => 0,
        }
    }

    /// Operations of a host that makes it for one image: its multiply-accumulates, or one for each element of its output, or of its
    /// input if that has more, where it has none. What the host only writes takes none.
    #[must_use]
    pub fn operations(&self) -> u64 {
        let elements = self.output.elements().max(self.input.elements()) as u64;
        match self.macs() {
            _ if self.is_input() => 0,
            0 => elements,
            macs => macs,
        }
    }
}
