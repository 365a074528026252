//! The registers against their golden model: random accesses, most of them to what exists, at all times.

mod beside;

use heddle_arch::Params;
use heddle_hdl::system::{Csr, CsrShape};
use heddle_sim::system::{CsrConstants, CsrInputs, CsrModel, CsrOutputs};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::machines;
use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

const CONSTANTS: [u32; 3] = [0x1234_5678, 0x0008_0010, 0x6491_0005];

/// What a machine has.
#[derive(Clone, Copy)]
struct Machine<'a> {
    /// Numbers of its counters.
    numbers: &'a [u16],
    /// It has a DMA.
    dma: bool,
    /// Its program lies in banks of the state buffer.
    banked: bool,
}

impl Machine<'_> {
    /// The registers with constants of the test.
    fn registers(&self, params: &Params) -> Sources {
        let shape = CsrShape {
            constants: CONSTANTS.map(u64::from),
            dma: self.dma.into(),
            banked: self.banked,
            ..CsrShape::of(params)
        };
        emitted(Csr::new(shape))
    }
}

fn address(rng: &mut ChaCha8Rng) -> u16 {
    match rng.random_range(0..22) {
        20..22 => 4 * rng.random_range(0..0x6c),
        0 => rng.random_range(0..1 << 12),
        1..4 => 4 * rng.random_range(0x40..0x60),
        4..6 => 0x14,
        6..9 => [0x3c, 0x40, 0x44, 0x48][rng.random_range(0..4)],
        9 => [0x2c, 0x30][rng.random_range(0..2)],
        _ => 4 * rng.random_range(0..0x16),
    }
}

fn word(address: u16, rng: &mut ChaCha8Rng) -> u32 {
    match (address, rng.random_range(0..4)) {
        // Starts are frequent, resets are not.
        (0x14, 0..3) => u32::from(rng.random_range(0..8) > 0) ^ more_of_ctrl(rng),
        (0x14, _) => {
            (rng.random_range(0..4) * u32::from(rng.random_range(0..4) == 0)) ^ more_of_ctrl(rng)
        }
        // Each region, with row tables and without.
        (0x3c, _) => (rng.random_range(0..8) << 29) | (rng.random_range(0..1 << 20) * 8),
        (_, 0) => rng.random_range(0..16),
        _ => rng.random(),
    }
}

/// QUEUE, LOCK and bits of nothing.
fn more_of_ctrl(rng: &mut ChaCha8Rng) -> u32 {
    match rng.random_range(0..4) {
        0 => 1 << 4,
        1 => rng.random::<u32>() & !3,
        _ => 0,
    }
}

/// The inputs of a clock.
fn random_inputs(machine: Machine, last: &CsrInputs, rng: &mut ChaCha8Rng) -> CsrInputs {
    let mut inputs = last.clone();
    inputs.alive = rng.random_range(0..500) > 0;
    let place = address(rng);
    let whole = rng.random_range(0..10) > 0;
    let writes = rng.random_range(0..3) == 0;
    inputs.write = writes.then(|| (place, word(place, rng), whole));
    inputs.read = (rng.random_range(0..3) == 0).then(|| address(rng));
    let mut turns = |now: bool, one_in: u32| now ^ (rng.random_range(0..one_in) == 0);
    inputs.running = turns(last.running, 20);
    inputs.starting = turns(last.starting, 3) && !last.starting;
    inputs.done = turns(last.done, 20);
    inputs.error = turns(last.error, 20);
    inputs.port_busy = turns(last.port_busy, 6);
    inputs.cluster_busy = turns(last.cluster_busy, 5);
    inputs.port_next = inputs.port_busy && turns(false, 3);
    inputs.cause = (rng.random(), rng.random_range(0..16), rng.random());
    inputs.port_word = rng.random();
    for number in machine.numbers {
        inputs.counters.insert(*number, rng.random());
    }
    let before = last.dma.unwrap_or_default();
    inputs.dma = machine.dma.then(|| beside::random(before, &inputs, rng));
    inputs
}

