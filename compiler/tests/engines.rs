//! Layers on the sparse cluster of a machine: values of the golden network, on the golden machine.

use std::collections::BTreeMap;

use heddle_arch::host::Counter;
use heddle_arch::isa::Instruction;
use heddle_arch::isa::sparse::{OP_LOAD, OP_RUN};
use heddle_arch::params::{Params, Sparse};
use heddle_compiler::{Engine, EnginePolicy, Options, Program, Rule, Zeros, classify};
use heddle_network::{LayerKind, Network};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::compile_with;
use crate::support::engines::{options, with_cluster, zeros};
use crate::support::{
    Size, check, load, model, preset, random_image, random_network, random_size, run, wide_network,
};

/// A preset with a cluster of so many units.
fn machine(name: &str, units: u32) -> Params {
    with_cluster(preset(name), units)
}

/// All layers that the cluster can do.
fn sparse(whole: bool) -> Options {
    options(EnginePolicy::Sparse, Rule::Cycles, whole)
}

/// Names of the layers on an engine.
fn names(program: &Program, engine: Engine) -> Vec<&str> {
    let layers = program.layers.iter();
    let layers = layers.filter(|plan| plan.engine.is_some() && plan.engine_of() == engine);
    layers.map(|layer| &layer.name[..]).collect()
}

/// Cycles of all runs of an image on the golden machine, and those that the compiler expects.
fn cycles(program: &Program, network: &Network, params: &Params) -> Vec<[u64; 2]> {
    let mut machine = load(program, params);
    let runs = run(&mut machine, program, network, &network.images[0]);
    let runs = runs.iter().zip(&program.runs);
    let cycles =
        runs.map(|((_, counters), plan)| [counters.get(Counter::Cycles).into(), plan.cycles]);
    cycles.collect()
}

#[proves("FSA-16")]
#[test]
fn all_convolutions_of_a_network_run_on_the_cluster() {
    for (name, preset, expected) in [
        ("digits", "edge", &["conv1", "conv2", "conv3", "fc"][..]),
        (
            "mobile",
            "mobile",
            &[
                "conv1", "depth1", "point1", "point2", "depth2", "point3", "fc",
            ],
        ),
    ] {
        let network = model(name);
        let params = machine(preset, 8);
        for whole in [false, true] {
            let program = compile_with(&network, &params, sparse(whole)).unwrap();
            assert_eq!(names(&program, Engine::Sparse), expected);
            check(&program, &network, &params, &network.images[..4], name);
        }
    }
}

#[proves("FSA-16")]
#[test]
fn where_the_cluster_takes_fewer_cycles_the_network_is_faster() {
    for (name, preset, expected) in [
        ("digits", "edge", &["conv1"][..]),
        ("mobile", "mobile", &["conv1", "depth1"]),
    ] {
        let network = model(name);
        let params = machine(preset, 8);
        let known = zeros(&network, &network.images[..20]);
        let made = |policy, whole| {
            let options = options(policy, Rule::Cycles, whole);
            compile_with(
                &network,
                &params,
                Options {
                    zeros: known.clone(),
                    ..options
                },
            )
            .unwrap()
        };
        let [auto, dense] =
            [EnginePolicy::Auto, EnginePolicy::Dense].map(|policy| made(policy, true));
        assert_eq!(names(&auto, Engine::Sparse), expected);
        let [auto_cycles, dense_cycles] =
            [&auto, &dense].map(|program| cycles(program, &network, &params)[0][0]);
        println!("{name}: {auto_cycles} cycles, {dense_cycles} on the array alone");
        assert!(auto_cycles < dense_cycles);
        check(&auto, &network, &params, &network.images[..4], name);
        // Estimates are near what the golden machine takes; those of the array are exact.
        let program = made(EnginePolicy::Sparse, false);
        let all = cycles(&program, &network, &params);
        for (plan, [found, expected]) in program.runs.iter().zip(all) {
            println!("{}: {found} cycles, about {expected} expected", plan.name);
            let bounds = if plan.estimated {
                [80, 110]
            } else {
                [100, 100]
            };
            let [low, high] = bounds.map(|percent| expected * percent / 100);
            assert!((low..=high).contains(&found), "{}", plan.name);
        }
    }
}

