//! Networks of products and transposes on the emitted machine: values and counters against the golden models.

use crate::generator::compile_with;
use crate::generator::matrices::{network, random_matrices};
use crate::machines;
use crate::machines::Machine;
use crate::rtl;
use crate::rtl::{Checked, Coverage, OrPanic};
use crate::top::{images, run_images};
use heddle_compiler::matrix::DrainForm;
use heddle_compiler::{IdentitySource, MatrixOptions, Options};
use heddle_network::{LayerKind, Network};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

fn options(whole: bool, matrices: MatrixOptions) -> Options {
    Options {
        whole,
        matrices,
        ..Options::default()
    }
}

/// All layers as one run: the host writes the input and reads the last output.
fn whole(form: DrainForm) -> Options {
    let matrices = MatrixOptions {
        form,
        ..MatrixOptions::default()
    };
    options(true, matrices)
}

/// A product of the input with weights, its transpose, and the product of that with the input.
fn chain(rows: u32, cols: u32) -> Network {
    let features = rows + 2;
    let weights: Vec<i32> = (0..cols * features)
        .map(|i| (i as i32 * 37 + 11) % 41 - 20)
        .collect();
    network(
        [1, rows, cols],
        0,
        &[
            json!({"kind": "matmul", "name": "first", "output_features": features, "weights": weights,
                "bias": [50], "multiplier": [1_400_000_000], "shift": [-5]}),
            json!({"kind": "transpose", "name": "turned"}),
            json!({"kind": "matmul", "name": "second", "inputs": ["turned", "input"],
                "multiplier": [1_800_000_000], "shift": [-6]}),
        ],
    )
}

#[proves("PET-35", "PET-36", "PET-37", "PET-40", "PET-41")]
#[test]
fn a_transpose_between_products_without_the_host() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for params in [machines::tiny(), machines::tall(), machines::wide()] {
        let machine = Machine::new(params);
        let network = chain(machine.params.array.rows + 2, machine.params.array.cols);
        for form in [DrainForm::All, DrainForm::Direct] {
            let program = compile_with(&network, &machine.params, whole(form)).or_panic();
            // One run with one HALT: nothing is written or read before its end.
            assert_eq!(program.runs.len(), 1);
            run_images(
                &machine,
                1,
                (&network, &program),
                images(&mut rng, &network, 2),
            )
            .unwrap_or_else(|error| panic!("{form:?}: {error}"));
        }
    }
}

#[test]
fn a_wrong_identity_is_found() {
    let machine = Machine::new(machines::tiny());
    let network = chain(6, 4);
    let options = whole(DrainForm::Direct);
    let mut program = compile_with(&network, &machine.params, &options).expect("it fits");
    let images = images(&mut ChaCha8Rng::seed_from_u64(1), &network, 1);
    run_images(&machine, 1, (&network, &program), images.clone()).expect("exact");
    // The row of the identity in partition 2 gets its 1 where that of partition 1 is.
    let row = |partition: u32| {
        let one = u64::to_le_bytes(1 << (8 * partition));
        move |word: &&mut (u32, u32, [u8; 8])| word.0 == partition && word.2 == one
    };
    let word = program
        .once
        .image
        .iter_mut()
        .find(row(2))
        .expect("the identity");
    word.2 = u64::to_le_bytes(1 << 8);
    let error = run_images(&machine, 1, (&network, &program), images).expect_err("wrong");
    assert!(error.contains("output "), "{error}");
}

/// Channels to the end: N transposes of C x HW.
fn nchw_to_nhwc(batch: u32, channels: u32, height: u32, width: u32) -> Network {
    let layer = json!({"kind": "transpose", "name": "nhwc", "permutation": [0, 2, 3, 1],
        "batch": batch});
    network([batch * channels, height, width], 0, &[layer])
}

