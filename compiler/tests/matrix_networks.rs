//! Networks of products and transposes: their programs on the instruction-level machine against the golden
//! network, with every cycle predicted.

use heddle_compiler::matrix::DrainForm;
use heddle_compiler::{CompileError, LayerPlan, Options};
use heddle_network::{LayerKind, Permutation, Shape};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::compile_with;
use crate::support::matrices::{attention, check, options, random_matrices, runs, tiny};
use crate::support::{random_size, share_multipliers};

const FORMS: [DrainForm; 4] = [
    DrainForm::All,
    DrainForm::Direct,
    DrainForm::Row,
    DrainForm::Part,
];

#[proves("PET-40", "PET-41")]
#[test]
fn an_attention_runs_in_every_form() {
    for form in FORMS {
        for fold in [false, true] {
            for built in [false, true] {
                for whole in [false, true] {
                    runs(&attention(), &tiny(), options(form, fold, built, whole));
                }
            }
        }
    }
}

#[proves("PET-40", "PET-42", "PET-X1", "PET-X4")]
#[test]
fn random_networks_give_the_golden_values_in_the_predicted_cycles() {
    let mut events = std::collections::BTreeMap::new();
    for seed in 0..800 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut params = random_size(&mut rng).params();
        share_multipliers(&mut params, &mut rng);
        // Sums that were stored are read by a third row.
        params.traversal.rows = rng.random_range(2..=4);
        let network = random_matrices(&mut rng);
        let form = FORMS[rng.random_range(0..4)];
        let (fold, built, whole) = (rng.random(), rng.random_bool(0.3), rng.random());
        let options = options(form, fold, built, whole);
        let mut event = |name: &str, happened: bool| {
            *events.entry(name.to_string()).or_insert(0) += u32::from(happened);
        };
        let program = match compile_with(&network, &params, &options) {
            Ok(program) => program,
            Err(CompileError::DoesNotFit { .. }) => {
                event("does not fit", true);
                continue;
            }
            Err(CompileError::Layer { message, .. }) => {
                let known = [
                    "in 3 banks at least",
                    "makes no such pause",
                    "make no such pause",
                    "results_buffer.depth",
                    "traversal.rows gives",
                ];
                let at = known.iter().find(|part| message.contains(**part));
                event(at.unwrap_or_else(|| panic!("seed {seed}: {message}")), true);
                continue;
            }
            Err(error) => panic!("seed {seed}: {error}"),
        };
        let has_image = check(&network, &params, &program, &mut rng)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        event("image", has_image);
        event("runs", true);
        for layer in &network.layers {
            event("several channels", layer.input.channels > 1);
            match layer.kind {
                LayerKind::Matmul(matmul) => {
                    event("stored", layer.inputs.len() == 1);
                    event("scales of columns", layer.scales.len() > 1);
                    event(
                        "tiles of columns",
                        layer.scales.len() > params.array.cols as usize,
                    );
                    event("two inputs", layer.inputs.len() == 2);
                    event("first transposed", matmul.transposed[0]);
                    event("second transposed", matmul.transposed[1]);
                    event("first has a zero point", layer.inputs[0].zero_point != 0);
                    let second = layer.inputs.get(1);
                    event("second has one", second.is_some_and(|i| i.zero_point != 0));
                    let same = layer.inputs.iter().map(|input| input.tensor);
                    event(
                        "squared",
                        layer.inputs.len() == 2 && same.clone().min() == same.max(),
                    );
                }
                LayerKind::Transpose(permutation) => {
                    event("wide", permutation.element_bytes > 1);
                    event("four dimensions", permutation.axes != [0, 1, 3, 2]);
                }
                _ => {}
            }
        }
        let otherwise = |layer: &LayerPlan| layer.choice.reason.contains("lies as other matrices");
        event("other matrices", program.layers.iter().any(otherwise));
        event("on the host", program.layers.iter().any(|layer| layer.host));
        event("folded", fold);
        event("built", built);
        event("whole", whole);
    }
    println!("{events:?}");
    let expected = "several channels, stored, two inputs, first transposed, second transposed, first has a \
                    zero point, second has one, scales of columns, tiles of columns, squared, wide, \
                    four dimensions, folded, built, whole, other matrices, on the host";
    for name in expected.split(", ") {
        let count = events.get(name).copied().unwrap_or_default();
        assert!(count > 4, "{name}: {events:?}");
    }
    assert!(events["runs"] > 200, "{events:?}");
}

#[test]
fn as_many_transposes_as_a_network_can_have_are_refused_at_once() {
    let mut network = attention();
    let mut layer = network.layers.swap_remove(0);
    let shape = Shape {
        channels: 4096,
        height: 1,
        width: 1,
    };
    (layer.kind, layer.inputs) = (
        LayerKind::Transpose(Permutation::default()),
        vec![layer.inputs[0]],
    );
    (layer.input, layer.output) = (shape, shape);
    (network.input, network.layers) = (shape, vec![layer]);
    let mut params = tiny();
    let started = std::time::Instant::now();
    for words in [1024, 65_536] {
        params.program.words = words;
        let error = compile_with(&network, &params, Options::default()).expect_err("too many");
        assert!(error.to_string().contains("program needs "), "{error}");
    }
    // What took minutes takes milliseconds.
    assert!(started.elapsed().as_secs() < 30);
}
