//! Networks on both engines of the emitted machine: every value against the golden network, every counter, those of the cluster
//! too, against the golden machine.

use heddle_arch::params::Params;
use heddle_compiler::{Engine, EnginePolicy, LayerPlan, Options, Program, Rule};
use heddle_network::Network;
use heddle_tb::network::NetworkReport;
use serde_json::{Value, json};

use crate::generator::compile_with;
use crate::generator::engines::{options, with_cluster, zeros};
use crate::generator::matrices;
use crate::imported::recorded_image;
use crate::machines::Machine;
use crate::recorded::{arrays, imported, read};
use crate::rtl::OrPanic;
use crate::top::run_images;

fn params(text: &str, side: u32) -> Params {
    let mut params = Params::from_json(text).or_panic();
    (params.array.rows, params.array.cols) = (side, side);
    with_cluster(params, 8)
}

/// A counter of the cluster, all images and layers.
fn counter(report: &NetworkReport, name: &str) -> u64 {
    let cluster = report.total.cluster.as_ref().expect("sparse layers");
    let mut counters = cluster.counters.iter();
    counters
        .find(|counter| counter.0 == name)
        .expect("a name")
        .1
}

/// Runs images with the layers where they are fastest, in one run, and all on the cluster, one by one. Gives the layers on the cluster.
fn check(network: &Network, params: Params, images: &[Vec<i8>]) -> [Vec<String>; 2] {
    let machine = Machine::new(params);
    let known = zeros(network, images);
    [(EnginePolicy::Auto, true), (EnginePolicy::Sparse, false)].map(|(policy, whole)| {
        let options = options(policy, Rule::Cycles, whole);
        let program = compile_with(
            network,
            &machine.params,
            Options {
                zeros: known.clone(),
                ..options
            },
        )
        .or_panic();
        let runs = images.iter().map(|image| (image, None));
        let report = run_images(&machine, 1, (network, &program), runs).or_panic();
        assert_eq!(report.images, images.len());
        check_report(&report, &program);
        let layers = program.layers.iter();
        let sparse = layers.filter(|layer| !layer.host && layer.engine_of() == Engine::Sparse);
        sparse.map(|layer| layer.name.clone()).collect()
    })
}

fn check_report(report: &NetworkReport, program: &Program) {
    assert!(counter(report, "SPARSE_PRODUCTS") > 0);
    assert!(counter(report, "SPARSE_POSITIONS") > 0);
    // Weights are there before the first image, and stay.
    assert_eq!(counter(report, "SPARSE_FILLS"), 0);
    for (run, plan) in report.layers.iter().zip(&program.runs) {
        let layers = &program.layers[plan.layers.clone()];
        let is_sparse = layers
            .iter()
            .any(|layer| !layer.host && layer.engine_of() == Engine::Sparse);
        assert_eq!(run.cluster.is_some(), is_sparse, "{}", run.name);
    }
}

#[proves("FSA-16", "FSA-17", "FSA-18")]
#[test]
fn digits_on_both_engines_slow() {
    let network = Network::from_json(include_str!("../../models/digits.json")).or_panic();
    let params = params(include_str!("../../configs/edge.json"), 8);
    let [fastest, all] = check(&network, params, &network.images[..4]);
    assert_eq!(fastest, ["conv1"]);
    assert_eq!(all, ["conv1", "conv2", "conv3", "fc"]);
}

#[proves("FSA-16", "FSA-17", "FSA-18")]
#[test]
fn mobile_on_both_engines_slow() {
    let network = Network::from_json(include_str!("../../models/mobile.json")).or_panic();
    let params = params(include_str!("../../configs/mobile.json"), 8);
    let [fastest, all] = check(&network, params, &network.images[..2]);
    assert_eq!(fastest, ["conv1", "depth1"]);
    assert_eq!(all.len(), 7);
}

