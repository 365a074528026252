//! Networks of products and transposes: their programs on the instruction-level machine against the golden
//! network, with every cycle predicted.

mod support;

use heddle_arch::host::Counter;
use heddle_arch::isa::{
    Instruction, OP_DRAIN, OP_LOAD_WEIGHTS, OP_MATMUL, ROW_EPILOGUE, ROW_TENSOR,
};
use heddle_arch::network::{LayerKind, Network};
use heddle_arch::params::Params;
use heddle_compiler::matrix::DrainForm;
use heddle_compiler::{
    CompileError, IdentitySource, MatrixOptions, Options, Program, compile_with,
};
use heddle_sim::network as golden;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use support::matrices::{network, random_matrices};
use support::{load, random_image, random_size, run};

/// The preset with a larger program memory.
fn tiny() -> Params {
    let mut params = Params::from_json(include_str!("../../configs/tiny.json")).expect("a preset");
    params.program.words = 4096;
    params
}

fn options(form: DrainForm, fold: bool, built: bool, whole: bool) -> Options {
    Options {
        whole,
        matrices: MatrixOptions {
            identity: match built {
                true => IdentitySource::Built,
                false => IdentitySource::Stored,
            },
            fold,
            form,
        },
        ..Options::default()
    }
}

/// Runs some images; every output must be that of the golden network, and every cycle as predicted.
fn check(
    network: &Network,
    params: &Params,
    program: &Program,
    rng: &mut ChaCha8Rng,
) -> Result<(), String> {
    let mut machine = load(program, params);
    for _ in 0..2 {
        let image = random_image(rng, network);
        let expected = golden::run(network, &image).map_err(|error| error.to_string())?;
        let found = run(&mut machine, program, &image);
        for (plan, (values, counters)) in program.runs.iter().zip(found) {
            let at = plan.layers.end - 1;
            if values != expected[at].values {
                return Err(format!("{}: wrong values", network.layers[at].name));
            }
            let cycles = u64::from(counters.get(Counter::Cycles));
            if cycles != plan.cycles {
                return Err(format!(
                    "{}: {cycles} cycles, predicted {}",
                    plan.name, plan.cycles
                ));
            }
            let vectors: u64 = program.layers[plan.layers.clone()]
                .iter()
                .map(|l| l.vectors)
                .sum();
            if u64::from(counters.get(Counter::Vectors)) != vectors {
                return Err(format!("{}: wrong number of vectors", plan.name));
            }
        }
    }
    Ok(())
}

#[track_caller]
fn runs(network: &Network, params: &Params, options: Options) -> Program {
    let program = compile_with(network, params, options).unwrap_or_else(|error| panic!("{error}"));
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    check(network, params, &program, &mut rng).unwrap_or_else(|error| panic!("{error}"));
    program
}

/// The score of an attention, times its values.
fn attention() -> Network {
    network(
        [1, 6, 5],
        0,
        &[
            json!({"kind": "matmul", "name": "q", "inputs": ["input"], "output_features": 4,
                "weights": (0..20).map(|i| (i * 37 + 5) % 23 - 11).collect::<Vec<i32>>(),
                "multiplier": [1_500_000_000], "shift": [-3]}),
            json!({"kind": "matmul", "name": "k", "inputs": ["input"], "output_features": 4,
                "weights": (0..20).map(|i| (i * 29 + 3) % 19 - 9).collect::<Vec<i32>>(),
                "bias": [100], "multiplier": [1_300_000_000], "shift": [-3]}),
            json!({"kind": "transpose", "name": "turned"}),
            json!({"kind": "matmul", "name": "score", "inputs": ["q", "turned"],
                "multiplier": [1_100_000_000], "shift": [-6], "output_zero_point": -5}),
            json!({"kind": "matmul", "name": "out", "inputs": ["score", "input"],
                "multiplier": [1_700_000_000], "shift": [-7]}),
        ],
    )
}

#[test]
fn pet_40_pet_41_an_attention_runs_in_every_form() {
    for form in [
        DrainForm::All,
        DrainForm::Direct,
        DrainForm::Row,
        DrainForm::Part,
    ] {
        for fold in [false, true] {
            for built in [false, true] {
                for whole in [false, true] {
                    runs(&attention(), &tiny(), options(form, fold, built, whole));
                }
            }
        }
    }
}

#[test]
fn pet_40_pet_42_pet_x1_pet_x4_random_networks_give_the_golden_values_in_the_predicted_cycles() {
    let mut events = std::collections::BTreeMap::new();
    for seed in 0..800 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut params = random_size(&mut rng).params();
        // Sums that were stored are read by a third row.
        params.traversal.rows = rng.random_range(2..=4);
        let network = random_matrices(&mut rng);
        let form = [
            DrainForm::All,
            DrainForm::Direct,
            DrainForm::Row,
            DrainForm::Part,
        ];
        let form = form[rng.random_range(0..4)];
        let (fold, built, whole) = (rng.random(), rng.random_bool(0.3), rng.random());
        let options = options(form, fold, built, whole);
        let mut event = |name: &str, happened: bool| {
            *events.entry(name.to_string()).or_insert(0) += u32::from(happened);
        };
        let program = match compile_with(&network, &params, options) {
            Ok(program) => program,
            Err(CompileError::DoesNotFit { .. }) => {
                event("does not fit", true);
                continue;
            }
            Err(CompileError::Layer { message, .. }) => {
                let known = [
                    "lies as matrices",
                    "both factors have a zero point",
                    "in 3 banks at least",
                    "makes no such pause",
                    "make no such pause",
                    "results_buffer.depth",
                    "not legal for this machine",
                ];
                let at = known.iter().find(|part| message.contains(**part));
                event(at.unwrap_or_else(|| panic!("seed {seed}: {message}")), true);
                continue;
            }
            Err(error) => panic!("seed {seed}: {error}"),
        };
        check(&network, &params, &program, &mut rng)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        event("runs", true);
        for layer in &network.layers {
            event("several channels", layer.input.channels > 1);
            match layer.kind {
                LayerKind::Matmul(matmul) => {
                    event("stored", layer.inputs.len() == 1);
                    event("two inputs", layer.inputs.len() == 2);
                    event("first transposed", matmul.transposed[0]);
                    event("second transposed", matmul.transposed[1]);
                    event("first has a zero point", layer.inputs[0].zero_point != 0);
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
        event("folded", fold);
        event("built", built);
        event("whole", whole);
    }
    println!("{events:?}");
    for name in [
        "several channels",
        "stored",
        "two inputs",
        "first transposed",
        "second transposed",
        "first has a zero point",
        "squared",
        "wide",
        "four dimensions",
        "folded",
        "built",
        "whole",
        "lies as matrices",
        "both factors have a zero point",
    ] {
        assert!(
            events.get(name).is_some_and(|&count| count > 4),
            "{name}: {events:?}"
        );
    }
    assert!(events["runs"] > 200, "{events:?}");
}
