//! Networks on both engines of the emitted machine: every value against the golden network, every counter, those of the cluster
//! too, against the golden machine.

use heddle_arch::params::Params;
use heddle_compiler::{Engine, EnginePolicy, Options, Program, Rule};
use heddle_network::Network;
use heddle_tb::network::NetworkReport;

use crate::generator::compile_with;
use crate::generator::engines::{options, with_cluster, zeros};
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

#[test]
fn fsa_16_fsa_17_fsa_18_digits_on_both_engines_slow() {
    let network = Network::from_json(include_str!("../../models/digits.json")).or_panic();
    let params = params(include_str!("../../configs/edge.json"), 8);
    let [fastest, all] = check(&network, params, &network.images[..4]);
    assert_eq!(fastest, ["conv1"]);
    assert_eq!(all, ["conv1", "conv2", "conv3", "fc"]);
}

#[test]
fn fsa_16_fsa_17_fsa_18_mobile_on_both_engines_slow() {
    let network = Network::from_json(include_str!("../../models/mobile.json")).or_panic();
    let params = params(include_str!("../../configs/mobile.json"), 8);
    let [fastest, all] = check(&network, params, &network.images[..2]);
    assert_eq!(fastest, ["conv1", "depth1"]);
    assert_eq!(all.len(), 7);
}

/// The golden network gives the recorded outputs (`heddle-import`).
#[test]
fn fsa_16_fsa_17_fsa_18_a_residual_network_on_both_engines_and_the_host() {
    let network = imported(&read("residual.tflite"), &[]).network.unwrap();
    let network = Network::from_file(network).or_panic();
    let image = recorded_image(&network, &mut arrays("residual.npz"), "");
    let params = params(include_str!("../../configs/tflite.json"), 8);
    let [fastest, all] = check(&network, params, &[image]);
    println!("{fastest:?} {all:?}");
    assert!(!fastest.is_empty() && fastest.len() < all.len());
}
