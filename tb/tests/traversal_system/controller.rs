//! Who lets the unit form addresses: a controller of its own, asked for a pause, which it grants; or
//! the processing unit that takes the addresses.

use std::sync::LazyLock;

use heddle_arch::traverse::RowKind;
use heddle_sim::traversal::UnitElement;
use heddle_sim::traversal::vectors::unit_vectors;
use heddle_tb::verilate::Sources;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{SHAPE, SUM_STAGES, check_address, elements, reset, system, words};
use crate::rtl::{Checked, Coverage, Dut, check_mutants, faults, run_seeds};
use crate::traversal_unit::records::random_rows;

static CONTROLLED: LazyLock<Sources> = LazyLock::new(|| {
    let around = [
        ("traversal_controller.v", include_str!("controller.v")),
        ("processing_unit.v", include_str!("processing_unit.v")),
        ("controlled_unit.v", include_str!("controlled_unit.v")),
    ];
    system("controlled_unit", &around)
});

/// Clocks in which addresses are taken, from a request to its grant: those under way leave, then
/// the controller sees none for four clocks.
const GRANT_CLOCKS: u32 = SUM_STAGES as u32 + 9;

/// How the processing unit behaves.
#[derive(Debug, Clone, Copy)]
struct Habit {
    /// It controls the unit itself.
    inside: bool,
    /// Addresses between two pauses.
    burst: u64,
    /// Clocks of work in a pause.
    work: u64,
    /// Of 8 clocks, how many take an address.
    ready: u32,
    /// Of 64 clocks, how many want a pause whatever was taken.
    interrupt: u32,
}

/// Observed in one run.
#[derive(Default)]
struct Seen {
    addresses: Vec<u64>,
    works: u64,
    /// Kinds of the rows whose addresses waited for the work to end, one bit each.
    kinds: u64,
}

/// The handshake as a bystander sees it.
#[derive(Default)]
struct Handshake {
    /// Addresses that showed since the pause began.
    in_pause: u64,
    /// Clocks without a stall since the request.
    asked: u32,
    was_granted: bool,
    was_asked: bool,
    was_working: bool,
}

impl Handshake {
    /// Checks one clock; `fresh`: an address shows for the first time.
    fn watch(&mut self, dut: &Dut, inside: bool, ready: bool, fresh: bool) -> Checked {
        let high = |name| dut.get(name) == 1;
        let (asked, granted) = (high("pause_req_o"), high("pause_grant_o"));
        let (working, valid) = (high("working_o"), high("valid_o"));
        let error = |text: &str| Err(dut.message(text));
        if (granted || working) && valid {
            return error("an address in a granted pause");
        }
        if granted && (!asked || !high("pause_o")) {
            return error("a grant without request or pause");
        }
        if self.was_granted && self.was_asked && asked && !granted {
            return error("a grant falls before its request");
        }
        if inside && (asked || granted) {
            return error("the processing unit asks though it controls");
        }
        if working && !self.was_working && !inside && !self.was_granted {
            return error("work begins without a grant");
        }
        self.in_pause = match high("pause_o") {
            true => self.in_pause + u64::from(fresh),
            false => 0,
        };
        if self.in_pause > SUM_STAGES + 2 {
            return error("addresses are formed in a pause");
        }
        let waits = asked && !granted;
        self.asked = match waits {
            true => self.asked + u32::from(ready || !valid),
            false => 0,
        };
        if self.asked > GRANT_CLOCKS {
            return error("a pause is not granted");
        }
        (self.was_asked, self.was_granted, self.was_working) = (asked, granted, working);
        Ok(())
    }
}

/// Runs one instruction from reset until it is over.
fn run(dut: &mut Dut, program: &[u32], habit: Habit, rng: &mut ChaCha8Rng) -> Checked<Seen> {
    let expected = elements(program);
    dut.set("inside_i", habit.inside);
    dut.set("burst_i", habit.burst);
    dut.set("work_i", habit.work);
    dut.set("words_i", program.len() as u64);
    dut.set("ready_i", false);
    dut.set("program_wen_i", true);
    for (place, word) in program.iter().enumerate() {
        dut.set("program_addr_i", place as u64);
        dut.set("program_data_i", *word);
        dut.clock();
    }
    dut.set("program_wen_i", false);
    reset(dut);

    let mut seen = Seen::default();
    let mut handshake = Handshake::default();
    let (mut shown, mut idle) = (false, 0);
    for _ in 0..program.len() + 400 * (expected.len() + 1) {
        let ready = rng.random_ratio(habit.ready, 8);
        dut.set("ready_i", ready);
        dut.set("interrupt_i", rng.random_ratio(habit.interrupt, 64));
        dut.settle();
        dut.check("error_o", false)?;
        let valid = dut.get("valid_o") == 1;
        let fresh = valid && !shown;
        let working = handshake.was_working;
        handshake.watch(dut, habit.inside, ready, fresh)?;
        let next = expected.get(seen.addresses.len());
        if handshake.was_working && !working {
            seen.works += 1;
            seen.kinds |= next.map_or(0, |e| 1 << e.kind.number());
        }
        if valid {
            check(dut, next)?;
        }
        shown = valid && !ready;
        if valid && ready {
            seen.addresses.push(dut.get("addr_o"));
        }
        let over = seen.addresses.len() == expected.len();
        idle = if over { idle + 1 } else { 0 };
        if idle == 60 {
            dut.check("busy_o", false)?;
            return Ok(seen);
        }
        dut.clock();
    }
    Err(dut.message(&format!(
        "{} of {} addresses",
        seen.addresses.len(),
        expected.len()
    )))
}

