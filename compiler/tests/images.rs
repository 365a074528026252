//! Images: what the golden machine makes of the file alone is what the golden network says.

use heddle_arch::image::Image;
use heddle_arch::job::{Job, JobWaits, Work};
use heddle_arch::params::Params;
use heddle_arch::transfer::{Transfer, Walk};
use heddle_compiler::{Mapping, Options, compile};
use heddle_network::{Network, Shape};
use heddle_sim::image::Runner;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::support::chain::{Link, chain};
use crate::support::image::{form, from_image, inputs_of, with_reals};
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
        options.stream = seen % 4 < 2;
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
}

/// A chain of convolutions of one place.
fn long(layers: u32) -> Network {
    let name = |at: u32| format!("layer{at}");
    let input = |at: u32| at.checked_sub(1).map_or("input".to_string(), name);
    let all = (0..layers).map(|at| point(&name(at), &input(at), 6));
    network(&all.collect::<Vec<_>>(), false, &[&name(layers - 1)])
}

#[test]
fn lists_that_no_ring_holds_are_refused() {
    let mut params = preset("tiny");
    params.column_tiles = 2;
    let network = long(256);
    let program = compile_with(&network, &params, whole()).unwrap();
    let user = form(&network, false, false);
    let found = heddle_compiler::image(&program, &network, &params, &user);
    let found = found.expect_err("too long").to_string();
    assert_eq!(
        found,
        "ends needs 2574 entries of a ring, expected at most 1023: a larger state buffer, column_tiles, program or tables take fewer"
    );
}

/// Networks that are cut for one memory each.
fn in_segments() -> Vec<(&'static str, Network, Params, Options)> {
    let digits = || (model("digits"), preset("edge"));
    let size = Shape {
        channels: 100,
        height: 1,
        width: 1,
    };
    let links = [64, 152, 40].map(Link::Points);
    let points = chain(&mut ChaCha8Rng::seed_from_u64(4), size, &links);
    let mut rows = Vec::new();
    let mut add = |name,
                   (network, mut params): (Network, Params),
                   (mapping, double_buffered): (_, &[bool]),
                   change: fn(&mut Params)| {
        params.post.left_shift = true;
        change(&mut params);
        for &double_buffered in double_buffered {
            let options = Options {
                whole: true,
                mapping,
                double_buffered,
                ..Options::default()
            };
            rows.push((name, network.clone(), params.clone(), options));
        }
    };
    let by_channel = Some(Mapping::Channel);
    let both = &[false, true][..];
    add(
        "weights",
        (points, preset("edge")),
        (by_channel, both),
        |params| {
            params.column_tiles = 64;
            params.state_buffer.words_per_bank = 256;
        },
    );
    let links = [152, 16, 152, 100, 152, 16].map(Link::Points);
    let points = chain(&mut ChaCha8Rng::seed_from_u64(4), size, &links);
    add(
        "more weights",
        (points, preset("edge")),
        (by_channel, &both[1..]),
        |params| {
            params.column_tiles = 64;
            params.state_buffer.words_per_bank = 512;
        },
    );
    add("maps", digits(), (by_channel, &both[..1]), |params| {
        params.state_buffer.words_per_bank = 256;
    });
    add("column tiles", digits(), (None, both), |params| {
        params.column_tiles = 8
    });
    add("program", digits(), (None, both), |params| {
        params.program.words = 128
    });
    rows
}

/// What an image makes of inferences one behind the other, if it comes to an end.
pub fn made(
    image: &Image,
    params: &Params,
    inputs: &[Vec<Vec<u8>>],
) -> Result<Vec<Vec<Vec<u8>>>, String> {
    let file = image.to_bytes().expect("an image");
    let mut runner = Runner::new(params, &file).map_err(|error| error.to_string())?;
    runner.stream(inputs).map_err(|error| error.to_string())
}

/// The list of an inference with this number.
fn list(image: &mut Image, number: usize) -> &mut Vec<Job> {
    let [begin, runs, end] = [&mut image.begin, &mut image.runs, &mut image.end];
    [begin, runs, end].into_iter().nth(number).expect("a list")
}

/// LOADs of a list, and those behind each RUN that do not wait for it.
fn count_loads(jobs: &[Job]) -> (usize, Vec<usize>) {
    let (mut all, mut early, mut runs) = (0, Vec::new(), false);
    for job in jobs {
        runs = match job.work {
            Work::Run { .. } => true,
            _ => runs && !job.waits.program,
        };
        match job.work {
            Work::Run { .. } => early.push(0),
            Work::Load(_) => {
                all += 1;
                early
                    .iter_mut()
                    .last()
                    .into_iter()
                    .for_each(|count| *count += usize::from(runs));
            }
            _ => {}
        }
    }
    (all, early)
}

