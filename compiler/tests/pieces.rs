//! Layers that are too large even alone, in pieces, on the instruction-level machine: every value of every tensor.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use heddle_arch::params::{Params, Post};
use heddle_compiler::{Compiled, Mapping, Options, Pieces, Program, compile};
use heddle_network::{Layer, LayerKind, Network, Padding, Shape};
use heddle_sim::network::run as golden;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::segments::read_forged;
use crate::support::chain::{Link, chain, window};
use crate::support::compile_with;
use crate::support::converted::{padded_maximum, sum, table};
use crate::support::depthwise::{depthwise, point, random_depthwise_network};
use crate::support::{
    Size, Source, check, fill, mapped, model, preset, random_image, random_network, random_size,
    whole,
};

/// Every tensor of the network has the same values in the other one.
fn check_golden(network: &Network, pieces: &Network, image: &[i8], place: &str) {
    let (expected, found) = (
        golden(network, image).unwrap(),
        golden(pieces, image).unwrap(),
    );
    for (layer, tensor) in network.layers.iter().zip(expected) {
        let mut layers = pieces.layers.iter().zip(&found);
        let same = layers.find(|(other, _)| other.name == layer.name);
        let (_, values) = same.unwrap_or_else(|| panic!("{place}: no tensor {}", layer.name));
        assert_eq!(*values, tensor, "{place}: {}", layer.name);
    }
    let names = |network: &Network| -> Vec<String> {
        let outputs = network.outputs.iter();
        outputs
            .map(|&output| network.tensor_name(output).to_string())
            .collect()
    };
    assert_eq!(names(network), names(pieces), "{place}");
    let all: BTreeSet<&String> = pieces.layers.iter().map(|layer| &layer.name).collect();
    assert_eq!(all.len(), pieces.layers.len(), "{place}: names");
}

/// Three images on one machine; then the same from a file.
pub fn check_images(made: &Compiled, original: &Network, params: &Params, place: &str) {
    let (network, program) = (&*made.network, &made.program);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let images = [0, 1, 2].map(|_| random_image(&mut rng, network));
    check_golden(original, network, &images[0], place);
    check(program, network, params, &images, place);
    let text = program.to_json(params);
    let read = Program::from_json(&text, params).expect(place);
    let again = read.network_of(original).expect(place);
    assert_eq!(*again, *network, "{place}");
    read.check_network(&again).expect(place);
    assert_eq!(read.to_json(params), text, "{place}");
    check(&read, network, params, &images[..1], place);
}

/// A machine with enough of everything.
fn params() -> Params {
    let size = Size {
        rows: 8,
        cols: 8,
        loops: 6,
        banks: 4,
        words_per_bank: 2048,
        depth: 64,
        pooling: true,
    };
    let mut params = size.params();
    params.state_buffer.row_offsets = 64;
    params.post.activations = 2;
    params.post.dual_scale = true;
    params
}

/// A layer, and one after it.
fn network(seed: u64, shape: Shape, make: fn(&mut ChaCha8Rng, Source) -> Layer) -> Network {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut network = chain(&mut rng, shape, &[Link::Point, Link::Point]);
    let source = (0, shape, network.input_zero_point);
    let mut layer = make(&mut rng, source);
    layer.name = "large".to_string();
    let source = (1, layer.output, layer.output_zero_point);
    let mut last = point(&mut rng, source, 3);
    last.name = "last".to_string();
    network.layers = vec![layer, last];
    network
}

fn moved(mut layer: Layer, stride: [u32; 2], dilation: [u32; 2], padding: u32) -> Layer {
    (layer.stride, layer.dilation) = (stride, dilation);
    (layer.padding.top, layer.padding.bottom) = (padding, padding);
    let reach = |axis: usize| (layer.kernel[axis] - 1) * dilation[axis] + 1;
    layer.output.height = (layer.input.height + 2 * padding - reach(0)) / stride[0] + 1;
    let sides = layer.padding.left + layer.padding.right;
    layer.output.width = (layer.input.width + sides - reach(1)) / stride[1] + 1;
    layer
}

