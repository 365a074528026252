//! Layers on the cluster: planned, computed in lockstep with its model, and compared with what they are by definition.

use std::sync::LazyLock;

use heddle_arch::Params;
use heddle_arch::isa::sparse::SparseCommand;
use heddle_arch::params::Sparse;
use heddle_compiler::sparse::{Plan, clear};
use heddle_hdl::sparse::{SparseCluster, SparseShape};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::cluster::{Bench, Program};
use crate::generator::sparse::{Layer, params, random_shape, random_split};
use crate::rtl::{Checked, Coverage, OrPanic, emitted, run_seeds};

/// Small memories: layers take several folds, passes and parts.
fn small() -> Params {
    params(Sparse {
        units: 5,
        channels: 4,
        load_lanes: Some(4),
        map_entries: 256,
        weight_words: 256,
        lists: 64,
        sums: 256,
        tiles: 16,
        ..Sparse::default()
    })
}

/// Sums leave as they are, of a single channel.
fn plain() -> Params {
    params(Sparse {
        units: 2,
        channels: 1,
        load_lanes: Some(12),
        map_sets: 4,
        post: false,
        ..Sparse::default()
    })
}

fn of(params: &Params) -> Sources {
    emitted(SparseCluster::new(SparseShape::of(params)))
}

static SMALL: LazyLock<Sources> = LazyLock::new(|| of(&small()));
static PLAIN: LazyLock<Sources> = LazyLock::new(|| of(&plain()));

fn words(commands: &[SparseCommand]) -> Vec<u32> {
    commands.iter().flat_map(SparseCommand::words).collect()
}

/// A layer that the cluster can compute.
fn random_layer(params: &Params, rng: &mut ChaCha8Rng) -> (Layer, Plan) {
    loop {
        let shape = random_shape(rng);
        let split = random_split(&shape, params, rng);
        if let Ok(plan) = Plan::new(&shape, split, params) {
            let shares = [0.7, f64::from(rng.random_range(0..=4)) / 4.0];
            return (Layer::of(shape, shares, rng), plan);
        }
    }
}

fn random_layers(sources: &Sources, params: &Params, seed: u64) -> Checked<Coverage> {
    let mut bench = Bench::new(sources, params, seed);
    let mut rng = bench.dut.rng();
    let mut coverage = Coverage::default();
    let mut commands = clear(params);
    for _ in 0..8 {
        let (layer, plan) = random_layer(params, &mut rng);
        let program = plan.program(&layer.values).or_panic();
        commands.extend(program.commands.clone());
        let given = Program {
            commands: words(&std::mem::take(&mut commands)),
            map: program.map_words(&layer.input).or_panic(),
            weights: program.weights.clone(),
        };
        let share = [1.0, 1.0, 0.5][rng.random_range(0..3)];
        let ran = bench.run(&given, share, &mut rng)?;
        if let Some(error) = ran.error {
            return Err(bench.dut.message(&format!("{}: {plan:?}", error.name())));
        }
        let is_equal = match params.sparse_cluster().post {
            true => program.outputs(&ran.out).or_panic() == layer.outputs(),
            false => program.sums(&ran.out).or_panic() == layer.results(|sum, _| sum),
        };
        if !is_equal {
            return Err(bench.dut.message(&format!("results differ: {plan:?}")));
        }
        coverage.event("several steps", plan.passes.len() * plan.folds.len() > 1);
        coverage.event("several parts", plan.portions.parts > 1);
        coverage.event("depthwise", plan.shape.depthwise);
        coverage.event("stride", plan.shape.stride > 1);
        coverage.event("several streams", plan.streams(&plan.passes[0]).len() > 1);
        coverage.event("two regions", plan.sums.overlap);
    }
    Ok(coverage)
}

#[test]
fn fsa_02_fsa_24_fsa_54_a_cluster_computes_layers_split_in_any_way() {
    run_seeds(|seed| random_layers(&SMALL, &small(), seed));
}

#[test]
fn sums_of_layers_leave_as_they_are() {
    run_seeds(|seed| random_layers(&PLAIN, &plain(), seed));
}