/// The golden network gives the recorded outputs (`heddle-import`).
#[proves("FSA-16", "FSA-17", "FSA-18")]
#[test]
fn a_residual_network_on_both_engines_and_the_host() {
    let network = imported(&read("residual.tflite"), &[]).network.unwrap();
    let network = Network::from_file(network).or_panic();
    let image = recorded_image(&network, &mut arrays("residual.npz"), "");
    let params = params(include_str!("../../configs/tflite.json"), 8);
    let [fastest, all] = check(&network, params, &[image]);
    assert_eq!(fastest, ["conv1/Relu", "conv3b/Linear"]);
    let convolutions = [
        "conv1/Relu",
        "conv2a/Relu",
        "conv2b/Linear",
        "conv3a/Relu",
        "conv3b/Linear",
        "shortcut3/Linear",
        "dense/Linear",
    ];
    assert_eq!(all, convolutions);
}

/// Where each layer runs.
fn places(program: &Program) -> Vec<(&str, &str)> {
    let place = |layer: &LayerPlan| match (layer.host, layer.engine_of()) {
        (true, _) => "host",
        (false, Engine::Sparse) => "cluster",
        (false, Engine::Dense) => "array",
    };
    let layers = program.layers.iter();
    layers
        .map(|layer| (&layer.name[..], place(layer)))
        .collect()
}

/// The machine of small networks, with a cluster of eight units.
fn small_machine() -> Machine {
    Machine::new(params(include_str!("../../configs/tflite.json"), 8))
}

/// A convolution of 1 x 1 places from four channels to four: each takes what the one of its number has, and a quarter of the next one.
fn points(name: &str, zero_point: i8, smallest: i8) -> Value {
    let weight = |output: usize, input: usize| match (input + 4 - output) % 4 {
        0 => 64,
        1 => 16,
        _ => 0,
    };
    let weights = (0..4).flat_map(|output| (0..4).map(move |input| weight(output, input)));
    json!({"kind": "conv2d", "name": name, "output_channels": 4, "kernel": [1, 1],
        "weights": weights.collect::<Vec<i32>>(), "bias": [300, 300, 300, 300],
        "multiplier": ([1 << 30; 4]), "shift": ([-5; 4]), "rounding": "single", "output_zero_point": zero_point,
        "activation_min": smallest, "activation_max": 127, "output_scale": 1.0})
}

/// An image of 256 values of which so many are not zero, spread evenly.
fn image_with(values: usize) -> Vec<i8> {
    let is_value = |at: usize| (at + 1) * values / 256 > at * values / 256;
    (0..256)
        .map(|at| {
            if is_value(at) {
                (at % 100) as i8 + 1
            } else {
                0
            }
        })
        .collect()
}

#[proves("FSA-16", "FSA-18")]
#[test]
fn a_map_goes_to_the_cluster_by_the_count_of_its_zeros() {
    let machine = small_machine();
    // The bias leaves no zero in what the first layer makes.
    let layers = [points("first", -128, -128), points("second", 0, -128)];
    let network = matrices::network([4, 8, 8], 0, &layers);
    for (values, rule, expected) in [
        (51, Rule::Threshold(80), ["cluster", "array"]),
        (52, Rule::Threshold(80), ["array", "array"]),
        (127, Rule::Majority, ["cluster", "array"]),
        (128, Rule::Majority, ["array", "array"]),
        (51, Rule::Count(204), ["cluster", "array"]),
        (51, Rule::Count(205), ["array", "array"]),
        (200, Rule::Threshold(0), ["cluster", "cluster"]),
    ] {
        let image = image_with(values);
        let known = zeros(&network, std::slice::from_ref(&image));
        let counted = known[0].expect("the input");
        assert_eq!(
            (counted.zeros, counted.elements),
            (256 - values as u64, 256)
        );
        let options = Options {
            zeros: known,
            ..options(EnginePolicy::Auto, rule, false)
        };
        let program = compile_with(&network, &machine.params, options).or_panic();
        let wanted: Vec<_> = ["first", "second"].into_iter().zip(expected).collect();
        assert_eq!(places(&program), wanted, "{values} values, {rule:?}");
        let report = run_images(&machine, 1, (&network, &program), [(&image, None)]).or_panic();
        let entries = report.layers.iter().map(|layer| {
            let cluster = layer.cluster.as_ref()?;
            let mut counters = cluster.counters.iter();
            counters
                .find(|counter| counter.0 == "SPARSE_ENTRIES")
                .map(|counter| counter.1)
        });
        // What is loaded is what was not counted as zero.
        let maps = [values as u64, 256];
        let loaded = expected
            .iter()
            .zip(maps)
            .map(|(place, map)| (*place == "cluster").then_some(map));
        assert!(entries.eq(loaded), "{values} values, {rule:?}");
    }
}

