//! Programs that are mostly nonsense.

use heddle_arch::isa::ErrorCode;
use heddle_arch::params::Params;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::machines::dump::fill_tables;
use crate::machines::garbage::garbage;
use crate::machines::pair::{End, Pair};
use crate::machines::{self, Machine};
use crate::rtl::{self, Checked, Coverage};

fn run_garbage(machine: &Machine, seed: u64, programs: u32) -> Checked<Coverage> {
    let mut coverage = Coverage::default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pair = Pair::new(machine, seed, &mut rng)?;
    let place = pair.place.clone();
    for number in 0..programs {
        pair.place = format!("{place}, program {number}");
        fill_tables(&mut pair, &mut rng);
        let words = garbage(&mut rng, &machine.params);
        pair.write_program(0, &words);
        let end = pair.run_end(0, 40_000)?;
        coverage.event("halted", matches!(end, End::Halt(_)));
        coverage.event("not judged", matches!(end, End::Conflict));
        for code in &ErrorCode::ALL[..6] {
            coverage.event(
                code.name(),
                matches!(end, End::Error(found, _) if found == *code),
            );
        }
        coverage.event("all", true);
        if end == End::Endless {
            // A loop of step 0: both sides still ran, and the hardware was reset.
            coverage.event("endless", true);
            pair = Pair::new(machine, seed, &mut rng)?;
        }
    }
    Ok(coverage)
}

/// Garbage for a machine; few of the programs never end.
#[track_caller]
fn check_garbage(params: Params) {
    let machine = Machine::new(params);
    rtl::run_seeds(|seed| {
        let coverage = run_garbage(&machine, seed, 400)?;
        let (endless, all) = (coverage.count("endless"), coverage.count("all"));
        match endless * 50 < all {
            true => Ok(coverage),
            false => Err(format!(
                "seed {seed}: {endless} of {all} programs never end"
            )),
        }
    });
}

#[test]
fn garbage_programs_stop_with_the_predicted_error() {
    check_garbage(machines::tiny());
}

#[test]
fn pet_61_garbage_programs_stop_with_an_input_bank() {
    check_garbage(machines::buffered());
}

#[test]
fn pet_60_garbage_programs_stop_with_the_program_in_banks() {
    check_garbage(machines::banked());
}

#[test]
fn pet_58_pet_59_garbage_programs_stop_with_pooling_and_activation_functions() {
    check_garbage(machines::pooling());
}
