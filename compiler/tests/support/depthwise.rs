//! Networks in which depthwise layers and layers of single pixels follow each other.

use heddle_network::{Layer, LayerKind, Network, Padding, Shape};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::converted::plane_mean;
use super::{Source, add, convolution, fill, plain};

/// A convolution of all channels of a pixel.
pub fn point(rng: &mut ChaCha8Rng, source: Source, channels: u32) -> Layer {
    let mut layer = plain(rng, LayerKind::Conv2d, source, channels);
    layer.kernel = [1, 1];
    layer.output = Shape {
        channels,
        ..source.1
    };
    fill(rng, &mut layer);
    layer
}

/// A kernel for each channel; without `wide` of three rows and one above and below.
pub fn depthwise(rng: &mut ChaCha8Rng, source: Source, wide: bool) -> Layer {
    let shape = source.1;
    let mut layer = plain(rng, LayerKind::Conv2d, source, shape.channels);
    layer.groups = shape.channels;
    layer.kernel = [3, [1, 2, 3, 3, 3][rng.random_range(0..5)]];
    layer.padding = Padding {
        top: 1,
        bottom: 1,
        left: rng.random_range(0..layer.kernel[1]),
        right: rng.random_range(0..layer.kernel[1]),
    };
    if wide {
        layer.kernel[0] = rng.random_range(2..=6);
        layer.stride = [rng.random_range(1..=2), rng.random_range(1..=2)];
        layer.dilation = [rng.random_range(1..=2), rng.random_range(1..=2)];
        let extent = (layer.kernel[0] - 1) * layer.dilation[0] + 1;
        layer.padding.top = rng.random_range(0..extent);
        layer.padding.bottom = rng.random_range(0..extent);
    }
    let padding = &mut layer.padding;
    let extent = |axis: usize| (layer.kernel[axis] - 1) * layer.dilation[axis] + 1;
    padding.bottom += extent(0).saturating_sub(shape.height + padding.top + padding.bottom);
    padding.right += extent(1).saturating_sub(shape.width + padding.left + padding.right);
    let [down, across] = [
        shape.height + padding.top + padding.bottom - extent(0),
        shape.width + padding.left + padding.right - extent(1),
    ];
    layer.output = Shape {
        channels: shape.channels,
        height: down / layer.stride[0] + 1,
        width: across / layer.stride[1] + 1,
    };
    fill(rng, &mut layer);
    layer
}

/// A layer of stride 2, depthwise or of all channels.
fn strided(rng: &mut ChaCha8Rng, source: Source) -> Layer {
    let mut layer = depthwise(rng, source, false);
    layer.kernel = [rng.random_range(1..=3), rng.random_range(1..=3)];
    layer.stride = [2, 2];
    layer.padding = Padding {
        top: rng.random_range(0..layer.kernel[0]),
        bottom: rng.random_range(0..layer.kernel[0]),
        left: rng.random_range(0..layer.kernel[1]),
        right: rng.random_range(0..layer.kernel[1]),
    };
    let padding = layer.padding;
    layer.output.height =
        (source.1.height + padding.top + padding.bottom - layer.kernel[0]) / 2 + 1;
    layer.output.width = (source.1.width + padding.left + padding.right - layer.kernel[1]) / 2 + 1;
    if rng.random_bool(0.5) {
        layer.groups = 1;
    }
    fill(rng, &mut layer);
    layer
}

/// The mean of each channel, often with a bias that all phases of blocks can share.
fn whole_mean(rng: &mut ChaCha8Rng, source: Source) -> Layer {
    let mut layer = plane_mean(rng, source);
    let Shape { height, width, .. } = source.1;
    let elements = 4 * height.div_ceil(2) * width.div_ceil(2);
    if rng.random_bool(0.8) {
        for bias in &mut layer.bias {
            *bias = (elements * height * width) as i32 * rng.random_range(-2..=2);
        }
    }
    layer
}

/// Blocks of a depthwise layer and one of single pixels, with sums here and there and now and then a mean at the end; often `lanes` channels or a few times as many.
pub fn random_depthwise_network(rng: &mut ChaCha8Rng, blocks: usize, lanes: u32) -> Network {
    let input = Shape {
        channels: rng.random_range(1..=4),
        height: rng.random_range(2..=20),
        width: rng.random_range(1..=16),
    };
    let input_zero_point = rng.random_range(i8::MIN..=i8::MAX);
    let mut sources: Vec<Source> = vec![(0, input, input_zero_point)];
    let mut layers: Vec<Layer> = Vec::new();
    let mut push = |mut layer: Layer, sources: &mut Vec<Source>| {
        layer.name = format!("layer{}", layers.len());
        layers.push(layer);
        let layer = &layers[layers.len() - 1];
        sources.push((layers.len(), layer.output, layer.output_zero_point));
    };
    let last = |sources: &[Source]| sources[sources.len() - 1];
    let channels = match rng.random_bool(0.6) {
        true => lanes * rng.random_range(1..=3),
        false => rng.random_range(1..=3 * lanes),
    };
    // Any convolution, but with these channels.
    let mut first = convolution(rng, last(&sources));
    first.groups = 1;
    first.output.channels = channels;
    first.bias = (0..channels)
        .map(|_| rng.random_range(-50_000..=50_000))
        .collect();
    fill(rng, &mut first);
    push(first, &mut sources);
    for block in 1..=blocks {
        let wide = rng.random_bool(0.4);
        let before = last(&sources);
        let layer = depthwise(rng, before, wide);
        push(layer, &mut sources);
        if block == blocks && rng.random_bool(0.2) {
            break;
        }
        if rng.random_bool(0.2) {
            let layer = add(rng, last(&sources), &sources);
            push(layer, &mut sources);
        }
        let channels = match rng.random_bool(0.7) {
            true => before.1.channels,
            false => lanes * rng.random_range(1..=2) + rng.random_range(0..2),
        };
        let layer = point(rng, last(&sources), channels);
        push(layer, &mut sources);
        let size = last(&sources).1;
        if rng.random_bool(0.3) && size.height > 2 && size.width > 2 {
            let layer = strided(rng, last(&sources));
            push(layer, &mut sources);
        }
        // Second readers of what the block has read.
        if rng.random_bool(0.2) {
            let layer = point(rng, before, lanes);
            push(layer, &mut sources);
        }
        if rng.random_bool(0.4) {
            let layer = add(rng, last(&sources), &sources);
            push(layer, &mut sources);
        }
    }
    if rng.random_bool(0.2) {
        let layer = whole_mean(rng, last(&sources));
        push(layer, &mut sources);
    }
    Network {
        name: "depthwise".to_string(),
        input,
        input_zero_point,
        outputs: vec![layers.len()],
        layers,
        images: Vec::new(),
        labels: Vec::new(),
        states: Vec::new(),
    }
}
