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
use serde_json::{Value, json};

use support::{load, random_image, random_size, run};

fn tiny() -> Params {
    Params::from_json(include_str!("../../configs/tiny.json")).expect("a preset")
}

/// A network of these layers that reads an input of channels x height x width.
fn network(input: [u32; 3], zero_point: i8, layers: &[Value]) -> Network {
    let [channels, height, width] = input;
    let text = json!({
        "format": "heddle-network-1", "name": "matrices",
        "input": {"channels": channels, "height": height, "width": width, "zero_point": zero_point,
            "scale": 1.0},
        "layers": layers,
    });
    Network::from_json(&text.to_string()).unwrap_or_else(|faults| panic!("{faults}"))
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