/// A machine with a cluster, the memories of which may be small.
fn random_machine(rng: &mut ChaCha8Rng) -> Params {
    let mut size = random_size(rng);
    size.rows = [1, 2, 4, 8, 8, 16][rng.random_range(0..6)];
    size.cols = size.rows;
    let mut params = size.params();
    params.post.activations = [0, 4][rng.random_range(0..2)];
    let mut pick = |values: &[u32]| values[rng.random_range(0..values.len())];
    params.sparse = Some(Sparse {
        engine: true,
        units: pick(&[1, 2, 3, 4, 8]),
        channels: size.cols,
        load_entries: pick(&[1, 2, 4]),
        map_sets: pick(&[1, 2, 4]),
        map_entries: pick(&[64, 256, 1024]),
        weight_words: pick(&[64, 256, 1024, 4096]),
        lists: pick(&[64, 256, 512]),
        sums: pick(&[64, 256, 1024]),
        tiles: 256,
        ..Sparse::default()
    });
    params.validate().unwrap();
    params
}

/// What happens in a program.
fn watch(events: &mut BTreeMap<&'static str, u32>, network: &Network, program: &Program) {
    let mut event = |name, happened: bool| *events.entry(name).or_insert(0) += u32::from(happened);
    let layers = || network.layers.iter().zip(&program.layers);
    for (layer, _) in layers().filter(|(_, plan)| plan.engine_of() == Engine::Sparse) {
        event("convolution", layer.kernel != [1, 1] && layer.groups == 1);
        event("kernel of one place", layer.kernel == [1, 1]);
        event(
            "one place with a stride",
            layer.kernel == [1, 1] && layer.stride != [1, 1],
        );
        event("depthwise", layer.groups > 1);
        event("fully connected", layer.kind == LayerKind::FullyConnected);
        event("stride", layer.kernel != [1, 1] && layer.stride != [1, 1]);
        event("table", layer.table.is_some());
        event("padding", layer.padding.top + layer.padding.left > 0);
    }
    for index in 1..network.layers.len() {
        let engines = [index - 1, index].map(|layer| {
            let plan = &program.layers[layer];
            (!plan.host).then(|| plan.engine_of())
        });
        let is_read = network.layers[index]
            .inputs
            .iter()
            .any(|input| input.tensor == index);
        let [dense, sparse] = [Engine::Dense, Engine::Sparse].map(Some);
        event("dense behind sparse", engines == [sparse, dense]);
        event(
            "dense beside sparse",
            engines == [sparse, dense] && !is_read,
        );
        event("sparse behind dense", engines == [dense, sparse]);
        event("sparse behind sparse", engines == [sparse, sparse]);
    }
    let places = [Some(Engine::Dense), Some(Engine::Sparse), None];
    event("cluster, array and host", {
        places.iter().all(|place| {
            let mut layers = program.layers.iter();
            layers.any(|plan| (!plan.host).then(|| plan.engine_of()) == *place)
        })
    });
    let steps = &program.schedule.steps;
    for layer in 0..network.layers.len() {
        let own = steps
            .iter()
            .filter(|step| step.layer == layer)
            .map(|step| &step.instruction);
        let drains = own
            .filter(|one| matches!(one, Instruction::Drain(_)))
            .count();
        event(
            "several drains",
            program.layers[layer].engine_of() == Engine::Sparse && drains > 1,
        );
    }
}

