//! Accesses and starts of the register port, against their golden model.

use heddle_hdl::system::WindowPort;
use heddle_sim::system::{WindowInputs, WindowModel, WindowOutputs};
use heddle_tb::verilate::Sources;
use rand::Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, run_seeds};

fn drive(dut: &mut Dut, inputs: &WindowInputs) {
    for (name, value) in [
        ("rst_n", inputs.alive),
        ("clear_i", inputs.clear),
        ("start_i", inputs.start.is_some()),
        ("read_i", inputs.access == Some(false)),
        ("write_i", inputs.access == Some(true)),
        ("running_i", inputs.running),
        ("host_ready_i", inputs.ready),
        ("host_rvalid_i", inputs.answer.is_some()),
    ] {
        dut.set(name, value);
    }
    dut.set("start_pc_i", inputs.start.unwrap_or(inputs.pc));
    dut.set("host_zero_i", inputs.zero);
    dut.set("host_rdata_i", inputs.answer.unwrap_or(0));
    dut.settle();
}

fn compare(dut: &Dut, outputs: &WindowOutputs) -> Checked {
    dut.check("busy_o", outputs.busy)?;
    dut.check("starting_o", outputs.starting)?;
    dut.check("taken_o", outputs.next)?;
    if let Some(word) = outputs.word {
        dut.check("word_o", word)?;
    }
    dut.check("start_o", outputs.start.is_some())?;
    if let Some(pc) = outputs.start {
        dut.check("pc_o", pc)?;
    }
    dut.check("valid_o", outputs.request.is_some())?;
    if let Some(write) = outputs.request {
        dut.check("write_o", write)?;
    }
    if let Some(zero) = outputs.zero {
        dut.check("zero_o", zero)?;
    }
    Ok(())
}

fn watch(coverage: &mut Coverage, inputs: &WindowInputs, outputs: &WindowOutputs) {
    let read = outputs.request == Some(false);
    let waits = outputs.request.is_some() && !inputs.ready;
    for (what, happens) in [
        ("a read is taken", outputs.next && read),
        ("a write is taken", outputs.next && !read),
        ("a request waits", waits),
        (
            "a start with an access under way",
            inputs.start.is_some() && outputs.busy,
        ),
        (
            "an access with a start under way",
            inputs.access.is_some() && outputs.starting,
        ),
        (
            "an access in the clock of a start",
            inputs.access.is_some() && outputs.start.is_some(),
        ),
        (
            "an access waits behind a start",
            outputs.busy && outputs.start.is_some(),
        ),
        (
            "cleared with a read under way",
            inputs.clear && outputs.busy && !waits,
        ),
        (
            "cleared with a start under way",
            inputs.clear && outputs.starting,
        ),
        (
            "cleared in the clock of a start",
            inputs.clear && outputs.start.is_some(),
        ),
    ] {
        coverage.event(what, happens);
    }
}

/// An engine that takes requests when it likes, answers reads later and runs for a while behind each start.
#[derive(Default)]
struct Engine {
    /// Clocks until the answer to a read that was taken.
    answer_in: Option<u32>,
    /// Clocks of the run that are left.
    run: u32,
}

fn random_use(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut rng = dut.rng();
    let (mut model, mut engine) = (WindowModel::default(), Engine::default());
    let (mut coverage, mut inputs) = (Coverage::default(), WindowInputs::default());
    let (mut accesses, mut starts) = (0, 0);
    let mut pace = 50;
    while accesses < 8000 {
        if rng.random_range(0..40) == 0 {
            pace = [3, 30, 90, 100][rng.random_range(0..4)];
        }
        let mut one_in = |n: u32| rng.random_range(0..n) == 0;
        inputs.alive = !one_in(1000);
        inputs.clear = one_in(200);
        // The registers ask for no access beside another one, and for no start beside another one or a run.
        let now = model.clone().step(&WindowInputs::default());
        let asks = !now.busy && one_in(5);
        inputs.access = asks.then(|| one_in(2));
        let may_start = !now.starting && engine.run == 0 && now.start.is_none();
        let starts_now = may_start && one_in(12);
        inputs.running = now.start.is_some() || engine.run > 0;
        inputs.ready = engine.run == 0 && rng.random_range(0..100) < pace;
        (inputs.pc, inputs.zero) = (rng.random(), rng.random());
        inputs.start = starts_now.then_some(inputs.pc);
        inputs.answer = (engine.answer_in == Some(0)).then(|| rng.random());
        engine.answer_in = engine.answer_in.and_then(|clocks| clocks.checked_sub(1));
        engine.run = engine.run.saturating_sub(1);
        drive(&mut dut, &inputs);
        let outputs = model.step(&inputs);
        compare(&dut, &outputs)?;
        watch(&mut coverage, &inputs, &outputs);
        accesses += u32::from(outputs.next);
        starts += u32::from(outputs.start.is_some());
        if outputs.next && outputs.request == Some(false) {
            engine.answer_in = Some(rng.random_range(0..12));
        }
        if outputs.start.is_some() {
            engine.run = rng.random_range(1..30);
        }
        if inputs.clear || !inputs.alive {
            engine = Engine::default();
        }
        dut.clock();
    }
    assert!(starts > 100, "{starts} starts");
    Ok(coverage)
}

#[test]
fn accesses_and_starts_follow_the_model() {
    let sources = emitted(WindowPort::new(false));
    run_seeds(|seed| random_use(&sources, seed));
}

#[test]
fn faults_of_the_window_port_are_noticed() {
    let sources = emitted(WindowPort::new(false));
    let faults = [
        (
            "valid_o = waits_q & !due_q & !start_q",
            "valid_o = waits_q & !start_q",
        ),
        (
            "valid_o = waits_q & !due_q & !start_q",
            "valid_o = waits_q & !due_q",
        ),
        ("(taken_o & write_q)", "taken_o"),
        ("starts = due_q & host_ready_i", "starts = due_q"),
        ("starting_q & !start_q & !busy_q", "starting_q & !start_q"),
        ("starting_q & !start_q & !busy_q", "starting_q & !busy_q"),
        ("(starting_q & !running_i)", "starting_q"),
        ("start_q <= starts & !clear_i", "start_q <= starts"),
        ("if (start_i) pc_q", "if (starts) pc_q"),
        ("zero_q <= host_zero_i", "zero_q <= 8'd0"),
    ];
    let faults = faults.map(|(from, to)| ("heddle_window_port", from, to));
    check_mutants(&sources, &faults, random_use);
}
