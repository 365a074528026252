//! Constants that are found once for a network, whatever way its layers take.

use heddle_arch::network::{Layer, LayerKind, Network, Table};
use heddle_arch::params::Params;

use crate::error::{CompileError, Memory, Shortage};
use crate::exact::{LayerConstants, dual_sum};

/// Entries of a table as the machine stores them: index and entry are bytes less their zero points.
pub(crate) type StoredTable = Vec<u8>;

/// Constants of the layers.
#[derive(Debug, Default)]
pub(crate) struct Constants {
    /// Those of each layer.
    pub layers: Vec<LayerConstants>,
    /// All tables, from number 1 on.
    pub tables: Vec<StoredTable>,
}

/// Finds them.
///
/// # Errors
/// A sum has none, or the machine has too few tables.
pub(crate) fn constants(network: &Network, params: &Params) -> Result<Constants, CompileError> {
    let mut constants = Constants::default();
    for layer in &network.layers {
        let dual = match layer.kind {
            LayerKind::Add(sum) => Some(dual_sum(layer, sum).map_err(|difference| {
                CompileError::Layer {
                    layer: layer.name.clone(),
                    message: format!(
                        "no factors make its sums: {} of {} pairs of bytes are at most {} away; give the output \
                         another scale, or make it a weighted_sum",
                        difference.wrong, difference.cases, difference.most
                    ),
                }
            })?),
            _ => None,
        };
        let table = layer.table.as_ref().map(|table| stored(layer, table));
        let table = table.map_or(0, |table| {
            let tables = &mut constants.tables;
            let there = tables.iter().position(|other| *other == table);
            1 + there.unwrap_or_else(|| {
                tables.push(table);
                tables.len() - 1
            })
        });
        constants.layers.push(LayerConstants {
            dual,
            table: u8::try_from(table).unwrap_or(u8::MAX),
        });
    }
    let needed = constants.tables.len() as u64;
    match Shortage::of(Memory::Tables, needed, params.post.activations.into()) {
        None => Ok(constants),
        Some(shortage) => Err(CompileError::does_not_fit(network, params, vec![shortage])),
    }
}

fn stored(layer: &Layer, table: &Table) -> StoredTable {
    let entry = |index: u8| {
        let byte = index.wrapping_add(table.zero_point as u8) as i8;
        table.at(byte).wrapping_sub(layer.output_zero_point) as u8
    };
    (0..=u8::MAX).map(entry).collect()
}
