//! Gives tensors and weights their addresses: activations from bank 0 on, weights in the banks
//! behind them. Tensors that are not needed at the same time may share memory. Input banks, if there are any, hold the
//! input of the network and nothing else.

use std::ops::Range;

use heddle_arch::network::{Layer, LayerKind, Network, Padding, Shape};
use heddle_arch::params::Params;

use crate::allocate::{SpaceRequest, allocate};
use crate::error::{Memory, Shortage};
use crate::mapping::Mapping;
use crate::orders::{layer_orders, tensor_orders};
use crate::row_tables::RowTables;
use crate::tensor::{Footprint, RowOrder, TensorPlan};
use crate::weights::WeightPlan;

/// Addresses of everything in the state buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placement {
    /// The input, then the output of each layer.
    pub tensors: Vec<TensorPlan>,
    /// Bytes of all tensors in each partition, without an input in input banks.
    pub activation_bytes: u32,
    /// Words of the input in the input banks.
    pub input_words: Range<u32>,
    /// Weights of each layer and their address.
    pub weights: Vec<(WeightPlan, u32)>,
    /// Offset tables of the rows.
    pub tables: RowTables,
}

/// The layout of a tensor before it has an address.
struct TensorLayout {
    planes: Vec<Vec<u32>>,
    order: RowOrder,
    footprint: Footprint,
}

/// The layer that can have its taps laid over the rows: the only one that reads the input of the
/// network, because the host can write that wherever it is needed.
pub(crate) fn flattenable(network: &Network) -> Option<usize> {
    let reads = |layer: &&Layer| layer.inputs.iter().any(|input| input.tensor == 0);
    let mut readers = (0..).zip(&network.layers).filter(|(_, layer)| reads(layer));
    let (index, layer) = readers.next()?;
    let dense = matches!(layer.kind, LayerKind::Conv2d | LayerKind::FullyConnected);
    let alone = readers.next().is_none();
    (dense && alone && layer.groups == 1).then_some(index)
}

/// Places a network with a mapping for each layer, with streamed weights where they help, or lists the memories that are too
/// small.
pub(crate) fn place(
    network: &Network,
    mappings: &[Mapping],
    streamed: bool,
    params: &Params,
) -> Result<Placement, Vec<Shortage>> {
    let orders = tensor_orders(network, mappings);
    let plans: Vec<WeightPlan> = (network.layers.iter().enumerate())
        .map(|(index, layer)| {
            let orders = layer_orders(network, index, &orders);
            WeightPlan::of(layer, mappings[index], orders, streamed, params)
        })
        .collect();
    let layouts = layouts(network, &plans, &orders, params.lanes());
    let largest = layouts.iter().map(|layout| layout.footprint.bytes).max();
    // A tensor that no partition can hold has no map of its words, and no offset leads to its planes.
    let mut tables = RowTables::default();
    let (bases, activation_bytes) = match largest {
        Some(bytes) if bytes > u64::from(params.operand_bytes()) => {
            let apart = usize::from(params.state_buffer.input_banks > 0);
            let others = layouts.iter().skip(apart);
            let all = others.map(|layout| layout.footprint.bytes).sum();
            (Vec::new(), all)
        }
        _ => {
            let distances = |tensor: usize| layouts[tensor].footprint.distances();
            tables = RowTables::of(network, &plans, distances);
            bases(network, &layouts, params)
        }
    };
    let input_bytes = match params.state_buffer.input_banks {
        0 => 0,
        _ => layouts[0].footprint.bytes,
    };
    let weight_bytes: u64 = plans.iter().map(WeightPlan::bytes).sum();
    let column_tiles: u64 = plans.iter().map(|plan| u64::from(plan.column_tiles)).sum();

    let bank_bytes = u64::from(params.bank_bytes());
    let banks = u64::from(params.work_banks());
    let input_room = u64::from(params.operand_bytes() - params.work_bytes());
    // Weights keep at least one bank.
    let activation_banks = activation_bytes.div_ceil(bank_bytes).min(banks - 1);
    let activation_room = activation_banks * bank_bytes;
    let weight_room = (banks - activation_banks) * bank_bytes;
    let shortages: Vec<Shortage> = [
        Shortage::of(Memory::Input, input_bytes, input_room),
        Shortage::of(Memory::Activations, activation_bytes, activation_room),
        Shortage::of(Memory::Weights, weight_bytes, weight_room),
        Shortage::of(
            Memory::ColumnTiles,
            column_tiles,
            params.column_tiles.into(),
        ),
        Shortage::of(
            Memory::RowOffsets,
            tables.entries.len() as u64,
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
        tensors: place_tensors(network, layouts, &bases),
        activation_bytes: fit(activation_bytes),
        input_words: params.work_bytes() / 8..params.work_bytes() / 8 + fit(input_bytes) / 8,
        weights,
        tables,
    })
}

