//! Files of other programs on emitted Verilog, with the host between its runs: every value is that of the golden network, every
//! counter that of the golden machine. The importer's tests hold the golden network against the recorded bytes.

use heddle_arch::params::Params;
use heddle_compiler::{Options, Program};
use heddle_import::Inexact;
use heddle_network::Network;

use crate::generator::compile_with;
use crate::machines::Machine;
use crate::recorded::{Arrays, ONNX_NETWORKS, arrays, bytes, image, imported, int8, models, read};
use crate::rtl::OrPanic;
use crate::top::run_images;

/// The preset for such files with a small array.
fn machine() -> Machine {
    let preset = include_str!("../../configs/tflite.json");
    let mut params = Params::from_json(preset).or_panic();
    params.name = "imported".to_string();
    (params.array.rows, params.array.cols) = (4, 4);
    params.validate().or_panic();
    Machine::new(params)
}

/// Runs a network, layer by layer or in as few runs as there can be.
#[track_caller]
fn check(machine: &Machine, network: &Network, image: &[i8], whole: bool) -> Program {
    let options = Options {
        whole,
        ..Options::default()
    };
    let program = compile_with(network, &machine.params, &options).or_panic();
    run_images(machine, 1, (network, &program), [(image, None)]).or_panic();
    program
}

/// The recorded input of a network; .onnx files have planes.
pub fn recorded_image(network: &Network, arrays: &mut Arrays, prefix: &str) -> Vec<i8> {
    if arrays.by_name(&format!("{prefix}input.npy")).is_ok() {
        return int8(arrays, &format!("{prefix}input"));
    }
    let inputs = (0..network.inputs().count())
        .map(|input| int8(arrays, &format!("{prefix}input{input}")))
        .collect::<Vec<_>>();
    image(network, &inputs)
}

/// Runs all networks of a file of arrays that can be imported; gives the numbers of those without and with a layer of the host.
#[track_caller]
fn check_models(name: &str) -> (usize, usize) {
    let machine = machine();
    let mut arrays = arrays(name);
    let (mut alone, mut with_host) = (0, 0);
    for model in models(&arrays) {
        let file = bytes(&mut arrays, &format!("{model}/model"));
        let Some(network) = imported(&file, &[Inexact::FullyConnected]).network else {
            continue;
        };
        println!("{model}");
        let network = Network::from_file(network).or_panic();
        let image = recorded_image(&network, &mut arrays, &format!("{model}/"));
        let program = check(&machine, &network, &image, true);
        match program.layers.iter().any(|layer| layer.host) {
            true => with_host += 1,
            false => alone += 1,
        }
    }
    println!("{alone} without and {with_host} with the host");
    (alone, with_host)
}

#[test]
fn operators_of_tflite_files_run_on_the_machine_or_the_host() {
    let (alone, with_host) = check_models("operators.npz");
    assert!(alone >= 250 && with_host >= 120);
}

#[test]
fn operators_of_onnx_files_run_on_the_machine_or_the_host() {
    let (alone, with_host) = check_models("onnx/operators.npz");
    assert!(alone >= 149 && with_host >= 43);
}

#[test]
fn random_graphs_run_on_the_machine_and_the_host() {
    let (alone, with_host) = check_models("graphs.npz");
    assert_eq!(alone + with_host, 20);
}

/// Runs a network of the importer's tests.
#[track_caller]
fn check_file(machine: &Machine, file: &str) -> Program {
    println!("{file}");
    let network = imported(&read(file), &[]).network.unwrap();
    let network = Network::from_file(network).or_panic();
    let (name, _) = file.split_once('.').unwrap();
    let image = recorded_image(&network, &mut arrays(&format!("{name}.npz")), "");
    check(machine, &network, &image, false);
    check(machine, &network, &image, true)
}

#[test]
fn networks_of_every_family_run_on_the_machine_and_the_host() {
    let machine = machine();
    let families = [
        "dense",
        "keyword",
        "keyword_1d",
        "residual",
        "segmentation",
        "separable",
    ];
    for name in families {
        check_file(&machine, &format!("{name}.tflite"));
    }
    for name in ONNX_NETWORKS {
        check_file(&machine, &format!("onnx/{name}.onnx"));
    }
}

#[test]
fn a_transformer_runs_on_the_machine_and_the_host() {
    let program = check_file(&machine(), "transformer.tflite");
    let on_machine = |name: &str| {
        let layer = program.layers.iter().find(|layer| layer.name == name);
        !layer.unwrap().host
    };
    // What the machine can do is done there.
    for name in [
        "attention/query/Linear",
        "attention/query/heads",
        "attention/scaled",
        "feed_forward/gelu",
    ] {
        assert!(on_machine(name), "{name}");
    }
    // Both factors of the scores have a zero point.
    for name in [
        "attention/scores/product",
        "attention/softmax",
        "attention/norm/squares",
    ] {
        assert!(!on_machine(name), "{name}");
    }
}
