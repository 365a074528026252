//! Layers on the sparse cluster: planned, written as commands, carried out, and compared with what a layer is by definition.

use std::collections::BTreeMap;

use heddle_arch::isa::sparse::SparseCommand;
use heddle_arch::params::{Params, Sparse};
use heddle_compiler::sparse::{
    Cell, Fold, Goal, Halo, Metric, Plan, Program, Shape, Split, assign,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::sparse::{Cluster, Layer, params, random_params, random_shape, random_split};

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
    let cells = || folds.iter().flat_map(|fold| &fold.cells);
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
            cells().any(|[rows, _]| rows.takes.is_empty()),
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

#[proves("FSA-02", "FSA-10", "FSA-11", "FSA-12", "FSA-22", "FSA-54", "FSA-86")]
#[test]
fn layers_split_in_any_way_are_convolutions() {
    let mut events = Events::new();
    let (mut planned, mut refused) = (0, 0);
    for seed in 0..120 {
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
            let shares = [0, 1].map(|_| f64::from(rng.random_range(0..=4)) / 4.0);
            let layer = Layer::of(shape, shares, &mut rng);
            let goal = random_goal(&mut rng);
            let counts = layer.counts();
            let balanced = Plan::balanced(&layer.shape, split, &params, &counts, goal);
            let other = balanced
                .ok()
                .filter(|other| other.folds != plan.folds && rng.random_bool(0.5));
            *events.entry("cells of equal counts").or_default() += u32::from(other.is_some());
            let cells = plan.folds[0].cells.len();
            let row = |rng: &mut ChaCha8Rng| (0..cells).map(|_| rng.random()).collect();
            let distances: Vec<Vec<u32>> = (0..cells).map(|_| row(&mut rng)).collect();
            let plan = other.unwrap_or(plan).near(&distances).unwrap();
            for (cell, unit) in plan.folds[0].cells.iter().zip(assign(&distances).unwrap()) {
                assert_eq!(plan.cell_of(unit, &plan.folds[0]), cell, "seed {seed}");
            }
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

fn random_goal(rng: &mut ChaCha8Rng) -> Goal {
    let metrics = [
        Metric::NonZeros,
        Metric::Zeros,
        Metric::NonZeroShare,
        Metric::ZeroShare,
    ];
    Goal {
        metric: metrics[rng.random_range(0..4)],
        permille: rng.random_range(0..100),
        positions: [20, 200, u32::MAX][rng.random_range(0..3)],
    }
}

/// A map of one size, with the padding that keeps it.
fn same(side: u32, kernel: u32, [inputs, outputs]: [u32; 2]) -> Shape {
    Shape {
        input: [side; 2],
        inputs,
        kernel: [kernel; 2],
        stride: 1,
        padding: [kernel / 2; 2],
        output: [side; 2],
        outputs,
        depthwise: false,
    }
}

/// A layer with this share of values that are not zero.
fn layer(shape: Shape, share: f64) -> Layer {
    let mut rng = ChaCha8Rng::seed_from_u64(shape.inputs.into());
    Layer::of(shape, [share, share], &mut rng)
}

/// The default memories with so many units of so many channels.
fn units(units: u32, channels: u32) -> Params {
    params(Sparse {
        units,
        channels,
        load_lanes: Some(8),
        ..Sparse::default()
    })
}

/// The plan of a layer whose results are right.
#[track_caller]
fn checked(layer: &Layer, split: Split, params: &Params) -> Plan {
    let plan = Plan::new(&layer.shape, split, params).unwrap_or_else(|error| panic!("{error}"));
    let mut sums = layer.results(|sum, _| sum).into_iter();
    assert!(sums.any(|sum| sum != 0), "there is nothing to compute");
    let checked = Cluster::new(params.clone()).check(layer, &plan);
    checked.unwrap_or_else(|error| panic!("{error}\n{plan:?}"));
    plan
}

#[track_caller]
fn refused(shape: &Shape, split: Split, params: &Params, message: &str) {
    let error = Plan::new(shape, split, params).expect_err("it does not fit");
    assert_eq!(error.to_string(), message);
}

#[proves("FSA-21")]
#[test]
fn a_map_larger_than_any_that_is_supported_takes_four_folds() {
    let shape = same(500, 3, [1, 1]);
    let params = params(Sparse {
        map_entries: 16384,
        load_lanes: Some(1),
        sums: 65536,
        units: 4,
        channels: 1,
        ..Sparse::default()
    });
    let message = "rows of entries of a fold is 501, expected 0 to 256: more split.folds";
    refused(&shape, Split::ONE, &params, message);
    let split = Split {
        folds: [2, 2],
        grid: [4, 1],
        ..Split::ONE
    };
    let layer = layer(shape, 0.5);
    assert_eq!(checked(&layer, split, &params).folds.len(), 4);
}

#[proves("FSA-52", "FSA-53")]
#[test]
fn fully_connected_layers_of_any_length() {
    let params = units(8, 8);
    for (inputs, outputs, split) in [
        (1, 1, [1, 1]),
        (7, 3, [1, 7]),
        (9, 64, [8, 1]),
        (128, 128, [1, 8]),
        (640, 128, [2, 4]),
        (1000, 10, [1, 8]),
        // 17 groups: one more than have a number.
        (9, 136, [1, 1]),
    ] {
        let layer = layer(same(1, 1, [inputs, outputs]), 1.0);
        let split = Split {
            outputs: split[0],
            inputs: split[1],
            ..Split::ONE
        };
        let plan = checked(&layer, split, &params);
        // Each unit has weights of its own.
        let program = plan.program(&layer.values).unwrap();
        let masks = program.commands.iter().filter_map(|command| match command {
            SparseCommand::Weights(weights) => Some(weights.units.count_ones()),
            _ => None,
        });
        assert!(masks.clone().count() >= (split.outputs * split.inputs) as usize);
        assert!(masks.clone().all(|units| units == 1));
    }
}

#[proves("FSA-14", "FSA-15")]
#[test]
fn the_ring_of_zeros_is_not_loaded() {
    let params = units(1, 8);
    let layer = layer(same(5, 3, [1, 1]), 1.0);
    let plan = checked(&layer, Split::ONE, &params);
    let program = plan.program(&layer.values).unwrap();
    assert_eq!(program.map_words(&layer.input).unwrap().len(), 25);
    // Values lie in the middle of 7 x 7 results with the padding, outputs begin at the last place of the kernel.
    let [rows, _] = &plan.folds[0].sides;
    assert_eq!((rows.loads.clone(), rows.results.clone()), (1..6, 2..7));
}

#[test]
fn depthwise_passes_load_channels_of_their_own() {
    let shape = Shape {
        depthwise: true,
        ..same(8, 7, [3, 3])
    };
    let params = params(Sparse {
        units: 1,
        channels: 1,
        load_lanes: Some(8),
        weight_words: 64,
        sums: 64,
        ..Sparse::default()
    });
    let plan = checked(&layer(shape, 0.5), Split::ONE, &params);
    assert_eq!((plan.passes.len(), plan.portions.held), (3, 1));
}

#[proves("FSA-23")]
#[test]
fn words_of_zeros_are_not_sent() {
    let params = units(1, 8);
    let filled = |layer: &Layer| {
        let program = checked(layer, Split::ONE, &params).program(&layer.values);
        let commands = program.unwrap().commands.into_iter();
        let words = commands.map(|command| match command {
            SparseCommand::Weights(weights) => weights.words,
            _ => 0,
        });
        words.sum::<u32>()
    };
    let mut layer = layer(same(6, 3, [5, 16]), 1.0);
    let weights = layer.values.weights.iter_mut();
    // A word has the weights of eight output channels.
    weights.enumerate().for_each(|(at, weight)| {
        *weight = if at / 45 < 8 || at % 5 == 1 { 0 } else { 7 };
    });
    // Of the second group four channels have nine words; one has none, which is sent as a word of zeros.
    assert_eq!(filled(&layer), 4 * 9 + 1);
}

#[proves("FSA-05", "FSA-40", "FSA-82")]
#[test]
fn units_share_a_layer_in_any_way() {
    let layer = layer(same(12, 3, [24, 40]), 0.5);
    for (count, splits) in [
        (
            2,
            &[[1, 2, 1, 1], [2, 1, 1, 1], [1, 1, 2, 1], [1, 1, 1, 2]][..],
        ),
        (5, &[[5, 1, 1, 1], [1, 5, 1, 1], [1, 1, 5, 1], [1, 1, 1, 5]]),
        (
            16,
            &[[4, 4, 1, 1], [2, 2, 2, 2], [1, 4, 4, 1], [1, 1, 1, 16]],
        ),
    ] {
        for &[rows, cols, outputs, inputs] in splits {
            for halo in [Halo::Input, Halo::Results] {
                let split = Split {
                    grid: [rows, cols],
                    outputs,
                    inputs,
                    folds: [2, 1],
                    halo,
                };
                let plan = checked(&layer, split, &units(count, 8));
                for side in plan.folds.iter().flat_map(|fold| &fold.cells).flatten() {
                    assert!(!side.takes.is_empty());
                }
            }
        }
    }
}

#[proves("FSA-02")]
#[test]
fn cells_of_nearly_equal_counts() {
    // Most entries lie where the last rows and the first columns meet.
    let mut layer = layer(same(24, 3, [8, 8]), 1.0);
    for (place, byte) in layer.input.iter_mut().enumerate() {
        let (row, col) = (place / (24 * 8), place / 8 % 24);
        if (row < 16 || col > 8) && place % 7 > 0 {
            *byte = 0;
        }
    }
    let counts = layer.counts();
    let largest = |plan: &Plan| {
        let count = |[row, col]: &[Cell; 2]| {
            let rows = row.takes.clone();
            let places = rows.flat_map(|row| col.takes.clone().map(move |col| [row, col]));
            // Entries begin at the padding.
            places
                .map(|[row, col]| counts[(row as usize - 1) * 24 + col as usize - 1])
                .sum::<u32>()
        };
        plan.folds[0].cells.iter().map(count).max()
    };
    let split = Split {
        grid: [4, 2],
        halo: Halo::Results,
        ..Split::ONE
    };
    let params = units(8, 8);
    let equal = largest(&checked(&layer, split, &params)).unwrap();
    let plan = Plan::balanced(&layer.shape, split, &params, &counts, Goal::BEST).unwrap();
    let result = Cluster::new(params.clone()).check(&layer, &plan);
    result.unwrap_or_else(|error| panic!("{error}\n{plan:?}"));
    let mean = counts.iter().sum::<u32>() / 8;
    let balanced = largest(&plan).unwrap();
    assert!(equal > 2 * mean, "{equal} of equal cells, mean {mean}");
    assert!(
        2 * balanced < 3 * mean,
        "{balanced} of balanced cells, mean {mean}"
    );
    let error = Plan::balanced(&layer.shape, split, &params, &counts[1..], Goal::BEST).unwrap_err();
    assert_eq!(error.to_string(), "counts is 575, expected 576");
}

/// How much more values the fullest cell of each fold has than the mean.
fn fullest(plan: &Plan, counts: &[u32]) -> Vec<f64> {
    let shape = &plan.shape;
    // The input that belongs to the entries of a cell.
    let inputs = |fold: &Fold, cell: &[Cell; 2], side: usize| {
        let stretch = &fold.sides[side];
        let takes = cell[side].takes.clone();
        let places = stretch.loads.clone().zip(stretch.input.clone());
        let own = places.filter(move |(load, _)| takes.contains(&(load / shape.stride)));
        own.map(|(_, input)| input).collect::<Vec<u32>>()
    };
    let count = |fold: &Fold, cell: &[Cell; 2]| {
        let [rows, cols] = [0, 1].map(|side| inputs(fold, cell, side));
        let places = rows.iter();
        let places = places.flat_map(|row| cols.iter().map(move |col| row * shape.input[1] + col));
        places.map(|at| counts[at as usize]).sum::<u32>()
    };
    let fullest = |fold: &Fold| {
        let cells = fold.cells.iter().map(|cell| count(fold, cell));
        let sum: u32 = cells.clone().sum();
        f64::from(cells.max().unwrap()) * fold.cells.len() as f64 / f64::from(sum)
    };
    plan.folds.iter().map(fullest).collect()
}

#[proves("FSA-02", "FSA-10")]
#[test]
fn each_fold_of_a_strided_layer_is_balanced() {
    let shape = Shape {
        input: [1100, 60],
        stride: 2,
        output: [550, 30],
        ..same(1, 3, [4, 8])
    };
    let mut layer = layer(shape, 1.0);
    // Fewer values below, in the folds too, and on the right.
    for (place, byte) in layer.input.iter_mut().enumerate() {
        let (row, col) = (place / (60 * 4), place / 4 % 60);
        if place * 7919 % 97 < row % 367 / 8 + col * 3 / 4 {
            *byte = 0;
        }
    }
    let params = params(Sparse {
        units: 4,
        load_lanes: Some(4),
        map_entries: 16384,
        sums: 8192,
        ..Sparse::default()
    });
    let split = Split {
        grid: [2, 2],
        folds: [3, 1],
        halo: Halo::Results,
        ..Split::ONE
    };
    let counts = layer.counts();
    let plan = checked(&layer, split, &params);
    // A cell takes no more positions of the input than a goal allows, or has as many before.
    let largest = |plan: &Plan| {
        let cells = plan.folds.iter().flat_map(|fold| &fold.cells);
        let sizes = cells.map(|[rows, cols]| 4 * rows.takes.len() * cols.takes.len());
        sizes.max().unwrap() as u32
    };
    let positions = largest(&plan) + 200;
    let goal = Goal {
        positions,
        ..Goal::BEST
    };
    let bounded = Plan::balanced(&layer.shape, split, &params, &counts, goal).unwrap();
    assert!(largest(&bounded) <= positions);
    let rows = plan.folds.iter().map(|fold| fold.sides[0].loads.start);
    assert!(rows.max() < Some(512), "counted from an origin of the fold");
    let equal = fullest(&plan, &counts);
    assert!(equal.iter().all(|most| *most > 1.3), "{equal:?}");
    for metric in [Metric::NonZeros, Metric::Zeros] {
        let goal = Goal {
            metric,
            ..Goal::BEST
        };
        let plan = Plan::balanced(&layer.shape, split, &params, &counts, goal).unwrap();
        let result = Cluster::new(params.clone()).check(&layer, &plan);
        result.unwrap_or_else(|error| panic!("{error}\n{plan:?}"));
        let values = match metric {
            Metric::Zeros => counts.iter().map(|count| 4 - count).collect(),
            _ => counts.clone(),
        };
        // A column of entries is some 6 % of a cell.
        let balanced = fullest(&plan, &values);
        assert!(
            balanced.iter().all(|most| *most < 1.08),
            "{metric:?}: {balanced:?}"
        );
    }
}

#[proves("FSA-56")]
#[test]
fn a_separable_layer_is_two_the_first_without_activation() {
    let params = units(4, 8);
    let depthwise = Shape {
        depthwise: true,
        ..same(9, 3, [3, 3])
    };
    let mut first = layer(depthwise, 0.5);
    first.values.bounds = [-128, 127];
    let grid = Split {
        grid: [2, 2],
        ..Split::ONE
    };
    checked(&first, grid, &params);
    let mut second = layer(same(9, 1, [3, 12]), 0.8);
    second.input = first.outputs();
    assert!(
        second.input.iter().any(|byte| *byte > 127),
        "negative values"
    );
    (second.values.threshold, second.values.bounds) = (127, [0, 127]);
    checked(&second, grid, &params);
}

#[test]
fn what_does_not_fit_is_refused_with_what_would_be_needed() {
    let all = units(8, 8);
    let shape = same(28, 3, [64, 64]);
    let with = |change: fn(&mut Sparse)| {
        let mut params = all.clone();
        params.sparse.iter_mut().for_each(change);
        params
    };
    let small = Split {
        folds: [4, 1],
        ..Split::ONE
    };
    let refused = |split: Split, params: &Params, message: &str| {
        refused(&shape, split, params, message);
    };
    refused(
        small,
        &with(|sparse| sparse.map_entries = 64),
        "sparse.map_entries is 64, the input positions that a unit takes of a fold are 252; or more folds or cells",
    );
    refused(
        Split::ONE,
        &with(|sparse| sparse.sums = 512),
        "sparse.sums is 512, the words of a group of the results that a unit keeps of a fold are 1024; or more folds or cells",
    );
    refused(
        small,
        &with(|sparse| {
            (sparse.weight_words, sparse.load_lanes, sparse.map_entries) = (64, Some(64), 16384);
        }),
        "sparse.weight_words is 64, those of a chunk of input channels are 576; or fewer load_lanes",
    );
    refused(
        small,
        &with(|sparse| {
            (sparse.lists, sparse.load_lanes, sparse.map_entries) = (16, Some(64), 16384)
        }),
        "sparse.lists is 16, those of a chunk of input channels are 64; or fewer load_lanes",
    );
    refused(
        small,
        &with(|sparse| sparse.tiles = 4),
        "sparse.tiles is 4, the groups of output channels are 8; or fewer output channels",
    );
    let units = Split {
        grid: [2, 2],
        outputs: 4,
        ..small
    };
    refused(units, &all, "units of the split is 16, expected 1 to 8");
    let outputs = Split {
        outputs: 9,
        ..small
    };
    refused(outputs, &all, "split.outputs is 9, expected 1 to 8");

    let plan = Plan::new(&shape, small, &all).unwrap();
    let layer = layer(shape.clone(), 0.5);
    let mut values = layer.values.clone();
    values.channels[3].shift = 40;
    let error = plan.program(&values).unwrap_err().to_string();
    assert_eq!(error, "shift is 40, expected -31 to 30");
    let mut alone = all.clone();
    alone.post.left_shift = false;
    values.channels[3].shift = 1;
    let plan_alone = Plan::new(&shape, small, &alone).unwrap();
    let error = plan_alone.program(&values).unwrap_err().to_string();
    assert_eq!(error, "shift is 1, expected -31 to 0");
    values.channels[3].shift = 0;
    values.weights.pop();
    let error = plan.program(&values).unwrap_err().to_string();
    assert_eq!(error, "number of weights is 36863, expected 36864");
    let program = plan.program(&layer.values).unwrap();
    let error = program.map_words(&layer.input[1..]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "number of input bytes is 50175, expected 50176"
    );
    let error = program.outputs(&[0; 3]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "number of result words is 3, expected 6272"
    );
}
