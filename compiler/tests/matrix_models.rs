//! Seeded networks in the shape of published ones that have a few layers of matrices among many of planes.

use std::collections::BTreeMap;

use heddle_arch::params::Params;
use heddle_compiler::{Compiled, Options, compile};
use heddle_network::{LayerKind, Network};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::pieces::check_images;
use crate::support::matrices::network;
use crate::support::preset;

/// Layers that are added one by one.
struct Model {
    rng: ChaCha8Rng,
    input: [u32; 3],
    shapes: BTreeMap<String, [u32; 3]>,
    layers: Vec<Value>,
}

impl Model {
    fn new(seed: u64, input: [u32; 3]) -> Self {
        Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            input,
            shapes: BTreeMap::from([("input".to_string(), input)]),
            layers: Vec::new(),
        }
    }

    fn network(&self) -> Network {
        network(self.input, 0, &self.layers)
    }

    fn push(&mut self, mut layer: Value, inputs: &[&str], shape: [u32; 3]) -> String {
        let name = format!("layer{}", self.layers.len());
        (layer["name"], layer["inputs"]) = (json!(name), json!(inputs));
        self.layers.push(layer);
        self.shapes.insert(name.clone(), shape);
        name
    }

    /// A convolution; depthwise ones have as many groups as channels.
    fn conv(
        &mut self,
        from: &str,
        channels: u32,
        [kernel, stride]: [u32; 2],
        groups: u32,
    ) -> String {
        let [inputs, height, width] = self.shapes[from];
        let taps = kernel * kernel * inputs / groups;
        let rng = &mut self.rng;
        let weights: Vec<i8> = (0..taps * channels).map(|_| rng.random()).collect();
        let bias: Vec<i32> = (0..channels)
            .map(|_| rng.random_range(-4000..4000))
            .collect();
        let shift = -7 - (f64::from(taps).log2() / 2.0) as i32;
        let [before, behind] = [(kernel - 1) / 2, kernel - 1 - (kernel - 1) / 2];
        let layer = json!({"kind": "conv2d", "output_channels": channels, "kernel": [kernel, kernel],
            "stride": [stride, stride], "groups": groups, "weights": weights, "bias": bias,
            "padding": {"top": before, "left": before, "bottom": behind, "right": behind},
            "multiplier": vec![1_500_000_000; channels as usize], "shift": vec![shift; channels as usize],
            "output_zero_point": -128, "rounding": "double", "activation_min": -128, "activation_max": 127});
        let size = [height, width].map(|side| (side - 1) / stride + 1);
        self.push(layer, &[from], [channels, size[0], size[1]])
    }

    fn slice(&mut self, from: &str, first: u32, channels: u32) -> String {
        let [_, height, width] = self.shapes[from];
        let shape = [channels, height, width];
        let layer = json!({"kind": "slice", "start": [first, 0, 0], "output_shape": shape});
        self.push(layer, &[from], shape)
    }

    fn concat(&mut self, from: &[&str]) -> String {
        let channels = from.iter().map(|from| self.shapes[*from][0]).sum();
        let [_, height, width] = self.shapes[from[0]];
        self.push(
            json!({"kind": "concat", "axis": "channels"}),
            from,
            [channels, height, width],
        )
    }

    /// A block that splits its channels, convolves one half, and puts all together.
    fn split(&mut self, from: &str, channels: u32) -> String {
        let first = self.conv(from, channels, [1, 1], 1);
        let halves = [0, channels / 2].map(|at| self.slice(&first, at, channels / 2));
        let inner = self.conv(&halves[1], channels / 2, [3, 1], 1);
        let inner = self.conv(&inner, channels / 2, [3, 1], 1);
        let all = self.concat(&[&halves[0], &halves[1], &inner]);
        self.conv(&all, channels, [1, 1], 1)
    }
}

