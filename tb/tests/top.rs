//! The whole machine as emitted Verilog: networks from image to output, every value of every layer
//! against the golden network, every counter against the golden machine.

use crate::generator;
use crate::machines;
use heddle_arch::host::Counter;
use heddle_arch::params::{MaskPlace, Params, Post};
use heddle_compiler::{Mapping, Options, Program};
use heddle_network::{LayerKind, Network};
use heddle_tb::host::Access;
use heddle_tb::network::{Bench, LayerReport, NetworkReport};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use std::fmt::Display;

use crate::generator::{compile, compile_with};
use crate::machines::{Machine, verdict};
use crate::rtl::{Checked, Coverage, OrPanic};

/// Runs images on a program: every value, counter and number of cycles must be as predicted.
pub fn run_images<I: AsRef<[i8]>>(
    machine: &Machine,
    seed: u64,
    (network, program): (&Network, &Program),
    images: impl IntoIterator<Item = (I, Option<usize>)>,
) -> Checked<NetworkReport> {
    let at = |error: &dyn Display| format!("{}, seed {seed}: {error}", machine.params.name);
    let bench = Bench::new(machine.host(seed), &machine.params, network, program);
    let mut bench = bench.map_err(|e| at(&e))?;
    for (image, label) in images {
        let run = bench.run_image(image.as_ref(), label);
        run.map_err(|e| at(&e))?;
    }
    check_report(bench.report(), program).map_err(|e| at(&e))?;
    Ok(bench.report().clone())
}

/// Every value and counter must be as predicted, and every number of cycles as planned.
pub fn check_report(report: &NetworkReport, program: &Program) -> Checked {
    verdict(report)?;
    for (plan, found) in program.runs.iter().zip(&report.layers) {
        if !plan.estimated && found.cycles != plan.cycles {
            let (cycles, planned) = (found.cycles, plan.cycles);
            return Err(format!("{}: {cycles} cycles, not {planned}", found.name));
        }
    }
    Ok(())
}

/// So many random images.
pub fn images(
    rng: &mut ChaCha8Rng,
    network: &Network,
    count: usize,
) -> Vec<(Vec<i8>, Option<usize>)> {
    let images = (0..count).map(|_| (generator::random_image(rng, network), None));
    images.collect()
}

/// The first images of a trained network, with their labels.
pub fn labelled(
    network: &Network,
    count: usize,
) -> impl Iterator<Item = (&Vec<i8>, Option<usize>)> {
    let labels = network.labels.iter().map(|label| Some(*label as usize));
    network.images.iter().zip(labels).take(count)
}

/// The trained network with depthwise layers, and its machine.
pub fn mobile() -> (Network, Machine) {
    let network = Network::from_json(include_str!("../../models/mobile.json")).unwrap();
    let mut params = Params::from_json(include_str!("../../configs/edge.json")).unwrap();
    params.post.pooling = true;
    params.column_tiles = 64;
    params.program.words = 2048;
    (network, Machine::new(params))
}

#[proves("TTU-056", "TTU-057", "TTU-058", "SPM-46")]
#[test]
fn tiny_model_by_three_units_gives_golden_outputs_and_counters() {
    let text = include_str!("../../models/tiny.json");
    let network = Network::from_json(text).or_panic();
    let machine = Machine::new(machines::tiny());
    let program = compile(&network, &machine.params).unwrap();
    let count = network.images.len();
    let report =
        run_images(&machine, 1, (&network, &program), labelled(&network, count)).or_panic();
    assert_eq!(report.images, count);
    assert!(report.images > 0);
    assert_eq!(report.layers.len(), network.layers.len());
}

