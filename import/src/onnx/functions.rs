//! Functions of one byte.

use super::reader::Reader;
use super::schema::Node;
use crate::exact::{Float, Function};
use crate::model::Kind;

/// Numbers that an operator has where the file leaves them out, as its specification says.
const ELU_ALPHA: f32 = 1.0;
const HARD_SIGMOID: (f32, f32) = (0.2, 0.5);
const LEAKY_RELU_ALPHA: f32 = 0.01;

impl<'a> Reader<'a> {
    /// The table that an operator is.
    pub fn function(&self, operator: &str, node: &'a Node) -> Result<Kind, String> {
        let function = match operator {
            "Abs" => Float::Abs,
            "Elu" => Float::Elu(node.float("alpha", ELU_ALPHA)),
            "Exp" => Float::Exp,
            "Gelu" => Float::Gelu {
                approximate: match node.text("approximate") {
                    "" | "none" => false,
                    "tanh" => true,
                    other => {
                        return Err(format!("has approximate {other:?}, expected none or tanh"));
                    }
                },
            },
            "HardSigmoid" => Float::HardSigmoid {
                alpha: node.float("alpha", HARD_SIGMOID.0),
                beta: node.float("beta", HARD_SIGMOID.1),
            },
            "HardSwish" => Float::HardSwish,
            "LeakyRelu" => Float::LeakyRelu(node.float("alpha", LEAKY_RELU_ALPHA)),
            "PRelu" => Float::LeakyRelu(self.number(node, 1)?),
            "Sigmoid" => Float::Sigmoid,
            "Tanh" => Float::Tanh,
            _ => return Err("no layer does this".to_string()),
        };
        Ok(Kind::Table(Function::Float(function)))
    }
}
