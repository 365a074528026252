//! Machines with a sparse cluster, and the zeros of networks.

use heddle_arch::params::{Params, Sparse};
use heddle_compiler::{EngineOptions, EnginePolicy, Mapping, Options, Rule, Zeros};
use heddle_network::Network;
use heddle_sim::network::run as golden;

/// The machine with a cluster of so many units, as wide as its array.
pub fn with_cluster(mut params: Params, units: u32) -> Params {
    params.name = "engines".to_string();
    params.program.words = 16384;
    // A cluster names at most so many.
    params.column_tiles = params.column_tiles.min(256);
    params.sparse = Some(Sparse {
        engine: true,
        units,
        channels: params.array.cols,
        tiles: params.column_tiles.max(64),
        ..Sparse::default()
    });
    params.validate().unwrap();
    params
}

/// Layers by their channels, so that the cluster can take them.
pub fn options(policy: EnginePolicy, rule: Rule, whole: bool) -> Options {
    Options {
        mapping: Some(Mapping::Channel),
        whole,
        engines: EngineOptions { policy, rule },
        ..Options::default()
    }
}

/// Zeros of all tensors for some images.
pub fn zeros(network: &Network, images: &[Vec<i8>]) -> Vec<Option<Zeros>> {
    let none = Zeros {
        zeros: 0,
        elements: 0,
        images: 0,
    };
    let mut zeros = vec![none; network.layers.len() + 1];
    for image in images {
        let outputs = golden(network, image).unwrap();
        let values = outputs.iter().map(|output| &output.values[..]);
        for (tensor, values) in [&image[..]].into_iter().chain(values).enumerate() {
            let (_, zero_point) = network.tensor(tensor);
            let found = values.iter().filter(|value| **value == zero_point);
            zeros[tensor].zeros += found.count() as u64;
            zeros[tensor].elements += values.len() as u64;
            zeros[tensor].images += 1;
        }
    }
    zeros.into_iter().map(Some).collect()
}