/// Base address of each tensor, and bytes of all that do not lie in input banks.
fn bases(network: &Network, layouts: &[TensorLayout], params: &Params) -> (Vec<u32>, u64) {
    let apart = usize::from(params.state_buffer.input_banks > 0);
    let requests: Vec<SpaceRequest> = (apart..)
        .zip(&layouts[apart..])
        .map(|(tensor, layout)| SpaceRequest {
            steps: lifetime(network, tensor),
            written: layout.footprint.written(),
        })
        .collect();
    let words = allocate(&requests);
    let ends = words
        .iter()
        .zip(&requests)
        .map(|(at, request)| at + request.written.len());
    let bytes = 8 * ends.max().unwrap_or(0) as u64;
    let input = std::iter::repeat_n(params.work_bytes(), apart);
    let others = words.iter().map(|&word| 8 * word as u32);
    (input.chain(others).collect(), bytes)
}

/// Steps in which a tensor is needed. In step i + 1 layer i runs; the host writes the input in step 0 and reads the
/// output in the last one.
fn lifetime(network: &Network, tensor: usize) -> std::ops::Range<usize> {
    let readers = (1..).zip(&network.layers).filter(|(_, layer)| {
        let mut inputs = layer.inputs.iter();
        inputs.any(|input| input.tensor == tensor)
    });
    let last = readers.map(|(step, _)| step).max();
    // Nobody reads the output of the network but the host.
    let last = last.unwrap_or(network.layers.len() + 1);
    tensor..last + 1
}

/// The halo that all layers together want which read a tensor.
fn padding(network: &Network, tensor: usize) -> Padding {
    let readers = network.layers.iter().filter(|layer| {
        let mut inputs = layer.inputs.iter();
        inputs.any(|input| input.tensor == tensor)
    });
    readers.fold(Padding::default(), |all, layer| Padding {
        top: all.top.max(layer.padding.top),
        bottom: all.bottom.max(layer.padding.bottom),
        left: all.left.max(layer.padding.left),
        right: all.right.max(layer.padding.right),
    })
}

/// Layouts of the input and of each layer's output.
fn layouts(
    network: &Network,
    plans: &[WeightPlan],
    orders: &[RowOrder],
    lanes: u32,
) -> Vec<TensorLayout> {
    let flattening = |tensor: usize| {
        let readers = network.layers.iter().zip(plans).find(|(layer, _)| {
            let mut inputs = layer.inputs.iter();
            inputs.any(|input| input.tensor == tensor)
        });
        readers.and_then(|(_, plan)| plan.flattening)
    };
    (0..=network.layers.len())
        .map(|tensor| {
            let (shape, _) = network.tensor(tensor);
            let padding = padding(network, tensor);
            let Some(flattening) = flattening(tensor) else {
                return layout(network, tensor, plans, orders[tensor], lanes);
            };
            let rows = 0..flattening.rows;
            let planes: Vec<Vec<u32>> = rows.map(|row| flattening.channels(row)).collect();
            let most = planes.iter().map(Vec::len).max().unwrap_or(1);
            let footprint = Footprint::of(shape, padding, most as u32);
            let slack = flattening.slack(footprint.distances());
            TensorLayout {
                planes,
                order: RowOrder::Plain,
                footprint: footprint.with_slack(slack),
            }
        })
        .collect()
}

/// Layout of a tensor with each row of a channel in one partition.
fn layout(
    network: &Network,
    tensor: usize,
    plans: &[WeightPlan],
    order: RowOrder,
    lanes: u32,
) -> TensorLayout {
    let (shape, _) = network.tensor(tensor);
    let planes = order.planes(shape.channels, lanes);
    let most = planes.iter().map(Vec::len).max().unwrap_or(1) as u32;
    let padding = padding(network, tensor);
    let halves = Shape {
        height: order.plane_height(shape.height),
        ..shape
    };
    let footprint = match order {
        RowOrder::Plain => Footprint::of(shape, padding, most),
        RowOrder::Split => {
            let readers = network.layers.iter().zip(plans);
            let halos = readers.filter_map(|(layer, plan)| {
                let reads = layer.inputs.iter().any(|input| input.tensor == tensor);
                plan.pairs.filter(|_| reads).map(|pairs| pairs.halo(layer))
            });
            // Halos above and below are counted in rows of the planes.
            let sides = Padding {
                top: 0,
                bottom: 0,
                ..padding
            };
            let padding = halos.fold(sides, |all, (top, bottom)| Padding {
                top: all.top.max(top),
                bottom: all.bottom.max(bottom),
                ..all
            });
            // The zeros below the last row are there where an odd row is missing.
            Footprint::of(halves, padding, most).with_odd_height(shape.height / 2)
        }
        RowOrder::Paired => Footprint::of(halves, padding, most),
    };
    TensorLayout {
        planes,
        order,
        footprint,
    }
}

fn place_tensors(network: &Network, layouts: Vec<TensorLayout>, bases: &[u32]) -> Vec<TensorPlan> {
    (layouts.into_iter().zip(bases).enumerate())
        .map(|(tensor, (layout, &base))| {
            let (shape, zero_point) = network.tensor(tensor);
            let name = network.tensor_name(tensor);
            let TensorLayout {
                planes,
                order,
                footprint,
            } = layout;
            TensorPlan::place(name, shape, zero_point, (planes, order), footprint, base)
        })
        .collect()
}
