//! Constants that are found once for a network, whatever way its layers take.

use std::collections::{BTreeMap, BTreeSet};

use heddle_arch::params::Params;
use heddle_network::{Layer, Network, Padding, Reduction, Table, Work};

use super::hosts;
use crate::error::{CompileError, Memory, Shortage};
use crate::exact::{DualSum, LayerConstants, dual_sum};

/// Entries of a table as the machine stores them: index and entry are bytes less their zero points.
pub(crate) type StoredTable = Vec<u8>;

/// Constants of the layers, and who runs them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Constants {
    /// Why the host runs a layer; none if the machine does.
    pub hosts: Vec<Option<String>>,
    /// Those of each layer.
    pub layers: Vec<LayerConstants>,
    /// The tables of runs of consecutive layers; a single run if the machine has room for all.
    pub tables: Vec<TablePart>,
    /// For each tensor whether the host keeps it; none of them if there are none.
    pub kept: Vec<bool>,
}

/// Tables that are in the machine at the same time.
#[derive(Debug, Clone)]
pub(crate) struct TablePart {
    /// The first of the layers that use them.
    pub first: usize,
    /// The tables, from number 1 on.
    pub tables: Vec<StoredTable>,
}

/// Finds them; the host runs some layers for these reasons.
///
/// # Errors
/// The machine has no tables.
pub(super) fn constants(
    (network, readers): (&Network, &[Vec<usize>]),
    given: BTreeMap<usize, String>,
    params: &Params,
) -> Result<Constants, CompileError> {
    let (hosts, duals) = hosts((network, readers), given, params.post.dual_scale);
    let mut constants = Constants {
        hosts,
        ..Constants::default()
    };
    constants.tables.push(TablePart::from(0));
    for (index, (layer, dual)) in network.layers.iter().zip(duals).enumerate() {
        let table = layer.table.as_ref();
        let table = table.filter(|_| constants.hosts[index].is_none());
        let table = table.map_or(0, |table| {
            let table = stored(layer, table);
            let most = params.post.activations.max(1) as usize;
            constants.make_room(index, &table, most);
            constants.number(table)
        });
        constants.layers.push(LayerConstants {
            dual,
            rows: params.array.rows,
            table: u8::try_from(table).unwrap_or(u8::MAX),
        });
    }
    match params.post.activations {
        0 => constants.check_tables(network, params).map(|()| constants),
        _ => Ok(constants),
    }
}

/// Why the host runs each layer, some of them for reasons that are given, on a machine that has a dual scale if so; and how such a machine adds.
pub(super) fn hosts(
    (network, readers): (&Network, &[Vec<usize>]),
    mut given: BTreeMap<usize, String>,
    dual_scale: bool,
) -> (Vec<Option<String>>, Vec<Option<DualSum>>) {
    let (mut hosts, mut duals) = (Vec::new(), Vec::new());
    for (index, layer) in network.layers.iter().enumerate() {
        let inputs = layer.inputs.iter();
        let shapes: Vec<_> = inputs.map(|input| network.tensor(input.tensor).0).collect();
        let found = match (layer.host_reason(&shapes), given.remove(&index)) {
            (None, None) => dual(network, layer, dual_scale),
            (Some(reason), _) => Err(reason.to_string()),
            (None, Some(reason)) => Err(reason),
        };
        duals.push(found.as_ref().copied().unwrap_or_default());
        hosts.push(found.err());
    }
    hosts::beside_planes((network, readers), &mut hosts);
    hosts::of_other_matrices((network, readers), &mut hosts);
    (hosts, duals)
}

impl TablePart {
    fn from(first: usize) -> Self {
        Self {
            first,
            tables: Vec::new(),
        }
    }
}

impl Constants {
    /// The host keeps what its layers read, and the outputs of the network, so that they need no place for that.
    pub fn keep(&mut self, network: &Network, readers: &[Vec<usize>]) {
        let is_kept = |tensor: usize| {
            let mut readers = readers[tensor].iter();
            let is_read = readers.any(|&reader| self.hosts[reader].is_some());
            is_read || network.outputs.contains(&tensor)
        };
        self.kept = (0..=network.layers.len()).map(is_kept).collect();
    }

    /// A table that has no room begins another part.
    fn make_room(&mut self, layer: usize, table: &StoredTable, most: usize) {
        let part = self.tables.last().expect("there is a part");
        if part.tables.len() >= most && !part.tables.contains(table) {
            self.tables.push(TablePart::from(layer));
        }
    }

    /// Number of a table from 1 on; one that is there already is used again.
    fn number(&mut self, table: StoredTable) -> usize {
        let part = self.tables.last_mut().expect("there is a part");
        let there = part.tables.iter().position(|other| *other == table);
        1 + there.unwrap_or_else(|| {
            part.tables.push(table);
            part.tables.len() - 1
        })
    }

    /// Whether the machine has all tables at the same time.
    ///
    /// # Errors
    /// It has too few.
    pub fn check_tables(&self, network: &Network, params: &Params) -> Result<(), CompileError> {
        let all = self.tables.iter().flat_map(|part| &part.tables);
        let needed = all.collect::<BTreeSet<_>>().len() as u64;
        match Shortage::of(Memory::Tables, needed, params.post.activations.into()) {
            None => Ok(()),
            Some(shortage) => Err(CompileError::does_not_fit(network, params, vec![shortage])),
        }
    }
}

/// How the machine adds two tensors, if a layer does; or why the host must run the layer.
fn dual(network: &Network, layer: &Layer, dual_scale: bool) -> Result<Option<DualSum>, String> {
    match layer.work() {
        Work::Terms(Some(_)) if !dual_scale => {
            Err("the machine has no post.dual_scale".to_string())
        }
        Work::Terms(Some(sum)) => dual_sum(layer, sum).map(Some).map_err(|found| {
            format!(
                "no factors are exact, {} of {} pairs of bytes are {} away",
                found.wrong, found.cases, found.most
            )
        }),
        // Around a plane lie zeros. They are no maximum if nothing in it is less.
        Work::Window(Reduction::Largest) if layer.padding != Padding::default() => {
            let input = layer.inputs[0];
            match network.least(input.tensor) < input.zero_point {
                true => Err(
                    "values below the zero point are less than the zeros around them".to_string(),
                ),
                false => Ok(None),
            }
        }
        _ => Ok(None),
    }
}

fn stored(layer: &Layer, table: &Table) -> StoredTable {
    let entry = |index: u8| {
        let byte = index.wrapping_add(table.zero_point as u8) as i8;
        table.at(byte).wrapping_sub(layer.output_zero_point) as u8
    };
    (0..=u8::MAX).map(entry).collect()
}
