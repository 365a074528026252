//! Compiled networks on the instruction-level machine give what plain nested loops give.

use std::collections::BTreeMap;

use heddle_arch::host::Counter;
use heddle_arch::isa::{Instruction, Matmul, ROW_TENSOR};
use heddle_arch::params::{Params, PartialSums, Post, ProgramMemory};
use heddle_compiler::{LayerPlan, Mapping, Program};
use heddle_network::{LayerKind, Network, Padding};
use heddle_sim::network::{class_of, run as golden};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::converted::plane_mean;
use crate::support::{
    Size, check, load, mapped, model, preset, random_image, random_network, random_size, run,
    share_multipliers, whole, wide_network,
};
use crate::support::{compile, compile_with};

/// All instructions of a program.
fn instructions(program: &Program) -> Vec<Instruction> {
    let mut list = Vec::new();
    let mut at = 0;
    while at < program.once.words.len() {
        let (instruction, words) = Instruction::decode(&program.once.words[at..]).unwrap();
        list.push(instruction);
        at += words;
    }
    list
}

/// Notes which situations a compiled network brings about.
fn count_events(
    events: &mut BTreeMap<&'static str, u32>,
    network: &Network,
    params: &Params,
    program: &Program,
) {
    let lanes = params.lanes();
    let mut event = |name, happened: bool| *events.entry(name).or_insert(0) += u32::from(happened);
    for layer in &network.layers {
        let pixels = layer.output.height * layer.output.width;
        let depth = params.results_buffer.depth;
        event("several groups", layer.input.channels > lanes);
        event("several column tiles", layer.output.channels > lanes);
        event("several pixel tiles", pixels > depth);
        event("row longer than the results", layer.output.width > depth);
        event("single pixel", pixels == 1);
        event("stride", layer.stride != [1, 1]);
        event("left halo", layer.padding.left > 0);
        event(
            "right halo only",
            layer.padding.right > 0 && layer.padding.left == 0,
        );
        event("top halo", layer.padding.top > 0);
        event(
            "bottom halo only",
            layer.padding.bottom > 0 && layer.padding.top == 0,
        );
        event("long row", layer.input.width > 8);
        event(
            "dilation",
            layer.dilation != [1, 1] && layer.kernel != [1, 1],
        );
        event(
            "depthwise",
            layer.groups > 1 && layer.groups == layer.input.channels,
        );
        event(
            "groups",
            layer.groups > 1 && layer.groups < layer.input.channels,
        );
        event("weighted sum", layer.kind == LayerKind::WeightedSum);
        event("table alone", layer.kind == LayerKind::Table);
        event("table of a layer", {
            layer.kind != LayerKind::Table && layer.table.is_some()
        });
        event("maximum", layer.kind == LayerKind::MaxPool2d);
        event("maximum of several pixel tiles", {
            let window = layer.kernel[0] * layer.kernel[1];
            layer.kind == LayerKind::MaxPool2d && pixels > depth / window
        });
        event("mean", layer.kind == LayerKind::AveragePool2d);
    }
    for (layer, plan) in network.layers.iter().zip(&program.layers) {
        let padded = layer.kind == LayerKind::MaxPool2d && layer.padding != Padding::default();
        event("maximum with padding", padded && !plan.host);
        event("maximum of the host", padded && plan.host);
        if let LayerKind::Add(sum) = layer.kind {
            event("exact sum", !plan.host && !sum.subtracts);
            event("exact difference", !plan.host && sum.subtracts);
            event("sum of the host", plan.host);
            event(
                "sum of one tensor",
                layer.inputs[0].tensor == layer.inputs[1].tensor,
            );
        }
        event("equal weights", {
            let mut pairs = layer.weights.windows(2);
            layer.kind == LayerKind::Conv2d && pairs.all(|pair| pair[0] == pair[1])
        });
    }
    for (_, entry, offset) in &program.once.row_offsets {
        event("several K tiles of row offsets", *entry > 0);
        event("row without a tap", offset.is_none());
    }
    let input = &program.tensors[0];
    let copies: usize = input.planes.iter().map(Vec::len).sum();
    event(
        "copies of the input",
        copies > input.shape.channels as usize,
    );
    event("channels of several planes", {
        copies > input.shape.channels as usize && input.planes.iter().any(|p| p.len() > 1)
    });
    event("copies of the input in its banks", {
        copies > input.shape.channels as usize && params.state_buffer.input_banks > 0
    });
    let banked = params.program.memory == ProgramMemory::Banks;
    event("program in banks", banked);
    event("input and program in banks", {
        banked && params.state_buffer.input_banks > 0
    });
    event("sums at the top", {
        params.array.partial_sums == PartialSums::Top
    });
    event("more rows", params.array.rows > params.array.cols);
    event("more columns", params.array.rows < params.array.cols);
    event("several weight words", params.array.cols > 8);
    event(
        "activations in several banks",
        program
            .tensors
            .iter()
            .any(|tensor| tensor.base >= params.bank_bytes()),
    );
    let regions = program
        .tensors
        .iter()
        .map(|tensor| tensor.base..tensor.base + tensor.bytes);
    let regions: Vec<_> = regions.collect();
    let overlap =
        |a: &std::ops::Range<u32>, b: &std::ops::Range<u32>| a.start < b.end && b.start < a.end;
    event("shared memory", {
        let pairs = (0..regions.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs
            .into_iter()
            .any(|(i, j)| overlap(&regions[i], &regions[j]))
    });
    let readers = network.layers.iter().flat_map(|layer| &layer.inputs);
    let mut readers: Vec<usize> = readers.map(|input| input.tensor).collect();
    readers.sort_unstable();
    event(
        "tensor with several readers",
        readers.windows(2).any(|pair| pair[0] == pair[1]),
    );
    let (mut streamed, mut last_products, mut drains) = (false, 0, 0);
    for instruction in instructions(program) {
        drains += u32::from(matches!(instruction, Instruction::Drain(_)));
        if let Instruction::LoadWeights(load) = &instruction {
            streamed = load.streamed;
            event("streamed weights", load.streamed);
        }
        if let Instruction::Matmul(matmul) = &instruction {
            event("product that waits for a drain", matmul.wait.drain);
            event(
                "streamed weights of several vectors",
                streamed && vectors(matmul) > 1,
            );
            last_products += u32::from(matmul.last);
        }
        if let Instruction::Matmul(Matmul {
            first, last, table, ..
        }) = instruction
        {
            if let Some(table) = table {
                event("row tables", true);
                event("row tables of several MATMULs", !(first && last));
                event(
                    "entries behind those of an earlier MATMUL",
                    table.first_entry > 0,
                );
            }
            event("first MATMUL of several", first && !last);
            event("middle MATMUL of several", !first && !last);
            event("whole MATMUL", first && last);
        }
    }
    event("drain of several products", last_products > drains);
}

/// Vectors of a K tile of a product.
fn vectors(matmul: &Matmul) -> u32 {
    let tensor = matmul
        .record
        .rows
        .iter()
        .find(|block| block.row == ROW_TENSOR);
    let loops = tensor.iter().flat_map(|block| &block.loops);
    let of_tile = loops.take(matmul.tile_level as usize + 1);
    of_tile.map(|l| l.end.div_ceil(l.step)).product()
}

/// What a network uses: what the machine has, and now and then sums that it leaves to the host.
fn random_post(rng: &mut ChaCha8Rng, has: &Post) -> Post {
    Post {
        dual_scale: has.dual_scale || rng.random_bool(0.2),
        left_shift: false,
        columns_per_multiplier: 1,
        ..*has
    }
}

/// A random machine: sums at either end of the array, banks for the input, the program in banks, options of post-processing.
fn random_params(rng: &mut ChaCha8Rng) -> Params {
    let mut plain = random_size(rng).params();
    share_multipliers(&mut plain, rng);
    plain.post.dual_scale = rng.random_bool(0.3);
    if rng.random_bool(0.3) {
        plain.post.activations = rng.random_range(1..=8);
    }
    let mut params = plain.clone();
    if rng.random_bool(0.3) {
        params.array.partial_sums = PartialSums::Top;
    }
    let banks = params.state_buffer.banks;
    if banks > 2 && rng.random_bool(0.6) {
        params.state_buffer.input_banks = rng.random_range(0..=banks - 2);
        if rng.random_bool(0.6) {
            params.program.words = 1024;
            params.program.memory = ProgramMemory::Banks;
        }
    }
    match params.validate() {
        Ok(()) => params,
        Err(_) => plain,
    }
}

/// The input lies in its banks alone, everything else in front of them, nothing in those of the program.
fn check_places(program: &Program, params: &Params, place: &str) {
    let (work, end) = (params.work_bytes(), params.operand_bytes());
    let input = &program.tensors[0];
    let has_banks = params.state_buffer.input_banks > 0;
    assert!(!has_banks || input.base >= work, "{place}");
    assert!(input.base + input.bytes <= end, "{place}");
    for tensor in &program.tensors[1..] {
        assert!(
            tensor.base + tensor.bytes <= work,
            "{place}: {}",
            tensor.name
        );
    }
    // Beside zeros of the input's own halo the image of the program has nothing there.
    let region = input.base / 8..(input.base + input.bytes) / 8;
    for (_, word, bytes) in program
        .once
        .image
        .iter()
        .filter(|(_, word, _)| 8 * word >= work)
    {
        let halo = region.contains(word) && *bytes == [0; 8];
        assert!(halo, "{place}: word {word}");
    }
}

#[test]
fn parts_of_a_row_begin_at_their_stride() {
    let params = Size {
        rows: 8,
        cols: 8,
        loops: 6,
        banks: 2,
        words_per_bank: 512,
        depth: 16,
        pooling: false,
    };
    let params = params.params();
    let mut network = wide_network(4, 2 * params.results_buffer.depth + 12);
    let layer = &mut network.layers[0];
    layer.stride = [1, 2];
    layer.output.width = (layer.input.width - 3) / 2 + 1;
    assert!(
        layer.output.width > params.results_buffer.depth,
        "several parts"
    );
    let program = compile(&network, &params).expect("it fits");
    let image = random_image(&mut ChaCha8Rng::seed_from_u64(1), &network);
    check(&program, &network, &params, &[image], "stride 2");
}

#[proves("PET-57", "PET-60", "PET-61")]
#[test]
fn random_networks_give_the_golden_outputs() {
    let mut events = BTreeMap::new();
    let (mut compiled, mut others, mut wholes, mut known_exactly) = (0, 0, 0, 0);
    let (mut parted, mut imaged) = (0, 0);
    for seed in 0..400 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let params = random_params(&mut rng);
        let layers = rng.random_range(1..=6);
        let asked = random_post(&mut rng, &params.post);
        let network = random_network(&mut rng, layers, &asked);
        let images = [
            random_image(&mut rng, &network),
            random_image(&mut rng, &network),
        ];
        // A random network may be too large; the other tests look at the message.
        let Ok(program) = compile(&network, &params) else {
            continue;
        };
        let place = format!("seed {seed}, {params:?}");
        check_places(&program, &params, &place);
        imaged += u32::from(check(&program, &network, &params, &images, &place));
        count_events(&mut events, &network, &params, &program);
        compiled += 1;
        // All layers in one run: the same output, and no more cycles than the layers one by one.
        match compile_with(&network, &params, whole()) {
            Ok(whole) => {
                imaged += u32::from(check(&whole, &network, &params, &images, &place));
                let alone: u64 = program.runs.iter().map(|run| run.cycles).sum();
                let together: u64 = whole.runs.iter().map(|run| run.cycles).sum();
                assert!(together <= alone, "{place}");
                let words = [&whole, &program].map(|program| program.tensor_words(&network));
                assert_eq!(words[0], words[1], "{place}");
                let by_host = (1..).zip(&program.layers).filter(|(_, layer)| layer.host);
                let by_host = by_host.map(|(tensor, _)| tensor);
                let written = std::iter::once(0).chain(by_host).map(|tensor: usize| {
                    let plan = &program.tensors[tensor];
                    let values = vec![0; plan.shape.elements()];
                    plan.pack(&values).unwrap().len() as u64
                });
                assert_eq!(words[0][0], written.sum::<u64>(), "{place}");
                let runs = whole.runs.iter().filter(|run| !run.host);
                parted += u32::from(runs.count() > 1);
                wholes += 1;
            }
            // The memory of its own is larger than any of these programs.
            Err(error) => assert_eq!(params.program.words, 1024, "{place}: {error}"),
        }
        // The mapping that was not chosen gives the same outputs.
        let laid = |layer: &&LayerPlan| {
            layer.choice.other.is_some() || layer.choice.mapping == Mapping::Flattened
        };
        let Some(at) = program.layers.iter().position(|layer| laid(&layer)) else {
            continue;
        };
        let choice = &program.layers[at].choice;
        let mapping = match (choice.other, choice.mapping) {
            (Some((other, _)), _) => other,
            (None, Mapping::Channel) => Mapping::Flattened,
            (None, _) => Mapping::Channel,
        };
        let Ok(other) = compile_with(&network, &params, mapped(mapping)) else {
            // What it would take is known all the same; if that is less, the reason says that it does not fit.
            let cheaper = (choice.other).filter(|(_, cost)| cost.cycles < choice.cost.cycles);
            if let Some((Mapping::Flattened | Mapping::Channel, _)) = cheaper {
                assert_eq!(choice.reason, format!("{mapping} does not fit"), "{place}");
            }
            continue;
        };
        let cost = other.layers[at].choice.cost;
        // Less if its weights could be streamed and that does not fit.
        let known = choice.cost_of(mapping).map(|known| known.cycles);
        assert!(known <= Some(cost.cycles), "{place}");
        known_exactly += u32::from(known == Some(cost.cycles));
        assert!(choice.cost.cycles <= cost.cycles, "{place}");
        check(&other, &network, &params, &images[..1], &place);
        count_events(&mut events, &network, &params, &other);
        others += 1;
    }
    assert!(others > 50, "only {others} networks fit in both mappings");
    assert!(known_exactly + 5 > others, "{known_exactly} of {others}");
    assert!(wholes > 150, "only {wholes} networks are compiled whole");
    assert!(parted > 0, "the host parts no network");
    assert!(compiled > 150, "only {compiled} networks fit");
    println!("{imaged} images");
    assert!(imaged > 200, "only {imaged} programs have images");
    for (name, count) in events {
        assert!(count > 0, "{name} never happened");
    }
}

