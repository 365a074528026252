//! Networks as converters make them on emitted machines: exact sums, tables, maxima with padding and layers that the host runs
//! between two runs of the machine. Every value against the golden network, every counter against the golden machine.

use heddle_arch::host::ColumnScale;
use heddle_arch::params::{Params, Post};
use heddle_arch::requantise::DualScale;
use heddle_compiler::{Options, Program};
use heddle_network::{LayerKind, Network, Padding};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

use crate::generator::compile_with;
use crate::generator::random_network;
use crate::machines::{Machine, fitting, pooling, tiny, with_dual_scales};
use crate::rtl::OrPanic;
use crate::top::{images, run_images};

/// Times that each event is to happen.
const OFTEN: u32 = 2;
/// Vectors of a network that are simulated within a second.
const VECTORS_MOST: u64 = 4000;

const SUMS: [&str; 5] = [
    "sum of two terms",
    "sum of three terms",
    "difference",
    "host between two runs",
    "host between two runs of several layers",
];
const OTHERS: [&str; 4] = [
    "table of a layer",
    "table alone",
    "maximum with padding",
    "maximum of the host",
];

/// Terms that the machine adds for a sum, the third one a part of one that is there already.
fn terms(network: &Network, program: &Program, layer: usize, params: &Params) -> u64 {
    let shape = network.layers[layer].output;
    let tiles = shape.channels.div_ceil(params.lanes());
    program.layers[layer].vectors / u64::from(tiles * shape.height * shape.width)
}

fn events(network: &Network, program: &Program, params: &Params) -> Vec<&'static str> {
    let mut found = Vec::new();
    let mut event = |name, happened: bool| found.extend(happened.then_some(name));
    for (index, layer) in network.layers.iter().enumerate() {
        let host = program.layers[index].host;
        let padded = layer.kind == LayerKind::MaxPool2d && layer.padding != Padding::default();
        event("maximum with padding", padded && !host);
        event("maximum of the host", padded && host);
        let alone = layer.kind == LayerKind::Table;
        event("table alone", alone && !host);
        event("table of a layer", layer.table.is_some() && !alone && !host);
        match layer.kind {
            LayerKind::Add(sum) if !host => {
                let terms = terms(network, program, index, params);
                event("sum of two terms", terms == 2);
                event("sum of three terms", terms == 3);
                event("difference", sum.subtracts);
            }
            _ => {}
        }
    }
    for runs in program.runs.windows(3) {
        let between = [runs[0].host, runs[1].host, runs[2].host] == [false, true, false];
        let several = runs.iter().any(|run| run.layers.len() > 1);
        event("host between two runs", between && !several);
        event(
            "host between two runs of several layers",
            between && several,
        );
    }
    found
}

/// Runs random networks until all of these have happened often enough.
#[track_caller]
fn check(params: Params, wanted: &[&'static str]) {
    let machine = Machine::new(params);
    let params = &machine.params;
    // What is added on the host if the machine cannot.
    let post = Post {
        dual_scale: true,
        ..params.post
    };
    let mut missing: BTreeMap<&str, u32> = wanted.iter().map(|name| (*name, OFTEN)).collect();
    for seed in 0..4000 {
        if missing.is_empty() {
            return;
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let network = fitting(random_network(&mut rng, 4, &post), params);
        let whole = seed % 2 == 0;
        let options = Options {
            whole,
            ..Options::default()
        };
        let Ok(program) = compile_with(&network, params, &options) else {
            continue;
        };
        let vectors: u64 = program.layers.iter().map(|layer| layer.vectors).sum();
        let events = events(&network, &program, params);
        if vectors > VECTORS_MOST || !events.iter().any(|name| missing.contains_key(name)) {
            continue;
        }
        let images = images(&mut rng, &network, 2);
        run_images(&machine, seed, (&network, &program), images).or_panic();
        for name in events {
            if let Some(count) = missing.get_mut(name) {
                *count -= 1;
                missing.retain(|_, count| *count > 0);
            }
        }
    }
    assert!(missing.is_empty(), "did not happen: {missing:?}");
}

#[test]
fn networks_with_sums_tables_and_maxima_agree_beside_all_options() {
    check(pooling(), &[&SUMS[..], &OTHERS[..]].concat());
}

#[test]
fn networks_with_sums_agree_where_nothing_else_is_there() {
    check(with_dual_scales(tiny()), &SUMS[..3]);
}

#[test]
fn the_host_adds_where_the_machine_cannot() {
    check(tiny(), &SUMS[3..]);
}

/// A network that ends with a sum, in which values are seen.
fn sum_network(params: &Params) -> (Network, Program) {
    let post = Post {
        dual_scale: true,
        ..Post::default()
    };
    let found = (0..1000).find_map(|seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let network = fitting(random_network(&mut rng, 2, &post), params);
        let last = network.layers.last()?;
        let open = matches!(last.kind, LayerKind::Add(_)) && last.output.elements() > 64;
        let apart = open && last.inputs[0] != last.inputs[1] && last.min == i8::MIN;
        let program = compile_with(&network, params, Options::default());
        let program = program
            .ok()
            .filter(|program| apart && !program.layers[1].host)?;
        Some((network, program))
    });
    found.expect("one of the networks")
}

#[test]
fn another_factor_of_a_sum_is_noticed() {
    let machine = Machine::new(with_dual_scales(tiny()));
    let (network, mut program) = sum_network(&machine.params);
    let images = images(&mut ChaCha8Rng::seed_from_u64(1), &network, 2);
    run_images(&machine, 1, (&network, &program), images.clone()).or_panic();
    let mut changed = 0;
    for column in &mut program.once.columns {
        if let ColumnScale::Dual(scale) = column.scale {
            let [first, second] = scale.factors();
            let factors = [first, second - second / 50];
            let scale = DualScale::new(factors, scale.shift()).expect("less than before");
            column.scale = scale.into();
            changed += 1;
        }
    }
    assert!(changed > 0);
    let noticed = run_images(&machine, 1, (&network, &program), images);
    let message = noticed.expect_err("other values");
    assert!(message.contains("golden network has"), "{message}");
}