#[proves("PET-X4")]
#[test]
fn channels_last_of_the_annex_and_of_random_tensors() {
    let machine = Machine::new(machines::tiny());
    let options = whole(DrainForm::All);
    let annex = nchw_to_nhwc(1, 3, 2, 2);
    let image: Vec<i8> = (0..12).map(|i| 10 * (i / 4) + i % 4).collect();
    let expected = [0, 10, 20, 1, 11, 21, 2, 12, 22, 3, 13, 23];
    let golden = heddle_sim::network::run(&annex, &image).expect("it runs");
    assert_eq!(golden[0].values, expected);
    let program = compile_with(&annex, &machine.params, &options).expect("it fits");
    run_images(&machine, 1, (&annex, &program), [(image, None)]).unwrap();

    for (batch, channels, height, width) in [(2, 3, 5, 3), (3, 6, 2, 4), (1, 9, 3, 3)] {
        let network = nchw_to_nhwc(batch, channels, height, width);
        let program = compile_with(&network, &machine.params, &options).expect("it fits");
        // Each of the N matrices is loaded in sub-blocks of R x C.
        let loads = program.schedule.steps.iter();
        let loads = loads.filter(|step| step.unit == heddle_compiler::Unit::Weights);
        let blocks = channels.div_ceil(4) * (height * width).div_ceil(4);
        assert_eq!(loads.count() as u32, batch * blocks);
        let images = images(&mut ChaCha8Rng::seed_from_u64(7), &network, 2);
        run_images(&machine, 7, (&network, &program), images).unwrap();
    }
}

#[proves("PET-X1")]
#[test]
fn elements_of_16_bits_as_a_layer() {
    let machine = Machine::new(machines::tiny());
    let layer = json!({"kind": "transpose", "name": "wide", "element_bytes": 2});
    let network = network([1, 2, 4], 0, &[layer]);
    let program = compile_with(&network, &machine.params, whole(DrainForm::All)).expect("it fits");
    let image = [0x34, 0x12, 0xCD, 0xAB, 0xFF, 0x00, 0x00, 0xFF].map(|byte: u8| byte as i8);
    let expected = [0x34, 0x12, 0xFF, 0x00, 0xCD, 0xAB, 0x00, 0xFF].map(|byte: u8| byte as i8);
    let golden = heddle_sim::network::run(&network, &image).expect("it runs");
    assert_eq!(golden[0].values, expected);
    run_images(&machine, 1, (&network, &program), [(image, None)]).unwrap();
}

/// Vectors of a program that are simulated.
const VECTORS_MOST: u64 = 4_000;

fn random_network(machine: &Machine, seed: u64, coverage: &mut Coverage) -> Checked<bool> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let network = random_matrices(&mut rng);
    let forms = [
        DrainForm::All,
        DrainForm::Direct,
        DrainForm::Row,
        DrainForm::Part,
    ];
    let matrices = MatrixOptions {
        identity: match rng.random_bool(0.3) {
            true => IdentitySource::Built,
            false => IdentitySource::Stored,
        },
        fold: rng.random_bool(0.3),
        form: forms[rng.random_range(0..4)],
    };
    let options = options(rng.random(), matrices);
    let Ok(program) = compile_with(&network, &machine.params, &options) else {
        return Ok(false);
    };
    let vectors: u64 = program.layers.iter().map(|layer| layer.vectors).sum();
    if vectors > VECTORS_MOST {
        return Ok(false);
    }
    let images = images(&mut rng, &network, 2);
    run_images(machine, seed, (&network, &program), images)?;
    for layer in &network.layers {
        coverage.event("product", matches!(layer.kind, LayerKind::Matmul(_)));
        coverage.event("transpose", matches!(layer.kind, LayerKind::Transpose(_)));
        coverage.event("several matrices", layer.input.channels > 1);
    }
    coverage.event("several layers", network.layers.len() > 1);
    Ok(true)
}

#[proves("PET-42", "PET-46")]
#[test]
fn random_networks_of_matrices() {
    for params in [machines::tiny(), machines::tall(), machines::wide()] {
        let machine = Machine::new(params);
        rtl::run_seeds(|seed| {
            let mut coverage = Coverage::default();
            let mut runs = 0;
            for number in 0..40 {
                runs += u32::from(random_network(
                    &machine,
                    1000 * seed + number,
                    &mut coverage,
                )?);
            }
            match runs {
                0..6 => Err(format!("{}: only {runs} networks fit", machine.params.name)),
                _ => Ok(coverage),
            }
        });
    }
}
