//! Random small layers on clocked clusters of five shapes, from maps without a zero to maps of zeros alone: results are those of the reference.

use std::collections::BTreeMap;

use heddle_arch::isa::sparse::SparseCommand;
use heddle_arch::params::{Params, Sparse};
use heddle_compiler::sparse::{Goal, Plan, Shape, Split, clear};
use heddle_sim::sparse::{ClusterInputs, ClusterModel, Counts, Loaded, Waits};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::sparse::{Largest, Layer, params, random_shape_within, random_split};

/// How often something has happened.
type Events = BTreeMap<String, u64>;

/// Units, channels of each and lanes of a slot, values written at once, sets. Memories are as small as they may be, so that small layers need
/// all of them.
fn cluster([units, channels]: [u32; 2], [lanes, entries]: [u32; 2], sets: u32) -> Sparse {
    Sparse {
        units,
        channels,
        load_lanes: Some(lanes),
        load_entries: entries,
        map_sets: sets,
        map_entries: 64,
        weight_words: 64,
        lists: 64,
        sums: 64,
        ..Sparse::default()
    }
}

/// One unit of one channel, whose sums leave as they are; two of one channel; five of eight; eight of four; sixteen of two.
fn clusters() -> [Sparse; 5] {
    let plain = Sparse {
        post: false,
        ..cluster([1, 1], [3, 2], 1)
    };
    [
        plain,
        cluster([2, 1], [3, 1], 2),
        cluster([5, 8], [4, 2], 4),
        cluster([8, 4], [4, 2], 2),
        cluster([16, 2], [3, 1], 2),
    ]
}

/// A cluster between two layers.
struct Bench {
    params: Params,
    model: ClusterModel,
    rng: ChaCha8Rng,
}

/// What the model has counted, and of each unit what its products have waited for and what it has of maps.
type Counted = (Counts, Vec<(Waits, Loaded)>);

impl Bench {
    fn new(params: &Params, seed: u64) -> Self {
        let mut bench = Self {
            params: params.clone(),
            model: ClusterModel::new(params),
            rng: ChaCha8Rng::seed_from_u64(seed),
        };
        let none = (&[][..], &[][..]);
        let results = bench.run(&clear(params), none, 1.0);
        assert_eq!(results, Ok(vec![]));
        bench
    }

    /// Carries out commands; gives the words of results. In this share of the cycles a stream has a word, and results are taken.
    fn run(
        &mut self,
        commands: &[SparseCommand],
        (map, weights): (&[u64], &[u64]),
        share: f64,
    ) -> Result<Vec<u64>, String> {
        let commands: Vec<u32> = commands.iter().flat_map(SparseCommand::words).collect();
        let (mut command, mut value, mut weight) = (0, 0, 0);
        let mut results = Vec::new();
        // What is offered stays.
        let mut inputs = ClusterInputs::default();
        loop {
            let mut now = || self.rng.random_bool(share);
            inputs.command = inputs.command.or_else(|| next(&commands, command, now()));
            inputs.map = inputs.map.or_else(|| next(map, value, now()));
            inputs.weight = inputs.weight.or_else(|| next(weights, weight, now()));
            inputs.out_ready = now();
            let outputs = self.model.step(&inputs);
            if let Some(error) = outputs.error {
                return Err(format!("{} behind word {}", error.name(), outputs.words));
            }
            let taken = |is_offered: bool, ready: bool| usize::from(is_offered && ready);
            command += taken(
                inputs.command.take_if(|_| outputs.command_ready).is_some(),
                true,
            );
            value += taken(inputs.map.take_if(|_| outputs.map_ready).is_some(), true);
            weight += taken(
                inputs.weight.take_if(|_| outputs.weight_ready).is_some(),
                true,
            );
            let leaving = outputs.out.filter(|_| inputs.out_ready);
            results.extend(leaving.map(|(word, _)| word));
            if outputs.idle && command == commands.len() {
                break;
            }
        }
        match (value, weight) == (map.len(), weights.len()) {
            true => Ok(results),
            false => Err("words of a stream are left".to_string()),
        }
    }

    fn counted(&self) -> Counted {
        let units = self.model.units().iter();
        let units = units.map(|unit| (unit.waits(), unit.loaded()));
        (self.model.counts, units.collect())
    }

