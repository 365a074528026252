//! Faults of the bus at every beat, and the list again.

use heddle_arch::isa::SystemError;
use heddle_arch::registers::{ctrl, error, error_addr_lo, irq_status, status, timeout};
use heddle_sim::dma::{Burst, Windows};

use super::bench::{Bench, OUTPUT, RING, WINDOWS};
use crate::system::dma::bus::{Manners, Wrong};

/// Logarithm of the clocks that the bus may take.
const LIMIT: u32 = 6;
const SLVERR: u64 = 2;
const DECERR: u64 = 3;

fn manners() -> Manners {
    Manners {
        latency: (2, 12),
        pace: 80,
        wrong: None,
    }
}

/// The burst of a beat.
fn burst_of(bursts: &[Burst], beat: usize) -> u64 {
    let mut before = 0;
    let found = bursts.iter().find(|burst| {
        before += burst.beats as usize;
        beat < before
    });
    found.expect("a beat of the list").address
}

/// Runs the list with a fault, which stops all; the next one is right.
fn fails(bench: &mut Bench, wrong: Wrong, code: SystemError, response: u64) {
    let list = bench.list();
    bench.bus.manners.wrong = Some(wrong);
    bench.bus.empty = true;
    bench.submit(&list);
    bench.ends(u32::MAX);
    let what = format!("{wrong:?}");
    let found = bench.get(error::REGISTER);
    assert_eq!(error::CODE.get(found), u32::from(code.number()), "{what}");
    assert_eq!(u64::from(error::RESPONSE.get(found)), response, "{what}");
    assert!(!error::PROGRAM.is_set(found));
    let source = error::SOURCE.get(found);
    assert_eq!(irq_status::ERROR.get(bench.get(irq_status::REGISTER)), 1);
    // The registers answer, and what is outstanding ends.
    let address = u64::from(bench.get(error_addr_lo::REGISTER));
    let place = match address {
        RING..0x2000 => 6,
        0x2000..0x5000 => 4,
        _ => 5,
    };
    assert_eq!(source, place, "{what} at {address:#x}");
    let of_beat = match wrong {
        Wrong::Read(beat, _) | Wrong::Last(beat) => Some(burst_of(&bench.bus.reads, beat)),
        Wrong::Write(answer, _) => Some(bench.bus.writes[answer].address),
        _ => None,
    };
    assert!(of_beat.is_none_or(|burst| burst == address), "{what}");
    let is_hung = status::HUNG.is_set(bench.status());
    assert_eq!(is_hung, code == SystemError::TimeOut, "{what}");
    bench.bus.manners.wrong = None;
    bench.reset();
    bench.bus.empty = false;
    bench.bus.forget();
    bench.runs_right();
    bench.bus.forget();
}

/// A machine, and beats and answers of the list.
fn bench() -> (Bench, usize, usize) {
    let mut bench = Bench::tiny(1, manners());
    bench.set(timeout::REGISTER, LIMIT);
    bench.runs_right();
    let (beats, answers) = (bench.bus.read_beats.len(), bench.bus.answers());
    bench.bus.forget();
    assert!(
        beats > 130 && answers >= 3,
        "{beats} beats, {answers} answers"
    );
    (bench, beats, answers)
}

/// A few faults of each kind.
pub fn some(bench: &mut Bench) {
    bench.set(ctrl::REGISTER, 0);
    bench.set(timeout::REGISTER, LIMIT);
    bench.bus.forget();
    for beat in [3, 40, 77, 120] {
        fails(bench, Wrong::Read(beat, SLVERR), SystemError::Bus, SLVERR);
        fails(bench, Wrong::Silent(beat), SystemError::TimeOut, 0);
    }
    fails(bench, Wrong::Write(1, DECERR), SystemError::Bus, DECERR);
    fails(bench, Wrong::Mute(0), SystemError::TimeOut, 0);
}

#[proves("PET-62")]
#[test]
fn an_answer_with_an_error_at_any_beat_stops_all_and_the_next_list_runs() {
    let (mut bench, beats, answers) = bench();
    for beat in 0..beats {
        let response = if beat % 2 == 0 { SLVERR } else { DECERR };
        fails(
            &mut bench,
            Wrong::Read(beat, response),
            SystemError::Bus,
            response,
        );
    }
    for answer in 0..answers {
        for response in [SLVERR, DECERR] {
            fails(
                &mut bench,
                Wrong::Write(answer, response),
                SystemError::Bus,
                response,
            );
        }
    }
}

#[proves("PET-62")]
#[test]
fn a_burst_that_ends_at_a_wrong_beat_stops_all_and_the_next_list_runs() {
    let (mut bench, beats, _) = bench();
    for beat in (0..beats).step_by(3) {
        fails(&mut bench, Wrong::Last(beat), SystemError::Bus, 0);
    }
}

#[proves("PET-62")]
#[test]
fn a_bus_that_stands_still_at_any_beat_is_a_time_out_and_the_next_list_runs() {
    let (mut bench, beats, answers) = bench();
    for beat in (0..beats).step_by(3) {
        fails(&mut bench, Wrong::Silent(beat), SystemError::TimeOut, 0);
    }
    for answer in 0..answers {
        fails(&mut bench, Wrong::Mute(answer), SystemError::TimeOut, 0);
    }
}

#[proves("PET-62")]
#[test]
fn a_window_that_is_a_page_too_short_is_noticed_at_both_ends() {
    let mut bench = Bench::tiny(1, manners());
    let mut cases = 0;
    for window in 0..3 {
        for side in 0..2 {
            let mut windows = WINDOWS;
            let (first, last, ..) = &mut windows.0[window];
            match side {
                0 => *first += 1,
                _ => *last -= 1,
            }
            let expected = match (window, side) {
                (0, _) => RING + 64 * u64::from(bench.tail),
                (1, 0) => 0x2000,
                (1, _) => 0x4000,
                (_, 0) => OUTPUT,
                _ => 0x7000,
            };
            shut(&mut bench, windows, expected);
            cases += 1;
        }
    }
    assert_eq!(cases, 6);
}

fn shut(bench: &mut Bench, windows: Windows, expected: u64) {
    bench.open(windows);
    let list = bench.list();
    bench.bus.empty = true;
    bench.submit(&list);
    bench.ends(u32::MAX);
    let found = bench.get(error::REGISTER);
    assert_eq!(
        error::CODE.get(found),
        u32::from(SystemError::Window.number())
    );
    assert_eq!(u64::from(bench.get(error_addr_lo::REGISTER)), expected);
    bench.reset();
    bench.bus.empty = false;
    bench.open(WINDOWS);
    bench.runs_right();
}
