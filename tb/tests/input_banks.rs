//! Input banks on the emitted machine: the input of a network is visible there alone, and neither weights nor results
//! get there.

use crate::machines;
use heddle_arch::isa::{Drain, Instruction, LoadWeights, Record, RowBlock};
use heddle_arch::params::{Params, ProgramMemory};
use heddle_network::Network;
use heddle_sim::network::run as golden;
use heddle_tb::host::Host;
use heddle_tb::network::Bench;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::generator::compile;
use crate::machines::Machine;
use crate::machines::build;
use crate::machines::pair::{HALT, Pair, row};
use crate::program_banks::walls;

/// Cycles that a layer may take.
const LIMIT: u64 = 1 << 20;

fn words(host: &mut Host, params: &Params, words: std::ops::Range<u32>) -> Vec<[u8; 8]> {
    let rows = 0..params.array.rows;
    let places: Vec<(u32, u32)> = rows
        .flat_map(|row| words.clone().map(move |word| (row, word)))
        .collect();
    host.set_zero(0).unwrap();
    host.read_words(&places).unwrap()
}

#[proves("PET-60", "PET-61")]
#[test]
fn the_input_of_the_digits_is_visible_only_in_the_input_bank() {
    let network = Network::from_json(include_str!("../../models/digits.json")).unwrap();
    let mut params = Params::from_json(include_str!("../../configs/edge.json")).unwrap();
    params.name = "input_digits".to_string();
    params.state_buffer.slices.plain = true;
    params.state_buffer.banks = 4;
    params.state_buffer.input_banks = 1;
    params.program.memory = ProgramMemory::Banks;
    let machine = Machine::new(params);
    let params = &machine.params;
    let program = compile(&network, params).unwrap();
    // Two banks are enough for what the network works on.
    assert_eq!((params.work_banks(), params.program_banks()), (2, 1));
    let (work, all) = (params.work_bytes() / 8, params.operand_bytes() / 8);
    let input = &program.tensors[0];
    assert_eq!(input.base / 8, work);
    assert!(input.base + input.bytes <= params.operand_bytes());

    // The bench writes the program and compares layers and counters of the images.
    let mut bench = Bench::new(machine.host(1), params, &network, &program).unwrap();
    let labels = network.labels.iter().map(|label| Some(*label as usize));
    for (image, label) in network.images.iter().zip(labels).take(2) {
        bench.run_image(image, label).unwrap();
    }
    assert!(bench.report().is_exact());
    assert_eq!(bench.report().images, 2);

    // The input changes no other bank, and is all that is in its own.
    let mut host = bench.into_host();
    for image in &network.images[2..5] {
        let before = words(&mut host, params, 0..work);
        let packed = input.pack(image).unwrap();
        host.set_zero(input.zero_point).unwrap();
        host.write_words(&packed).unwrap();
        assert!(words(&mut host, params, 0..work) == before, "another bank");
        let mut expected = vec![[0; 8]; (params.array.rows * (all - work)) as usize];
        for (partition, word, bytes) in packed {
            let place = partition * (all - work) + word - work;
            let stored = bytes.map(|byte| byte.wrapping_sub(input.zero_point as u8));
            expected[place as usize] = stored;
        }
        // Words that nobody has written hold what they held before; there are such.
        let region = (input.base / 8 - work)..((input.base + input.bytes) / 8 - work);
        let of_input = |found: Vec<[u8; 8]>| -> Vec<[u8; 8]> {
            let (zipped, words) = ((0..).zip(found), all - work);
            let inside = zipped.filter(|(place, _): &(u32, _)| region.contains(&(place % words)));
            inside.map(|(_, word)| word).collect()
        };
        let expected = of_input(expected);
        assert!(expected.iter().any(|word| *word != [0; 8]));
        let written = words(&mut host, params, work..all);
        assert!(of_input(written.clone()) == expected);

        let layers = golden(&network, image).unwrap();
        for plan in &program.runs {
            host.run(plan.start_pc, LIMIT).unwrap();
            let output = &program.tensors[plan.layers.end];
            host.set_zero(output.zero_point).unwrap();
            let found = host.read_words(&output.word_places()).unwrap();
            let values = output.unpack(&found).unwrap();
            assert_eq!(values, layers[plan.layers.end - 1].values, "{}", plan.name);
            // No layer has written to the input bank.
            assert!(
                words(&mut host, params, work..all) == written,
                "{}",
                plan.name
            );
        }
    }
}

fn load(rows: u32, base: u32, flip: u32, streamed: bool, loops: &[(u32, u32)]) -> Instruction {
    Instruction::LoadWeights(LoadWeights {
        flip,
        streamed,
        ..build::load(rows, base, loops)
    })
}

fn matmul(rows: Vec<RowBlock>) -> Instruction {
    Instruction::Matmul(build::matmul(1, rows))
}

fn drain(base: u32, loops: &[(u32, u32)]) -> Instruction {
    Instruction::Drain(build::drain(1, base, loops))
}

/// As [`walls::check`], and the input banks hold what they held before.
#[track_caller]
fn check(pair: &mut Pair, program: &[Instruction], at: Option<usize>) {
    let params = pair.params();
    let input = params.work_bytes() / 8..params.partition_words();
    let before = words(&mut pair.host, params, input.clone());
    walls::check(pair, program, at);
    assert!(words(&mut pair.host, params, input) == before);
}

/// Weights of one tile, and a product of so many vectors.
fn product(params: &Params, operands: u32, vectors: u32) -> [Instruction; 2] {
    let words = params.weight_words();
    [
        load(params.array.rows, 0, 0, false, &[(words, 8)]),
        matmul(vec![row(0, 0, &[]), row(1, operands, &[(vectors, 1)])]),
    ]
}

