//! The registers of a DMA against their golden model: random accesses, most of them to what exists, at all times.

use std::collections::BTreeSet;

use heddle_hdl::system::DmaRegisters;
use heddle_sim::system::{DmaRegistersInputs, DmaRegistersModel, DmaRegistersOutputs, Elsewhere};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

const CLOCKS: u64 = 40_000;
/// Clocks from one read to the next at least.
const GAP: u64 = 3;
const WIDE: u32 = 36;

fn wide() -> Sources {
    emitted(DmaRegisters::<36>::new(36))
}

fn address(rng: &mut ChaCha8Rng) -> u16 {
    match rng.random_range(0..16) {
        0 => rng.random_range(0..1 << 12),
        1 => 4 * rng.random_range(0..0x80),
        2..4 => 4 * rng.random_range(0x20..0x28),
        4..8 => 4 * rng.random_range(0x30..0x40),
        8..10 => 4 * rng.random_range(0x60..0x70),
        10..12 => *[0x24, 0x28, 0x64, 0x68].choose(rng).expect("some"),
        _ => *[0x54, 0x58, 0x5c, 0x60, 0x60, 0x6c, 0x70]
            .choose(rng)
            .expect("some"),
    }
}

fn word(address: u16, rng: &mut ChaCha8Rng) -> u32 {
    match address {
        0x60 => rng.random::<u32>() & !0x3ff | 0x3ff >> rng.random_range(0..11),
        _ => rng.random(),
    }
}

/// The inputs of a clock.
fn random_inputs(
    last: &DmaRegistersInputs,
    bits: u32,
    may: (bool, bool),
    rng: &mut ChaCha8Rng,
) -> DmaRegistersInputs {
    let (ready, may_read) = may;
    let mut turns =
        |now: bool, off: f64, on: f64| now ^ rng.random_bool(if now { on } else { off });
    let mut inputs = DmaRegistersInputs {
        alive: turns(false, 0.999, 0.0),
        resetting: turns(last.resetting, 0.005, 0.15),
        queue: turns(last.queue, 0.02, 0.1),
        busy: turns(last.busy, 0.02, 0.1),
        lock: turns(last.lock, 0.01, 0.05),
        ..DmaRegistersInputs::default()
    };
    let (writes, reads) = (turns(false, 0.5, 0.0), turns(false, 0.7, 0.0));
    inputs.read = (ready && reads && may_read).then(|| address(rng));
    inputs.write = (ready && writes).then(|| {
        let place = address(rng);
        (place, word(place, rng), rng.random_bool(0.9))
    });
    // Often the register that is read is written.
    if let (Some(place), Some(write)) = (inputs.read, &mut inputs.write)
        && rng.random_bool(0.1)
    {
        write.0 = place;
    }
    inputs.error_address = rng.random_range(0..1 << bits);
    inputs.head = rng.random_range(0..1 << 10);
    inputs.fences = rng.random();
    inputs.regions = std::array::from_fn(|_| rng.random_range(0..1 << 40));
    inputs.permits = std::array::from_fn(|_| rng.random_range(0..4));
    inputs.events = std::array::from_fn(|counter| rng.random_bool(counter as f64 / 10.0));
    inputs
}