/// A row of whole words has no room for its right halo but in a word more: two layers, of which the second one reads what was drained.
#[test]
fn rows_of_whole_words_have_their_right_halo() {
    let machine = Machine::new(machines::tiny());
    let layer = |name: &str, step: usize| {
        let weights: Vec<i32> = (0..4 * 4 * 3)
            .map(|at| (at * step % 23) as i32 - 11)
            .collect();
        json!({"kind": "conv2d", "name": name, "output_channels": 4, "kernel": [1, 3],
            "padding": {"top": 0, "bottom": 0, "left": 1, "right": 1}, "weights": weights,
            "bias": [100, -100, 50, 0], "multiplier": vec![1 << 30; 4], "shift": ([-5; 4]), "rounding": "single",
            "output_zero_point": -3, "activation_min": -128, "activation_max": 127, "output_scale": 1.0})
    };
    for width in [7, 8, 9, 15, 16, 24] {
        let layers = [layer("first", 7), layer("second", 5)];
        let network = generator::matrices::network([4, 3, width], 5, &layers);
        let program = compile(&network, &machine.params).or_panic();
        // Of the tensor between the layers a row takes the words of its places, and one more if these are full.
        let between = &program.tensors[1];
        assert_eq!(between.pitch, (width + 1).next_multiple_of(8), "{width}");
        let mut rng = ChaCha8Rng::seed_from_u64(width.into());
        run_images(
            &machine,
            1,
            (&network, &program),
            images(&mut rng, &network, 3),
        )
        .or_panic();
    }
}

/// Vectors of a network that are simulated within a second.
const VECTORS_MOST: u64 = 12_000;

/// Words that were read: each accesses the mask slice, or slice 0 if there is none.
fn words_read(params: &Params, layer: &LayerReport) -> u64 {
    let slices = &params.state_buffer.slices;
    match slices.mask {
        MaskPlace::Slice if !slices.plain => layer.counter(Counter::MaskReads),
        _ => layer.counter(Counter::SliceReads(0)),
    }
}

/// Compiles a random network and runs two images; false if it does not fit the machine.
fn random_network(machine: &Machine, seed: u64, coverage: &mut Coverage) -> Checked<bool> {
    let params = &machine.params;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let layers = rng.random_range(1..=4);
    let pooling = params.post.pooling;
    let network = generator::random_network(&mut rng, layers, &params.post);
    let network = machines::fitting(network, params);
    // Every third network is one run, which leaves the output of the last layer alone to look at.
    let options = Options {
        whole: seed % 3 == 0,
        ..Options::default()
    };
    let Ok(program) = compile_with(&network, params, &options) else {
        return Ok(false);
    };
    let vectors: u64 = program.layers.iter().map(|layer| layer.vectors).sum();
    if vectors > VECTORS_MOST {
        return Ok(false);
    }
    let images = images(&mut rng, &network, 2);
    let report = run_images(machine, seed, (&network, &program), images)?;
    let lanes = params.lanes();
    for plan in &program.runs {
        coverage.event("several layers in one run", plan.layers.len() > 1);
    }
    for layer in &network.layers {
        coverage.event("add", layer.kind == LayerKind::WeightedSum);
        coverage.event("mean", layer.kind == LayerKind::AveragePool2d);
        if pooling {
            coverage.event("maximum", layer.kind == LayerKind::MaxPool2d);
        }
        coverage.event(
            "groups",
            layer.groups > 1 && layer.kind == LayerKind::Conv2d,
        );
        coverage.event("dilation", layer.dilation != [1, 1]);
    }
    for (layer, found) in network.layers.iter().zip(&report.layers) {
        let pixels = layer.output.height * layer.output.width;
        coverage.event("stride", layer.stride != [1, 1]);
        coverage.event("left halo", layer.padding.left > 0);
        coverage.event("top halo", layer.padding.top > 0);
        coverage.event("several column tiles", layer.output.channels > lanes);
        coverage.event("several channel groups", layer.input.channels > lanes);
        coverage.event("several pixel tiles", pixels > params.results_buffer.depth);
        if params.array.rows > 1 {
            coverage.event("unused rows", layer.input.channels < params.array.rows);
        }
        coverage.event(
            "stall for weights",
            found.counter(Counter::StallWeights) > 0,
        );
        if params.state_buffer.slices.plain {
            assert_eq!(found.bits_ratio, 1.0, "{}", layer.name);
        } else {
            let last = found.slice_accesses.len() as u8 - 1;
            let skipped = found.counter(Counter::SliceReads(last)) < words_read(params, found);
            coverage.event("skipped slice", skipped);
        }
    }
    coverage.event("several layers", network.layers.len() > 1);
    Ok(true)
}

