//! What layers make of bytes.

use crate::{Axis, Network, Shape};

/// An int8 tensor, elements in the order channel, row, column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    /// Channels, height, width.
    pub shape: Shape,
    /// Quantised values.
    pub values: Vec<i8>,
}

impl Tensor {
    /// A tensor whose elements are made one after the other, each of its channel, row and column.
    pub(crate) fn values_of(shape: Shape, value: impl FnMut([u32; 3]) -> i8) -> Vec<i8> {
        shape.places().map(value).collect()
    }

    /// The value at a place of the plane.
    ///
    /// # Panics
    /// If it is outside.
    #[must_use]
    pub fn get(&self, place: [u32; 3]) -> i8 {
        self.values[self.shape.index(place)]
    }

    /// The values along a dimension, through a place.
    pub(crate) fn row(&self, axis: Axis, place: [u32; 3]) -> Vec<i8> {
        let indices = self.shape.row(axis, place);
        indices.map(|index| self.values[index]).collect()
    }

    /// The value at a place; `None` outside the plane.
    #[must_use]
    pub fn at(&self, channel: u32, y: i64, x: i64) -> Option<i8> {
        let inside = |i: i64, size: u32| u32::try_from(i).ok().filter(|&i| i < size);
        let (y, x) = (inside(y, self.shape.height)?, inside(x, self.shape.width)?);
        Some(self.get([channel, y, x]))
    }
}

/// Why a network cannot be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The image does not have the elements of the network's inputs.
    #[error("image has {found} values, expected {expected}")]
    ImageLength {
        /// Values given.
        found: usize,
        /// Elements of all inputs.
        expected: usize,
    },
    /// A sum needs more than 32 bits.
    #[error("layer {layer}: sum of output channel {channel} is {sum}, expected 32 bits")]
    SumOverflow {
        /// Name of the layer.
        layer: String,
        /// Output channel.
        channel: u32,
        /// The sum.
        sum: i64,
    },
}

impl Network {
    /// What a layer makes of tensors, or what an image has for it if it is a further input.
    ///
    /// # Errors
    /// A sum leaves 32 bits.
    pub fn run_layer(
        &self,
        index: usize,
        image: &[i8],
        inputs: &[&Tensor],
    ) -> Result<Tensor, NetworkError> {
        match inputs {
            [] => Ok(self.given(image, index + 1)),
            _ => self.layers[index].run(inputs),
        }
    }

    /// The outputs of all layers for one image, first layer first.
    ///
    /// # Errors
    /// [`NetworkError`]
    pub fn run(&self, image: &[i8]) -> Result<Vec<Tensor>, NetworkError> {
        let (found, expected) = (image.len(), self.image_elements());
        if found != expected {
            return Err(NetworkError::ImageLength { found, expected });
        }
        let mut tensors = vec![self.given(image, 0)];
        for (index, layer) in self.layers.iter().enumerate() {
            let inputs: Vec<&Tensor> = layer.inputs.iter().map(|i| &tensors[i.tensor]).collect();
            tensors.push(self.run_layer(index, image, &inputs)?);
        }
        Ok(tensors.split_off(1))
    }

    /// The tensor that an image has for an input.
    ///
    /// # Panics
    /// If the image is too short.
    #[must_use]
    pub fn given(&self, image: &[i8], input: usize) -> Tensor {
        Tensor {
            shape: self.tensor(input).0,
            values: self.part(image, input).to_vec(),
        }
    }
}
