//! Weights and biases of layers: checked, and put in the order of a network.

use super::attributes::windows;
use super::layers::{Operands, plain};
use super::reader::Reader;
use super::schema::Node;
use crate::model::{Kind, Tensor};

/// Largest relative distance of the scale of a bias from what its layer says.
const BIAS_SCALE_ERROR: f64 = 1e-5;

impl<'a> Reader<'a> {
    /// A bias in steps of the sums; one of another scale, or of bytes, as the float32 that it stands for.
    pub fn checked_bias(&mut self, inputs: &[Option<usize>], bias: usize) -> Result<usize, String> {
        let scales = |number: usize| {
            let index = inputs.get(number).copied().flatten();
            index.map_or(&[][..], |index| &self.tensors[index].scales[..])
        };
        let (input, weights) = (scales(0), scales(1));
        let tensor = &self.tensors[bias];
        if tensor.scales.is_empty() {
            return Ok(bias);
        }
        let count = weights.len().max(tensor.scales.len());
        let all = |scales: &[f32], place: usize| f64::from(scales[place % scales.len()]);
        let is_same = |place: usize| {
            let expected = all(input, 0) * all(weights, place);
            (all(&tensor.scales, place) / expected - 1.0).abs() <= BIAS_SCALE_ERROR
        };
        let is_plain = tensor.element.name() == "int32"
            && tensor.zero_points.iter().all(|&zero| zero == 0)
            && !input.is_empty();
        if is_plain && (0..count).all(is_same) {
            return Ok(bias);
        }
        let bytes = tensor
            .int8()
            .map(|bytes| bytes.into_iter().map(i32::from).collect());
        let Some(values) = tensor.int32().or(bytes).filter(|_| !input.is_empty()) else {
            let (name, element) = (tensor.name, tensor.element.name());
            return Err(format!(
                "bias {name:?} is {element}, expected constant int32, int8 or float32"
            ));
        };
        let (zeros, scales) = (&tensor.zero_points, &tensor.scales);
        let reals = values.into_iter().enumerate().map(|(place, value)| {
            let steps = i64::from(value) - zeros[place % zeros.len()];
            steps as f32 * scales[place % scales.len()]
        });
        let data: Vec<u8> = reals.flat_map(f32::to_le_bytes).collect();
        let (name, shape) = (tensor.name, tensor.shape.clone());
        self.copy(data.len())?;
        let real = self.push(name, shape, "float32", None);
        self.tensors[real].data = Some(data.into());
        Ok(real)
    }

    /// Constant weights, symmetric around 0.
    fn weights(&self, operands: &Operands) -> Result<&Tensor<'a>, String> {
        let weights = &self.tensors[operands.tensors[1]];
        let element = weights.type_name();
        let name = weights.name;
        if weights.data.is_none() {
            return Err(format!(
                "multiplies by the result {name:?}, expected constant weights"
            ));
        }
        if !matches!(element, "int8" | "uint8") {
            return Err(format!(
                "weights {name:?} are {element}, expected int8 or uint8"
            ));
        }
        let middle = if element == "uint8" { 128 } else { 0 };
        match weights.zero_points.iter().find(|&&zero| zero != 0) {
            Some(zero) => Err(format!(
                "weights {name:?} have zero point {}, expected {middle}: quantise with symmetric weights (for instance \
                 weight_type int8)",
                zero + middle
            )),
            None => Ok(weights),
        }
    }

    /// Weights in the order output, row, column, input, and the shape of the output.
    pub fn convolution(
        &mut self,
        node: &Node,
        shape: &[u32],
        operands: &Operands,
    ) -> Result<(Kind, usize, Vec<u32>), String> {
        let weights = self.weights(operands)?;
        let (name, found) = (weights.name, &weights.shape);
        let groups = node.int("group", 1);
        let (Some(&[outputs, inner]), Some(&[batch, channels])) = (found.get(..2), shape.get(..2))
        else {
            return Err(format!(
                "weights {name:?} have shape {found:?}, and the input {shape:?}"
            ));
        };
        let fits = found.len() == shape.len()
            && groups > 0
            && i64::from(inner).checked_mul(groups) == Some(channels.into())
            && i64::from(outputs) % groups == 0;
        if !fits {
            return Err(format!(
                "weights {name:?} of {groups} groups have shape {found:?}, and the input {shape:?}"
            ));
        }
        let windows = windows(node, shape, Some(&found[2..]))?;
        let [height, width] = windows.size;
        let ordered = vec![outputs, height, width, inner];
        let axis = self.tensors[operands.tensors[1]].axis;
        let index = self.reordered(operands.tensors[1], ordered, axis, inner, height * width)?;
        let shape = [&[batch, outputs][..], &windows.output].concat();
        Ok((Kind::Convolution(windows.window), index, shape))
    }

    /// Weights in the order output, input, and the shape of the output.
    pub fn rows(
        &mut self,
        node: &Node,
        shape: &[u32],
        operands: &Operands,
    ) -> Result<(usize, Vec<u32>), String> {
        let weights = self.weights(operands)?;
        let (name, found) = (weights.name, &weights.shape);
        if node.int("transA", 0) != 0
            || node.float("alpha", 1.0) != 1.0
            || node.float("beta", 1.0) != 1.0
        {
            return Err("has transA, alpha or beta, expected 0, 1 and 1".to_string());
        }
        let transposed = plain(&node.operator) == "Gemm" && node.int("transB", 0) != 0;
        let &[first, second] = &found[..] else {
            return Err(format!(
                "weights {name:?} have shape {found:?}, expected a matrix"
            ));
        };
        let (outputs, terms) = if transposed {
            (first, second)
        } else {
            (second, first)
        };
        let (Some((&columns, rows)), true) = (shape.split_last(), shape.len() >= 2) else {
            return Err(format!(
                "multiplies a tensor of shape {shape:?}, expected a row"
            ));
        };
        if columns != terms {
            return Err(format!(
                "multiplies rows of {terms}, and its input has shape {shape:?}"
            ));
        }
        let shape = [rows, &[outputs]].concat();
        let index = operands.tensors[1];
        let index = match transposed {
            true => index,
            false => {
                let axis = 1 - self.tensors[index].axis.min(1);
                self.reordered(index, vec![outputs, terms], axis, terms, outputs)?
            }
        };
        Ok((index, shape))
    }

    /// Weights in another order: matrices of so many rows and columns are transposed.
    fn reordered(
        &mut self,
        index: usize,
        shape: Vec<u32>,
        axis: usize,
        rows: u32,
        columns: u32,
    ) -> Result<usize, String> {
        self.copy(self.tensors[index].elements())?;
        let tensor = &self.tensors[index];
        let (rows, columns) = (rows as usize, columns as usize);
        let data = tensor.data.as_deref().unwrap_or_default();
        let ordered = data
            .chunks_exact((rows * columns).max(1))
            .flat_map(|matrix| {
                (0..columns)
                    .flat_map(move |column| matrix[column..].iter().step_by(columns).copied())
            });
        let found = Tensor {
            shape,
            axis,
            data: Some(ordered.collect()),
            ..tensor.clone()
        };
        self.tensors.push(found);
        Ok(self.tensors.len() - 1)
    }
}
