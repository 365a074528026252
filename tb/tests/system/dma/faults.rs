//! What goes wrong on the bus, and stops: each is told with its address, ends legally, and the next command is right.

use heddle_tb::verilate::Sources;

use super::bench::{Bench, Command, Fault, row, shape, verilog};
use super::bus::{Manners, Wrong};
use crate::rtl::{Checked, Coverage, OrPanic, check_mutants, faults};

const BUS: u64 = 9;
const TIMEOUT: u64 = 12;
/// Where the load of the tests begins: bursts of 3, 8, 8 and 1 words; and the store.
const LOAD: u64 = 0x1fe8;
const STORE: u64 = 0x8000_1fe8;
const WORDS: u32 = 20;

/// First word of the burst of each beat.
fn burst_of(beat: usize) -> u64 {
    match beat {
        0..3 => 0,
        3..11 => 3 * 8,
        11..19 => 11 * 8,
        _ => 19 * 8,
    }
}

fn bench(sources: &Sources, seed: u64, manners: Manners) -> Bench {
    Bench::new(sources, seed, shape(8, 3), manners)
}

fn command(base: u64, program: bool, origin: u64) -> Command {
    Command {
        program,
        origin,
        ..Command::new(row(WORDS, 100), base)
    }
}

/// Gives a load, or a store, with something wrong: what is told, and how many clocks that took.
fn told(bench: &mut Bench, wrong: Wrong, store: bool) -> Checked<(Fault, u64)> {
    bench.bus.manners.wrong = Some(wrong);
    let begin = bench.dut.cycle();
    let base = if store { STORE } else { LOAD };
    bench.give(command(base, store, 345), store);
    while bench.failed.is_none() {
        bench.clock()?;
        if bench.dut.cycle() > begin + 20_000 {
            return Err(bench.dut.message(&format!("{wrong:?}: nothing is told")));
        }
    }
    let (cycle, fault) = bench.failed.expect("a fault");
    // Late answers come, and addresses and beats are taken.
    bench.bus.manners.wrong = None;
    bench.recover(5_000)?;
    bench.works()?;
    Ok((fault, cycle - begin))
}

fn all_beats(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut coverage = Coverage::default();
    for pace in [100, 60] {
        let mut manners = Manners::quick(5);
        manners.pace = pace;
        let mut bench = bench(sources, seed, manners);
        for beat in 0..WORDS as usize {
            let address = LOAD + burst_of(beat);
            for resp in [0, 2, 3] {
                let number = bench.bus.read_beats.len() + beat;
                let wrong = if resp > 0 {
                    Wrong::Read(number, resp)
                } else {
                    Wrong::Last(number)
                };
                let (fault, _) = told(&mut bench, wrong, false)?;
                let expected = (BUS, 4, resp, address, 0, 345);
                if fault != expected {
                    return Err(format!("beat {beat}: {fault:x?}, expected {expected:x?}"));
                }
                coverage.event("a beat that says so", resp > 0);
                coverage.event("a last beat at the wrong place", resp == 0);
            }
        }
        for answer in [0, 3, 11, 19] {
            for resp in [2, 3] {
                let number = bench.bus.answers()
                    + [0, 3, 11, 19]
                        .iter()
                        .position(|&a| a == answer)
                        .expect("it is there");
                let (fault, _) = told(&mut bench, Wrong::Write(number, resp), true)?;
                let expected = (BUS, 5, resp, STORE + 8 * answer, 1, 345);
                if fault != expected {
                    return Err(format!(
                        "answer {answer}: {fault:x?}, expected {expected:x?}"
                    ));
                }
                coverage.event("an answer that says so", true);
            }
        }
    }
    Ok(coverage)
}

#[test]
fn a_fault_of_any_beat_or_answer_is_told_with_its_burst() {
    all_beats(&verilog(shape(8, 3)), 1)
        .or_panic()
        .assert_complete();
}

#[test]
fn answers_that_nothing_waits_for_are_told() {
    let sources = verilog(shape(8, 3));
    let mut bench = bench(&sources, 1, Manners::quick(5));
    let mut cases = 0;
    for stands in [false, true] {
        for kind in 0..3 {
            // Nothing is open, or an address stands that has not been taken.
            bench.bus.manners.wrong = Some(Wrong::Answer(0));
            if stands {
                bench.give(command(LOAD, false, 345), false);
                bench.give(command(STORE, true, 345), true);
            }
            for _ in 0..60 {
                bench.clock().or_panic();
            }
            let standing = bench.dut.get("ar_valid_o") & bench.dut.get("aw_valid_o");
            assert_eq!(standing == 1, stands);
            let clock = bench.dut.cycle() + 3;
            bench.bus.manners.wrong = Some(match kind {
                0 => Wrong::Beat(clock, true),
                1 => Wrong::Beat(clock, false),
                _ => Wrong::Answer(clock),
            });
            for _ in 0..10 {
                bench.clock().or_panic();
            }
            let (_, fault) = bench.failed.expect("a fault");
            let (source, begin) = if kind < 2 { (4, LOAD) } else { (5, STORE) };
            let address = if stands { begin } else { 0 };
            assert_eq!(
                (fault.0, fault.1, fault.2, fault.3),
                (BUS, source, 0, address)
            );
            // What stood is taken and answered now.
            bench.bus.manners.wrong = None;
            bench.recover(500).or_panic();
            bench.works().or_panic();
            cases += 1;
        }
    }
    assert_eq!(cases, 6);
}

