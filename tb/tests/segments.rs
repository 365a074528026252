//! Networks in segments on an emitted machine: between runs the host replaces weights, column parameters, tables and programs. Every
//! value against the golden network, every counter against the golden machine.

use heddle_arch::params::{Params, Post};
use heddle_compiler::{LayerPlan, Options, Program, TensorPlan, compile};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::generator::compile_with;
use crate::generator::matrices::random_mixed;
use crate::generator::{has_halos, model, random_network};
use crate::machines::{Machine, fitting};
use crate::rtl::{Checked, Coverage, OrPanic, seeds};
use crate::top::{images, labelled, run_images};

/// Vectors of a network that are simulated within a second.
const VECTORS_MOST: u64 = 4000;

/// A machine with little of everything.
fn small() -> Params {
    let mut params = Params::from_json(include_str!("../../configs/edge.json")).unwrap();
    params.name = "segments".to_string();
    params.state_buffer.banks = 4;
    params.state_buffer.words_per_bank = 32;
    params.column_tiles = 8;
    params.program.words = 128;
    params.post.pooling = true;
    params.post.left_shift = true;
    params.post.activations = 1;
    params
}

fn count_events(coverage: &mut Coverage, program: &Program, params: &Params) {
    let loads = || program.segments.iter().map(|segment| &segment.load);
    let weights = |load: &heddle_compiler::Load| load.image.iter().any(|word| word.2 != [0; 8]);
    coverage.event("weights", loads().any(weights));
    coverage.event("columns", loads().any(|load| !load.columns.is_empty()));
    coverage.event("tables", loads().any(|load| !load.tables.is_empty()));
    coverage.event("words", loads().any(|load| !load.words.is_empty()));
    coverage.event("halos", loads().any(|load| has_halos(load, params)));
    coverage.event("many segments", program.segments.len() > 3);
    coverage.event("pieces", !program.pieces.is_empty());
    coverage.event("double buffered", program.double_buffered);
    let mut tensors = program.tensors.iter();
    let has_matrices = tensors.any(|tensor| tensor.matrices.is_some());
    coverage.event(
        "segments of matrices",
        has_matrices && program.segments.len() > 1,
    );
    coverage.event(
        "matrices beside pieces",
        has_matrices && !program.pieces.is_empty(),
    );
    let left = |layer: &LayerPlan| layer.choice.reason.ends_with(" available");
    coverage.event("left to the host", program.layers.iter().any(left));
    let is_of_host = |tensor: &TensorPlan| tensor.bytes == 0;
    coverage.event("no place", program.tensors.iter().any(is_of_host));
}

/// A random network, if it is cut.
fn run_random(machine: &Machine, seed: u64, coverage: &mut Coverage) -> Checked<bool> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let params = &machine.params;
    let post = Post {
        activations: 3,
        ..params.post
    };
    let layers = rng.random_range(3..=8);
    let network = match rng.random_bool(0.3) {
        true => random_mixed(&mut rng),
        false => fitting(random_network(&mut rng, layers, &post), params),
    };
    let options = Options {
        whole: rng.random_bool(0.5),
        double_buffered: seed % 2 == 0,
        ..Options::default()
    };
    let (network, program) = match compile(&network, params, &options) {
        Ok(made) if made.cut.is_some() || made.program.keeps => (made.network, made.program),
        _ => return Ok(false),
    };
    if program
        .layers
        .iter()
        .map(|layer| layer.vectors)
        .sum::<u64>()
        > VECTORS_MOST
    {
        return Ok(false);
    }
    let images = images(&mut rng, &network, 2);
    run_images(machine, seed, (&network, &program), images)?;
    count_events(coverage, &program, params);
    Ok(true)
}

#[test]
fn random_networks_in_segments_agree() {
    let machine = Machine::new(small());
    let mut coverage = Coverage::default();
    for first in seeds() {
        let mut run = 0;
        for seed in (100_000 * first..).take(4000) {
            run += u32::from(run_random(&machine, seed, &mut coverage).or_panic());
            if run == 20 {
                break;
            }
        }
        assert_eq!(run, 20, "networks in segments, from seed {first} on");
    }
    coverage.assert_complete();
}

#[test]
fn the_digits_in_segments_are_classified_as_at_once() {
    let mut params = small();
    params.state_buffer.words_per_bank = 256;
    params.state_buffer.banks = 2;
    let machine = Machine::new(params);
    let network = model("digits");
    let program = compile_with(&network, &machine.params, Options::default()).unwrap();
    assert!(program.segments.len() > 2);
    let report = run_images(&machine, 1, (&network, &program), labelled(&network, 3)).or_panic();
    assert_eq!(report.correct, 3);
    assert_eq!(report.segments.len(), program.segments.len());
    let cycles = report.segments.iter().map(|segment| segment.cycles);
    assert_eq!(cycles.sum::<u64>(), report.total.cycles);
    // The host's words are among the clocks of the bench.
    let words: u64 = report
        .segments
        .iter()
        .map(|segment| segment.host_words)
        .sum();
    assert!(report.simulated_cycles > 3 * (words + report.total.cycles));
}

/// On the machine of which each layer but the last is too small.
#[test]
fn the_digits_in_pieces_are_classified_as_at_once() {
    let machine = Machine::new(small());
    let digits = model("digits");
    assert!(compile_with(&digits, &machine.params, Options::default()).is_err());
    let compiled = compile(&digits, &machine.params, &Options::default()).unwrap();
    let (network, program) = (compiled.network, &compiled.program);
    let named = |name: &str| program.pieces.iter().any(|pieces| pieces.layer == name);
    assert!(named("conv2") && named("conv3"), "{:?}", program.pieces);
    let report = run_images(&machine, 1, (&network, program), labelled(&network, 3)).or_panic();
    assert_eq!(report.correct, 3);
}
