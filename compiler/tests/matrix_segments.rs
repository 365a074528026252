//! Networks with layers of matrices that do not fit at once: cut into segments like others; what does not fit alone runs on the host.

use std::collections::BTreeMap;

use heddle_arch::params::Params;
use heddle_compiler::matrix::DrainForm;
use heddle_compiler::{Compiled, Cuts, Load, Options, compile};
use heddle_network::{LayerKind, Network};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::pieces;
use crate::segments::{self, SIZES, smallest};
use crate::support::matrices::{options, random_matrices, random_mixed};
use crate::support::{compile_whole, has_halos, random_size};

fn random_params(rng: &mut ChaCha8Rng) -> Params {
    let mut params = random_size(rng).params();
    params.traversal.rows = 4;
    params.column_tiles = 256;
    params.program.words = 16384;
    params.state_buffer.row_offsets = 64;
    params
}

fn random_options(rng: &mut ChaCha8Rng, cuts: Cuts) -> Options {
    let form = match rng.random_bool(0.5) {
        true => DrainForm::All,
        false => DrainForm::Direct,
    };
    let (fold, built, whole) = (rng.random(), rng.random_bool(0.3), rng.random());
    Options {
        double_buffered: rng.random_bool(0.3),
        cuts,
        ..options(form, fold, built, whole)
    }
}

fn random_network(rng: &mut ChaCha8Rng) -> Network {
    match rng.random_bool(0.3) {
        true => random_matrices(rng),
        false => random_mixed(rng),
    }
}

/// What is true of a program that is cut.
fn events(compiled: &Compiled, params: &Params) -> Vec<&'static str> {
    let (network, program) = (&compiled.network, &compiled.program);
    let on_machine = |index: usize| !program.layers[index].host;
    let of_matrices = |index: usize| {
        let kind = &network.layers[index].kind;
        on_machine(index) && matches!(kind, LayerKind::Matmul(_) | LayerKind::Transpose(_))
    };
    let layers = || 0..network.layers.len();
    let planes = layers().any(|index| on_machine(index) && !of_matrices(index));
    let loads: Vec<&Load> = program
        .segments
        .iter()
        .map(|segment| &segment.load)
        .collect();
    let segments_of_matrices = program.segments.iter().filter(|segment| {
        let runs = program.runs[segment.runs.clone()].iter();
        runs.flat_map(|run| run.layers.clone()).any(of_matrices)
    });
    let segments_of_matrices = segments_of_matrices.count();
    let left = program
        .layers
        .iter()
        .any(|layer| layer.choice.reason.ends_with(" available"));
    let found = [
        ("segments of matrices", segments_of_matrices > 1),
        ("beside planes", segments_of_matrices > 0 && planes),
        (
            "beside each other",
            segments_of_matrices > 0 && program.double_buffered,
        ),
        (
            "column tiles",
            loads.iter().any(|load| !load.columns.is_empty()),
        ),
        ("program", loads.iter().any(|load| !load.words.is_empty())),
        (
            "constants",
            loads
                .iter()
                .any(|load| load.image.iter().any(|word| word.2 != [0; 8])),
        ),
        ("halos", loads.iter().any(|load| has_halos(load, params))),
        ("left to the host", left),
        (
            "beside pieces",
            !program.pieces.is_empty() && layers().any(of_matrices),
        ),
    ];
    let found = found.into_iter().filter(|&(_, happened)| happened);
    found.map(|(name, _)| name).collect()
}

#[proves("PET-40")]
#[test]
fn random_networks_with_matrices_are_cut_like_others() {
    let mut seen = BTreeMap::new();
    let mut cut = 0;
    for seed in 0..400 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut params = random_params(&mut rng);
        let network = random_network(&mut rng);
        let options = random_options(&mut rng, Cuts::Network);
        if compile_whole(&network, &params, &options).is_err() {
            continue;
        }
        for _ in 0..rng.random_range(1..=2) {
            let size = SIZES[rng.random_range(0..3)];
            params = smallest(&network, &params, &options, size);
        }
        let compiled = compile_whole(&network, &params, &options).unwrap();
        if compiled.cut.is_none() {
            continue;
        }
        cut += 1;
        for event in events(&compiled, &params) {
            *seen.entry(event).or_insert(0) += 1;
        }
        segments::check_images(
            &compiled,
            &network,
            &params,
            &format!("seed {seed}, {params:?}"),
        );
    }
    println!("{cut} are cut: {seen:?}");
    assert!(cut > 100, "{cut}");
    for name in [
        "segments of matrices",
        "beside planes",
        "beside each other",
        "column tiles",
        "program",
        "constants",
        "halos",
    ] {
        assert!(
            seen.get(name).is_some_and(|&count| count > 10),
            "{name}: {seen:?}"
        );
    }
}

#[test]
fn what_does_not_fit_alone_goes_to_pieces_or_to_the_host() {
    let mut seen = BTreeMap::new();
    for seed in 1000..1400 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut params = random_params(&mut rng);
        let network = random_network(&mut rng);
        let options = random_options(&mut rng, Cuts::Layers);
        let size = SIZES[rng.random_range(0..3)];
        params = smallest(&network, &params, &options, size);
        *size(&mut params) = *size(&mut params) / 2 + 1;
        let Ok(compiled) = compile(&network, &params, &options) else {
            continue;
        };
        for event in events(&compiled, &params) {
            *seen.entry(event).or_insert(0) += 1;
        }
        pieces::check_images(
            &compiled,
            &network,
            &params,
            &format!("seed {seed}, {params:?}"),
        );
    }
    println!("{seen:?}");
    for name in ["left to the host", "beside pieces"] {
        assert!(
            seen.get(name).is_some_and(|&count| count > 10),
            "{name}: {seen:?}"
        );
    }
}
