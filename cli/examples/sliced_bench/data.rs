//! The words that are written and read.

use heddle_arch::Params;
use heddle_compiler::{Mapping, Options, Program};
use heddle_network::Network;
use heddle_sim::network as golden;

const CONFIG: &str = include_str!("../../../configs/edge.json");
const NETWORK: &str = include_str!("../../../models/digits.json");

/// Images whose activations are taken, as in the example of `docs/sliced.md`.
const IMAGES: usize = 20;
/// Words for each share of zero bytes.
const SWEEP_WORDS: usize = 4096;
/// Seed of the random words.
const SEED: u64 = 1;
/// Shares of weights that are pruned, in percent.
const PRUNED: [usize; 4] = [0, 50, 80, 90];

/// Words of one origin.
pub struct Set {
    pub name: String,
    pub words: Vec<u64>,
    /// Probability with which each byte of random words is zero, independent of the others.
    pub zero: Option<f64>,
}

impl Set {
    /// Share of the bytes that are zero, in percent.
    pub fn zero_share(&self) -> f64 {
        let bytes = self.words.iter().flat_map(|word| word.to_le_bytes());
        let zeros = bytes.filter(|byte| *byte == 0).count();
        100.0 * zeros as f64 / (8 * self.words.len()) as f64
    }
}

/// Random words whose bytes are zero independently with the probabilities 0, 0.1, ... 1.
pub fn sweep() -> Vec<Set> {
    let mut state = SEED;
    let sets = (0..=10).map(|tenths| Set {
        name: format!("z = {}.{}", tenths / 10, tenths % 10),
        words: (0..SWEEP_WORDS).map(|_| word(tenths, &mut state)).collect(),
        zero: Some(tenths as f64 / 10.0),
    });
    sets.collect()
}

fn word(tenths: u64, state: &mut u64) -> u64 {
    u64::from_le_bytes([(); 8].map(|()| match splitmix(state) % 10 < tenths {
        true => 0,
        false => (1 + splitmix(state) % 255) as u8,
    }))
}

/// SplitMix64.
fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn digits() -> (Params, Network) {
    let params = Params::from_json(CONFIG).expect("the configuration is checked in");
    let network = Network::from_json(NETWORK).expect("the network is checked in");
    (params, network)
}

fn compiled(network: &Network, params: &Params) -> Program {
    let options = Options {
        mapping: Some(Mapping::Channel),
        ..Options::default()
    };
    let compiled = heddle_compiler::compile(network, params, &options);
    compiled.expect("the network fits the machine").program
}

/// Activations of the digits network as they lie in the state buffer: re-centred, rows filled up
/// with zeros.
pub fn tensors() -> Vec<Set> {
    let (params, network) = digits();
    let program = compiled(&network, &params);
    let named = program.tensors.iter().map(|plan| Set {
        name: plan.name.clone(),
        words: Vec::new(),
        zero: None,
    });
    let mut sets: Vec<Set> = named.collect();
    for image in &network.images[..IMAGES] {
        let outputs = golden::run(&network, image).expect("the image has the size of the input");
        let values = std::iter::once(image.as_slice()).chain(outputs.iter().map(|o| &o.values[..]));
        for ((plan, values), set) in program.tensors.iter().zip(values).zip(&mut sets) {
            for (_, _, word) in plan.pack(values).expect("values are those of the tensor") {
                let centred = word.map(|byte| byte.wrapping_sub(plan.zero_point as u8));
                set.words.push(u64::from_le_bytes(centred));
            }
        }
    }
    sets
}

/// Weights of the digits network as they lie in the state buffer, the smallest ones of each layer
/// set to zero.
pub fn weights() -> Vec<Set> {
    let (params, network) = digits();
    let sets = PRUNED.map(|percent| {
        let mut pruned = network.clone();
        for layer in &mut pruned.layers {
            prune(&mut layer.weights, percent);
        }
        let program = compiled(&pruned, &params);
        let ends = program.tensors.iter().map(|t| (t.base + t.bytes) / 8);
        let first = ends.max().unwrap_or(0);
        let image = program
            .once
            .image
            .iter()
            .filter(|(_, word, _)| *word >= first);
        Set {
            name: format!("weights, {percent} % pruned"),
            words: image
                .map(|(_, _, bytes)| u64::from_le_bytes(*bytes))
                .collect(),
            zero: None,
        }
    });
    sets.into()
}

/// Sets so many percent of the weights to zero, the smallest magnitudes first.
fn prune(weights: &mut [i8], percent: usize) {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|index| weights[*index].unsigned_abs());
    for index in &order[..weights.len() * percent / 100] {
        weights[*index] = 0;
    }
}
