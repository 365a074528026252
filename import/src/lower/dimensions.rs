//! Dimensions of a file as those of a plane, and planes in the shapes in which operators read them.

use heddle_network::file::{LayerFile, ReshapeFile};
use heddle_network::{Axis, Order, Shape};

use super::layers::Refused;
use super::{Lowering, Value};
use crate::model::{Format, Operator, Tensor};

impl Lowering<'_> {
    /// Puts what an operator reads in the shape in which it reads it, where it may not see it in another one.
    pub fn lay_out(&mut self, inputs: &[Option<usize>]) {
        for &input in inputs.iter().flatten() {
            let tensor = &self.model.tensors[input];
            let (Some(plane), Some(value)) = (
                self.model.format.plane(&tensor.shape),
                self.values.get(&input),
            ) else {
                continue;
            };
            let same = value.plane == plane || value.plane.elements() != plane.elements();
            if same || value.name.is_empty() {
                continue;
            }
            let value = value.clone();
            let kind = ReshapeFile {
                output_shape: plane.sides(),
                order: match self.model.format {
                    Format::Tflite => Order::ChannelsLast,
                    Format::Onnx => Order::ChannelsFirst,
                },
            };
            let layer = LayerFile::new(vec![value.name.clone()], kind);
            let name = self.push(input, "reshaped", layer);
            self.values.insert(
                input,
                Value {
                    name: name.clone(),
                    plane,
                    ..value
                },
            );
            self.is_moved(input, name);
        }
    }

    /// The constant numbers that an operator reads.
    pub fn integers(&self, operator: &Operator, number: usize) -> Result<Vec<i32>, Refused> {
        let tensor = self.operand(operator, number);
        tensor
            .and_then(Tensor::integers)
            .ok_or_else(|| Some(format!("has no constant int32 or int64 as input {number}")))
    }

    /// For each dimension of what an operator reads its place in channels, height, width; none for the batch.
    pub fn dimensions(
        &self,
        operator: &Operator,
        number: usize,
    ) -> Result<Vec<Option<usize>>, Refused> {
        let rank = self
            .operand(operator, number)
            .map_or(0, |tensor| tensor.shape.len());
        let found = self.model.format.dimensions(rank);
        found.ok_or_else(|| Some(format!("has {rank} dimensions, expected at most 4")))
    }

    /// Whether a constant lists channels, height, width, which of them, and a plane that has one place along each of these.
    pub fn over(
        &self,
        operator: &Operator,
        plane: Shape,
    ) -> Result<([bool; 3], Vec<Axis>, Shape), Refused> {
        let dimensions = self.dimensions(operator, 0)?;
        let mut over = [false; 3];
        for axis in self.integers(operator, 1)? {
            // The batch, which is 1, does not count.
            if let Some(dimension) = self.dimension(&dimensions, axis)? {
                over[dimension] = true;
            }
        }
        let axes: Vec<Axis> = (Axis::ALL.into_iter())
            .filter(|axis| over[axis.index()])
            .collect();
        let plane = axes.iter().fold(plane, |plane, &axis| plane.with(axis, 1));
        Ok((over, axes, plane))
    }

    /// The one of them that an axis names, from the end if it is negative.
    pub fn dimension(
        &self,
        dimensions: &[Option<usize>],
        axis: i32,
    ) -> Result<Option<usize>, Refused> {
        let rank = dimensions.len() as i32;
        match (-rank..rank).contains(&axis) {
            true => Ok(dimensions[axis.rem_euclid(rank) as usize]),
            false => Err(Some(format!("has axis {axis} of {rank} dimensions"))),
        }
    }
}