/// Importers write means so, because they round in their own way.
#[test]
fn a_convolution_with_equal_weights_over_the_whole_plane_takes_the_cycles_of_a_mean() {
    let mut params = preset("edge");
    params.post.pooling = true;
    let mut network = wide_network(20, 18);
    let source = (
        1,
        network.layers[0].output,
        network.layers[0].output_zero_point,
    );
    let mut mean = plane_mean(&mut ChaCha8Rng::seed_from_u64(1), source);
    mean.name = "mean".to_string();
    mean.kind = LayerKind::AveragePool2d;
    (mean.weights, mean.bias) = (Vec::new(), vec![0; 20]);
    network.layers.push(mean);
    let cycles = |network: &Network| {
        let program = compile(network, &params).unwrap();
        let image = random_image(&mut ChaCha8Rng::seed_from_u64(1), network);
        check(&program, network, &params, &[image], "mean");
        program.runs[1].cycles
    };
    let mean = cycles(&network);
    let layer = &mut network.layers[1];
    layer.kind = LayerKind::Conv2d;
    layer.weights = vec![-2; 20 * 16];
    layer.bias = (0..20).map(|channel| 16 * (channel - 10)).collect();
    assert_eq!(cycles(&network), mean);
    network.layers[1].weights[7] = -1;
    assert!(cycles(&network) > mean, "one other weight");
    network.layers[1].weights[7] = -2;
    network.layers[1].bias[3] += 1;
    assert!(cycles(&network) > mean, "a bias that has no equal parts");
}

