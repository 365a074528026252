//! A clear in every single clock of what a unit can be doing: nothing of it is left.

use heddle_arch::traverse::{Command, UnitError, parse};

use super::bench::{Bench, FLOW, Inputs, Outputs, Unit};
use super::traffic::play_steady;
use super::{FULL, LARGE_SET, NARROW, ONE_SET, PLAIN};
use crate::rtl::{Checked, check_mutants, faults};

/// What the unit is doing when the clear comes.
#[derive(Debug, Clone)]
struct Activity {
    name: &'static str,
    words: Vec<u32>,
    /// Addresses are demanded, or taken, in one clock of four only.
    slow: bool,
    /// Clocks in which a pause begins and ends.
    pause: std::ops::Range<u64>,
    /// How it ends, if with an error.
    stop: Option<UnitError>,
}

fn words(text: &str) -> Vec<u32> {
    let commands = parse(text).expect("text without faults");
    commands.iter().flat_map(Command::encode).collect()
}

fn activity(name: &'static str, text: &str) -> Activity {
    Activity {
        name,
        words: words(text),
        slow: false,
        pause: 0..0,
        stop: None,
    }
}

/// What every unit can do.
fn plain() -> Vec<Activity> {
    let run = "traverse\ntensor row 1 base 1 loops 0:1:9\nstart";
    vec![
        activity("traversal and start", run),
        Activity {
            slow: true,
            ..activity("addresses held", run)
        },
        Activity {
            pause: 14..26,
            ..activity("pause", run)
        },
        activity(
            "on demand",
            "traverse on_demand\nprologue row 0 base 0 loops 0:1:3\ntensor row 2 base 5 loops 0:2:4\n\
             start on_demand",
        ),
        Activity {
            slow: true,
            ..activity(
                "demands at times",
                "traverse on_demand\ntensor row 2 base 5 loops 0:2:10\nstart",
            )
        },
        Activity {
            stop: Some(UnitError::Endless),
            ..activity(
                "endless loop",
                "traverse\ntensor row 0 base 0 loops 0:1:3, 0:0:1",
            )
        },
        Activity {
            stop: Some(UnitError::Address),
            ..activity(
                "window left",
                "traverse window 9..12\ntensor row 2 base 10 loops 0:1:4\nstart",
            )
        },
        activity(
            "next record loaded",
            "traverse\nprologue row 2 base 3 loops 0:1:20\ntensor row 0 base 0\n\
             traverse\ntensor row 0 base 9 loops 0:1:2, 0:7:14",
        ),
        Activity {
            words: vec![0],
            stop: Some(UnitError::IllegalOpcode),
            ..activity("illegal opcode", run)
        },
        Activity {
            words: vec![0x0400_0808, 9, 9, 0x11, 0, 0, 1, 1],
            stop: Some(UnitError::BadField),
            ..activity("empty window", run)
        },
    ]
}

/// What takes options.
fn optional() -> Vec<Activity> {
    vec![
        activity(
            "group set-up",
            "set_initial\nprologue row 2 base 5 loops 1\ntensor row 1 base 9 loops 3, 2\n\
             set_step\nrow 2 loops 1\nrow 1 loops 1, 4\nset_end\nrow 1 loops 6, 10\nrow 2 loops 4\n\
             start\nstart offset_only",
        ),
        activity(
            "attached rows",
            "traverse\nprologue row 0 attach 0 base 40 loops 0:1:2\ntensor row 1 base 0 loops 0:1:2, 0:6:12\n\
             epilogue row 2 attach 1 base 90 trips loops 15:1:2",
        ),
        activity(
            "trips and equality",
            "traverse\nprologue row 0 base 7 trips loops 3:0:4, 1:5:2\n\
             tensor row 1 base 60 equal loops 10:3:22, 0:3:9\nstart on_demand",
        ),
        Activity {
            slow: true,
            ..activity(
                "attached rows on demand",
                "traverse on_demand\nprologue row 2 attach 0 base 1 equal loops 0:2:4\n\
                 tensor row 0 base 0 trips loops 0:1:2, 0:9:2\nepilogue row 1 attach 0 base 30",
            )
        },
        Activity {
            stop: Some(UnitError::Order),
            ..activity(
                "group set-up out of order",
                "set_initial\ntensor row 0 base 9 loops 3\nset_end\nrow 0 loops 6",
            )
        },
    ]
}

