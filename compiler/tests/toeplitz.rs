//! Depthwise layers that make several pixels at a time, on the instruction-level machine.

use std::collections::BTreeMap;

use heddle_arch::params::Params;
use heddle_compiler::{Mapping, Options, Phases, PixelOrder, Program};
use heddle_network::{LayerKind, Network, Shape};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::chain::{Link, chain};
use crate::support::depthwise::random_depthwise_network;
use crate::support::{Size, check, mapped, preset, random_image, share_multipliers};
use crate::support::{compile, compile_with};

fn random_params(rng: &mut ChaCha8Rng) -> Params {
    let rows = [2, 4, 4, 6, 8, 16][rng.random_range(0..6)];
    let more = |rng: &mut ChaCha8Rng| match rng.random_bool(0.6) {
        true => 0,
        false => rng.random_range(0..4),
    };
    let size = Size {
        rows: rows + more(rng),
        cols: rows + more(rng),
        loops: rng.random_range(3..=6),
        banks: 4,
        words_per_bank: 2048,
        depth: 16 << rng.random_range(0..4),
        pooling: rng.random_bool(0.5),
    };
    let mut params = size.params();
    params.state_buffer.row_offsets = 256;
    share_multipliers(&mut params, rng);
    params
}

fn count_events(
    events: &mut BTreeMap<String, u32>,
    network: &Network,
    params: &Params,
    program: &Program,
) {
    let mut event = |name: &str, happened: bool| {
        *events.entry(name.to_string()).or_insert(0) += u32::from(happened);
    };
    for (layer, plan) in network.layers.iter().zip(&program.layers) {
        let order = |tensor: usize| program.tensors[tensor].order;
        let reads: Vec<PixelOrder> = layer.inputs.iter().map(|i| order(i.tensor)).collect();
        let writes = order(plan.output);
        if let Some(phases) = plan.choice.mapping.phases() {
            let mut event = |name: &str, happened| event(&format!("{phases:?}: {name}"), happened);
            event("stride", layer.stride[0] > 1);
            let odd = [layer.output.height, layer.output.width].map(|size| size % 2);
            event("odd height", odd[0] == 1);
            event("even height", odd[0] == 0);
            event("odd width", odd[1] == 1);
            // Blocks without one have a test of their own.
            if phases == Phases::Rows {
                event("no halo above", layer.padding.top == 0);
            }
            let around = layer.padding.top.max(layer.padding.bottom);
            event("halo of many rows", around > 2);
            event("several groups", layer.input.channels > params.lanes());
            event(
                "part of a group",
                layer.input.channels % params.lanes() != 0,
            );
            let pixels = layer.output.height * layer.output.width / phases.count();
            event("several pixel tiles", pixels > params.results_buffer.depth);
            event("last layer", plan.output == network.layers.len());
            continue;
        }
        let adds = layer.kind == LayerKind::WeightedSum;
        let whole = layer.groups > 1 && layer.kernel == [layer.input.height, layer.input.width];
        let kind = match (adds, layer.stride, layer.kernel) {
            (true, _, _) => "sum",
            _ if whole => "mean",
            (_, [2, 2], _) => "stride 2",
            _ if plan.choice.mapping == Mapping::Flattened => "flattened",
            (_, _, [1, 1]) => "point",
            _ => "kernel",
        };
        for read in reads {
            if (read, writes) != (PixelOrder::Plain, PixelOrder::Plain) {
                event(
                    &format!("{kind}: {} to {}", read.name(), writes.name()),
                    true,
                );
            }
        }
    }
    event("more rows", params.array.rows > params.array.cols);
    event("more columns", params.array.rows < params.array.cols);
}

/// What must have happened, of readers and writers.
const NEIGHBOURS: [&str; 15] = [
    "flattened: plain to split_blocks",
    "flattened: plain to split_rows",
    "kernel: plain to split_blocks",
    "kernel: plain to split_rows",
    "mean: phased to plain",
    "point: joined_blocks to phased",
    "point: joined_blocks to split_blocks",
    "point: joined_rows to plain",
    "point: joined_rows to split_rows",
    "point: split_rows to plain",
    "stride 2: phased to plain",
    "stride 2: phased to split_blocks",
    "sum: joined_blocks to phased",
    "sum: joined_rows to plain",
    "sum: plain to split_blocks",
];

