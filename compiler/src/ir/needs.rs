//! What each layer of a network needs of a machine, whatever its sizes.

use std::collections::BTreeMap;

use heddle_network::{Layer, Network, Reduction, Work};

use super::{constants, hosts};

/// What a layer needs to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// The host, whatever the machine has: why.
    Host(String),
    /// A machine with these fields of its configuration; without some of them the host runs it, without others the network is refused.
    Machine(Vec<&'static str>),
}

/// What each layer needs.
#[must_use]
pub fn needs(network: &Network) -> Vec<Need> {
    let layers = network.layers.iter().zip(always_on_host(network));
    let needs = layers.map(|(layer, host)| match host {
        Some(reason) => Need::Host(reason),
        None => Need::Machine(fields(layer)),
    });
    needs.collect()
}

/// The fields that a layer needs.
fn fields(layer: &Layer) -> Vec<&'static str> {
    let has_scales_of_its_own = matches!(layer.work(), Work::Terms(Some(_)));
    let fields = [
        ("post.dual_scale", has_scales_of_its_own),
        ("post.pooling", is_maximum(layer)),
        ("post.activations", layer.table.is_some()),
        ("post.left_shift", left_shift(layer).is_some()),
    ];
    let needed = fields.into_iter().filter(|(_, is_needed)| *is_needed);
    needed.map(|(field, _)| field).collect()
}

/// The largest value of each window.
pub(crate) fn is_maximum(layer: &Layer) -> bool {
    layer.work() == Work::Window(Reduction::Largest)
}

/// The largest shift to the left of the scales, if there is one.
pub(crate) fn left_shift(layer: &Layer) -> Option<i32> {
    let shifts = layer.scales.iter().map(|scale| scale.shift());
    shifts.max().filter(|&shift| shift > 0)
}

/// Why the host runs a layer on every machine, for each layer of a network.
fn always_on_host(network: &Network) -> Vec<Option<String>> {
    constants::hosts((network, &hosts::readers(network)), BTreeMap::new(), true).0
}