fn drive(dut: &mut Dut, inputs: &CsrInputs, rng: &mut ChaCha8Rng) {
    dut.set("rst_n", inputs.alive);
    dut.set("write_i", inputs.write.is_some());
    let write = inputs
        .write
        .unwrap_or((rng.random(), rng.random(), rng.random()));
    dut.set("write_addr_i", write.0 & 0xfff);
    dut.set("write_data_i", write.1);
    dut.set("write_whole_i", write.2);
    dut.set("read_i", inputs.read.is_some());
    dut.set("read_addr_i", inputs.read.unwrap_or(rng.random()) & 0xfff);
    for (name, value) in [
        ("running_i", inputs.running),
        ("done_i", inputs.done),
        ("error_i", inputs.error),
        ("cluster_busy_i", inputs.cluster_busy),
        ("port_busy_i", inputs.port_busy),
        ("starting_i", inputs.starting),
        ("port_taken_i", inputs.port_next),
    ] {
        dut.set(name, value);
    }
    let (code, source, pc) = inputs.cause;
    dut.set("code_i", code);
    dut.set("source_i", source);
    dut.set("pc_i", pc);
    dut.set("port_word_i", inputs.port_word);
    let counts: Vec<u64> = { inputs.counters.iter() }
        .filter(|(number, _)| **number > 6)
        .map(|(_, count)| u64::from(*count))
        .collect();
    dut.set_all("count_i", counts.into_iter());
    if let Some(stalls) = inputs.counters.get(&6) {
        dut.set("stall_sums_i", *stalls);
    }
    if let Some(dma) = &inputs.dma {
        beside::drive(dut, dma, rng);
    }
    dut.settle();
}

fn compare(dut: &Dut, outputs: &CsrOutputs, was_read: bool, dma: bool) -> Checked {
    if dma {
        dut.check("ctrl_valid_o", outputs.ctrl.is_some())?;
        let (queue, lock, reset) = outputs.ctrl.unwrap_or_default();
        dut.check("ctrl_reset_o", reset)?;
        if outputs.ctrl.is_some() {
            dut.check("ctrl_queue_o", queue)?;
            dut.check("ctrl_lock_o", lock)?;
        }
    }
    if was_read {
        dut.check("word_o", outputs.word)?;
    }
    dut.check("irq_o", outputs.irq)?;
    dut.check("engine_rst_n_o", outputs.engine_alive)?;
    dut.check("resetting_o", outputs.resetting)?;
    dut.check("start_o", outputs.start)?;
    dut.check("start_pc_o", outputs.pc)?;
    dut.check("host_zero_o", outputs.zero)?;
    dut.check("port_read_o", outputs.port.0)?;
    dut.check("port_write_o", outputs.port.1)?;
    dut.check("port_addr_o", outputs.port_addr)?;
    dut.check("port_data_o", outputs.port_data)
}

fn watch(coverage: &mut Coverage, inputs: &CsrInputs, outputs: &CsrOutputs, before: &CsrInputs) {
    let writes = |address| {
        inputs
            .write
            .is_some_and(|write| write.0 == address && write.2)
    };
    coverage.event("start", outputs.start);
    coverage.event("read through the port", outputs.port.0);
    coverage.event("write through the port", outputs.port.1);
    coverage.event("interrupt", outputs.irq);
    coverage.event(
        "write while resetting",
        outputs.resetting && inputs.write.is_some(),
    );
    coverage.event("start while running", writes(0x14) && inputs.running);
    coverage.event(
        "start behind an error",
        writes(0x14) && inputs.error && !inputs.running,
    );
    coverage.event("port while busy", writes(0x48) && inputs.port_busy);
    let tables = |region: u32| {
        writes(0x48) && inputs.running && !inputs.port_busy && outputs.port_addr >> 29 == region
    };
    coverage.event("row tables while running", tables(7));
    coverage.event("state buffer while running", tables(6));
    coverage.event("parameters while running", tables(4));
    coverage.event("programs while running", tables(2));
    coverage.event(
        "end of a run while its bit is cleared",
        inputs.done && !before.done && writes(0x2c),
    );
    coverage.event(
        "some strobes are low",
        inputs.write.is_some_and(|write| !write.2),
    );
    coverage.event("zero point changes", writes(0x38));
    coverage.event("start address changes", writes(0x34));
    coverage.event(
        "reset of all with a write",
        !inputs.alive && inputs.write.is_some(),
    );
}

