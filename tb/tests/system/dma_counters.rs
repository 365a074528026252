//! The counters of the DMA against what their golden model promises: events at random, reads at all times.

use heddle_hdl::system::DmaCounters;
use heddle_sim::system::{COUNTERS, CountersInputs, CountersModel};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

const CLOCKS: u64 = 40_000;
/// Clocks from one read to the next at least.
const GAP: u64 = 3;

/// How often things happen, for some clocks.
#[derive(Default)]
struct Phase {
    left: u32,
    /// Probability of an event of each counter.
    events: [f64; COUNTERS],
    read: f64,
    clear: f64,
    /// The place that is read, else any.
    place: Option<usize>,
}

impl Phase {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        let mut often = || [0.0, 0.0, 0.1, 0.5, 1.0][rng.random_range(0..5)];
        Self {
            events: std::array::from_fn(|_| often()),
            read: often(),
            left: rng.random_range(20..300),
            clear: [0.0, 0.0, 0.05][rng.random_range(0..3)],
            place: rng.random_bool(0.3).then(|| rng.random_range(0..COUNTERS)),
        }
    }

    fn inputs(&self, may_read: bool, rng: &mut ChaCha8Rng) -> CountersInputs {
        let reads = may_read && rng.random_bool(self.read);
        let place = self.place.unwrap_or(rng.random_range(0..16));
        CountersInputs {
            alive: !rng.random_bool(0.0005),
            clear: rng.random_bool(self.clear),
            events: self.events.map(|often| rng.random_bool(often)),
            read: reads.then_some(place),
        }
    }
}

fn drive(dut: &mut Dut, inputs: &CountersInputs, rng: &mut ChaCha8Rng) {
    dut.set("rst_n", inputs.alive);
    dut.set("clear_i", inputs.clear);
    dut.set_all("event_i", inputs.events.map(u64::from).into_iter());
    dut.set("read_i", inputs.read.is_some());
    let place = inputs.read.unwrap_or(rng.random_range(0..16));
    dut.set("place_i", place as u64);
    dut.settle();
}

fn random_events(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut rng = dut.rng();
    let mut model = CountersModel::default();
    let mut coverage = Coverage::default();
    let mut phase = Phase::default();
    let mut expected = 0..=0;
    let mut since_read = 0;
    let mut cleared = false;
    for _ in 0..CLOCKS {
        if phase.left == 0 {
            phase = Phase::random(&mut rng);
        }
        phase.left -= 1;
        let inputs = phase.inputs(since_read + 1 >= GAP, &mut rng);
        drive(&mut dut, &inputs, &mut rng);
        let count = dut.get("count_o") as u32;
        if !expected.contains(&count) {
            return Err(dut.message(&format!("count_o is {count}, model has {expected:?}")));
        }
        let reads = inputs.alive && inputs.read.is_some();
        coverage.event(
            "a read while nothing is missing",
            *expected.start() > 100 && expected.start() == expected.end(),
        );
        coverage.event(
            "a read behind many events",
            *expected.end() > expected.start() + 12,
        );
        coverage.event("reads without a pause", reads && since_read + 1 == GAP);
        coverage.event(
            "a read of no counter",
            reads && inputs.read >= Some(COUNTERS),
        );
        coverage.event("a read and a clear", reads && inputs.clear);
        coverage.event("a read behind a clear of one clock", reads && cleared);
        cleared = inputs.clear && !cleared;
        expected = model.step(&inputs);
        since_read = if reads { 0 } else { since_read + 1 };
        dut.clock();
    }
    Ok(coverage)
}

#[proves("PET-62")]
#[test]
fn counters_of_the_dma_are_as_late_as_they_say() {
    run_seeds(|seed| random_events(&emitted(DmaCounters::default()), seed));
}

/// Turns, reads and clears that lose an event, count one twice, or come too late.
const FAULTS: &str = "
    heddle_dma_counters: !clear_i & (!read_i | adds_q) => !clear_i
    heddle_dma_counters: if (read_i) turn_q <= turn_q; =>
    heddle_dma_counters: if (read_i) last_q <= last_q; =>
    heddle_dma_counters: if (read_i) amount_q <= amount_q; =>
    heddle_dma_counters: holds_q <= holds_q; => holds_q <= is_used;
    heddle_dma_counters: pending_q[24:20] <= 5'd1; => pending_q[24:20] <= 5'd0;
    heddle_dma_counters: pending_q[14:10] <= pending_q[14:10] + 5'd1; => pending_q[14:10] <= 5'd1;
    heddle_dma_counters: events = pending_q[54:50]; => events = pending_q[49:45];
    heddle_dma_counters: used_q[3] | (writes & => used_q[3] | (1'b1 &
    heddle_dma_counters: read_i & is_known & !clear_i => read_i & !clear_i
    heddle_dma_counters: read_i & is_known & !clear_i => is_known & !clear_i
";

#[test]
fn faults_of_the_counters_are_noticed() {
    check_mutants(
        &emitted(DmaCounters::default()),
        &faults(FAULTS),
        random_events,
    );
}