#[test]
fn who_does_not_answer_is_told_in_time_and_may_answer_later() {
    let sources = verilog(shape(8, 3));
    let mut bench = bench(&sources, 1, Manners::quick(5));
    for limit in [3, 6, 8] {
        bench.dut.set("timeout_i", limit as u64);
        let clocks = 1u64 << limit;
        for (store, wrong, address) in [
            (false, Wrong::Deaf(0), LOAD),
            (true, Wrong::Deaf(1), STORE),
            (true, Wrong::Deaf(2), STORE),
            (false, Wrong::Silent(bench.bus.read_beats.len()), LOAD),
            (
                false,
                Wrong::Silent(bench.bus.read_beats.len() + 60 + 13),
                LOAD + 88,
            ),
            (true, Wrong::Mute(bench.bus.answers()), STORE),
        ] {
            // Commands between the cases move beats and answers too.
            let wrong = match wrong {
                Wrong::Silent(_) if address == LOAD => Wrong::Silent(bench.bus.read_beats.len()),
                Wrong::Silent(_) => Wrong::Silent(bench.bus.read_beats.len() + 13),
                Wrong::Mute(_) => Wrong::Mute(bench.bus.answers()),
                wrong => wrong,
            };
            bench.dut.set("timeout_i", limit as u64);
            let (fault, took) = told(&mut bench, wrong, store).or_panic();
            let source = 4 + u64::from(store);
            assert_eq!(
                fault,
                (TIMEOUT, source, 0, address, u64::from(store), 345),
                "{wrong:?}"
            );
            let most = clocks + (clocks / 8).max(1) + 80;
            assert!(
                (clocks..=most).contains(&took),
                "{wrong:?}: {took} clocks, limit {clocks}"
            );
        }
    }
    // Without a limit there is no end.
    bench.dut.set("timeout_i", 0u64);
    bench.bus.manners.wrong = Some(Wrong::Deaf(0));
    bench.give(command(LOAD, false, 1), false);
    for _ in 0..5000 {
        bench.clock().or_panic();
    }
    assert!(bench.failed.is_none());
    bench.bus.manners.wrong = None;
    bench.finish(1000).or_panic();
    bench.check_all().or_panic();
}

/// Stops a load, a store and the fetch of an entry after so many clocks: what follows is right. Whether they were done before.
fn stopped(bench: &mut Bench, clocks: u64) -> Checked<bool> {
    bench.give(command(LOAD, false, 1), false);
    bench.give(command(STORE, true, 2), true);
    bench.jobs.push_back(0x4_0040);
    let mut done = false;
    for clock in 0..clocks {
        bench.clock()?;
        done = clock > 4 && bench.is_done();
    }
    bench.stop = true;
    bench.recover(5_000)?;
    bench.works()?;
    Ok(done)
}

fn all_clocks(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut coverage = Coverage::default();
    for (pace, head) in [(100, 100), (50, 25)] {
        let mut manners = Manners::quick(9);
        manners.pace = pace;
        let mut bench = bench(sources, seed, manners);
        bench.head = head;
        for clocks in 0..400 {
            let done = stopped(&mut bench, clocks)?;
            coverage.event("stopped under way", !done);
            coverage.event("done before", done);
            if done && pace == 100 {
                break;
            }
        }
    }
    Ok(coverage)
}

#[test]
fn a_stop_in_any_clock_leaves_nothing_behind() {
    let coverage = all_clocks(&verilog(shape(8, 3)), 1).or_panic();
    coverage.assert_complete();
    assert!(coverage.count("stopped under way") > 150);
}

#[test]
fn faults_of_stops_are_noticed() {
    let list = faults(include_str!("mutants/stops.txt"));
    check_mutants(&verilog(shape(8, 3)), &list, all_clocks);
}

#[test]
fn faults_of_errors_are_noticed() {
    let list = faults(include_str!("mutants/errors.txt"));
    check_mutants(&verilog(shape(8, 3)), &list, all_beats);
}