/// Operations of neither engine are the host's, others go by their zeros.
fn check_routes(
    network: &Network,
    program: &Program,
    options: Options,
    known: &[Option<Zeros>],
    place: &str,
) {
    for (layer, plan) in network.layers.iter().zip(&program.layers) {
        let is_sparse = plan.engine_of() == Engine::Sparse;
        let can_be = matches!(layer.kind, LayerKind::Conv2d | LayerKind::FullyConnected);
        assert!(can_be || !is_sparse, "{place}: {}", layer.name);
        assert_eq!(plan.host, plan.engine.is_none(), "{place}: {}", layer.name);
        let by_zeros = classify(known[layer.inputs[0].tensor].unwrap(), options.engines.rule);
        if is_sparse && options.engines.policy == EnginePolicy::Auto {
            assert_ne!(by_zeros, Some(Engine::Dense), "{place}: {}", layer.name);
        }
    }
}

#[proves("FSA-16", "FSA-17", "FSA-18")]
#[test]
fn random_networks_give_the_golden_outputs_on_both_engines() {
    let mut events = BTreeMap::new();
    let (mut compiled, mut mixed, mut imaged) = (0, 0, 0);
    for seed in 0..300 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let params = random_machine(&mut rng);
        let layers = rng.random_range(1..=6);
        let network = random_network(&mut rng, layers, &params.post);
        let images = [
            random_image(&mut rng, &network),
            random_image(&mut rng, &network),
        ];
        let known = zeros(&network, &images);
        let rule = match rng.random_range(0..4) {
            0 => Rule::Cycles,
            1 => Rule::Majority,
            2 => Rule::Threshold(rng.random_range(0..=100)),
            _ => Rule::Count(rng.random_range(0..200)),
        };
        let policy = [EnginePolicy::Sparse, EnginePolicy::Auto][rng.random_range(0..2)];
        let options = options(policy, rule, rng.random());
        // Too large a network, or a cluster that can do none of its layers.
        let Ok(program) = compile_with(
            &network,
            &params,
            Options {
                zeros: known.clone(),
                ..options
            },
        ) else {
            continue;
        };
        let place = format!("seed {seed}, {options:?} {params:?}");
        imaged += u32::from(check(&program, &network, &params, &images, &place));
        watch(&mut events, &network, &program);
        check_routes(&network, &program, options, &known, &place);
        compiled += 1;
        let both = [Engine::Dense, Engine::Sparse].map(|engine| names(&program, engine).len());
        mixed += u32::from(both.iter().all(|count| *count > 0));
    }
    println!("{compiled} {mixed} {imaged} {events:?}");
    assert!(imaged > 50, "{imaged}");
    assert!(compiled > 100, "{compiled}");
    assert!(mixed > 20, "{mixed}");
    for (name, count) in events {
        assert!(count > 3, "{name}: {count}");
    }
}

/// Four planes in two sets: the run empties one before the load can go on, and a MATMUL has loops for one plane alone.
#[test]
fn operands_that_wait_for_a_run_stand_behind_it() {
    let size = Size {
        rows: 2,
        cols: 2,
        loops: 2,
        banks: 4,
        words_per_bank: 2048,
        depth: 32,
        pooling: true,
    };
    let mut params = size.params();
    params.sparse = Some(Sparse {
        engine: true,
        units: 1,
        channels: 2,
        tiles: 256,
        ..Sparse::default()
    });
    params.validate().unwrap();
    // Rows that are left out between the planes: three loops.
    let mut network = wide_network(2, 19);
    network.input.height = 4;
    let layer = &mut network.layers[0];
    layer.input.height = 4;
    (layer.output.height, layer.output.width) = (2, 10);
    (layer.kernel, layer.stride) = ([1, 1], [3, 2]);
    layer.weights.truncate(2 * 8);
    let program = compile_with(&network, &params, sparse(false)).unwrap();
    let steps = program.schedule.steps.iter();
    let kinds: Vec<_> = steps
        .filter_map(|step| match &step.instruction {
            Instruction::Sparse(command) => match command.words[0] & 0xff {
                OP_LOAD => Some("load"),
                OP_RUN => Some("run"),
                _ => None,
            },
            Instruction::Matmul(_) => Some("operands"),
            _ => None,
        })
        .collect();
    let order = [
        "load", "operands", "run", "operands", "operands", "operands",
    ];
    assert_eq!(kinds, order);
    let images: Vec<_> = (0..4)
        .map(|seed| random_image(&mut ChaCha8Rng::seed_from_u64(seed), &network))
        .collect();
    check(&program, &network, &params, &images, "four planes");
}

