//! Networks with given zeros: random weights, and biases with which each map has just so many of them.

use heddle_arch::requantise::{Rounding, Scale};
use heddle_network::{Input, Layer, LayerKind, Network, Padding, Shape};
use heddle_sim::network::{Tensor, run_layer};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::noise;

/// Per cent of zeros in the maps that are made: by the first layer, by the first convolution of a stage, by its sum. Those of the input of
/// layer s1_conv1, s1_conv2, s2_conv1 and so on, in a public network.
pub struct Zeros {
    pub first: u32,
    pub stages: [[u32; 2]; 3],
}

/// Two photographs. What the last sum has is not known: as the one before.
pub const PHOTOGRAPHS: [Zeros; 2] = [
    Zeros {
        first: 30,
        stages: [[43, 30], [49, 46], [74, 46]],
    },
    Zeros {
        first: 39,
        stages: [[48, 37], [55, 50], [75, 50]],
    },
];

/// Bytes of a map that is never below zero.
const LOWEST: i8 = i8::MIN;

struct Builder {
    network: Network,
    /// The input, then the output of each layer.
    tensors: Vec<Tensor>,
    rng: ChaCha8Rng,
}

/// ResNet-8, and its image.
pub fn resnet8(zeros: &Zeros, seed: u64) -> Network {
    // No zeros in photographs.
    let byte = |value: f64| (40.0 * value).clamp(-127.0, 127.0) as i8;
    let mut builder = Builder::new("resnet8", (3, 32), seed, byte);
    let mut at = builder.convolution("conv0", 0, (16, 3, 1), Some(zeros.first));
    for (stage, ([inner, sum], channels)) in zeros.stages.iter().zip([16, 32, 64]).enumerate() {
        let name = |part: &str| format!("s{}_{part}", stage + 1);
        let stride = if stage == 0 { 1 } else { 2 };
        let first = builder.convolution(&name("conv1"), at, (channels, 3, stride), Some(*inner));
        let second = builder.convolution(&name("conv2"), first, (channels, 3, 1), None);
        if stage > 0 {
            at = builder.convolution(&name("short"), at, (channels, 1, stride), None);
        }
        at = builder.sum(&name("add"), [at, second], *sum);
    }
    let pooled = builder.pool(at);
    let last = builder.convolution("fc", pooled, (10, 1, 1), None);
    builder.network.outputs = vec![last];
    builder.network
}

/// A 1 x 1 convolution of 64 channels, 80 % of whose values are zero: they lie below the quantile of normal noise.
pub fn point(seed: u64) -> Network {
    let byte = |value: f64| (60.0 * (value - 0.8416)).clamp(0.0, 255.0) as i16 + i16::from(LOWEST);
    let mut builder = Builder::new("point", (64, 28), seed, |value| byte(value) as i8);
    builder.network.outputs = vec![builder.convolution("point", 0, (64, 1, 1), None)];
    builder.network
}

