//! A combination of mappings.

use heddle_arch::network::Network;
use heddle_arch::params::Params;

use super::MappingCost;
use super::layouts::TensorLayout;
use super::orders::{layer_orders, tensor_orders};
use crate::cost;
use crate::ir::{Constants, Lowered, lower};
use crate::options::MatrixOptions;
use crate::product::{Mapping, PlacedLayer, WeightPlan};

/// What a combination makes use of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Switches {
    /// The first layer has its taps laid over the rows.
    pub flattened: bool,
    /// Depthwise layers make two rows at a time.
    pub paired: bool,
    /// Weights are streamed where that helps.
    pub streamed: bool,
    /// Transposed copies stay for later layers.
    pub keeps: bool,
}

impl Switches {
    /// How many things it makes use of.
    pub fn count(self) -> usize {
        let all = [self.flattened, self.paired, self.streamed, self.keeps];
        all.into_iter().filter(|&used| used).count()
    }
}

/// A network with a mapping for each layer. Nothing has an address.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub switches: Switches,
    /// The layers as operations.
    pub lowered: Lowered,
    pub mappings: Vec<Mapping>,
    /// Weights of each layer of planes.
    pub weights: Vec<Option<WeightPlan>>,
    /// Layout of each tensor of planes.
    pub layouts: Vec<Option<TensorLayout>>,
    /// What each layer of planes takes; none if no partition of this machine holds one of its tensors or its weights.
    pub costs: Option<Vec<Option<MappingCost>>>,
}

impl Candidate {
    pub fn of(
        network: &Network,
        switches: Switches,
        mappings: Vec<Mapping>,
        constants: &Constants,
        params: &Params,
        options: MatrixOptions,
    ) -> Self {
        let lowered = lower(
            network,
            constants,
            options,
            switches.keeps,
            params.array.cols,
        );
        let orders = tensor_orders(network, &mappings);
        let layers = network.layers.iter().enumerate();
        let weights: Vec<Option<WeightPlan>> = layers
            .map(|(index, layer)| {
                let orders = layer_orders(network, index, &orders);
                let (mapping, own) = (mappings[index], constants.layers[index]);
                let streamed = switches.streamed;
                let plan = || WeightPlan::of(layer, mapping, orders, own, streamed, params);
                let on_planes = !layer.kind.is_of_matrices() && constants.hosts[index].is_none();
                on_planes.then(plan)
            })
            .collect();
        let tensors = lowered.tensors.iter().enumerate();
        let layouts = tensors.map(|(tensor, value)| {
            let layout =
                || TensorLayout::of(network, tensor, &weights, orders[tensor], params.lanes());
            value.is_none().then(layout)
        });
        let mut candidate = Self {
            switches,
            mappings,
            layouts: layouts.collect(),
            weights,
            lowered,
            costs: None,
        };
        if candidate.is_addressable(params) {
            let costs =
                (0..network.layers.len()).map(|layer| candidate.cost(network, layer, params));
            candidate.costs = Some(costs.collect());
        }
        candidate
    }

    /// The same layouts and weights, whatever was asked for.
    pub fn is_like(&self, other: &Self) -> bool {
        self.switches.keeps == other.switches.keeps
            && self.mappings == other.mappings
            && self.weights == other.weights
    }

    /// Cycles of all layers of planes, each alone.
    pub fn cycles(&self) -> u64 {
        let costs = self.costs.as_ref();
        costs.map_or(u64::MAX, |costs| {
            costs.iter().flatten().map(|cost| cost.cycles).sum()
        })
    }

    /// Addresses of a partition reach all bytes of any tensor and of the weights.
    fn is_addressable(&self, params: &Params) -> bool {
        let room = u64::from(params.operand_bytes());
        let tensors = self.layouts.iter().flatten().map(|l| l.footprint.bytes);
        let weights = self.weights.iter().flatten();
        tensors.max().unwrap_or(0) <= room
            && weights.clone().map(WeightPlan::bytes).sum::<u64>() <= room
            && weights.map(|plan| plan.column_tiles).sum::<u32>() <= params.column_tiles
    }

    /// What a layer of planes takes.
    fn cost(&self, network: &Network, index: usize, params: &Params) -> Option<MappingCost> {
        let layer = &network.layers[index];
        let weights = self.weights[index].as_ref()?;
        let at = |tensor: usize| Some(self.layouts[tensor].as_ref()?.at(network, tensor, 0));
        let inputs = layer.inputs.iter().map(|input| at(input.tensor));
        let inputs: Vec<_> = inputs.collect::<Option<_>>()?;
        let output = at(index + 1)?;
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
        Some(MappingCost {
            cycles: cost::alone(placed.instructions(), params),
            buffer_bytes: input_bytes + weights.bytes(),
        })
    }
}