fn drive(dut: &mut Dut, inputs: &DmaRegistersInputs, rng: &mut ChaCha8Rng) {
    for (name, bit) in [
        ("rst_n", inputs.alive),
        ("write_i", inputs.write.is_some()),
        ("read_i", inputs.read.is_some()),
        ("resetting_i", inputs.resetting),
        ("queue_i", inputs.queue),
        ("busy_i", inputs.busy),
        ("lock_i", inputs.lock),
        ("error_program_i", rng.random()),
    ] {
        dut.set(name, bit);
    }
    let any = (address(rng), rng.random(), rng.random());
    let (place, word, whole) = inputs.write.unwrap_or(any);
    dut.set("write_addr_i", place);
    dut.set("write_data_i", word);
    dut.set("write_whole_i", whole);
    dut.set("read_addr_i", inputs.read.unwrap_or(address(rng)));
    dut.set("error_addr_i", inputs.error_address);
    dut.set("head_i", inputs.head);
    dut.set("passed_i", inputs.fences);
    let lower = inputs.regions.map(|region| region & 0xffff_ffff);
    dut.set_all("region_low_i", lower.into_iter());
    dut.set_all(
        "region_high_i",
        inputs.regions.map(|region| region >> 32).into_iter(),
    );
    dut.set_all("permit_i", inputs.permits.map(u64::from).into_iter());
    dut.set_all("event_i", inputs.events.map(u64::from).into_iter());
    dut.settle();
}

fn compare(dut: &Dut, inputs: &DmaRegistersInputs, outputs: &DmaRegistersOutputs) -> Checked {
    dut.check("takes_o", outputs.takes)?;
    if inputs.read.is_some() {
        dut.check("known_o", outputs.word.is_some())?;
        dut.check("word_o", outputs.word.unwrap_or(0))?;
    }
    let late_word = dut.get("late_word_o") as u32;
    if !outputs.late_word.contains(&late_word) {
        let range = &outputs.late_word;
        return Err(dut.message(&format!(
            "late_word_o is {late_word:#x}, model has {range:x?}"
        )));
    }
    dut.check("ready_o", outputs.ready)?;
    dut.check("base_o", outputs.base)?;
    dut.check("size_o", outputs.size)?;
    dut.check("tail_o", outputs.tail)?;
    dut.check("attr_o", outputs.attributes)?;
    dut.check("timeout_o", outputs.timeout)?;
    let region = outputs.region.map_or(0, |(half, _)| 1_u64 << half);
    dut.check("region_wen_o", region)?;
    if let Some((half, word)) = outputs.region {
        let bits = if half % 2 == 0 { u32::MAX } else { 0xff };
        let found = dut.get("region_data_o") as u32 & bits;
        if found != word {
            return Err(dut.message(&format!("region_data_o is {found:#x}, model has {word:#x}")));
        }
    }
    Ok(())
}

/// The write of a window that is on the ports.
fn window(dut: &Dut) -> Checked<Elsewhere> {
    let kinds = ["window_base_o", "window_limit_o", "window_ctrl_o"];
    let kinds: Vec<usize> = (0..3).filter(|kind| dut.get(kinds[*kind]) == 1).collect();
    let data = dut.get("window_data_o") as u32;
    match kinds[..] {
        [] => Ok(None),
        [kind] => {
            let place = 4 * dut.get("window_window_o") as usize + kind;
            Ok(Some((place, if kind == 2 { data & 3 } else { data })))
        }
        _ => Err(dut.message("two registers of a window are written at once")),
    }
}

/// Behind a reset each BASE and LIMIT is cleared once; then a window is written as the model says.
fn compare_windows(
    dut: &Dut,
    outputs: &DmaRegistersOutputs,
    cleared: &mut BTreeSet<usize>,
) -> Checked {
    let found = window(dut)?;
    if outputs.ready {
        return match found == outputs.window && cleared.len() == 8 {
            true => Ok(()),
            false => Err(dut.message(&format!(
                "window is {found:x?}, model has {:x?}; cleared are {cleared:?}",
                outputs.window
            ))),
        };
    }
    match found {
        Some((place, 0)) if place % 4 < 2 && cleared.insert(place) => Ok(()),
        _ => Err(dut.message(&format!("{found:x?} clears no page"))),
    }
}