#[test]
fn taps_over_the_rows_are_added_once_if_the_convolution_could_be_a_mean() {
    let mut params = preset("edge");
    params.post.pooling = true;
    let network = r#"{"format": "heddle-network-2", "name": "n",
        "input": {"channels": 2, "height": 3, "width": 5, "zero_point": 3, "scale": 1.0},
        "layers": [
            {"kind": "slice", "name": "host", "start": [1, 0, 0], "output_shape": [1, 3, 5]},
            {"kind": "conv2d", "name": "mean", "output_channels": 1, "kernel": [3, 5], "bias": [-30],
             "weights": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], "multiplier": [572662306],
             "shift": [-3], "rounding": "double", "output_zero_point": -20,
             "activation_min": -128, "activation_max": 127, "output_scale": 1.0}
        ]}"#;
    let network = Network::from_json(network).unwrap();
    let image = random_image(&mut ChaCha8Rng::seed_from_u64(1), &network);
    for mapping in [Mapping::Channel, Mapping::Flattened] {
        let program = compile_with(&network, &params, mapped(mapping)).unwrap();
        assert_eq!(program.layers[1].choice.mapping, mapping);
        check(
            &program,
            &network,
            &params,
            std::slice::from_ref(&image),
            mapping.name(),
        );
    }
}

