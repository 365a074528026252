//! Layers on the sparse cluster: random ones, what they are by definition, and a cluster that carries out their commands.

use heddle_arch::isa::sparse::{ChannelScale, SparseCommand};
use heddle_arch::params::{Params, Post, Sparse};
use heddle_arch::requantise::{Rounding, Scale, requantise};
use heddle_compiler::sparse::{Halo, Plan, PlanError, Shape, Split, Values, clear};
use heddle_sim::sparse::SparseInterpreter;
use heddle_sim::sparse::reference::{Entry, Tap, scatter};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// A layer, and an input.
#[derive(Clone)]
pub struct Layer {
    /// Its sizes.
    pub shape: Shape,
    /// Its weights.
    pub values: Values,
    /// Input by row, column and channel.
    pub input: Vec<u8>,
}

impl Layer {
    /// Random values for a shape; so many of the weights and of the input are not zero.
    pub fn of(shape: Shape, [weights, bytes]: [f64; 2], rng: &mut ChaCha8Rng) -> Self {
        let each = if shape.depthwise { 1 } else { shape.inputs };
        let count = shape.outputs * shape.kernel[0] * shape.kernel[1] * each;
        let weight = |rng: &mut ChaCha8Rng| match rng.random_bool(weights) {
            true => rng.random_range(-128..=127),
            false => 0,
        };
        let byte = |rng: &mut ChaCha8Rng| match rng.random_bool(bytes) {
            true => rng.random(),
            false => 0,
        };
        let positions = shape.input[0] * shape.input[1] * shape.inputs;
        let zero_point: i32 = rng.random_range(-128..=127);
        let (lo, hi) = (rng.random_range(-128..=127), rng.random_range(-128..=127));
        Self {
            values: Values {
                weights: (0..count).map(|_| weight(rng)).collect(),
                channels: (0..shape.outputs).map(|_| random_scale(rng)).collect(),
                threshold: rng.random_range(0..=255),
                bounds: [i32::min(lo, hi) - zero_point, i32::max(lo, hi) - zero_point],
                rounding: [Rounding::Single, Rounding::Double][rng.random_range(0..2)],
            },
            input: (0..positions).map(|_| byte(rng)).collect(),
            shape,
        }
    }

    /// How many channels of each position are not zero.
    pub fn counts(&self) -> Vec<u32> {
        let positions = self.input.chunks(self.shape.inputs as usize);
        let count = |bytes: &[u8]| bytes.iter().filter(|byte| **byte != 0).count() as u32;
        positions.map(count).collect()
    }

    /// What a byte of the input stands for, 0 around it.
    fn value(&self, [row, col]: [i64; 2], channel: u32) -> i32 {
        let [rows, cols] = self.shape.input.map(i64::from);
        if !(0..rows).contains(&row) || !(0..cols).contains(&col) {
            return 0;
        }
        let position = (row * cols + col) as usize;
        let byte = self.input[position * self.shape.inputs as usize + channel as usize];
        let is_negative = byte > self.values.threshold;
        i32::from(byte) - if is_negative { 256 } else { 0 }
    }

    fn weight(&self, output: u32, row: u32, col: u32, channel: u32) -> i32 {
        let [rows, cols] = self.shape.kernel;
        let place = (output * rows + row) * cols + col;
        let index = match self.shape.depthwise {
            true => place,
            false => place * self.shape.inputs + channel,
        };
        self.values.weights[index as usize].into()
    }

    /// The values that are not zero; rows and columns begin with the map.
    fn entries(&self) -> Vec<Entry> {
        let [rows, cols] = self.shape.input.map(i64::from);
        let places = (0..rows).flat_map(|row| (0..cols).map(move |col| [row, col]));
        let channels = places.flat_map(|place| (0..self.shape.inputs).map(move |at| (place, at)));
        let entries = channels.map(|(place, channel)| Entry {
            value: self.value(place, channel),
            channel: channel as usize,
            row: place[0] as i32,
            col: place[1] as i32,
        });
        entries.filter(|entry| entry.value != 0).collect()
    }

    /// The weights of each input channel: a group of all output channels, or of the one that a depthwise layer has.
    fn lists(&self) -> Vec<Vec<Tap>> {
        let [rows, cols] = self.shape.kernel;
        let tap = |channel: u32, at: u32| {
            let (group, outputs) = match self.shape.depthwise {
                true => (channel, channel..channel + 1),
                false => (0, 0..self.shape.outputs),
            };
            let (row, col) = (at / cols, at % cols);
            Tap {
                row: row as i32,
                col: col as i32,
                group: group as usize,
                weights: outputs
                    .map(|output| self.weight(output, row, col, channel))
                    .collect(),
            }
        };
        let list = |channel| (0..rows * cols).map(|at| tap(channel, at)).collect();
        (0..self.shape.inputs).map(list).collect()
    }

