//! Layers on the sparse cluster of a machine: values of the golden network, on the golden machine.

use std::collections::BTreeMap;

use heddle_arch::host::Counter;
use heddle_arch::isa::Instruction;
use heddle_arch::network::{LayerKind, Network};
use heddle_arch::params::{Params, Sparse};
use heddle_compiler::{
    Engine, EngineOptions, EnginePolicy, Mapping, Options, Program, Rule, Zeros, compile_for,
    compile_with,
};
use heddle_sim::network::run as golden;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::{check, load, model, preset, random_image, random_network, random_size, run};

/// A preset with a cluster of so many units.
fn machine(name: &str, units: u32) -> Params {
    let mut params = preset(name);
    params.name = "engines".to_string();
    params.program.words = 16384;
    params.sparse = Some(Sparse {
        engine: true,
        units,
        channels: params.array.cols,
        ..Sparse::default()
    });
    params.validate().unwrap();
    params
}

fn options(policy: EnginePolicy, rule: Rule, whole: bool) -> Options {
    Options {
        mapping: Some(Mapping::Channel),
        whole,
        engines: EngineOptions { policy, rule },
        ..Options::default()
    }
}

/// All layers that the cluster can do.
fn sparse(whole: bool) -> Options {
    options(EnginePolicy::Sparse, Rule::Cycles, whole)
}

/// Zeros of all tensors for some images.
fn zeros(network: &Network, images: &[Vec<i8>]) -> Vec<Option<Zeros>> {
    let tensors = network.layers.len() + 1;
    let mut zeros = vec![
        Zeros {
            zeros: 0,
            elements: 0,
            images: 0
        };
        tensors
    ];
    for image in images {
        let outputs = golden(network, image).unwrap();
        let values = outputs.iter().map(|output| &output.values[..]);
        for (tensor, values) in [&image[..]].into_iter().chain(values).enumerate() {
            let (_, zero_point) = network.tensor(tensor);
            zeros[tensor].zeros +=
                values.iter().filter(|value| **value == zero_point).count() as u64;
            zeros[tensor].elements += values.len() as u64;
            zeros[tensor].images += 1;
        }
    }
    zeros.into_iter().map(Some).collect()
}

/// Names of the layers on an engine.
fn names(program: &Program, engine: Engine) -> Vec<&str> {
    let layers = program.layers.iter();
    let layers = layers.filter(|plan| plan.engine.is_some() && plan.engine_of() == engine);
    layers.map(|layer| &layer.name[..]).collect()
}

#[test]
fn fsa_16_all_layers_of_a_network_run_on_the_cluster() {
    let network = model("digits");
    for whole in [false, true] {
        let params = machine("edge", 8);
        let program = compile_with(&network, &params, sparse(whole)).unwrap();
        assert_eq!(
            names(&program, Engine::Sparse),
            ["conv1", "conv2", "conv3", "fc"]
        );
        for layer in &program.layers {
            println!(
                "{}: {:?} {}",
                layer.name, layer.engine, layer.choice.cost.cycles
            );
        }
        let mut machine = load(&program, &params);
        for (_, counters) in run(&mut machine, &program, &network, &network.images[0]) {
            println!("{}", counters.get(Counter::Cycles));
        }
        check(&program, &network, &params, &network.images[..4], "digits");
    }
}

#[test]
fn mobile() {
    let network = model("mobile");
    let mut params = machine("mobile", 8);
    params.sparse.as_mut().unwrap().map_entries = 1024;
    let known = zeros(&network, &network.images[..8]);
    for whole in [false, true] {
        for policy in [EnginePolicy::Sparse, EnginePolicy::Auto] {
            let program = compile_for(
                &network,
                &params,
                options(policy, Rule::Cycles, whole),
                &known,
            )
            .unwrap();
            println!("{:?}", names(&program, Engine::Sparse));
            for layer in &program.layers {
                println!(
                    "{}: {:?} {}",
                    layer.name, layer.engine, layer.choice.cost.cycles
                );
            }
            let mut machine = load(&program, &params);
            let mut sum = 0;
            for ((_, counters), plan) in run(&mut machine, &program, &network, &network.images[0])
                .iter()
                .zip(&program.runs)
            {
                println!(
                    "{} {} {}",
                    plan.name,
                    counters.get(Counter::Cycles),
                    plan.cycles
                );
                sum += counters.get(Counter::Cycles);
            }
            println!("{sum}");
            check(&program, &network, &params, &network.images[..4], "mobile");
        }
    }
}

/// A machine with a cluster, the memories of which may be small.
fn random_machine(rng: &mut ChaCha8Rng) -> Params {
    let mut size = random_size(rng);
    size.rows = [1, 2, 4, 8, 8, 16][rng.random_range(0..6)];
    size.cols = size.rows;
    let mut params = size.params();
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
    for (layer, plan) in layers().filter(|(_, plan)| plan.engine_of() == Engine::Sparse) {
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

#[test]
fn fsa_16_fsa_18_random_networks_give_the_golden_outputs_on_both_engines() {
    let mut events = BTreeMap::new();
    let (mut compiled, mut mixed) = (0, 0);
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
        let Ok(program) = compile_for(&network, &params, options, &known) else {
            continue;
        };
        let place = format!("seed {seed}, {options:?} {params:?}");
        check(&program, &network, &params, &images, &place);
        watch(&mut events, &network, &program);
        compiled += 1;
        let both = [Engine::Dense, Engine::Sparse].map(|engine| names(&program, engine).len());
        mixed += u32::from(both.iter().all(|count| *count > 0));
    }
    println!("{compiled} {mixed} {events:?}");
    assert!(compiled > 100, "{compiled}");
    assert!(mixed > 20, "{mixed}");
    for (name, count) in events {
        assert!(count > 3, "{name}: {count}");
    }
}
