//! The network in which layers are cut into pieces.

use std::collections::{HashMap, HashSet};
use std::iter;
use std::ops::Range;

use heddle_network::{
    Axis, INPUT_NAME, Input, Layer, LayerKind, Network, Padding, Shape, State, Work,
};

use super::layer::{Pieces, step};

/// A network with layers in pieces.
pub(crate) struct Rewritten {
    pub network: Network,
    /// For each of its layers that of the original network which it belongs to.
    pub origins: Vec<usize>,
}

/// Cuts layers. Every tensor of the network is one of the new network, too, with its name.
pub(crate) fn rewritten(original: &Network, pieces: &[Pieces]) -> Rewritten {
    let names = original.layers.iter().map(|layer| layer.name.clone());
    let mut builder = Builder {
        original,
        layers: Vec::new(),
        names: names.collect(),
        slices: HashMap::new(),
    };
    let mut origins = Vec::new();
    // Tensors of the new network by those of the original.
    let mut tensors = vec![0];
    for (index, layer) in original.layers.iter().enumerate() {
        let mut layer = layer.clone();
        for input in &mut layer.inputs {
            input.tensor = tensors[input.tensor];
        }
        match pieces.iter().find(|pieces| pieces.layer == layer.name) {
            Some(pieces) => builder.push_pieces(index, &layer, pieces),
            None => {
                builder.push(layer);
            }
        }
        tensors.push(builder.layers.len());
        origins.resize(builder.layers.len(), index);
    }
    let outputs = original.outputs.iter();
    let states = original.states.iter().map(|state| State {
        input: tensors[state.input],
        output: tensors[state.output],
        ..state.clone()
    });
    let network = Network {
        name: original.name.clone(),
        layers: builder.layers,
        outputs: outputs.map(|&tensor| tensors[tensor]).collect(),
        states: states.collect(),
        images: original.images.clone(),
        labels: original.labels.clone(),
        ..*original
    };
    Rewritten { network, origins }
}

struct Builder<'a> {
    original: &'a Network,
    layers: Vec<Layer>,
    /// Those of all layers, also of layers to come.
    names: HashSet<String>,
    /// Layers that take a part of a tensor, by the tensor, where the part starts, and its shape.
    slices: HashMap<(usize, [u32; 3], Shape), usize>,
}

impl Builder<'_> {
    /// The pieces of a layer, with slices of their inputs in front of them, and what puts their outputs together.
    fn push_pieces(&mut self, index: usize, layer: &Layer, pieces: &Pieces) {
        // A maximum must know that nothing lies below the zero point.
        let inputs = self.original.layers[index].inputs.iter();
        let least: Vec<i8> = inputs.map(|i| self.original.least(i.tensor)).collect();
        let own_least = self.original.least(index + 1);
        let Shape {
            channels, height, ..
        } = layer.output;
        let mut bands = Vec::new();
        for rows in ranges(height, pieces.rows) {
            let mut parts = Vec::new();
            for channels in ranges(channels, pieces.channels) {
                let (mut part, start) = piece(layer, &channels, &rows);
                part.name = self.name(&layer.name, [&channels, &rows], layer.output);
                for (input, &least) in part.inputs.iter_mut().zip(&least) {
                    *input = self.slice(*input, (layer.input, part.input), start, least);
                }
                parts.push(self.push(part));
            }
            let name = match pieces.rows == height {
                true => layer.name.clone(),
                false => self.name(&layer.name, [&(0..channels), &rows], layer.output),
            };
            bands.push(self.concat(name, Axis::Channels, &parts, own_least));
        }
        self.concat(layer.name.clone(), Axis::Height, &bands, own_least);
    }

    fn push(&mut self, layer: Layer) -> Input {
        let zero_point = layer.output_zero_point;
        if let LayerKind::Slice(start) = layer.kind {
            let key = (layer.inputs[0].tensor, start, layer.output);
            self.slices.entry(key).or_insert(self.layers.len());
        }
        self.names.insert(layer.name.clone());
        self.layers.push(layer);
        Input {
            tensor: self.layers.len(),
            zero_point,
        }
    }

    /// A part of a tensor, which may be there for another piece already; the tensor itself if that is all of it.
    fn slice(
        &mut self,
        input: Input,
        (whole, part): (Shape, Shape),
        start: [u32; 3],
        least: i8,
    ) -> Input {
        if part == whole {
            return input;
        }
        match self.slices.get(&(input.tensor, start, part)) {
            Some(there) => Input {
                tensor: there + 1,
                ..input
            },
            None => {
                let [channel, row, _] = start;
                let ranges = [channel..channel + part.channels, row..row + part.height];
                let source = match input.tensor.checked_sub(1) {
                    Some(made) => self.layers[made].name.clone(),
                    None => INPUT_NAME.to_string(),
                };
                let name = self.name(&source, [&ranges[0], &ranges[1]], whole);
                let kind = LayerKind::Slice(start);
                self.push(moved(name, kind, vec![input], [whole, part], least))
            }
        }
    }

    /// Tensors one after another; a single one is that already.
    fn concat(&mut self, name: String, axis: Axis, parts: &[Input], least: i8) -> Input {
        if let [part] = parts {
            return *part;
        }
        let shapes = parts.iter().map(|part| self.layers[part.tensor - 1].output);
        let mut sides = self.layers[parts[0].tensor - 1].output.sides();
        sides[axis.index()] = shapes.map(|shape| shape.sides()[axis.index()]).sum();
        let first = self.layers[parts[0].tensor - 1].output;
        let shapes = [first, Shape::of(sides)];
        self.push(moved(
            name,
            LayerKind::Concat(axis),
            parts.to_vec(),
            shapes,
            least,
        ))
    }

    /// A name for a part of a tensor that no other tensor has.
    fn name(&self, whole: &str, [channels, rows]: [&Range<u32>; 2], shape: Shape) -> String {
        let part = |what: &str, range: &Range<u32>, all: u32| match range.len() as u32 == all {
            true => String::new(),
            false => format!(" {what} {}-{}", range.start, range.end - 1),
        };
        let suffix = part("channels", channels, shape.channels) + &part("rows", rows, shape.height);
        let numbers = iter::once(String::new()).chain((2..).map(|number| format!(" ({number})")));
        let mut names = numbers.map(|number| {
            let end = suffix.clone() + &number;
            let kept = 64 - end.chars().count();
            whole.chars().take(kept).collect::<String>() + &end
        });
        let free = names.find(|name| !self.names.contains(name));
        free.expect("numbers do not end")
    }
}

