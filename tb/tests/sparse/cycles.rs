//! Cycles of layers on the cluster, beside those of a dense array of as many multipliers. `HEDDLE_BLESS=1` writes the table of
//! `benches/sparse.md`.

use heddle_arch::Params;
use heddle_arch::isa::sparse::{ChannelScale, SparseCommand, SparseWeights};
use heddle_arch::params::Sparse;
use heddle_arch::requantise::Rounding;
use heddle_compiler::sparse::{Goal, Halo, Plan, Shape, Split, Values, clear};
use heddle_hdl::sparse::{SparseCluster, SparseShape};

use heddle_sim::sparse::{ClusterInputs, ClusterModel, ClusterOutputs, Counts};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::cluster::{Bench, Streams};
use crate::rtl::{Checked, OrPanic, emitted};

/// A layer, its zeros in per cent, the cluster, and how it is split.
struct Case {
    name: &'static str,
    shape: Shape,
    zeros: u32,
    /// Units, channels of each.
    cluster: [u32; 2],
    split: Split,
    /// Cells have nearly equal counts of entries and so many positions at most, else equal size.
    balanced: Option<u32>,
    /// Sets of a map memory, entries of each.
    maps: [u32; 2],
    /// As the engine of a machine: a position comes and leaves in a clock, whatever its lanes.
    engine: bool,
    /// How many times faster than the dense array it is to be.
    aim: &'static str,
}

fn layer(rows: u32, channels: [u32; 2], kernel: u32, depthwise: bool) -> Shape {
    Shape {
        input: [rows, rows],
        inputs: channels[0],
        kernel: [kernel, kernel],
        stride: 1,
        padding: [kernel / 2, kernel / 2],
        output: [rows, rows],
        outputs: channels[1],
        depthwise,
    }
}

/// Cells of the map, shares of the output channels, folds; cells share results.
fn split(grid: [u32; 2], outputs: u32, folds: u32) -> Split {
    Split {
        grid,
        outputs,
        inputs: 1,
        folds: [folds, 1],
        halo: Halo::Results,
    }
}

fn cases() -> Vec<Case> {
    let case = |name, shape: &Shape, zeros, cluster, split, aim| Case {
        name,
        shape: shape.clone(),
        zeros,
        cluster,
        split,
        balanced: None,
        maps: [2, 1024],
        engine: false,
        aim,
    };
    let balanced = |case: Case| Case {
        balanced: Some(u32::MAX),
        ..case
    };
    let square = layer(28, [64, 64], 3, false);
    let point = layer(28, [64, 64], 1, false);
    let wide = layer(14, [128, 128], 1, false);
    let narrow = layer(32, [16, 16], 3, false);
    let depthwise = layer(28, [64, 64], 3, true);
    let name = "3x3 64>64 28x28";
    let machine = |maps, aim| Case {
        maps,
        engine: true,
        ..balanced(case(name, &square, 80, [16, 16], split([2, 2], 4, 2), aim))
    };
    let four_sets = |case: Case| Case {
        maps: [4, 512],
        ..case
    };
    let share = split([1, 1], 8, 14);
    let narrow = case(
        "3x3 16>16 32x32",
        &narrow,
        80,
        [8, 8],
        split([4, 1], 2, 2),
        "3.2",
    );
    let depthwise = case(
        "depthwise 3x3 64 28x28",
        &depthwise,
        80,
        [8, 8],
        split([4, 2], 1, 1),
        "2.1",
    );
    vec![
        case(name, &square, 80, [8, 8], split([1, 2], 4, 1), "4.2"),
        case(name, &square, 80, [8, 8], split([8, 1], 1, 1), ""),
        balanced(case(name, &square, 80, [8, 8], split([8, 1], 1, 1), "4.0")),
        case(name, &square, 80, [4, 16], split([1, 2], 2, 1), "4.2"),
        machine([2, 1024], "3.7"),
        machine([4, 1024], "3.9"),
        case(name, &square, 0, [8, 8], split([1, 1], 8, 1), "0.9"),
        four_sets(case("1x1 64>64 28x28", &point, 80, [8, 8], share, "3.6")),
        four_sets(case("1x1 128>128 14x14", &wide, 80, [8, 8], share, "4.0")),
        balanced(narrow),
        Case {
            // Eight channels of a position in a set.
            balanced: Some(1024 / 8),
            ..depthwise
        },
    ]
}