/// A network of one 3 x 3 convolution and what follows it, with so many input channels.
fn first_layer_network(rng: &mut ChaCha8Rng, channels: u32) -> Network {
    loop {
        let mut network = generator::random_network(rng, 2, &Post::default());
        let layer = &mut network.layers[0];
        let other = layer.kind != LayerKind::Conv2d || layer.groups > 1 || layer.kernel != [3, 3];
        if other || layer.input.height < 3 || layer.output.elements() > 400 {
            continue;
        }
        network.input.channels = channels;
        layer.input.channels = channels;
        let weights = layer.output.channels * channels * 9;
        layer.weights = (0..weights).map(|_| rng.random()).collect();
        if network.layers[1]
            .inputs
            .iter()
            .all(|input| input.tensor == 1)
        {
            return network;
        }
    }
}

/// Runs both mappings of networks with few input channels: outputs are those of the golden network
/// in both, and the cycles those that the compiler has predicted.
fn run_mappings(params: Params, coverage: &mut Coverage) {
    let machine = Machine::new(params);
    let params = &machine.params;
    for (channels, seed) in (1..=3).flat_map(|channels| (0..3).map(move |seed| (channels, seed))) {
        let mut rng = ChaCha8Rng::seed_from_u64(100 * u64::from(channels) + seed);
        let network = machines::fitting(first_layer_network(&mut rng, channels), params);
        let images = images(&mut rng, &network, 2);
        let mut outputs = Vec::new();
        for mapping in [Mapping::Channel, Mapping::Flattened] {
            let place = format!(
                "{}, {channels} channels, seed {seed}, {mapping}",
                params.name
            );
            let options = Options {
                mapping: Some(mapping),
                ..Options::default()
            };
            let Ok(program) = compile_with(&network, params, &options) else {
                continue;
            };
            let report = run_images(&machine, seed, (&network, &program), images.clone());
            let report = report.unwrap_or_else(|message| panic!("{place}: {message}"));
            for (layer, plan) in report.layers.iter().zip(&program.layers) {
                assert_eq!(layer.cycles, plan.choice.cost.cycles, "{place}");
            }
            outputs.push(report.layers[0].cycles);
            let flattened = mapping == Mapping::Flattened;
            let entries = program.once.row_offsets.iter();
            coverage.event("flattened", flattened);
            coverage.event("several K tiles", {
                flattened && entries.clone().any(|entry| entry.1 > 0)
            });
            coverage.event(
                "row without a tap",
                entries.clone().any(|entry| entry.2.is_none()),
            );
        }
        if let [channel, flattened] = outputs[..] {
            coverage.event("both mappings", true);
            coverage.event("fewer cycles flattened", flattened < channel);
        }
    }
}

#[proves("SGCR-54", "SGCR-55")]
#[test]
fn both_mappings_of_a_first_layer_give_the_golden_outputs() {
    let mut coverage = Coverage::default();
    for params in [
        machines::tiny(),
        machines::tall(),
        machines::wide(),
        machines::single(),
    ] {
        run_mappings(params, &mut coverage);
    }
    coverage.assert_complete();
}

/// The tables of the rows are written once, before the first image, and serve all of them.
#[proves("SGCR-20", "SGCR-23")]
#[test]
fn one_load_of_the_row_offsets_serves_all_images() {
    let machine = Machine::new(machines::tiny());
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let network = first_layer_network(&mut rng, 2);
    let options = Options {
        mapping: Some(Mapping::Flattened),
        ..Options::default()
    };
    let program = compile_with(&network, &machine.params, &options).unwrap();
    assert!(!program.once.row_offsets.is_empty());
    let mut host = machine.host(1);
    host.start_record();
    let mut bench = Bench::new(host, &machine.params, &network, &program).unwrap();
    let is_table = |access: &&Access| match access {
        Access::Write { address, .. } => address >> 29 == 7,
        Access::Read { addresses, .. } => addresses.iter().any(|address| address >> 29 == 7),
        Access::Wait => false,
    };
    let loaded = bench.host().take_record();
    let writes = loaded.iter().filter(is_table).count();
    assert_eq!(writes, program.once.row_offsets.len(), "every entry once");
    bench.host().start_record();
    for _ in 0..4 {
        let image = generator::random_image(&mut rng, &network);
        bench.run_image(&image, None).unwrap();
    }
    verdict(bench.report()).or_panic();
    let accesses = bench.host().take_record();
    let waits = accesses.iter().filter(|a| **a == Access::Wait).count();
    assert_eq!(waits, 4 * network.layers.len(), "runs of layers");
    assert_eq!(accesses.iter().filter(is_table).count(), 0);
}