    /// Computes a layer and compares its results.
    fn check(&mut self, layer: &Layer, plan: &Plan, events: &mut Events) -> Result<(), String> {
        let sums = layer.scattered();
        if sums != layer.results(|sum, _| sum) {
            return Err("the reference differs from the definition of a layer".to_string());
        }
        let program = plan
            .program(&layer.values)
            .map_err(|error| error.to_string())?;
        let map = program
            .map_words(&layer.input)
            .map_err(|error| error.to_string())?;
        let share = [1.0, 1.0, 0.7][self.rng.random_range(0..3)];
        let before = self.counted();
        let words = self.run(&program.commands, (&map, &program.weights), share)?;
        let is_equal = match self.params.sparse_cluster().post {
            true => {
                let [lo, hi] = layer.values.bounds;
                let scaled = layer.scaled(&sums);
                count(
                    events,
                    "a bound from below",
                    scaled.iter().any(|scaled| *scaled < lo),
                );
                count(
                    events,
                    "a bound from above",
                    scaled.iter().any(|scaled| *scaled > hi),
                );
                let bytes = scaled.iter().map(|scaled| (*scaled).clamp(lo, hi) as u8);
                program.outputs(&words) == Ok(bytes.collect())
            }
            false => program.sums(&words) == Ok(sums),
        };
        watch(events, layer, plan);
        if before.1.len() > 1 {
            let split = &plan.split;
            let in_use = split.grid[0] * split.grid[1] * split.outputs * split.inputs;
            count(events, "one unit of several", in_use == 1);
            count(events, "several units", in_use > 1);
        }
        watch_model(events, &before, &self.counted());
        match is_equal {
            true => Ok(()),
            false => Err("the results differ".to_string()),
        }
    }
}

/// The word of a stream that is offered in this cycle, if one is.
fn next<T: Copy>(words: &[T], at: usize, now: bool) -> Option<T> {
    words.get(at).copied().filter(|_| now)
}

fn count(events: &mut Events, name: impl Into<String>, happened: bool) {
    *events.entry(name.into()).or_default() += u64::from(happened);
}

/// What a layer is, and what its plan does.
fn watch(events: &mut Events, layer: &Layer, plan: &Plan) {
    let shape = &layer.shape;
    for side in 1..=5 {
        let name = format!("{side} kernel rows or columns");
        count(events, name, shape.kernel.contains(&side));
    }
    let cells = || plan.folds.iter().flat_map(|fold| &fold.cells);
    for (name, happened) in [
        (
            "a kernel that is not square",
            shape.kernel[0] != shape.kernel[1],
        ),
        ("a map that is not square", shape.input[0] != shape.input[1]),
        ("a map of zeros", layer.input.iter().all(|byte| *byte == 0)),
        (
            "a map without a zero",
            layer.input.iter().all(|byte| *byte != 0),
        ),
        ("one position", shape.input == [1, 1]),
        ("depthwise", shape.depthwise),
        ("stride 1", shape.stride == 1),
        ("stride 2", shape.stride == 2),
        ("stride 4", shape.stride == 4),
        ("folds", plan.folds.len() > 1),
        ("passes", plan.passes.len() > 1),
        ("weights in parts", plan.portions.parts > 1),
        ("two regions", plan.sums.overlap),
        (
            "a result without a place of the map",
            cells().any(|[rows, cols]| rows.takes.is_empty() || cols.takes.is_empty()),
        ),
    ] {
        count(events, name, happened);
    }
}

/// What the clusters have done.
fn watch_model(events: &mut Events, (counts, units): &Counted, (counts_behind, behind): &Counted) {
    let grew = |count: fn(&Counts) -> u32| count(counts_behind) > count(counts);
    let pairs = || units.iter().zip(behind);
    if units.len() > 1 {
        let mut loaded = pairs().map(|((_, before), (_, now))| now.entries - before.entries);
        let is_empty = loaded.clone().any(|entries| entries == 0);
        count(
            events,
            "an empty unit beside others",
            is_empty && loaded.any(|entries| entries > 0),
        );
    }
    let waited = |distance: usize| {
        pairs().any(|((before, _), (now, _))| now.words[distance] > before.words[distance])
    };
    for (name, happened) in [
        ("a product waits for the one before", waited(0)),
        ("a product waits for the second one before", waited(1)),
        ("a product waits for the third one before", waited(2)),
        (
            "a product waits for a drain",
            pairs().any(|((before, _), (now, _))| now.drains > before.drains),
        ),
        (
            "a full set",
            pairs().any(|((_, before), (_, now))| now.full_sets > before.full_sets),
        ),
        (
            "a slot of more values than are written at once",
            grew(|counts| counts.slot_waits),
        ),
        ("a product outside the window", grew(|counts| counts.drops)),
    ] {
        count(events, name, happened);
    }
}

