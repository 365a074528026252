//! Cycles of layers on the cluster, beside those of a dense array of as many multipliers. `HEDDLE_BLESS=1` writes the table of
//! `benches/sparse.md`; `HEDDLE_SLOW=1` looks for the best split of each layer.

use heddle_arch::Params;
use heddle_arch::isa::sparse::{ChannelScale, SparseCommand};
use heddle_arch::params::Sparse;
use heddle_arch::requantise::Rounding;
use heddle_compiler::sparse::{Halo, Plan, Program, Shape, Split, Values, clear};
use heddle_hdl::sparse::{SparseCluster, SparseShape};
use heddle_sim::sparse::{ClusterInputs, ClusterModel, Counts};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, OrPanic, emitted};

/// A layer, its zeros in per cent, the cluster, and how it is split.
struct Case {
    name: &'static str,
    shape: Shape,
    zeros: u32,
    /// Units, channels of each.
    cluster: [u32; 2],
    split: Split,
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

fn split(grid: [u32; 2], outputs: u32, inputs: u32, folds: u32, halo: Halo) -> Split {
    Split {
        grid,
        outputs,
        inputs,
        folds: [folds, 1],
        halo,
    }
}

fn cases() -> Vec<Case> {
    let case = |name, shape: &Shape, zeros, cluster, split| Case {
        name,
        shape: shape.clone(),
        zeros,
        cluster,
        split,
    };
    let square = layer(28, [64, 64], 3, false);
    let outputs = |folds| split([1, 1], 8, 1, folds, Halo::Results);
    let space = |folds| split([2, 4], 1, 1, folds, Halo::Results);
    vec![
        case("3x3 64>64 28x28", &square, 80, [8, 8], outputs(4)),
        case("3x3 64>64 28x28", &square, 80, [8, 8], space(1)),
        case("3x3 64>64 28x28", &square, 0, [8, 8], outputs(4)),
        case(
            "1x1 64>64 28x28",
            &layer(28, [64, 64], 1, false),
            80,
            [8, 8],
            outputs(4),
        ),
        case(
            "1x1 128>128 14x14",
            &layer(14, [128, 128], 1, false),
            80,
            [8, 8],
            outputs(1),
        ),
        case(
            "3x3 16>16 32x32",
            &layer(32, [16, 16], 3, false),
            80,
            [8, 8],
            split([2, 2], 2, 1, 4, Halo::Results),
        ),
        case(
            "depthwise 3x3 64 28x28",
            &layer(28, [64, 64], 3, true),
            80,
            [8, 8],
            outputs(4),
        ),
    ]
}

fn params(case: &Case) -> Params {
    super::with(Sparse {
        units: case.cluster[0],
        channels: case.cluster[1],
        load_lanes: Some(case.cluster[1].max(8)),
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

/// A program as words of the streams.
struct Streams {
    commands: Vec<u32>,
    weights: Vec<u64>,
    map: Vec<u64>,
}

impl Streams {
    fn new(program: &Program, input: &[u8]) -> Self {
        Self {
            commands: words(&program.commands),
            weights: program.weights.clone(),
            map: program.map_words(input).or_panic(),
        }
    }
}

fn words(commands: &[SparseCommand]) -> Vec<u32> {
    commands.iter().flat_map(SparseCommand::words).collect()
}

/// Runs a program with streams that never wait: cycles from the first word of the map to the last one of results.
fn run(
    streams: &Streams,
    mut step: impl FnMut(&ClusterInputs) -> Checked<heddle_sim::sparse::ClusterOutputs>,
) -> Checked<u32> {
    let (mut command, mut weight, mut map) = (0, 0, 0);
    let (mut cycle, mut first, mut last) = (0, None, 0);
    loop {
        let outputs = step(&ClusterInputs {
            command: streams.commands.get(command).copied(),
            weight: streams.weights.get(weight).copied(),
            map: streams.map.get(map).copied(),
            out_ready: true,
        })?;
        assert_eq!(outputs.error, None, "behind word {}", outputs.words);
        let map_taken = outputs.map_ready && map < streams.map.len();
        map += usize::from(map_taken);
        command += usize::from(outputs.command_ready && command < streams.commands.len());
        weight += usize::from(outputs.weight_ready && weight < streams.weights.len());
        if map_taken {
            first.get_or_insert(cycle);
        }
        if outputs.out.is_some() {
            last = cycle;
        }
        if outputs.idle && command == streams.commands.len() {
            return Ok(last + 1 - first.unwrap_or(0));
        }
        cycle += 1;
    }
}

/// Cycles on the model, and what was counted.
fn measure(case: &Case, split: Split) -> Option<(u32, Counts)> {
    let params = params(case);
    let plan = Plan::new(&case.shape, split, &params).ok()?;
    let program = plan.program(&values(&case.shape)).or_panic();
    let mut model = ClusterModel::new(&params);
    let cleared = Streams {
        commands: words(&clear(&params)),
        weights: Vec::new(),
        map: Vec::new(),
    };
    run(&cleared, |inputs| Ok(model.step(inputs))).or_panic();
    let before = model.counts;
    let streams = Streams::new(&program, &activations(&case.shape, case.zeros));
    let cycles = run(&streams, |inputs| Ok(model.step(inputs))).or_panic();
    let mut counts = model.counts;
    counts.products -= before.products;
    Some((cycles, counts))
}

#[test]
fn probe() {
    for case in cases() {
        let found = measure(&case, case.split);
        let Some((cycles, counts)) = found else {
            let error = Plan::new(&case.shape, case.split, &params(&case)).err();
            println!("{} {:?}", case.name, error.map(|error| error.to_string()));
            continue;
        };
        let dense = dense(&case);
        println!(
            "{} {} %: {cycles} cycles, {} products ({:.1} % busy), dense {dense}, {:.2}",
            case.name,
            case.zeros,
            counts.products,
            100.0 * f64::from(counts.products) / f64::from(cycles * case.cluster[0]),
            f64::from(dense) / f64::from(cycles)
        );
    }
}

#[test]
fn search() {
    for case in cases() {
        let mut found = Vec::new();
        for (grid, outputs, inputs) in [
            ([1, 1], 8, 1),
            ([1, 2], 4, 1),
            ([2, 2], 2, 1),
            ([2, 1], 4, 1),
            ([2, 4], 1, 1),
            ([4, 2], 1, 1),
            ([1, 8], 1, 1),
            ([8, 1], 1, 1),
            ([1, 1], 4, 2),
            ([1, 1], 2, 4),
            ([1, 1], 1, 8),
            ([1, 2], 2, 2),
            ([2, 2], 1, 2),
        ] {
            for folds in [1, 2, 3, 4, 7] {
                for halo in [Halo::Results, Halo::Input] {
                    if halo == Halo::Input && grid == [1, 1] {
                        continue;
                    }
                    let split = split(grid, outputs, inputs, folds, halo);
                    if let Some((cycles, counts)) = measure(&case, split) {
                        found.push((cycles, grid, outputs, inputs, folds, halo, counts.products));
                    }
                }
            }
        }
        found.sort_by_key(|f| f.0);
        let dense = dense(&case);
        println!("{} {} % dense {dense}", case.name, case.zeros);
        for f in found.iter().take(4) {
            println!("   {:.2} {f:?}", f64::from(dense) / f64::from(f.0));
        }
        for f in found.iter().filter(|f| f.2 == 1 && f.3 == 1).take(2) {
            println!("   space {:.2} {f:?}", f64::from(dense) / f64::from(f.0));
        }
    }
}
