//! Random machines and networks, and a host that runs a program on the instruction-level machine.
pub mod chain;
pub mod converted;
pub mod depthwise;
pub mod engines;
pub mod image;
pub mod matrices;
pub mod sparse;

use std::borrow::Borrow;
use std::collections::BTreeMap;

use heddle_arch::host::{ClusterStream, Counter};
use heddle_arch::params::{Params, Post};
use heddle_arch::requantise::{Rounding, Scale};
use heddle_compiler::{
    CompileError, Compiled, Cuts, Engine, LayerPlan, Load, Mapping, Options, Program, TensorPlan,
};
use heddle_network::{Input, Layer, LayerKind, Network, Padding, Shape};
use heddle_sim::machine::{Counters, Machine};
use heddle_sim::network::{Tensor, run as golden, run_layer};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn read(path: String) -> String {
    let path = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A network of `models`.
pub fn model(name: &str) -> Network {
    Network::from_json(&read(format!("models/{name}.json"))).unwrap()
}

/// A configuration of `configs`.
pub fn preset(name: &str) -> Params {
    Params::from_json(&read(format!("configs/{name}.json"))).unwrap()
}

/// What is made of a network of which no layer is cut.
pub fn compile_whole<'n>(
    network: &'n Network,
    params: &Params,
    options: impl Borrow<Options>,
) -> Result<Compiled<'n>, CompileError> {
    let options = options.borrow();
    let options = Options {
        cuts: options.cuts.min(Cuts::Network),
        ..options.clone()
    };
    heddle_compiler::compile(network, params, &options)
}

/// Its program.
pub fn compile_with(
    network: &Network,
    params: &Params,
    options: impl Borrow<Options>,
) -> Result<Program, CompileError> {
    compile_whole(network, params, options).map(|compiled| compiled.program)
}

/// The same without options.
pub fn compile(network: &Network, params: &Params) -> Result<Program, CompileError> {
    compile_with(network, params, Options::default())
}

/// Layers that take it have this mapping.
pub fn mapped(mapping: Mapping) -> Options {
    Options {
        mapping: Some(mapping),
        ..Options::default()
    }
}

/// All layers in one run.
pub fn whole() -> Options {
    Options {
        whole: true,
        ..Options::default()
    }
}

/// Why a network cannot be compiled.
#[track_caller]
pub fn refusal(network: &Network, params: &Params) -> String {
    let refused = compile(network, params).expect_err("it cannot be compiled");
    refused.to_string()
}

/// Sizes of a machine that tests vary; everything else has its usual value.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub rows: u32,
    pub cols: u32,
    pub loops: u32,
    pub banks: u32,
    pub words_per_bank: u32,
    pub depth: u32,
    pub pooling: bool,
}

impl Size {
    pub fn params(self) -> Params {
        let text = format!(
            r#"{{"name": "test", "array": {{"rows": {}, "cols": {}}},
            "traversal": {{"rows": 2, "loops": {}, "offset_bits": 16, "address_bits": 16}},
            "state_buffer": {{"banks": {}, "words_per_bank": {},
              "slices": {{"word_bytes": 8, "widths": [4, 4]}}}},
            "results_buffer": {{"depth": {}}}, "post": {{"pooling": {}, "left_shift": true}}, "column_tiles": 256, "program": {{"words": 65536}}}}"#,
            self.rows,
            self.cols,
            self.loops,
            self.banks,
            self.words_per_bank,
            self.depth,
            self.pooling
        );
        Params::from_json(&text).unwrap()
    }
}

pub fn random_size(rng: &mut ChaCha8Rng) -> Size {
    let banks = 2 << rng.random_range(0..3);
    Size {
        rows: rng.random_range(1..=12),
        cols: rng.random_range(1..=20),
        loops: rng.random_range(2..=6),
        banks,
        words_per_bank: (8192 / banks) >> rng.random_range(0..6),
        depth: 16 << rng.random_range(0..3),
        pooling: rng.random_bool(0.5),
    }
}

/// Several columns may share a multiplier.
pub fn share_multipliers(params: &mut Params, rng: &mut ChaCha8Rng) {
    let columns = [1, 2, 4][rng.random_range(0..3)];
    if params.array.cols % columns == 0 {
        params.post.columns_per_multiplier = columns;
    }
}

