//! Networks of products and transposes, random ones among them, and what must be true of their runs.

use heddle_arch::host::Counter;
use heddle_arch::params::Params;
use heddle_compiler::matrix::DrainForm;
use heddle_compiler::{IdentitySource, MatrixOptions, Options, Program};
use heddle_network::Network;
use heddle_sim::network as golden;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::compile_with;
use super::image::{form, from_image};
use super::{load, random_image, run};

/// The preset with a larger program memory.
pub fn tiny() -> Params {
    let mut params =
        Params::from_json(include_str!("../../../configs/tiny.json")).expect("a preset");
    params.program.words = 4096;
    params
}

pub fn options(form: DrainForm, fold: bool, built: bool, whole: bool) -> Options {
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

/// Runs some images; every output must be that of the golden network, and every cycle as predicted. The same from an image of the
/// program, if it has one, which is what it gives.
pub fn check(
    network: &Network,
    params: &Params,
    program: &Program,
    rng: &mut ChaCha8Rng,
) -> Result<bool, String> {
    let mut machine = load(program, params);
    for _ in 0..2 {
        let image = random_image(rng, network);
        let expected = golden::run(network, &image).map_err(|error| error.to_string())?;
        let found = run(&mut machine, program, network, &image);
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
    let images = [random_image(rng, network)];
    let form = form(network, network.layers.len() % 2 == 0, false);
    Ok(from_image((program, network), params, &images, &form).is_ok())
}

#[track_caller]
pub fn runs(network: &Network, params: &Params, options: Options) -> Program {
    let program = compile_with(network, params, options).unwrap_or_else(|error| panic!("{error}"));
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    check(network, params, &program, &mut rng).unwrap_or_else(|error| panic!("{error}"));
    program
}

/// The score of an attention, times its values.
pub fn attention() -> Network {
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

/// A network of these layers that reads an input of channels x height x width.
pub fn network(input: [u32; 3], zero_point: i8, layers: &[Value]) -> Network {
    let [channels, height, width] = input;
    let text = json!({
        "format": "heddle-network-1", "name": "matrices",
        "input": {"channels": channels, "height": height, "width": width, "zero_point": zero_point,
            "scale": 1.0},
        "layers": layers,
    });
    Network::from_json(&text.to_string()).unwrap_or_else(|faults| panic!("{faults}"))
}

/// A tensor of a random network.
#[derive(Clone)]
struct Tensor {
    name: String,
    shape: [u32; 3],
}

fn random_scale(rng: &mut ChaCha8Rng, terms: u32) -> (i32, i32) {
    // Sums of random bytes have about 13 bits for each term.
    let shift = -7 - (f64::from(terms).log2() / 2.0) as i32 + rng.random_range(-1..=1);
    (rng.random_range(1 << 30..=i32::MAX), shift)
}

/// A product of one of the last tensors with any other, or with weights.
fn random_product(
    rng: &mut ChaCha8Rng,
    name: &str,
    tensors: &[Tensor],
    from: usize,
) -> (Value, Tensor) {
    let first = tensors[rng.random_range(from..tensors.len())].clone();
    let transposed = [rng.random_bool(0.4), rng.random_bool(0.4)];
    let sides = |shape: [u32; 3], turned: bool| match turned {
        true => (shape[2], shape[1]),
        false => (shape[1], shape[2]),
    };
    let (rows, terms) = sides(first.shape, transposed[0]);
    let fits = |other: &&Tensor| {
        other.shape[0] == first.shape[0] && sides(other.shape, transposed[1]).0 == terms
    };
    // A square now and then; the other factor of other products is another tensor.
    let squares = rng.random_bool(0.2);
    let others = tensors.iter().filter(|t| squares || t.name != first.name);
    let fitting: Vec<&Tensor> = others.filter(fits).collect();
    let mut layer = json!({"kind": "matmul", "name": name, "transposed": transposed});
    let cols = match fitting.is_empty() || rng.random_bool(0.3) {
        false => {
            let second = fitting[rng.random_range(0..fitting.len())];
            layer["inputs"] = json!([first.name, second.name]);
            sides(second.shape, transposed[1]).1
        }
        true => {
            let cols = rng.random_range(1..=14);
            let weights: Vec<i8> = (0..terms * cols).map(|_| rng.random()).collect();
            layer["inputs"] = json!([first.name]);
            layer["weights"] = json!(weights);
            layer["output_features"] = json!(cols);
            cols
        }
    };
    let (multiplier, shift) = random_scale(rng, terms);
    layer["multiplier"] = json!([multiplier]);
    layer["shift"] = json!([shift]);
    // One scale for each column, or one bias, or both.
    if rng.random_bool(0.3) {
        let scales: Vec<(i32, i32)> = (0..cols).map(|_| random_scale(rng, terms)).collect();
        layer["multiplier"] = json!(scales.iter().map(|scale| scale.0).collect::<Vec<_>>());
        layer["shift"] = json!(scales.iter().map(|scale| scale.1).collect::<Vec<_>>());
    }
    if rng.random_bool(0.3) {
        let biases: Vec<i32> = (0..cols).map(|_| rng.random_range(-9000..9000)).collect();
        layer["bias"] = json!(biases);
    }
    if rng.random_bool(0.5) {
        if layer["bias"].is_null() {
            layer["bias"] = json!([rng.random_range(-9000..9000)]);
        }
        layer["rounding"] = json!(["single", "double"][rng.random_range(0..2)]);
    }
    let zero_point: i8 = match rng.random_bool(0.15) {
        true => rng.random(),
        false => 0,
    };
    layer["output_zero_point"] = json!(zero_point);
    if rng.random_bool(0.2) {
        layer["activation_min"] = json!(zero_point);
    }
    let shape = [first.shape[0], rows, cols];
    let name = name.to_string();
    (layer, Tensor { name, shape })
}

fn random_transpose(rng: &mut ChaCha8Rng, name: &str, tensors: &[Tensor]) -> (Value, Tensor) {
    const AXES: [[usize; 4]; 6] = [
        [0, 1, 3, 2],
        [0, 2, 3, 1],
        [0, 3, 1, 2],
        [1, 2, 3, 0],
        [2, 3, 0, 1],
        [3, 0, 1, 2],
    ];
    let source = tensors[rng.random_range(0..tensors.len())].clone();
    let [channels, height, width] = source.shape;
    let axes = match rng.random_bool(0.7) {
        true => AXES[0],
        false => AXES[rng.random_range(0..AXES.len())],
    };
    let divides = |size: u32| (1..=size.min(4)).filter(move |n| size % n == 0);
    let batches: Vec<u32> = divides(channels).collect();
    let batch = batches[rng.random_range(0..batches.len())];
    let bytes: Vec<u32> = divides(width).collect();
    let bytes = match rng.random_bool(0.3) {
        true => bytes[rng.random_range(0..bytes.len())],
        false => 1,
    };
    let sizes = [batch, channels / batch, height, width / bytes];
    let [a, b, c, d] = axes.map(|axis| sizes[axis]);
    let layer = json!({"kind": "transpose", "name": name, "inputs": [source.name],
        "permutation": axes, "batch": batch, "element_bytes": bytes});
    let shape = [a * b, c, d * bytes];
    let name = name.to_string();
    (layer, Tensor { name, shape })
}

/// A network whose layers read each other's outputs; each of them is read.
pub fn random_matrices(rng: &mut ChaCha8Rng) -> Network {
    let shape = [
        rng.random_range(1..=4),
        rng.random_range(1..=12),
        rng.random_range(1..=16),
    ];
    let zero_point = if rng.random_bool(0.3) {
        rng.random()
    } else {
        0
    };
    let mut tensors = vec![Tensor {
        name: "input".to_string(),
        shape,
    }];
    let mut layers = Vec::new();
    for index in 0..rng.random_range(1..=5) {
        let name = format!("layer{index}");
        // Mostly the layer before.
        let from = match rng.random_bool(0.7) {
            true => tensors.len() - 1,
            false => 0,
        };
        let (layer, tensor) = match rng.random_bool(0.6) {
            true => random_product(rng, &name, &tensors, from),
            false => random_transpose(rng, &name, &tensors[from..]),
        };
        layers.push(layer);
        tensors.push(tensor);
    }
    match without_idle(&mut layers) {
        true => network(shape, zero_point, &layers),
        false => random_matrices(rng),
    }
}

/// Leaves out layers that nobody reads, the last one excepted; false if the input is not read.
fn without_idle(layers: &mut Vec<Value>) -> bool {
    loop {
        let read = |name: &Value| {
            let inputs = layers.iter().filter_map(|layer| layer["inputs"].as_array());
            inputs.flatten().any(|input| input == name)
        };
        let last = layers.len() - 1;
        match (0..last).find(|&at| !read(&layers[at]["name"])) {
            Some(at) => drop(layers.remove(at)),
            None => return read(&json!("input")),
        }
    }
}

/// A convolution of 3 x 3 that keeps the size of planes.
fn random_convolution(rng: &mut ChaCha8Rng, name: &str, source: &Tensor) -> (Value, Tensor) {
    let [inputs, height, width] = source.shape;
    let channels = rng.random_range(1..=12);
    let weights: Vec<i8> = (0..9 * inputs * channels).map(|_| rng.random()).collect();
    let (multiplier, shift) = random_scale(rng, 9 * inputs);
    let zero_point = match rng.random_bool(0.5) {
        true => 0,
        false => rng.random_range(-128..=127),
    };
    let layer = json!({"kind": "conv2d", "name": name, "inputs": [source.name], "kernel": [3, 3],
        "output_channels": channels, "padding": {"top": 1, "bottom": 1, "left": 1, "right": 1},
        "weights": weights, "multiplier": vec![multiplier; channels as usize],
        "shift": vec![shift; channels as usize], "output_zero_point": zero_point, "rounding": "double",
        "bias": vec![0; channels as usize], "activation_min": -128, "activation_max": 127});
    let shape = [channels, height, width];
    let name = name.to_string();
    (layer, Tensor { name, shape })
}

/// Layers of planes and of matrices by turns, with a layer of the host between them. Planes may wait while matrices are there.
pub fn random_mixed(rng: &mut ChaCha8Rng) -> Network {
    let shape = [1, 1, 1].map(|_: i32| rng.random_range(1..=9));
    let mut tensors = vec![Tensor {
        name: "input".to_string(),
        shape,
    }];
    let mut layers = Vec::new();
    let mut of_planes = rng.random_bool(0.6);
    // Planes to go on from.
    let mut planes = tensors.clone();
    for _ in 0..rng.random_range(2..=5) {
        let mut first = tensors.len() - 1;
        for _ in 0..rng.random_range(1..=3) {
            let name = format!("layer{}", layers.len());
            let from = match planes.len() > 1 && rng.random_bool(0.3) {
                true => planes[rng.random_range(0..planes.len())].clone(),
                false => tensors[tensors.len() - 1].clone(),
            };
            let (layer, tensor) = match (of_planes, rng.random_bool(0.6)) {
                (true, _) => random_convolution(rng, &name, &from),
                (false, true) => random_product(rng, &name, &tensors[first..], 0),
                (false, false) => random_transpose(rng, &name, &tensors[first..]),
            };
            layers.push(layer);
            planes.extend(of_planes.then(|| tensor.clone()));
            tensors.push(tensor);
            first += usize::from(rng.random_bool(0.3));
        }
        let last = tensors[tensors.len() - 1].clone();
        let name = format!("layer{}", layers.len());
        layers.push(
            json!({"kind": "slice", "name": name, "inputs": [last.name], "start": [0, 0, 0],
            "output_shape": last.shape}),
        );
        tensors.push(Tensor { name, ..last });
        of_planes = !of_planes;
    }
    match without_idle(&mut layers) {
        true => network(shape, 0, &layers),
        false => random_mixed(rng),
    }
}
