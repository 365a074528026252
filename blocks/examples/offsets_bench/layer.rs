//! Figures of one layer and of a network.

use heddle_blocks::offsets::compress::{bases_by_counters, offsets_by_counters};
use heddle_blocks::offsets::size::sizes;
use serde::Serialize;

use crate::cycles::{Array, Clocks};
use crate::recompute::Ways;
use crate::workload::{Layer, Network};

/// The arrays that are measured, rows and columns.
pub const ARRAYS: [u64; 2] = [8, 16];

/// Figures of a layer.
#[derive(Debug, Serialize)]
pub struct Figures {
    pub name: String,
    /// GEMM rows, taps, output channels of a group, groups.
    pub rows: u64,
    pub taps: u64,
    pub outputs: u64,
    pub groups: u64,
    /// Entries of both tables, and their bits if each list is as wide as it needs.
    pub entries: u64,
    pub bits: u64,
    /// Values that are loaded instead, if the expander makes the tables.
    pub expander_words: Option<u64>,
    /// Elements of the im2col matrix and of the tensor, and the one by the other.
    pub matrix_entries: u64,
    pub tensor_elements: u64,
    pub growth: f64,
    /// Bytes that the im2col matrix has to be written with, of all groups.
    pub matrix_bytes: u64,
    /// The tables are those of a layer before.
    pub shared: bool,
    pub operations: Ways,
    /// One for each of [`ARRAYS`].
    pub clocks: Vec<Clocks>,
}

/// Figures of a network.
#[derive(Debug, Serialize)]
pub struct Summary {
    pub name: &'static str,
    pub layers: Vec<Figures>,
    /// Sums for each of [`ARRAYS`].
    pub clocks: Vec<Clocks>,
    /// Entries of tables that differ.
    pub entries: u64,
    pub matrix_bytes: u64,
}

impl Summary {
    /// Measures a network.
    pub fn of(network: &Network) -> Summary {
        let mut layers: Vec<Figures> = Vec::new();
        for (at, layer) in network.layers.iter().enumerate() {
            let shared = network.layers[..at]
                .iter()
                .any(|before| same_lists(before, layer));
            layers.push(figures(layer, shared));
        }
        let clocks = (0..ARRAYS.len()).map(|array| {
            let mut sum = Clocks::default();
            for layer in &layers {
                sum.add(&layer.clocks[array], !layer.shared);
            }
            sum
        });
        Summary {
            name: network.name,
            clocks: clocks.collect(),
            entries: layers.iter().filter(|l| !l.shared).map(|l| l.entries).sum(),
            matrix_bytes: layers.iter().map(|layer| layer.matrix_bytes).sum(),
            layers,
        }
    }
}

/// Output channels are a count, not a part of the lists.
fn same_lists(a: &Layer, b: &Layer) -> bool {
    a.tables.bases == b.tables.bases && a.tables.offsets == b.tables.offsets
}

fn figures(layer: &Layer, shared: bool) -> Figures {
    let sizes = sizes(&layer.request, &layer.tables);
    let expanded = [
        bases_by_counters(&layer.request),
        offsets_by_counters(&layer.request),
    ];
    let words = expanded
        .into_iter()
        .map(|list| Some(list?.words() as u64))
        .sum();
    Figures {
        name: layer.name.clone(),
        rows: sizes.rows,
        taps: sizes.taps,
        outputs: layer.outputs(),
        groups: layer.groups,
        entries: sizes.entries,
        bits: sizes.rows * u64::from(sizes.base_bits) + sizes.taps * u64::from(sizes.offset_bits),
        expander_words: words,
        matrix_entries: layer.groups * sizes.matrix_entries,
        tensor_elements: sizes.tensor_elements,
        growth: (layer.groups * sizes.matrix_entries) as f64 / sizes.tensor_elements as f64,
        matrix_bytes: match layer.is_matrix() {
            true => 0,
            false => layer.groups * sizes.matrix_entries,
        },
        shared,
        operations: Ways::count(layer, ARRAYS[0] as usize),
        clocks: ARRAYS
            .map(|side| {
                let array = Array {
                    rows: side,
                    columns: side,
                };
                array.clocks(layer)
            })
            .into(),
    }
}
