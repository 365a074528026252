//! From layers to operations on matrices.
//!
//! The array multiplies the transpose of what is loaded with what is streamed. So a product of A and B needs A transposed and
//! B; if B is loaded instead, the result comes out transposed. What is not there is made by a transpose.

mod product;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use heddle_arch::params::Params;
use heddle_arch::requantise::{Rounding, Scale};
use heddle_arch::word::WORD_BYTES;
use heddle_network::{Layer, LayerKind, Matrices, Network, Permutation};

use super::Constants;
use super::lying::{makes, wants};
use crate::layout::MatrixShape;
use crate::options::MatrixOptions;

/// Number of a matrix.
pub(crate) type Id = usize;

/// A matrix that needs a place.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub shape: MatrixShape,
    /// Steps in which it is needed: in step i + 1 layer i runs; the host writes the input in step 0 and
    /// reads the output in the last one.
    pub steps: Range<usize>,
    /// Elements that the host writes before that.
    pub content: Option<Vec<i8>>,
}

impl Item {
    /// The bytes that it takes in each partition; too many for any memory are all alike.
    pub fn bytes(&self, params: &Params) -> u64 {
        let pitch = u64::from(WORD_BYTES * params.weight_words().next_power_of_two());
        let groups = u64::from(self.shape.cols.div_ceil(params.array.cols));
        u64::from(self.shape.rows.div_ceil(params.array.rows)) * groups * pitch
    }
}

/// How a product is scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProductScale {
    /// Column tile.
    pub tile: usize,
    /// Each group of columns has a tile of its own; 1 if all have the same.
    pub tiles: usize,
    /// Zero point of what is streamed.
    pub zero_point: i8,
    pub rounding: Rounding,
    pub bounds: (i16, i16),
}

/// What the machine does.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Product {
        weights: Id,
        moving: Id,
        result: Id,
        scale: ProductScale,
    },
    Transpose {
        source: Id,
        destination: Id,
    },
    /// A transpose of elements of several bytes.
    Wide {
        source: Id,
        planes: Vec<Id>,
        destination: Id,
    },
}

impl Operation {
    /// A number for operations of a kind.
    pub fn kind(&self) -> usize {
        match self {
            Operation::Product { .. } => 0,
            Operation::Transpose { .. } => 1,
            Operation::Wide { .. } => 2,
        }
    }

    /// The matrices it reads or writes, as far as they are those of tensors or made on the way.
    pub fn items(&self) -> Vec<Id> {
        match self {
            Operation::Product {
                weights,
                moving,
                result,
                ..
            } => vec![*weights, *moving, *result],
            Operation::Transpose {
                source,
                destination,
            } => vec![*source, *destination],
            Operation::Wide {
                source,
                planes,
                destination,
            } => [&planes[..], &[*source, *destination]].concat(),
        }
    }
}

/// The matrices of a tensor.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    /// What they are; columns are bytes.
    pub matrices: Matrices,
    /// Each of them lies transposed.
    pub turned: bool,
    pub ids: Vec<Id>,
}

/// What a layer is.
#[derive(Debug, Clone)]
pub(crate) enum Work {
    /// One operation on planes, or what the host does: the layer itself.
    Whole,
    /// Operations on matrices.
    Matrices(Vec<Operation>),
}

/// The operations of a network on matrices.
#[derive(Debug, Clone, Default)]
pub(crate) struct MatrixWork {
    pub items: Vec<Item>,
    /// What each layer is.
    pub layers: Vec<Work>,
    /// The input, then the output of each layer; none if it is of planes.
    pub tensors: Vec<Option<Value>>,
    /// Biases and scales of the column tiles: one for all columns, or one for each.
    pub tiles: Vec<Vec<(i32, Scale)>>,
}

impl MatrixWork {
    /// Matrices of a tensor are needed until this step. The host may read what a layer has made, be it the matrix of an earlier one.
    pub fn live(&mut self, tensor: usize, end: usize) {
        for &id in self.tensors[tensor].iter().flat_map(|value| &value.ids) {
            let steps = &mut self.items[id].steps;
            steps.end = steps.end.max(end).max(tensor + 1);
        }
    }

    /// The operations of a layer on matrices.
    pub fn operations(&self, layer: usize) -> &[Operation] {
        match &self.layers[layer] {
            Work::Whole => &[],
            Work::Matrices(operations) => operations,
        }
    }