/// The next layer with so many zeros, and a plan for it that fits.
fn random_layer(params: &Params, percent: u32, rng: &mut ChaCha8Rng) -> (Layer, Plan) {
    let largest = Largest {
        side: 6,
        inputs: 5,
        outputs: 12,
    };
    loop {
        let (mut shape, mut split) = (random_shape_within(&largest, 0.0, rng), Split::ONE);
        if percent == 0 && rng.random_bool(0.5) {
            // As many values as a set has places.
            shape = Shape {
                input: [4, 8],
                inputs: 2,
                stride: 1,
                padding: [0, 0],
                output: [4, 8],
                outputs: if shape.depthwise { 2 } else { shape.outputs },
                ..shape
            };
        } else {
            split = random_split(&shape, params, rng);
        }
        let Ok(plan) = Plan::new(&shape, split, params) else {
            continue;
        };
        let weights = f64::from(rng.random_range(1..=4)) / 4.0;
        let mut layer = Layer::of(shape, [weights, 1.0 - f64::from(percent) / 100.0], rng);
        if percent == 0 {
            // A random byte may be 0.
            layer
                .input
                .iter_mut()
                .for_each(|byte| *byte = (*byte).max(1));
        }
        let counts = layer.counts();
        let balanced = Plan::balanced(&layer.shape, split, params, &counts, Goal::BEST);
        let plan = match balanced {
            Ok(balanced) if rng.random_bool(0.3) => balanced,
            _ => plan,
        };
        return (layer, plan);
    }
}

/// So many layers for each seed, with shares of zeros of 0, 5, .. 100 per cent in turn.
fn random_layers(section: Sparse, seeds: std::ops::Range<u64>, layers: u32) -> Events {
    let params = params(section);
    let mut events = Events::new();
    for seed in seeds {
        let mut bench = Bench::new(&params, seed);
        for number in 0..layers {
            let percent = number % 21 * 5;
            let (layer, plan) = random_layer(&params, percent, &mut bench.rng);
            let checked = bench.check(&layer, &plan, &mut events);
            checked.unwrap_or_else(|error| {
                panic!("seed {seed}, layer {number}, {percent} % zeros: {error}\n{plan:?}")
            });
            count(&mut events, format!("{percent} % zeros"), true);
        }
    }
    events
}

/// Fails if something has never happened.
#[track_caller]
fn assert_complete(events: &Events) {
    println!("{events:?}");
    let missing: Vec<_> = events.iter().filter(|(_, count)| **count == 0).collect();
    assert!(missing.is_empty(), "never happened: {missing:?}");
}

#[proves("FSA-02", "FSA-39", "FSA-54", "FSA-57", "FSA-58")]
#[test]
fn layers_on_five_clusters_are_those_of_the_reference() {
    let mut events = Events::new();
    for section in clusters() {
        for (name, count) in random_layers(section, 0..1, 84) {
            *events.entry(name).or_default() += count;
        }
    }
    assert_complete(&events);
}

/// Layers of the slow tests: 100 000, fewest of them where a layer takes most time.
const MANY: [u32; 5] = [25_000, 25_000, 20_000, 20_000, 10_000];

fn many_layers(cluster: usize) {
    let layers = MANY[cluster] / 5;
    assert_complete(&random_layers(clusters()[cluster].clone(), 1..6, layers));
}

#[test]
fn layers_on_one_unit_of_one_channel_slow() {
    many_layers(0);
}

#[test]
fn layers_on_two_units_of_one_channel_slow() {
    many_layers(1);
}

#[test]
fn layers_on_five_units_of_eight_channels_slow() {
    many_layers(2);
}

#[test]
fn layers_on_eight_units_of_four_channels_slow() {
    many_layers(3);
}

#[test]
fn layers_on_sixteen_units_of_two_channels_slow() {
    many_layers(4);
}
