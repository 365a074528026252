//! Cycles of networks on the array alone, on the sparse cluster as far as it can, and each layer where it takes the fewest: tables for
//! `benches/sparse.md`. 64 multipliers each: an array of 8 x 8, 8 units of 8 channels. The last row has 256: 16 x 16.
//!
//! `cargo run --release -p heddle-tb --example sparse_networks`; names of networks behind it list their layers.

mod noise;
mod resnet;

use std::process::ExitCode;

use heddle_arch::params::{Params, Sparse};
use heddle_compiler::{
    Engine, EngineOptions, EnginePolicy, Mapping, Options, Program, Rule, Zeros, compile,
};
use heddle_network::Network;
use heddle_sim::network::run as golden;
use heddle_tb::network::{NetworkReport, simulate};

/// A network, and its machine.
struct Case {
    name: &'static str,
    network: Network,
    params: Params,
    /// Images for the zeros, and images that run.
    images: [usize; 2],
}

fn cases() -> Vec<Case> {
    let read = |text: &str| Network::from_json(text).expect("a committed network");
    let sided = |name, network, (preset, side), images| Case {
        name,
        network,
        params: params(preset, side),
        images,
    };
    let case = |name, network, preset, images| sided(name, network, (preset, 8), images);
    let edge = include_str!("../../../configs/edge.json");
    let mobile = include_str!("../../../configs/mobile.json");
    let tflite = include_str!("../../../configs/tflite.json");
    let digits = read(include_str!("../../../models/digits.json"));
    let small = read(include_str!("../../../models/mobile.json"));
    let [first, second] = resnet::PHOTOGRAPHS.map(|zeros| resnet::resnet8(&zeros, 1));
    vec![
        case("digits", digits, edge, [50, 10]),
        case("mobile", small, mobile, [50, 10]),
        case("ResNet-8, 1", first, tflite, [1, 1]),
        case("ResNet-8, 2", second, tflite, [1, 1]),
        sided("1x1 64>64 28x28", resnet::point(1), (tflite, 16), [1, 1]),
    ]
}

/// The preset with a square array and a cluster of as many multipliers.
fn params(preset: &str, side: u32) -> Params {
    let mut params = Params::from_json(preset).expect("a preset");
    params.name = "both".to_string();
    (params.array.rows, params.array.cols) = (side, side);
    params.program.words = 16384;
    params.sparse = Some(Sparse {
        engine: true,
        units: side,
        channels: side,
        load_entries: 4,
        weight_words: 4096,
        tiles: params.column_tiles.max(64),
        ..Sparse::default()
    });
    params.validate().expect("a machine that can be");
    params
}

/// A program, and what it has done.
type Run = (Program, NetworkReport);

const POLICIES: [EnginePolicy; 3] = [
    EnginePolicy::Dense,
    EnginePolicy::Sparse,
    EnginePolicy::Auto,
];

/// How many times faster ResNet-8 is to be with both engines.
const AIM: f64 = 1.5;

/// Zeros of all tensors.
fn zeros(network: &Network, images: usize) -> Vec<Option<Zeros>> {
    let none = Zeros {
        zeros: 0,
        elements: 0,
        images: 0,
    };
    let mut zeros = vec![none; network.layers.len() + 1];
    for image in network.images.iter().take(images) {
        let outputs = golden(network, image).expect("an image of the network");
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

/// Runs the images with this choice of engines, layer by layer or in one run.
fn run(case: &Case, policy: EnginePolicy, whole: bool) -> Run {
    let known = zeros(&case.network, case.images[0]);
    let options = Options {
        mapping: (policy == EnginePolicy::Sparse).then_some(Mapping::Channel),
        whole,
        engines: EngineOptions {
            policy,
            rule: Rule::Cycles,
        },
        ..Options::default()
    };
    let options = Options {
        zeros: known,
        ..options
    };
    let program = compile(&case.network, &case.params, &options)
        .unwrap_or_else(|error| panic!("{}: {error}", case.name))
        .program;
    let images = case.network.images.iter().take(case.images[1]);
    let images: Vec<_> = images.map(|image| (&image[..], None)).collect();
    let report = simulate(&case.params, &case.network, &program, &images, |_| {})
        .unwrap_or_else(|error| panic!("{}: {error}", case.name));
    assert!(report.is_exact(), "{}", case.name);
    (program, report)
}

/// A row for each layer: what it takes on either engine, and what the compiler expects of the cluster.
fn print_layers(case: &Case) {
    let known = zeros(&case.network, case.images[0]);
    let multipliers = u64::from(case.params.array.rows * case.params.array.cols);
    let [dense, sparse, auto] = POLICIES.map(|policy| run(case, policy, false));
    println!(
        "\n| {} | zeros | array | cluster | expected | products, each unit | runs on |\n|---|---|---|---|---|---|---|",
        case.name
    );
    for (index, layer) in case.network.layers.iter().enumerate() {
        let engine = |run: &Run| run.0.layers[index].engine_of();
        let cycles = |run: &Run| run.1.layers[index].cycles;
        let known = known[layer.inputs[0].tensor].expect("all are known");
        let on_cluster = match &sparse.1.layers[index].cluster {
            Some(cluster) => format!(
                "{} | {} | {}",
                cycles(&sparse),
                sparse.0.layers[index].choice.cost.cycles,
                cluster.multiplications / multipliers / case.images[1] as u64
            ),
            None => "- | - | -".to_string(),
        };
        println!(
            "| {} | {:.0} % | {} | {on_cluster} | {} |",
            layer.name,
            100.0 * known.zeros as f64 / known.elements as f64,
            cycles(&dense),
            match engine(&auto) {
                Engine::Sparse => "cluster",
                Engine::Dense => "array",
            }
        );
    }
    println!();
}

/// Prints the tables; fails if ResNet-8 misses its aim.
fn main() -> ExitCode {
    let listed: Vec<String> = std::env::args().skip(1).collect();
    let head = "| network | array | cluster | both | times faster | layers on the cluster |\n|---|---|---|---|---|---|";
    println!("{head}");
    let mut code = ExitCode::SUCCESS;
    for case in cases() {
        let runs = POLICIES.map(|policy| run(&case, policy, true));
        let [array, cluster, both] = [0, 1, 2].map(|at: usize| runs[at].1.total.cycles);
        let layers = runs[2].0.layers.iter();
        let faster = (100.0 * array as f64 / both as f64).floor() / 100.0;
        println!(
            "| {} | {array} | {cluster} | {both} | {faster:.2} | {} of {} |",
            case.name,
            layers
                .filter(|layer| layer.engine_of() == Engine::Sparse)
                .count(),
            case.network.layers.len(),
        );
        if case.name.starts_with("ResNet") && faster < AIM {
            eprintln!("{}: expected at least {AIM} times faster", case.name);
            code = ExitCode::FAILURE;
        }
        if listed.iter().any(|name| case.name.starts_with(name)) {
            print_layers(&case);
            println!("{head}");
        }
    }
    code
}
