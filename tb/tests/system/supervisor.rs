//! The supervisor against its golden model: errors of all kinds, alone and together, resets, time-outs, events.

use heddle_hdl::system::Supervisor;
use heddle_sim::system::{Cause, CtrlWord, SupervisorInputs, SupervisorModel, SupervisorOutputs};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

const CLOCKS: u64 = 40_000;
/// Clocks for which the cluster must take no word before it is an error.
const PATIENCE: u32 = 4096;

fn sources() -> Sources {
    emitted(Supervisor::<36>::default())
}

fn fault(rng: &mut ChaCha8Rng) -> Cause {
    Cause {
        code: [9, 10, 11, 12, 12][rng.random_range(0..5)],
        source: rng.random_range(4..7),
        response: rng.random_range(0..4),
        program: rng.random(),
        pc: rng.random(),
        index: rng.random_range(0..1 << 10),
        address: rng.random_range(0..1 << 36),
    }
}

/// What happens for some clocks.
#[derive(Default)]
struct Phase {
    left: u32,
    /// Probability of each error and of a reset.
    trouble: f64,
    /// The cluster takes nothing.
    holds: bool,
}

impl Phase {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        if rng.random_bool(0.01) {
            return Self {
                left: PATIENCE + rng.random_range(0..3),
                trouble: 0.0,
                holds: true,
            };
        }
        Self {
            left: rng.random_range(5..100),
            trouble: [0.0, 0.002, 0.05, 0.3][rng.random_range(0..4)],
            holds: false,
        }
    }
}

fn random_inputs(
    phase: &Phase,
    last: &SupervisorInputs,
    (stopped, stuck): (bool, bool),
    rng: &mut ChaCha8Rng,
) -> SupervisorInputs {
    let trouble = phase.trouble;
    let mut now = |often: f64| rng.random_bool(often);
    let mut inputs = SupervisorInputs {
        alive: !now(trouble / 100.0),
        // Behind an error somebody resets at last.
        resetting: last.resetting
            ^ now(if last.resetting || (stopped) {
                0.1
            } else {
                trouble / 20.0
            }),
        start: now(0.05),
        running: last.running ^ now(0.1),
        ended: last.ended ^ now(0.2),
        run: now(0.05),
        late: now(if stuck { 0.5 } else { trouble }),
        fence: now(0.1),
        interrupt: now(0.05),
        taken: last.taken ^ now(0.2),
        idle: last.idle ^ now(0.1),
        expired: now(trouble / 3.0),
        open: last.open ^ now(0.2),
        held: phase.holds || now(0.5),
        ..SupervisorInputs::default()
    };
    let (writes, breaks, entry, faults) = (now(0.1), now(trouble), now(trouble), now(trouble));
    inputs.ctrl = writes.then(|| CtrlWord {
        queue: rng.random_bool(0.8),
        lock: rng.random_bool(0.02),
        reset: rng.random_bool(0.1),
    });
    inputs.engine_error = breaks.then(|| (rng.random(), rng.random_range(0..16), rng.random()));
    inputs.entry_error = entry.then(|| rng.random_range(0..1 << 10));
    inputs.fault = faults.then(|| fault(rng));
    inputs.run_index = rng.random_range(0..1 << 10);
    inputs
}

fn drive(dut: &mut Dut, inputs: &SupervisorInputs, rng: &mut ChaCha8Rng) {
    let ctrl = inputs.ctrl.unwrap_or(CtrlWord {
        queue: rng.random(),
        lock: rng.random(),
        reset: false,
    });
    let engine = inputs.engine_error.unwrap_or_else(|| rng.random());
    let fault = inputs.fault.unwrap_or_else(|| fault(rng));
    for (name, bit) in [
        ("rst_n", inputs.alive),
        ("ctrl_valid_i", inputs.ctrl.is_some()),
        ("ctrl_queue_i", ctrl.queue),
        ("ctrl_lock_i", ctrl.lock),
        ("ctrl_reset_i", ctrl.reset),
        ("resetting_i", inputs.resetting),
        ("start_i", inputs.start),
        ("engine_running_i", inputs.running),
        ("engine_done_i", inputs.ended),
        ("engine_error_i", inputs.engine_error.is_some()),
        ("jobs_start_i", inputs.run),
        ("jobs_late_i", inputs.late),
        ("jobs_fence_i", inputs.fence),
        ("jobs_interrupt_i", inputs.interrupt),
        ("jobs_error_i", inputs.entry_error.is_some()),
        ("jobs_empty_i", inputs.taken),
        ("fault_valid_i", inputs.fault.is_some()),
        ("fault_program_i", fault.program),
        ("idle_i", inputs.idle),
        ("expired_i", inputs.expired),
        ("open_i", inputs.open),
        ("held_i", inputs.held),
    ] {
        dut.set(name, bit);
    }
    dut.set("engine_code_i", engine.0);
    dut.set("engine_source_i", engine.1 & 15);
    dut.set("engine_pc_i", engine.2);
    dut.set("jobs_run_index_i", inputs.run_index);
    let entry = inputs.entry_error.unwrap_or(rng.random_range(0..1 << 10));
    dut.set("jobs_error_index_i", entry);
    dut.set("fault_code_i", fault.code);
    dut.set("fault_source_i", fault.source);
    dut.set("fault_resp_i", fault.response);
    dut.set("fault_addr_i", fault.address);
    let origin = if fault.program { fault.pc } else { fault.index };
    dut.set("fault_origin_i", origin);
    dut.settle();
}