#[test]
fn pixels_made_together_give_the_golden_outputs() {
    let mut events = BTreeMap::new();
    let (mut several, mut faster, mut imaged) = (0, 0, 0);
    for seed in 0..600 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let params = random_params(&mut rng);
        let blocks = rng.random_range(1..=3);
        let network = random_depthwise_network(&mut rng, blocks, params.lanes());
        let place = format!("seed {seed}, {:?}", params.array);
        let asked = [Some(Mapping::Toeplitz), Some(Mapping::Blocks), None][seed as usize % 3];
        let options = Options {
            mapping: asked,
            ..Options::default()
        };
        let Ok(program) = compile_with(&network, &params, &options) else {
            continue;
        };
        let mut layers = program.layers.iter();
        if !layers.any(|plan| plan.choice.mapping.phases().is_some()) {
            continue;
        }
        several += 1;
        let images = [(); 2].map(|()| random_image(&mut rng, &network));
        imaged += u32::from(check(&program, &network, &params, &images, &place));
        count_events(&mut events, &network, &params, &program);
        let read = Program::from_json(&program.to_json(&params), &params).unwrap();
        assert_eq!(read.tensors, program.tensors, "{place}");
        assert_eq!(read.layers, program.layers, "{place}");
        // What is chosen is never slower, and in one run the outputs are the same.
        let cycles = |program: &Program| program.runs.iter().map(|run| run.cycles).sum::<u64>();
        let chosen = compile(&network, &params).unwrap();
        assert!(cycles(&chosen) <= cycles(&program), "{place}");
        if let Ok(diagonal) = compile_with(&network, &params, mapped(Mapping::Channel)) {
            faster += u32::from(cycles(&program) < cycles(&diagonal));
        }
        let whole = Options {
            whole: true,
            ..options
        };
        let whole = compile_with(&network, &params, &whole).unwrap();
        check(&whole, &network, &params, &images[..1], &place);
    }
    println!("{several} networks, {faster} faster, {imaged} images; {events:#?}");
    assert!(imaged > 150, "only {imaged} have images");
    assert!(several > 150, "only {several} networks");
    assert!(faster > 75, "only {faster} are faster");
    for name in NEIGHBOURS {
        assert!(events.contains_key(name), "{name} never happened");
    }
    for (name, count) in events {
        assert!(count > 0, "{name} never happened");
    }
}

/// Mappings of the depthwise layers of a chain on the machine of the preset, which give the golden outputs.
fn taken(rng: &mut ChaCha8Rng, size: Shape, links: &[Link], options: Options) -> Vec<Mapping> {
    let params = preset("tflite");
    let network = chain(rng, size, links);
    let program = compile_with(&network, &params, &options).unwrap();
    let image = random_image(rng, &network);
    check(&program, &network, &params, &[image], "chain");
    let layers = program.layers.iter().zip(links);
    let depthwise = layers.filter(|(_, link)| matches!(link, Link::Square(_) | Link::Open));
    depthwise.map(|(layer, _)| layer.choice.mapping).collect()
}

#[test]
fn layers_in_a_chain_change_together_up_to_a_mean_that_takes_their_phases() {
    use Link::{Mean, Point, Square};
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let size = Shape {
        channels: 64,
        height: 11,
        width: 13,
    };
    // Of 143 pixels, and 4 x 6 x 7 of the phases.
    let (any, blocks) = (Options::default(), mapped(Mapping::Blocks));
    for (bias, options, mapping) in [
        (143 * 168, any.clone(), Mapping::Blocks),
        (143 * 168, blocks, Mapping::Blocks),
        (143, any, Mapping::Toeplitz),
    ] {
        let pair = [Square(1), Point];
        let links = [&[Point], &pair[..], &pair, &pair, &[Mean(bias)]].concat();
        let found = taken(&mut rng, size, &links, options);
        assert_eq!(found, [mapping; 3], "bias {bias}");
    }
}

#[test]
fn pairs_of_rows_are_followed_by_blocks() {
    use Link::{Point, Square};
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let size = Shape {
        channels: 64,
        height: 18,
        width: 16,
    };
    // Columns of the first kernel are two apart, so that it can make no blocks.
    let links = [Point, Square(2), Point, Square(1), Point];
    let found = taken(&mut rng, size, &links, Options::default());
    assert_eq!(found, [Mapping::Toeplitz, Mapping::Blocks]);
}

#[test]
fn blocks_need_no_halo_above() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let size = Shape {
        channels: 64,
        height: 18,
        width: 16,
    };
    let links = [Link::Point, Link::Open, Link::Point];
    let found = taken(&mut rng, size, &links, Options::default());
    assert_eq!(found, [Mapping::Blocks]);
}
