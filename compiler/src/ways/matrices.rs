//! The instructions of operations on matrices, and how many words they have.

use std::collections::HashMap;

use heddle_arch::isa::Instruction;
use heddle_arch::params::Params;

use super::helpers::{Helper, Wanted};
use crate::ir::{Id, MatrixWork, Operation};
use crate::layout::{MatrixPlace, MatrixShape};
use crate::options::{IdentitySource, MatrixOptions};
use crate::product::matrix::{
    DrainForm, IdentityBuild, MatrixError, Portions, Product, Scaling, Transpose, WideTranspose,
};

/// Fewest words of an operation: a load, a product and a drain, each with a record of one row without loops.
const OPERATION_WORDS: u64 = 4 + 5 + 5;

/// Where the matrices of a layer lie, and the numbers of their column tiles.
pub(crate) trait Places {
    fn matrix(&self, id: Id) -> MatrixPlace;

    /// The constant for the transpose of a matrix.
    fn helper(&self, helper: Helper, source: Id) -> MatrixPlace;

    /// A column tile of the products.
    fn tile(&self, tile: usize) -> u16;

    /// The column tile with bias 0 and scale 1.
    fn unit_tile(&self) -> u16;

    /// The places are those in the machine, which must suit each other.
    fn are_final(&self) -> bool;
}

/// The instructions of an operation.
///
/// # Errors
/// The machine cannot do it.
pub(crate) fn instructions(
    operation: &Operation,
    places: &impl Places,
    form: DrainForm,
    params: &Params,
) -> Result<Vec<Instruction>, MatrixError> {
    let matrix = |id: &Id| places.matrix(*id);
    match operation {
        Operation::Product {
            weights,
            moving,
            result,
            scale,
        } => {
            let product = Product {
                weights: matrix(weights),
                moving: matrix(moving),
                result: matrix(result),
                scaling: Scaling {
                    zero_point: scale.zero_point,
                    tile: places.tile(scale.tile),
                    tile_per_group: scale.tiles > 1,
                    rounding: scale.rounding,
                    bounds: scale.bounds,
                },
            };
            match places.are_final() {
                true => product.instructions(params),
                false => product.unplaced(params),
            }
        }
        Operation::Transpose {
            source,
            destination,
        } => {
            let transpose = Transpose {
                source: matrix(source),
                destination: matrix(destination),
                identity: places.helper(Helper::Identity, *source),
                tile: places.unit_tile(),
                form,
            };
            match places.are_final() {
                true => transpose.instructions(params),
                false => transpose.unplaced(params),
            }
        }
        Operation::Wide {
            source,
            planes,
            destination,
        } => {
            let spread = Helper::Spread(planes.len() as u32);
            let transpose = WideTranspose {
                source: matrix(source),
                destination: matrix(destination),
                planes: planes.iter().map(matrix).collect(),
                identity: places.helper(Helper::Loaded, *source),
                portions: Portions::Placed(places.helper(spread, planes[0])),
                tile: places.unit_tile(),
            };
            match places.are_final() {
                true => transpose.instructions(params),
                false => transpose.unplaced(params),
            }
        }
    }
}

/// Everything at address 0: instructions have as many words wherever matrices lie.
struct Anywhere<'a> {
    work: &'a MatrixWork,
    wanted: Wanted<'a>,
}

impl Places for Anywhere<'_> {
    fn matrix(&self, id: Id) -> MatrixPlace {
        MatrixPlace::new(self.work.items[id].shape, 0, self.wanted.params)
    }

    fn helper(&self, helper: Helper, _: Id) -> MatrixPlace {
        self.wanted.place(helper, 0)
    }

    fn tile(&self, _: usize) -> u16 {
        0
    }

    fn unit_tile(&self) -> u16 {
        self.wanted.last_tile().unwrap_or(0)
    }

    fn are_final(&self) -> bool {
        false
    }
}

/// Instruction words of layers of matrices.
#[derive(Debug, Clone)]
pub(crate) struct MatrixWords {
    /// Of each layer.
    pub layers: Vec<u64>,
    /// The layer that builds the identity first, and in how many words; 0 if the host writes it.
    pub built: (usize, u64),
}

/// Instruction words of the operations of each layer; of those whose matrices fit no partition the fewest that they can have.
///
/// # Errors
/// The machine cannot do an operation of the layer.
pub(crate) fn words(
    work: &MatrixWork,
    options: MatrixOptions,
    params: &Params,
) -> Result<MatrixWords, (usize, MatrixError)> {
    let wanted = Wanted { options, params };
    let anywhere = Anywhere { work, wanted };
    let mut known: HashMap<(usize, Vec<MatrixShape>), u64> = HashMap::new();
    let mut all = Vec::new();
    for layer in 0..work.layers.len() {
        let operations = work.operations(layer);
        let mut words = 0;
        let most = u64::from(params.program.words);
        let least = OPERATION_WORDS * operations.len() as u64;
        for operation in operations.iter().filter(|_| least <= most) {
            let shapes = operation.items().into_iter().map(|id| work.items[id].shape);
            let shapes: Vec<MatrixShape> = shapes.collect();
            let key = (operation.kind(), shapes);
            let own = match known.get(&key) {
                Some(&own) => own,
                None => anywhere
                    .words_of(operation)
                    .map_err(|error| (layer, error))?,
            };
            known.insert(key, own);
            words += own;
        }
        all.push(words.max(least));
    }
    let built = work.first_transpose().map(|layer| {
        let words = anywhere.build_words();
        words
            .map_err(|error| (layer, error))
            .map(|words| (layer, words))
    });
    Ok(MatrixWords {
        layers: all,
        built: built.transpose()?.unwrap_or_default(),
    })
}

impl Anywhere<'_> {
    fn words_of(&self, operation: &Operation) -> Result<u64, MatrixError> {
        let Wanted { options, params } = self.wanted;
        let room = u64::from(params.operand_bytes());
        let bytes = |id: Id| self.work.items[id].bytes(params);
        if operation.items().into_iter().any(|id| bytes(id) > room) {
            return Ok(OPERATION_WORDS);
        }
        let instructions = instructions(operation, self, options.form, params)?;
        Ok(instructions.iter().map(|i| i.words() as u64).sum())
    }

    /// Words in which the identity is built, if it is.
    fn build_words(&self) -> Result<u64, MatrixError> {
        if self.wanted.options.identity != IdentitySource::Built {
            return Ok(0);
        }
        let build = IdentityBuild {
            identity: self.wanted.place(Helper::Identity, 0),
            constants: 0,
            scratch: 0,
            tile: self.unit_tile(),
        };
        let instructions = build.unplaced(self.wanted.params)?;
        Ok(instructions.iter().map(|i| i.words() as u64).sum())
    }
}