    /// The layer is made of operations on matrices.
    pub fn is_of_matrices(&self, layer: usize) -> bool {
        matches!(self.layers[layer], Work::Matrices(_))
    }

    /// The operations of all layers on matrices.
    pub fn all_operations(&self) -> impl Iterator<Item = &Operation> {
        (0..self.layers.len()).flat_map(|layer| self.operations(layer))
    }

    /// The first layer that needs the identity.
    pub fn first_transpose(&self) -> Option<usize> {
        (0..self.layers.len()).find(|&layer| {
            let mut operations = self.operations(layer).iter();
            operations.any(|operation| matches!(operation, Operation::Transpose { .. }))
        })
    }

    /// Column tiles of the products of some layers, and whether they need the one of bias 0 and scale 1, because something is transposed.
    pub fn tiles_of(&self, layers: Range<usize>) -> (BTreeSet<usize>, bool) {
        let operations = || layers.clone().flat_map(|layer| self.operations(layer));
        let tiles = operations().filter_map(|operation| match operation {
            Operation::Product { scale, .. } => Some(scale.tile..scale.tile + scale.tiles),
            _ => None,
        });
        let transposes = operations().any(|of| !matches!(of, Operation::Product { .. }));
        (tiles.flatten().collect(), transposes)
    }

    pub fn push(
        &mut self,
        shape: MatrixShape,
        steps: Range<usize>,
        content: Option<Vec<i8>>,
    ) -> Id {
        self.items.push(Item {
            shape,
            steps,
            content,
        });
        self.items.len() - 1
    }
}

/// Makes operations of all layers for an array of `cols` columns; with `keep` transposed copies stay for the layers behind.
pub(super) fn lower(
    (network, readers): (&Network, &[Vec<usize>]),
    constants: &Constants,
    options: MatrixOptions,
    keep: bool,
    cols: u32,
) -> MatrixWork {
    let mut lowering = Lowering {
        network,
        readers,
        fold: options.fold,
        turned: wanted(network, constants, options.fold),
        program: MatrixWork::default(),
        step: 0,
        keep,
        kept: BTreeMap::new(),
        cols: cols as usize,
    };
    let input = lowering.hosted(constants, 0);
    lowering.program.tensors.push(input);
    for (index, layer) in network.layers.iter().enumerate() {
        lowering.step = index + 1;
        let on_host = constants.hosts[index].is_some();
        let work = match on_host || layer.work().is_of_planes() {
            true => Work::Whole,
            false => Work::Matrices(Vec::new()),
        };
        lowering.program.layers.push(work);
        let value = match layer.kind {
            _ if on_host => lowering.hosted(constants, index + 1),
            LayerKind::Matmul(matmul) => Some(lowering.product(layer, matmul)),
            LayerKind::Transpose(permutation) => Some(lowering.transpose(layer, permutation)),
            _ => None,
        };
        lowering.program.tensors.push(value);
    }
    lowering.program
}

/// A transpose that can be left out.
fn folds(layer: &Layer) -> bool {
    matches!(layer.kind, LayerKind::Transpose(permutation) if permutation.element_bytes == 1)
}

/// The tensors of a product, and whether it needs them transposed.
fn factors(layer: &Layer) -> Option<impl Iterator<Item = (usize, bool)>> {
    let LayerKind::Matmul(matmul) = layer.kind else {
        return None;
    };
    let wants = [!matmul.transposed[0], matmul.transposed[1]];
    let tensors = layer.inputs.iter().map(|input| input.tensor);
    Some(tensors.zip(wants))
}

/// For each tensor: it should lie transposed, because more products need it so. Without `fold` none does.
fn wanted(network: &Network, constants: &Constants, fold: bool) -> Vec<bool> {
    let mut votes = vec![0i64; network.layers.len() + 1];
    for (index, layer) in network.layers.iter().enumerate().rev() {
        match factors(layer) {
            Some(factors) => {
                for (tensor, turned) in factors {
                    votes[tensor] += if turned { 1 } else { -1 };
                }
            }
            _ if constants.hosts[index].is_some() => {}
            _ if folds(layer) => votes[layer.inputs[0].tensor] -= votes[index + 1],
            _ => votes[layer.inputs[0].tensor] -= 1,
        }
    }
    votes.into_iter().map(|votes| fold && votes > 0).collect()
}