impl Builder {
    /// A network without layers, with an image of smooth noise: channels, and rows of each.
    fn new(name: &str, (channels, side): (u32, u32), seed: u64, byte: impl Fn(f64) -> i8) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let shape = Shape {
            channels,
            height: side,
            width: side,
        };
        let planes = (0..channels).flat_map(|_| noise::smooth(side as usize, &mut rng));
        let image: Vec<i8> = planes.map(byte).collect();
        Self {
            network: Network {
                name: name.to_string(),
                input: shape,
                input_zero_point: LOWEST,
                layers: Vec::new(),
                outputs: Vec::new(),
                states: Vec::new(),
                images: vec![image.clone()],
                labels: Vec::new(),
            },
            tensors: vec![Tensor {
                shape,
                values: image,
            }],
            rng,
        }
    }

    /// A layer without padding of one tensor, with everything but its weights.
    fn layer(&self, name: &str, kind: LayerKind, inputs: &[usize], output: Shape) -> Layer {
        let input = |tensor: &usize| Input {
            tensor: *tensor,
            zero_point: self.network.tensor(*tensor).1,
        };
        Layer {
            name: name.to_string(),
            kind,
            inputs: inputs.iter().map(input).collect(),
            input: self.tensors[inputs[0]].shape,
            output,
            kernel: [1, 1],
            stride: [1, 1],
            dilation: [1, 1],
            groups: 1,
            padding: Padding::default(),
            weights: Vec::new(),
            bias: vec![0; output.channels as usize],
            scales: Vec::new(),
            rounding: Rounding::Single,
            output_zero_point: 0,
            min: i8::MIN,
            max: i8::MAX,
            table: None,
            sources: Default::default(),
            float32: None,
        }
    }

    /// Sizes: channels, sides of the kernel, stride. With zeros nothing is below zero.
    fn convolution(
        &mut self,
        name: &str,
        from: usize,
        (channels, kernel, stride): (u32, u32, u32),
        zeros: Option<u32>,
    ) -> usize {
        let input = self.tensors[from].shape;
        let output = Shape {
            channels,
            height: input.height.div_ceil(stride),
            width: input.width.div_ceil(stride),
        };
        let mut layer = self.layer(name, LayerKind::Conv2d, &[from], output);
        (layer.kernel, layer.stride) = ([kernel; 2], [stride; 2]);
        let around = (kernel - 1) - (kernel - 1) / 2 * (stride - 1).min(1);
        let before = if kernel == 1 { 0 } else { around / 2 };
        let after = if kernel == 1 { 0 } else { around - before };
        layer.padding = Padding {
            top: before,
            left: before,
            bottom: after,
            right: after,
        };
        let weights = channels * input.channels * kernel * kernel;
        let weight = |_| (40.0 * noise::normal(&mut self.rng)).clamp(-127.0, 127.0) as i8;
        layer.weights = (0..weights).map(weight).collect();
        let sums = self.convolution_sums(&layer);
        self.push(layer, &sums, zeros)
    }

    fn sum(&mut self, name: &str, inputs: [usize; 2], zeros: u32) -> usize {
        let output = self.tensors[inputs[0]].shape;
        let mut layer = self.layer(name, LayerKind::WeightedSum, &inputs, output);
        layer.groups = output.channels;
        layer.weights = vec![64, 64];
        let [a, b] = inputs.map(|input| self.values(input));
        let sums: Vec<i32> = a.iter().zip(&b).map(|(a, b)| 64 * (a + b)).collect();
        self.push(layer, &sums, Some(zeros))
    }

    fn pool(&mut self, from: usize) -> usize {
        let Shape {
            channels,
            height,
            width,
        } = self.tensors[from].shape;
        let output = Shape {
            channels,
            height: 1,
            width: 1,
        };
        let mut layer = self.layer("pool", LayerKind::AveragePool2d, &[from], output);
        layer.kernel = [height, width];
        layer.groups = channels;
        layer.scales = vec![Scale::reciprocal(height * width); channels as usize];
        layer.output_zero_point = LOWEST;
        self.add(layer)
    }

    /// A tensor less its zero point.
    fn values(&self, tensor: usize) -> Vec<i32> {
        let zero = i32::from(self.network.tensor(tensor).1);
        let values = self.tensors[tensor].values.iter();
        values.map(|value| i32::from(*value) - zero).collect()
    }

    /// Sums of products by channel, row and column.
    fn convolution_sums(&self, layer: &Layer) -> Vec<i32> {
        let values = self.values(layer.inputs[0].tensor);
        let input = layer.input;
        let value = |channel: u32, row: u32, col: u32| {
            let inside = row < input.height && col < input.width;
            let at = (channel * input.height + row) * input.width + col;
            if inside { values[at as usize] } else { 0 }
        };
        let [rows, cols] = layer.kernel;
        let sum = |output: u32, row: u32, col: u32| {
            let mut sum = 0;
            for (ky, kx) in (0..rows).flat_map(|ky| (0..cols).map(move |kx| (ky, kx))) {
                let row = (row * layer.stride[0] + ky).wrapping_sub(layer.padding.top);
                let col = (col * layer.stride[1] + kx).wrapping_sub(layer.padding.left);
                for channel in 0..input.channels {
                    let weight = i32::from(layer.weight(output, channel, ky, kx));
                    sum += weight * value(channel, row, col);
                }
            }
            sum
        };
        let Shape {
            channels,
            height,
            width,
        } = layer.output;
        let rows = (0..channels).flat_map(|output| (0..height).map(move |row| (output, row)));
        rows.flat_map(|(output, row)| (0..width).map(move |col| sum(output, row, col)))
            .collect()
    }

    /// Adds a layer with these sums: its bias makes the zeros, its scale brings all of the others into a byte.
    fn push(&mut self, mut layer: Layer, sums: &[i32], zeros: Option<u32>) -> usize {
        let mut order = sums.to_vec();
        order.sort_unstable();
        let last = order.len() - 1;
        let (least, levels) = match zeros {
            Some(percent) => (order[last * percent as usize / 100], 255.0),
            None => (0, 127.0),
        };
        let widest = match zeros {
            Some(_) => order[last] - least,
            None => order[last].max(-order[0]),
        };
        layer.bias.fill(-least);
        layer.scales = vec![scale(levels / f64::from(widest.max(1))); layer.bias.len()];
        if zeros.is_some() {
            layer.output_zero_point = LOWEST;
        }
        self.add(layer)
    }

    fn add(&mut self, layer: Layer) -> usize {
        let inputs: Vec<&Tensor> = layer
            .inputs
            .iter()
            .map(|input| &self.tensors[input.tensor])
            .collect();
        let output = run_layer(&layer, &inputs).expect("a layer that fits its inputs");
        self.network.layers.push(layer);
        self.tensors.push(output);
        self.tensors.len() - 1
    }
}

/// The scale of a factor below 1.
fn scale(factor: f64) -> Scale {
    let shift = factor.log2().floor() as i32 + 1;
    let multiplier = factor * f64::from(31 - shift).exp2();
    Scale::new(multiplier as i32, shift).expect("a legal scale")
}
