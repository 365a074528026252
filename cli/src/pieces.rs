//! Layers that are too large even alone, which are cut into pieces.

use heddle_compiler::{Pieces, Program};
use heddle_network::Network;
use serde_json::{Value, json};

use crate::output;

/// For each layer in pieces, the numbers of groups of channels and of bands of rows.
fn counted<'a>(
    program: &'a Program,
    network: &'a Network,
) -> impl Iterator<Item = (&'a Pieces, [u32; 2])> {
    program.pieces.iter().filter_map(|pieces| {
        let mut layers = network.layers.iter();
        let layer = layers.find(|layer| layer.name == pieces.layer)?;
        Some((pieces, pieces.counts(layer)))
    })
}

/// A table of these layers; nothing if there are none.
pub fn text(program: &Program, network: &Network) -> String {
    if program.pieces.is_empty() {
        return String::new();
    }
    let heading = ["in pieces", "of channels", "of rows", "because"];
    let rows = counted(program, network).map(|(pieces, [channels, rows])| {
        let (layer, reason) = (pieces.layer.clone(), pieces.reason.clone());
        vec![layer, channels.to_string(), rows.to_string(), reason]
    });
    let heading = heading.map(str::to_string).to_vec();
    let rows: Vec<_> = std::iter::once(heading).chain(rows).collect();
    output::list(&rows) + "\n"
}

/// The same for `--json`.
pub fn json(program: &Program, network: &Network) -> Value {
    let layers = counted(program, network).map(|(pieces, [channels, rows])| {
        json!({
            "layer": pieces.layer,
            "groups_of_channels": channels,
            "bands_of_rows": rows,
            "channels": pieces.channels,
            "rows": pieces.rows,
            "reason": pieces.reason,
        })
    });
    layers.collect()
}
