//! From a file to a program: the golden machine, with the host between its runs, gives the recorded bytes.

use heddle_arch::Network;
use heddle_arch::params::Params;
use heddle_compiler::{Options, Program, compile_with};
use heddle_import::planes;
use heddle_sim::network::run;
use heddle_tb::network::simulate;

use crate::files::{arrays, imported, int8, interleaved, read};

/// Runs a network as a preset does, layer by layer or in as few runs as there can be.
#[track_caller]
fn check(name: &str, whole: bool) -> Program {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/tflite.json");
    let params = Params::from_json(&std::fs::read_to_string(path).unwrap()).unwrap();
    let found = imported(&read(&format!("{name}.tflite")), &[]);
    let output = found.rows.last().unwrap().index.unwrap();
    let network = Network::from_file(found.network.unwrap()).unwrap();
    let mut recorded = arrays(&format!("{name}.npz"));
    let channels = network.input.channels as usize;
    let image = int8(&mut recorded, "input0");
    let image = planes(&image, channels, image.len() / channels);

    let options = Options {
        whole,
        ..Options::default()
    };
    let program = compile_with(&network, &params, options).unwrap();
    let report = simulate(&params, &network, &program, &[(&image, None)], |_| {}).unwrap();
    for layer in &report.layers {
        assert_eq!(layer.mismatches, 0, "{name}, {}", layer.name);
    }
    assert_eq!(report.layers.len(), program.runs.len());
    let outputs = run(&network, &image).unwrap();
    let expected = int8(&mut recorded, &format!("tensor/{output}"));
    assert_eq!(interleaved(outputs.last().unwrap()), expected, "{name}");
    program
}

#[test]
fn a_transformer_runs_on_the_machine_and_the_host() {
    for whole in [false, true] {
        let program = check("transformer", whole);
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
}