fn connected(rng: &mut ChaCha8Rng, source: Source) -> Layer {
    let mut layer = point(rng, source, 40);
    layer.kind = LayerKind::FullyConnected;
    layer.kernel = [source.1.height, source.1.width];
    (layer.output.height, layer.output.width) = (1, 1);
    fill(rng, &mut layer);
    layer
}

/// Columns of equal sizes, 8 channels at a time.
type Subject = (&'static str, fn(&mut ChaCha8Rng, Source) -> Layer);

const SUBJECTS: [Subject; 9] = [
    ("conv", |rng, source| window(rng, source, 40)),
    ("stride", |rng, source| {
        moved(window(rng, source, 20), [2, 1], [1, 1], 1)
    }),
    ("sparse stride", |rng, source| {
        moved(window(rng, source, 20), [4, 3], [1, 1], 2)
    }),
    ("dilation", |rng, source| {
        moved(window(rng, source, 20), [1, 1], [3, 2], 5)
    }),
    ("depthwise", |rng, source| depthwise(rng, source, true)),
    ("pooling", |rng, mut source| {
        // Nothing lies below the zero point.
        source.2 = i8::MIN;
        let mut layer = padded_maximum(rng, source);
        layer.output_zero_point = i8::MIN;
        layer
    }),
    ("fully connected", connected),
    ("add", |rng, source| sum(rng, source, &[source])),
    ("table", table),
];

/// The memories that a layer may lack, and how they become smaller.
const SIZES: [fn(&mut Params) -> &mut u32; 3] = [
    |p| &mut p.state_buffer.words_per_bank,
    |p| &mut p.column_tiles,
    |p| &mut p.program.words,
];

/// Smaller and smaller memories, so many times or until nothing helps; gives what was cut because of what.
fn shrink(
    network: &Network,
    (size, times): (usize, usize),
    params: &Params,
    place: &str,
) -> BTreeSet<String> {
    let (mut params, mut events) = (params.clone(), BTreeSet::new());
    for _ in 0..times {
        *SIZES[size](&mut params) /= 2;
        let left = *SIZES[size](&mut params);
        if left == 0 {
            return events;
        }
        let place = format!("{place}, {left} left");
        let options = Options {
            whole: left.ilog2() % 2 == 0,
            ..Options::default()
        };
        let made = match compile(network, &params, &options) {
            Ok(made) => made,
            Err(error) => {
                let refused = compile_with(network, &params, &options).expect_err(&place);
                assert_eq!(error, refused, "{place}");
                events.insert("refused".to_string());
                return events;
            }
        };
        for pieces in &made.program.pieces {
            let mut layers = network.layers.iter();
            let layer = layers.find(|layer| layer.name == pieces.layer).unwrap();
            let [channels, rows] = pieces.counts(layer);
            assert!(channels * rows > 1, "{place}");
            let cause = pieces.reason.split(" need").next().unwrap();
            for (direction, _) in [("channels", channels), ("rows", rows)]
                .iter()
                .filter(|(_, count)| *count > 1)
            {
                events.insert(format!("{} by {direction}: {cause}", pieces.layer));
            }
        }
        if made.program.keeps {
            check_images(&made, network, &params, &place);
        } else {
            assert!(matches!(made.network, Cow::Borrowed(_)), "{place}");
        }
    }
    events
}

#[test]
fn layers_of_every_kind_are_cut_for_lack_of_each_memory() {
    let shape = Shape {
        channels: 20,
        height: 24,
        width: 9,
    };
    for (name, make) in SUBJECTS {
        let mut network = network(1, shape, make);
        if name == "pooling" {
            network.input_zero_point = i8::MIN;
        }
        let events = [0, 1].map(|size| shrink(&network, (size, 16), &params(), name));
        let has = |event: &str| events.iter().any(|events| events.contains(event));
        let rows = "large by rows: activations";
        let channels = "large by channels: column parameters";
        assert!(has(rows) || name == "fully connected", "{name}: {events:?}");
        assert!(has(channels), "{name}: {events:?}");
        assert!(events[0].contains("refused"), "{name}: {events:?}");
    }
}

/// The host writes the input of each band wherever a tap needs it, and reads and writes pixels in any order.
#[test]
fn bands_take_the_ways_that_whole_layers_take() {
    let shape = Shape {
        channels: 3,
        height: 48,
        width: 48,
    };
    let links = [Link::Window(16), Link::Square(1), Link::Point];
    let network = chain(&mut ChaCha8Rng::seed_from_u64(3), shape, &links);
    let mut params = preset("tflite");
    params.state_buffer.banks = 8;
    params.state_buffer.words_per_bank = 64;
    let made = compile(&network, &params, &whole()).unwrap();
    for (layer, mapping) in network
        .layers
        .iter()
        .zip(["flattened", "blocks", "channel"])
    {
        let bands = format!("{} rows ", layer.name);
        let layers = made.program.layers.iter();
        let bands: Vec<_> = layers
            .filter(|layer| !layer.host && layer.name.starts_with(&bands))
            .map(|layer| layer.choice.mapping.name())
            .collect();
        assert!(bands.len() > 1, "{}: {bands:?}", layer.name);
        assert_eq!(bands, vec![mapping; bands.len()], "{}", layer.name);
    }
    check_images(&made, &network, &params, "bands");
    // As many of them as have room.
    params.state_buffer.words_per_bank = 16;
    let flattened = mapped(Mapping::Flattened);
    let made = compile(&network, &params, &flattened).unwrap();
    let layers = made.program.layers.iter();
    let mut mappings = layers.map(|layer| layer.choice.mapping);
    assert!(mappings.any(|mapping| mapping == Mapping::Flattened));
}

#[test]
fn weights_and_programs_that_are_too_long_cut_channels() {
    let shape = Shape {
        channels: 40,
        height: 3,
        width: 3,
    };
    for (name, make) in [SUBJECTS[0], SUBJECTS[6]] {
        let network = network(2, shape, make);
        let events = shrink(&network, (0, 16), &params(), name);
        assert!(
            events.contains("large by channels: weights"),
            "{name}: {events:?}"
        );
        shrink(&network, (2, 16), &params(), name);
    }
}

#[test]
fn a_network_that_fits_stays_as_it_is() {
    let (network, params) = (model("digits"), preset("edge"));
    let compiled = compile(&network, &params, &whole()).unwrap();
    assert!(matches!(compiled.network, Cow::Borrowed(_)));
    let program = compile_with(&network, &params, whole()).unwrap();
    assert_eq!(compiled.program.to_json(&params), program.to_json(&params));
}

/// Halves a memory as long as the network can be compiled without pieces.
fn smallest(network: &Network, params: &Params, size: usize) -> Params {
    let mut best = params.clone();
    loop {
        let mut params = best.clone();
        *SIZES[size](&mut params) /= 2;
        match compile_with(network, &params, Options::default()) {
            Ok(_) if *SIZES[size](&mut params) > 0 => best = params,
            _ => return best,
        }
    }
}

#[test]
fn random_networks_in_pieces_give_the_golden_outputs() {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for seed in 0..48 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut params = random_size(&mut rng).params();
        params.state_buffer.row_offsets = 64;
        params.post.activations = 4;
        params.post.dual_scale = rng.random_bool(0.5);
        let layers = rng.random_range(1..=6);
        let network = match rng.random_bool(0.3) {
            true => random_depthwise_network(&mut rng, layers / 2 + 1, params.lanes()),
            false => random_network(&mut rng, layers, &params.post),
        };
        if compile_with(&network, &params, Options::default()).is_err() {
            continue;
        }
        let size = rng.random_range(0..SIZES.len());
        let params = smallest(&network, &params, size);
        let place = format!("seed {seed}, {params:?}");
        for event in shrink(&network, (size, 2), &params, &place) {
            let event = event.split(" by ").last().unwrap().to_string();
            *counts.entry(event).or_default() += 1;
        }
    }
    for event in [
        "rows: activations",
        "channels: weights",
        "channels: column parameters",
        "refused",
    ] {
        assert!(
            counts.get(event).is_some_and(|&count| count > 2),
            "{event}: {counts:?}"
        );
    }
}