#[test]
fn segments_are_loaded_among_the_runs() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let (mut found, mut waits) = (Vec::new(), 0);
    for (name, network, params, options) in in_segments() {
        let program = compile_with(&network, &params, options.clone()).unwrap();
        let images: Vec<Vec<i8>> = (0..3).map(|_| inputs(&mut rng, &network)).collect();
        let user = form(&network, true, false);
        let image = from_image((&program, &network), &params, &images, &user);
        let image = image.unwrap_or_else(|error| panic!("{name}: {error}"));
        let image = image.image;
        let given = images
            .iter()
            .map(|values| inputs_of(&network, &user, values));
        let given: Vec<_> = given.collect();
        let right = made(&image, &params, &given).expect(name);
        // Each wait is needed.
        for (number, at) in [0, 1, 2]
            .map(|number| (0..100).map(move |at| (number, at)))
            .into_iter()
            .flatten()
        {
            let mut changed = image.clone();
            let Some(job) = list(&mut changed, number).get_mut(at) else {
                continue;
            };
            if job.waits != JobWaits::default() {
                waits += 1;
                job.waits = JobWaits::default();
                let wrong = made(&changed, &params, &given) != Ok(right.clone());
                assert!(wrong, "{name}: list {number}, entry {at} need not wait");
            }
        }
        let (runs, early) = count_loads(&image.runs);
        found.push((
            (name, options.double_buffered, program.segments.len()),
            [image.once.len(), count_loads(&image.begin).0, runs],
            early,
        ));
    }
    assert_eq!(waits, 40);
    // LOADs that run once, of inputs in front of the runs, and among the runs; those behind each run that do not wait for it.
    assert_eq!(
        found,
        [
            (("weights", false, 3), [3, 2, 4], vec![1, 0, 0]),
            (("weights", true, 3), [3, 2, 4], vec![2, 1, 0]),
            (("more weights", true, 5), [5, 0, 17], vec![2, 4, 3, 2, 2]),
            (("maps", false, 2), [7, 1, 5], vec![0, 1]),
            (("column tiles", false, 2), [4, 1, 3], vec![0, 0]),
            (("column tiles", true, 4), [5, 1, 5], vec![1, 1, 2, 1]),
            (("program", false, 2), [5, 1, 2], vec![0, 0]),
            (("program", true, 4), [6, 1, 4], vec![1, 1, 1, 1]),
        ]
    );
}

#[test]
fn the_next_inputs_come_while_a_run_does_not_need_their_places() {
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    let mut found = Vec::new();
    for (name, machine) in [
        ("tiny", "tiny"),
        ("digits", "edge"),
        ("mobile", "mobile"),
        ("attention", "edge"),
        ("chain", "tiny"),
    ] {
        let network = match name {
            // Its tensors would take turns in two places.
            "chain" => long(5),
            _ => model(name),
        };
        let params = preset(machine);
        let whole = compile_with(&network, &params, whole()).unwrap();
        let options = Options {
            whole: true,
            stream: true,
            ..Options::default()
        };
        let program = compile_with(&network, &params, options).unwrap();
        assert_eq!(program.segments.len(), whole.segments.len(), "{name}");
        let images: Vec<Vec<i8>> = (0..3).map(|_| inputs(&mut rng, &network)).collect();
        let user = form(&network, true, false);
        let image = from_image((&program, &network), &params, &images, &user);
        let mut image = image
            .unwrap_or_else(|error| panic!("{name}: {error}"))
            .image;
        let waits = image.begin.iter().any(|job| job.waits.program);
        let machine = |program: &heddle_compiler::Program| {
            program.runs.iter().filter(|run| !run.host).count()
        };
        found.push((name, [machine(&whole), machine(&program)], waits));
        if waits {
            continue;
        }
        // With one run that reads them, the next inputs must wait.
        let given = images
            .iter()
            .map(|values| inputs_of(&network, &user, values));
        let given: Vec<_> = given.collect();
        let right = made(&image, &params, &given).expect(name);
        let one = heddle_compiler::image(&whole, &network, &params, &user).unwrap();
        let early = std::mem::take(&mut image.begin);
        assert!(one.begin.iter().any(|job| job.waits.program), "{name}");
        let mut wrong = one;
        wrong.begin = early;
        wrong
            .begin
            .iter_mut()
            .for_each(|job| job.waits = JobWaits::default());
        assert!(made(&wrong, &params, &given) != Ok(right), "{name}");
    }
    // Runs of the machine without and with the option, and whether the next inputs wait for the last one.
    assert_eq!(
        found,
        [
            ("tiny", [1, 2], false),
            ("digits", [1, 2], false),
            ("mobile", [1, 2], false),
            ("attention", [1, 1], true),
            ("chain", [1, 2], false),
        ]
    );
}

#[test]
fn a_load_beside_a_run_that_writes_there_is_found() {
    let (_, network, params, options) = in_segments().swap_remove(0);
    let program = compile_with(&network, &params, options).unwrap();
    let user = form(&network, true, false);
    let mut image = heddle_compiler::image(&program, &network, &params, &user).unwrap();
    let Some(Work::Store(output)) = image.end.get(1).map(|job| job.work) else {
        panic!("{:?}", image.end);
    };
    let fill = Transfer {
        region: 0,
        fill: true,
        zero: 0,
        offset: 0,
        loops: output.loops.map(|walk| Walk { pitch: 0, ..walk }),
        ..output
    };
    let zeros = vec![inputs_of(
        &network,
        &user,
        &vec![0; network.image_elements()],
    )];
    let right = made(&image, &params, &zeros).expect("it runs");
    image.runs.push(Work::Load(fill).into());
    let start = program.runs.last().map_or(0, |run| run.start_pc);
    let [word, partition] = output.place;
    assert_eq!(
        made(&image, &params, &zeros).unwrap_err(),
        format!(
            "run at program word {start} writes word {word} of partition {partition}, as a LOAD behind it that does not wait for it does"
        )
    );
    // Behind the run it is another thing.
    image.runs.last_mut().expect("a LOAD").waits.program = true;
    let cleared = made(&image, &params, &zeros).expect("it runs");
    assert!(cleared != right);
}