/// A separable layer of three channels: depthwise without activation, combined by 1 x 1, then ReLU and pooling.
#[proves("FSA-56")]
#[test]
fn separable_layers_activate_and_pool_behind_the_second_half() {
    let machine = small_machine();
    let weights = |count: i32, by: i32| {
        (0..count)
            .map(|at| at * by % 121 - 60)
            .collect::<Vec<i32>>()
    };
    let scale = |channels: usize| json!(vec![1_100_000_000; channels]);
    let layers = [
        json!({"kind": "conv2d", "name": "depth", "output_channels": 3, "groups": 3, "kernel": [3, 3],
            "padding": {"top": 1, "bottom": 1, "left": 1, "right": 1}, "weights": weights(27, 37), "bias": [90, -70, 20],
            "multiplier": scale(3), "shift": ([-7; 3]), "rounding": "single", "output_zero_point": 0,
            "activation_min": -128, "activation_max": 127, "output_scale": 1.0}),
        json!({"kind": "conv2d", "name": "point", "output_channels": 4, "kernel": [1, 1], "weights": weights(12, 53),
            "bias": [5, 6, 7, 8], "multiplier": scale(4), "shift": ([-6; 4]), "rounding": "single", "output_zero_point": 0,
            "activation_min": 0, "activation_max": 127, "output_scale": 1.0}),
        json!({"kind": "max_pool2d", "name": "pool", "kernel": [2, 2]}),
    ];
    let network = matrices::network([3, 8, 8], 0, &layers);
    let image: Vec<i8> = (0..192)
        .map(|at| {
            if at % 3 == 0 {
                0
            } else {
                (at * 89 % 251 - 125) as i8
            }
        })
        .collect();
    let golden = heddle_sim::network::run(&network, &image).or_panic();
    let is_negative = |layer: usize| golden[layer].values.iter().any(|value| *value < 0);
    assert_eq!([0, 1, 2].map(is_negative), [true, false, false]);
    let options = options(EnginePolicy::Sparse, Rule::Cycles, false);
    let program = compile_with(&network, &machine.params, options).or_panic();
    assert_eq!(
        places(&program),
        [
            ("depth", "cluster"),
            ("point", "cluster"),
            ("pool", "array")
        ]
    );
    run_images(&machine, 1, (&network, &program), [(&image, None)]).or_panic();
}

/// Behind a ReLU a maximum with padding stays on the machine; with values below zero, or without pooling, it does not.
#[test]
fn a_padded_maximum_runs_where_its_values_allow() {
    let machine = small_machine();
    let pool = json!({"kind": "max_pool2d", "name": "pool", "kernel": [3, 3], "stride": [2, 2],
        "padding": {"top": 1, "bottom": 1, "left": 1, "right": 1}});
    let plain = json!({"kind": "max_pool2d", "name": "pool", "kernel": [2, 2]});
    for (smallest, pool, expected) in [
        (0, &pool, "array"),
        (-1, &pool, "host"),
        (-128, &plain, "array"),
    ] {
        let layers = [points("point", 0, smallest), pool.clone()];
        let network = matrices::network([4, 8, 8], 0, &layers);
        let options = options(EnginePolicy::Sparse, Rule::Cycles, false);
        let program = compile_with(&network, &machine.params, options).or_panic();
        assert_eq!(
            places(&program),
            [("point", "cluster"), ("pool", expected)],
            "{smallest}"
        );
        let image: Vec<i8> = (0..=255).map(|at: u8| at.wrapping_mul(89) as i8).collect();
        run_images(&machine, 1, (&network, &program), [(&image, None)]).or_panic();
    }
}
