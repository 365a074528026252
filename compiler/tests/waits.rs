//! Waits of the programs of an image, each of which is needed.

use heddle_arch::image::Image;
use heddle_arch::isa::{Instruction, Wait};
use heddle_arch::params::Params;
use heddle_compiler::Program;

use crate::images::made;

/// Instructions of the runs of a machine with the program words at which they begin.
fn instructions(image: &Image, program: &Program) -> Vec<(usize, Instruction)> {
    let pairs = image.data[0].iter();
    let words: Vec<u32> = pairs
        .flat_map(|&pair| [pair as u32, (pair >> 32) as u32])
        .collect();
    let mut found = Vec::new();
    for run in program.runs.iter().filter(|run| !run.host) {
        let mut at = run.start_pc as usize;
        for _ in 0..run.instructions {
            let (instruction, length) = Instruction::decode(&words[at..]).expect("an instruction");
            found.push((at, instruction));
            at += length;
        }
    }
    found
}

/// The image with another header at a program word.
fn with_wait(image: &Image, (at, instruction): &(usize, Instruction), wait: Wait) -> Image {
    let mut instruction = instruction.clone();
    *instruction.wait_mut() = wait;
    let header = u64::from(instruction.encode()[0]);
    let mut image = image.clone();
    let pair = &mut image.data[0][at / 2];
    let shift = 32 * (at % 2);
    *pair = *pair & !(u64::from(u32::MAX) << shift) | header << shift;
    image
}

/// Takes each wait for loads and stores from the programs of an image, and each of their LOADs and STOREs for units: the golden machine names
/// what meets. How many there are: for loads, for stores, for units.
pub fn needed_waits(
    name: &str,
    (image, program): (&Image, &Program),
    params: &Params,
    given: &[Vec<Vec<u8>>],
) -> [usize; 3] {
    let right = made(image, params, given).expect(name);
    let mut counts = [0; 3];
    for at in instructions(image, program) {
        let wait = at.1.wait();
        let mut without = |kind: usize, change: &dyn Fn(&mut Wait)| {
            let mut less = wait;
            change(&mut less);
            if less == wait {
                return;
            }
            counts[kind] += 1;
            let wrong = made(&with_wait(image, &at, less), params, given);
            let error = wrong.expect_err(&format!("{name}: word {} need not wait", at.0));
            assert!(
                error.contains("LOAD") || error.contains("STORE"),
                "{name}: {error}"
            );
        };
        without(0, &|wait| wait.loads = None);
        without(1, &|wait| wait.stores = None);
        if matches!(at.1, Instruction::Load(_) | Instruction::Store(_)) {
            without(2, &|wait| wait.weights = false);
            without(2, &|wait| wait.stream = false);
            without(2, &|wait| wait.drain = false);
        }
        // One more may not be open either.
        let (mut loads, mut stores) = (wait, wait);
        loads.loads = wait.loads.map(|open| open + 1);
        stores.stores = wait.stores.map(|open| open + 1);
        for more in [loads, stores].into_iter().filter(|more| *more != wait) {
            let wrong = made(&with_wait(image, &at, more), params, given);
            wrong.expect_err(&format!("{name}: word {} waits for too many", at.0));
        }
    }
    assert_eq!(made(image, params, given), Ok(right), "{name}");
    counts
}