fn random_scale(rng: &mut ChaCha8Rng, fan_in: u32) -> Scale {
    let shift = match rng.random_range(0..8) {
        0 => return Scale::ZERO,
        1 => rng.random_range(0..3),
        _ => -8 - (fan_in.ilog2() as i32) / 2,
    };
    Scale::new(rng.random_range(1 << 30..=i32::MAX), shift).unwrap()
}

/// A tensor that layers can read: index, shape, zero point.
pub type Source = (usize, Shape, i8);

fn random_layer(rng: &mut ChaCha8Rng, index: usize, sources: &[Source], post: &Post) -> Layer {
    // Mostly the layer before; all layers must not only add up to a chain.
    let source = match rng.random_range(0..4) {
        0 => sources[rng.random_range(0..sources.len())],
        _ => sources[sources.len() - 1],
    };
    let converted = match post.is_plain() {
        true => None,
        false => converted::random_layer(rng, source, sources, post),
    };
    let mut layer = converted.unwrap_or_else(|| {
        let largest = post.pooling && rng.random_bool(0.6);
        match rng.random_range(0..8) {
            0..2 => fully_connected(rng, source),
            2 => add(rng, source, sources),
            3 => pool(rng, source, largest),
            _ => convolution(rng, source),
        }
    });
    layer.name = format!("layer{index}");
    layer
}

fn input((tensor, _, zero_point): Source) -> Input {
    Input { tensor, zero_point }
}

/// A layer of one input with everything but weights: its kernel covers the whole plane.
fn plain(rng: &mut ChaCha8Rng, kind: LayerKind, source: Source, channels: u32) -> Layer {
    let bound = |rng: &mut ChaCha8Rng| rng.random_range(i8::MIN..=i8::MAX);
    let (a, b) = match rng.random_range(0..3) {
        0 => (bound(rng), bound(rng)),
        _ => (i8::MIN, i8::MAX),
    };
    let shape = source.1;
    Layer {
        name: String::new(),
        kind,
        inputs: vec![input(source)],
        input: shape,
        output: Shape {
            channels,
            height: 1,
            width: 1,
        },
        kernel: [shape.height, shape.width],
        stride: [1, 1],
        dilation: [1, 1],
        groups: 1,
        padding: Padding::default(),
        weights: Vec::new(),
        bias: (0..channels)
            .map(|_| rng.random_range(-100_000..=100_000))
            .collect(),
        scales: Vec::new(),
        rounding: match rng.random_bool(0.5) {
            true => Rounding::Double,
            false => Rounding::Single,
        },
        output_zero_point: bound(rng),
        min: a.min(b),
        max: a.max(b),
        table: None,
        sources: Default::default(),
        float32: None,
    }
}

/// Weights and scales for the taps of the layer.
pub fn fill(rng: &mut ChaCha8Rng, layer: &mut Layer) {
    let sparse = rng.random_range(0.0..0.6);
    let fan_in = layer.taps() as u32;
    let weights = (0..layer.output.channels * fan_in).map(|_| match rng.random_bool(sparse) {
        true => 0,
        false => rng.random_range(i8::MIN..=i8::MAX),
    });
    layer.weights = weights.collect();
    let channels = 0..layer.output.channels;
    layer.scales = channels.map(|_| random_scale(rng, fan_in)).collect();
}

fn fully_connected(rng: &mut ChaCha8Rng, source: Source) -> Layer {
    let channels = rng.random_range(1..=24);
    let mut layer = plain(rng, LayerKind::FullyConnected, source, channels);
    fill(rng, &mut layer);
    layer
}