/// A detector: a backbone, a pyramid, and boxes whose sides are means of 16 places, weighted by a softmax.
fn detector(size: u32) -> Network {
    let mut model = Model::new(8, [3, size, size]);
    let mut at = model.conv("input", 16, [3, 2], 1);
    let mut levels = Vec::new();
    for channels in [32, 48, 64] {
        at = model.conv(&at, channels, [3, 2], 1);
        at = model.split(&at, channels);
        levels.push(at.clone());
    }
    let [_, height, width] = model.shapes[&at];
    let shape = [64, 2 * height, 2 * width];
    let up = model.push(
        json!({"kind": "resize", "scale_factor": [2, 2]}),
        &[&at],
        shape,
    );
    let all = model.concat(&[&up, &levels[1]]);
    at = model.split(&all, 48);
    let [_, height, width] = model.shapes[&at];
    at = model.conv(&at, 64, [1, 1], 1);
    let places = height * width;
    let layer = json!({"kind": "reshape", "output_shape": [4, 16, places]});
    at = model.push(layer, &[&at], [4, 16, places]);
    at = model.push(json!({"kind": "transpose"}), &[&at], [4, places, 16]);
    let layer =
        json!({"kind": "softmax", "axis": "width", "multiplier": [1_400_000_000], "shift": [22]});
    at = model.push(layer, &[&at], [4, places, 16]);
    let weights: Vec<i32> = (0..16).collect();
    let layer = json!({"kind": "matmul", "output_features": 1, "weights": weights,
        "multiplier": [1_600_000_000], "shift": [-4], "output_zero_point": -128});
    at = model.push(layer, &[&at], [4, places, 1]);
    model.push(json!({"kind": "transpose"}), &[&at], [4, 1, places]);
    model.network()
}

/// Depthwise blocks behind a transpose of the input, which comes as rows of pixels.
fn turned_input(size: u32) -> Network {
    let mut model = Model::new(9, [size, size, 3]);
    let layer = json!({"kind": "transpose", "permutation": [0, 3, 1, 2]});
    let mut at = model.push(layer, &["input"], [3, size, size]);
    at = model.conv(&at, 8, [3, 2], 1);
    for (channels, stride) in [(16, 2), (24, 2), (32, 1)] {
        let inner = 3 * model.shapes[&at][0];
        at = model.conv(&at, inner, [1, 1], 1);
        at = model.conv(&at, inner, [3, stride], inner);
        at = model.conv(&at, channels, [1, 1], 1);
    }
    model.network()
}

/// The layers of matrices: on the machine, or why not.
fn of_matrices<'c>(compiled: &'c Compiled) -> Vec<(bool, &'c str)> {
    let layers = compiled.network.layers.iter().zip(&compiled.program.layers);
    let layers = layers
        .filter(|(layer, _)| matches!(layer.kind, LayerKind::Matmul(_) | LayerKind::Transpose(_)));
    layers
        .map(|(_, plan)| (plan.host, plan.choice.reason.as_str()))
        .collect()
}

/// No convolution runs on the host.
fn check_convolutions(compiled: &Compiled, least: usize) {
    let layers = compiled.network.layers.iter().zip(&compiled.program.layers);
    let mut convolutions = layers.filter(|(layer, _)| matches!(layer.kind, LayerKind::Conv2d));
    assert!(convolutions.all(|(_, plan)| !plan.host));
    let count = compiled
        .program
        .layers
        .iter()
        .filter(|plan| !plan.host)
        .count();
    assert!(count >= least, "{count}");
}

fn machine(words_per_bank: u32, words: u32) -> Params {
    let mut params = preset("tflite");
    params.state_buffer.banks = 8;
    params.state_buffer.words_per_bank = words_per_bank;
    params.program.words = words;
    params
}

#[test]
fn a_detector_runs_in_segments_with_its_products_on_the_array() {
    let network = detector(64);
    let on_array = (false, "it is of matrices");
    let left = (true, "program needs 1221, 1024 available");
    for (words_per_bank, words, segments, pieces, product) in [
        (1024, 1024, 3, 0, left),
        (256, 4096, 2, 0, on_array),
        (64, 1024, 9, 1, left),
    ] {
        let params = machine(words_per_bank, words);
        let compiled = compile(&network, &params, &Options::default()).unwrap();
        check_images(&compiled, &network, &params, "detector");
        check_convolutions(&compiled, 20);
        let program = &compiled.program;
        let counts = (program.segments.len(), program.pieces.len());
        assert_eq!(counts, (segments, pieces), "{words_per_bank}");
        assert_eq!(of_matrices(&compiled), [on_array, product, on_array]);
    }
}

#[test]
fn a_transpose_of_a_large_input_is_left_to_the_host() {
    for (size, reason) in [
        (56, "layer0 is of planes"),
        (224, "matrices need 100352, 32768 available"),
    ] {
        let network = turned_input(size);
        let params = machine(512, 2048);
        let compiled = compile(&network, &params, &Options::default()).unwrap();
        check_convolutions(&compiled, 10);
        assert_eq!(of_matrices(&compiled), [(true, reason)]);
        if size == 56 {
            check_images(&compiled, &network, &params, "turned");
        }
    }
}