fn params(case: &Case) -> Params {
    super::with(Sparse {
        units: case.cluster[0],
        channels: case.cluster[1],
        load_lanes: Some(case.cluster[1]),
        load_entries: case.cluster[1] / 4,
        map_sets: case.maps[0],
        map_entries: case.maps[1],
        post: !case.engine,
        census: !case.engine,
        ..Sparse::default()
    })
}

/// Clocks of a dense array of as many multipliers (`benches/array.md`), at the best of one or two rows at a time if depthwise.
fn dense(case: &Case) -> u32 {
    let shape = &case.shape;
    let side = (case.cluster[0] * case.cluster[1]).isqrt();
    let [rows, cols] = shape.output;
    let places = shape.kernel[0] * shape.kernel[1];
    let inputs = shape.inputs.div_ceil(side);
    if shape.depthwise {
        let two = 4 * shape.kernel[1] * rows.div_ceil(2) * cols;
        return inputs * (places * rows * cols).min(two) + 128;
    }
    inputs * places * shape.outputs.div_ceil(side) * (rows * cols).max(side) + 95
}

/// Normal noise.
fn noise(rng: &mut ChaCha8Rng) -> f64 {
    let (radius, angle): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// Noise without its high frequencies, of variance 1.
fn smooth(size: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut map: Vec<f64> = (0..size * size).map(|_| noise(rng)).collect();
    for step in [1, size] {
        let blur = |at: usize| {
            let place = at / step % size;
            let near = place.saturating_sub(4)..(place + 5).min(size);
            let sum = near.map(|other| {
                let distance = other as f64 - place as f64;
                (-distance * distance / 8.0).exp() * map[at - place * step + other * step]
            });
            sum.sum()
        };
        map = (0..size * size).map(blur).collect();
    }
    let variance = map.iter().map(|value| value * value).sum::<f64>() / map.len() as f64;
    map.iter().map(|value| value / variance.sqrt()).collect()
}

/// Bytes with so many zeros: what of smooth maps with something in common lies above a threshold.
fn activations(shape: &Shape, zeros: u32) -> Vec<u8> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let size = shape.input[0] as usize;
    let common = smooth(size, &mut rng);
    let maps = (0..shape.inputs).map(|_| smooth(size, &mut rng));
    let maps: Vec<Vec<f64>> = maps.collect();
    let value = |at: usize, map: &[f64]| 0.8 * map[at] + 0.6 * common[at];
    let values = (0..size * size).flat_map(|at| maps.iter().map(move |map| value(at, map)));
    let values: Vec<f64> = values.collect();
    let mut order = values.clone();
    order.sort_by(f64::total_cmp);
    let least = order[(order.len() - 1).min(order.len() * zeros as usize / 100)];
    let byte = |value: f64| {
        if value >= least {
            rng.random_range(1..128)
        } else {
            0
        }
    };
    values.into_iter().map(byte).collect()
}

/// How many channels of each position are not zero.
fn counts(shape: &Shape, map: &[u8]) -> Vec<u32> {
    let positions = map.chunks(shape.inputs as usize);
    let count = |values: &[u8]| values.iter().filter(|value| **value != 0).count() as u32;
    positions.map(count).collect()
}

fn values(shape: &Shape) -> Values {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let inputs = if shape.depthwise { 1 } else { shape.inputs };
    let weights = shape.outputs * shape.kernel[0] * shape.kernel[1] * inputs;
    let channel = ChannelScale {
        bias: 0,
        multiplier: 1 << 30,
        shift: -10,
    };
    Values {
        weights: (0..weights).map(|_| rng.random_range(1..=127)).collect(),
        channels: vec![channel; shape.outputs as usize],
        threshold: 127,
        bounds: [-128, 127],
        rounding: Rounding::Single,
    }
}

fn words(commands: &[SparseCommand]) -> Vec<u32> {
    commands.iter().flat_map(SparseCommand::words).collect()
}

