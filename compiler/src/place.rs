//! Gives tensors and weights their addresses: activations from bank 0 on, weights in the banks
//! behind them.

use heddle_arch::network::{Network, Padding};
use heddle_arch::params::Params;

use crate::error::{Memory, Shortage};
use crate::mapping::Mapping;
use crate::tensor::{Footprint, TensorPlan, planes_by_lane};
use crate::weights::WeightPlan;

/// Addresses of everything in the state buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placement {
    /// The input, then the output of each layer.
    pub tensors: Vec<TensorPlan>,
    /// Bytes of all tensors in each partition.
    pub activation_bytes: u32,
    /// Weights of each layer and their address.
    pub weights: Vec<(WeightPlan, u32)>,
}

/// The layout of a tensor before it has an address.
struct Layout {
    planes: Vec<Vec<u32>>,
    footprint: Footprint,
}

/// Places a network whose first layer has this mapping, or lists the memories that are too small.
pub(crate) fn place(
    network: &Network,
    mapping: Mapping,
    params: &Params,
) -> Result<Placement, Vec<Shortage>> {
    let mappings = std::iter::once(mapping).chain(std::iter::repeat(Mapping::Channel));
    let plans: Vec<WeightPlan> = (network.layers.iter().zip(mappings))
        .map(|(layer, mapping)| WeightPlan::of(layer, mapping, params))
        .collect();
    let layouts = layouts(network, &plans, params.lanes());
    let activation_bytes: u64 = layouts.iter().map(|layout| layout.footprint.bytes).sum();
    let entries = plans.iter().filter(|plan| plan.flattening.is_some());
    let entries: u64 = entries.map(|plan| plan.k_tiles).sum();
    let weight_bytes: u64 = plans.iter().map(WeightPlan::bytes).sum();
    let column_tiles: u64 = plans.iter().map(|plan| u64::from(plan.column_tiles)).sum();

    let bank_bytes = u64::from(params.bank_bytes());
    let banks = u64::from(params.state_buffer.banks);
    // Weights keep at least one bank.
    let activation_banks = activation_bytes.div_ceil(bank_bytes).min(banks - 1);
    let activation_room = activation_banks * bank_bytes;
    let weight_room = (banks - activation_banks) * bank_bytes;
    let shortages: Vec<Shortage> = [
        Shortage::of(Memory::Activations, activation_bytes, activation_room),
        Shortage::of(Memory::Weights, weight_bytes, weight_room),
        Shortage::of(
            Memory::ColumnTiles,
            column_tiles,
            params.column_tiles.into(),
        ),
        Shortage::of(
            Memory::RowOffsets,
            entries,
            params.state_buffer.row_offsets.into(),
        ),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !shortages.is_empty() {
        return Err(shortages);
    }

    let fit = |size: u64| u32::try_from(size).expect("everything fits a partition");
    let mut next = fit(activation_room);
    let weights = plans
        .into_iter()
        .map(|plan| {
            let base = next;
            next += fit(plan.bytes());
            (plan, base)
        })
        .collect();
    Ok(Placement {
        tensors: place_tensors(network, layouts),
        activation_bytes: fit(activation_bytes),
        weights,
    })
}

/// Layouts of the input and of each layer's output.
fn layouts(network: &Network, plans: &[WeightPlan], lanes: u32) -> Vec<Layout> {
    let consumers = network.layers.iter().map(|layer| layer.padding);
    let paddings = consumers.chain([Padding::default()]);
    let outputs = network.layers.iter().map(|layer| layer.output);
    let shapes = std::iter::once(network.input).chain(outputs);
    let flattenings = plans.iter().map(|plan| plan.flattening).chain([None]);
    shapes
        .zip(paddings)
        .zip(flattenings)
        .map(|((shape, padding), flattening)| {
            let Some(flattening) = flattening else {
                let groups = shape.channels.div_ceil(lanes);
                return Layout {
                    planes: planes_by_lane(shape.channels, lanes),
                    footprint: Footprint::of(shape, padding, groups),
                };
            };
            let rows = 0..flattening.rows;
            let planes: Vec<Vec<u32>> = rows.map(|row| flattening.channels(row)).collect();
            let most = planes.iter().map(Vec::len).max().unwrap_or(1);
            let footprint = Footprint::of(shape, padding, most as u32);
            let slack = flattening.slack(footprint.distances());
            Layout {
                planes,
                footprint: footprint.with_slack(slack),
            }
        })
        .collect()
}

fn place_tensors(network: &Network, layouts: Vec<Layout>) -> Vec<TensorPlan> {
    let input = ("input", network.input, network.input_zero_point);
    let outputs = network
        .layers
        .iter()
        .map(|layer| (layer.name.as_str(), layer.output, layer.output_zero_point));
    let mut base = 0;
    std::iter::once(input)
        .chain(outputs)
        .zip(layouts)
        .map(|((name, shape, zero_point), layout)| {
            let Layout { planes, footprint } = layout;
            let plan = TensorPlan::place(name, shape, zero_point, planes, footprint, base);
            base += plan.bytes;
            plan
        })
        .collect()
}