/// Pieces of any sizes, whether a machine asks for them or not.
#[test]
fn random_pieces_give_every_tensor_of_the_network() {
    let mut program = compile_with(&model("digits"), &preset("edge"), whole()).unwrap();
    let mut cut = 0;
    for seed in 0..300 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let post = Post {
            pooling: true,
            dual_scale: true,
            activations: 2,
            ..Post::default()
        };
        let network = random_network(&mut rng, 4, &post);
        let pieces = network.layers.iter().map(|layer| Pieces {
            layer: layer.name.clone(),
            channels: rng.random_range(1..=layer.output.channels),
            rows: rng.random_range(1..=layer.output.height),
            reason: String::new(),
        });
        // Groups of channels stay together; layers of the host stay whole.
        let possible = pieces.filter(|pieces| {
            program.pieces = vec![pieces.clone()];
            program.network_of(&network).is_ok()
        });
        let possible: Vec<Pieces> = possible.collect();
        program.pieces = possible;
        let pieces = program.network_of(&network).unwrap();
        cut += u32::from(pieces.layers.len() > network.layers.len() + 8);
        let image = random_image(&mut rng, &network);
        if golden(&network, &image).is_ok() {
            check_golden(&network, &pieces, &image, &format!("seed {seed}"));
        }
    }
    assert!(cut > 50, "{cut} networks have many pieces");
}