    /// All sums as the reference has them: products scattered over the results of a stride of 1.
    pub fn scattered(&self) -> Vec<i32> {
        let shape = &self.shape;
        let kernel = shape.kernel.map(|side| side as i32);
        let sums = scatter(&self.entries(), &self.lists(), (kernel[0], kernel[1]));
        let place = |output: u32, side: usize| {
            (output * shape.stride) as i32 - shape.padding[side] as i32 + kernel[side] - 1
        };
        let mut results = Vec::new();
        for row in 0..shape.output[0] {
            for col in 0..shape.output[1] {
                for output in 0..shape.outputs as usize {
                    let (group, lane) = match shape.depthwise {
                        true => (output, 0),
                        false => (0, output),
                    };
                    // A result without a product is 0.
                    let sums = sums.get(&(group, place(row, 0), place(col, 1)));
                    results.push(sums.map_or(0, |sums| sums[lane]));
                }
            }
        }
        results
    }

    /// The sum of all products of an output.
    fn sum(&self, row: u32, col: u32, output: u32) -> i32 {
        let shape = &self.shape;
        let channels = match shape.depthwise {
            true => output..output + 1,
            false => 0..shape.inputs,
        };
        let mut sum = 0i32;
        for a in 0..shape.kernel[0] {
            for b in 0..shape.kernel[1] {
                let place = [(row, a, 0), (col, b, 1)].map(|(output, weight, side)| {
                    i64::from(output * shape.stride + weight) - i64::from(shape.padding[side])
                });
                for channel in channels.clone() {
                    let product = self.value(place, channel) * self.weight(output, a, b, channel);
                    sum = sum.wrapping_add(product);
                }
            }
        }
        sum
    }

    /// A result for each row, column and output channel.
    pub fn results<T>(&self, result: impl Fn(i32, &ChannelScale) -> T) -> Vec<T> {
        let [rows, cols] = self.shape.output;
        let mut results = Vec::new();
        for row in 0..rows {
            for col in 0..cols {
                for (output, scale) in (0..).zip(&self.values.channels) {
                    results.push(result(self.sum(row, col, output), scale));
                }
            }
        }
        results
    }

    /// The bytes of the output.
    pub fn outputs(&self) -> Vec<u8> {
        let [lo, hi] = self.values.bounds;
        let scaled = self.scaled(&self.results(|sum, _| sum));
        scaled
            .into_iter()
            .map(|scaled| scaled.clamp(lo, hi) as u8)
            .collect()
    }

    /// Sums with their bias, scaled and in front of the bounds.
    pub fn scaled(&self, sums: &[i32]) -> Vec<i32> {
        let channels = self.values.channels.iter().cycle();
        let scaled = |(sum, channel): (&i32, &ChannelScale)| {
            let scale = Scale::new(channel.multiplier as i32, channel.shift).unwrap();
            requantise(sum.wrapping_add(channel.bias), scale, self.values.rounding)
        };
        sums.iter().zip(channels).map(scaled).collect()
    }
}

fn random_scale(rng: &mut ChaCha8Rng) -> ChannelScale {
    ChannelScale {
        bias: rng.random_range(-100_000..100_000),
        multiplier: rng.random_range(1 << 30..=i32::MAX as u32),
        shift: rng.random_range(-12..=2),
    }
}

/// The largest sizes of random layers.
pub struct Largest {
    /// Rows and columns of the input.
    pub side: u32,
    /// Input channels; four times as many of a fully connected layer.
    pub inputs: u32,
    /// Output channels.
    pub outputs: u32,
}

/// A layer of any kind.
pub fn random_shape(rng: &mut ChaCha8Rng) -> Shape {
    let largest = Largest {
        side: 12,
        inputs: 20,
        outputs: 40,
    };
    random_shape_within(&largest, 0.03, rng)
}

/// A layer of any kind, or with this probability one with more than 256 rows of entries.
pub fn random_shape_within(largest: &Largest, tall: f64, rng: &mut ChaCha8Rng) -> Shape {
    let kernel = [rng.random_range(1..=5), rng.random_range(1..=5)];
    let stride = [1, 1, 2, 4][rng.random_range(0..4)];
    let padding = kernel.map(|side| rng.random_range(0..=side));
    let mut input = [0; 2].map(|_| rng.random_range(1..=largest.side));
    // Rows that have more than eight bits.
    if rng.random_bool(tall) {
        input = [rng.random_range(256 * stride..300 * stride), 1];
    }
    let depthwise = rng.random_bool(0.3);
    let inputs = rng.random_range(1..=largest.inputs);
    let output = |side: usize, rng: &mut ChaCha8Rng| {
        let reached: u32 = input[side] + 2 * padding[side];
        let most = reached.saturating_sub(kernel[side]) / stride + 1;
        // More below and on the right than above and on the left.
        (most + rng.random_range(0..2)).saturating_sub(rng.random_range(0..2))
    };
    let fully_connected = rng.random_bool(0.15);
    if fully_connected {
        return Shape {
            input: [1, 1],
            inputs: rng.random_range(1..=4 * largest.inputs),
            kernel: [1, 1],
            stride: 1,
            padding: [0, 0],
            output: [1, 1],
            outputs: rng.random_range(1..=largest.outputs),
            depthwise: false,
        };
    }
    Shape {
        output: [0, 1].map(|side| output(side, rng).max(1)),
        input,
        inputs,
        kernel,
        stride,
        padding,
        outputs: if depthwise {
            inputs
        } else {
            rng.random_range(1..=largest.outputs)
        },
        depthwise,
    }
}