/// A stored model on a stored configuration.
#[track_caller]
fn check_model(name: &str, configuration: &str, images: usize) {
    let (network, mut params) = (model(name), preset(configuration));
    params.post.left_shift |= network
        .layers
        .iter()
        .any(|layer| layer.scales.iter().any(|scale| scale.shift() > 0));
    let program = compile(&network, &params).unwrap();
    let images = &network.images[..images];
    check(&program, &network, &params, images, configuration);
}

/// Cycles of the first layer, as the instruction-level machine counts them.
fn first_layer_cycles(network: &Network, params: &Params, mapping: Mapping) -> u32 {
    let program = compile_with(network, params, mapped(mapping)).unwrap();
    let found = run(
        &mut load(&program, params),
        &program,
        network,
        &network.images[0],
    );
    found[0].1.get(Counter::Cycles)
}

#[test]
fn the_first_layer_of_digits_takes_a_third_of_the_cycles_when_flattened() {
    let network = model("digits");
    let params = preset("edge");
    let cycles = |mapping| first_layer_cycles(&network, &params, mapping);
    let (channel, flattened) = (cycles(Mapping::Channel), cycles(Mapping::Flattened));
    println!("digits, conv1 on edge: {channel} cycles channel-only, {flattened} flattened");
    assert!(3 * flattened <= channel, "{flattened} of {channel}");
    let auto = compile(&network, &params).unwrap();
    assert_eq!(auto.layers[0].choice.mapping, Mapping::Flattened);
    assert_eq!(auto.layers[0].choice.reason, "fewer cycles");
    let mut inner = auto.layers[1..].iter();
    assert!(inner.all(|layer| layer.choice.mapping == Mapping::Channel));
}

