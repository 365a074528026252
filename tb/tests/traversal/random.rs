//! Random traffic: records, starts, stops, clears, pauses and back-pressure at any time.

use std::collections::VecDeque;

use heddle_arch::traverse::{EndTest, Row, RowKind, UnitShape};
use heddle_sim::traversal::{ConfigWrite, TraversalInputs, TraversalOutputs, UnitElement};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, MACHINE, PLAIN, SMALL, Unit, units, writes};
use crate::rtl::{Checked, Coverage, check_mutants, faults, run_seeds};
use crate::traversal_unit::records::random_rows;

/// A legal record; now and then an empty one.
fn random_record(rng: &mut ChaCha8Rng, shape: &UnitShape) -> Vec<Row> {
    let addresses = [4, 24, 60][rng.random_range(0..3)];
    match rng.random_ratio(1, 12) {
        true => Vec::new(),
        false => random_rows(rng, shape, addresses),
    }
}

/// What is still to be written of a record.
#[derive(Default)]
struct Loading {
    /// The registers are cleared first.
    clear: bool,
    writes: VecDeque<ConfigWrite>,
}

impl Loading {
    fn of(record: &[Row]) -> Self {
        Self {
            clear: true,
            writes: writes(record).into(),
        }
    }

    fn done(&self) -> bool {
        !self.clear && self.writes.is_empty()
    }
}

/// Inputs of the next cycle. Registers are written when the engine allows it, all else happens at
/// any time, but no record is started in parts.
fn random_inputs(
    rng: &mut ChaCha8Rng,
    bench: &mut Bench,
    loading: &mut Loading,
    rates: (f64, f64),
) -> TraversalInputs {
    let ready = bench.cfg_ready();
    let mut inputs = TraversalInputs {
        stop: rng.random_bool(0.004),
        ready: rng.random_bool(rates.0),
        pause: rng.random_bool(rates.1),
        // With one set of registers the choice holds for the whole traversal.
        offset_only: bench.shape.double && rng.random_bool(0.3),
        ..TraversalInputs::default()
    };
    if loading.clear && (ready || inputs.stop) {
        inputs.clear = true;
        loading.clear = false;
    } else if ready && !loading.done() {
        inputs.write = loading.writes.pop_front();
    } else {
        // A start that is not heard may come at any time.
        let probability = if ready { 0.3 } else { 0.1 };
        inputs.start = (loading.done() || !ready) && rng.random_bool(probability);
    }
    inputs
}

/// Traffic of 6000 cycles.
fn random_traffic(unit: &Unit, seed: u64) -> Checked<Coverage> {
    let mut bench = Bench::new(unit, seed);
    let mut rng = bench.dut.rng();
    let mut coverage = Coverage::default();
    // The record to be loaded, and the last one that was loaded as a whole.
    let (mut record, mut written) = (Vec::new(), Vec::new());
    let mut loading = Loading::default();
    let mut rates = (1.0, 0.0);
    let mut before: Option<TraversalOutputs> = None;
    let mut held = false;
    // Records of the traversals that were loaded and did not end yet.
    let mut running: VecDeque<Vec<Row>> = VecDeque::new();
    for cycle in 0..6000 {
        if cycle % 150 == 0 {
            rates = (rng.random_range(0.2..=1.0), rng.random_range(0.0..0.4));
            if rng.random_bool(0.5) {
                rates = (1.0, 0.0);
            }
        }
        if loading.done() && rng.random_bool(0.05) {
            record = random_record(&mut rng, &unit.unit_shape());
            loading = Loading::of(&record);
        }
        let inputs = random_inputs(&mut rng, &mut bench, &mut loading, rates);
        let outputs = bench.step(&inputs)?;
        coverage.event(
            "start without a row",
            inputs.start && outputs.cfg_ready && record.is_empty(),
        );
        coverage.event("start not heard", inputs.start && !outputs.cfg_ready);
        coverage.event("stop while busy", inputs.stop && outputs.busy);
        coverage.event(
            "clear with stop",
            inputs.stop && inputs.clear && outputs.busy,
        );
        cover_element(
            &mut coverage,
            unit,
            &inputs,
            &outputs,
            before.as_ref(),
            held,
        );
        if let (Some(e), Some(record)) = (&outputs.element, running.front()) {
            cover_candidates(&mut coverage, unit, e, record);
            if e.end && inputs.ready {
                running.pop_front();
            }
        }
        if outputs.load {
            running.push_back(written.clone());
        }
        if inputs.stop {
            running.clear();
        }
        if loading.done() {
            written.clone_from(&record);
        }
        held = outputs.element.is_some() && !inputs.ready;
        before = Some(outputs);
    }
    Ok(coverage)
}

