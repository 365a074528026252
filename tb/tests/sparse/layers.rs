//! Random layers on whole clusters, in lockstep with their models; results are those of the definition.

use std::sync::LazyLock;

use heddle_arch::Params;
use heddle_arch::isa::sparse::SparseCommand;
use heddle_arch::params::Sparse;
use heddle_compiler::sparse::{Halo, Plan, clear};
use heddle_hdl::sparse::{SparseCluster, SparseShape};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::cluster::{Bench, Streams};
use crate::generator::sparse::{Layer, params, random_shape, random_split};
use crate::rtl::{Checked, Coverage, check_mutants, emitted, faults, is_slow, run_seeds};

/// A cluster, and its Verilog.
struct Design {
    params: Params,
    sources: Sources,
}

fn design(sparse: Sparse) -> Design {
    let params = params(sparse);
    Design {
        sources: emitted(SparseCluster::new(SparseShape::of(&params))),
        params,
    }
}

/// Two units of four channels; few places for everything.
static NARROW: LazyLock<Design> = LazyLock::new(|| {
    design(Sparse {
        units: 2,
        channels: 4,
        load_lanes: Some(3),
        map_entries: 64,
        weight_words: 256,
        lists: 64,
        sums: 64,
        ..Sparse::default()
    })
});

/// Five units of eight channels.
static ODD: LazyLock<Design> = LazyLock::new(|| {
    design(Sparse {
        units: 5,
        load_lanes: Some(12),
        load_entries: 4,
        map_sets: 4,
        map_entries: 256,
        sums: 128,
        ..Sparse::default()
    })
});

/// One unit of one channel, whose sums leave as they are.
static PLAIN: LazyLock<Design> = LazyLock::new(|| {
    design(Sparse {
        units: 1,
        channels: 1,
        load_lanes: Some(8),
        map_sets: 1,
        map_entries: 256,
        weight_words: 4096,
        post: false,
        ..Sparse::default()
    })
});

fn words(commands: &[SparseCommand]) -> Vec<u32> {
    commands.iter().flat_map(SparseCommand::words).collect()
}

/// The next layer and a plan for it that fits.
fn next(params: &Params, rng: &mut ChaCha8Rng) -> (Layer, Plan) {
    loop {
        let shape = random_shape(rng);
        let split = random_split(&shape, params, rng);
        if let Ok(plan) = Plan::new(&shape, split, params) {
            let shares = [0.7, f64::from(rng.random_range(0..=4)) / 4.0];
            return (Layer::of(shape, shares, rng), plan);
        }
    }
}

fn random_layers(design: &Design, sources: &Sources, seed: u64, layers: u32) -> Checked<Coverage> {
    let Design { params, .. } = design;
    let mut bench = Bench::new(sources, params, seed);
    let mut rng = bench.dut.rng();
    let mut coverage = Coverage::default();
    let cleared = Streams {
        commands: words(&clear(params)),
        map: Vec::new(),
        weights: Vec::new(),
    };
    bench.run(&cleared, 1.0, &mut rng)?;
    for number in 0..layers {
        let (layer, plan) = next(params, &mut rng);
        let program = plan.program(&layer.values).expect("values that fit");
        let streams = Streams {
            commands: words(&program.commands),
            map: program.map_words(&layer.input).expect("an input that fits"),
            weights: program.weights.clone(),
        };
        let share = [1.0, 0.9, 0.3][number as usize % 3];
        let ran = bench.run(&streams, share, &mut rng)?;
        let is_equal = match params.sparse_cluster().post {
            true => program.outputs(&ran.out).ok() == Some(layer.outputs()),
            false => program.sums(&ran.out).ok() == Some(layer.results(|sum, _| sum)),
        };
        if ran.error.is_some() || !is_equal {
            let text = format!("{:?}: {:?} {:?}", ran.error, plan.shape, plan.split);
            return Err(bench.dut.message(&text));
        }
        let split = &plan.split;
        let cells = split.grid[0] * split.grid[1];
        coverage.event("layers", true);
        coverage.event("folds", plan.folds.len() > 1);
        coverage.event("passes", plan.passes.len() > 1);
        coverage.event("weights in parts", plan.portions.parts > 1);
        coverage.event("two regions", plan.sums.overlap);
        coverage.event("strides", plan.shape.stride > 1);
        coverage.event("depthwise", plan.shape.depthwise);
        coverage.event("one position", plan.shape.input == [1, 1]);
        if params.sparse_cluster().units > 1 {
            coverage.event("shares of outputs", split.outputs > 1);
            coverage.event("shares of inputs", split.inputs > 1);
            coverage.event(
                "cells with a halo of the input",
                cells > 1 && split.halo == Halo::Input,
            );
            coverage.event(
                "cells that share results",
                cells > 1 && split.halo == Halo::Results,
            );
        }
    }
    bench.check_counts()?;
    Ok(coverage)
}

/// Layers for each seed.
fn layers(few: u32) -> u32 {
    if is_slow() { 50 * few } else { few }
}

#[test]
fn fsa_02_fsa_21_fsa_79_fsa_86_layers_on_two_units_are_those_of_the_definition() {
    run_seeds(|seed| random_layers(&NARROW, &NARROW.sources, seed, layers(30)));
}

#[test]
fn fsa_12_fsa_39_fsa_54_layers_on_five_units_are_those_of_the_definition() {
    run_seeds(|seed| random_layers(&ODD, &ODD.sources, seed, layers(20)));
}

#[test]
fn layers_on_one_unit_without_scaling_are_those_of_the_definition() {
    run_seeds(|seed| random_layers(&PLAIN, &PLAIN.sources, seed, layers(30)));
}

#[test]
fn faults_of_a_cluster_are_noticed() {
    let mutants = r"
        // A set is loaded again while a unit still reads it.
        heddle_scoreboard: (sent_q[3] != released_i[3])) free = 1'b0 => (sent_q[3] != released_i[3])) free = free
        // The second half of the weights is filled while it is in use.
        heddle_sparse_head: if (half_q) may_start = !board_half_busy_out[1] => if (half_q) may_start = 1'b1";
    let run = |sources: &Sources, seed: u64| random_layers(&NARROW, sources, seed, 30);
    check_mutants(&NARROW.sources, &faults(mutants), run);
}
