//! Layers on the sparse cluster: planned, written as commands, carried out, and compared with what a layer is by definition.

use std::collections::BTreeMap;

use heddle_arch::isa::sparse::SparseCommand;
use heddle_compiler::sparse::{Halo, Plan, Program};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::support::sparse::{Cluster, Layer, random_params, random_shape, random_split};

/// How often something has happened.
type Events = BTreeMap<&'static str, u32>;

/// What a plan does that others do not.
fn watch(events: &mut Events, plan: &Plan, program: &Program) {
    let Plan {
        shape,
        split,
        passes,
        folds,
        portions,
        ..
    } = plan;
    let steps = passes.len() * folds.len();
    let streams = plan.streams(&passes[0]);
    let chunks = || streams.iter().map(|stream| plan.chunks(stream));
    let places = portions.parts * passes.len() as u32;
    let cells = || folds.iter().flat_map(|fold| &fold.sides[0].cells);
    let is_halo = |halo: Halo| split.halo == halo && split.grid[0] * split.grid[1] > 1;
    let of_one = |command: &SparseCommand| matches!(command, SparseCommand::Set(Some(_), _));
    for (name, happened) in [
        ("depthwise", shape.depthwise),
        ("depthwise in passes", shape.depthwise && passes.len() > 1),
        ("stride 2", shape.stride == 2),
        ("stride 4", shape.stride == 4),
        ("one position", shape.input == [1, 1]),
        (
            "kernel less than the stride",
            shape.kernel[0] < shape.stride,
        ),
        (
            "padding alone",
            folds.iter().any(|fold| fold.sides[0].loads.is_empty()),
        ),
        ("halo of the input", is_halo(Halo::Input)),
        ("halo of the results", is_halo(Halo::Results)),
        (
            "a cell without input",
            cells().any(|cell| cell.takes.is_empty()),
        ),
        ("many rows", shape.input[0] > 256 * shape.stride),
        (
            "folds of rows and of columns",
            split.folds.iter().all(|folds| *folds > 1),
        ),
        ("passes", passes.len() > 1),
        ("passes and folds", passes.len() > 1 && folds.len() > 1),
        (
            "more than 16 groups",
            passes.len() > 1 && shape.outputs > 16 * split.outputs,
        ),
        ("parts", portions.parts > 1),
        ("parts of folds", portions.parts > 1 && folds.len() > 1),
        ("all weights at once", portions.held == places && places > 1),
        ("two portions of weights", portions.held == 2 && places > 2),
        ("one portion of weights", portions.held == 1 && places > 1),
        (
            "entries that stay",
            plan.keeps_entries() && passes.len() > 1,
        ),
        ("two regions", plan.sums.overlap && steps > 1),
        ("one region", !plan.sums.overlap && steps > 1),
        ("streams", streams.len() > 1),
        (
            "streams of several chunks",
            streams.len() > 1 && chunks().max() > Some(1),
        ),
        ("streams with fewer chunks", chunks().min() < chunks().max()),
        ("units set alone", program.commands.iter().any(of_one)),
    ] {
        *events.entry(name).or_default() += u32::from(happened);
    }
}

#[test]
fn fsa_02_fsa_21_fsa_86_layers_split_in_any_way_are_convolutions() {
    let mut events = Events::new();
    let (mut planned, mut refused) = (0, 0);
    for seed in 0..150 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let params = random_params(&mut rng);
        let mut cluster = Cluster::new(params.clone());
        for _ in 0..8 {
            let shape = random_shape(&mut rng);
            let split = random_split(&shape, &params, &mut rng);
            let plan = match Plan::new(&shape, split, &params) {
                Ok(plan) => plan,
                Err(error) => {
                    assert!(
                        error.to_string().starts_with("sparse."),
                        "seed {seed}: {error}"
                    );
                    refused += 1;
                    continue;
                }
            };
            planned += 1;
            let layer = Layer::of(shape, &mut rng);
            let checked = cluster.check(&layer, &plan);
            checked.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{plan:?}"));
            watch(&mut events, &plan, &plan.program(&layer.values).unwrap());
        }
    }
    println!("{planned} planned, {refused} refused, {events:?}");
    assert!(refused < planned, "{refused} refused, {planned} planned");
    let missing: Vec<_> = events.iter().filter(|(_, count)| **count == 0).collect();
    assert!(missing.is_empty(), "never happened: {missing:?}");
}