#[test]
fn tiny_model_runs_on_every_configuration() {
    for name in ["tiny", "edge", "default", "large", "huge"] {
        check_model("tiny", name, 4);
    }
}

#[test]
fn scales_from_1_on_are_refused_without_a_left_shift() {
    let network = model("tiny");
    let mut params = preset("tiny");
    params.post.left_shift = false;
    let refused = compile(&network, &params).unwrap_err().to_string();
    assert_eq!(
        refused,
        "layer conv1: has a multiplier with left shift 1, expected post.left_shift to be true"
    );
}

#[test]
fn all_operands_of_an_image_of_zeros_are_zero() {
    for name in ["edge", "default"] {
        let network = model("digits");
        let params = preset(name);
        let program = compile(&network, &params).unwrap();
        let first = &network.layers[0];
        let bytes = first.input.channels * first.input.height * first.input.width;
        let image = vec![first.inputs[0].zero_point; bytes as usize];
        let found = run(&mut load(&program, &params), &program, &network, &image);
        let zero_operands = found[0].1.get(Counter::ZeroOperands);
        let operands = program.layers[0].operands;
        assert_eq!(u64::from(zero_operands), operands, "{name}");
        assert!(zero_operands > 0, "{name}");
    }
}

#[test]
fn digits_model_runs_on_all_but_the_smallest_configuration() {
    for (name, images) in [("edge", 10), ("default", 5), ("large", 1), ("huge", 1)] {
        check_model("digits", name, images);
    }
}

#[test]
fn mobile_model_runs_where_post_processing_has_pooling() {
    let network = model("mobile");
    let mut params = preset("default");
    params.post.pooling = true;
    let program = compile(&network, &params).unwrap();
    let images = &network.images[..5];
    check(&program, &network, &params, images, "default with pooling");
}

#[test]
fn golden_model_classifies_the_digits() {
    for name in ["digits", "mobile"] {
        let network = model(name);
        let images = network.images.iter().zip(&network.labels);
        let right = images.filter(|(image, label)| {
            let outputs = golden(&network, image).unwrap();
            class_of(&outputs.last().unwrap().values) == Some(**label as usize)
        });
        let percent = 100 * right.count() / network.images.len();
        assert!(percent >= 95, "{name}: {percent} % of the digits are right");
    }
}