/// One clock of the activity.
fn inputs(activity: &Activity, next: usize, cycle: u64) -> Inputs {
    let open = !activity.slow || cycle % 4 == 3;
    Inputs {
        word: activity.words.get(next).copied(),
        ready: open || activity.name.starts_with("demand"),
        demand: open,
        pause: activity.pause.contains(&cycle),
        ..FLOW
    }
}

/// Plays the activity for some clocks, of which the last one has a clear, if asked for.
fn play(bench: &mut Bench, activity: &Activity, clocks: u64, clear: bool) -> Checked<Vec<Outputs>> {
    let mut next = 0;
    let mut all = Vec::new();
    for cycle in 0..clocks {
        let inputs = Inputs {
            clear: clear && cycle + 1 == clocks,
            ..inputs(activity, next, cycle)
        };
        let outputs = bench.step(&inputs)?;
        next += usize::from(outputs.taken.is_some());
        all.push(outputs);
    }
    Ok(all)
}

/// Clocks until nothing is going on any more.
fn length(unit: &Unit, activity: &Activity) -> Checked<u64> {
    let most = 400;
    let mut bench = Bench::new(unit, 1);
    let all = play(&mut bench, activity, most, false)?;
    let stop = bench.model.stop().map(|stop| stop.error);
    if stop != activity.stop {
        return Err(format!("{} stops with {stop:?}", activity.name));
    }
    let alive = |o: &Outputs| o.busy || o.taken.is_some();
    let last = all.iter().rposition(alive).expect("a word is taken") as u64 + 1;
    match last + 20 < most {
        // An error shows a little later.
        true => Ok(last + 8),
        false => Err(format!("{} does not end", activity.name)),
    }
}

/// Clears the unit in every clock of the activity; afterwards it does what a unit after reset does.
fn clear_everywhere(unit: &Unit, seed: u64, activity: &Activity) -> Checked<u64> {
    let right = words("traverse\ntensor row 1 base 1 loops 0:1:9\nstart");
    let expected = Vec::from_iter((1..10).chain(1..10));
    let clocks = length(unit, activity)?;
    let mut bench = Bench::new(unit, seed);
    for moment in 1..=clocks {
        let place = |m| format!("{m}, {} cleared in clock {moment}", activity.name);
        play(&mut bench, activity, moment, true).map_err(place)?;
        // Nothing is loaded: a start alone is refused.
        let one = play_steady(&mut bench, &words("start")).map_err(place)?;
        if !one.is_empty() || bench.dut.get("error_code_o") != 8 {
            return Err(place("something is still loaded".into()));
        }
        bench.clear().map_err(place)?;
        play(&mut bench, activity, moment, true).map_err(place)?;
        let found = play_steady(&mut bench, &right).map_err(place)?;
        let found = Vec::from_iter(found.iter().map(|e| e.address));
        if found != expected {
            return Err(place(format!("{found:?}")));
        }
        bench.clear().map_err(place)?;
    }
    Ok(clocks)
}

#[track_caller]
fn check(unit: &Unit, activities: &[Activity]) {
    for activity in activities {
        match clear_everywhere(unit, 1, activity) {
            Ok(clocks) => println!("{}: {clocks} clocks", activity.name),
            Err(message) => panic!("{message}"),
        }
    }
}

#[test]
fn a_clear_at_any_moment_forgets_everything() {
    for unit in [&FULL, &NARROW, &PLAIN, &ONE_SET, &LARGE_SET] {
        check(unit, &plain());
    }
}

#[test]
fn ttu_016_ttu_051_ttu_059_ttu_062_a_clear_at_any_moment_forgets_what_options_do() {
    for unit in [&FULL, &NARROW, &ONE_SET, &LARGE_SET] {
        check(unit, &optional());
    }
}

#[test]
fn faults_of_a_clear_are_noticed() {
    let mutants = r"
        heddle_traversal_record_check: if (clear_i | !last_word) setup_q => if (!last_word) setup_q
        heddle_traversal_verdict: wrong_q[1] <= wrong_q[0] & goes_on => wrong_q[1] <= wrong_q[0] & !wrong_q[1] & !endless_i
        heddle_traversal_core: valid_q[1] <= valid_q[0] & !stop_i => valid_q[1] <= valid_q[0]";
    check_mutants(&ONE_SET.sources, &faults(mutants), |sources, seed| {
        let unit = Unit {
            sources: sources.clone(),
            ..ONE_SET.clone()
        };
        let mut all = plain();
        all.extend(optional());
        let clocks = all.iter().map(|a| clear_everywhere(&unit, seed, a));
        clocks.sum::<Checked<u64>>()
    });
}