/// Events of the address at the output.
fn cover_element(
    coverage: &mut Coverage,
    unit: &Unit,
    inputs: &TraversalInputs,
    outputs: &TraversalOutputs,
    before: Option<&TraversalOutputs>,
    held: bool,
) {
    let shape = unit.shape;
    let shown = |o: &TraversalOutputs| o.element.clone();
    let Some(e) = &outputs.element else {
        return;
    };
    coverage.event("back-pressure", !inputs.ready);
    coverage.event("held over several cycles", held && !inputs.ready);
    coverage.event("paused while valid", inputs.pause && !inputs.ready);
    coverage.event("taken while paused", inputs.pause && inputs.ready);
    coverage.event("end taken", e.end && inputs.ready);
    if shape.loops > 1 {
        let two = e.finals[0] && e.finals[1] && !e.last;
        coverage.event("two columns wrap at once", two || shape.loops == 2);
    }
    let earlier = before.and_then(shown).filter(|_| !held);
    if shape.rows > 1 {
        coverage.event("row change", e.last && !e.end);
        coverage.event("highest row", e.row + 1 == shape.rows);
        let changed = earlier.as_ref().is_some_and(|b| b.row != e.row);
        coverage.event("row change without bubble", changed);
    }
    if shape.double {
        let border = earlier.as_ref().is_some_and(|b| b.end);
        coverage.event("next traversal without bubble", border);
        coverage.event(
            "registers written while addresses leave",
            inputs.write.is_some(),
        );
        coverage.event("start waits", !outputs.cfg_ready);
        coverage.event(
            "load of a waiting start",
            outputs.load && !outputs.cfg_ready,
        );
    }
    if shape.attach {
        let tensor = earlier.filter(|b| b.kind == RowKind::Tensor && !b.last);
        let aside = |kind| tensor.is_some() && e.kind == kind;
        coverage.event("prologue in the middle", aside(RowKind::Prologue));
        coverage.event("epilogue in the middle", aside(RowKind::Epilogue));
    }
}

/// Events of the loops behind an address.
fn cover_candidates(coverage: &mut Coverage, unit: &Unit, e: &UnitElement, record: &[Row]) {
    let row = record.iter().find(|r| usize::from(r.row) == e.row);
    let row = row.expect("a row of the record");
    let sum: u64 = e.offsets.iter().sum();
    let address = sum + u64::from(row.base);
    coverage.event("address wraps", address >> unit.address_bits != 0);
    let candidates = e.offsets.iter().zip(&row.loops);
    let candidates: Vec<_> = candidates
        .map(|(z, l)| (z + u64::from(l.step), u64::from(l.end)))
        .collect();
    let beyond = candidates.iter().any(|(z, _)| z >> unit.offset_bits != 0);
    let exceeded = candidates.iter().any(|(z, y)| z > y && *y > 0);
    let wraps = beyond && !e.finals.iter().all(|f| *f);
    let test = |test, happened| row.test == test && happened;
    coverage.event(
        "candidate beyond the offset width",
        test(EndTest::AtLeast, beyond),
    );
    coverage.event("end exceeded", test(EndTest::AtLeast, exceeded));
    if unit.shape.equality {
        coverage.event("offset wraps with equality", test(EndTest::Equal, wraps));
    }
    if unit.shape.trips {
        let still = row
            .loops
            .iter()
            .zip(&e.finals)
            .any(|(l, f)| l.step == 0 && !f);
        coverage.event("offset wraps with trips", test(EndTest::Trips, wraps));
        coverage.event("step 0 goes on", test(EndTest::Trips, still));
    }
}

#[test]
fn random_traffic_on_every_engine() {
    for unit in units() {
        run_seeds(|seed| random_traffic(unit, seed));
    }
}

/// Plants faults in a unit and runs the traffic on each.
#[track_caller]
fn check_faults(unit: &Unit, mutants: &'static str) {
    check_mutants(&unit.sources, &faults(mutants), |sources, seed| {
        let unit = Unit {
            sources: sources.clone(),
            ..unit.clone()
        };
        random_traffic(&unit, seed)
    });
}

#[test]
fn faults_are_noticed() {
    check_faults(
        &PLAIN,
        r"
        // The end is exceeded, not reached.
        heddle_traversal_engine: minuend < end_value => minuend <= end_value
        heddle_traversal_core: row_wrap[4] & order_end => order_end
        heddle_traversal_core: & !pause_i => & 1'b1
        heddle_traversal_core: !valid_q[1] | ready_i => 1'b1
        heddle_traversal_core: step & !stop_i => step
        heddle_traversal_engine: !core_busy & !stop_i => !stop_i",
    );
}

#[test]
fn faults_of_the_engine_of_the_machine_are_noticed() {
    check_faults(
        &MACHINE,
        r"
        // An address that waits is lost, comes twice, is forgotten by busy_o or outlives a stop.
        heddle_traversal_core: room = !kept_valid_q => room = 1'b1
        heddle_traversal_core: valid_out & !ready_i & !stop_i => valid_out & !stop_i
        heddle_traversal_core: | waiting | kept_valid_q => | waiting
        heddle_traversal_core: !ready_i & !stop_i => !ready_i",
    );
}

#[test]
fn faults_of_options_are_noticed() {
    check_faults(
        &SMALL,
        r"
        // The choice of a start that is not heard is taken.
        heddle_traversal_engine: start & !waits => start
        heddle_traversal_engine: | core_finish => | 1'b0
        heddle_traversal_engine: row_trips ? 9'd1 : first_q => first_q
        // Offsets of a load from the set in use.
        heddle_traversal_counters: <= load_initial_i => <= initial_i
        heddle_traversal_counters: equal_i ? => 1'b0 ?
        // Rows that are due are forgotten when the first of them runs.
        heddle_traversal_order: !in_tensor & in_middle & => 1'b0 &
        // Prologues and epilogues of the same wrap change places.
        heddle_traversal_order: == 2'd2 => == 2'd3",
    );
}
