//! Networks that do not fit at once, cut into segments, on the instruction-level machine.

use std::collections::BTreeMap;

use heddle_arch::network::Network;
use heddle_arch::params::{Params, Post};
use heddle_compiler::{
    CompileError, Compiled, Load, Mapping, Memory, Options, Program, compile_and_compare,
    compile_with,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::depthwise::random_depthwise_network;
use crate::support::{
    self, check, mapped, model, preset, random_image, random_network, random_size, refusal, whole,
};

/// Which memories are too small for all layers at once.
fn lacks(error: &CompileError) -> Vec<Memory> {
    match error {
        CompileError::DoesNotFit { shortages, .. } => {
            shortages.iter().map(|lack| lack.memory).collect()
        }
        other => panic!("{other}"),
    }
}

/// The memories that a load is for.
fn written(load: &Load) -> Vec<Memory> {
    let weights = load.image.iter().any(|(_, _, bytes)| *bytes != [0; 8]);
    let all = [
        (Memory::Weights, weights),
        (Memory::ColumnTiles, !load.columns.is_empty()),
        (Memory::RowOffsets, !load.row_offsets.is_empty()),
        (Memory::Tables, !load.tables.is_empty()),
        (Memory::Program, !load.words.is_empty()),
    ];
    let written = all.into_iter().filter(|(_, written)| *written);
    written.map(|(memory, _)| memory).collect()
}

/// Three images on one machine: every value of every layer, and every number of cycles.
fn check_images(compiled: &Compiled, network: &Network, params: &Params, place: &str) {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let images = [0, 1, 2].map(|_| random_image(&mut rng, network));
    check(&compiled.program, network, params, &images, place);
    let text = compiled.program.to_json(params);
    let read = Program::from_json(&text, params).expect(place);
    read.check_network(network).expect(place);
    assert_eq!(read.to_json(params), text, "{place}");
    check(&read, network, params, &images[..1], place);
}

/// A small machine, and a network of depthwise layers whose mapping needs entries of the row tables.
fn with_row_tables() -> (Network, Params) {
    let size = support::Size {
        rows: 4,
        cols: 4,
        loops: 6,
        banks: 4,
        words_per_bank: 2048,
        depth: 64,
        pooling: false,
    };
    let network = random_depthwise_network(&mut ChaCha8Rng::seed_from_u64(39), 6, 4);
    (network, size.params())
}

/// Layers of which each has a table of its own.
fn with_tables() -> (Network, Params) {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let post = Post {
        activations: 8,
        ..Post::default()
    };
    let network = loop {
        let network = random_network(&mut rng, 6, &post);
        let tables = network.layers.iter().filter(|layer| layer.table.is_some());
        if tables.count() > 2 {
            break network;
        }
    };
    let mut params = preset("edge");
    params.post.left_shift = true;
    (network, params)
}

#[test]
fn each_memory_that_is_too_small_cuts_a_network_and_only_its_data_are_written_again() {
    type Row = (Memory, (Network, Params), Options, fn(&mut Params));
    let digits = || (model("digits"), preset("edge"));
    let rows: [Row; 6] = [
        (Memory::Weights, digits(), mapped(Mapping::Channel), |p| {
            p.state_buffer.words_per_bank = 256;
        }),
        (Memory::ColumnTiles, digits(), whole(), |p| {
            p.column_tiles = 4;
        }),
        (Memory::Program, digits(), Options::default(), |p| {
            p.program.words = 64;
        }),
        (Memory::Program, digits(), whole(), |p| {
            p.program.words = 64;
        }),
        (Memory::Tables, with_tables(), whole(), |p| {
            p.post.activations = 1;
        }),
        (Memory::Tables, with_tables(), whole(), |p| {
            p.post.activations = 2;
        }),
    ];
    for (memory, (network, mut params), options, change) in rows {
        change(&mut params);
        let place = format!("{memory:?}");
        let compiled = compile_and_compare(&network, &params, options, &[]).expect(&place);
        let cut = compiled.cut.as_ref().expect(&place);
        assert_eq!(lacks(cut), [memory], "{place}");
        let program = &compiled.program;
        assert!(program.segments.len() > 1, "{place}");
        for segment in &program.segments {
            let again = written(&segment.load);
            assert!(
                again.iter().all(|other| *other == memory),
                "{place}: {again:?}"
            );
        }
        assert!(!written(&program.once).contains(&memory), "{place}");
        check_images(&compiled, &network, &params, &place);
    }
}

/// For lack of row offsets alone no network is cut: mappings that need them are taken back.
#[test]
fn row_offsets_of_a_network_that_is_cut_are_those_of_each_segment() {
    let (network, mut params) = with_row_tables();
    let options = mapped(Mapping::Blocks);
    params.state_buffer.row_offsets = 24;
    let compiled = compile_and_compare(&network, &params, options, &[]).unwrap();
    assert!(compiled.cut.is_none() && compiled.program.segments.is_empty());
    params.column_tiles = 12;
    let compiled = compile_and_compare(&network, &params, options, &[]).unwrap();
    let lacks = lacks(compiled.cut.as_ref().unwrap());
    assert_eq!(lacks, [Memory::ColumnTiles, Memory::RowOffsets]);
    let segments = compiled.program.segments.iter();
    let again = segments.filter(|segment| !segment.load.row_offsets.is_empty());
    assert!(again.count() > 1 && compiled.program.once.row_offsets.is_empty());
    check_images(&compiled, &network, &params, "row offsets");
}

#[test]
fn a_segment_has_as_many_layers_as_fit() {
    // The layers of digits take 2, 4, 4 and 2 column tiles.
    for (tiles, cuts) in [
        (4, vec![1, 2, 3]),
        (6, vec![2]),
        (8, vec![2]),
        (10, vec![3]),
    ] {
        let mut params = preset("edge");
        params.column_tiles = tiles;
        let program = compile_with(&model("digits"), &params, Options::default()).unwrap();
        let starts = program.segments.iter().skip(1).map(|s| s.runs.start);
        assert_eq!(starts.collect::<Vec<_>>(), cuts, "{tiles} tiles");
        let used = program.segments.iter().flat_map(|s| &s.load.columns);
        assert_eq!(
            used.map(|column| column.tile).max(),
            Some(tiles.min(if tiles == 8 { 6 } else { tiles }) - 1)
        );
    }
}

#[test]
fn a_layer_that_does_not_fit_by_itself_is_named() {
    let mut params = preset("edge");
    params.column_tiles = 2;
    assert_eq!(
        refusal(&model("digits"), &params),
        "network digits does not fit edge, not even layer conv2 by itself: \
         column parameters need 4 column tiles, 2 available, 2 missing (set by column_tiles)"
    );
    let mut params = preset("edge");
    params.program.words = 32;
    let message = refusal(&model("digits"), &params);
    let named = "network digits does not fit edge, not even layer conv1 by itself: program needs ";
    assert!(message.starts_with(named), "{message}");
}

/// A memory of a machine.
type Size = fn(&mut Params) -> &mut u32;

const SIZES: [Size; 5] = [
    |p| &mut p.state_buffer.words_per_bank,
    |p| &mut p.column_tiles,
    |p| &mut p.program.words,
    |p| &mut p.state_buffer.row_offsets,
    |p| &mut p.post.activations,
];

/// Halves a memory as long as the network can be compiled.
fn smallest(network: &Network, params: &Params, options: Options, size: Size) -> Params {
    let mut best = params.clone();
    loop {
        let mut params = best.clone();
        *size(&mut params) /= 2;
        match compile_with(network, &params, options) {
            Ok(_) if *size(&mut params) > 0 => best = params,
            _ => return best,
        }
    }
}

/// Zeros below the weights of a segment: halos that the weights of others have lain on.
fn has_halos(load: &Load, params: &Params) -> bool {
    let weights = load.image.iter().filter(|word| word.2 != [0; 8]);
    let first = weights.map(|word| word.1).min();
    let bank = first.map(|word| word / params.state_buffer.words_per_bank);
    let below = bank.map_or(0, |bank| bank * params.state_buffer.words_per_bank);
    load.image.iter().any(|word| word.1 < below)
}

fn random_params(rng: &mut ChaCha8Rng) -> Params {
    let mut params = random_size(rng).params();
    params.column_tiles = 256;
    params.program.words = 4096;
    params.state_buffer.row_offsets = 64;
    params.post.activations = 4;
    params.post.dual_scale = rng.random_bool(0.3);
    params
}

#[test]
fn random_networks_in_segments_give_the_golden_outputs() {
    let mut events: BTreeMap<String, u32> = BTreeMap::new();
    for seed in 0..160 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut params = random_params(&mut rng);
        let layers = rng.random_range(2..=9);
        let network = match rng.random_bool(0.3) {
            true => random_depthwise_network(&mut rng, layers / 2, params.lanes()),
            false => random_network(&mut rng, layers, &params.post),
        };
        let options = Options {
            whole: rng.random_bool(0.5),
            mapping: rng.random_bool(0.2).then_some(Mapping::Blocks),
            ..Options::default()
        };
        // One memory is as small as it can be, or two.
        for _ in 0..rng.random_range(1..=2) {
            let size = SIZES[rng.random_range(0..SIZES.len())];
            params = smallest(&network, &params, options, size);
        }
        let place = format!("seed {seed}, {params:?}");
        let mut event = |name: String| *events.entry(name).or_default() += 1;
        let compiled = match compile_and_compare(&network, &params, options, &[]) {
            Ok(compiled) => compiled,
            Err(CompileError::DoesNotFit { layer, .. }) => {
                assert!(layer.is_some(), "{place}: all layers fit by themselves");
                event("a layer is too large".to_string());
                continue;
            }
            // The machine lacks loops or an option.
            Err(_) => continue,
        };
        let Some(cut) = &compiled.cut else {
            assert!(compiled.program.segments.is_empty(), "{place}");
            continue;
        };
        for memory in lacks(cut) {
            event(format!("cut by {memory:?}"));
        }
        let segments = &compiled.program.segments;
        if segments
            .iter()
            .any(|segment| has_halos(&segment.load, &params))
        {
            event("halos written again".to_string());
        }
        if segments.len() > 3 {
            event("many segments".to_string());
        }
        check_images(&compiled, &network, &params, &place);
    }
    for name in [
        "a layer is too large",
        "many segments",
        "halos written again",
        "cut by Weights",
        "cut by ColumnTiles",
        "cut by Program",
        "cut by Tables",
    ] {
        let count = events.get(name).copied().unwrap_or(0);
        assert!(count > 1, "{name}: {count} times; {events:?}");
    }
}
