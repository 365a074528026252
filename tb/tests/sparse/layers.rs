//! Random layers on whole clusters, in lockstep with their models; results are those of the definition.

use std::sync::LazyLock;

use heddle_arch::Params;
use heddle_arch::isa::sparse::SparseCommand;
use heddle_arch::params::Sparse;
use heddle_compiler::sparse::{Goal, Halo, Plan, Shape, Split, clear};
use heddle_hdl::sparse::{SparseCluster, SparseShape};
use heddle_sim::sparse::ClusterInputs;
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

/// Eight units of one channel with slots of three values.
static EIGHT: LazyLock<Design> = LazyLock::new(|| {
    design(Sparse {
        units: 8,
        channels: 1,
        load_lanes: Some(3),
        load_entries: 2,
        map_entries: 64,
        weight_words: 64,
        lists: 64,
        sums: 64,
        ..Sparse::default()
    })
});

/// Sixteen units of two channels.
static SIXTEEN: LazyLock<Design> = LazyLock::new(|| {
    design(Sparse {
        units: 16,
        channels: 2,
        load_lanes: Some(4),
        load_entries: 1,
        map_entries: 64,
        weight_words: 128,
        lists: 64,
        sums: 64,
        ..Sparse::default()
    })
});

/// Four units of one channel with sums for a map of 18 x 18.
static FOUR: LazyLock<Design> = LazyLock::new(|| {
    design(Sparse {
        units: 4,
        channels: 1,
        load_lanes: Some(4),
        map_entries: 128,
        weight_words: 64,
        lists: 16,
        sums: 512,
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

/// A cluster whose sums are clear.
fn cleared(params: &Params, sources: &Sources, seed: u64) -> Checked<(Bench, ChaCha8Rng)> {
    let mut bench = Bench::new(sources, params, seed);
    let mut rng = bench.dut.rng();
    let streams = Streams {
        commands: words(&clear(params)),
        map: Vec::new(),
        weights: Vec::new(),
    };
    bench.run(&streams, 1.0, &mut rng)?;
    Ok((bench, rng))
}

/// Runs a layer and compares its results with the definition.
fn check_layer(
    bench: &mut Bench,
    params: &Params,
    (layer, plan): (&Layer, &Plan),
    share: f64,
    rng: &mut ChaCha8Rng,
) -> Checked {
    let program = plan.program(&layer.values).expect("values that fit");
    let streams = Streams {
        commands: words(&program.commands),
        map: program.map_words(&layer.input).expect("an input that fits"),
        weights: program.weights.clone(),
    };
    let ran = bench.run(&streams, share, rng)?;
    let is_equal = match params.sparse_cluster().post {
        true => program.outputs(&ran.out).ok() == Some(layer.outputs()),
        false => program.sums(&ran.out).ok() == Some(layer.results(|sum, _| sum)),
    };
    if ran.error.is_some() || !is_equal {
        let text = format!("{:?}: {:?} {:?}", ran.error, plan.shape, plan.split);
        return Err(bench.dut.message(&text));
    }
    Ok(())
}

fn random_layers(design: &Design, sources: &Sources, seed: u64, layers: u32) -> Checked<Coverage> {
    let Design { params, .. } = design;
    let (mut bench, mut rng) = cleared(params, sources, seed)?;
    let mut coverage = Coverage::default();
    for number in 0..layers {
        let (layer, plan) = next(params, &mut rng);
        let share = [1.0, 0.9, 0.3][number as usize % 3];
        check_layer(&mut bench, params, (&layer, &plan), share, &mut rng)?;
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

#[proves("FSA-02", "FSA-21", "FSA-79", "FSA-86")]
#[test]
fn layers_on_two_units_are_those_of_the_definition() {
    run_seeds(|seed| random_layers(&NARROW, &NARROW.sources, seed, layers(30)));
}

#[proves("FSA-12", "FSA-39", "FSA-54")]
#[test]
fn layers_on_five_units_are_those_of_the_definition() {
    run_seeds(|seed| random_layers(&ODD, &ODD.sources, seed, layers(20)));
}

#[test]
fn layers_on_one_unit_without_scaling_are_those_of_the_definition() {
    run_seeds(|seed| random_layers(&PLAIN, &PLAIN.sources, seed, layers(30)));
}

#[test]
fn layers_on_eight_units_are_those_of_the_definition_slow() {
    run_seeds(|seed| random_layers(&EIGHT, &EIGHT.sources, seed, layers(30)));
}

#[test]
fn layers_on_sixteen_units_are_those_of_the_definition_slow() {
    run_seeds(|seed| random_layers(&SIXTEEN, &SIXTEEN.sources, seed, layers(20)));
}

/// Where a layer of 10 x 10 positions or one has its values.
struct Crowd {
    name: &'static str,
    shape: Shape,
    grid: [u32; 2],
    /// By row, column and channel.
    has: fn(u32, u32, u32) -> bool,
}

fn crowds() -> Vec<Crowd> {
    let map = Shape {
        input: [10, 10],
        inputs: 4,
        kernel: [3, 3],
        stride: 1,
        padding: [1, 1],
        output: [10, 10],
        outputs: 8,
        depthwise: false,
    };
    let one = Shape {
        input: [1, 1],
        inputs: 60,
        kernel: [1, 1],
        padding: [0, 0],
        output: [1, 1],
        ..map.clone()
    };
    let crowd = |name, shape: &Shape, grid, has| Crowd {
        name,
        shape: shape.clone(),
        grid,
        has,
    };
    vec![
        crowd("all in the first cell", &map, [5, 1], |row, _, _| row < 2),
        crowd("all in the last cell", &map, [2, 2], |row, col, _| {
            row > 5 && col > 5
        }),
        crowd("one column", &map, [1, 5], |_, col, _| col == 3),
        crowd("one value", &map, [5, 1], |row, col, channel| {
            (row, col, channel) == (9, 9, 3)
        }),
        crowd("one channel", &map, [5, 1], |_, _, channel| channel == 2),
        crowd("a checkerboard", &map, [2, 2], |row, col, _| {
            (row + col) % 2 == 0
        }),
        crowd("all values", &map, [2, 2], |_, _, _| true),
        crowd("products of one sum", &one, [1, 1], |_, _, _| true),
    ]
}

fn crowded_layers(design: &Design, sources: &Sources, seed: u64) -> Checked<Coverage> {
    let Design { params, .. } = design;
    let (mut bench, mut rng) = cleared(params, sources, seed)?;
    let mut coverage = Coverage::default();
    for crowd in crowds() {
        let mut layer = Layer::of(crowd.shape.clone(), [1.0, 1.0], &mut rng);
        // No weight is 0, so that every value meets all of them.
        let weights = layer.values.weights.iter_mut();
        weights.for_each(|weight| *weight = if *weight == 0 { 1 } else { *weight });
        let [_, cols] = crowd.shape.input;
        for (at, byte) in (0..).zip(&mut layer.input) {
            let (position, channel) = (at / crowd.shape.inputs, at % crowd.shape.inputs);
            let has = (crowd.has)(position / cols, position % cols, channel);
            *byte = if has { (*byte).max(1) } else { 0 };
        }
        let split = Split {
            grid: crowd.grid,
            halo: Halo::Results,
            ..Split::ONE
        };
        let plan = Plan::new(&crowd.shape, split, params).expect(crowd.name);
        let (held, loaded) = (bench.counts().holds, bench.loaded());
        check_layer(&mut bench, params, (&layer, &plan), 1.0, &mut rng)?;
        let taken = bench.loaded();
        let taken = taken.iter().zip(loaded).map(|(now, before)| now - before);
        let busy = taken.filter(|entries| *entries > 0).count();
        let held = bench.counts().holds - held;
        println!(
            "{}: {busy} units have values, products wait {held} cycles",
            crowd.name
        );
        coverage.event(
            "one of several units has all values",
            busy == 1 && crowd.grid != [1, 1],
        );
        if crowd.grid == [1, 1] {
            // Each product but the first one waits for the one before.
            assert_eq!(held, 3 * (crowd.shape.inputs - 1));
        }
    }
    bench.check_counts()?;
    Ok(coverage)
}

#[test]
fn layers_whose_values_lie_together_are_those_of_the_definition() {
    run_seeds(|seed| crowded_layers(&ODD, &ODD.sources, seed));
}

/// A counter, read at its port when nothing is under way.
fn counter(bench: &mut Bench, number: u32) -> Checked<u32> {
    bench.dut.set("count_i", number);
    for _ in 0..4 {
        bench.step(&ClusterInputs::default())?;
    }
    bench.dut.settle();
    Ok(bench.dut.get("count_o") as u32)
}

/// A map whose zeros are all offered: what enters and what is multiplied is counted by the definition.
fn offered_zeros(design: &Design, sources: &Sources, seed: u64) -> Checked<Coverage> {
    const ENTRIES: u32 = 3;
    const PRODUCTS: u32 = 5;
    let Design { params, .. } = design;
    let (mut bench, mut rng) = cleared(params, sources, seed)?;
    let mut coverage = Coverage::default();
    let shape = Shape {
        input: [6, 6],
        inputs: 4,
        kernel: [3, 3],
        stride: 1,
        padding: [1, 1],
        output: [6, 6],
        outputs: 3,
        depthwise: false,
    };
    let plan = Plan::new(&shape, Split::ONE, params).expect("a small layer");
    assert_eq!((plan.folds.len(), plan.passes.len()), (1, 1));
    for share in [0.0, 0.2, 0.7, 1.0] {
        let layer = Layer::of(shape.clone(), [0.6, share], &mut rng);
        let channels = shape.inputs as usize;
        let values = layer.input.chunks(channels);
        let values = |channel: usize| values.clone().filter(|bytes| bytes[channel] != 0).count();
        let weights = layer.values.weights.chunks(channels);
        let weights = |channel: usize| weights.clone().filter(|taps| taps[channel] != 0).count();
        let entries: usize = (0..channels).map(values).sum();
        let products: usize = (0..channels).map(|at| values(at) * weights(at)).sum();

        let counts = |bench: &mut Bench| -> Checked<[u32; 2]> {
            Ok([counter(bench, ENTRIES)?, counter(bench, PRODUCTS)?])
        };
        let before = counts(&mut bench)?;
        check_layer(&mut bench, params, (&layer, &plan), 0.9, &mut rng)?;
        let after = counts(&mut bench)?;
        let found = [0, 1].map(|at| (after[at] - before[at]) as usize);
        if found != [entries, products] {
            let text = format!("{found:?} enter, not {entries} values and {products} products");
            return Err(bench.dut.message(&text));
        }
        coverage.event(
            "zeros are offered",
            entries > 0 && entries < layer.input.len(),
        );
        coverage.event("zeros alone", entries == 0);
    }
    Ok(coverage)
}

#[proves("FSA-43")]
#[test]
fn zeros_that_are_offered_do_not_enter_the_multipliers() {
    run_seeds(|seed| offered_zeros(&PLAIN, &PLAIN.sources, seed));
}

#[test]
fn zeros_that_enter_are_noticed() {
    let mutants = "heddle_sparse_slots: = |map_data_i[8*i+:8] => = 1'b1";
    let run = |sources: &Sources, seed: u64| offered_zeros(&PLAIN, sources, seed);
    check_mutants(&PLAIN.sources, &faults(mutants), run);
}

/// Four cells of 18 x 18 positions have 45 values each where the first one has a row of the cell below and two columns of the one beside it.
fn two_neighbours(design: &Design, sources: &Sources, seed: u64) -> Checked<Coverage> {
    let Design { params, .. } = design;
    let (mut bench, mut rng) = cleared(params, sources, seed)?;
    let shape = Shape {
        input: [18, 18],
        inputs: 1,
        kernel: [1, 1],
        stride: 1,
        padding: [0, 0],
        output: [18, 18],
        outputs: 1,
        depthwise: false,
    };
    let mut layer = Layer::of(shape.clone(), [1.0, 1.0], &mut rng);
    for (at, byte) in (0..).zip(&mut layer.input) {
        let (row, col) = (at / 18, at % 18);
        let (top, bottom, border) = if row < 10 { (0, 10, 11) } else { (10, 18, 9) };
        let (left, right) = if col < border {
            (0, border)
        } else {
            (border, 18)
        };
        let area = (bottom - top) * (right - left);
        let place = (row - top) * (right - left) + col - left;
        let has = (place + 1) * 45 / area > place * 45 / area;
        *byte = if has { (*byte).max(1) } else { 0 };
    }
    let split = Split {
        grid: [2, 2],
        ..Split::ONE
    };
    let equal = Plan::new(&shape, split, params).expect("four cells");
    let counts = layer.counts();
    let moved = Plan::balanced(&shape, split, params, &counts, Goal::default());
    let moved = moved.expect("four cells");
    let mut coverage = Coverage::default();
    for (plan, is_even) in [(&equal, false), (&moved, true)] {
        let loaded = bench.loaded();
        check_layer(&mut bench, params, (&layer, plan), 0.9, &mut rng)?;
        let taken = bench.loaded().into_iter().zip(loaded);
        let taken: Vec<u32> = taken.map(|(now, before)| now - before).take(4).collect();
        assert_eq!(taken.iter().sum::<u32>(), 4 * 45);
        assert_eq!(taken == [45; 4], is_even, "{taken:?}");
        coverage.event("moved", is_even);
    }
    bench.check_counts()?;
    Ok(coverage)
}

#[proves("FSA-08")]
#[test]
fn a_unit_takes_a_row_and_columns_of_two_neighbours() {
    run_seeds(|seed| two_neighbours(&FOUR, &FOUR.sources, seed));
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
