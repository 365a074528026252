//! Layers in bands and groups of channels whose parts programs load and store: no host stands between them.

use heddle_arch::isa::Instruction;
use heddle_arch::params::Params;
use heddle_compiler::{CompileError, Program, compile};
use heddle_network::{Network, Shape};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::moves::{options, with_dma};
use crate::support::chain::{Link, chain};
use crate::support::image::{form, from_image, inputs_of};
use crate::support::{model, preset, random_image, random_network, random_size};
use crate::waits::needed_waits;

/// LOADs and STOREs of the programs of an image: of weights, of inputs, of outputs, of what only programs have, STOREs of that, and zeros.
fn moves(program: &Program) -> [usize; 6] {
    let mut counts = [0; 6];
    for run in 0..program.runs.len() {
        let mut words = program.words_of(run);
        while let Ok((instruction, length)) = Instruction::decode(words) {
            match instruction {
                Instruction::Load(load) if load.transfer.fill => counts[5] += 1,
                Instruction::Load(load) => counts[load.transfer.region as usize] += 1,
                Instruction::Store(store) if store.transfer.region == 2 => counts[2] += 1,
                Instruction::Store(_) => counts[4] += 1,
                _ => {}
            }
            words = &words[length..];
        }
    }
    counts
}

/// The program of a network whose layers may be cut.
fn in_bands(network: &Network, params: &Params) -> Result<Program, CompileError> {
    compile(network, params, &options()).map(|compiled| compiled.program)
}

fn size(channels: u32, height: u32, width: u32) -> Shape {
    Shape {
        channels,
        height,
        width,
    }
}

/// Pools of parts of a map that are put together again, as a network has them of its own.
fn own() -> Network {
    let layers = r#"
        {"kind": "slice", "name": "top", "start": [0, 0, 0], "output_shape": [4, 5, 9]},
        {"kind": "max_pool2d", "name": "a", "kernel": [1, 1]},
        {"kind": "slice", "name": "low", "inputs": ["input"], "start": [0, 3, 0], "output_shape": [4, 5, 9]},
        {"kind": "max_pool2d", "name": "b", "kernel": [1, 1]},
        {"kind": "concat", "name": "rows", "inputs": ["b", "a"], "axis": "height"},
        {"kind": "slice", "name": "some", "start": [1, 4, 0], "output_shape": [3, 3, 9]},
        {"kind": "max_pool2d", "name": "c", "kernel": [2, 2]},
        {"kind": "max_pool2d", "name": "d", "inputs": ["some"], "kernel": [2, 2]},
        {"kind": "concat", "name": "both", "inputs": ["c", "d"], "axis": "channels"},
        {"kind": "max_pool2d", "name": "end", "kernel": [1, 1]}"#;
    let text = format!(
        r#"{{"format": "heddle-network-2", "name": "own", "layers": [{layers}],
        "input": {{"channels": 4, "height": 8, "width": 9, "zero_point": -3, "scale": 1.0}}}}"#
    );
    Network::from_json(&text).expect("a network")
}

/// Networks that do not fit, machines, and what is moved.
fn rows() -> Vec<(&'static str, Network, Params)> {
    let machine = |words| {
        let mut params = with_dma(preset("edge"), words);
        params.post.left_shift = true;
        params.post.pooling = true;
        params.state_buffer.row_offsets = 64;
        params.column_tiles = 1024;
        params.program.words = 8192;
        params
    };
    let links =
        |seed, size, links: &[Link]| chain(&mut ChaCha8Rng::seed_from_u64(seed), size, links);
    use Link::{Points, Square, Window};
    let mut few = machine(128);
    few.program.words = 1024;
    vec![
        (
            "input",
            links(1, size(3, 40, 24), &[Window(8), Points(8)]),
            machine(256),
        ),
        (
            "stored",
            links(2, size(16, 24, 24), &[Window(16), Window(16), Window(8)]),
            machine(128),
        ),
        (
            "depthwise",
            links(3, size(8, 30, 26), &[Points(8), Square(1), Points(8)]),
            machine(128),
        ),
        (
            "channels",
            links(4, size(40, 2, 2), &[Points(152), Points(40)]),
            machine(64),
        ),
        (
            "output",
            links(5, size(2, 30, 20), &[Window(24)]),
            machine(128),
        ),
        ("programs", links(6, size(8, 24, 24), &[Window(8); 8]), few),
        ("own", own(), machine(128)),
        ("digits", model("digits"), with_dma(preset("edge"), 64)),
    ]
}

