//! What the register port asks of the engine, against its golden model.

use heddle_hdl::system::WindowPort;
use heddle_sim::system::{WindowInputs, WindowModel, WindowOutputs};
use heddle_tb::verilate::Sources;
use rand::Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, run_seeds};

fn drive(dut: &mut Dut, inputs: &WindowInputs) {
    for (name, value) in [
        ("rst_n", inputs.alive),
        ("clear_i", inputs.clear),
        ("start_i", inputs.start),
        ("pc_changes_i", inputs.pc.1),
        ("zero_changes_i", inputs.zero.1),
        ("read_i", inputs.read),
        ("write_i", inputs.write),
        ("running_i", inputs.running),
        ("host_ready_i", inputs.ready),
        ("host_rvalid_i", inputs.answer.is_some()),
    ] {
        dut.set(name, value);
    }
    dut.set("pc_i", inputs.pc.0);
    dut.set("zero_i", inputs.zero.0);
    dut.set("addr_i", inputs.addr);
    dut.set("wdata_i", inputs.data);
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
    dut.check("host_valid_o", outputs.request.is_some())?;
    let Some(request) = outputs.request else {
        return Ok(());
    };
    dut.check("host_write_o", request.write)?;
    dut.check("host_addr_o", request.addr)?;
    match request.access {
        true if request.write => dut.check("host_wdata_o", request.data),
        true => Ok(()),
        false => dut.check_element("host_wdata_o", 0, 2, request.data),
    }
}

/// An engine that takes requests when it likes and answers reads later; settings that change at any time.
fn random_use(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut rng = dut.rng();
    let mut model = WindowModel::default();
    let mut coverage = Coverage::default();
    let mut inputs = WindowInputs::default();
    // Clocks until the answer to a read that was taken.
    let mut answer_in: Option<u32> = None;
    let (mut accesses, mut starts) = (0, 0);
    let mut busy = false;
    let mut pace = 50;
    while accesses < 8000 {
        if rng.random_range(0..40) == 0 {
            pace = [3, 30, 90, 100][rng.random_range(0..4)];
        }
        inputs.alive = rng.random_range(0..1000) > 0;
        inputs.clear = rng.random_range(0..200) == 0;
        let mut one_in = |n: u32| rng.random_range(0..n) == 0;
        inputs.read = !busy && one_in(6);
        inputs.write = !busy && !inputs.read && one_in(4);
        inputs.zero.1 = one_in(12);
        inputs.pc.1 = one_in(12);
        inputs.start = one_in(12);
        inputs.running = one_in(6);
        inputs.ready = rng.random_range(0..100) < pace;
        if inputs.read || inputs.write {
            (inputs.addr, inputs.data) = (rng.random(), rng.random());
        }
        if inputs.zero.1 {
            inputs.zero.0 = rng.random();
        }
        if inputs.pc.1 {
            inputs.pc.0 = rng.random();
        }
        inputs.answer = (answer_in == Some(0)).then(|| rng.random());
        answer_in = answer_in.and_then(|clocks| clocks.checked_sub(1));
        drive(&mut dut, &inputs);
        let outputs = model.step(&inputs);
        compare(&dut, &outputs)?;
        let read = outputs
            .request
            .is_some_and(|request| request.access && !request.write);
        let settings = outputs
            .request
            .is_some_and(|request| !request.access && request.addr > 8);
        coverage.event("a read is taken", outputs.next && read);
        coverage.event("a write is taken", outputs.next && !read);
        coverage.event(
            "a start is taken",
            outputs.request.is_some_and(|request| request.addr == 8),
        );
        coverage.event(
            "a setting changes while its request waits",
            settings && !inputs.ready && (inputs.zero.1 || inputs.pc.1),
        );
        coverage.event(
            "an access comes while a setting waits",
            settings && !inputs.ready && inputs.write,
        );
        coverage.event(
            "a request follows at once",
            outputs.request.is_some() && inputs.ready,
        );
        coverage.event(
            "cleared with a read under way",
            inputs.clear && outputs.busy,
        );
        coverage.event(
            "cleared with a start under way",
            inputs.clear && outputs.starting,
        );
        accesses += u32::from(outputs.next);
        starts += u32::from(inputs.start);
        if outputs.next && read {
            answer_in = Some(rng.random_range(0..12));
        }
        busy = outputs.busy || inputs.read || inputs.write;
        let ends = inputs.answer.is_some() || (outputs.next && !read);
        busy &= !ends || inputs.read || inputs.write;
        if inputs.clear || !inputs.alive {
            (busy, answer_in) = (false, None);
        }
        dut.clock();
    }
    assert!(starts > 100, "{starts} starts");
    Ok(coverage)
}

#[test]
fn requests_to_the_engine_follow_the_model() {
    let sources = emitted(WindowPort::default());
    run_seeds(|seed| random_use(&sources, seed));
}

#[test]
fn faults_of_the_window_port_are_noticed() {
    let sources = emitted(WindowPort::default());
    let faults = [
        ("heddle_window_port", "(sent_q[0] | sent_q[1])", "sent_q[0]"),
        (
            "heddle_window_port",
            "(starting_q & !running_i)",
            "starting_q",
        ),
        (
            "heddle_window_port",
            "if (picks[3]) half[31:0]",
            "if (picks[4]) half[31:0]",
        ),
        (
            "heddle_window_port",
            "picks[4] = asked_q[4] & !asked_q[3]",
            "picks[4] = asked_q[4]",
        ),
        (
            "heddle_window_port",
            "write_q <= !picks[0]",
            "write_q <= !picks[1]",
        ),
        (
            "heddle_window_port",
            "(host_ready_i & sent_q[1])",
            "host_ready_i",
        ),
        (
            "heddle_window_port",
            "is_free = !valid_q | host_ready_i",
            "is_free = 1'b1",
        ),
    ];
    check_mutants(&sources, &faults, random_use);
}
