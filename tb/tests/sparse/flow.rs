//! A layer on five units from its first word to its last: what comes when.

use heddle_arch::isa::sparse::{SparseCommand, UnitRegister};
use heddle_arch::params::Sparse;
use heddle_compiler::sparse::{Goal, Halo, Plan, Program, Shape, Split, clear};
use heddle_hdl::sparse::{SparseCluster, SparseShape};
use heddle_sim::sparse::ClusterInputs;
use rand::Rng;

use super::cluster::{Bench, Streams};
use crate::generator::sparse::{Layer, params};
use crate::rtl::{Checked, Coverage, emitted, run_seeds};

const UNITS: u32 = 5;

/// Clocks of the first and of the last event of a kind.
#[derive(Debug, Clone, Copy, Default)]
struct Events(Option<(u32, u32)>);

impl Events {
    fn add(&mut self, clock: u32, happens: bool) {
        if happens {
            let first = self.0.map_or(clock, |(first, _)| first);
            self.0 = Some((first, clock));
        }
    }

    fn first(self) -> u32 {
        self.0.expect("it happens").0
    }

    fn last(self) -> u32 {
        self.0.expect("it happens").1
    }
}

/// What happened in a run.
#[derive(Debug, Default)]
struct Trace {
    map: Events,
    weights: Events,
    products: Events,
    out: Events,
    /// Most units that multiplied in a clock.
    together: u32,
    results: Vec<u64>,
}

/// Runs a program whose streams never wait. Products are seen by their counter, four clocks late.
fn trace(bench: &mut Bench, streams: &Streams) -> Checked<Trace> {
    let mut trace = Trace::default();
    let (mut command, mut weight, mut map, mut products) = (0, 0, 0, 0);
    bench.dut.set("count_i", 5u32);
    for clock in 0.. {
        let outputs = bench.step(&ClusterInputs {
            command: streams.commands.get(command).copied(),
            weight: streams.weights.get(weight).copied(),
            map: streams.map.get(map).copied(),
            out_ready: true,
        })?;
        if let Some(error) = outputs.error {
            return Err(bench.dut.message(&format!("{error:?}")));
        }
        let takes = |ready: bool, at: &mut usize, count: usize| {
            let takes = ready && *at < count;
            *at += usize::from(takes);
            takes
        };
        let taken = takes(outputs.map_ready, &mut map, streams.map.len());
        trace.map.add(clock, taken);
        let taken = takes(outputs.weight_ready, &mut weight, streams.weights.len());
        trace.weights.add(clock, taken);
        takes(outputs.command_ready, &mut command, streams.commands.len());
        bench.dut.settle();
        let count = bench.dut.get("count_o") as u32;
        trace.products.add(clock, clock > 8 && count != products);
        if clock > 8 {
            trace.together = trace.together.max(count - products);
        }
        products = count;
        trace.out.add(clock, outputs.out.is_some());
        trace.results.extend(outputs.out.map(|(word, _)| word));
        if outputs.idle && command == streams.commands.len() {
            break;
        }
    }
    Ok(trace)
}

fn streams(commands: &[SparseCommand]) -> Streams {
    Streams {
        commands: commands.iter().flat_map(SparseCommand::words).collect(),
        map: Vec::new(),
        weights: Vec::new(),
    }
}

/// How many values each unit has that are not zero.
fn counts(program: &Program, layer: &Layer) -> Vec<u32> {
    let mut counts = vec![0; UNITS as usize];
    for command in &program.commands {
        let SparseCommand::Set(Some(unit), registers) = command else {
            continue;
        };
        for register in registers {
            if let UnitRegister::PartRows(rows) = register {
                let positions = (0..).zip(layer.counts());
                let own = positions.filter(|(at, _)| {
                    rows.contains(&(at / layer.shape.input[1] + layer.shape.padding[0]))
                });
                counts[*unit as usize] = own.map(|(_, count)| count).sum();
            }
        }
    }
    counts
}

/// A map with most of its values at the top, in parts of nearly equal counts.
fn run(bench: &mut Bench) -> Checked<Coverage> {
    let mut rng = bench.dut.rng();
    let params = params(sparse());
    let shape = Shape {
        input: [120, 6],
        inputs: 4,
        kernel: [3, 3],
        stride: 1,
        padding: [1, 1],
        output: [120, 6],
        outputs: 8,
        depthwise: false,
    };
    let mut layer = Layer::of(shape.clone(), [0.8, 0.6], &mut rng);
    let row_bytes = layer.input.len() / 120;
    for (row, bytes) in layer.input.chunks_mut(row_bytes).enumerate() {
        for byte in bytes {
            if rng.random_bool(row as f64 / 120.0) {
                *byte = 0;
            }
        }
    }
    let split = Split {
        grid: [UNITS, 1],
        halo: Halo::Results,
        ..Split::ONE
    };
    let plan = Plan::balanced(&shape, split, &params, &layer.counts(), Goal::default())
        .expect("a plan that fits");
    let program = plan.program(&layer.values).expect("values that fit");
    trace(bench, &streams(&clear(&params)))?;
    let ran = trace(
        bench,
        &Streams {
            map: program.map_words(&layer.input).expect("an input that fits"),
            weights: program.weights.clone(),
            ..streams(&program.commands)
        },
    )?;
    if program.outputs(&ran.results).ok() != Some(layer.outputs()) {
        return Err(bench
            .dut
            .message("the results are not those of the definition"));
    }
    // No two parts differ by more than 3 % of what one of equal size could have.
    let counts = counts(&program, &layer);
    let most = layer.input.len() as u32 / UNITS;
    let spread = counts.iter().max().unwrap() - counts.iter().min().unwrap();
    let all: u32 = layer.counts().iter().sum();
    assert_eq!(counts.iter().sum::<u32>(), all);
    assert!(100 * spread <= 3 * most, "{counts:?} of {most}");
    assert_eq!(ran.together, UNITS, "units that multiply at once");
    // Weights are there before a unit multiplies; results leave when all units are done.
    assert!(ran.weights.last() < ran.products.first(), "{ran:?}");
    assert!(ran.map.last() < ran.products.last(), "{ran:?}");
    assert!(ran.products.last() < ran.out.first(), "{ran:?}");
    let mut coverage = Coverage::default();
    coverage.event("ran", true);
    Ok(coverage)
}

fn sparse() -> Sparse {
    Sparse {
        units: UNITS,
        load_lanes: Some(4),
        map_entries: 1024,
        ..Sparse::default()
    }
}

#[proves("FSA-01", "FSA-24", "FSA-78")]
#[test]
fn parts_of_equal_counts_multiply_at_once_and_leave_together() {
    let params = params(sparse());
    let sources = emitted(SparseCluster::new(SparseShape::of(&params)));
    run_seeds(|seed| run(&mut Bench::new(&sources, &params, seed)));
}
