//! Each instruction beside a LOAD and a STORE, in words that the program uses; waits that never end by themselves; planted faults.

use std::panic::{AssertUnwindSafe, catch_unwind};

use heddle_arch::isa::{Instruction, assemble};
use heddle_arch::registers::{DMA_COUNTERS, dma_counter, status};
use heddle_tb::verilate::Sources;

use super::moves::{Rig, SQUARE, WIDE, manners, rules};
use crate::rtl::{Checked, check_mutants, faults};

/// Instructions with what has to stand in front, the bank that they read or write, and what uses their results.
const UNITS: [(&str, u32, &str); 5] = [
    ("W; D; M", 0, ""),
    ("W", 1, "; D; M"),
    (
        "copy rows=R distance=320 [row 0 base 80: 0..320 step 8]",
        0,
        "",
    ),
    ("W; E; M", 1, ""),
    ("W; ROT; M", 1, ""),
];
/// SYNCs between the instruction and the transfer.
const DELAYS: [usize; 4] = [0, 1, 3, 6];

/// The pairs of a machine, and how many.
fn pairs(rig: &mut Rig, units: usize) -> Checked<u32> {
    let (bank, rows) = (rig.bank(), rig.rows());
    let before = rig.runs;
    for (unit, own, after) in &UNITS[..units] {
        for other in [0, 1] {
            let place = bank * ((own + other) % 2) + 100;
            for delay in DELAYS {
                let syncs = "; sync".repeat(delay);
                for moves in [
                    format!("load 0 offset={} zero=5", 8 * (delay + 40)),
                    "store offset=0 zero=250".to_string(),
                ] {
                    let text = format!(
                        "{unit}{syncs}; {moves} partitions=2 place={place},0 x=32,1 y=R,0,256; \
                         sync wait=weights wait=stream wait=drain loads=0 stores=0; \
                         copy rows=R distance=320 [row 0 base {}: 0..256 step 8]{after}",
                        8 * place
                    );
                    let text = text.replace("=R", &format!("={rows}"));
                    rig.agrees(&text)?;
                }
            }
        }
    }
    Ok(rig.runs - before)
}

#[proves("PET-62")]
#[test]
fn each_instruction_and_a_transfer_beside_it_do_what_they_do_alone() {
    let mut cases = 0;
    for (wide, units, latency) in [(false, 4, 1), (true, 5, 2)] {
        let sources = if wide { &WIDE } else { &SQUARE };
        let rig = Rig::new(sources, wide, 3, manners(latency, 100));
        let found = rig.and_then(|mut rig| pairs(&mut rig, units));
        cases += found.unwrap_or_else(|text| panic!("{text}"));
    }
    assert_eq!(cases, 9 * 2 * 4 * 2);
}

/// Words of a program.
fn words(text: &str) -> Vec<u32> {
    let program = assemble(text).expect("a program");
    program.iter().flat_map(Instruction::encode).collect()
}

/// A bus that answers late: ISSUE waits for longer than anything else may, and counters say for what.
fn patient(rig: &mut Rig) -> Checked {
    rig.bench.bus.manners = manners(4500, 100);
    for text in [
        "load space=0 place=0,0 x=4,1\nsync loads=0\nhalt",
        "store space=0 region=3 place=0,0 x=4,1\nsync stores=0\nhalt",
        "load space=0 place=0,0 x=4,1\nstore space=0 region=3 place=9,0 x=4,1\nhalt",
    ] {
        let stalls = |rig: &mut Rig| {
            ["STALL_LOAD", "STALL_STORE"].map(|name| {
                let at = DMA_COUNTERS.iter().position(|own| *own == name);
                let at = at.expect("a counter") as u32;
                rig.bench.read(dma_counter::REGISTER.offset + 4 * at)
            })
        };
        let before = stalls(rig);
        let (found, counted) = rig.both(&words(text))?;
        if found != [0; 4] || counted.is_err() {
            return Err(format!("{text}: {found:?}, {counted:?}"));
        }
        let after = stalls(rig);
        for (kind, name) in ["load", "store"].into_iter().enumerate() {
            let waited = after[kind] - before[kind] > 4000;
            if waited != text.contains(name) {
                return Err(format!(
                    "{text}: {} clocks of {name}",
                    after[kind] - before[kind]
                ));
            }
        }
    }
    Ok(())
}

/// STATUS has the open commands of the program while it waits, and none of jobs.
fn counts(rig: &mut Rig) -> Checked {
    let text = "load space=0 place=0,0 x=4,1\nload space=0 place=4,0 x=4,1\nstore space=0 region=3 place=9,0 x=4,1\nhalt";
    let mut seen = [0, 0];
    rig.bench.bus.manners = manners(600, 100);
    rig.begin(&words(text));
    for _ in 0..3000 {
        let word = rig.bench.status();
        if status::JOB_LOADS.get(word) == 0 {
            seen[0] = seen[0].max(status::PROGRAM_LOADS.get(word));
            seen[1] = seen[1].max(status::PROGRAM_STORES.get(word));
        }
    }
    match seen {
        [2, 1] => Ok(()),
        _ => Err(format!("{seen:?} commands of the program are open")),
    }
}

#[test]
fn what_waits_for_a_load_or_store_is_counted_and_not_stuck() {
    let mut rig = Rig::new(&SQUARE, false, 1, manners(1, 100)).expect("it begins");
    patient(&mut rig).unwrap_or_else(|text| panic!("{text}"));
    counts(&mut rig).unwrap_or_else(|text| panic!("{text}"));
}

/// Some of all tests, on any machine.
fn all(sources: &Sources, seed: u64) -> Checked {
    let run = || -> Checked {
        let mut slow = Rig::new(sources, false, seed, manners(60, 100))?;
        rules(&mut slow)?;
        patient(&mut slow)?;
        counts(&mut Rig::new(sources, false, seed, manners(1, 100))?)
    };
    let told = |told: Box<dyn std::any::Any + Send>| {
        let text = told.downcast_ref::<String>().cloned();
        text.unwrap_or_else(|| "a test fails".into())
    };
    catch_unwind(AssertUnwindSafe(run)).map_err(told)?
}

#[test]
fn faults_of_waits_are_noticed_slow() {
    let list = faults(
        r"
        // A wait is ignored, or counts one too many.
        heddle_sequencer: crowded_q[0] <= (header_wait_loads & => crowded_q[0] <= (1'b0 &
        heddle_sequencer: crowded_q[1] <= (header_wait_stores & => crowded_q[1] <= (1'b0 &
        heddle_sequencer: (move_open_i[3:0] > header_loads) => (move_open_i[3:0] > (header_loads + 4'd1))
        heddle_sequencer: (move_open_i[7:4] > header_stores) => (move_open_i[7:4] > (header_stores + 4'd1))
        heddle_sequencer: is_own_q & ~move_ready_i => is_own_q & 2'd0
        heddle_sequencer: if (lingers[0]) stuck_q <= 12'd0; =>
        heddle_sequencer: if (lingers[1]) stuck_q <= 12'd0; =>
        // HALT goes ahead.
        heddle_sequencer: crowded_q | (is_own_q => (crowded_q & {2{!is_halt_q}}) | (is_own_q
        ",
    );
    all(&SQUARE, 1).expect("the machine is right");
    check_mutants(&SQUARE, &list, all);
}
