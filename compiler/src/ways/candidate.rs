//! A combination of mappings, and what makes such combinations.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use heddle_arch::params::Params;

use super::layouts::TensorLayout;
use super::matrices::{MatrixWords, words};
use super::orders::{layer_orders, tensor_orders};
use crate::cost;
use crate::error::CompileError;
use crate::ir::{Lowered, MatrixWork};
use crate::layout::{PixelOrder, TensorPlan};
use crate::options::MatrixOptions;
use crate::product::matrix::MatrixError;
use crate::product::{ClusterLayer, Mapping, Orders, PlacedLayer, RowEntries, WeightPlan};

/// Which depthwise layers make several pixels at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pixels {
    /// None.
    One,
    /// All that can make two rows.
    Rows,
    /// All that can make blocks.
    Blocks,
    /// Those that save cycles; of the layers whose taps can lie over the rows those that save cycles, too.
    Chosen,
}

/// What a combination makes use of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Switches {
    /// Layers that can have their taps laid over the rows have them so.
    pub flattened: bool,
    /// Which depthwise layers make several pixels at a time.
    pub pixels: Pixels,
    /// Weights are streamed where that helps.
    pub streamed: bool,
    /// Transposed copies stay for later layers.
    pub keeps: bool,
}

impl Switches {
    /// Of nothing special, but perhaps of taps laid over the rows.
    pub fn plain(flattened: bool) -> Self {
        Self {
            flattened,
            pixels: Pixels::One,
            streamed: false,
            keeps: false,
        }
    }

    /// How many things it makes use of.
    pub fn count(self) -> usize {
        let several = self.pixels != Pixels::One;
        let all = [self.flattened, several, self.streamed, self.keeps];
        all.into_iter().filter(|&used| used).count()
    }
}

/// The ways of the layers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ways {
    /// The mapping of each.
    pub mappings: Vec<Mapping>,
    /// Its weights are streamed if that helps.
    pub streams: Vec<bool>,
}

impl Ways {
    /// One pixel at a time; the taps of some layers over the rows if the switches say so.
    pub fn new(layers: usize, switches: Switches, flattenable: &[usize]) -> Self {
        let mut mappings = vec![Mapping::Channel; layers];
        for &layer in flattenable.iter().filter(|_| switches.flattened) {
            mappings[layer] = Mapping::Flattened;
        }
        Self {
            mappings,
            streams: vec![switches.streamed; layers],
        }
    }
}

/// What a layer takes with a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MappingCost {
    /// Cycles of one image: the counter CYCLES.
    pub cycles: u64,
    /// Bytes of the layer's input and weights in each partition.
    pub buffer_bytes: u64,
}

/// What a layer of planes takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LayerCost {
    pub mapping: MappingCost,
    /// Instruction words, without HALT.
    pub words: u64,
}

/// Addresses of the tensors of planes.
#[derive(Debug)]
pub(crate) struct Addresses {
    /// Of each tensor; none if one is larger than any partition: it has no map of its words, and no offset leads to its planes.
    pub bases: Option<Vec<u32>>,
    /// For each step the end of all tensors that are needed then; of tensors without addresses the sum of their bytes.
    pub ends: Vec<u64>,
}

/// How the tensors of planes lie with some mappings. Whether weights are streamed changes nothing of it.
#[derive(Debug)]
pub(crate) struct Layout {
    /// Weights of each layer of planes if none are streamed.
    plans: Vec<Option<Rc<WeightPlan>>>,
    /// Each tensor of planes.
    pub tensors: Vec<Option<Rc<TensorLayout>>>,
    /// What the rows add to the addresses of each layer of planes; none if a tensor is larger than any partition.
    pub rows: Option<Vec<Rc<RowEntries>>>,
    /// Addresses of the tensors if halos are cleared with the image alone, and if they are before each layer.
    pub addresses: [OnceCell<Rc<Addresses>>; 3],
}