#[test]
fn pieces_that_no_layer_has_are_refused() {
    let network = model("digits");
    let mut program = compile_with(&network, &preset("edge"), whole()).unwrap();
    for (layer, channels, rows) in [
        ("conv9", 8, 8),
        ("conv1", 0, 8),
        ("conv1", 8, 0),
        ("conv1", 4097, 8),
        ("conv1", 8, u32::MAX),
    ] {
        program.pieces = vec![Pieces {
            layer: layer.to_string(),
            channels,
            rows,
            reason: "it lacks something".to_string(),
        }];
        let message = program.network_of(&network).expect_err("no such pieces");
        assert!(message.contains(layer), "{message}");
    }
}

#[test]
fn tensors_without_a_place_are_for_the_host_alone() {
    let shape = Shape {
        channels: 20,
        height: 24,
        width: 9,
    };
    let network = network(1, shape, SUBJECTS[0].1);
    let mut params = params();
    params.state_buffer.words_per_bank = 64;
    let compiled = compile(&network, &params, &whole()).unwrap();
    let program = compiled.program;
    assert!(program.tensors[0].planes.is_empty());
    let text = program.to_json(&params);
    let file: Value = serde_json::from_str(&text).unwrap();
    let mut made = program.runs.iter().filter(|run| !run.host);
    let by_machine = made.next().unwrap().layers.end;
    for (at, value) in [
        ("/program/keeps".to_string(), json!(false)),
        (format!("/program/tensors/{by_machine}/planes"), json!([])),
    ] {
        let mut changed = file.clone();
        *changed.pointer_mut(&at).expect(&at) = value;
        let error = read_forged(&changed, &params).expect_err(&at);
        assert!(
            error.to_string().contains("channels in partitions"),
            "{at}: {error}"
        );
    }
}

/// A layer whose weights have no room channel by channel, but over the rows, is not cut.
#[test]
fn a_layer_that_fits_in_one_of_its_ways_stays_whole() {
    let shape = Shape {
        channels: 1,
        height: 10,
        width: 10,
    };
    let network = network(3, shape, |rng, source| {
        let mut layer = point(rng, source, 32);
        layer.kernel = [9, 9];
        layer.padding = Padding {
            top: 4,
            bottom: 4,
            left: 4,
            right: 4,
        };
        fill(rng, &mut layer);
        layer
    });
    let mut params = preset("tflite");
    params.state_buffer.banks = 8;
    params.state_buffer.words_per_bank = 32;
    let by_channel = compile(&network, &params, &mapped(Mapping::Channel)).unwrap();
    assert_eq!(by_channel.program.pieces[0].layer, "large");
    let compiled = compile(&network, &params, &Options::default()).unwrap();
    assert_eq!(compiled.program.pieces, []);
    let first = &compiled.program.layers[0];
    assert_eq!(first.choice.mapping, Mapping::Flattened);
    check_images(&compiled, &network, &params, "over the rows");
}
