//! Images: what the golden machine makes of the file alone is what the golden network says.

use heddle_arch::image::Image;
use heddle_arch::job::Work;
use heddle_arch::params::Params;
use heddle_compiler::{Options, compile};
use heddle_network::Network;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::support::image::{form, from_image, with_reals};
use crate::support::{
    compile_with, model, preset, random_image, random_network, random_size, whole,
};

/// LOADs and STOREs of all lists.
fn transfers(image: &Image) -> usize {
    let jobs = image.lists().into_iter().flat_map(|(_, jobs)| jobs);
    let moves = |work: &Work| matches!(work, Work::Load(_) | Work::Store(_));
    jobs.filter(|job| moves(&job.work)).count()
}

#[test]
fn models_run_from_their_images() {
    let mut seen = 0;
    for (network, machine) in [
        ("tiny", "tiny"),
        ("digits", "edge"),
        ("digits", "tflite"),
        ("mobile", "mobile"),
        ("attention", "edge"),
        ("attention", "tflite"),
    ] {
        let (network, params) = (model(network), preset(machine));
        let images = &network.images[..network.images.len().min(20)];
        for interleaved in [false, true] {
            let program = compile_with(&network, &params, whole()).unwrap();
            let user = form(&network, interleaved, false);
            let made = from_image((&program, &network), &params, images, &user);
            let made = made.unwrap_or_else(|error| panic!("{}: {error}", network.name));
            println!(
                "{} on {machine}: {} bytes, {} entries, {} transfers",
                network.name,
                made.bytes,
                made.image.ring_entries(),
                transfers(&made.image)
            );
            assert!(!images.is_empty() && transfers(&made.image) < 100);
            seen += 1;
        }
    }
    assert_eq!(seen, 12);
}

/// Programs of random networks, some of which need more than an image has.
#[test]
fn random_networks_run_from_their_images() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (mut seen, mut refused, mut most) = (0, 0, 0);
    while seen < 150 {
        let params = random_size(&mut rng).params();
        let layers = 1 + seen % 5;
        let network = random_network(&mut rng, layers, &params.post);
        let mut options = whole();
        options.whole = seen % 2 == 0;
        let Ok(program) = compile_with(&network, &params, options) else {
            continue;
        };
        let images = [
            random_image(&mut rng, &network),
            random_image(&mut rng, &network),
        ];
        let mut user = form(&network, seen % 3 == 0, seen % 4 == 1);
        if seen % 5 < 3 {
            user = with_reals(user, &network, seen % 5 == 0);
        }
        match from_image((&program, &network), &params, &images, &user) {
            Ok(made) => {
                seen += 1;
                most = most.max(transfers(&made.image));
            }
            Err(error) => {
                println!("{error}");
                refused += 1;
            }
        }
    }
    println!("{seen} seen, {refused} refused, at most {most} transfers");
    assert!(refused < seen);
}

/// A convolution of one place that keeps channels and planes.
fn point(name: &str, input: &str, channels: u32) -> Value {
    let all = channels as usize;
    let weights = (0..channels * channels).map(|i| (i * 37 % 251) as i8);
    json!({"kind": "conv2d", "name": name, "inputs": [input], "kernel": [1, 1],
        "output_channels": channels, "weights": weights.collect::<Vec<_>>(),
        "multiplier": vec![1 << 30; all], "shift": vec![-6; all], "output_zero_point": 5,
        "bias": vec![9; all], "activation_min": -128, "activation_max": 127, "rounding": "double"})
}

fn softmax(name: &str, input: &str, axis: &str) -> Value {
    json!({"kind": "softmax", "name": name, "inputs": [input], "axis": axis,
        "multiplier": [1_500_000_000], "shift": [20]})
}

fn arg_max(name: &str, input: &str, axis: &str) -> Value {
    json!({"kind": "arg_max", "name": name, "inputs": [input], "axis": axis})
}

