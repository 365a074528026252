//! What a machine must have for a network, before anything is laid out.

use heddle_arch::params::Params;
use heddle_network::Layer;

use super::needs::{is_maximum, left_shift};
use crate::error::CompileError;
use crate::ir::Lowered;
use crate::product::check_windows;
use crate::traversal::check_traversal;

/// Whether a machine can do what a network asks for; else what is missing.
pub(super) fn check(graph: &Lowered, params: &Params) -> Result<(), CompileError> {
    check_traversal(params)?;
    let layers = graph.network.layers.iter().zip(&graph.constants.hosts);
    let mut layers = layers.filter(|(_, host)| host.is_none());
    layers.try_for_each(|(layer, _)| {
        let checked = check_scales(layer, params).and_then(|()| check_layer(layer, params));
        checked.map_err(|message| CompileError::Layer {
            layer: layer.name.clone(),
            message,
        })
    })
}

/// Whether a machine has the scales of a layer; else what is missing.
fn check_scales(layer: &Layer, params: &Params) -> Result<(), String> {
    match left_shift(layer) {
        Some(shift) if !params.post.left_shift => Err(format!(
            "has a multiplier with left shift {shift}, expected post.left_shift to be true"
        )),
        _ => Ok(()),
    }
}

/// Whether a machine can do what a layer asks for; else what is missing.
fn check_layer(layer: &Layer, params: &Params) -> Result<(), String> {
    match (is_maximum(layer), params.post.pooling) {
        (true, false) => {
            Err("max_pool2d needs pooling, expected post.pooling to be true".to_string())
        }
        (true, true) => check_windows(layer, params),
        (false, _) => Ok(()),
    }
}
