//! Measures what the co-simulation costs: clocks per second of the digits network on the machine
//! of `configs/edge.json`, driven as `heddle cosim` drives it, against a stand-alone C++ program
//! that makes the same host accesses on the same machine, and with the contracts of `gen --assert`.
//!
//! `cargo run --release -p heddle-tb --example cosim_replay`. Exit code 1 if the co-simulation
//! reaches less than 0.9 of the C++ program. With a folder as argument it only leaves the C++
//! program and the accesses of two images there, for a profiler, and prints the command that runs them; a
//! configuration behind the folder takes the place of `edge`.

mod replay;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use heddle_arch::Params;
use heddle_compiler::Program;
use heddle_compiler::compile;
use heddle_gen::{EmitOptions, emit};
use heddle_hdl::catalog;
use heddle_network::Network;
use heddle_tb::Model;
use heddle_tb::host::Host;
use heddle_tb::network::{Bench, Image};
use heddle_tb::verilate::{Options, Sources, Verilator, build_shared};
use replay::Trail;

const CONFIG: &str = include_str!("../../../configs/edge.json");
const NETWORK: &str = include_str!("../../../models/digits.json");

const IMAGES: usize = 50;

/// For a profiler, which takes fifty times as long.
const FEW_IMAGES: usize = 2;

/// Best of this many runs each, taken in turns: the machine may be shared.
const RUNS: usize = 9;

const LIMIT: f64 = 0.9;

struct Setup {
    params: Params,
    network: Network,
    program: Program,
    library: PathBuf,
    /// The same machine with its contracts.
    checked: PathBuf,
    images: usize,
}

impl Setup {
    fn images(&self) -> Vec<Image<'_>> {
        let images = self.network.images.iter().map(Vec::as_slice);
        let labels = self
            .network
            .labels
            .iter()
            .map(|&label| Some(label as usize));
        images.zip(labels).take(self.images).collect()
    }

    fn host(&self, library: &Path) -> Host {
        let model = Model::load(library).expect("the library was just built");
        Host::new(model, &self.params).expect("the machine has a host port")
    }

    /// Nanoseconds of the simulation, golden models and comparison in their own thread.
    fn time(&self, host: Host) -> (Host, u64, f64) {
        let mut bench = Bench::new(host, &self.params, &self.network, &self.program)
            .expect("the program fits the machine");
        let result = bench.run_images(&self.images(), |_| ());
        result.expect("the machine comes to its end");
        assert!(bench.report().is_exact(), "the machine differs");
        let time = bench.simulation_time().as_nanos() as f64;
        let cycles = bench.report().simulated_cycles;
        (bench.into_host(), cycles, time)
    }
}

fn machine(params: &Params, contracts: bool) -> Sources {
    let block = catalog::build("top", params).expect("the catalogue has the machine");
    let options = EmitOptions {
        configuration: params.name.clone(),
        contracts,
        ..EmitOptions::default()
    };
    let design = emit(block.as_ref(), &options).expect("the machine can be printed");
    Sources {
        files: design.verilog(),
        top: design.top,
        ports: Vec::new(),
    }
}

fn main() -> ExitCode {
    let tool = match Verilator::find() {
        Ok(tool) => tool,
        Err(error) => {
            eprintln!("cosim_replay: {error}");
            return ExitCode::from(2);
        }
    };
    let config = env::args_os().nth(2);
    let config = config.map_or(CONFIG.to_string(), |path| {
        fs::read_to_string(path).expect("the configuration can be read")
    });
    let params = Params::from_json(&config).expect("the configuration is legal");
    let network = Network::from_json(NETWORK).expect("the model is legal");
    let sources = machine(&params, false);
    let checked = machine(&params, true);
    let scratch = tempfile::tempdir().expect("a temporary folder can be made");
    let kept = env::args_os().nth(1).map(PathBuf::from);
    let folder = kept.as_deref().unwrap_or(scratch.path());
    if let Err(error) = fs::create_dir_all(folder) {
        eprintln!("cosim_replay: {}: {error}", folder.display());
        return ExitCode::from(2);
    }
    let setup = Setup {
        program: compile(&network, &params, &heddle_compiler::Options::default())
            .expect("the network fits")
            .program,
        library: build_shared(&sources, &Options::default()).expect("the Verilog is legal"),
        checked: build_shared(&checked, &Options::default()).expect("the Verilog is legal"),
        params,
        network,
        images: if kept.is_some() { FEW_IMAGES } else { IMAGES },
    };
    let bare = replay::build(&sources, &tool, folder);
    let file = folder.join("accesses");
    let trail = record(&setup, &file);
    if kept.is_some() {
        println!("{} {}", bare.display(), file.display());
        println!("{} clocks", trail.cycles);
        return ExitCode::SUCCESS;
    }

    let mut best = [f64::INFINITY; 3];
    for _ in 0..RUNS {
        let (found, bare_time) = replay::run(&bare, &file);
        assert_eq!(found, trail, "the replay went another way");
        best[0] = best[0].min(bare_time);
        for (library, best) in [&setup.library, &setup.checked]
            .into_iter()
            .zip(&mut best[1..])
        {
            let (_, cycles, time) = setup.time(setup.host(library));
            assert_eq!(cycles, trail.cycles, "the runs differ");
            *best = best.min(time);
        }
    }
    let ratio = best[0] / best[1];
    println!("{}, -O2, best of {RUNS} runs taken in turns", tool.version);
    println!(
        "digits on edge, {IMAGES} images, {} clocks, answers {:016x}\n",
        trail.cycles, trail.checksum
    );
    println!("| program | million clocks/s | of bare C++ |");
    println!("|---|---|---|");
    let names = ["bare C++", "`heddle cosim`", "with contracts"];
    for (name, time) in names.iter().zip(best) {
        let speed = trail.cycles as f64 / time * 1e3;
        println!("| {name} | {speed:.3} | {:.2} |", best[0] / time);
    }
    if ratio >= LIMIT {
        return ExitCode::SUCCESS;
    }
    eprintln!("cosim_replay: the co-simulation reaches less than {LIMIT} of bare C++");
    ExitCode::FAILURE
}

/// Writes the accesses of one run to a file.
fn record(setup: &Setup, file: &Path) -> Trail {
    let mut host = setup.host(&setup.library);
    host.start_record();
    let (mut host, cycles, _) = setup.time(host);
    let accesses = host.take_record();
    replay::write_file(&accesses, file);
    Trail {
        cycles,
        checksum: replay::checksum(&accesses),
    }
}