fn watch(coverage: &mut Coverage, inputs: &DmaRegistersInputs, outputs: &DmaRegistersOutputs) {
    let write = inputs
        .write
        .filter(|write| write.2 && write.0 % 4 == 0 && !inputs.resetting);
    let only = |place: u16| write.is_some_and(|write| write.0 == place);
    let (queue, busy, lock) = (inputs.queue, inputs.busy, inputs.lock);
    for (name, place) in [
        ("Q_BASE_LO", 0x54),
        ("Q_BASE_HI", 0x58),
        ("Q_SIZE", 0x5c),
        ("Q_TAIL", 0x60),
        ("AXI_ATTR", 0x6c),
        ("TIMEOUT", 0x70),
        ("REGION3_HI", 0x9c),
        ("WINDOW3_LIMIT", 0xf4),
        ("WINDOW3_CTRL", 0xf8),
    ] {
        coverage.event(name, only(place) && outputs.takes);
    }
    coverage.event("Q_BASE with the queue on", only(0x54) && queue);
    coverage.event("Q_BASE while busy", only(0x58) && busy && outputs.takes);
    coverage.event("Q_SIZE with the queue on", only(0x5c) && queue);
    coverage.event(
        "Q_SIZE without entries or with too many",
        only(0x5c) && !queue && !outputs.takes,
    );
    coverage.event(
        "Q_TAIL with the queue on",
        only(0x60) && queue && outputs.takes,
    );
    coverage.event("Q_TAIL beyond the ring", only(0x60) && !outputs.takes);
    coverage.event("TIMEOUT while locked", only(0x70) && lock && outputs.takes);
    for (queued, place) in [
        ("TIMEOUT and queue", 0x70),
        ("REGION and queue", 0x80),
        ("WINDOW and queue", 0xc0),
    ] {
        coverage.event(queued, only(place) && queue && !busy && !lock);
    }
    for (works, place) in [
        ("TIMEOUT while busy", 0x70),
        ("REGION while busy", 0x80),
        ("WINDOW while busy", 0xc0),
    ] {
        coverage.event(works, only(place) && !queue && busy && !lock);
    }
    for (locked, place) in [
        ("AXI_ATTR while locked", 0x6c),
        ("BASE while locked", 0xc0),
        ("CTRL while locked", 0xc8),
    ] {
        coverage.event(locked, only(place) && !queue && !busy && lock);
    }
    coverage.event("nothing behind CTRL", only(0xcc));
    coverage.event(
        "a write while resetting",
        inputs.resetting && inputs.write.is_some(),
    );
    coverage.event("a reset with a tail", inputs.resetting && outputs.tail > 0);
    coverage.event(
        "some strobes are low",
        inputs.write.is_some_and(|write| !write.2),
    );
    let meets = |page: u16| outputs.takes && only(page) && inputs.read == Some(page);
    coverage.event(
        "a page is read while it is written",
        meets(0xc0) || meets(0xd4),
    );
    coverage.event("a page or a count", *outputs.late_word.start() > 0);
    coverage.event("reset of the machine", !inputs.alive);
}

fn random_accesses(bits: u32, sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut rng = dut.rng();
    let mut model = DmaRegistersModel::new(bits);
    let mut coverage = Coverage::default();
    let mut inputs = DmaRegistersInputs::default();
    let mut cleared = BTreeSet::new();
    let (mut ready, mut since_read) = (false, 0);
    for clock in 0..CLOCKS {
        let may_read = since_read + 1 >= GAP;
        inputs = random_inputs(&inputs, bits, (ready, may_read), &mut rng);
        inputs.alive &= clock > 0;
        drive(&mut dut, &inputs, &mut rng);
        let outputs = model.step(&inputs);
        if clock > 0 {
            compare(&dut, &inputs, &outputs).map_err(|text| format!("{text}; {inputs:x?}"))?;
            // In reset `ready_o` does not tell whether the windows are cleared.
            if inputs.alive {
                compare_windows(&dut, &outputs, &mut cleared)?;
            }
            watch(&mut coverage, &inputs, &outputs);
        }
        ready = dut.get("ready_o") == 1 && inputs.alive;
        if !inputs.alive {
            cleared.clear();
        }
        since_read = if inputs.read.is_some() {
            0
        } else {
            since_read + 1
        };
        dut.clock();
    }
    Ok(coverage)
}