fn check(dut: &Dut, expected: Option<&UnitElement>) -> Checked {
    check_address(dut, expected)?;
    let element = expected.expect("checked above");
    dut.check("kind_o", u64::from(element.kind.number()))?;
    for (column, last) in element.finals.iter().enumerate() {
        dut.check_element("final_o", column, element.finals.len(), *last)?;
    }
    Ok(())
}

#[proves("TTU-050")]
#[test]
fn tv3_with_the_controller_inside_the_processing_unit_and_outside() {
    let mut vectors = unit_vectors(SHAPE.offset_bits).into_iter();
    let tv3 = vectors.find(|v| v.id == "TV3").expect("a vector");
    let program = words(&tv3.rows);
    let mut dut = Dut::new(&CONTROLLED, 1);
    let mut rng = dut.rng();
    let mut kinds = 0;
    // A pause behind every address, behind every second one, ... and never.
    for burst in 1..=18 {
        for (work, ready) in [(0, 8), (9, 8), (3, 3)] {
            let lists = [true, false].map(|inside| {
                let habit = Habit {
                    inside,
                    burst,
                    work,
                    ready,
                    interrupt: 0,
                };
                let seen = run(&mut dut, &program, habit, &mut rng);
                let seen = seen.unwrap_or_else(|message| panic!("{message}, {habit:?}"));
                assert_eq!(seen.works > 0, burst <= 17, "{habit:?}");
                kinds |= seen.kinds;
                seen.addresses
            });
            assert_eq!(lists[0], tv3.addresses, "inside");
            assert_eq!(lists[1], tv3.addresses, "outside");
        }
    }
    // The three prologue addresses are under way when the first one shows.
    let bits = [RowKind::Tensor, RowKind::Epilogue].map(|kind| 1 << kind.number());
    assert_eq!(kinds, bits[0] | bits[1]);
}

/// Random records in both ways.
fn random_pauses(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut coverage = Coverage::default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    println!("seed {seed}");
    for _ in 0..120 {
        let addresses = rng.random_range(1..40);
        let program = words(&random_rows(&mut rng, &SHAPE, addresses));
        let [burst, work] = [rng.random_range(1..12), rng.random_range(0..20)];
        let ready = rng.random_range(2..=8);
        let interrupt = [0, 2, 16][rng.random_range(0..3)];
        for inside in [true, false] {
            let habit = Habit {
                inside,
                burst,
                work,
                ready,
                interrupt,
            };
            let seen = run(&mut dut, &program, habit, &mut rng);
            let seen = seen.map_err(|message| format!("{message}, {habit:?}, {program:x?}"))?;
            coverage.event("granted pause", !inside && seen.works > 1);
            coverage.event("pause of its own", inside && seen.works > 1);
            coverage.event("before a tensor address", seen.kinds & 1 != 0);
            coverage.event("before a prologue address", seen.kinds & 2 != 0);
            coverage.event("before an epilogue address", seen.kinds & 4 != 0);
            coverage.event("stalls", ready < 8);
            coverage.event("interrupts", interrupt > 0);
        }
    }
    Ok(coverage)
}

#[proves("TTU-049", "TTU-050")]
#[test]
fn pauses_granted_at_any_address_do_not_change_random_records() {
    run_seeds(|seed| random_pauses(&CONTROLLED, seed));
}

#[test]
fn faults_of_the_pause_are_noticed() {
    let mutants = r"
        heddle_traversal_m3: pause_i | ( => 1'b0 | (
        traversal_controller: quiet_q == Drain => quiet_q == 1";
    check_mutants(&CONTROLLED, &faults(mutants), random_pauses);
}
