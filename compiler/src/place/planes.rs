//! Addresses in a network of planes: activations from bank 0 on, weights in the banks
//! behind them. Tensors that are not needed at the same time may share memory. Input banks, if there are any, hold the
//! input of the network and nothing else.

use heddle_arch::network::Network;
use heddle_arch::params::Params;

use super::allocate::{SpaceRequest, allocate};
use super::row_tables::RowTables;
use super::{Matrices, Regions, lifetime, numbers, row_tables};
use crate::error::{Memory, Shortage};
use crate::map::{Candidate, TensorLayout};
use crate::product::WeightPlan;

/// Addresses of tensors and weights, or the memories that are too small.
pub(super) fn place(
    network: &Network,
    candidate: &Candidate,
    params: &Params,
) -> Result<Regions, Vec<Shortage>> {
    let layouts: Vec<&TensorLayout> = candidate.layouts.iter().flatten().collect();
    let largest = layouts.iter().map(|layout| layout.footprint.bytes).max();
    // A tensor that no partition can hold has no map of its words, and no offset leads to its planes.
    let (bases, activation_bytes, tables) = match largest {
        Some(bytes) if bytes > u64::from(params.operand_bytes()) => {
            let apart = usize::from(params.state_buffer.input_banks > 0);
            let others = layouts.iter().skip(apart);
            let all = others.map(|layout| layout.footprint.bytes).sum();
            (Vec::new(), all, RowTables::default())
        }
        _ => {
            let (bases, bytes) = bases(network, &layouts, params);
            (bases, bytes, row_tables(network, candidate))
        }
    };
    let input_bytes = match params.state_buffer.input_banks {
        0 => 0,
        _ => layouts[0].footprint.bytes,
    };
    let weights = candidate.weights.iter().flatten();
    let weight_bytes: u64 = weights.map(WeightPlan::bytes).sum();

    let bank_bytes = u64::from(params.bank_bytes());
    let banks = u64::from(params.work_banks());
    let input_room = u64::from(params.operand_bytes() - params.work_bytes());
    // Weights keep at least one bank.
    let activation_banks = activation_bytes.div_ceil(bank_bytes).min(banks - 1);
    let activation_room = activation_banks * bank_bytes;
    let weight_room = (banks - activation_banks) * bank_bytes;
    let [column_tiles, row_offsets] = numbers(candidate, &tables, params);
    let shortages = [
        Shortage::of(Memory::Input, input_bytes, input_room),
        Shortage::of(Memory::Activations, activation_bytes, activation_room),
        Shortage::of(Memory::Weights, weight_bytes, weight_room),
        column_tiles,
        row_offsets,
    ];
    let shortages: Vec<Shortage> = shortages.into_iter().flatten().collect();
    if !shortages.is_empty() {
        return Err(shortages);
    }
    let words = |bytes: u64| u32::try_from(bytes / 8).expect("everything fits a partition");
    let input = params.work_bytes() / 8;
    Ok(Regions {
        tensors: bases,
        weights: 8 * words(activation_room),
        zeros: vec![
            0..words(activation_bytes),
            input..input + words(input_bytes),
        ],
        matrices: Matrices::default(),
    })
}

/// Base address of each tensor, and bytes of all that do not lie in input banks.
fn bases(network: &Network, layouts: &[&TensorLayout], params: &Params) -> (Vec<u32>, u64) {
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
