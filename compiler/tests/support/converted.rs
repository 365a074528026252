//! Layers as converters make them: sums of two scales, tables, maxima with padding, means of whole planes.

use heddle_arch::params::Post;
use heddle_arch::requantise::{Rounding, Scale};
use heddle_network::{Layer, LayerKind, Padding, Shape, Sum, Table};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{Source, input, plain, pool};

/// One of them, if post-processing has what it needs.
pub fn random_layer(
    rng: &mut ChaCha8Rng,
    source: Source,
    sources: &[Source],
    post: &Post,
) -> Option<Layer> {
    match rng.random_range(0..10) {
        0..3 if post.dual_scale => Some(sum(rng, source, sources)),
        3..5 if post.pooling => Some(padded_maximum(rng, source)),
        5 if post.pooling => Some(plane_mean(rng, source)),
        6 if post.activations > 0 => Some(table(rng, source)),
        _ => None,
    }
}

/// Makes a Relu of what follows a layer, or a table; gives whether it is a table.
pub fn finish(rng: &mut ChaCha8Rng, layer: &mut Layer, tables: u32) -> bool {
    let windows = matches!(
        layer.kind,
        LayerKind::MaxPool2d | LayerKind::AveragePool2d | LayerKind::Table
    );
    if !windows && rng.random_bool(0.3) {
        (layer.min, layer.max) = (layer.output_zero_point, i8::MAX);
    }
    if layer.table.is_none() && tables > 0 && rng.random_bool(0.3) {
        layer.table = Some(random_table(rng, layer.output_zero_point));
        layer.output_zero_point = rng.random();
    }
    layer.table.is_some()
}

fn random_table(rng: &mut ChaCha8Rng, zero_point: i8) -> Table {
    Table {
        zero_point,
        values: (0..Table::ENTRIES).map(|_| rng.random()).collect(),
    }
}

/// Multiplier and shift of a real scale.
fn scale(real: f64) -> Scale {
    let shift = real.log2().floor() as i32 + 1;
    let multiplier = (real * f64::from(31 - shift).exp2()).round();
    Scale::new(multiplier.min(f64::from(i32::MAX)) as i32, shift).unwrap()
}

/// The scales of a sum, the reals of which are these.
fn scales([first, second, output]: [f32; 3], subtracts: bool) -> Sum {
    let [first, second, output] = [first, second, output].map(f64::from);
    let twice = 2.0 * first.max(second);
    Sum {
        inputs: [scale(first / twice), scale(second / twice)],
        output: scale(twice / (f64::from(1u32 << Sum::LEFT_SHIFT) * output)),
        subtracts,
        ..Sum::default()
    }
}

/// A sum or a difference that uses its range.
pub fn sum(rng: &mut ChaCha8Rng, source: Source, sources: &[Source]) -> Layer {
    let mut real = || rng.random_range(-3.0f32..3.0).exp2() * 0.01;
    let reals = [real(), real(), real()];
    let output = reals[2] + (reals[0] + reals[1]) / 2.0;
    let sum = scales([reals[0], reals[1], output], rng.random_bool(0.3));
    let same: Vec<&Source> = sources.iter().filter(|s| s.1 == source.1).collect();
    let other = *same[rng.random_range(0..same.len())];
    let mut layer = of_plane(rng, LayerKind::Add(sum), source);
    layer.inputs.push(input(other));
    layer.bias.clear();
    layer
}

/// A table alone.
pub fn table(rng: &mut ChaCha8Rng, source: Source) -> Layer {
    let mut layer = of_plane(rng, LayerKind::Table, source);
    layer.scales = vec![Scale::reciprocal(1); source.1.channels as usize];
    layer.bias = vec![0; source.1.channels as usize];
    layer.table = Some(random_table(rng, source.2));
    layer
}

/// A layer whose outputs need the input of their own place alone, unclamped.
fn of_plane(rng: &mut ChaCha8Rng, kind: LayerKind, source: Source) -> Layer {
    Layer {
        output: source.1,
        kernel: [1, 1],
        groups: source.1.channels,
        rounding: Rounding::Single,
        min: i8::MIN,
        max: i8::MAX,
        ..plain(rng, kind, source, source.1.channels)
    }
}

/// The largest values of windows that reach beyond the edges.
pub fn padded_maximum(rng: &mut ChaCha8Rng, source: Source) -> Layer {
    let mut layer = pool(rng, source, true);
    let mut side = |axis: usize| rng.random_range(0..layer.kernel[axis]);
    let padding = Padding {
        top: side(0),
        bottom: side(0),
        left: side(1),
        right: side(1),
    };
    let shape = source.1;
    layer.output = Shape {
        channels: shape.channels,
        height: (shape.height + padding.top + padding.bottom - layer.kernel[0]) / layer.stride[0]
            + 1,
        width: (shape.width + padding.left + padding.right - layer.kernel[1]) / layer.stride[1] + 1,
    };
    layer.padding = padding;
    layer
}

/// The mean of a plane as a convolution with equal weights, whose bias puts back zero points.
pub fn plane_mean(rng: &mut ChaCha8Rng, source: Source) -> Layer {
    let shape = source.1;
    let size = shape.height * shape.width;
    let mut layer = plain(rng, LayerKind::Conv2d, source, shape.channels);
    layer.groups = shape.channels;
    let weight = rng.random_range(-2..=2);
    layer.weights = vec![weight; (shape.channels * size) as usize];
    let bias = |_: &i32| size as i32 * rng.random_range(-256..=256);
    layer.bias = layer.bias.iter().map(bias).collect();
    layer.scales = vec![Scale::reciprocal(2 * size); shape.channels as usize];
    layer
}
