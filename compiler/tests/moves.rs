//! Programs that load weights: what an image makes of them is what the golden network says, and each wait is needed.

use std::collections::BTreeSet;

use heddle_arch::params::{Dma, Params, RegisterBus, System};
use heddle_arch::registers::caps;
use heddle_arch::transfer::Transfer;
use heddle_compiler::{Options, Program};
use heddle_network::{Network, Shape};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::support::chain::{Link, chain};
use crate::support::image::{form, from_image, inputs_of};
use crate::support::{compile_with, preset, random_image, random_network, random_size};
use crate::waits::needed_waits;

/// The machine with a DMA and so many words in a bank.
pub fn with_dma(mut params: Params, words: u32) -> Params {
    params.system = Some(System {
        registers: RegisterBus::Axil,
        dma: Some(Dma::default()),
    });
    params.state_buffer.words_per_bank = words;
    params
}

pub fn options() -> Options {
    Options {
        whole: true,
        stream: true,
        moves: true,
        ..Options::default()
    }
}

/// Networks whose weights do not fit at once.
fn rows() -> Vec<(&'static str, Network, Params)> {
    let size = |channels, side| Shape {
        channels,
        height: side,
        width: side,
    };
    let mut edge = with_dma(preset("edge"), 256);
    edge.post.left_shift = true;
    edge.column_tiles = 1024;
    edge.program.words = 4096;
    let wide = with_dma(edge.clone(), 512);
    let points = |links: &[u32]| {
        let links: Vec<Link> = links.iter().copied().map(Link::Points).collect();
        chain(&mut ChaCha8Rng::seed_from_u64(4), size(100, 1), &links)
    };
    let windows = [48, 48, 48, 48, 16].map(Link::Window);
    let windows = chain(&mut ChaCha8Rng::seed_from_u64(5), size(48, 6), &windows);
    let mut narrow = wide.clone();
    narrow.system = Some(System {
        registers: RegisterBus::Axil,
        dma: Some(Dma {
            queue: 1,
            ..Dma::default()
        }),
    });
    vec![
        ("three", points(&[64, 152, 40]), edge.clone()),
        ("six", points(&[152, 16, 152, 100, 152, 16]), wide.clone()),
        (
            "queue of one",
            points(&[152, 16, 152, 100, 152, 16]),
            narrow,
        ),
        ("windows", windows, wide.clone()),
        ("many", points(&[100; 40]), wide),
    ]
}

#[test]
fn a_file_with_loads_is_refused() {
    let (_, network, params) = rows().remove(0);
    let program = compile_with(&network, &params, options()).unwrap();
    let error = Program::from_json(&program.to_json(&params), &params).expect_err("loads");
    let message = "words is LOAD, STORE or a wait for them, expected none at word ";
    assert!(error.to_string().starts_with(message), "{error}");
}

/// Words of the state buffer that a LOAD writes: partition and word.
fn places(load: &Transfer) -> BTreeSet<(u32, u32)> {
    let [x, y, z] = load.loops;
    let turns = (0..z.count).flat_map(|k| (0..y.count).map(move |j| (k, j)));
    let turns = turns.flat_map(|(k, j)| (0..x.count).map(move |i| [i, j, k]));
    let place = |turn: [u32; 3]| {
        let steps = [x.step, y.step, z.step];
        let word: u32 = turn.iter().zip(steps).map(|(turn, step)| turn * step).sum();
        let partition = (load.partitions as usize)
            .checked_sub(1)
            .map_or(0, |at| turn[at]);
        (load.place[1] + partition, load.place[0] + word)
    };
    turns.map(place).collect()
}