/// A network with a way for each layer. Nothing has an address.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub switches: Switches,
    pub ways: Ways,
    /// Weights of each layer of planes.
    pub weights: Vec<Option<Rc<WeightPlan>>>,
    pub layout: Rc<Layout>,
    /// What each layer of planes takes; none if no partition of this machine holds one of its tensors or the weights of a layer.
    pub costs: Option<Vec<Option<LayerCost>>>,
}

impl Candidate {
    /// The operations on matrices.
    pub fn matrices<'g>(&self, graph: &'g Lowered) -> &'g MatrixWork {
        &graph.matrices[usize::from(self.switches.keeps)]
    }

    /// The same layouts and weights, whatever was asked for.
    pub fn is_like(&self, other: &Self) -> bool {
        let streams = |candidate: &Self, layer: usize| candidate.streams(layer);
        self.switches.keeps == other.switches.keeps
            && self.ways.mappings == other.ways.mappings
            && (0..self.weights.len()).all(|layer| streams(self, layer) == streams(other, layer))
    }

    /// Bytes of weights of some layers in a partition.
    pub fn weight_bytes(&self, layers: &Range<usize>) -> u64 {
        let weights = self.weights[layers.clone()].iter().flatten();
        weights.map(|plan| plan.bytes()).sum()
    }

    /// The weights of a layer are streamed.
    pub fn streams(&self, layer: usize) -> bool {
        let plan = self.weights[layer].as_ref();
        plan.is_some_and(|plan| plan.streaming.is_some())
    }

    /// Cycles of all layers of planes, each alone.
    pub fn cycles(&self) -> u64 {
        let costs = self.costs.as_ref();
        costs.map_or(u64::MAX, |costs| {
            let costs = costs.iter().flatten();
            costs.map(|cost| cost.mapping.cycles).sum()
        })
    }

    /// The cost of a layer of planes, if it is known.
    pub fn cost(&self, layer: usize) -> Option<MappingCost> {
        Some(self.costs.as_ref()?[layer]?.mapping)
    }
}

/// Values that were made before, by all that they depend on.
type Memo<K, V> = RefCell<Vec<(K, V)>>;

/// Mapping, streamed weights, what is read and written.
type PlanKey = (Mapping, bool, Orders);
/// Order of the pixels, weights of the readers.
type TensorKey = (PixelOrder, Vec<usize>);

/// The value of a key, made if it is not there.
fn once<K: PartialEq, V: Clone>(memo: &Memo<K, V>, key: K, make: impl FnOnce(&K) -> V) -> V {
    let there = memo
        .borrow()
        .iter()
        .find(|(other, _)| *other == key)
        .map(|(_, value)| value.clone());
    there.unwrap_or_else(|| {
        let value = make(&key);
        memo.borrow_mut().push((key, value.clone()));
        value
    })
}

/// What stands for a value that lives as long as the builder.
fn id<T>(value: &Rc<T>) -> usize {
    Rc::as_ptr(value) as usize
}

/// Makes combinations; what was made for a layer or a tensor before is taken again.
pub(crate) struct Builder<'a> {
    pub graph: &'a Lowered<'a>,
    pub params: &'a Params,
    options: MatrixOptions,
    layouts: RefCell<HashMap<Vec<Mapping>, Rc<Layout>>>,
    /// For each layer.
    plans: Vec<Memo<PlanKey, Rc<WeightPlan>>>,
    rows: Vec<Memo<Vec<usize>, Rc<RowEntries>>>,
    costs: Vec<Memo<Vec<usize>, LayerCost>>,
    /// For each tensor, by its order and the weights of its readers.
    tensors: Vec<Memo<TensorKey, Rc<TensorLayout>>>,
    /// Instruction words of the layers of matrices, if copies are not kept, and if they are.
    matrix_words: [OnceCell<Result<MatrixWords, (usize, MatrixError)>>; 2],
}