struct Lowering<'a> {
    network: &'a Network,
    readers: &'a [Vec<usize>],
    fold: bool,
    turned: Vec<bool>,
    program: MatrixWork,
    /// The step of the layer at hand.
    step: usize,
    keep: bool,
    /// Transposed copies of the matrices of a tensor.
    kept: BTreeMap<usize, Vec<Id>>,
    /// Columns of the array.
    cols: usize,
}

impl Lowering<'_> {
    fn emit(&mut self, operation: Operation) {
        match self.program.layers.last_mut() {
            Some(Work::Matrices(operations)) => operations.push(operation),
            _ => unreachable!("a layer of matrices is at hand"),
        }
    }

    /// A matrix that is needed in this step.
    fn matrix(&mut self, shape: MatrixShape) -> Id {
        self.program.push(shape, self.step..self.step + 1, None)
    }

    /// The matrices of a tensor that is made in this step.
    fn made(&mut self, matrices: Matrices, turned: bool) -> Value {
        let shape = lying(matrices, turned);
        let ids = (0..matrices.count).map(|_| self.matrix(shape)).collect();
        Value {
            matrices,
            turned,
            ids,
        }
    }

    /// What the host writes lies as the first reader of the machine wants it.
    fn hosted(&mut self, constants: &Constants, tensor: usize) -> Option<Value> {
        let mut readers = self.readers[tensor].iter();
        let reader = readers.find(|&&reader| constants.hosts[reader].is_none())?;
        let reader = &self.network.layers[*reader];
        if reader.work().is_of_planes() {
            return None;
        }
        let matrices = wants(self.network, reader, tensor);
        Some(self.made(matrices, self.turned[tensor]))
    }

    /// The matrices of a tensor that a layer reads.
    fn matrices_of(&self, tensor: usize) -> Value {
        self.program.tensors[tensor]
            .clone()
            .expect("matrices alone are read as such")
    }

    fn transpose(&mut self, layer: &Layer, permutation: Permutation) -> Value {
        let source = self.matrices_of(layer.inputs[0].tensor);
        let matrices = makes(layer, source.matrices);
        if self.fold && folds(layer) {
            return Value {
                matrices,
                turned: !source.turned,
                ids: source.ids,
            };
        }
        if permutation.element_bytes > 1 {
            return self.wide(&source, matrices, permutation.element_bytes);
        }
        let turned = self.turned[self.step];
        let value = self.made(matrices, turned);
        let between = (source.turned != turned).then(|| self.matrix(lying(matrices, !turned)));
        for (&source, &destination) in source.ids.iter().zip(&value.ids) {
            match between {
                None => self.emit(Operation::Transpose {
                    source,
                    destination,
                }),
                Some(between) => self.copy(source, between, destination),
            }
        }
        value
    }

    /// Elements of several bytes: both matrices lie as they are.
    fn wide(&mut self, source: &Value, matrices: Matrices, element_bytes: u32) -> Value {
        let value = self.made(matrices, false);
        let plane = MatrixShape {
            rows: source.matrices.rows,
            cols: source.matrices.cols / element_bytes,
        };
        let planes: Vec<Id> = (0..element_bytes).map(|_| self.matrix(plane)).collect();
        let mut ids = source.ids.clone();
        if source.turned {
            let straight = self.matrix(lying(source.matrices, false));
            for (id, &destination) in ids.iter_mut().zip(&value.ids) {
                let (turned, planes) = (*id, planes.clone());
                self.emit(Operation::Transpose {
                    source: turned,
                    destination: straight,
                });
                self.emit(Operation::Wide {
                    source: straight,
                    planes,
                    destination,
                });
            }
            return value;
        }
        for (source, &destination) in ids.into_iter().zip(&value.ids) {
            let planes = planes.clone();
            self.emit(Operation::Wide {
                source,
                planes,
                destination,
            });
        }
        value
    }

    /// Two transposes.
    fn copy(&mut self, source: Id, between: Id, destination: Id) {
        self.emit(Operation::Transpose {
            source,
            destination: between,
        });
        self.emit(Operation::Transpose {
            source: between,
            destination,
        });
    }
}

/// Rows and columns as a matrix lies.
fn lying(matrices: Matrices, turned: bool) -> MatrixShape {
    let Matrices { rows, cols, .. } = matrices;
    match turned {
        false => MatrixShape { rows, cols },
        true => MatrixShape {
            rows: cols,
            cols: rows,
        },
    }
}