#[proves("PET-62", "PET-65")]
#[test]
fn the_registers_of_a_dma_follow_their_model() {
    let narrow = emitted(DmaRegisters::<32>::new(32));
    for (bits, sources) in [(32, narrow), (WIDE, wide())] {
        run_seeds(|seed| random_accesses(bits, &sources, seed));
    }
}

/// Each rule and each register, left out or done otherwise.
const FAULTS: &str = "
    // When a write is taken.
    heddle_dma_registers: 10'd21: allowed = !queue_i; => 10'd21: allowed = 1'b1;
    heddle_dma_registers: 10'd22: allowed = !queue_i; => 10'd22: allowed = !queue_i & !busy_i;
    heddle_dma_registers: (q_size_log != 4'd0) => 1'b1
    heddle_dma_registers: (q_size_log < 4'd11) => (q_size_log < 4'd12)
    heddle_dma_registers: (q_tail_index >> size_o) == 10'd0 => 1'b1
    heddle_dma_registers: 10'd27: allowed = !queue_i & !busy_i & !lock_i => 10'd27: allowed = !queue_i & !busy_i
    heddle_dma_registers: 10'd28: allowed = !queue_i & !busy_i => 10'd28: allowed = !busy_i
    heddle_dma_registers: 7'd4) allowed = !queue_i & !busy_i => 7'd4) allowed = !queue_i
    heddle_dma_registers: is_window[0] & (which[1:0] != 2'd3) => is_window[0]
    heddle_dma_registers: 2'd3)) allowed = !queue_i & !busy_i & !lock_i => 2'd3)) allowed = !queue_i & !busy_i
    heddle_dma_registers: write_i & write_whole_i & => write_i &
    heddle_dma_registers: & (write_addr_i[1:0] == 2'd0) & allowed => & allowed
    heddle_dma_registers: & allowed & !resetting_i => & allowed
    // What it does.
    heddle_dma_registers: if (resetting_i) tail_q <= 10'd0; =>
    heddle_dma_registers: write_data_i & 32'hfffffff8 => write_data_i
    heddle_dma_registers: timeout_q ^ 5'd20 => timeout_q ^ 5'd21
    heddle_dma_registers: {write_data_i[15:8], 1'b0, write_data_i[6:0]} => write_data_i[15:0]
    heddle_dma_registers: & 28'hffffff; => ;
    heddle_dma_registers: write_place == 10'd37 => write_place == 10'd36
    heddle_dma_registers: window_ctrl_o = takes & => window_ctrl_o = write_i &
    // Windows behind a reset.
    heddle_dma_registers: cleared_q + 4'd1 => cleared_q + 4'd2
    heddle_dma_registers: windows_waddr = cleared_q[2:0] => windows_waddr = 3'd0
    heddle_dma_registers: window_data_o = 28'd0; => window_data_o = write_data_i[27:0];
    // What is read.
    heddle_dma_registers: word = region_low_i[95:64] => word = region_low_i[63:32]
    heddle_dma_registers: word = {30'd0, permit_i[5:4]} => word = {30'd0, permit_i[3:2]}
    heddle_dma_registers: (which[1:0] == which[3:2]) => 1'b0
    heddle_dma_registers: read_place[3:0] < 4'd11 => read_place[3:0] < 4'd10
    heddle_dma_registers: counters_read = read_i & => counters_read =
    heddle_dma_registers: if (is_counter) known = => if (1'b0) known =
    heddle_dma_registers: known = (read_addr_i[1:0] == 2'd0) & (which[3:2] != 2'd3) => known = read_addr_i[1:0] == 2'd0
";

#[test]
fn faults_of_the_registers_of_a_dma_are_noticed() {
    check_mutants(&wide(), &faults(FAULTS), |sources, seed| {
        random_accesses(WIDE, sources, seed)
    });
}
