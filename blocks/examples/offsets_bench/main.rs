//! Measures what base and offset tables save and cost in the layers of `benches/workloads`: the figures
//! of `benches/offsets.md`, as JSON.
//!
//!     cargo run -p heddle-blocks --example offsets_bench
//!
//! Sizes, operations and cache lines are counted, the operations while every address is made in
//! every way and compared. Clocks are those that `docs/offsets.md` promises.

mod cycles;
mod layer;
mod lines;
mod recompute;
mod workload;

use std::process::ExitCode;

use heddle_blocks::offsets::{Request, generate};
use layer::Summary;
use lines::{Sweep, sweep};
use serde::Serialize;
use workload::Network;

/// Everything that is measured.
#[derive(Serialize)]
struct Report {
    networks: Vec<Summary>,
    sweeps: Vec<Sweep>,
}

fn main() -> ExitCode {
    let networks = match workload::networks() {
        Ok(networks) => networks,
        Err(error) => {
            eprintln!("offsets_bench: {error}");
            return ExitCode::from(2);
        }
    };
    let report = Report {
        networks: networks.iter().map(Summary::of).collect(),
        sweeps: sweeps(&networks),
    };
    let text = serde_json::to_string_pretty(&report).expect("a report is names and numbers");
    println!("{text}");
    ExitCode::SUCCESS
}

/// Two shapes of the specification and two layers, the lines of the latter as wide as a word of
/// the state buffer and as a line of a common cache.
fn sweeps(networks: &[Network]) -> Vec<Sweep> {
    let of_specification =
        |(name, [channels, height, width], rows, line): (&str, [u32; 3], _, _)| {
            let text = format!(
                r#"{{"convolution": {{"channels": {channels}, "height": {height}, "width": {width},
             "outputs": 1, "kernel": [3, 3]}}}}"#
            );
            let request =
                Request::from_json(&text).expect("the cases of the specification are legal");
            let tables = generate(&request).expect("the cases of the specification are legal");
            sweep(name, &tables, request.tensor_bytes(), rows, line)
        };
    let shapes = [
        ("5.1", [1, 4, 4], 4, 4),
        ("34x34x8, 3x3", [8, 34, 34], 16, 16),
    ];
    let mut sweeps: Vec<Sweep> = shapes.map(of_specification).into();
    let layers = &networks[0].layers;
    for (layer, line) in [(&layers[0], 8), (&layers[1], 64)] {
        let name = format!("{} {}", networks[0].name, layer.name);
        let bytes = layer.request.tensor_bytes();
        sweeps.push(sweep(&name, &layer.tables, bytes, 8, line));
    }
    sweeps
}
