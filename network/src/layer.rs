//! A layer of a network.

use heddle_arch::requantise::{Rounding, Scale};

use crate::ops::LayerKind;
use crate::ops::files::Float32File;
use crate::{NetworkError, Padding, Shape, Table, Tensor};

/// A tensor that a layer reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Input {
    /// 0 is the input of the network, i + 1 the output of layer i.
    pub tensor: usize,
    /// Zero point of its activations.
    pub zero_point: i8,
}

/// A stored tensor that takes the place of an input; its elements are the weights of the layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Constant {
    /// Channels, height, width.
    pub shape: Shape,
    /// Zero point of its elements.
    pub zero_point: i8,
    /// It is the first of the two tensors.
    pub first: bool,
}

/// A layer: y = clamp(requantise(sum) + zero point), or an entry of a table instead of that.
///
/// What the sum is, the files of [`ops`](crate::ops) say. Where values pass unchanged, and where they are places, there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// Name, unique in the network.
    pub name: String,
    /// What it does.
    pub kind: LayerKind,
    /// Tensors that it reads; none for a further input of the network.
    pub inputs: Vec<Input>,
    /// Input tensor.
    pub input: Shape,
    /// Output tensor.
    pub output: Shape,
    /// Kernel height and width.
    pub kernel: [u32; 2],
    /// Vertical and horizontal stride.
    pub stride: [u32; 2],
    /// Vertical and horizontal distance of the kernel's places.
    pub dilation: [u32; 2],
    /// Groups: the channels of a group are summed for the outputs of that group alone. The number of
    /// channels for pooling and adding.
    pub groups: u32,
    /// Zeros around the input.
    pub padding: Padding,
    /// Weights in the order output channel, input channel of the group, kernel row, kernel column; of a weighted sum one factor
    /// for each input; of a product of matrices the second factor row by row, if it is stored; the elements of a [`Constant`];
    /// of other kinds none: what a mean or a table is made of counts 1 each.
    pub weights: Vec<i8>,
    /// Bias of each output channel; of a product of matrices one, or one for each column; none where a kind has scales of its own
    /// or moves values.
    pub bias: Vec<i32>,
    /// Scale of each output channel; of a product of matrices as many as biases.
    pub scales: Vec<Scale>,
    /// How sums are rounded.
    pub rounding: Rounding,
    /// Zero point of the output activations.
    pub output_zero_point: i8,
    /// Smallest scaled value.
    pub min: i8,
    /// Largest scaled value, not below `min`.
    pub max: i8,
    /// What scaled values are replaced by.
    pub table: Option<Table>,
    /// What each channel, row and column of a gather adds to the number of the element that it takes; of other kinds none.
    pub sources: [Vec<u32>; 3],
    /// The steps of a layer in float32; of other kinds none.
    pub float32: Option<Box<Float32File>>,
}

impl Layer {
    /// A layer of no operator yet, which makes a tensor of the shape that it reads and has no sums.
    #[must_use]
    pub fn plain(name: String, inputs: Vec<Input>, input: Shape) -> Layer {
        Layer {
            name,
            kind: LayerKind::default(),
            output_zero_point: inputs.first().map_or(0, |input| input.zero_point),
            inputs,
            input,
            output: input,
            kernel: [1, 1],
            stride: [1, 1],
            dilation: [1, 1],
            groups: 1,
            padding: Padding::default(),
            weights: Vec::new(),
            bias: Vec::new(),
            scales: Vec::new(),
            rounding: Rounding::Single,
            min: i8::MIN,
            max: i8::MAX,
            table: None,
            sources: Default::default(),
            float32: None,
        }
    }

    /// What it makes of tensors: the meaning of its operator, and of its table.
    ///
    /// # Errors
    /// A sum leaves 32 bits.
    ///
    /// # Panics
    /// If it reads none of them.
    pub fn run(&self, inputs: &[&Tensor]) -> Result<Tensor, NetworkError> {
        let mut values = self.kind.with(|operator| operator.run(self, inputs))?;
        if let Some(table) = &self.table {
            values
                .iter_mut()
                .for_each(|value| *value = table.at(*value));
        }
        Ok(Tensor {
            shape: self.output,
            values,
        })
    }

    /// Whether it is a further input of the network, which the host writes.
    #[must_use]
    pub fn is_input(&self) -> bool {
        self.inputs.is_empty()
    }

    /// Zero point of the scaled values: that of the output if no table comes behind.
    #[must_use]
    pub fn scaled_zero_point(&self) -> i8 {
        let table = self.table.as_ref();
        table.map_or(self.output_zero_point, |table| table.zero_point)
    }

    /// Input channels of a group.
    #[must_use]
    pub fn group_inputs(&self) -> u32 {
        self.input.channels / self.groups
    }

    /// Output channels of a group.
    #[must_use]
    pub fn group_outputs(&self) -> u32 {
        self.output.channels / self.groups
    }

    /// Weight of an output channel for an input channel of its group and a place of the kernel.
    ///
    /// # Panics
    /// If an index is out of range.
    pub fn weight(&self, output: u32, input: u32, ky: u32, kx: u32) -> i8 {
        if self.weights.is_empty() {
            return 1;
        }
        let [kh, kw] = self.kernel;
        let index = (output * self.group_inputs() + input) * kh * kw + ky * kw + kx;
        self.weights[index as usize]
    }

    /// Why the host runs it on every machine, if its inputs have these shapes; none if a machine may do it.
    #[must_use]
    pub fn host_reason(&self, inputs: &[Shape]) -> Option<&'static str> {
        self.kind
            .with(|operator| operator.host_reason(self, inputs))
    }

    /// What a graph says of it behind the name of its operator.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        self.kind.with(|operator| operator.words(self))
    }

    /// Sizes of the weights, in the order in which they lie.
    #[must_use]
    pub fn weight_shape(&self) -> Vec<usize> {
        self.kind.with(|operator| operator.weight_shape(self))
    }
}