fn convolution(rng: &mut ChaCha8Rng, source: Source) -> Layer {
    let shape = source.1;
    let divisors: Vec<u32> = (1..=shape.channels)
        .filter(|g| shape.channels % g == 0)
        .collect();
    let groups = match rng.random_range(0..4) {
        0 => divisors[rng.random_range(0..divisors.len())],
        1 => shape.channels,
        _ => 1,
    };
    let channels = match groups {
        1 => rng.random_range(1..=24),
        _ => groups * rng.random_range(1..=3),
    };
    let mut layer = plain(rng, LayerKind::Conv2d, source, channels);
    layer.groups = groups;
    layer.kernel = [rng.random_range(1..=3), rng.random_range(1..=3)];
    if rng.random_bool(0.3) {
        layer.dilation = [rng.random_range(1..=3), rng.random_range(1..=3)];
    }
    let extent = |axis: usize| (layer.kernel[axis] - 1) * layer.dilation[axis] + 1;
    let mut side = |axis| rng.random_range(0..extent(axis));
    let mut padding = Padding {
        top: side(0),
        bottom: side(0),
        left: side(1),
        right: side(1),
    };
    padding.bottom += extent(0).saturating_sub(shape.height + padding.top + padding.bottom);
    padding.right += extent(1).saturating_sub(shape.width + padding.left + padding.right);
    let (height, width) = (extent(0), extent(1));
    layer.padding = padding;
    layer.stride = [rng.random_range(1..=3), rng.random_range(1..=3)];
    layer.output = Shape {
        channels,
        height: (shape.height + padding.top + padding.bottom - height) / layer.stride[0] + 1,
        width: (shape.width + padding.left + padding.right - width) / layer.stride[1] + 1,
    };
    fill(rng, &mut layer);
    layer
}

fn pool(rng: &mut ChaCha8Rng, source: Source, largest: bool) -> Layer {
    let shape = source.1;
    let kind = match largest {
        true => LayerKind::MaxPool2d,
        false => LayerKind::AveragePool2d,
    };
    let mut layer = plain(rng, kind, source, shape.channels);
    let sides = [shape.height.min(3), shape.width.min(3)];
    layer.groups = shape.channels;
    layer.kernel = sides.map(|most| rng.random_range(1..=most));
    layer.stride = [rng.random_range(1..=3), rng.random_range(1..=3)];
    layer.output = Shape {
        channels: shape.channels,
        height: (shape.height - layer.kernel[0]) / layer.stride[0] + 1,
        width: (shape.width - layer.kernel[1]) / layer.stride[1] + 1,
    };
    let channels = shape.channels as usize;
    let size = layer.kernel[0] * layer.kernel[1];
    layer.output_zero_point = source.2;
    (layer.min, layer.max) = (i8::MIN, i8::MAX);
    layer.bias = vec![0; channels];
    layer.rounding = Rounding::Single;
    match largest {
        true => layer.scales = vec![Scale::reciprocal(1); channels],
        false => layer.scales = vec![Scale::reciprocal(size); channels],
    }
    layer
}

fn add(rng: &mut ChaCha8Rng, source: Source, sources: &[Source]) -> Layer {
    let shape = source.1;
    let mut layer = plain(rng, LayerKind::WeightedSum, source, shape.channels);
    let same: Vec<&Source> = sources.iter().filter(|other| other.1 == shape).collect();
    for _ in 0..rng.random_range(1..4) {
        layer
            .inputs
            .push(input(*same[rng.random_range(0..same.len())]));
    }
    layer.output = shape;
    layer.kernel = [1, 1];
    layer.groups = shape.channels;
    layer.weights = layer.inputs.iter().map(|_| rng.random()).collect();
    layer.scales = (0..shape.channels).map(|_| random_scale(rng, 2)).collect();
    layer
}

/// A network of one layer: `outputs` filters of 1 x 3 without padding on a plane of 8 channels.
pub fn wide_network(outputs: u32, width: u32) -> Network {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut network = random_network(&mut rng, 1, &Post::default());
    network.name = "wide".to_string();
    network.input = Shape {
        channels: 8,
        height: 1,
        width,
    };
    let layer = &mut network.layers[0];
    layer.input = network.input;
    layer.output = Shape {
        channels: outputs,
        height: 1,
        width: width - 2,
    };
    layer.kernel = [1, 3];
    layer.stride = [1, 1];
    layer.padding = Padding::default();
    layer.weights = (0..outputs * 24).map(|i| i as i8).collect();
    layer.bias = vec![7; outputs as usize];
    // Results that do not saturate, so that a wrong operand is seen.
    layer.scales = vec![Scale::new(1 << 30, -7).unwrap(); outputs as usize];
    network
}