impl<'a> Builder<'a> {
    pub fn new(graph: &'a Lowered<'a>, params: &'a Params, options: MatrixOptions) -> Self {
        let layers = graph.network.layers.len();
        let memos = layers + 1;
        Self {
            graph,
            params,
            options,
            layouts: RefCell::default(),
            plans: (0..layers).map(|_| Memo::default()).collect(),
            rows: (0..layers).map(|_| Memo::default()).collect(),
            costs: (0..layers).map(|_| Memo::default()).collect(),
            tensors: (0..memos).map(|_| Memo::default()).collect(),
            matrix_words: Default::default(),
        }
    }

    /// Layouts that were made.
    #[cfg(test)]
    pub fn layouts(&self) -> usize {
        self.layouts.borrow().len()
    }

    /// The layers can read and write so.
    pub fn fits(&self, mappings: &[Mapping]) -> bool {
        self.layouts.borrow().contains_key(mappings)
            || tensor_orders(self.graph, mappings, self.params).is_some()
    }

    /// A combination; its layers can read and write so.
    pub fn candidate(&self, switches: Switches, ways: Ways) -> Candidate {
        let layout = self.layout(&ways.mappings);
        let weights: Vec<_> = (self.graph.layers())
            .map(|layer| {
                let plan = layout.plans[layer].as_ref()?;
                Some(match ways.streams[layer] {
                    true => self.plan(layer, ways.mappings[layer], true, &plan.orders),
                    false => plan.clone(),
                })
            })
            .collect();
        let room = u64::from(self.params.operand_bytes());
        let has_room =
            layout.rows.is_some() && weights.iter().flatten().all(|plan| plan.bytes() <= room);
        let costs = has_room.then(|| {
            let layers = self.graph.layers();
            layers
                .map(|layer| self.cost(layer, weights[layer].as_ref()?, &layout))
                .collect()
        });
        Candidate {
            switches,
            ways,
            weights,
            layout,
            costs,
        }
    }

    /// What a layer takes in a layout, with streamed weights if that helps or without.
    pub fn other(
        &self,
        candidate: &Candidate,
        layer: usize,
        streamed: bool,
    ) -> Option<(LayerCost, u64)> {
        let layout = &candidate.layout;
        let mapping = candidate.ways.mappings[layer];
        let plan = layout.plans[layer].as_ref()?;
        let plan = match streamed {
            true => &self.plan(layer, mapping, true, &plan.orders),
            false => plan,
        };
        layout.rows.as_ref()?;
        let bytes = plan.bytes();
        (bytes <= u64::from(self.params.operand_bytes()))
            .then(|| self.cost(layer, plan, layout).map(|cost| (cost, bytes)))
            .flatten()
    }

    /// The weights of a layer of planes.
    fn plan(
        &self,
        layer: usize,
        mapping: Mapping,
        streamed: bool,
        orders: &Orders,
    ) -> Rc<WeightPlan> {
        let key = (mapping, streamed, orders.clone());
        once(&self.plans[layer], key, |_| {
            let of = &self.graph.network.layers[layer];
            let own = self.graph.constants.layers[layer];
            let orders = orders.clone();
            Rc::new(WeightPlan::of(
                of,
                mapping,
                orders,
                own,
                streamed,
                self.params,
            ))
        })
    }

    fn layout(&self, mappings: &[Mapping]) -> Rc<Layout> {
        if let Some(layout) = self.layouts.borrow().get(mappings) {
            return layout.clone();
        }
        let layout = Rc::new(self.new_layout(mappings));
        self.layouts
            .borrow_mut()
            .insert(mappings.to_vec(), layout.clone());
        layout
    }