#[test]
fn weights_that_do_not_fit_are_loaded_by_the_program_and_each_wait_is_needed() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut found = Vec::new();
    for (name, network, params) in rows() {
        let program = compile_with(&network, &params, options()).expect(name);
        assert!(program.segments.is_empty(), "{name}");
        let images: Vec<Vec<i8>> = (0..3).map(|_| random_image(&mut rng, &network)).collect();
        let user = form(&network, true, false);
        let image = from_image((&program, &network), &params, &images, &user);
        let image = image
            .unwrap_or_else(|error| panic!("{name}: {error}"))
            .image;
        assert!(caps::PROGRAM_DMA.is_set(image.caps), "{name}");

        // What is loaded again is not there from the begin, and only what others overwrite is loaded again.
        let loads = image.program_loads();
        let once = image.once.iter().filter_map(|job| match &job.work {
            heddle_arch::job::Work::Load(load) if load.space == loads[0].space => {
                Some(places(load))
            }
            _ => None,
        });
        let once: BTreeSet<_> = once.flatten().collect();
        let mut times = std::collections::BTreeMap::<(u32, u32), usize>::new();
        for load in &loads {
            places(load)
                .into_iter()
                .for_each(|place| *times.entry(place).or_default() += 1);
        }
        assert!(times.keys().all(|place| !once.contains(place)), "{name}");
        let shared: BTreeSet<u32> = times.keys().map(|&(_, word)| word).collect();
        let alone = shared.iter().filter(|&&word| {
            let all = (0..params.array.rows).filter_map(|row| times.get(&(row, word)));
            all.max() == Some(&1)
        });
        assert_eq!(
            alone.count(),
            0,
            "{name}: words that nothing else overwrites"
        );

        let given = images
            .iter()
            .map(|values| inputs_of(&network, &user, values));
        let given: Vec<_> = given.collect();
        let [counted, _, of_units] = needed_waits(name, (&image, &program), &params, &given);
        let all = image
            .program_loads()
            .iter()
            .map(Transfer::places)
            .sum::<u64>();
        found.push((name, loads.len(), all, counted, of_units));
    }
    // LOADs, words that they load, waits for loads, and waits of LOADs for units.
    assert_eq!(
        found,
        [
            ("three", 4, 1904, 3, 1),
            ("six", 10, 5600, 6, 0),
            ("queue of one", 9, 5968, 4, 1),
            ("windows", 8, 11232, 5, 2),
            ("many", 40, 54080, 38, 0)
        ]
    );
}

/// Random networks on machines with room for some of their layers, images one behind the other.
#[test]
fn random_networks_load_their_weights() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    let (mut seen, mut loads, mut words) = (0, 0, 0);
    while seen < 60 {
        let size = random_size(&mut rng).params();
        let layers = 2 + seen % 6;
        let network = random_network(&mut rng, layers, &size.post);
        let images: Vec<Vec<i8>> = (0..2).map(|_| random_image(&mut rng, &network)).collect();
        let sizes =
            (0..9).map(|less| with_dma(size.clone(), size.state_buffer.words_per_bank >> less));
        for params in sizes.take_while(|params| params.state_buffer.words_per_bank > 0) {
            let options = Options {
                whole: seen % 3 > 0,
                ..options()
            };
            let Ok(program) = compile_with(&network, &params, options) else {
                break;
            };
            if program.moved.is_empty() {
                continue;
            }
            let user = form(&network, false, false);
            if let Ok(made) = from_image((&program, &network), &params, &images, &user) {
                let all = made.image.program_loads();
                let read = all.iter().filter(|load| !load.fill && load.region == 0);
                assert_eq!(
                    read.map(Transfer::places).sum::<u64>(),
                    program.moved.len() as u64
                );
                (seen, loads, words) = (seen + 1, loads + all.len(), words + program.moved.len());
            }
        }
    }
    println!("{seen} seen, {loads} loads of {words} words");
    assert!(loads > 2 * seen, "{loads}");
}

/// A file of a program has no words that it could load, and a machine whose programs do not load has segments.
#[test]
fn without_the_option_or_the_opcode_there_are_segments() {
    let (_, network, params) = rows().swap_remove(0);
    let mut without = params.clone();
    without.system = None;
    for (params, moves, double_buffered) in [
        (&params, false, false),
        (&params, true, true),
        (&without, true, false),
    ] {
        let options = Options {
            moves,
            double_buffered,
            ..options()
        };
        let program = compile_with(&network, params, options).unwrap();
        assert!(program.moved.is_empty() && program.segments.len() > 1);
    }
}
