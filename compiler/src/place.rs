//! Gives tensors and weights their addresses: activations from bank 0 on, weights in the banks
//! behind them.

use heddle_arch::network::{Network, Padding};
use heddle_arch::params::Params;

use crate::error::{Memory, Shortage};
use crate::tensor::{Footprint, TensorPlan};
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

/// Places a network, or lists the memories that are too small.
pub(crate) fn place(network: &Network, params: &Params) -> Result<Placement, Vec<Shortage>> {
    let footprints = footprints(network, params.lanes());
    let activation_bytes: u64 = footprints.iter().map(|footprint| footprint.bytes).sum();
    let plans: Vec<WeightPlan> = network
        .layers
        .iter()
        .map(|layer| WeightPlan::of(layer, params))
        .collect();
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
        tensors: place_tensors(network, params.lanes(), &footprints),
        activation_bytes: fit(activation_bytes),
        weights,
    })
}

/// Sizes of the input and of each layer's output.
fn footprints(network: &Network, lanes: u32) -> Vec<Footprint> {
    let consumers = network.layers.iter().map(|layer| layer.padding);
    let paddings = consumers.chain([Padding::default()]);
    let outputs = network.layers.iter().map(|layer| layer.output);
    let shapes = std::iter::once(network.input).chain(outputs);
    shapes
        .zip(paddings)
        .map(|(shape, padding)| Footprint::of(shape, padding, lanes))
        .collect()
}

fn place_tensors(network: &Network, lanes: u32, footprints: &[Footprint]) -> Vec<TensorPlan> {
    let input = ("input", network.input, network.input_zero_point);
    let outputs = network
        .layers
        .iter()
        .map(|layer| (layer.name.as_str(), layer.output, layer.output_zero_point));
    let mut base = 0;
    std::iter::once(input)
        .chain(outputs)
        .zip(footprints)
        .map(|((name, shape, zero_point), &footprint)| {
            let plan = TensorPlan::place(name, shape, zero_point, lanes, footprint, base);
            base += plan.bytes;
            plan
        })
        .collect()
}
