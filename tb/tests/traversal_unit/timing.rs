//! When addresses come, if nothing stalls.

use std::collections::VecDeque;

use heddle_arch::traverse::parse;

use super::bench::{Bench, FLOW, Inputs, Unit};
use super::{FULL, NARROW, PLAIN, SINGLE, WIDE};

/// Predicts the cycle of every address from the cycles in which words were taken.
///
/// With the last word taken in t the first address shows in t + 8 + S, S being the register stages
/// of the sum; with two sets of registers not before the cycle after the last address of the
/// traversal before. A window, and a single set, keep traversals apart.
#[derive(Debug)]
pub struct Timing {
    double: bool,
    sum_stages: u64,
    starts: VecDeque<Start>,
    /// Of the traversal whose addresses were shown last.
    load: u64,
    window: bool,
    /// The same traversal is on demand.
    pub on_demand: bool,
    last_shown: u64,
    /// Addresses that came one cycle behind another one.
    pub gapless: u64,
    /// First addresses that did.
    pub handovers: u64,
}

#[derive(Debug)]
struct Start {
    /// Cycle in which the last word was taken.
    taken: u64,
    /// Of the instruction.
    words: usize,
    on_demand: bool,
    window: bool,
}

impl Timing {
    pub fn new(unit: &Unit) -> Self {
        Self {
            double: unit.double,
            sum_stages: unit.sum_stages,
            starts: VecDeque::new(),
            load: 0,
            window: false,
            on_demand: false,
            last_shown: 0,
            gapless: 0,
            handovers: 0,
        }
    }

    /// The last word of an instruction that starts a traversal was taken.
    pub fn started(&mut self, taken: u64, words: usize, head: u32) {
        self.starts.push_back(Start {
            taken,
            words,
            on_demand: head >> 25 & 1 != 0,
            window: head >> 26 & 1 != 0,
        });
    }

    /// An address shows; gives the cycle in which it is due.
    pub fn shown(&mut self, cycle: u64, first: bool) -> u64 {
        let mut due = self.last_shown + 1;
        let start = first.then(|| self.starts.pop_front()).flatten();
        if let Some(start) = start {
            due = self.first_due(&start);
            self.window = start.window;
            self.on_demand = start.on_demand;
        }
        self.gapless += u64::from(cycle == self.last_shown + 1);
        self.handovers += u64::from(first && cycle == self.last_shown + 1);
        self.last_shown = cycle;
        due
    }

    fn first_due(&mut self, start: &Start) -> u64 {
        // The word is looked at one cycle after it was taken. Word 2, and word 0 of START, wait for
        // the registers; the words behind them are taken later than that.
        let free = if self.double {
            self.load + 1
        } else {
            self.last_shown
        };
        let mut seen = start.taken + 1;
        if start.words <= 3 {
            seen = seen.max(free);
        }
        let apart = !self.double || start.window || self.window;
        let left = if apart {
            self.last_shown
        } else {
            self.last_shown.saturating_sub(2 + self.sum_stages)
        };
        self.load = left.max(seen + 4);
        self.load + 3 + self.sum_stages
    }
}

/// Cycles in which words were taken and addresses showed, without stalls.
fn cycles(unit: &Unit, words: &[u32]) -> (Vec<u64>, Vec<u64>) {
    let mut bench = Bench::new(unit, 1);
    bench.exact = true;
    let (mut taken, mut shown) = (Vec::new(), Vec::new());
    for cycle in 0..words.len() as u64 + 400 {
        let inputs = Inputs {
            word: words.get(taken.len()).copied(),
            ..FLOW
        };
        let outputs = bench.step(&inputs).unwrap();
        if outputs.taken.is_some() {
            taken.push(cycle);
        }
        if outputs.address.is_some() {
            shown.push(cycle);
        }
    }
    bench.check_done().unwrap();
    (taken, shown)
}

const NEST: &str = "traverse\ntensor row 0 base 3 loops 0:1:40";

#[test]
fn one_word_is_taken_in_every_clock_and_the_first_address_comes_as_promised() {
    for unit in super::units() {
        let words = parse(NEST).expect("text")[0].encode();
        let (taken, shown) = cycles(unit, &words);
        assert_eq!(taken, (0..words.len() as u64).collect::<Vec<_>>());
        let first = taken[taken.len() - 1] + 8 + unit.sum_stages;
        assert_eq!(shown, (first..first + 40).collect::<Vec<_>>());
    }
}

#[test]
fn addresses_of_the_next_record_follow_without_a_gap() {
    for unit in [&FULL, &NARROW, &SINGLE, &WIDE] {
        let one = parse(NEST).expect("text")[0].encode();
        let (taken, shown) = cycles(unit, &one.repeat(5));
        assert_eq!(shown.len(), 200);
        assert_eq!(shown[199] - shown[0], 199, "1.000 addresses per clock");
        assert!(taken[one.len() * 2 - 1] < shown[39]);
    }
}

#[test]
fn one_set_of_registers_waits_for_the_traversal_to_end() {
    let one = parse(NEST).expect("text")[0].encode();
    let (_, shown) = cycles(&PLAIN, &one.repeat(2));
    // Word 0 is looked at when the last address shows; the other words follow, then the start.
    assert_eq!(
        shown[40] - shown[39],
        one.len() as u64 + 4 + PLAIN.sum_stages
    );
}

/// Clocks from the first address of a traversal to the first of the next one, if instructions
/// follow `first` that each form `addresses` addresses. The first of them finds the unit at work.
#[track_caller]
fn check_periods(first: &str, next: &str, addresses: usize, expected: u64) {
    for unit in [&FULL, &NARROW, &SINGLE] {
        let mut words = parse(first).expect("text")[0].encode();
        words.extend(parse(next).expect("text")[0].encode().repeat(4));
        let (_, shown) = cycles(unit, &words);
        let firsts: Vec<u64> = shown.iter().step_by(addresses).copied().collect();
        let periods: Vec<u64> = firsts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(periods, [expected; 4], "{addresses} addresses, {next}");
    }
}

#[proves("TTU-042")]
#[test]
fn no_gap_behind_two_more_addresses_than_the_next_one_has_words() {
    // Word 0, row word and base, then three words of the loop.
    for addresses in 1..12 {
        let text = format!("traverse\ntensor row 0 base 3 loops 0:1:{addresses}");
        check_periods(&text, &text, addresses, (addresses as u64).max(6 + 2));
    }
    let text = "traverse\ntensor row 0 base 3";
    check_periods(text, text, 1, 3 + 2);
}

#[proves("TTU-042")]
#[test]
fn no_gap_before_start_behind_five_addresses() {
    for addresses in 1..8 {
        let first = format!("traverse\ntensor row 0 base 3 loops 0:1:{addresses}");
        check_periods(&first, "start", addresses, (addresses as u64).max(5));
    }
}