fn compare(dut: &Dut, outputs: &SupervisorOutputs) -> Checked {
    for (name, bit) in [
        ("queue_o", outputs.queue),
        ("lock_o", outputs.lock),
        ("failed_o", outputs.error.is_some()),
        ("hung_o", outputs.hung),
        ("stop_o", outputs.stop),
        ("clear_o", outputs.clear),
        ("settled_o", outputs.settled),
        ("running_o", outputs.running),
        ("own_o", outputs.own),
        ("done_o", outputs.done),
        ("empty_o", outputs.empty),
        ("emptied_o", outputs.emptied),
    ] {
        dut.check(name, bit)?;
    }
    dut.check("passed_o", outputs.fences)?;
    let error = outputs.error.unwrap_or_default();
    dut.check("error_code_o", error.code)?;
    dut.check("error_source_o", error.source)?;
    dut.check("error_resp_o", error.response)?;
    dut.check("error_program_o", error.program)?;
    dut.check("error_pc_o", error.pc)?;
    dut.check("error_index_o", error.index)?;
    dut.check("error_addr_o", error.address)
}

fn watch(coverage: &mut Coverage, inputs: &SupervisorInputs, outputs: &SupervisorOutputs) {
    let reports = [
        inputs.engine_error.is_some(),
        inputs.fault.is_some(),
        inputs.entry_error.is_some(),
        inputs.late,
    ];
    let several = reports.iter().filter(|now| **now).count() > 1;
    coverage.event("errors in one clock", several && !outputs.stop);
    coverage.event(
        "an error behind an error",
        several && outputs.error.is_some(),
    );
    coverage.event("an error in a reset", several && inputs.resetting);
    let is = |code, source| {
        outputs
            .error
            .is_some_and(|error| (error.code, error.source) == (code, source))
    };
    coverage.event("an entry with a fault", is(14, 6));
    coverage.event("a program is late", is(12, 6));
    coverage.event("the cluster is stuck", is(6, 4) && inputs.held);
    coverage.event("hung", outputs.hung);
    coverage.event("hung while resetting", outputs.hung && inputs.resetting);
    coverage.event(
        "hung behind a reset",
        outputs.hung && outputs.error.is_none() && !inputs.resetting,
    );
    coverage.event("the last answer comes", outputs.hung && outputs.clear);
    coverage.event(
        "a time-out while idle",
        inputs.idle && outputs.stop && inputs.expired,
    );
    coverage.event("a reset waits", inputs.resetting && !outputs.settled);
    coverage.event("stopped and not over", outputs.running && !inputs.running);
    coverage.event("the queue is on", outputs.queue);
    coverage.event(
        "switched on with an error",
        outputs.error.is_some() && inputs.ctrl.is_some_and(|ctrl| ctrl.queue),
    );
    coverage.event(
        "locked",
        outputs.lock && inputs.ctrl.is_some_and(|ctrl| !ctrl.lock),
    );
    coverage.event("an end of START", outputs.done && !inputs.interrupt);
    coverage.event("an end of a run", inputs.ended && !outputs.own);
    coverage.event("emptied", outputs.emptied);
    coverage.event("START and a run", inputs.start && inputs.run);
    coverage.event(
        "a fence in a reset",
        inputs.fence && inputs.resetting && outputs.fences > 0,
    );
    coverage.event(
        "reset of the machine while locked",
        !inputs.alive && outputs.lock,
    );
}