    fn new_layout(&self, mappings: &[Mapping]) -> Layout {
        let (graph, params) = (self.graph, self.params);
        let orders = tensor_orders(graph, mappings, params);
        let orders = orders.expect("its layers can read and write so");
        let plans: Vec<_> = (graph.layers())
            .map(|layer| {
                let plan = || {
                    let orders = layer_orders(graph, layer, &orders, params);
                    self.plan(layer, mappings[layer], false, &orders)
                };
                graph.is_of_planes(layer).then(plan)
            })
            .collect();
        let matrices = &graph.matrices[0].tensors;
        let tensors: Vec<_> = (0..matrices.len())
            .map(|tensor| {
                let layout = || self.tensor(tensor, orders[tensor], &plans);
                matrices[tensor].is_none().then(layout)
            })
            .collect();
        let largest = tensors
            .iter()
            .flatten()
            .map(|layout| layout.footprint.bytes)
            .max();
        let fits = largest.unwrap_or(0) <= u64::from(params.operand_bytes());
        let rows = fits.then(|| {
            let layers = graph.layers();
            layers
                .map(|layer| self.rows(layer, plans[layer].as_ref(), &tensors))
                .collect()
        });
        Layout {
            plans,
            tensors,
            rows,
            addresses: Default::default(),
        }
    }

    fn tensor(
        &self,
        tensor: usize,
        order: PixelOrder,
        plans: &[Option<Rc<WeightPlan>>],
    ) -> Rc<TensorLayout> {
        let readers = &self.graph.readers[tensor];
        let made = tensor.checked_sub(1);
        if let Some(home) = self.graph.joined.part(tensor) {
            let whole = self.tensor(home.whole, order, plans);
            let (shape, _) = self.graph.network.tensor(tensor);
            return once(&self.tensors[tensor], (order, vec![id(&whole)]), |_| {
                Rc::new(whole.part(shape, home.first, self.params.lanes()))
            });
        }
        let key = readers
            .iter()
            .map(|&reader| plans[reader].as_ref().map_or(0, id));
        let key = (order, key.collect());
        once(&self.tensors[tensor], key, |_| {
            let is_kept = self.graph.constants.kept.get(tensor) == Some(&true)
                || !self.graph.homes.are_none();
            let mut machine = readers.iter().copied().chain(made);
            Rc::new(
                match is_kept && machine.all(|layer| plans[layer].is_none()) {
                    true => TensorLayout::none(),
                    false => {
                        TensorLayout::of(self.graph, tensor, plans, order, self.params.lanes())
                    }
                },
            )
        })
    }

