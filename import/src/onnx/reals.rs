//! What nodes read in float32.

use std::rc::Rc;

use super::reader::{Reader, Value, float};
use super::schema::Node;
use crate::reals::Made;

impl<'a> Reader<'a> {
    /// What an input of a node is in float32. Of an operator with scales among its inputs it stands in front of them.
    ///
    /// # Errors
    /// If it is no number, or made by an operator that is no step.
    pub fn real(&mut self, node: &'a Node, number: usize) -> Result<u32, String> {
        if node.operator.starts_with("QLinear") {
            return self.real_of_scales(node, 3 * number);
        }
        let name = node.inputs.get(number).map_or("", |name| &name[..]);
        match self.input(node, number)? {
            Value::Constant(constant) if constant.element == "float32" => {
                let constant = Rc::clone(constant);
                let shape = constant.shape.clone();
                self.reals.push(Made::Constant(constant), shape)
            }
            Value::Dequantised(index) => {
                let index = *index;
                self.reals.tensor(index, &self.tensors[index].shape)
            }
            _ => {
                let found = self.reals.names.get(name).copied();
                found.ok_or_else(|| float(name))
            }
        }
    }

    fn real_of_scales(&mut self, node: &'a Node, number: usize) -> Result<u32, String> {
        let Value::Tensor(index) = self.input(node, number)?.clone() else {
            return Err("reads a constant, expected a result".to_string());
        };
        let range = self.range(
            node,
            number + 1,
            number + 2,
            self.tensors[index].type_name(),
        )?;
        self.set_range(index, &range)?;
        self.reals.tensor(index, &self.tensors[index].shape)
    }
}