#[proves("PET-61")]
#[test]
fn weight_and_drain_addresses_in_an_input_bank_are_errors() {
    let machine = Machine::new(machines::buffered());
    let pair = &mut machine.pair(1);
    let params = pair.params();
    let (work, end, bank) = (
        params.work_bytes(),
        params.partition_bytes(),
        params.bank_bytes(),
    );
    let rows = params.array.rows;

    // Weights: the first word, a later one, behind the input bank; the last word in front of it is read.
    for base in [work, work + 8, end - 8, end] {
        check(
            pair,
            &[load(rows, base, 0, false, &[(1, 8)]), HALT],
            Some(0),
        );
    }
    let across = |count| load(rows, work - 8, 0, false, &[(1, 8), (count, 8)]);
    let one = matmul(vec![row(1, bank, &[(1, 1)])]);
    let two = matmul(vec![row(1, bank, &[(1, 1), (2, 1)])]);
    let sums = |count| drain(8, &[(count, 1)]);
    check(pair, &[across(1), sums(1), one.clone(), HALT], None);
    check(pair, &[across(2), sums(2), two.clone(), HALT], Some(0));
    // Words backwards come into the input bank only where a bank is shorter than what they turn.
    let turned = load(rows, work - 256, 31, false, &[(2, 8)]);
    check(pair, &[turned, sums(1), one.clone(), HALT], None);
    let turned = load(rows, work, 31, false, &[(2, 8)]);
    check(pair, &[turned, HALT], Some(0));
    // Streamed words, of which the last ones reach the input bank.
    let streamed = |base| load(rows, base, 0, true, &[(12, 8)]);
    let program = |base| [sums(1), streamed(base), one.clone(), HALT];
    check(pair, &program(work - 12 * 8), None);
    for inside in [1, 4, 12] {
        check(pair, &program(work - (12 - inside) * 8), Some(1));
    }
}

#[proves("PET-61")]
#[test]
fn words_that_a_drain_would_write_to_an_input_bank_are_errors() {
    let machine = Machine::new(machines::buffered());
    let pair = &mut machine.pair(2);
    let params = pair.params();
    let (work, end, bank) = (
        params.work_bytes(),
        params.partition_bytes(),
        params.bank_bytes(),
    );
    // The address counts when the unit offers it, even if no result asks for it.
    for base in [work, end - 1, end] {
        check(pair, &[drain(base, &[(1, 1)]), HALT], Some(0));
    }
    // Results in front of the input bank, then the first and a later word of it: what is complete is written.
    for (before, vectors) in [(4, 4), (8, 8), (4, 5), (8, 9), (16, 20)] {
        let [weights, matmul] = product(params, bank, vectors);
        let into = drain(work - before, &[(vectors, 1)]);
        let error = (vectors > before).then_some(1);
        check(pair, &[weights, into, matmul, HALT], error);
    }
    // From the input bank back.
    let [weights, matmul] = product(params, bank, 2);
    let back = Instruction::Drain(Drain {
        record: Record {
            rows: vec![row(0, 0, &[(1, 1)]), row(1, work, &[(1, 1)])],
        },
        ..Drain::default()
    });
    check(pair, &[weights, back, matmul, HALT], Some(1));
}

#[proves("PET-61")]
#[test]
fn operands_come_from_input_banks_with_and_without_row_offsets() {
    let machine = Machine::new(machines::buffered());
    let pair = &mut machine.pair(3);
    let params = pair.params();
    let (work, end) = (params.work_bytes(), params.partition_bytes());
    for base in [work - 4, work, end - 16] {
        let [weights, matmul] = product(params, base, 16);
        let into = drain(8, &[(16, 1)]);
        check(pair, &[weights, into, matmul, HALT], None);
    }
    // Beyond the input bank the memory ends.
    let [weights, matmul] = product(params, end - 15, 16);
    check(
        pair,
        &[weights, drain(8, &[(16, 1)]), matmul, HALT],
        Some(2),
    );
}

/// Banks of 16 words: words backwards may come from another bank.
fn short_banks() -> Params {
    let mut params = machines::tiny();
    params.name = "short_banks".to_string();
    params.array.rows = 2;
    params.array.cols = 2;
    params.state_buffer.banks = 8;
    params.state_buffer.input_banks = 1;
    params.state_buffer.words_per_bank = 16;
    params.validate().unwrap();
    params
}

#[proves("PET-61")]
#[test]
fn words_backwards_count_where_they_are_read() {
    let machine = Machine::new(short_banks());
    let pair = &mut machine.pair(4);
    let params = pair.params();
    let work = params.work_bytes();
    assert_eq!(work, 7 * 128);
    let operands = || matmul(vec![row(1, 0, &[(1, 1)])]);
    let sums = || drain(256, &[(1, 1)]);
    // Turned from bank 6 to bank 7 and back.
    let into = load(2, work - 128, 16, false, &[(1, 8)]);
    check(pair, &[into, HALT], Some(0));
    let out = load(2, work, 16, false, &[(1, 8)]);
    check(pair, &[out, sums(), operands(), HALT], None);
    // Random ones.
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for number in 0..200 {
        pair.place = format!("load {number}");
        let base = rng.random_range(0..params.partition_words()) * 8;
        let flip = rng.random_range(0..32);
        let read = (base ^ (flip * 8)) / 128;
        if read == 0 {
            continue; // the bank of the operands
        }
        let weights = load(2, base, flip, false, &[(1, 8)]);
        match read == 7 {
            true => check(pair, &[weights, HALT], Some(0)),
            false => check(pair, &[weights, sums(), operands(), HALT], None),
        }
    }
}
