//! The instructions of operations on matrices.

use heddle_arch::isa::Instruction;
use heddle_arch::params::Params;

use crate::ir::{MatrixWork, Operation};
use crate::memory::Placement;
use crate::options::{IdentitySource, MatrixOptions};
use crate::product::matrix::{MatrixError, Portions, Product, Scaling, Transpose, WideTranspose};

/// Operations with the places of all their matrices.
pub(super) struct Placed<'a> {
    pub work: &'a MatrixWork,
    pub placement: &'a Placement,
    pub options: MatrixOptions,
    pub params: &'a Params,
}

impl Placed<'_> {
    /// The instructions of a layer.
    pub fn instructions(&self, index: usize) -> Result<Vec<Instruction>, MatrixError> {
        let mut instructions = Vec::new();
        if self.options.identity == IdentitySource::Built && self.first_transpose() == Some(index) {
            for build in self.placement.matrices.builds(self.placement.unit_tile) {
                instructions.extend(build.instructions(self.params)?);
            }
        }
        for operation in self.work.operations(index) {
            instructions.extend(self.operation(operation)?);
        }
        Ok(instructions)
    }

    /// The first layer that needs the identity.
    fn first_transpose(&self) -> Option<usize> {
        let mut layers = 0..self.work.layers.len();
        layers.find(|&layer| {
            let mut operations = self.work.operations(layer).iter();
            operations.any(|operation| matches!(operation, Operation::Transpose { .. }))
        })
    }

    fn operation(&self, operation: &Operation) -> Result<Vec<Instruction>, MatrixError> {
        let (matrices, params) = (&self.placement.matrices, self.params);
        let items = &matrices.items;
        match operation {
            Operation::Product {
                weights,
                moving,
                result,
                scale,
            } => {
                let product = Product {
                    weights: items[*weights],
                    moving: items[*moving],
                    result: items[*result],
                    scaling: Scaling {
                        zero_point: scale.zero_point,
                        tile: (self.placement.matrix_tile() + scale.tile as u32) as u16,
                        tile_per_group: scale.per_column,
                        rounding: scale.rounding,
                        bounds: scale.bounds,
                    },
                };
                product.instructions(params)
            }
            Operation::Transpose {
                source,
                destination,
            } => {
                let transpose = Transpose {
                    source: items[*source],
                    destination: items[*destination],
                    identity: matrices.identity(*source),
                    tile: self.placement.unit_tile,
                    form: self.options.form,
                };
                transpose.instructions(params)
            }
            Operation::Wide {
                source,
                planes,
                destination,
            } => {
                let spread = matrices.spread(planes[0], planes.len() as u32);
                let transpose = WideTranspose {
                    source: items[*source],
                    destination: items[*destination],
                    planes: planes.iter().map(|&plane| items[plane]).collect(),
                    identity: matrices.loaded(*source),
                    portions: Portions::Placed(spread),
                    tile: self.placement.unit_tile,
                };
                transpose.instructions(params)
            }
        }
    }
}
