//! Layers on the sparse cluster of a machine: values of the golden network, on the golden machine.

use heddle_arch::host::Counter;
use heddle_arch::network::Network;
use heddle_arch::params::{Params, Sparse};
use heddle_compiler::{
    Engine, EngineOptions, EnginePolicy, Mapping, Options, Program, Rule, Zeros, compile_for,
    compile_with,
};
use heddle_sim::network::run as golden;

use crate::support::{check, load, model, preset, run};

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

/// All layers that the cluster can do.
fn sparse(whole: bool) -> Options {
    Options {
        mapping: Some(Mapping::Channel),
        whole,
        engines: EngineOptions {
            policy: EnginePolicy::Sparse,
            rule: Rule::Cycles,
        },
        ..Options::default()
    }
}

fn names(network: &Network, program: &Program, engine: Engine) -> Vec<String> {
    let layers = program.layers.iter().zip(&network.layers);
    let layers = layers.filter(|(plan, _)| plan.engine.is_some() && plan.engine_of() == engine);
    layers.map(|(_, layer)| layer.name.clone()).collect()
}

#[test]
fn fsa_16_all_layers_of_a_network_run_on_the_cluster() {
    let network = model("digits");
    for whole in [false, true] {
        let params = machine("edge", 8);
        let program = compile_with(&network, &params, sparse(whole)).unwrap();
        assert_eq!(
            names(&network, &program, Engine::Sparse),
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