/// A cluster with memories of any size.
pub fn random_params(rng: &mut ChaCha8Rng) -> Params {
    let mut pick = |values: &[u32]| values[rng.random_range(0..values.len())];
    let sparse = Sparse {
        units: pick(&[1, 2, 5, 8, 16]),
        channels: pick(&[1, 2, 4, 8, 16]),
        load_lanes: Some(pick(&[1, 3, 8, 8, 12])),
        map_sets: pick(&[1, 2, 4]),
        map_entries: pick(&[64, 256, 1024]),
        weight_words: pick(&[64, 256, 1024, 4096]),
        lists: pick(&[64, 256, 512, 512]),
        sums: pick(&[64, 128, 256, 1024]),
        post: pick(&[0, 1, 1, 1]) == 1,
        ..Sparse::default()
    };
    params(sparse)
}

/// A machine with this cluster.
pub fn params(sparse: Sparse) -> Params {
    Params {
        sparse: Some(sparse),
        post: Post {
            left_shift: true,
            ..Post::default()
        },
        ..super::preset("edge")
    }
}

/// Any split for so many units.
pub fn random_split(shape: &Shape, params: &Params, rng: &mut ChaCha8Rng) -> Split {
    let section = params.sparse_cluster();
    let mut left = section.units;
    let mut share = |most: u32| {
        let share = rng.random_range(1..=left.min(most));
        left /= share;
        share
    };
    let outputs = share(shape.outputs.div_ceil(section.channels));
    let inputs = share(if shape.depthwise { 1 } else { shape.inputs });
    let grid = [share(64), share(64)];
    let mut folds = shape.output.map(|side| rng.random_range(1..=side.min(4)));
    if shape.output[0] > 64 {
        folds[0] = rng.random_range(8..=64);
    }
    Split {
        grid,
        outputs,
        inputs,
        folds,
        halo: [Halo::Input, Halo::Results][rng.random_range(0..2)],
    }
}

/// A cluster, as its commands mean.
pub struct Cluster {
    params: Params,
    interpreter: SparseInterpreter,
}

impl Cluster {
    pub fn new(params: Params) -> Self {
        let interpreter = SparseInterpreter::new(params.sparse_cluster(), params.post.left_shift);
        let mut cluster = Self {
            interpreter,
            params,
        };
        let commands = clear(&cluster.params);
        let results = cluster.execute(&commands, Vec::new(), &[]).unwrap();
        assert!(results.is_empty());
        cluster
    }

    /// Carries out commands; gives the words of results.
    pub fn execute(
        &mut self,
        commands: &[SparseCommand],
        map: Vec<u64>,
        weights: &[u64],
    ) -> Result<Vec<u64>, String> {
        let (mut map, mut weights) = (map.into_iter(), weights.iter().copied());
        let mut results = Vec::new();
        for (at, command) in commands.iter().enumerate() {
            let given = (&mut map, &mut weights);
            let words = self.interpreter.execute(&command.words(), given.0, given.1);
            results.extend(words.map_err(|error| format!("command {at}, {command:?}: {error}"))?);
        }
        if map.next().is_some() || weights.next().is_some() {
            return Err("words of a stream are left".to_string());
        }
        Ok(results)
    }

    /// Computes a layer, and compares its results.
    pub fn check(&mut self, layer: &Layer, plan: &Plan) -> Result<(), String> {
        let message = |error: PlanError| error.to_string();
        let program = plan.program(&layer.values).map_err(message)?;
        let map = program.map_words(&layer.input).map_err(message)?;
        let words = self.execute(&program.commands, map, &program.weights)?;
        if !self.interpreter.is_idle() {
            return Err("loads or runs are left".to_string());
        }
        let is_equal = match self.params.sparse_cluster().post {
            true => program.outputs(&words).map_err(message)? == layer.outputs(),
            false => {
                let sums = program.sums(&words).map_err(message)?;
                sums == layer.results(|sum, _| sum)
            }
        };
        match is_equal {
            true => Ok(()),
            false => Err("the results differ".to_string()),
        }
    }
}
