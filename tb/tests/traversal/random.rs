//! Random traffic: records, starts, stops, clears, pauses and back-pressure at any time.

use std::collections::VecDeque;

use heddle_arch::isa::Loop;
use heddle_arch::traverse::{EndTest, Row, RowKind};
use heddle_sim::traversal::{ConfigWrite, TraversalInputs, TraversalOutputs, UnitElement};
use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, FULL, ONE_SET, PLAIN, SINGLE, SMALL, Unit, writes};
use crate::rtl::{Checked, Coverage, check_mutants, run_seeds};

/// A loop that ends. Some ends are off the step grid, some candidates need the extra bit.
fn random_loop(rng: &mut ChaCha8Rng, test: EndTest, top: u32) -> Loop {
    let (initial, step, end) = match test {
        EndTest::Trips => {
            let step = [0, 1, top, rng.random_range(0..=top)][rng.random_range(0..4)];
            (rng.random_range(0..=top), step, rng.random_range(1..=3))
        }
        EndTest::Equal => {
            let initial: u32 = rng.random_range(0..=top);
            let step = [top, top - 6, 1, rng.random_range(0..=top)][rng.random_range(0..4)];
            let distance = step.wrapping_mul(rng.random_range(1..=3));
            (initial, step, initial.wrapping_add(distance) & top)
        }
        EndTest::AtLeast => match rng.random_range(0..8) {
            0 | 1 => (0, 0, 0),
            2 => {
                let step = rng.random_range(1..top);
                (0, step, step)
            }
            3 => {
                // The second candidate is beyond the offset width.
                let step = top - rng.random_range(0..top / 3);
                (rng.random_range(0..=top - step), step, top)
            }
            4 => {
                let end = rng.random_range(0..=top);
                let initial = rng.random_range(0..=end);
                (initial, rng.random_range(top / 3..=top), end)
            }
            _ => {
                let (start, step) = (rng.random_range(0..100), rng.random_range(1..40));
                (start, step, start + rng.random_range(1..=step * 3))
            }
        },
    };
    Loop { initial, step, end }
}

/// A legal record: rows in any registers, kinds in order, one tensor beside attached rows.
fn random_record(rng: &mut ChaCha8Rng, unit: &Unit) -> Vec<Row> {
    let shape = unit.shape;
    let top = ((1_u64 << unit.offset_bits) - 1) as u32;
    let mut numbers: Vec<u8> = (0..shape.rows as u8).collect();
    numbers.shuffle(rng);
    numbers.truncate(rng.random_range(0..=shape.rows));
    let attach = shape.attach && rng.random_bool(0.6);
    let tensors = if attach { 1 } else { rng.random_range(0..=2) }.min(numbers.len());
    let prologues = rng.random_range(0..=numbers.len() - tensors);
    let rows = numbers.into_iter().enumerate();
    rows.map(|(place, row)| {
        let kind = match place {
            p if p < prologues => RowKind::Prologue,
            p if p < prologues + tensors => RowKind::Tensor,
            _ => RowKind::Epilogue,
        };
        let mut tests = vec![EndTest::AtLeast];
        tests.extend(shape.equality.then_some(EndTest::Equal));
        tests.extend(shape.trips.then_some(EndTest::Trips));
        let test = tests[rng.random_range(0..tests.len())];
        let depth = match rng.random_range(0..6) {
            0 => shape.loops,
            _ => shape.loops.min(rng.random_range(0..4)),
        };
        let of = (attach && kind != RowKind::Tensor && rng.random_bool(0.7))
            .then(|| rng.random_range(0..shape.loops.min(3)) as u8);
        let limit = u64::MAX >> (64 - unit.address_bits);
        let base = match rng.random_range(0..3) {
            0 => limit - rng.random_range(0..u64::from(top) / 2),
            _ => rng.random_range(0..=limit),
        };
        Row {
            row,
            kind,
            attach: of,
            test,
            base: base as u32,
            loops: (0..depth).map(|_| random_loop(rng, test, top)).collect(),
        }
    })
    .collect()
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
            record = random_record(&mut rng, unit);
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
fn random_traffic_on_the_engine_of_the_machine() {
    run_seeds(|seed| random_traffic(&PLAIN, seed));
}

#[test]
fn random_traffic_on_one_row_and_loop() {
    run_seeds(|seed| random_traffic(&SINGLE, seed));
}

#[test]
fn random_traffic_on_the_full_size_with_all_options() {
    run_seeds(|seed| random_traffic(&FULL, seed));
}

#[test]
fn random_traffic_on_small_offsets_with_all_options() {
    run_seeds(|seed| random_traffic(&SMALL, seed));
}

#[test]
fn random_traffic_on_one_set_of_registers_with_all_options() {
    run_seeds(|seed| random_traffic(&ONE_SET, seed));
}

/// Plants faults in a unit and runs the traffic on each.
#[track_caller]
fn check_faults(unit: &Unit, mutants: &[(&'static str, &'static str, &'static str)]) {
    check_mutants(&unit.sources, mutants, |sources, seed| {
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
        &[
            // The end is exceeded, not reached.
            (
                "heddle_traversal_engine",
                "minuend < end_value",
                "minuend <= end_value",
            ),
            (
                "heddle_traversal_core",
                "row_wrap[4] & order_end_o",
                "order_end_o",
            ),
            ("heddle_traversal_core", "& !pause_i", "& 1'b1"),
            ("heddle_traversal_core", "!valid_q[1] | ready_i", "1'b1"),
            ("heddle_traversal_core", "step & !stop_i", "step"),
            (
                "heddle_traversal_engine",
                "!core_busy_o & !stop_i",
                "!stop_i",
            ),
        ],
    );
}

#[test]
fn faults_of_options_are_noticed() {
    check_faults(
        &SMALL,
        &[
            // The choice of a start that is not heard is taken.
            ("heddle_traversal_engine", "start & !waits", "start"),
            ("heddle_traversal_engine", "| core_finish_o", "| 1'b0"),
            (
                "heddle_traversal_engine",
                "row_trips ? 9'd1 : first_q",
                "first_q",
            ),
            // Offsets of a load from the set in use.
            (
                "heddle_traversal_counters",
                "<= load_initial_i",
                "<= initial_i",
            ),
            ("heddle_traversal_counters", "equal_i ?", "1'b0 ?"),
            // Rows that are due are forgotten when the first of them runs.
            (
                "heddle_traversal_order",
                "!in_tensor & in_middle &",
                "1'b0 &",
            ),
            // Prologues and epilogues of the same wrap change places.
            ("heddle_traversal_order", "== 2'd2", "== 2'd3"),
        ],
    );
}