/// A network whose layers read the input and each other's outputs; they use these options of post-processing alone.
pub fn random_network(rng: &mut ChaCha8Rng, layers: usize, post: &Post) -> Network {
    let mut post = *post;
    let widest = if rng.random_bool(0.2) { 40 } else { 12 };
    let input = Shape {
        channels: rng.random_range(1..=16),
        height: rng.random_range(1..=9),
        width: rng.random_range(1..=widest),
    };
    let input_zero_point = rng.random_range(i8::MIN..=i8::MAX);
    let mut sources = vec![(0, input, input_zero_point)];
    let layers = (0..layers).map(|index| {
        let mut layer = random_layer(rng, index, &sources, &post);
        if !post.is_plain() {
            let table = converted::finish(rng, &mut layer, post.activations);
            post.activations -= u32::from(table);
        }
        sources.push((index + 1, layer.output, layer.output_zero_point));
        layer
    });
    let layers: Vec<Layer> = layers.collect();
    // Now and then the host reads another one as well.
    let mut outputs = vec![layers.len()];
    let other = rng.random_range(1..=layers.len());
    outputs.extend((rng.random_bool(0.3) && other < layers.len()).then_some(other));
    Network {
        name: "random".to_string(),
        input,
        input_zero_point,
        layers,
        outputs,
        images: Vec::new(),
        labels: Vec::new(),
        states: Vec::new(),
    }
}

pub fn random_image(rng: &mut ChaCha8Rng, network: &Network) -> Vec<i8> {
    let zero = network.input_zero_point;
    let value = |rng: &mut ChaCha8Rng| match rng.random_range(0..3) {
        0 => zero,
        _ => rng.random_range(i8::MIN..=i8::MAX),
    };
    (0..network.input.elements()).map(|_| value(rng)).collect()
}

/// A machine with the program loaded.
pub fn load(program: &Program, params: &Params) -> Machine {
    let mut machine = Machine::new(params);
    write_load(&mut machine, &program.once);
    for &(stream, word) in &program.cluster {
        let is_taken = match stream {
            ClusterStream::Commands => machine.write_cluster_command(word as u32),
            ClusterStream::Weights => machine.write_cluster_weights(word),
        };
        assert!(is_taken, "a word of the sparse cluster");
    }
    machine
}

/// What the host writes before it starts runs.
fn write_load(machine: &mut Machine, load: &Load) {
    machine.set_host_zero(0);
    machine.write_program(load.first_word, &load.words);
    for column in &load.columns {
        machine.write_bias(column.column, column.tile, column.bias);
        machine.write_scale(column.column, column.tile, column.scale);
    }
    for &(partition, word, data) in &load.image {
        machine.write_word(partition, word, data);
    }
    for (number, table) in (0..).zip(&load.tables) {
        for (byte, &stored) in (0..=u8::MAX).zip(table) {
            machine.write_activation(number, byte, stored);
        }
    }
    for &(row, entry, offset) in &load.row_offsets {
        machine.write_row_offset(row, entry, offset);
    }
}

/// Zeros below the weights of a segment: halos that the weights of others have lain on.
pub fn has_halos(load: &Load, params: &Params) -> bool {
    let weights = load.image.iter().filter(|word| word.2 != [0; 8]);
    let first = weights.map(|word| word.1).min();
    let bank = first.map(|word| word / params.state_buffer.words_per_bank);
    let below = bank.map_or(0, |bank| bank * params.state_buffer.words_per_bank);
    load.image.iter().any(|word| word.1 < below)
}

/// Runs an image; gives the output and the counters of each run, all 0 if the host does it.
pub fn run(
    machine: &mut Machine,
    program: &Program,
    network: &Network,
    image: &[i8],
) -> Vec<(Vec<i8>, Counters)> {
    let load_before = |machine: &mut Machine, run: usize| {
        let loads = program.loads_before(run);
        loads.for_each(|load| write_load(machine, load));
    };
    load_before(machine, 0);
    write(machine, &program.tensors[0], image);
    // By tensor, what the host keeps.
    let mut kept = BTreeMap::from([(0, image.to_vec())]);
    let results = program.runs.iter().enumerate().map(|(run, plan)| {
        if run > 0 {
            load_before(machine, run);
        }
        let tensor = plan.layers.end;
        let (values, counters) = match plan.host {
            true => {
                let layer = &network.layers[plan.layers.start];
                let values = run_on_host(machine, program, layer, &kept);
                (values, Counters::default())
            }
            false => {
                let counters = machine.run(plan.start_pc, 10_000_000);
                let counters = counters.unwrap_or_else(|error| panic!("{}: {error}", plan.name));
                (read_values(machine, &program.tensors[tensor]), counters)
            }
        };
        if program.keeps {
            kept.insert(tensor, values.clone());
        }
        (values, counters)
    });
    results.collect()
}