fn random_clocks(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut rng = dut.rng();
    let mut model = SupervisorModel::default();
    let mut coverage = Coverage::default();
    let mut phase = Phase::default();
    let mut inputs = SupervisorInputs::default();
    let (mut stopped, mut held_clocks) = (false, 0);
    for clock in 0..CLOCKS {
        if phase.left == 0 {
            phase = Phase::random(&mut rng);
        }
        phase.left -= 1;
        let stuck = held_clocks == PATIENCE;
        inputs = random_inputs(&phase, &inputs, (stopped, stuck), &mut rng);
        inputs.alive &= clock > 0;
        drive(&mut dut, &inputs, &mut rng);
        let outputs = model.step(&inputs);
        stopped = outputs.stop;
        compare(&dut, &outputs).map_err(|text| format!("{text}; {inputs:x?}"))?;
        watch(&mut coverage, &inputs, &outputs);
        coverage.event("late while stuck", stuck && inputs.late && !stopped);
        held_clocks = if inputs.held { held_clocks + 1 } else { 0 };
        dut.clock();
    }
    Ok(coverage)
}

#[proves("PET-62", "PET-65")]
#[test]
fn the_supervisor_follows_its_model() {
    run_seeds(|seed| random_clocks(&sources(), seed));
}

/// Each thing that the supervisor does, left out or done otherwise.
const FAULTS: &str = "
    // What is an error.
    heddle_supervisor: !failed_q & !resetting_i & !hung_q; => !resetting_i & !hung_q;
    heddle_supervisor: !failed_q & !resetting_i & !hung_q; => !failed_q & !hung_q;
    heddle_supervisor: !failed_q & !resetting_i & !hung_q; => !failed_q & !resetting_i;
    heddle_supervisor: | jobs_late_i | => |
    heddle_supervisor: age_q[12] => age_q[11]
    heddle_supervisor: (failed_q | fails) & !resetting_i => failed_q | fails
    // Which one is first, and what it says.
    heddle_supervisor: if (engine_error_i) => if (engine_error_i & !fault_valid_i)
    heddle_supervisor: if (fault_valid_i) => if (fault_valid_i & !jobs_error_i)
    heddle_supervisor: if (jobs_error_i) => if (jobs_error_i & !jobs_late_i)
    heddle_supervisor: if (jobs_late_i) => if (jobs_late_i & !age_q[12])
    heddle_supervisor: run_index = own_q ? 10'd0 : => run_index =
    heddle_supervisor: pc_q <= engine_pc_i; => pc_q <= pc_q;
    heddle_supervisor: resp_q <= fault_resp_i; =>
    // The queue and LOCK.
    heddle_supervisor: (ctrl_reset_i | resetting_i | fails => (resetting_i | fails
    heddle_supervisor: resetting_i | fails | failed_q) queue_q => resetting_i | failed_q) queue_q
    heddle_supervisor: fails | failed_q) queue_q => fails) queue_q
    heddle_supervisor: lock_q | (ctrl_valid_i & ctrl_lock_i) => ctrl_valid_i ? ctrl_lock_i : lock_q
    // How all comes to rest.
    heddle_supervisor: stop = failed_q | resetting_i | hung_q => stop = failed_q | resetting_i
    heddle_supervisor: (stop & expired_i) => (failed_q & expired_i)
    heddle_supervisor: (fails & fault_valid_i & (fault_code_i == 4'd12)) => (fails & fault_valid_i)
    heddle_supervisor: !idle_i; => 1'b1;
    heddle_supervisor: (resetting_i | hung_q) & idle_i => resetting_i & idle_i
    heddle_supervisor: settled_o = idle_i | hung_q => settled_o = idle_i
    heddle_supervisor: (failed_q & !idle_i & !hung_q) => (failed_q & !idle_i)
    // Events.
    heddle_supervisor: (own_q | start_i) & !jobs_start_i => (own_q & !jobs_start_i) | start_i
    heddle_supervisor: (engine_done_i & !done_q & own_q) => (engine_done_i & own_q)
    heddle_supervisor: (engine_done_i & !done_q & own_q) => (engine_done_i & !done_q)
    heddle_supervisor: jobs_empty_i & !open_i => jobs_empty_i
    heddle_supervisor: full_q & empty & !stop => full_q & empty
    heddle_supervisor: full_q <= !empty & !stop => full_q <= !empty
    heddle_supervisor: if (resetting_i) passed_q <= 32'd0; =>
";

#[test]
fn faults_of_the_supervisor_are_noticed() {
    check_mutants(&sources(), &faults(FAULTS), random_clocks);
}