fn random_accesses(machine: Machine, sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut rng = dut.rng();
    let mut model = CsrModel::new(CsrConstants {
        words: CONSTANTS,
        banked: machine.banked,
    });
    let mut coverage = Coverage::default();
    let mut before = CsrInputs::default();
    let mut accesses = 0;
    // What the reset of the bench left behind.
    let mut settled = false;
    while accesses < 34_000 {
        let mut inputs = random_inputs(machine, &before, &mut rng);
        inputs.alive &= settled;
        drive(&mut dut, &inputs, &mut rng);
        let outputs = model.step(&inputs);
        if settled {
            compare(
                &dut,
                &outputs,
                before.alive && before.read.is_some(),
                machine.dma,
            )
            .map_err(|text| format!("{text}; {before:x?}"))?;
            watch(&mut coverage, &inputs, &outputs, &before);
            if let Some(dma) = &inputs.dma {
                beside::watch(&mut coverage, &inputs, &outputs, dma);
            }
            accesses += u32::from(inputs.read.is_some()) + u32::from(inputs.write.is_some());
        }
        settled = true;
        before = inputs;
        dut.clock();
    }
    Ok(coverage)
}

/// A machine with two slices.
const TWO_SLICES: Machine = Machine {
    numbers: &[7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
    dma: false,
    banked: false,
};
/// The same with a DMA.
const WITH_DMA: Machine = Machine {
    dma: true,
    ..TWO_SLICES
};
/// And with its program in banks.
const IN_BANKS: Machine = Machine {
    banked: true,
    ..WITH_DMA
};

#[proves("PET-65")]
#[test]
fn the_registers_follow_their_model() {
    let sources = TWO_SLICES.registers(&machines::tiny());
    run_seeds(|seed| random_accesses(TWO_SLICES, &sources, seed));
}

#[proves("PET-62", "PET-65")]
#[test]
fn the_registers_beside_a_dma_follow_their_model() {
    for machine in [WITH_DMA, IN_BANKS] {
        let sources = machine.registers(&machines::tiny());
        run_seeds(|seed| random_accesses(machine, &sources, seed));
    }
}

#[test]
fn the_registers_of_other_counters_follow_their_model() {
    let mut params = machines::tiny();
    params.array.partial_sums = heddle_arch::params::PartialSums::Top;
    params.state_buffer.slices.widths = vec![2, 2, 2, 2];
    let numbers: Vec<u16> = (6..24).collect();
    let machine = Machine {
        numbers: &numbers,
        ..TWO_SLICES
    };
    let sources = machine.registers(&params);
    run_seeds(|seed| random_accesses(machine, &sources, seed));
}

const FAULTS: &str = "
    // When a write is taken.
    heddle_csr: 10'd11: allowed = 1'b1 => 10'd11: allowed = !resetting
    heddle_csr:  | port_addr_q[29]) & => ) &
    heddle_csr: no_start = running | error_i => no_start = running
    heddle_csr:  & (write_addr_i[1:0] == 2'd0) =>
    heddle_csr: port_busy_i | port_read_q | port_write_q => port_busy_i | port_read_q
    heddle_csr: running_i | starting_i | start_q => running_i | starting_i
    heddle_csr: write_i & write_whole_i => write_i
    // What it does.
    heddle_csr: reset_left_q <= 3'd7 => reset_left_q <= 3'd6
    heddle_csr: port_addr_q + 32'd8 => port_addr_q + 32'd4
    heddle_csr: (happened_q & ~cleared) | events => (happened_q | events) & ~cleared
    heddle_csr: (read_i & !known) => 1'b0
    // What is read.
    heddle_csr: known = read_addr_i[1:0] == 2'd0 => known = 1'b1
    heddle_csr: (number >= 5'd6) => (number >= 5'd7)
    heddle_csr: done_i\\n      & !running => done_i
";

#[test]
fn faults_of_the_registers_are_noticed() {
    let sources = TWO_SLICES.registers(&machines::tiny());
    check_mutants(&sources, &faults(FAULTS), |sources, seed| {
        random_accesses(TWO_SLICES, sources, seed)
    });
}

#[test]
fn faults_of_the_registers_beside_a_dma_are_noticed() {
    let sources = IN_BANKS.registers(&machines::tiny());
    check_mutants(&sources, &faults(beside::FAULTS), |sources, seed| {
        random_accesses(IN_BANKS, sources, seed)
    });
}
