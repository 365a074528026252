//! Programs for machines whose stored sums enter the array at the top: outputs and cycles on the golden machine.

use heddle_arch::isa::{Instruction, LoadWeights};
use heddle_arch::network::Network;
use heddle_arch::params::{Params, PartialSums};
use heddle_compiler::{Options, Program, compile, compile_with};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::{check, random_image, random_network, random_size};

/// Networks for machines of every shape.
const NETWORKS: u64 = 120;

fn streams(program: &Program) -> bool {
    let mut at = 0;
    let mut any = false;
    while at < program.words.len() {
        let (instruction, words) = Instruction::decode(&program.words[at..]).unwrap();
        any |= matches!(
            instruction,
            Instruction::LoadWeights(LoadWeights { streamed: true, .. })
        );
        at += words;
    }
    any
}

#[test]
fn pet_57_random_networks_take_the_predicted_cycles_with_sums_at_the_top() {
    let (mut compiled, mut slower, mut streamed) = (0, 0, 0);
    for seed in 0..NETWORKS {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let size = random_size(&mut rng);
        let foot = size.params();
        let mut top = foot.clone();
        top.array.partial_sums = PartialSums::Top;
        let layers = rng.random_range(1..=6);
        let network = random_network(&mut rng, layers, size.pooling);
        let image = random_image(&mut rng, &network);
        let Ok(program) = compile(&network, &top) else {
            continue;
        };
        let place = format!("seed {seed}, {size:?}, sums at the top");
        check(
            &program,
            &network,
            &top,
            std::slice::from_ref(&image),
            &place,
        );
        let whole = Options {
            whole: true,
            ..Options::default()
        };
        let whole = compile_with(&network, &top, whole).unwrap();
        check(&whole, &network, &top, &[image], &place);
        compiled += 1;
        streamed += u32::from(streams(&program));
        let cycles = |program: &Program| program.runs.iter().map(|run| run.cycles).sum::<u64>();
        let before = compile(&network, &foot).expect("fits as well");
        slower += u32::from(cycles(&program) > cycles(&before));
    }
    println!(
        "{compiled} networks, {slower} slower than at the foot, {streamed} with streamed weights"
    );
    assert!(compiled > 60 && slower > 20 && streamed > 0);
}

#[test]
fn pet_57_a_program_is_for_a_machine_that_adds_sums_in_the_same_place() {
    let read = |path: &str| {
        let path = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap()
    };
    let network = Network::from_json(&read("models/tiny.json")).unwrap();
    let foot = Params::from_json(&read("configs/tiny.json")).unwrap();
    let mut top = foot.clone();
    top.array.partial_sums = PartialSums::Top;
    let of_foot = compile(&network, &foot).unwrap().to_json(&foot);
    let of_top = compile(&network, &top).unwrap().to_json(&top);
    assert!(!of_foot.contains("sum_distance"));
    assert!(of_top.contains("\"sum_distance\": 7"));
    for (text, own, other) in [(&of_foot, &foot, &top), (&of_top, &top, &foot)] {
        Program::from_json(text, own).unwrap();
        let message = Program::from_json(text, other).unwrap_err().to_string();
        assert!(message.contains("array.partial_sums"), "{message}");
    }
}
