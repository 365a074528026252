//! A program is the same for both kinds of program memory; its file says for which.

use heddle_arch::params::{Params, Post, ProgramMemory};
use heddle_compiler::{Options, Program};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::support::compile_with;
use crate::support::{check, random_image, random_network, random_size};

/// The machine with its program in banks, if two others and the input banks leave room for it.
fn banked(params: &Params) -> Option<Params> {
    let mut params = params.clone();
    params.program.memory = ProgramMemory::Banks;
    params.validate().ok().map(|()| params)
}

#[proves("PET-60")]
#[test]
fn a_program_is_the_same_for_both_kinds_of_memory() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut size = random_size(&mut rng);
    (size.banks, size.words_per_bank, size.rows) = (4, 128, 4);
    let mut separate = size.params();
    separate.program.words = 4096;
    // Eight banks, four of them for the program: as many others as the separate machine has.
    let mut banks = separate.clone();
    banks.state_buffer.banks = 8;
    let banks = banked(&banks).expect("legal");
    assert_eq!(banks.operand_banks(), separate.state_buffer.banks);
    let network = (0..).find_map(|seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let network = random_network(&mut rng, 3, &Post::default());
        let program = compile_with(&network, &separate, Options::default());
        program.ok().map(|program| (network, program))
    });
    let (network, program) = network.expect("one fits");
    let images = [random_image(&mut rng, &network)];
    check(&program, &network, &separate, &images, "separate");
    let text = program.to_json(&separate);
    let message = Program::from_json(&text, &banks).unwrap_err().to_string();
    assert!(
        message.contains("program.memory separate, this machine has banks"),
        "{message}"
    );
    // Compiled for it the file is the same, but that it says where the program lies.
    let other = compile_with(&network, &banks, Options::default()).expect("fits");
    let told = other.to_json(&banks);
    let without_checksum = |text: &str| {
        let lines = text.lines().filter(|line| !line.contains("\"crc\": "));
        lines.collect::<Vec<_>>().join("\n")
    };
    let moved = text.replace(
        r#""program_memory": "separate""#,
        r#""program_memory": "banks""#,
    );
    assert_eq!(without_checksum(&told), without_checksum(&moved));
    let read = Program::from_json(&told, &banks).expect("its own machine");
    assert_eq!(read.once.words, program.once.words);
    assert!(check(&read, &network, &banks, &images, "banks"));

    // With as many banks in all there are fewer for the network.
    let mut all = separate.clone();
    all.state_buffer.banks = 8;
    let message = Program::from_json(&program.to_json(&separate), &all).unwrap_err();
    let expected = "state_buffer.banks 4, this machine has 8";
    assert!(message.to_string().contains(expected), "{message}");
    let wide = compile_with(&network, &all, Options::default()).expect("fits");
    let message = Program::from_json(&wide.to_json(&all), &banks).unwrap_err();
    let expected = "state_buffer.banks without those of the program 8, this machine has 4";
    assert!(message.to_string().contains(expected), "{message}");
}
