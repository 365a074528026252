//! What a machine with a DMA has besides: the ports of its half, and faults in it.

use heddle_sim::system::{CsrDma, CsrInputs, CsrOutputs};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Coverage, Dut};

/// Registers of the DMA alone.
fn is_of_dma(address: u16) -> bool {
    let is = matches!(address, 0x24 | 0x28 | 0x54..0x74 | 0x80..0xa0 | 0xc0..0x100 | 0x180..0x1ac);
    is && address % 4 == 0
}

/// What the DMA says about the accesses of a clock.
pub fn random(last: CsrDma, inputs: &CsrInputs, rng: &mut ChaCha8Rng) -> CsrDma {
    let mut turns = |now: bool, one_in: u32| now ^ (rng.random_range(0..one_in) == 0);
    CsrDma {
        queue: turns(last.queue, 10),
        lock: turns(last.lock, 10),
        hung: turns(last.hung, if last.hung { 5 } else { 50 }),
        busy: turns(last.busy, 6),
        settled: turns(last.settled, 4),
        events: (turns(false, 20), turns(false, 20)),
        takes: turns(false, 2) && inputs.write.is_some_and(|write| is_of_dma(write.0)),
        word: inputs
            .read
            .filter(|at| is_of_dma(*at))
            .map(|_| rng.random()),
        bits: [0x0fff_f318, 0x7000, 0x03ff_0000].map(|mask| rng.random::<u32>() & mask),
    }
}

pub fn drive(dut: &mut Dut, dma: &CsrDma, rng: &mut ChaCha8Rng) {
    for (name, bit) in [
        ("dma_takes_i", dma.takes),
        ("dma_known_i", dma.word.is_some()),
        ("dma_queue_i", dma.queue),
        ("dma_lock_i", dma.lock),
        ("dma_hung_i", dma.hung),
        ("dma_busy_i", dma.busy),
        ("dma_settled_i", dma.settled),
        ("dma_done_i", dma.events.0),
        ("dma_emptied_i", dma.events.1),
    ] {
        dut.set(name, bit);
    }
    dut.set("dma_word_i", dma.word.unwrap_or(rng.random()));
    dut.set("dma_flags_i", dma.bits[0]);
    dut.set("dma_error_i", dma.bits[1]);
    dut.set("dma_index_i", dma.bits[2] >> 16);
}

/// What a test must have seen.
pub fn watch(coverage: &mut Coverage, inputs: &CsrInputs, outputs: &CsrOutputs, dma: &CsrDma) {
    let ctrl = inputs.write.filter(|write| write.0 == 0x14 && write.2);
    let ctrl = ctrl.filter(|_| !outputs.resetting && !inputs.running && !inputs.error);
    let only = |bits: u32| ctrl.is_some_and(|write| write.1 & 0x13 == bits);
    let rests = !dma.hung && !dma.queue && !dma.busy;
    coverage.event("START", only(1) && rests);
    coverage.event("START with the queue on", only(1) && dma.queue && !dma.hung);
    coverage.event("START and QUEUE", only(0x11) && rests);
    coverage.event("START while hung", only(1) && dma.hung && !dma.queue);
    coverage.event(
        "START while the DMA works",
        only(1) && dma.busy && !dma.queue && !dma.hung,
    );
    coverage.event("QUEUE while hung", only(0x10) && dma.hung);
    coverage.event("RESET while hung", only(0x12) && dma.hung);
    coverage.event(
        "a write of CTRL is refused",
        ctrl.is_some() && outputs.ctrl.is_none(),
    );
    coverage.event("a reset waits", outputs.resetting && !dma.settled);
    coverage.event("the DMA takes a write", dma.takes);
    coverage.event("the DMA has the word", dma.word.is_some());
    coverage.event("emptied while its bit is cleared", {
        let clears = { inputs.write }.is_some_and(|write| write.0 == 0x2c && write.1 & 4 != 0);
        dma.events.1 && clears
    });
    let port = |region: u32| {
        let writes = { inputs.write }.is_some_and(|write| write.0 == 0x48 && write.2);
        writes && !inputs.running && dma.busy && outputs.port_addr >> 29 == region
    };
    coverage.event("row tables while the DMA works", port(7));
    coverage.event("state buffer while the DMA works", port(6));
}

/// Rules and bits of the half, left out or done otherwise.
pub const FAULTS: &str = "
    // When a write is taken.
    heddle_csr: running | error_i | dma_queue_i | => running | error_i |
    heddle_csr: | dma_hung_i | ctrl_queue | => | ctrl_queue |
    heddle_csr: | dma_hung_i | ctrl_queue | => | dma_hung_i |
    heddle_csr: rests = 1'b1 => rests = 1'b0
    heddle_csr: ctrl_queue & (error_i | dma_hung_i) => ctrl_queue & error_i
    heddle_csr: ctrl_queue & (error_i | dma_hung_i) => ctrl_queue & dma_hung_i
    heddle_csr: if (no_queue & !ctrl_reset) => if (no_queue)
    heddle_csr: working = running | dma_busy_i => working = running
    heddle_csr: !takes & !dma_takes_i => !takes
    // What it does.
    heddle_csr: if (!dma_settled_i) reset_left_q <= reset_left_q; =>
    heddle_csr: ctrl_valid_o = takes & => ctrl_valid_o = write_i &
    heddle_csr: ctrl_lock = write_data_i[8] => ctrl_lock = write_data_i[9]
    heddle_csr: events[0] = dma_done_i => events[0] = done_i & !done_q
    heddle_csr: events[3] = dma_emptied_i => events[3] = 1'b0
    heddle_csr: cleared[3] = takes & => cleared[3] = write_i &
    // What is read.
    heddle_csr: dma_lock_i, 3'd0, dma_queue_i => dma_queue_i, 3'd0, dma_lock_i
    heddle_csr: selected | dma_flags_i => selected
    heddle_csr: selected | dma_error_i => dma_error_i
    heddle_csr: dma_index_i, 16'd0 => dma_index_i, 16'd1
    heddle_csr: happened_q[3], selected[1:0] => 1'b0, selected[1:0]
    heddle_csr: selected = dma_word_i => selected = 32'd0
";