/// What the host makes of a layer's inputs goes where its output belongs.
fn run_on_host(
    machine: &mut Machine,
    program: &Program,
    layer: &Layer,
    kept: &BTreeMap<usize, Vec<i8>>,
) -> Vec<i8> {
    let plan = program.layers.iter().find(|plan| plan.name == layer.name);
    let plan = plan.expect("all layers have a plan");
    let tensors: Vec<Tensor> = plan
        .inputs
        .iter()
        .map(|&tensor| Tensor {
            shape: program.tensors[tensor].shape,
            values: match kept.get(&tensor).filter(|_| program.keeps) {
                Some(values) => values.clone(),
                None => read_values(machine, &program.tensors[tensor]),
            },
        })
        .collect();
    let made = run_layer(layer, &tensors.iter().collect::<Vec<_>>()).unwrap();
    let output = &program.tensors[plan.output];
    write(machine, output, &made.values);
    match program.keeps {
        true => made.values,
        false => read_values(machine, output),
    }
}

fn write(machine: &mut Machine, tensor: &TensorPlan, values: &[i8]) {
    machine.set_host_zero(tensor.zero_point);
    for (partition, word, data) in tensor.pack(values).unwrap() {
        machine.write_word(partition, word, data);
    }
}

fn read_values(machine: &mut Machine, tensor: &TensorPlan) -> Vec<i8> {
    machine.set_host_zero(tensor.zero_point);
    let places = tensor.word_places().into_iter();
    let words: Vec<[u8; 8]> = places
        .map(|(partition, word)| machine.read_word(partition, word))
        .collect();
    tensor.unpack(&words).unwrap()
}

/// Runs images one after another on one machine and compares every layer and what the plan says; the first also from an image
/// of the program, if it has one, which is what it gives.
#[track_caller]
pub fn check(
    program: &Program,
    network: &Network,
    params: &Params,
    images: &[Vec<i8>],
    place: &str,
) -> bool {
    let mut machine = load(program, params);
    for (number, image) in images.iter().enumerate() {
        let expected = golden(network, image).unwrap();
        let found = run(&mut machine, program, network, image);
        assert_eq!(found.len(), program.runs.len());
        // What the host keeps may lie nowhere any more.
        for &output in network.outputs.iter().filter(|_| !program.keeps) {
            let values = read_values(&mut machine, &program.tensors[output]);
            let name = network.tensor_name(output);
            assert_eq!(values, expected[output - 1].values, "{place}: {name}");
        }
        for ((values, counters), plan) in found.iter().zip(&program.runs) {
            let run = &plan.name;
            let tensor = &expected[plan.layers.end - 1];
            assert_eq!(values, &tensor.values, "{place}: image {number}, {run}");
            if plan.host {
                continue;
            }
            let layers = &program.layers[plan.layers.clone()];
            let sum = |value: fn(&LayerPlan) -> u64| layers.iter().map(value).sum::<u64>();
            let vectors = u64::from(counters.get(Counter::Vectors));
            assert_eq!(vectors, sum(|layer| layer.vectors), "{place}: {run}");
            let instructions = counters.get(Counter::Instructions);
            assert_eq!(instructions, plan.instructions, "{place}: {run}");
            let cycles = u64::from(counters.get(Counter::Cycles));
            assert!(plan.estimated || cycles == plan.cycles, "{place}: {run}");
            let of_array = |layer: &LayerPlan| match layer.engine_of() {
                Engine::Dense => layer.macs,
                Engine::Sparse => 0,
            };
            assert!(u64::from(counters.get(Counter::Macs)) >= sum(of_array));
            let zero_operands = u64::from(counters.get(Counter::ZeroOperands));
            assert!(
                zero_operands <= sum(|layer| layer.operands),
                "{place}: {run}"
            );
        }
    }
    // Users of all kinds, by turns.
    let (layers, channels) = (network.layers.len(), network.input.channels);
    let form = image::form(network, layers % 2 == 0, channels % 2 == 0);
    // One inference beside another, where they load segments.
    let count = images.len().min(1 + program.segments.len());
    image::from_image((program, network), params, &images[..count.min(2)], &form).is_ok()
}
