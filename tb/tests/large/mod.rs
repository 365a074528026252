//! Machines as they are built for large arrays: the array in loop style, the partition translated once.

mod machine;

use crate::rtl::OrPanic;
use heddle_gen::TextStyle;
use machine::{Form, Preset};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Two banks of 2 KB in a partition.
const TINY: Preset = Preset {
    text: include_str!("../../../configs/tiny.json"),
    name: "\"tiny\"",
    array: "\"rows\": 4, \"cols\": 4",
};

const FOR_SIZE: Form = Form {
    style: TextStyle::Loops,
    has_blocks: true,
};

/// A block with bytes of the seed, by row and column.
fn block(rows: u32, cols: u32, seed: u64) -> impl Fn(u32, u32) -> i8 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let elements: Vec<i8> = (0..rows * cols).map(|_| rng.random()).collect();
    move |row, col| elements[(row * cols + col) as usize]
}

#[proves("PET-29")]
#[test]
fn the_flat_machine_and_one_with_blocks_agree() {
    let params = machine::params(TINY, 4, 2);
    let flat = Form {
        style: TextStyle::Structural,
        has_blocks: false,
    };
    let [mut flat, mut large] = [flat, FOR_SIZE].map(|form| {
        let sources = machine::verilog(&params, form.style);
        machine::host(&sources, &params, form)
    });
    for seed in 1..=5 {
        let element = block(4, 2, seed);
        let [flat, large] = [&mut flat, &mut large].map(|host| {
            let took = machine::transpose(host, &params, &element);
            let took = took.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            (took.program_clocks, took.all_clocks)
        });
        assert_eq!(flat, large, "seed {seed}");
    }
    assert_eq!(flat.cycles(), large.cycles());
}

/// Functions of a large model have frames of megabytes, as in the main thread of a program.
const STACK_BYTES: usize = 64 << 20;

/// Minutes to build.
#[proves("PET-29", "PET-30", "PET-78")]
#[test]
fn a_block_of_128_x_64_becomes_64_x_128_slow() {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    thread.spawn(transpose_128_x_64).unwrap().join().unwrap();
}

fn transpose_128_x_64() {
    let params = machine::params(machine::LARGE, 128, 64);
    let sources = machine::verilog(&params, FOR_SIZE.style);
    let mut host = machine::host(&sources, &params, FOR_SIZE);
    let took = machine::transpose(&mut host, &params, block(128, 64, 1)).or_panic();
    let seconds = took.time.as_secs_f64();
    println!("{took:?}, {:.0} clocks/s", took.all_clocks as f64 / seconds);
    // The array alone takes 2 R + C - 2 clocks, and the state buffer one for each row.
    assert!((2 * 128 + 64 - 2..1000).contains(&took.program_clocks));
}