/// Why a network cannot be compiled with these engines.
#[track_caller]
fn refusal(network: &Network, params: &Params, policy: EnginePolicy) -> String {
    let options = options(policy, Rule::Cycles, false);
    let refused = compile_with(network, params, &options).map(|program| program.network);
    refused.expect_err("it cannot be compiled").to_string()
}

#[test]
fn a_machine_that_cannot_is_told_what_it_needs() {
    let network = model("digits");
    for policy in [EnginePolicy::Sparse, EnginePolicy::Auto] {
        let message = refusal(&network, &preset("edge"), policy);
        let expected =
            "sparse.engine is false, layers on the sparse cluster need true; or --engine dense";
        assert_eq!(message, expected);
        let mut params = machine("edge", 8);
        params.array.rows = 4;
        params.column_tiles = 32;
        params.state_buffer.words_per_bank *= 4;
        params.sparse.as_mut().unwrap().load_lanes = None;
        params.validate().unwrap();
        if policy == EnginePolicy::Sparse {
            let message = refusal(&network, &params, policy);
            assert_eq!(
                message,
                "the sparse cluster can do no layer of digits: layer conv1: array.rows is 4, expected array.cols, which is 8; or --engine dense"
            );
        }
    }
    let mut params = machine("edge", 1);
    params.sparse.as_mut().unwrap().weight_words = 1024;
    let message = refusal(&network, &params, EnginePolicy::Sparse);
    assert!(
        message.starts_with("layer fc finds no room in the sparse cluster behind"),
        "{message}"
    );
    // By themselves some of them find it.
    let known = zeros(&network, &network.images[..1]);
    let options = options(EnginePolicy::Auto, Rule::Threshold(0), false);
    let program = compile_with(
        &network,
        &params,
        Options {
            zeros: known.clone(),
            ..options
        },
    )
    .unwrap();
    check(
        &program,
        &network,
        &params,
        &network.images[..1],
        "one unit",
    );
    for engine in [Engine::Dense, Engine::Sparse] {
        assert!(!names(&program, engine).is_empty(), "{engine:?}");
    }
}

#[test]
fn without_zeros_no_layer_is_known_to_be_sparse() {
    let network = model("digits");
    let params = machine("edge", 8);
    let options = options(EnginePolicy::Auto, Rule::Majority, false);
    let program = compile_with(&network, &params, &options).unwrap();
    assert_eq!(names(&program, Engine::Dense).len(), 4);
    assert!(program.cluster.is_empty());
    let reason = &program.layers[0].engine.as_ref().unwrap().reason;
    assert_eq!(
        reason,
        "the zeros of its input are not known: --zeros has none"
    );
}

#[test]
fn a_program_of_both_engines_comes_back_from_its_file() {
    let network = model("mobile");
    let params = machine("mobile", 8);
    let program = compile_with(&network, &params, sparse(true)).unwrap();
    assert!(!program.cluster.is_empty());
    let text = program.to_json(&params);
    let found = Program::from_json(&text, &params).unwrap();
    let without_schedule = Program {
        schedule: Default::default(),
        ..program
    };
    assert_eq!(found, without_schedule);
    let mut other = params.clone();
    other.sparse.as_mut().unwrap().units = 4;
    let error = Program::from_json(&text, &other).expect_err("another cluster");
    assert!(error.to_string().starts_with("made for sparse "), "{error}");
    other.sparse = None;
    let error = Program::from_json(&text, &other).expect_err("no cluster");
    assert!(
        error
            .to_string()
            .ends_with("this machine has without sparse.engine"),
        "{error}"
    );
}