/// Parts of this size, the last of which may be smaller.
fn ranges(whole: u32, size: u32) -> impl Iterator<Item = Range<u32>> {
    let starts = (0..whole).step_by(size as usize);
    starts.map(move |start| start..whole.min(start + size))
}

/// A part of a layer, and the channel, row and column at which its input begins in that of the layer.
fn piece(layer: &Layer, channels: &Range<u32>, rows: &Range<u32>) -> (Layer, [u32; 3]) {
    let mut piece = layer.clone();
    piece.output.channels = channels.len() as u32;
    piece.output.height = rows.len() as u32;
    let mut start = [0; 3];
    if channels.len() < layer.output.channels as usize {
        start[0] = cut_channels(&mut piece, layer, channels);
    }
    if rows.len() < layer.output.height as usize {
        start[1] = cut_rows(&mut piece, layer, rows);
    }
    (piece, start)
}

/// Leaves the weights of some output channels, and the channels that they need, the first of which it gives.
fn cut_channels(piece: &mut Layer, layer: &Layer, channels: &Range<u32>) -> u32 {
    let own = channels.start as usize..channels.end as usize;
    let all = layer.output.channels as usize;
    if layer.work() == Work::Weighted {
        let taps = layer.taps();
        piece.weights = layer.weights[own.start * taps..own.end * taps].to_vec();
    }
    if layer.bias.len() == all {
        piece.bias = layer.bias[own.clone()].to_vec();
    }
    if layer.scales.len() == all {
        piece.scales = layer.scales[own].to_vec();
    }
    if layer.groups == 1 {
        return 0;
    }
    piece.groups = piece.output.channels / step(layer);
    piece.input.channels = piece.groups * layer.group_inputs();
    channels.start / step(layer) * layer.group_inputs()
}

/// Leaves the rows that some output rows need, the first of which it gives: beyond the edges of the input there is padding.
fn cut_rows(piece: &mut Layer, layer: &Layer, rows: &Range<u32>) -> u32 {
    let reach = (layer.kernel[0] - 1) * layer.dilation[0] + 1;
    let (top, height) = (layer.padding.top, layer.input.height);
    // Counted from the first row of padding on.
    let first = rows.start * layer.stride[0];
    let end = (rows.end - 1) * layer.stride[0] + reach;
    piece.padding = Padding {
        top: top.saturating_sub(first),
        bottom: end.saturating_sub(top + height),
        ..layer.padding
    };
    let start = first.saturating_sub(top);
    piece.input.height = (end - top).min(height) - start;
    start
}

/// A layer of the host that moves values.
fn moved(
    name: String,
    kind: LayerKind,
    inputs: Vec<Input>,
    [input, output]: [Shape; 2],
    least: i8,
) -> Layer {
    Layer {
        kind,
        output,
        min: least,
        ..Layer::plain(name, inputs, input)
    }
}
