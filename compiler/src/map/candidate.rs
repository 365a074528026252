//! A combination of mappings.

use std::collections::HashMap;

use heddle_arch::params::Params;
use heddle_network::Network;

use super::MappingCost;
use super::layouts::TensorLayout;
use super::orders::{layer_orders, tensor_orders};
use crate::cost;
use crate::ir::{Constants, Lowered, lower, readers};
use crate::layout::{Distances, TensorPlan};
use crate::options::MatrixOptions;
use crate::product::{Mapping, Orders, PlacedLayer, WeightPlan};

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
    pub fn new(network: &Network, switches: Switches, flattenable: &[usize]) -> Self {
        let layers = network.layers.len();
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

/// A network with a way for each layer. Nothing has an address.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub switches: Switches,
    /// The layers as operations.
    pub lowered: Lowered,
    pub ways: Ways,
    /// Weights of each layer of planes.
    pub weights: Vec<Option<WeightPlan>>,
    /// For each tensor whether the host keeps it; none of them if there are none.
    pub kept: Vec<bool>,
    /// Layout of each tensor of planes.
    pub layouts: Vec<Option<TensorLayout>>,
    /// What each layer of planes takes; none if no partition of this machine holds one of its tensors or the weights of a layer.
    pub costs: Option<Vec<Option<MappingCost>>>,
}

/// Costs of layers that were found before, by all that they depend on.
#[derive(Debug, Default)]
pub(crate) struct Costs(HashMap<CostKey, MappingCost>);

/// Layer, mapping, streamed weights, orders, and distances of rows and planes of all tensors.
type CostKey = (usize, Mapping, bool, Orders, Vec<Distances>);

impl Candidate {
    pub fn of(
        network: &Network,
        switches: Switches,
        ways: Ways,
        constants: &Constants,
        params: &Params,
        options: MatrixOptions,
        found: &mut Costs,
    ) -> Self {
        let lowered = lower(
            network,
            constants,
            options,
            switches.keeps,
            params.array.cols,
        );
        let orders = tensor_orders(network, constants, &ways.mappings, params);
        let orders = orders.expect("its layers can read and write so");
        let layers = network.layers.iter().enumerate();
        let weights: Vec<Option<WeightPlan>> = layers
            .map(|(index, layer)| {
                let orders = layer_orders(network, index, &orders, params);
                let (mapping, own) = (ways.mappings[index], constants.layers[index]);
                let streamed = ways.streams[index];
                let plan = || WeightPlan::of(layer, mapping, orders, own, streamed, params);
                let on_planes = !layer.kind.is_of_matrices() && constants.hosts[index].is_none();
                on_planes.then(plan)
            })
            .collect();
        let tensors = lowered.tensors.iter().enumerate();
        let layouts = tensors.map(|(tensor, value)| {
            let layout = || {
                let made = tensor.checked_sub(1);
                let mut machine = readers(network, tensor).chain(made);
                let is_kept = constants.kept.get(tensor) == Some(&true);
                match is_kept && machine.all(|layer| weights[layer].is_none()) {
                    true => TensorLayout::none(),
                    false => {
                        TensorLayout::of(network, tensor, &weights, orders[tensor], params.lanes())
                    }
                }
            };
            value.is_none().then(layout)
        });
        let mut candidate = Self {
            switches,
            ways,
            layouts: layouts.collect(),
            weights,
            kept: constants.kept.clone(),
            lowered,
            costs: None,
        };
        if candidate.has_room(params) {
            let layers = 0..network.layers.len();
            let costs = layers.map(|layer| candidate.cost(network, layer, params, found));
            candidate.costs = Some(costs.collect());
        }
        candidate
    }

    /// The same layouts and weights, whatever was asked for.
    pub fn is_like(&self, other: &Self) -> bool {
        self.switches.keeps == other.switches.keeps
            && self.ways.mappings == other.ways.mappings
            && self.weights == other.weights
    }

    /// Cycles of all layers of planes, each alone.
    pub fn cycles(&self) -> u64 {
        let costs = self.costs.as_ref();
        costs.map_or(u64::MAX, |costs| {
            costs.iter().flatten().map(|cost| cost.cycles).sum()
        })
    }

    /// Addresses of a partition reach all bytes of any tensor, and of the weights of any layer.
    fn has_room(&self, params: &Params) -> bool {
        let tensors = self.layouts.iter().flatten().map(|l| l.footprint.bytes);
        let weights = self.weights.iter().flatten().map(WeightPlan::bytes);
        let room = u64::from(params.operand_bytes());
        tensors.chain(weights).max().unwrap_or(0) <= room
    }

    /// What a layer of planes takes.
    fn cost(
        &self,
        network: &Network,
        index: usize,
        params: &Params,
        found: &mut Costs,
    ) -> Option<MappingCost> {
        let layer = &network.layers[index];
        let weights = self.weights[index].as_ref()?;
        let at = |tensor: usize| Some(self.layouts[tensor].as_ref()?.at(network, tensor, 0));
        let inputs = layer.inputs.iter().map(|input| at(input.tensor));
        let inputs: Vec<_> = inputs.collect::<Option<_>>()?;
        let output = at(index + 1)?;
        let tensors = inputs.iter().chain([&output]);
        let key = (
            index,
            self.ways.mappings[index],
            self.ways.streams[index],
            weights.orders.clone(),
            tensors.map(TensorPlan::distances).collect(),
        );
        if let Some(cost) = found.0.get(&key) {
            return Some(*cost);
        }
        let entries = (0..).zip(&inputs).map(|(number, input)| {
            let parts = 0..weights.orders.parts();
            let entry = |part| {
                weights
                    .row_offsets(number, part, input.distances())
                    .map(|_| 0)
            };
            parts.map(entry).collect()
        });
        let placed = PlacedLayer {
            layer,
            params,
            inputs: inputs.iter().collect(),
            output: &output,
            weights,
            weight_base: 0,
            first_column_tile: 0,
            first_entries: &entries.collect::<Vec<_>>(),
        };
        let input_bytes: u64 = inputs.iter().map(|input| u64::from(input.bytes)).sum();
        let cost = MappingCost {
            cycles: cost::alone(placed.instructions(), params),
            buffer_bytes: input_bytes + weights.bytes(),
        };
        found.0.insert(key, cost);
        Some(cost)
    }
}
