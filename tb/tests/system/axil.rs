//! The AXI4-Lite slave against its golden model: random traffic on all five channels.

use heddle_hdl::system::Axil;
use heddle_sim::system::{AxilInputs, AxilModel, AxilOutputs};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, run_seeds};

/// How eager a channel is, in percent; changes from time to time.
struct Pace([u32; 5]);

impl Pace {
    fn new(rng: &mut ChaCha8Rng) -> Self {
        Self([(); 5].map(|()| [5, 40, 90, 100][rng.random_range(0..4)]))
    }

    fn goes(&self, channel: usize, rng: &mut ChaCha8Rng) -> bool {
        rng.random_range(0..100) < self.0[channel]
    }
}

/// A master: what it offers stays until it is taken.
#[derive(Default)]
struct Master {
    inputs: AxilInputs,
    /// Clocks since the reads and writes without an answer were taken whole.
    waits: [Option<u32>; 2],
}

impl Master {
    /// The inputs of the next clock.
    fn offer(&mut self, pace: &Pace, rng: &mut ChaCha8Rng) {
        let inputs = &mut self.inputs;
        inputs.running = rng.random_range(0..300) > 0;
        if inputs.aw.is_none() && pace.goes(0, rng) {
            inputs.aw = Some(rng.random_range(0..1 << 12));
        }
        if inputs.w.is_none() && pace.goes(1, rng) {
            let strobes = [0b1111, rng.random_range(0..16)][rng.random_range(0..2)];
            inputs.w = Some((rng.random(), strobes));
        }
        if inputs.ar.is_none() && pace.goes(3, rng) {
            inputs.ar = Some(rng.random_range(0..1 << 12));
        }
        inputs.b_ready = pace.goes(2, rng);
        inputs.r_ready = pace.goes(4, rng);
        inputs.word = rng.random();
    }

    /// What was taken is offered no more.
    fn taken(&mut self, outputs: &AxilOutputs) {
        let inputs = &mut self.inputs;
        let keeps = inputs.running;
        inputs.aw = inputs.aw.filter(|_| keeps && !outputs.aw_ready);
        inputs.w = inputs.w.filter(|_| keeps && !outputs.w_ready);
        inputs.ar = inputs.ar.filter(|_| keeps && !outputs.ar_ready);
    }
}

fn drive(dut: &mut Dut, inputs: &AxilInputs, rng: &mut ChaCha8Rng) {
    dut.set("rst_n", inputs.running);
    dut.set("aw_valid_i", inputs.aw.is_some());
    dut.set("w_valid_i", inputs.w.is_some());
    dut.set("ar_valid_i", inputs.ar.is_some());
    // What is not offered may be anything.
    dut.set("aw_addr_i", inputs.aw.unwrap_or(rng.random()) & 0xfff);
    let (word, strobes) = inputs.w.unwrap_or((rng.random(), rng.random()));
    dut.set("w_data_i", word);
    dut.set("w_strb_i", strobes & 15);
    dut.set("ar_addr_i", inputs.ar.unwrap_or(rng.random()) & 0xfff);
    dut.set("b_ready_i", inputs.b_ready);
    dut.set("r_ready_i", inputs.r_ready);
    dut.set("word_i", inputs.word);
    dut.settle();
}

fn compare(dut: &Dut, outputs: &AxilOutputs) -> Checked {
    dut.check("aw_ready_o", outputs.aw_ready)?;
    dut.check("w_ready_o", outputs.w_ready)?;
    dut.check("b_valid_o", outputs.b_valid)?;
    dut.check("ar_ready_o", outputs.ar_ready)?;
    dut.check("r_valid_o", outputs.r.is_some())?;
    if let Some(word) = outputs.r {
        dut.check("r_data_o", word)?;
    }
    dut.check("write_o", outputs.write.is_some())?;
    if let Some((address, word, whole)) = outputs.write {
        dut.check("write_addr_o", address)?;
        dut.check("write_data_o", word)?;
        dut.check("write_whole_o", whole)?;
    }
    dut.check("read_o", outputs.read.is_some())?;
    if let Some(address) = outputs.read {
        dut.check("read_addr_o", address)?;
    }
    Ok(())
}

