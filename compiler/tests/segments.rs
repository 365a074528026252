//! Networks that do not fit at once, cut into segments, on the instruction-level machine.

use std::collections::{BTreeMap, BTreeSet};

use heddle_arch::params::{Params, Post};
use heddle_compiler::{CompileError, Compiled, FileError, Load, Mapping, Memory, Options, Program};
use heddle_network::{Network, Shape};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::support::chain::{Link, chain};
use crate::support::depthwise::random_depthwise_network;
use crate::support::{
    self, check, has_halos, mapped, model, preset, random_image, random_network, random_size,
    refusal, whole,
};
use crate::support::{compile_whole, compile_with};

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
pub fn check_images(compiled: &Compiled, network: &Network, params: &Params, place: &str) {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let images = [0, 1, 2].map(|_| random_image(&mut rng, network));
    check(&compiled.program, network, params, &images, place);
    let text = compiled.program.to_json(params);
    let read = Program::from_json(&text, params).expect(place);
    read.check_network(network).expect(place);
    assert_eq!(read.to_json(params), text, "{place}");
    check(&read, network, params, &images[..1], place);
    if compiled.program.double_buffered {
        check_apart(&compiled.program, place);
        // The machine of `check` was loaded as early as can be; now as late.
        let mut late = compiled.program.clone();
        late.double_buffered = false;
        check(&late, network, params, &images, place);
    }
}