#[test]
fn bands_are_loaded_and_stored_by_programs_and_each_wait_is_needed() {
    let mut rng = ChaCha8Rng::seed_from_u64(31);
    let mut found = Vec::new();
    for (name, network, params) in rows() {
        let program = in_bands(&network, &params).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(program.runs.iter().all(|run| !run.host), "{name}");
        let images: Vec<Vec<i8>> = (0..3).map(|_| random_image(&mut rng, &network)).collect();
        // Both orders of the user, with signs and without.
        for (interleaved, unsigned) in [(true, false), (false, true)] {
            let user = form(&network, interleaved, unsigned);
            let image = from_image((&program, &network), &params, &images, &user);
            let image = image
                .unwrap_or_else(|error| panic!("{name}: {error}"))
                .image;
            if unsigned {
                continue;
            }
            let given = images
                .iter()
                .map(|values| inputs_of(&network, &user, values));
            let given: Vec<_> = given.collect();
            let waits = match program.segments.is_empty() {
                true => needed_waits(name, (&image, &program), &params, &given),
                false => [0; 3],
            };
            let runs = program.runs.len();
            found.push((name, runs, moves(&program), waits));
        }
    }
    // Runs; LOADs of weights, of inputs, of outputs with their STOREs, of what only programs have, STOREs of that, and zeros; waits for loads, for
    // stores, and of LOADs and STOREs for units.
    assert_eq!(
        found,
        [
            ("input", 1, [0, 5, 0, 0, 0, 7], [5, 0, 0]),
            ("stored", 1, [30, 24, 6, 36, 24, 42], [57, 26, 2]),
            ("depthwise", 1, [0, 4, 4, 12, 12, 9], [16, 12, 1]),
            ("channels", 2, [6, 0, 2, 1, 2, 0], [5, 0, 4]),
            ("output", 1, [0, 16, 8, 0, 0, 2], [8, 6, 1]),
            ("programs", 3, [22, 4, 4, 28, 28, 32], [0, 0, 0]),
            ("own", 1, [0, 2, 0, 2, 4, 0], [4, 2, 2]),
            ("digits", 3, [28, 0, 2, 9, 9, 6], [0, 0, 0]),
        ]
    );
}

fn random_link(rng: &mut ChaCha8Rng) -> Link {
    match rng.random_range(0..4) {
        0 => Link::Point,
        1 => Link::Window(rng.random_range(1..=20)),
        2 => Link::Open,
        _ => Link::Square(1),
    }
}

/// Random networks on machines that are made smaller until their tensors no longer fit.
#[test]
fn random_networks_run_in_bands() {
    let mut rng = ChaCha8Rng::seed_from_u64(32);
    let (mut seen, mut tried, mut all) = (0, 0, [0; 6]);
    while seen < 30 {
        tried += 1;
        let machine = random_size(&mut rng).params();
        let network = match tried % 2 {
            0 => random_network(&mut rng, 2 + tried % 5, &machine.post),
            _ => {
                let channels = rng.random_range(1..=20);
                let shape = size(channels, rng.random_range(8..=30), rng.random_range(8..=40));
                let count = rng.random_range(2..5);
                let links: Vec<Link> = (0..count).map(|_| random_link(&mut rng)).collect();
                chain(&mut rng, shape, &links)
            }
        };
        let images: Vec<Vec<i8>> = (0..2).map(|_| random_image(&mut rng, &network)).collect();
        for less in 0..9 {
            let mut params = with_dma(machine.clone(), machine.state_buffer.words_per_bank >> less);
            params.program.words = 8192;
            if params.state_buffer.words_per_bank == 0 {
                break;
            }
            let Ok(program) = in_bands(&network, &params) else {
                break;
            };
            if program.pieces.is_empty() {
                continue;
            }
            let user = form(&network, tried % 3 == 0, tried % 4 == 0);
            if from_image((&program, &network), &params, &images, &user).is_ok() {
                let own = moves(&program);
                (0..6).for_each(|kind| all[kind] += own[kind]);
                seen += 1;
                break;
            }
        }
    }
    println!("{seen} of {tried} seen: {all:?}");
    assert!(all.iter().all(|&count| count > seen), "{all:?}");
}
