//! Random machines and networks, and a host that runs a program on the instruction-level machine.
#![allow(dead_code)] // not every test file uses all of it

use heddle_arch::network::{Layer, LayerKind, Network, Padding, Shape};
use heddle_arch::params::Params;
use heddle_arch::requantise::{Rounding, Scale};
use heddle_compiler::Program;
use heddle_sim::machine::{Counters, Machine};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Sizes of a machine that tests vary; everything else has its usual value.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub rows: u32,
    pub cols: u32,
    pub loops: u32,
    pub banks: u32,
    pub words_per_bank: u32,
    pub depth: u32,
}

impl Size {
    pub fn params(self) -> Params {
        let text = format!(
            r#"{{"name": "test", "array": {{"rows": {}, "cols": {}}},
            "traversal": {{"rows": 2, "loops": {}, "offset_bits": 16, "address_bits": 16}},
            "state_buffer": {{"banks": {}, "words_per_bank": {},
              "slices": {{"word_bytes": 8, "widths": [4, 4]}}}},
            "results_buffer": {{"depth": {}}}, "column_tiles": 256, "program": {{"words": 65536}}}}"#,
            self.rows, self.cols, self.loops, self.banks, self.words_per_bank, self.depth
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

fn random_layer(rng: &mut ChaCha8Rng, index: usize, input: Shape, zero_point: i8) -> Layer {
    let fully_connected = rng.random_range(0..4) == 0;
    let kernel = if fully_connected {
        [input.height, input.width]
    } else {
        [rng.random_range(1..=3), rng.random_range(1..=3)]
    };
    let mut padding = Padding::default();
    let mut stride = [1, 1];
    if !fully_connected {
        padding = Padding {
            top: rng.random_range(0..kernel[0]),
            bottom: rng.random_range(0..kernel[0]),
            left: rng.random_range(0..kernel[1]),
            right: rng.random_range(0..kernel[1]),
        };
        padding.bottom += kernel[0].saturating_sub(input.height + padding.top + padding.bottom);
        padding.right += kernel[1].saturating_sub(input.width + padding.left + padding.right);
        stride = [rng.random_range(1..=3), rng.random_range(1..=3)];
    }
    let output = Shape {
        channels: rng.random_range(1..=24),
        height: (input.height + padding.top + padding.bottom - kernel[0]) / stride[0] + 1,
        width: (input.width + padding.left + padding.right - kernel[1]) / stride[1] + 1,
    };
    let fan_in = input.channels * kernel[0] * kernel[1];
    let sparse = rng.random_range(0.0..0.6);
    let weights = (0..output.channels * fan_in).map(|_| {
        if rng.random_bool(sparse) {
            0
        } else {
            rng.random_range(i8::MIN..=i8::MAX)
        }
    });
    let weights = weights.collect();
    let bound = |rng: &mut ChaCha8Rng| rng.random_range(i8::MIN..=i8::MAX);
    let (a, b) = match rng.random_range(0..3) {
        0 => (bound(rng), bound(rng)),
        _ => (i8::MIN, i8::MAX),
    };
    Layer {
        name: format!("layer{index}"),
        kind: if fully_connected {
            LayerKind::FullyConnected
        } else {
            LayerKind::Conv2d
        },
        input,
        output,
        kernel,
        stride,
        padding,
        weights,
        bias: (0..output.channels)
            .map(|_| rng.random_range(-100_000..=100_000))
            .collect(),
        scales: (0..output.channels)
            .map(|_| random_scale(rng, fan_in))
            .collect(),
        rounding: if rng.random_bool(0.5) {
            Rounding::Double
        } else {
            Rounding::Single
        },
        input_zero_point: zero_point,
        output_zero_point: bound(rng),
        min: a.min(b),
        max: a.max(b),
    }
}

pub fn random_network(rng: &mut ChaCha8Rng, layers: usize) -> Network {
    let widest = if rng.random_bool(0.2) { 40 } else { 12 };
    let input = Shape {
        channels: rng.random_range(1..=16),
        height: rng.random_range(1..=9),
        width: rng.random_range(1..=widest),
    };
    let input_zero_point = rng.random_range(i8::MIN..=i8::MAX);
    let mut tensor = (input, input_zero_point);
    let layers = (0..layers).map(|index| {
        let layer = random_layer(rng, index, tensor.0, tensor.1);
        tensor = (layer.output, layer.output_zero_point);
        layer
    });
    let layers = layers.collect();
    Network {
        name: "random".to_string(),
        input,
        input_zero_point,
        layers,
        images: Vec::new(),
        labels: Vec::new(),
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
    machine.write_program(0, &program.words);
    for column in &program.columns {
        machine.write_bias(column.column, column.tile, column.bias);
        machine.write_scale(column.column, column.tile, column.scale);
    }
    for &(partition, word, data) in &program.image {
        machine.write_word(partition, word, data);
    }
    for &(row, entry, offset) in &program.row_offsets {
        machine.write_row_offset(row, entry, offset);
    }
    machine
}

/// Runs all layers on an image; gives the output and the counters of each.
pub fn run(machine: &mut Machine, program: &Program, image: &[i8]) -> Vec<(Vec<i8>, Counters)> {
    let input = &program.tensors[0];
    machine.set_host_zero(input.zero_point);
    for (partition, word, data) in input.pack(image).unwrap() {
        machine.write_word(partition, word, data);
    }
    let results = program.layers.iter().map(|layer| {
        let counters = machine
            .run(layer.start_pc, 10_000_000)
            .unwrap_or_else(|error| panic!("{}: {error}", layer.name));
        let tensor = &program.tensors[layer.output];
        machine.set_host_zero(tensor.zero_point);
        let words: Vec<[u8; 8]> = tensor
            .word_places()
            .into_iter()
            .map(|(partition, word)| machine.read_word(partition, word))
            .collect();
        (tensor.unpack(&words).unwrap(), counters)
    });
    results.collect()
}