/// A cluster: on its own, or as it is in a machine.
trait Cluster {
    fn step(&mut self, inputs: &ClusterInputs, slot: Option<Vec<u8>>) -> Checked<ClusterOutputs>;

    /// Words of a slot of the map that come in a clock.
    fn words(&self) -> usize {
        1
    }

    /// Sums leave it in this cycle.
    fn leaves(&self) -> bool {
        false
    }
}

/// What the model is of.
struct Model {
    cluster: ClusterModel,
    /// Words of a slot, in a machine.
    engine: Option<usize>,
}

impl Model {
    fn new(case: &Case) -> Self {
        let params = params(case);
        Self {
            cluster: match case.engine {
                true => ClusterModel::engine(&params),
                false => ClusterModel::new(&params),
            },
            engine: case.engine.then_some(case.cluster[1] as usize / 8),
        }
    }
}

impl Cluster for Model {
    fn step(&mut self, inputs: &ClusterInputs, slot: Option<Vec<u8>>) -> Checked<ClusterOutputs> {
        Ok(self.cluster.step_with(inputs, slot))
    }

    fn words(&self) -> usize {
        self.engine.unwrap_or(1)
    }

    fn leaves(&self) -> bool {
        self.engine.is_some() && self.cluster.leaving().is_some()
    }
}

impl Cluster for Bench {
    fn step(&mut self, inputs: &ClusterInputs, slot: Option<Vec<u8>>) -> Checked<ClusterOutputs> {
        let word = slot.map(|bytes| u64::from_le_bytes(bytes.try_into().expect("a word")));
        Bench::step(
            self,
            &ClusterInputs {
                map: word,
                ..*inputs
            },
        )
    }
}

/// Runs a program with streams that never wait: cycles from the first word of the map to the last one of results.
fn run(streams: &Streams, cluster: &mut impl Cluster) -> Checked<u32> {
    let slots = streams.map.chunks(cluster.words());
    let slots = slots.map(|words| words.iter().flat_map(|word| word.to_le_bytes()).collect());
    let slots: Vec<Vec<u8>> = slots.collect();
    let (mut command, mut weight, mut slot) = (0, 0, 0);
    let (mut cycle, mut first, mut last) = (0, None, 0);
    loop {
        let leaves = cluster.leaves();
        let inputs = ClusterInputs {
            command: streams.commands.get(command).copied(),
            weight: streams.weights.get(weight).copied(),
            map: None,
            out_ready: true,
        };
        let outputs = cluster.step(&inputs, slots.get(slot).cloned())?;
        assert_eq!(outputs.error, None, "behind word {}", outputs.words);
        let is_taken = outputs.map_ready && slot < slots.len();
        slot += usize::from(is_taken);
        command += usize::from(outputs.command_ready && command < streams.commands.len());
        weight += usize::from(outputs.weight_ready && weight < streams.weights.len());
        if is_taken {
            first.get_or_insert(cycle);
        }
        if outputs.out.is_some() || leaves {
            last = cycle;
        }
        if outputs.idle && command == streams.commands.len() {
            return Ok(last + 1 - first.unwrap_or(0));
        }
        cycle += 1;
    }
}

/// What can be done before the layer, and the layer: weights are there if those of no portion take the place of others, scales are.
fn prepared(commands: &[SparseCommand]) -> [Vec<SparseCommand>; 2] {
    let fills = commands.iter().filter_map(|command| match command {
        SparseCommand::Weights(fill) => Some(fill),
        _ => None,
    });
    let fills: Vec<_> = fills.collect();
    let meet = |(at, a): (usize, &&SparseWeights)| {
        fills[at + 1..].iter().any(|b| {
            a.units & b.units != 0 && a.first < b.first + b.words && b.first < a.first + a.words
        })
    };
    let stay = !fills.iter().enumerate().any(meet);
    let is_before = |command: &SparseCommand| match command {
        SparseCommand::Weights(_) => stay,
        SparseCommand::Scale(..) => true,
        _ => false,
    };
    let (before, layer) = commands.iter().cloned().partition(is_before);
    [before, layer]
}