/// A network of these layers, with an input of 6 channels of 5 x 7 and a further one like it.
fn network(layers: &[Value], further: bool, outputs: &[&str]) -> Network {
    let input = json!({"channels": 6, "height": 5, "width": 7, "zero_point": -9, "scale": 0.5});
    let mut file = json!({
        "format": "heddle-network-2", "name": "ends", "input": input, "layers": layers,
        "outputs": outputs,
    });
    if further {
        let mut other = input.clone();
        other["zero_point"] = json!(40);
        other["name"] = json!("other");
        file["further_inputs"] = json!([other]);
    }
    Network::from_json(&file.to_string()).unwrap_or_else(|faults| panic!("{faults}"))
}

/// Random bytes for all inputs.
fn inputs(rng: &mut ChaCha8Rng, network: &Network) -> Vec<i8> {
    (0..network.image_elements())
        .map(|_| rng.random())
        .collect()
}

#[test]
fn further_inputs_and_ends_of_the_host_are_in_the_image() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut params = preset("tflite");
    params.post.dual_scale = true;
    let mut seen = 0;
    for axis in ["channels", "height", "width"] {
        let last = [
            softmax("shares", "b", axis),
            arg_max("place", "shares", axis),
        ];
        let sums = json!({"kind": "weighted_sum", "name": "b", "inputs": ["a", "other"],
            "factors": [3, -2], "multiplier": vec![1 << 30; 6], "shift": vec![-2; 6], "output_zero_point": 1, "activation_min": -128,
            "activation_max": 127, "rounding": "double"});
        let one = point("a", "input", 6);
        let two = point("b", "a", 6);
        let cases = [
            network(
                &[vec![one.clone(), two.clone()], last.to_vec()].concat(),
                false,
                &["place"],
            ),
            network(
                &[vec![one.clone(), two], last.to_vec()].concat(),
                false,
                &["a", "shares", "place"],
            ),
            network(
                &[vec![one, sums], last[..1].to_vec()].concat(),
                true,
                &["b", "shares"],
            ),
        ];
        for network in cases {
            for (whole, interleaved, unsigned) in [
                (false, false, true),
                (true, true, false),
                (true, true, true),
            ] {
                let options = Options {
                    whole,
                    ..Options::default()
                };
                let program = compile_with(&network, &params, options).unwrap();
                let images = [inputs(&mut rng, &network), inputs(&mut rng, &network)];
                let user = form(&network, interleaved, unsigned);
                let made = from_image((&program, &network), &params, &images, &user);
                let made = made.unwrap_or_else(|error| panic!("{axis}: {error}"));
                assert_eq!(
                    made.image.ends.len(),
                    program
                        .runs
                        .iter()
                        .filter(|run| { run.host && !network.layers[run.layers.start].is_input() })
                        .count()
                );
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 27);
}

#[test]
fn what_has_no_image_is_refused_by_name() {
    let refused = |network: &Network, params: &Params| {
        let options = Options {
            whole: true,
            ..Options::default()
        };
        let compiled = compile(network, params, &options).unwrap();
        let user = form(network, false, false);
        let found = heddle_compiler::image(&compiled.program, network, params, &user);
        found.expect_err("no image").to_string()
    };
    let edge = preset("tflite");
    let between = network(
        &[
            point("a", "input", 6),
            softmax("s", "a", "channels"),
            point("b", "s", 6),
        ],
        false,
        &["b"],
    );
    assert_eq!(
        refused(&between, &edge),
        "layer s of kind softmax runs on the host, expected layers of the machine and, behind its last run, softmax and arg_max"
    );
    let other = json!({"kind": "resize", "name": "r", "inputs": ["a"], "scale_factor": [2, 2]});
    let behind = network(&[point("a", "input", 6), other], false, &["r"]);
    assert!(refused(&behind, &edge).starts_with("layer r of kind resize runs on the host"));
    // A chain that the state buffer holds only in parts.
    let layers: Vec<Value> = (0..8)
        .map(|at| {
            let name = |at: u32| format!("layer{at}");
            let input = if at == 0 {
                "input".to_string()
            } else {
                name(at - 1)
            };
            point(&name(at), &input, 6)
        })
        .collect();
    let long = network(&layers, false, &["layer7"]);
    let mut small = preset("tiny");
    small.column_tiles = 8;
    let found = refused(&long, &small);
    assert!(
        found.starts_with("ends needs ") && found.contains(" segments, an image has one: a larger"),
        "{found}"
    );
}