/// No load writes where the one before it has written.
fn check_apart(program: &Program, place: &str) {
    let places = |load: &Load| -> BTreeSet<(&str, u32, u32)> {
        let words = (load.first_word..).zip(&load.words);
        let words = words.map(|(word, _)| ("word", 0, word));
        let columns = load.columns.iter();
        let columns = columns.map(|c| ("column", c.column, c.tile));
        let offsets = load.row_offsets.iter();
        let offsets = offsets.map(|&(row, entry, _)| ("offset", row, entry));
        // Zeros around planes of both may be the same.
        let image = load.image.iter().filter(|word| word.2 != [0; 8]);
        let weights = image.map(|&(partition, word, _)| ("image", partition, word));
        words.chain(columns).chain(offsets).chain(weights).collect()
    };
    for pair in program.segments.windows(2) {
        let [before, behind] = [0, 1].map(|at| places(&pair[at].load));
        assert!(before.is_disjoint(&behind), "{place}");
    }
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
        let compiled = compile_whole(&network, &params, &options).expect(&place);
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
    let compiled = compile_whole(&network, &params, &options).unwrap();
    assert!(compiled.cut.is_none() && compiled.program.segments.is_empty());
    for (tiles, double_buffered) in [(12, false), (18, true)] {
        params.column_tiles = tiles;
        let options = Options {
            double_buffered,
            ..options.clone()
        };
        let compiled = compile_whole(&network, &params, &options).unwrap();
        let lacks = lacks(compiled.cut.as_ref().unwrap());
        assert_eq!(lacks, [Memory::ColumnTiles, Memory::RowOffsets]);
        let segments = compiled.program.segments.iter();
        let again = segments.filter(|segment| !segment.load.row_offsets.is_empty());
        assert!(again.count() > 1 && compiled.program.once.row_offsets.is_empty());
        check_images(&compiled, &network, &params, "row offsets");
    }
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
fn a_segment_has_as_many_words_as_the_program_memory_with_a_halt_for_each_run() {
    let network = model("digits");
    let mut params = preset("edge");
    let program = compile_with(&network, &params, Options::default()).unwrap();
    let two_layers = program.runs[2].start_pc;
    let mapping = program.layers[0].choice.mapping;
    for (options, words) in [(Options::default(), two_layers), (whole(), two_layers - 1)] {
        for (missing, first) in [(0, 2), (1, 1)] {
            params.program.words = words - missing;
            let program = compile_with(&network, &params, options.clone()).unwrap();
            // No other way is taken because its words fit better.
            assert_eq!(program.layers[0].choice.mapping, mapping);
            let runs = &program.runs[program.segments[0].runs.clone()];
            let end = runs.last().map(|run| run.layers.end);
            assert_eq!(end, Some(first), "{options:?}: {missing} missing");
        }
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
pub type Size = fn(&mut Params) -> &mut u32;

pub const SIZES: [Size; 5] = [
    |p| &mut p.state_buffer.words_per_bank,
    |p| &mut p.column_tiles,
    |p| &mut p.program.words,
    |p| &mut p.state_buffer.row_offsets,
    |p| &mut p.post.activations,
];

/// Halves a memory as long as the network can be compiled.
pub fn smallest(network: &Network, params: &Params, options: &Options, size: Size) -> Params {
    let mut best = params.clone();
    loop {
        let mut params = best.clone();
        *size(&mut params) /= 2;
        if *size(&mut params) == 0 || compile_with(network, &params, options).is_err() {
            return best;
        }
        best = params;
    }
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
    for seed in 0..200 {
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
            double_buffered: seed % 3 == 0,
            ..Options::default()
        };
        // One memory is as small as it can be, or two.
        for _ in 0..rng.random_range(1..=2) {
            let size = SIZES[rng.random_range(0..SIZES.len())];
            params = smallest(&network, &params, &options, size);
        }
        let place = format!("seed {seed}, {params:?}");
        let mut event = |name: String| *events.entry(name).or_default() += 1;
        let compiled = match compile_whole(&network, &params, &options) {
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
        assert_eq!(compiled.program.double_buffered, options.double_buffered);
        for memory in segments.iter().flat_map(|segment| written(&segment.load)) {
            if options.double_buffered {
                event(format!("beside: {memory:?}"));
            }
        }
        let halos = |load: &Load| load.image.iter().any(|word| word.2 == [0; 8]);
        let cleared = segments.iter().skip(2).any(|segment| halos(&segment.load));
        if options.double_buffered && cleared {
            event("beside: halos".to_string());
        }
        check_images(&compiled, &network, &params, &place);
    }
    for name in [
        "a layer is too large",
        "many segments",
        "halos written again",
        "cut by Activations",
        "cut by Weights",
        "cut by ColumnTiles",
        "cut by Program",
        "cut by Tables",
        "beside: Weights",
        "beside: ColumnTiles",
        "beside: Program",
        "beside: halos",
    ] {
        let count = events.get(name).copied().unwrap_or(0);
        assert!(count > 1, "{name}: {count} times; {events:?}");
    }
}

#[test]
fn segments_beside_each_other_have_half_of_each_memory_that_is_too_small() {
    let digits = model("digits");
    let beside = Options {
        double_buffered: true,
        ..Options::default()
    };
    let mut params = preset("edge");
    let program = compile_with(&digits, &params, &beside).unwrap();
    assert!(!program.double_buffered && program.segments.is_empty());
    // The layers take 2, 4, 4 and 2 column tiles.
    params.column_tiles = 8;
    let compiled = compile_whole(&digits, &params, &beside).unwrap();
    check_images(&compiled, &digits, &params, "column tiles");
    let tiles = |load: &Load| {
        let tiles: BTreeSet<u32> = load.columns.iter().map(|column| column.tile).collect();
        tiles.into_iter().collect::<Vec<_>>()
    };
    let segments = &compiled.program.segments;
    let found: Vec<_> = segments.iter().map(|s| tiles(&s.load)).collect();
    let [low, high] = [vec![0, 1, 2, 3], vec![4, 5, 6, 7]];
    assert_eq!(found, [vec![0, 1], high, low, vec![4, 5]]);
    // No half of 6 holds four.
    params.column_tiles = 6;
    let message = compile_with(&digits, &params, &beside).unwrap_err();
    let message = message.to_string();
    let end = "by itself, with two segments beside each other: column parameters need 8 column tiles, 6 available, 2 missing (set by column_tiles)";
    assert!(message.ends_with(end), "{message}");
    // The weights of each two neighbours fit.
    let size = Shape {
        channels: 100,
        height: 1,
        width: 1,
    };
    let links = [64, 152, 40].map(Link::Points);
    let network = chain(&mut ChaCha8Rng::seed_from_u64(4), size, &links);
    params.post.left_shift = true;
    params.column_tiles = 64;
    params.state_buffer.words_per_bank = 256;
    let by_channel = Options {
        mapping: Some(Mapping::Channel),
        ..beside.clone()
    };
    let compiled = compile_whole(&network, &params, &by_channel).unwrap();
    assert_eq!(compiled.program.segments.len(), 3);
    check_images(&compiled, &network, &params, "weights");
    // Functions of one byte have no halves.
    let (network, mut params) = with_tables();
    params.post.activations = 2;
    let message = compile_with(&network, &params, &beside).unwrap_err();
    assert!(
        message.to_string().contains("post.activations"),
        "{message}"
    );
}

/// A file with segments, as JSON.
fn file(params: &Params) -> Value {
    let program = compile_with(&model("digits"), params, Options::default()).unwrap();
    assert!(program.segments.len() > 2);
    serde_json::from_str(&program.to_json(params)).unwrap()
}

/// The file with the checksum that belongs to its content: what somebody else's tool may write.
pub fn read_forged(file: &Value, params: &Params) -> Result<Program, FileError> {
    let text = file.to_string();
    match Program::from_json(&text, params) {
        Err(FileError::Checksum { found, expected }) => {
            let (found, expected) = (format!("{found:08x}"), format!("{expected:08x}"));
            Program::from_json(&text.replacen(&found, &expected, 1), params)
        }
        other => other,
    }
}

#[test]
fn segments_of_a_file_that_are_out_of_range_are_named() {
    let mut params = preset("edge");
    params.column_tiles = 4;
    params.program.words = 64;
    let whole = file(&params);
    let second = "/program/segments/1";
    for (at, value, message) in [
        ("/runs", json!([0, 2]), "segments.runs is 0, expected 1"),
        (
            "/runs",
            json!([1, 1]),
            "segments.runs is 1, expected less than 1",
        ),
        (
            "/runs",
            json!([1, u64::MAX]),
            "segments.runs is 2, expected 18446744073709551615",
        ),
        (
            "/columns/0/tile",
            json!(4),
            "columns.tile is 4, expected less than 4",
        ),
        (
            "/words",
            json!("0000000e"),
            "words is no program, expected word 0: ",
        ),
        (
            "/words",
            json!("00".repeat(4 * 65)),
            "words is 65, expected less than 65",
        ),
        (
            "/words",
            json!("00000101"),
            "runs.instructions is 4, expected 1",
        ),
        (
            "/words",
            json!(""),
            "runs.start_pc is 0, expected less than 0",
        ),
        (
            "/row_offsets",
            json!([[0, 4000, 1]]),
            "row_offsets entry is 4000, expected less than",
        ),
        (
            "/tables",
            json!(["00".repeat(256)]),
            "tables is 1, expected less than 1",
        ),
        (
            "/image",
            json!([{"partition": 8, "word": 0, "bytes": ""}]),
            "image.partition is 8, expected less than 8",
        ),
        (
            "/image",
            json!([{"partition": 0, "word": u32::MAX, "bytes": "00".repeat(8)}]),
            "image.word is 4294967296",
        ),
    ] {
        let mut changed = whole.clone();
        match changed.pointer_mut(&format!("{second}{at}")) {
            Some(found) => *found = value,
            // A list that is empty may be left out.
            None => changed.pointer_mut(second).unwrap()[&at[1..]] = value,
        }
        let error = read_forged(&changed, &params).expect_err(message);
        assert!(error.to_string().starts_with(message), "{at}: {error}");
    }
    let mut changed = whole.clone();
    let segments = changed.pointer_mut("/program/segments").unwrap();
    segments.as_array_mut().unwrap().pop();
    let error = read_forged(&changed, &params).expect_err("runs without a segment");
    let named = "segments.runs is 3, expected 4";
    assert_eq!(error.to_string(), named);
    let text = whole.to_string();
    for length in [text.len() / 2, text.len() - 2] {
        let error = Program::from_json(&text[..length], &params).expect_err("cut off");
        assert!(matches!(error, FileError::Form { .. }), "{error}");
    }
}

/// Every number below a value of a file.
fn numbers(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(path.to_string()),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(at, item)| numbers(item, &format!("{path}/{at}"), found));
        }
        Value::Object(items) => {
            for (name, item) in items {
                numbers(item, &format!("{path}/{name}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn no_number_in_a_file_with_segments_makes_the_reader_panic() {
    let mut params = preset("edge");
    params.column_tiles = 4;
    params.program.words = 64;
    let whole = file(&params);
    let mut found = Vec::new();
    numbers(&whole, "", &mut found);
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (mut refused, network) = (0, model("digits"));
    for _ in 0..300 {
        let at = &found[rng.random_range(0..found.len())];
        let value = [0, 1, 255, 65_536, u64::from(u32::MAX), u64::MAX][rng.random_range(0..6)];
        let mut changed = whole.clone();
        *changed.pointer_mut(at).expect("a number") = json!(value);
        match read_forged(&changed, &params) {
            Err(_) => refused += 1,
            Ok(program) => {
                let _ = program.check_network(&network);
            }
        }
    }
    assert!(refused > 150, "{refused} are refused");
}