/// Runs random networks on a machine until `wanted` of them have fitted it.
#[track_caller]
fn run_networks(params: Params, wanted: usize) -> Coverage {
    let machine = Machine::new(params);
    let mut coverage = Coverage::default();
    let mut fitted = 0;
    let mut seed = 0;
    while fitted < wanted {
        assert!(seed < 400, "only {fitted} networks fit");
        match random_network(&machine, seed, &mut coverage) {
            Ok(fits) => fitted += usize::from(fits),
            Err(message) => panic!("{message}"),
        }
        seed += 1;
    }
    coverage
}

/// Every value is that of the golden network, which knows no memory: all layouts and a plain memory give the same
/// outputs. The bits are held against the accesses of a plain memory.
#[proves("PET-61", "SPM-45")]
#[test]
fn random_networks_agree_on_machines_of_every_kind() {
    for (params, wanted) in [
        (machines::tiny(), 20),
        (machines::pooling(), 40),
        (machines::buffered(), 20),
        (machines::tall(), 20),
        (machines::wide(), 20),
        (machines::single(), 20),
    ] {
        run_networks(params, wanted).assert_complete();
    }
}

/// Depthwise and 1x1 convolutions, residual adds, maxima and means of a trained network, layer by layer and in
/// one run.
#[proves("PET-59")]
#[test]
fn the_mobile_network_gives_the_golden_outputs_and_counters() {
    let (network, machine) = mobile();
    for whole in [false, true] {
        let options = Options {
            whole,
            ..Options::default()
        };
        let program = compile_with(&network, &machine.params, &options).unwrap();
        let images = labelled(&network, 4);
        let report = run_images(&machine, 1, (&network, &program), images).or_panic();
        // Of the first four images the network itself misreads one.
        assert_eq!((report.images, report.correct), (4, 3));
        let cycles: u64 = program.runs.iter().map(|run| run.cycles).sum();
        assert_eq!(report.total.cycles, cycles, "whole: {whole}");
    }
}

/// One option each, and the smallest and largest numbers of units and slices.
const LAYOUTS: [(&str, &str); 13] = [
    ("field_2", r#""widths": [4, 4], "mask": "field""#),
    ("hybrid_2", r#""widths": [4, 4], "mask": "hybrid""#),
    (
        "hybrid_3",
        r#""unit_bits": 16, "widths": [2, 1, 1], "mask": "hybrid", "end": "right""#,
    ),
    ("half", r#""widths": [4, 4], "network": "half""#),
    ("split", r#""widths": [4, 4], "network": "split""#),
    ("exact", r#""widths": [4, 4], "write": "exact""#),
    ("right", r#""widths": [4, 4], "end": "right""#),
    ("smallest", r#""widths": [5, 3], "access_threshold": 3"#),
    ("three", r#""widths": [2, 2, 4]"#),
    ("unequal", r#""widths": [3, 5]"#),
    ("pairs", r#""unit_bits": 16, "widths": [1, 3]"#),
    ("quads", r#""unit_bits": 32, "widths": [1, 1]"#),
    ("eight", r#""widths": [1, 1, 1, 1, 1, 1, 1, 1]"#),
];

#[proves("SPM-45")]
#[test]
fn random_networks_agree_with_every_option_of_the_slices_slow() {
    for (name, slices) in LAYOUTS {
        let coverage = run_networks(machines::sliced(name, slices), 6);
        for event in ["several layers", "stall for weights", "skipped slice"] {
            assert!(coverage.count(event) > 0, "{name}: {event}");
        }
    }
}