/// Clears the sums and runs a layer; `None` if it does not fit.
fn run_case(case: &Case, cluster: &mut impl Cluster) -> Checked<Option<u32>> {
    let params = params(case);
    let map = activations(&case.shape, case.zeros);
    let plan = match case.balanced {
        Some(positions) => {
            let counts = counts(&case.shape, &map);
            let goal = Goal {
                positions,
                ..Goal::BEST
            };
            Plan::balanced(&case.shape, case.split, &params, &counts, goal)
        }
        None => Plan::new(&case.shape, case.split, &params),
    };
    let Ok(plan) = plan else {
        return Ok(None);
    };
    let program = plan.program(&values(&case.shape)).or_panic();
    let [before, layer] = prepared(&program.commands);
    let has_fills = |commands: &[SparseCommand]| {
        let mut commands = commands.iter();
        commands.any(|command| matches!(command, SparseCommand::Weights(_)))
    };
    let of = |commands: &[SparseCommand]| match has_fills(commands) {
        true => program.weights.clone(),
        false => Vec::new(),
    };
    let cleared = [clear(&params), before].concat();
    let preparation = Streams {
        weights: of(&cleared),
        commands: words(&cleared),
        map: Vec::new(),
    };
    run(&preparation, cluster)?;
    let streams = Streams {
        weights: of(&layer),
        commands: words(&layer),
        map: program.map_words(&map).or_panic(),
    };
    run(&streams, cluster).map(Some)
}

/// Cycles on the model, and what was counted.
fn measure(case: &Case) -> Option<(u32, Counts)> {
    let mut model = Model::new(case);
    let cycles = run_case(case, &mut model).or_panic()?;
    Some((cycles, model.cluster.counts))
}

/// A row of the table. How many times faster is rounded down, so that an aim that was missed does not look reached.
fn row(case: &Case) -> String {
    let (cycles, counts) = measure(case).expect("a plan that fits");
    let dense = dense(case);
    let [units, channels] = case.cluster;
    let [sets, entries] = case.maps;
    let Split {
        grid,
        outputs,
        folds,
        ..
    } = case.split;
    format!(
        "| {} | {} | {units} x {channels}{} | {sets} x {entries} | {} x {}{} x {outputs}, {} | {cycles} | {:.0} | {dense} | {:.2} | {} |\n",
        case.name,
        case.zeros,
        if case.engine { ", in a machine" } else { "" },
        grid[0],
        grid[1],
        if case.balanced.is_some() {
            " balanced"
        } else {
            ""
        },
        folds[0],
        100.0 * f64::from(counts.products) / f64::from(cycles * units),
        (100.0 * f64::from(dense) / f64::from(cycles)).floor() / 100.0,
        case.aim
    )
}

#[test]
fn cycles_of_layers_are_those_of_the_page() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../benches/sparse.md");
    let page = std::fs::read_to_string(path).unwrap();
    let begin = "<!-- cycles: tb/tests/sparse/cycles.rs writes this table, HEDDLE_BLESS=1 -->\n";
    let (before, rest) = page.split_once(begin).expect("the begin of the table");
    let (_, behind) = rest.split_once("<!-- end").expect("the end of the table");
    let head = "| layer | zeros, % | units x channels | sets x entries | cells x shares, folds | cycles | units busy, % | dense array | times faster | aim |\n\
                |---|---|---|---|---|---|---|---|---|---|\n";
    let rows: String = cases().iter().map(row).collect();
    let found = format!("{before}{begin}{head}{rows}<!-- end{behind}");
    if std::env::var_os("HEDDLE_BLESS").is_some() {
        std::fs::write(path, found).unwrap();
        return;
    }
    assert!(
        page == found,
        "HEDDLE_BLESS=1 cargo test -p heddle-tb cycles"
    );
}

#[test]
fn the_verilog_takes_the_cycles_of_the_page() {
    let cases = cases();
    let case = cases.iter().find(|case| case.name == "1x1 128>128 14x14");
    let case = case.expect("a layer of the table");
    let params = params(case);
    let sources = emitted(SparseCluster::new(SparseShape::of(&params)));
    let mut bench = Bench::new(&sources, &params, 1);
    let cycles = run_case(case, &mut bench).or_panic();
    let (expected, _) = measure(case).expect("a plan that fits");
    assert_eq!(cycles, Some(expected));
}
