//! Depthwise layers that make several pixels at a time, on the whole machine as emitted Verilog: every value of every layer against the
//! golden network, every counter against the golden machine, cycles against the compiler.

use crate::machines;
use heddle_arch::params::Params;
use heddle_compiler::{Mapping, Options, PixelOrder};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::generator::compile_with;
use crate::generator::depthwise::random_depthwise_network;
use crate::machines::Machine;
use crate::rtl::{Checked, Coverage, OrPanic, seeds};
use crate::top::{images, labelled, mobile, run_images};

fn options(mapping: Mapping, whole: bool) -> Options {
    Options {
        mapping: Some(mapping),
        whole,
        ..Options::default()
    }
}

/// Room for networks of a few layers.
fn roomy(mut params: Params) -> Params {
    params.state_buffer.words_per_bank = 512;
    params.state_buffer.row_offsets = 64;
    params.column_tiles = 64;
    params.program.words = 2048;
    params
}

/// Compiles a random network and runs two images; false if it has no such layer or does not fit.
fn random_network(
    machine: &Machine,
    mapping: Mapping,
    seed: u64,
    coverage: &mut Coverage,
) -> Checked<bool> {
    let params = &machine.params;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let blocks = rng.random_range(1..=2);
    let network = random_depthwise_network(&mut rng, blocks, params.lanes());
    let network = machines::fitting(network, params);
    let Ok(program) = compile_with(&network, params, options(mapping, seed % 3 == 0)) else {
        return Ok(false);
    };
    let several = |plan: &&heddle_compiler::LayerPlan| plan.choice.mapping == mapping;
    let count = program.layers.iter().filter(several).count();
    if count == 0 {
        return Ok(false);
    }
    let images = images(&mut rng, &network, 2);
    run_images(machine, seed, (&network, &program), images)?;
    coverage.event("several such layers", count > 1);
    coverage.event("one run", program.runs.len() == 1);
    coverage.event(
        "several groups",
        network.layers[0].output.channels > params.lanes(),
    );
    coverage.event("several parts of a plane", {
        let shape = network.layers[0].output;
        let phases = mapping.phases().expect("several pixels");
        shape.height * shape.width / phases.count() > params.results_buffer.depth
    });
    if mapping == Mapping::Blocks {
        let mut tensors = program.tensors.iter();
        coverage.event(
            "phased",
            tensors.any(|tensor| tensor.order == PixelOrder::Phased),
        );
    }
    Ok(true)
}

/// Runs `count` networks for each seed.
fn run_networks(params: Params, mapping: Mapping, count: u64) {
    let machine = Machine::new(params);
    let mut coverage = Coverage::default();
    for first in seeds() {
        let mut run = 0;
        for seed in (100_000 * first..).take(1000) {
            let done = random_network(&machine, mapping, seed, &mut coverage);
            run += u64::from(done.or_panic());
            if run == count {
                break;
            }
        }
        assert_eq!(run, count, "networks with {mapping}, from seed {first} on");
    }
    coverage.assert_complete();
}

#[test]
fn pairs_of_rows_agree_with_more_rows_than_columns() {
    let mut params = roomy(machines::tiny());
    params.name = "uneven".to_string();
    params.array.rows = 3;
    params.array.cols = 2;
    run_networks(params, Mapping::Toeplitz, 8);
}

#[test]
fn blocks_of_pixels_agree() {
    let mut params = roomy(machines::pooling());
    params.name = "blocks".to_string();
    params.results_buffer.depth = 16;
    run_networks(params, Mapping::Blocks, 24);
}

/// A mean that walks the phases of blocks where they lie, with zeros where one has fewer rows or columns than another.
#[test]
fn a_mean_of_phases_agrees() {
    let mut params = roomy(machines::pooling());
    params.name = "phases".to_string();
    let machine = Machine::new(params);
    let mut run = 0;
    for seed in 0..2000 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let network = random_depthwise_network(&mut rng, 1, machine.params.lanes());
        let network = machines::fitting(network, &machine.params);
        let whole = options(Mapping::Blocks, seed % 2 == 0);
        let Ok(program) = compile_with(&network, &machine.params, &whole) else {
            continue;
        };
        let last = &network.layers[network.layers.len() - 1];
        let phased = program.tensors[last.inputs[0].tensor].order == PixelOrder::Phased;
        if phased && last.kernel == [last.input.height, last.input.width] {
            let images = images(&mut rng, &network, 2);
            run_images(&machine, seed, (&network, &program), images).or_panic();
            run += 1;
        }
        if run == 4 {
            return;
        }
    }
    panic!("only {run} networks have such a mean");
}

/// The trained network, asked for what would take longer on planes of 8 x 8 pixels.
#[test]
fn the_mobile_network_gives_the_golden_outputs_with_pairs_of_rows() {
    let (network, machine) = mobile();
    let program =
        compile_with(&network, &machine.params, options(Mapping::Toeplitz, false)).unwrap();
    let layers = program.layers.iter().map(|plan| plan.choice.mapping);
    assert!(
        layers
            .into_iter()
            .any(|mapping| mapping == Mapping::Toeplitz)
    );
    let report = run_images(&machine, 1, (&network, &program), labelled(&network, 2)).or_panic();
    let cycles: u64 = program.runs.iter().map(|run| run.cycles).sum();
    assert_eq!(report.total.cycles, cycles);
}