fn watch(
    coverage: &mut Coverage,
    inputs: &AxilInputs,
    outputs: &AxilOutputs,
    before: &AxilOutputs,
) {
    let aw = inputs.aw.is_some();
    let w = inputs.w.is_some();
    let taken = [aw && outputs.aw_ready, w && outputs.w_ready];
    coverage.event("address and word in one clock", taken == [true, true]);
    coverage.event("address first", taken[0] && !w && outputs.w_ready);
    coverage.event("word first", taken[1] && !aw && outputs.aw_ready);
    coverage.event(
        "address waits behind a write",
        aw && !outputs.aw_ready && outputs.b_valid,
    );
    coverage.event(
        "word waits for an address",
        w && !outputs.w_ready && outputs.aw_ready,
    );
    coverage.event(
        "answer to a write waits",
        outputs.b_valid && !inputs.b_ready,
    );
    coverage.event(
        "read waits behind a read",
        inputs.ar.is_some() && !outputs.ar_ready,
    );
    coverage.event(
        "word of a read waits",
        outputs.r.is_some() && !inputs.r_ready,
    );
    coverage.event(
        "write and read in one clock",
        outputs.write.is_some() && outputs.read.is_some(),
    );
    coverage.event(
        "some strobes are low",
        outputs.write.is_some_and(|write| !write.2),
    );
    coverage.event(
        "reset with a write under way",
        !inputs.running && before.write.is_some(),
    );
    coverage.event(
        "reset with a read under way",
        !inputs.running && before.read.is_some(),
    );
    coverage.event(
        "an answer is taken at once",
        outputs.b_valid && !before.b_valid && inputs.b_ready,
    );
}

fn random_traffic(sources: &Sources, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut rng = dut.rng();
    let (mut master, mut model) = (Master::default(), AxilModel::default());
    let mut coverage = Coverage::default();
    let mut pace = Pace::new(&mut rng);
    let mut before = AxilOutputs::default();
    let (mut writes, mut reads) = (0, 0);
    while writes + reads < 34_000 {
        if rng.random_range(0..50) == 0 {
            pace = Pace::new(&mut rng);
        }
        master.offer(&pace, &mut rng);
        let inputs = master.inputs;
        drive(&mut dut, &inputs, &mut rng);
        let outputs = model.step(&inputs);
        compare(&dut, &outputs)?;
        watch(&mut coverage, &inputs, &outputs, &before);
        writes += u32::from(inputs.running && outputs.b_valid && inputs.b_ready);
        reads += u32::from(inputs.running && outputs.r.is_some() && inputs.r_ready);
        answered_in_time(&mut master.waits, &inputs, &outputs)
            .map_err(|text| dut.message(&text))?;
        master.taken(&outputs);
        before = outputs;
        dut.clock();
    }
    assert!(
        writes > 5000 && reads > 5000,
        "{writes} writes, {reads} reads"
    );
    Ok(coverage)
}

/// An answer stands at most 4 clocks after the request was taken whole; said by the channels alone.
fn answered_in_time(
    waits: &mut [Option<u32>; 2],
    inputs: &AxilInputs,
    outputs: &AxilOutputs,
) -> Checked {
    let answered = [outputs.b_valid, outputs.r.is_some()];
    // A write is whole when neither of its parts can be taken any more.
    let whole = [!outputs.aw_ready && !outputs.w_ready, !outputs.ar_ready];
    for ((wait, answered), whole) in waits.iter_mut().zip(answered).zip(whole) {
        *wait = match inputs.running && whole && !answered {
            true => Some(wait.unwrap_or(0) + 1),
            false => None,
        };
        if wait.is_some_and(|clocks| clocks >= 4) {
            return Err("no answer in the fourth clock".into());
        }
    }
    Ok(())
}

#[proves("PET-65")]
#[test]
fn the_slave_follows_its_model() {
    let sources = emitted(Axil::default());
    run_seeds(|seed| random_traffic(&sources, seed));
}

#[test]
fn faults_of_the_slave_are_noticed() {
    let sources = emitted(Axil::default());
    let faults = [
        (
            "heddle_axil",
            "b_valid_q <= has_address_q & has_data_q",
            "b_valid_q <= has_address_q",
        ),
        (
            "heddle_axil",
            "has_address_q & has_data_q & !b_valid_q",
            "has_address_q & has_data_q",
        ),
        (
            "heddle_axil",
            "if (answers_q) r_data_q",
            "if (read_q) r_data_q",
        ),
        (
            "heddle_axil",
            "ar_ready_o = rst_n & !reads_q",
            "ar_ready_o = rst_n",
        ),
        (
            "heddle_axil",
            "w_ready_o = rst_n & !has_data_q",
            "w_ready_o = !has_data_q",
        ),
        ("heddle_axil", "&w_strb_i", "|w_strb_i"),
        (
            "heddle_axil",
            "(has_data_q | w_valid_i) & !(b_valid_q & b_ready_i)",
            "(has_data_q | w_valid_i) & !b_valid_q",
        ),
        (
            "heddle_axil",
            "if (aw_valid_i & !has_address_q)",
            "if (aw_valid_i)",
        ),
    ];
    check_mutants(&sources, &faults, random_traffic);
}
