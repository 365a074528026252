//! Measures what base and offset tables save and cost in the layers of `benches/workloads`, and prints
//! the tables of `benches/offsets.md`.
//!
//!     cargo run -p heddle-compiler --example offsets_bench
//!     cargo run -p heddle-compiler --example offsets_bench -- --json
//!
//! Sizes, operations and cache lines are counted, the operations while every address is made in
//! every way and compared. Clocks are those that `docs/offsets.md` promises.

mod cycles;
mod layer;
mod lines;
mod recompute;
mod workload;

use std::process::ExitCode;

use heddle_compiler::offsets::{Request, generate};
use layer::{ARRAYS, Summary};
use lines::{Fills, Sweep, sweep};
use recompute::Operations;
use serde::Serialize;
use workload::Network;

/// Everything that is measured.
#[derive(Serialize)]
struct Report {
    networks: Vec<Summary>,
    sweeps: Vec<Sweep>,
}

/// Inputs over which the loading of the tables is spread.
const INPUTS: [u64; 4] = [1, 2, 10, 100];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let json = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--json"] => true,
        _ => {
            eprintln!("usage: offsets_bench [--json]");
            return ExitCode::from(2);
        }
    };
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
    if json {
        let text = serde_json::to_string_pretty(&report).expect("a report is names and numbers");
        println!("{text}");
        return ExitCode::SUCCESS;
    }
    for network in &report.networks {
        print_sizes(network);
    }
    print_operations(&report.networks);
    for network in &report.networks {
        for array in 0..ARRAYS.len() {
            print_clocks(network, array);
        }
    }
    print_totals(&report.networks);
    for sweep in &report.sweeps {
        print_sweep(sweep);
    }
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

fn heading(columns: &[&str]) {
    println!("\n| {} |", columns.join(" | "));
    println!("|{}", "---|".repeat(columns.len()));
}

fn print_sizes(network: &Summary) {
    heading(&[
        network.name,
        "T",
        "K",
        "N",
        "groups",
        "T + K",
        "bits",
        "values for the expander",
        "T * K",
        "growth",
        "bytes of the matrix",
    ]);
    for layer in &network.layers {
        let words = layer.expander_words;
        let words = words.map_or("-".to_string(), |words| words.to_string());
        println!(
            "| {}{} | {} | {} | {} | {} | {} | {} | {} | {} | {:.2} | {} |",
            layer.name,
            if layer.shared { " (same tables)" } else { "" },
            layer.rows,
            layer.taps,
            layer.outputs,
            layer.groups,
            layer.entries,
            layer.bits,
            words,
            layer.matrix_entries,
            layer.growth,
            layer.matrix_bytes
        );
    }
    println!(
        "| sum | | | | | {} | | | | | {} |",
        network.entries, network.matrix_bytes
    );
}

/// Of all layers together: operations differ little from layer to layer.
fn print_operations(networks: &[Summary]) {
    let ways = ["tables", "steps", "multiplication", "division"];
    heading(&[
        "for each address",
        "divisions",
        "multiplications",
        "additions",
    ]);
    let sums = |networks: &[&Summary]| {
        let mut sums = [Operations::default(); 4];
        for layer in networks.iter().flat_map(|network| &network.layers) {
            for (sum, way) in sums.iter_mut().zip(layer.operations.all()) {
                sum.plus(way);
            }
        }
        sums
    };
    for network in networks {
        for (way, sum) in ways.iter().zip(sums(&[network])) {
            let of = |operations: u64| operations as f64 / sum.addresses as f64;
            println!(
                "| {}, {way} | {:.2} | {:.2} | {:.2} |",
                network.name,
                of(sum.divisions),
                of(sum.multiplications),
                of(sum.additions)
            );
        }
    }
}

fn print_clocks(network: &Summary, array: usize) {
    let side = ARRAYS[array];
    let title = format!("{}, {side} x {side}", network.name);
    heading(&[
        &title,
        "load",
        "tables, OS",
        "tables, WS",
        "copy, 1 byte",
        "copy, 8 bytes",
        "matrix, OS",
        "generator, OS",
    ]);
    let rows = network.layers.iter().map(|layer| {
        let clocks = &layer.clocks[array];
        (layer.name.as_str(), clocks)
    });
    for (name, clocks) in rows.chain([("sum", &network.clocks[array])]) {
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} |",
            clocks.load,
            clocks.output_stationary,
            clocks.weight_stationary,
            clocks.copy_elements,
            clocks.copy_words,
            clocks.matrix_output_stationary,
            clocks.generator
        );
    }
}

/// Clocks of an input over the loading once for so many inputs.
fn print_totals(networks: &[Summary]) {
    let columns = INPUTS.map(|inputs| format!("tables, over {inputs}"));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let others = ["copy 1 byte, matrix", "copy 8 bytes, matrix", "generator"];
    heading(&[&["clocks of an input"], &columns[..], &others].concat());
    for network in networks {
        for (side, clocks) in ARRAYS.iter().zip(&network.clocks) {
            let rows = [
                (
                    "OS",
                    clocks.output_stationary,
                    clocks.matrix_output_stationary,
                    Some(clocks.generator_load + clocks.generator),
                ),
                ("better of OS, WS", clocks.best, clocks.matrix_best, None),
            ];
            for (mapping, run, matrix, generator) in rows {
                print!("| {}, {side} x {side}, {mapping} |", network.name);
                for inputs in INPUTS {
                    print!(" {} |", clocks.amortised(run, inputs));
                }
                let generator = generator.map_or("-".to_string(), |clocks| clocks.to_string());
                println!(
                    " {} | {} | {generator} |",
                    clocks.copy_elements + matrix,
                    clocks.copy_words + matrix
                );
            }
        }
    }
}

fn print_sweep(sweep: &Sweep) {
    println!(
        "\n{}, lines of {} bytes, tiles of {}: {} reads; {} reads of lines if a step merges its rows \
         (weight stationary: {}); A spans {} lines",
        sweep.name,
        sweep.line_bytes,
        sweep.rows,
        sweep.reads,
        sweep.merged[0],
        sweep.merged[1],
        sweep.tensor_lines
    );
    heading(&[
        "lines",
        "rows together",
        "used",
        "row after row",
        "used",
        "weight stationary",
        "used",
    ]);
    for point in &sweep.points {
        let cell = |fills: &Fills| format!("{} | {:.1} %", fills.fills, 100.0 * fills.used);
        println!(
            "| {} | {} | {} | {} |",
            point.lines,
            cell(&point.together),
            cell(&point.apart),
            cell(&point.taps)
        );
    }
}
