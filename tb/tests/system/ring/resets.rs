//! RESET at any time.

use super::bench::Bench;
use crate::rtl::seeds;
use crate::system::dma::bus::Manners;

/// Clocks of the list, and some more.
const CLOCKS: u64 = 900;

#[proves("PET-62", "PET-65")]
#[test]
fn a_job_list_stores_what_it_loaded_and_ran() {
    for seed in seeds() {
        for (latency, pace) in [((1, 1), 100), ((5, 60), 100), ((1, 9), 40)] {
            let manners = Manners {
                latency,
                pace,
                wrong: None,
            };
            let mut bench = Bench::tiny(seed, manners);
            for _ in 0..3 {
                bench.runs_right();
            }
            assert!(bench.bus.read_beats.len() > 3 * 130, "words and entries");
            assert_eq!(bench.bus.write_beats.len(), 3 * 48);
            assert!(bench.interrupts > 0);
        }
    }
}

#[proves("PET-62")]
#[test]
fn behind_a_reset_in_any_clock_the_next_list_runs() {
    let step = if crate::rtl::is_slow() { 1 } else { 3 };
    let mut bench = Bench::tiny(
        1,
        Manners {
            latency: (3, 20),
            pace: 80,
            wrong: None,
        },
    );
    bench.runs_right();
    let (cases, finished) = some(&mut bench, step);
    println!("{cases} resets, {finished} behind the end of the list");
    assert!(cases > 250 && finished > 0 && finished < cases / 2);
}

/// RESET in every so manieth clock, each followed by a list: how many, and how many came behind the end.
pub fn some(bench: &mut Bench, step: usize) -> (usize, usize) {
    let (mut cases, mut finished) = (0, 0);
    for clocks in (0..CLOCKS).step_by(step) {
        let list = bench.list();
        bench.submit(&list);
        for _ in 0..clocks {
            bench.clock();
        }
        finished += usize::from(bench.status() >> 3 & 1 == 1);
        bench.bus.empty = true;
        bench.reset();
        bench.bus.empty = false;
        bench.runs_right();
        cases += 1;
    }
    (cases, finished)
}
