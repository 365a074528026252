//! Networks whose layers read each other, one of each kind where it is asked for.

use heddle_network::{Layer, Network, Padding, Shape};
use rand_chacha::ChaCha8Rng;

use super::converted::plane_mean;
use super::depthwise::{depthwise, point};
use super::{Source, fill};

/// A depthwise layer of 3 x 3 places that keeps the size of its plane; they are so many columns apart.
fn square(rng: &mut ChaCha8Rng, source: Source, apart: u32) -> Layer {
    let mut layer = depthwise(rng, source, false);
    layer.kernel = [3, 3];
    layer.dilation = [1, apart];
    layer.padding = Padding {
        top: 1,
        bottom: 1,
        left: apart,
        right: apart,
    };
    layer.output = source.1;
    fill(rng, &mut layer);
    layer
}

/// A layer of 3 x 3 places that keeps the size of its plane.
pub fn window(rng: &mut ChaCha8Rng, source: Source, outputs: u32) -> Layer {
    let mut layer = point(rng, source, outputs);
    layer.kernel = [3, 3];
    layer.padding = Padding {
        top: 1,
        bottom: 1,
        left: 1,
        right: 1,
    };
    fill(rng, &mut layer);
    layer
}

/// What a layer of a chain is.
#[derive(Clone, Copy)]
pub enum Link {
    /// A convolution of single pixels with as many outputs as the network has channels, or as many as this.
    Point,
    Points(u32),
    /// One of 3 x 3 places with as many outputs.
    Window(u32),
    /// A depthwise layer with columns of the kernel so far apart.
    Square(u32),
    /// The same without a halo above.
    Open,
    /// A mean of the plane with this bias.
    Mean(i32),
}

/// Layers that read each other.
pub fn chain(rng: &mut ChaCha8Rng, size: Shape, links: &[Link]) -> Network {
    let mut source = (0, size, 3);
    let mut layers = Vec::new();
    for (number, link) in links.iter().enumerate() {
        let mut layer = match link {
            Link::Point => point(rng, source, size.channels),
            Link::Points(outputs) => point(rng, source, *outputs),
            Link::Window(outputs) => window(rng, source, *outputs),
            Link::Square(apart) => square(rng, source, *apart),
            Link::Open => {
                let mut layer = square(rng, source, 1);
                layer.padding.top = 0;
                layer.output.height -= 1;
                layer
            }
            Link::Mean(_) => plane_mean(rng, source),
        };
        if let Link::Mean(bias) = link {
            layer.bias = vec![*bias; size.channels as usize];
        }
        layer.name = format!("layer{number}");
        source = (number + 1, layer.output, layer.output_zero_point);
        layers.push(layer);
    }
    Network {
        name: "chain".to_string(),
        input: size,
        input_zero_point: 3,
        outputs: vec![layers.len()],
        layers,
        images: Vec::new(),
        labels: Vec::new(),
        states: Vec::new(),
    }
}
