//! Files of other programs on emitted Verilog, with the host between its runs: every value is that of the golden network, every
//! counter that of the golden machine. What the host runs has one meaning on both sides: outputs are held against the bytes that
//! the reference kernels gave. The importer's tests hold all of the golden network against them.

use heddle_arch::params::Params;
use heddle_compiler::{Options, Program};
use heddle_import::{Exact, Import, Inexact};
use heddle_network::Network;
use heddle_sim::network::Tensor;
use heddle_tb::network::Bench;

use crate::generator::compile_with;
use crate::machines::Machine;
use crate::recorded::{
    Arrays, ONNX_NETWORKS, arrays, bytes, image, imported, int8, interleaved, models, read,
};
use crate::rtl::OrPanic;
use crate::top::{check_report, run_images};

/// The preset for such files with a small array.
fn machine() -> Machine {
    let preset = include_str!("../../configs/tflite.json");
    let mut params = Params::from_json(preset).or_panic();
    params.name = "imported".to_string();
    (params.array.rows, params.array.cols) = (4, 4);
    // A quarter of the partitions: the largest weights take more than half of one.
    (
        params.state_buffer.banks,
        params.state_buffer.words_per_bank,
    ) = (8, 1024);
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

/// Runs a network in as few runs as there can be; gives the program and the bytes of each output.
#[track_caller]
fn outputs(machine: &Machine, network: &Network, image: &[i8]) -> (Program, Vec<Vec<i8>>) {
    let options = Options {
        whole: true,
        ..Options::default()
    };
    let program = compile_with(network, &machine.params, &options).or_panic();
    let bench = Bench::new(machine.host(1), &machine.params, network, &program);
    let mut bench = bench.or_panic();
    let mut made = Vec::new();
    let run = bench.run_images(&[(image, None)], |runs| {
        made = runs.iter().map(|run| run.values.clone()).collect();
    });
    run.or_panic();
    check_report(bench.report(), &program).or_panic();
    let output = |&tensor: &usize| {
        let mut runs = program.runs.iter().zip(&made);
        let (_, values) = runs.find(|(plan, _)| plan.layers.end == tensor).unwrap();
        values.clone()
    };
    let outputs = network.outputs.iter().map(output).collect();
    (program, outputs)
}

/// Whether what becomes of a file gives the bytes of its reference.
fn is_exact(found: &Import) -> bool {
    let mut exact = found.rows.iter().map(|row| &row.exact);
    exact.all(|exact| !matches!(exact, Exact::Compared(difference) if difference.wrong > 0))
}

/// Holds the outputs of a .tflite file against the recorded ones; gives how many there are.
#[track_caller]
fn check_recorded(network: &Network, made: &[Vec<i8>], arrays: &mut Arrays, model: &str) -> usize {
    for (number, (&output, values)) in network.outputs.iter().zip(made).enumerate() {
        let array = match number {
            0 => format!("{model}/output"),
            number => format!("{model}/output{number}"),
        };
        let layer = &network.layers[output - 1];
        let tensor = Tensor {
            shape: layer.output,
            values: values.clone(),
        };
        assert_eq!(interleaved(layer, &tensor), int8(arrays, &array), "{array}");
    }
    made.len()
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

/// What became of the networks of a file.
#[derive(Default)]
struct Ran {
    /// Networks without a layer of the host.
    alone: usize,
    with_host: usize,
    /// Outputs that were held against recorded ones: of layers of the machine, and of the host.
    recorded: [usize; 2],
    /// Layers of a kind that a machine can do, and that the host has all the same.
    moved: Vec<String>,
}

/// Runs all networks of a file of arrays that can be imported.
#[track_caller]
fn check_models(name: &str) -> Ran {
    let machine = machine();
    let mut arrays = arrays(name);
    let mut ran = Ran::default();
    for model in models(&arrays) {
        let file = bytes(&mut arrays, &format!("{model}/model"));
        let found = imported(&file, &[Inexact::FullyConnected]);
        let is_exact = is_exact(&found);
        let Some(network) = found.network else {
            continue;
        };
        println!("{model}");
        let network = Network::from_file(network).or_panic();
        let image = recorded_image(&network, &mut arrays, &format!("{model}/"));
        let (program, made) = outputs(&machine, &network, &image);
        match program.layers.iter().any(|layer| layer.host) {
            true => ran.with_host += 1,
            false => ran.alone += 1,
        }
        if is_exact && name == "operators.npz" {
            let by_host = program.layers.last().is_some_and(|layer| layer.host);
            ran.recorded[usize::from(by_host)] +=
                check_recorded(&network, &made, &mut arrays, &model);
        }
        for (plan, layer) in program.layers.iter().zip(&network.layers) {
            // An input of the network is no layer that runs.
            if plan.host && !layer.is_for_host() {
                ran.moved.push(format!("{model} {}", layer.kind.name()));
            }
        }
    }
    let Ran {
        alone,
        with_host,
        recorded,
        moved,
    } = &ran;
    println!(
        "{alone} without and {with_host} with the host, {recorded:?} outputs recorded, moved: {moved:#?}"
    );
    ran
}

#[test]
fn operators_of_tflite_files_run_on_the_machine_or_the_host() {
    let ran = check_models("operators.npz");
    assert!(ran.alone >= 250 && ran.with_host >= 120);
    let [machine, host] = ran.recorded;
    assert!(machine >= 200 && host >= 100);
    assert_eq!(ran.moved, MOVED_TFLITE);
}

#[test]
fn operators_of_onnx_files_run_on_the_machine_or_the_host() {
    let ran = check_models("onnx/operators.npz");
    assert!(ran.alone >= 149 && ran.with_host >= 43);
    assert_eq!(ran.moved, MOVED_ONNX);
}

#[test]
fn random_graphs_run_on_the_machine_and_the_host() {
    let ran = check_models("graphs.npz");
    assert_eq!(ran.alone + ran.with_host, 20);
    assert_eq!(ran.moved, MOVED_GRAPHS);
}

/// Layers of a kind that a machine can do, and that the host has: sums of tensors without `post.dual_scale`, matrices whose zero points or
/// sizes do not allow it, and maxima with padding whose values lie below zero.
const MOVED_TFLITE: &[&str] = &[
    "add add",
    "add_broadcast_both add",
    "add_broadcast_channels add",
    "add_broadcast_columns add",
    "add_broadcast_first add",
    "add_broadcast_one_channel add",
    "add_broadcast_one_value add",
    "add_broadcast_rows add",
    "add_channel_vector add",
    "add_ratio_100 add",
    "add_ratio_5000 add",
    "add_second_lost add",
    "batch_matmul matmul",
    "batch_matmul_adjoint matmul",
    "batch_matmul_scale_product matmul",
    "max_pool_same_1x3 max_pool2d",
    "max_pool_same_odd max_pool2d",
    "mean_then_padded add",
    "sub add",
    "sub_broadcast_both add",
    "sub_broadcast_channels add",
    "sub_broadcast_columns add",
    "sub_broadcast_first add",
    "sub_broadcast_one_channel add",
    "sub_broadcast_one_value add",
    "sub_broadcast_rows add",
    "sub_relu add",
    "transpose_matrix transpose",
];
const MOVED_ONNX: &[&str] = &[
    "pair_qdq_add_to_each_channel_int8 add",
    "pair_qoperator_add_to_each_channel_uint8 add",
    "qdq_matrices_int8 matmul",
    "qdq_max_padded_uint8 max_pool2d",
    "qdq_one_matrix_int8 transpose",
    "qdq_one_matrix_int8 matmul",
    "qdq_transpose_row_uint8 transpose",
    "qoperator_matrices_uint8 matmul",
    "qoperator_max_padded_int8 max_pool2d",
    "qoperator_one_matrix_uint8 transpose",
    "qoperator_one_matrix_uint8 matmul",
    "qoperator_transpose_row_int8 transpose",
];
const MOVED_GRAPHS: &[&str] = &[
    "random01 add",
    "random03 add",
    "random07 add",
    "random09 add",
    "random11 add",
];

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