    /// The tensors of a layer of planes: its inputs and its output.
    fn tensors_of<'l>(
        &self,
        layer: usize,
        tensors: &'l [Option<Rc<TensorLayout>>],
    ) -> impl Iterator<Item = &'l Rc<TensorLayout>> {
        let inputs = self.graph.network.layers[layer].inputs.iter();
        let own: Vec<usize> = inputs
            .map(|input| input.tensor)
            .chain([layer + 1])
            .collect();
        own.into_iter()
            .filter_map(|tensor| tensors[tensor].as_ref())
    }

    fn rows(
        &self,
        layer: usize,
        plan: Option<&Rc<WeightPlan>>,
        tensors: &[Option<Rc<TensorLayout>>],
    ) -> Rc<RowEntries> {
        let Some(plan) = plan else {
            return Rc::default();
        };
        let key: Vec<usize> = self
            .tensors_of(layer, tensors)
            .map(id)
            .chain([id(plan)])
            .collect();
        once(&self.rows[layer], key, |_| {
            let inputs = (0..).zip(&self.graph.network.layers[layer].inputs);
            let entries = inputs.map(|(number, input)| {
                let layout = tensors[input.tensor].as_ref();
                let distances = layout.expect("planes are read").footprint.distances();
                let parts = 0..plan.orders.parts();
                parts
                    .map(|part| plan.row_offsets(number, part, distances))
                    .collect()
            });
            Rc::new(RowEntries::new(entries.collect()))
        })
    }

    /// What a layer of planes takes; everything lies inside a partition.
    fn cost(&self, layer: usize, plan: &Rc<WeightPlan>, layout: &Layout) -> Option<LayerCost> {
        let key: Vec<usize> = self
            .tensors_of(layer, &layout.tensors)
            .map(id)
            .chain([id(plan)])
            .collect();
        let of = &self.graph.network.layers[layer];
        if key.len() < of.inputs.len() + 2 {
            return None;
        }
        Some(once(&self.costs[layer], key, |_| {
            self.alone(layer, plan, layout, |placed| {
                let instructions = placed.instructions();
                let words = instructions.iter().map(|i| i.words() as u64).sum();
                let inputs = placed.inputs.iter().map(|input| u64::from(input.bytes));
                LayerCost {
                    mapping: MappingCost {
                        buffer_bytes: inputs.sum::<u64>() + plan.bytes(),
                        cycles: cost::alone(instructions, self.params),
                    },
                    words,
                }
            })
        }))
    }

    /// A layer of planes whose data all lie at address 0.
    pub fn alone<T>(
        &self,
        layer: usize,
        plan: &WeightPlan,
        layout: &Layout,
        make: impl FnOnce(&PlacedLayer) -> T,
    ) -> T {
        let of = &self.graph.network.layers[layer];
        let at = |tensor: usize| -> TensorPlan {
            let layout = layout.tensors[tensor].as_ref();
            layout
                .expect("it is of planes")
                .at(&self.graph.network, tensor, 0)
        };
        let inputs: Vec<_> = of.inputs.iter().map(|input| at(input.tensor)).collect();
        let rows = layout.rows.as_ref().expect("every tensor fits a partition");
        let first = |part: &Option<Vec<_>>| part.as_ref().map(|_| 0);
        let entries = rows[layer]
            .parts
            .iter()
            .map(|parts| parts.iter().map(first).collect());
        make(&PlacedLayer {
            layer: of,
            params: self.params,
            inputs: inputs.iter().collect(),
            output: &at(layer + 1),
            weights: plan,
            weight_base: 0,
            first_column_tile: 0,
            first_entries: &entries.collect::<Vec<_>>(),
        })
    }

    /// Instruction words of each layer, without HALT, if the identity is built so many times. They do not depend on addresses.
    ///
    /// # Errors
    /// The machine cannot do an operation on matrices.
    pub fn words(
        &self,
        candidate: &Candidate,
        cluster: &[Option<ClusterLayer>],
        builds: u64,
    ) -> Result<Vec<u64>, CompileError> {
        let of_matrices = self.matrix_words[usize::from(candidate.switches.keeps)]
            .get_or_init(|| words(candidate.matrices(self.graph), self.options, self.params));
        let of_matrices = of_matrices.as_ref().map_err(|(layer, error)| {
            let layer = &self.graph.network.layers[*layer];
            CompileError::of_layer(layer, error)
        })?;
        let of_layer = |layer: usize| match (&cluster[layer], &candidate.weights[layer]) {
            (Some(sparse), Some(plan)) => self.alone(layer, plan, &candidate.layout, |placed| {
                let instructions = placed.cluster_instructions(sparse);
                instructions.iter().map(|i| i.words() as u64).sum()
            }),
            _ => {
                let costs = candidate.costs.as_ref();
                costs
                    .and_then(|costs| costs[layer])
                    .map_or(of_matrices.layers[layer], |cost| cost.words)
            }
        };
        let mut all: Vec<u64> = self.graph.layers().map(of_layer).collect();
        let (first, words) = of_matrices.built;
        all[first] += builds * words;
        Ok(all)
    }

    /// Cycles of the layers of planes, each alone; of those on the cluster by estimate.
    pub fn cycles(&self, candidate: &Candidate, cluster: &[Option<ClusterLayer>]) -> u64 {
        let layers = self.graph.layers().map(|layer| match &cluster[layer] {
            Some(sparse) => sparse.cycles,
            None => candidate.cost(layer).map_or(0, |cost| cost.cycles),
        });
        layers.sum()
    }
}
