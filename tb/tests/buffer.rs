//! The emitted state buffer and results buffer against their golden models, every output in
//! every cycle.

mod rtl;

use std::sync::LazyLock;

use heddle_hdl::buffer::{Partition, ResultsBuffer, StateBuffer};
use heddle_hdl::sliced::SlicedShape;
use heddle_sim::buffer::{
    DrainWord, Events, HostRequest, OperandSlot, PartitionShape, ResultSlot, ResultsBufferModel,
    StateBufferInputs, StateBufferModel, StateBufferOutputs, WeightSlot,
};
use heddle_sim::sliced::{Layout, MaskPlace, Network};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rtl::{Checked, Coverage, Dut, check_mutants, emitted, run_seeds};

const DEPTH: usize = 16;

static RESULTS_1: LazyLock<Sources> = LazyLock::new(|| emitted(ResultsBuffer::new(1, DEPTH)));
static RESULTS_4: LazyLock<Sources> = LazyLock::new(|| emitted(ResultsBuffer::new(4, DEPTH)));

/// Random slots on few addresses; sums of every column at once.
fn random_results(sources: &Sources, cols: usize, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut model = ResultsBufferModel::new(cols, DEPTH);
    let mut rng = dut.rng();
    let mut coverage = Coverage::default();
    // Slots of the last cycles that store, newest first; the first slots fill the memory.
    let mut stores: [Option<(bool, u16)>; 4] = [None; 4];
    for cycle in 0..6000 {
        let fill = cycle < 2 * DEPTH;
        let mut slot = ResultSlot {
            valid: fill || rng.random_bool(0.8),
            bank: rng.random(),
            address: rng.random_range(0..3),
            add: rng.random_bool(0.7),
            sum_enable: rng.random_bool(0.8),
            write: rng.random_bool(0.7),
        };
        if fill {
            slot = ResultSlot {
                bank: cycle % 2 == 1,
                address: (cycle / 2) as u16,
                add: false,
                sum_enable: true,
                write: true,
                ..slot
            };
        }
        let sums: Vec<i32> = (0..cols).map(|_| rng.random()).collect();
        dut.set("valid_i", slot.valid);
        dut.set("bank_i", slot.bank);
        dut.set("addr_i", slot.address);
        dut.set("add_i", slot.add);
        dut.set("sum_en_i", slot.sum_enable);
        dut.set("write_i", slot.write);
        dut.set_all("sum_i", sums.iter().map(|s| *s as u64));
        dut.settle();
        for (c, acc) in model.step(&slot, &sums).into_iter().enumerate() {
            if let Some(acc) = acc {
                dut.check_element("acc_o", c, cols, acc as u64)?;
            }
        }
        dut.clock();

        let place = (slot.bank, slot.address);
        let adds = slot.valid && slot.add;
        let same = |distance: usize| adds && stores[distance - 1] == Some(place);
        coverage.event("same address one slot later", same(1));
        coverage.event("same address two slots later", same(2) && !same(1));
        coverage.event(
            "same address three slots later",
            same(3) && !same(2) && !same(1),
        );
        coverage.event("same address one and two slots later", same(1) && same(2));
        coverage.event("same address in the other bank", {
            adds && stores[0] == Some((!slot.bank, slot.address))
        });
        coverage.event("slot that stores nothing", slot.valid && !slot.write);
        coverage.event("epilogue slot", adds && !slot.sum_enable && !slot.write);
        coverage.event("empty slot with flags", !slot.valid && slot.write);
        stores.rotate_right(1);
        stores[0] = (slot.valid && slot.write).then_some(place);
    }
    Ok(coverage)
}

#[test]
fn one_results_column_follows_its_model() {
    run_seeds(|seed| random_results(&RESULTS_1, 1, seed));
}

#[test]
fn results_buffer_follows_its_model() {
    run_seeds(|seed| random_results(&RESULTS_4, 4, seed));
}

/// Banks of 16 words whose first slice has `first` bytes.
fn shape(banks: usize, first: usize) -> PartitionShape {
    PartitionShape::new(banks, 16, &[first, 8 - first])
}

/// The partition on its own.
fn shape_1() -> PartitionShape {
    shape(4, 5)
}

/// Each of three partitions in a chain.
fn shape_3() -> PartitionShape {
    shape(2, 4)
}

static PARTITION: LazyLock<Sources> = LazyLock::new(|| partition(&shape_1()));
static STATE_3: LazyLock<Sources> = LazyLock::new(|| {
    let s = shape_3();
    emitted(StateBuffer::new(3, s.banks, &bank(&s)))
});

fn partition(shape: &PartitionShape) -> Sources {
    emitted(Partition::new(shape.banks, &bank(shape)))
}

/// The bank that the layout describes.
fn bank(shape: &PartitionShape) -> SlicedShape {
    use heddle_hdl::sliced::{MaskPlace as Place, Network as Moves};
    let layout = &shape.layout;
    SlicedShape {
        unit_bits: layout.unit_bits,
        mask: match layout.mask {
            MaskPlace::Slice => Place::Slice,
            MaskPlace::Field => Place::Field,
            MaskPlace::Hybrid => Place::Hybrid,
        },
        network: match layout.network {
            Network::Full => Moves::Full,
            Network::Half => Moves::Half,
            Network::Split => Moves::Split,
        },
        exact: layout.exact,
        right: layout.right,
        access_threshold: layout.access_threshold,
        plain: layout.plain,
        ..SlicedShape::new(shape.words_per_bank, layout.widths.clone())
    }
}

/// Design and model side by side. A single partition has further ports: what a chain connects.
struct StateBench {
    dut: Dut,
    model: StateBufferModel,
    rows: usize,
    shape: PartitionShape,
}

impl StateBench {
    /// The buffer with every word written once through the drain port.
    fn new(sources: &Sources, rows: usize, shape: PartitionShape, seed: u64) -> Checked<Self> {
        let mut bench = Self {
            dut: Dut::new(sources, seed),
            model: StateBufferModel::new(rows, shape.clone()),
            rows,
            shape,
        };
        let mut rng = bench.dut.rng();
        // Slots that mean nothing, until the waves hold known values everywhere.
        for _ in 0..rows + 8 {
            let idle = bench.idle();
            bench.drive(&idle);
            bench.model.step(&idle);
            bench.dut.clock();
        }
        for word in 0..(bench.shape.banks * bench.shape.words_per_bank) as u16 {
            let mut inputs = bench.idle();
            for drain in &mut inputs.drain {
                *drain = Some(DrainWord {
                    word,
                    data: random_word(&mut rng),
                });
            }
            bench.step(&inputs)?;
        }
        for _ in 0..rows + 4 {
            let idle = bench.idle();
            bench.step(&idle)?;
        }
        Ok(bench)
    }

    fn idle(&self) -> StateBufferInputs {
        StateBufferInputs {
            drain: vec![None; self.rows],
            ..StateBufferInputs::default()
        }
    }

    fn drive(&mut self, inputs: &StateBufferInputs) {
        let dut = &mut self.dut;
        dut.set("op_valid_i", inputs.operand.valid);
        dut.set("op_addr_i", inputs.operand.address);
        dut.set("op_rows_i", inputs.operand.rows);
        dut.set("op_thr_i", inputs.operand.threshold);
        dut.set("op_fresh_i", inputs.operand.fresh);
        dut.set("op_swap_i", inputs.operand.swap);
        dut.set("op_tag_i", inputs.operand.tag);
        dut.set("wt_valid_i", inputs.weight.valid);
        dut.set("wt_addr_i", inputs.weight.address);
        dut.set("wt_rows_i", inputs.weight.rows);
        let drain = || inputs.drain.iter();
        dut.set_all("dr_valid_i", drain().map(|d| d.is_some().into()));
        dut.set_all("dr_word_i", drain().map(|d| d.map_or(0, |d| d.word.into())));
        dut.set_all("dr_data_i", drain().map(|d| d.map_or(0, |d| d.data)));
        dut.set("host_valid_i", inputs.host.valid);
        dut.set("host_write_i", inputs.host.write);
        dut.set("host_partition_i", inputs.host.partition);
        dut.set("host_word_i", inputs.host.word);
        dut.set("host_data_i", inputs.host.data);
        let slices = self.shape.layout.slices();
        let counts = |all: &[u16; 8]| all.map(u64::from).into_iter().take(slices);
        if self.rows == 1 {
            dut.set("host_rvalid_i", inputs.answer.is_some());
            dut.set("host_rdata_i", inputs.answer.unwrap_or_default());
            dut.set("ev_mask_read_i", inputs.events.mask_reads);
            dut.set("ev_mask_write_i", inputs.events.mask_writes);
            dut.set_all("ev_slice_read_i", counts(&inputs.events.slice_reads));
            dut.set_all("ev_slice_write_i", counts(&inputs.events.slice_writes));
            dut.set("ev_zero_i", inputs.events.zero_operands);
        }
        dut.settle();
    }

    /// One clock cycle: drives both, compares all outputs.
    fn step(&mut self, inputs: &StateBufferInputs) -> Checked<StateBufferOutputs> {
        self.drive(inputs);
        let expected = self.model.step(inputs);
        let (dut, rows) = (&self.dut, self.rows);
        dut.check("op_valid_o", expected.operand.valid)?;
        dut.check("op_addr_o", expected.operand.address)?;
        dut.check("op_tag_o", expected.operand.tag)?;
        dut.check("host_rvalid_o", expected.answer.is_some())?;
        if let Some(answer) = expected.answer {
            dut.check("host_rdata_o", answer)?;
        }
        let events = expected.events;
        let slices = self.shape.layout.slices();
        let counts = |all: &[u16; 8]| all.map(u64::from).into_iter().take(slices);
        dut.check("ev_mask_read_o", events.mask_reads)?;
        dut.check("ev_mask_write_o", events.mask_writes)?;
        for (k, reads) in counts(&events.slice_reads).enumerate() {
            dut.check_element("ev_slice_read_o", k, slices, reads)?;
        }
        for (k, writes) in counts(&events.slice_writes).enumerate() {
            dut.check_element("ev_slice_write_o", k, slices, writes)?;
        }
        dut.check("ev_zero_o", events.zero_operands)?;
        for r in 0..rows {
            if let Some(x) = expected.x[r] {
                dut.check_element("x_o", r, rows, x as u64)?;
            }
            dut.check_element("nz_o", r, rows, expected.nz[r])?;
            dut.check_element("swap_o", r, rows, expected.swap[r])?;
            dut.check_element("shift_o", r, rows, expected.shift[r])?;
            if let Some(w) = expected.w[r] {
                dut.check_element("w_o", r, rows, w)?;
            }
        }
        if rows == 1 {
            check_waves(dut, &expected)?;
        }
        self.dut.clock();
        Ok(expected)
    }

    fn bank(&self, word: u16) -> usize {
        usize::from(word) / self.shape.words_per_bank
    }

    /// A word in one of the banks, often one of few.
    fn random_word_address(&self, bank: usize, rng: &mut ChaCha8Rng) -> u16 {
        let few = if rng.random_bool(0.8) {
            3
        } else {
            self.shape.words_per_bank
        };
        (bank * self.shape.words_per_bank + rng.random_range(0..few)) as u16
    }
}

/// Compares what a partition hands to the next one.
fn check_waves(dut: &Dut, expected: &StateBufferOutputs) -> Checked {
    dut.check("op_rows_o", expected.operand.rows)?;
    dut.check("op_thr_o", expected.operand.threshold)?;
    dut.check("op_fresh_o", expected.operand.fresh)?;
    dut.check("op_swap_o", expected.operand.swap)?;
    dut.check("wt_valid_o", expected.weight.valid)?;
    dut.check("wt_addr_o", expected.weight.address)?;
    dut.check("wt_rows_o", expected.weight.rows)?;
    dut.check("host_valid_o", expected.host.valid)?;
    dut.check("host_write_o", expected.host.write)?;
    dut.check("host_partition_o", expected.host.partition)?;
    dut.check("host_word_o", expected.host.word)?;
    dut.check("host_data_o", expected.host.data)
}

/// Events of the partitions before, up to the largest number.
fn random_events(rng: &mut ChaCha8Rng) -> Events {
    let mut count = || rng.random_range(0..1024);
    Events {
        mask_reads: count(),
        mask_writes: count(),
        slice_reads: std::array::from_fn(|_| count()),
        slice_writes: std::array::from_fn(|_| count()),
        zero_operands: count(),
    }
}

/// A byte or threshold, often one at an end of a range.
fn byte(rng: &mut ChaCha8Rng) -> u8 {
    match rng.random_range(0..3) {
        0 => [0, 1, 127, 128, 255][rng.random_range(0..5)],
        _ => rng.random(),
    }
}

/// A word with any number of zero bytes.
fn random_word(rng: &mut ChaCha8Rng) -> u64 {
    let density = rng.random_range(0.0..=1.0);
    let bytes = std::array::from_fn(|_| match rng.random_bool(density) {
        true => byte(rng),
        false => 0,
    });
    u64::from_le_bytes(bytes)
}

/// A machine at work: operands from one bank, weights from another, drains anywhere.
fn random_waves(bench: &mut StateBench, rng: &mut ChaCha8Rng, cov: &mut Coverage) -> Checked {
    let (rows, banks) = (bench.rows, bench.shape.banks);
    let mut address: u16 = 0;
    let mut threshold = 127;
    let mut active = rows as u16;
    let mut operand_bank = 0;
    let mut before = OperandSlot::default();
    let mut total = Events::default();
    for _ in 0..3000 {
        let mut inputs = bench.idle();
        let mut fresh = false;
        if rng.random_bool(0.03) {
            // Another instruction.
            threshold = byte(rng);
            active = rng.random_range(0..=rows as u16 + 1);
            operand_bank = rng.random_range(0..banks);
            fresh = true;
        }
        address = match rng.random_range(0..10) {
            0 => bench.random_word_address(operand_bank, rng) << 3 | rng.random_range(0..8),
            1 | 2 => address,
            _ if fresh => bench.random_word_address(operand_bank, rng) << 3,
            _ => {
                // The next byte, within the bank.
                let bank_bytes = (bench.shape.words_per_bank * 8) as u16;
                let base = operand_bank as u16 * bank_bytes;
                base + (address + 1) % bank_bytes
            }
        };
        if bench.bank(address >> 3) != operand_bank {
            address = bench.random_word_address(operand_bank, rng) << 3;
        }
        inputs.operand = OperandSlot {
            valid: rng.random_bool(0.85),
            address,
            rows: active,
            threshold,
            fresh: fresh || rng.random_bool(0.02),
            swap: rng.random_bool(0.1),
            tag: rng.random(),
        };
        if rng.random_bool(0.4) {
            let bank = (operand_bank + rng.random_range(1..banks)) % banks;
            inputs.weight = WeightSlot {
                valid: true,
                address: bench.random_word_address(bank, rng) << 3,
                rows: rng.random_range(0..=rows as u16 + 1),
            };
        }
        for drain in &mut inputs.drain {
            if rng.random_bool(0.3) {
                let word = match rng.random_range(0..3) {
                    0 => before.address >> 3,
                    _ => bench.random_word_address(rng.random_range(0..banks), rng),
                };
                *drain = Some(DrainWord {
                    word,
                    data: random_word(rng),
                });
            }
        }
        if rows == 1 {
            inputs.events = random_events(rng);
            inputs.answer = rng.random_bool(0.3).then(|| rng.random());
        }
        let slot = inputs.operand;
        let word = slot.address >> 3;
        let outputs = bench.step(&inputs)?;
        total = total.plus(outputs.events);

        let written = inputs.drain[0].map(|d| d.word);
        let reused = slot.is_active() && before.is_active() && before.address >> 3 == word;
        cov.event("word may be reused", reused && !slot.fresh);
        cov.event("same word in a fresh slot", reused && slot.fresh);
        cov.event(
            "word written in the cycle of its read",
            slot.is_active() && written == Some(word),
        );
        cov.event("kept word written", {
            before.is_active() && written == Some(before.address >> 3)
        });
        cov.event("empty slot with swap", !slot.valid && slot.swap);
        cov.event(
            "some rows active",
            slot.rows > 0 && slot.rows < rows as u16 || rows == 1,
        );
        cov.event("weights for some rows", {
            inputs.weight.valid && inputs.weight.rows < rows as u16
        });
        let operands = || outputs.x.iter().zip(&outputs.nz);
        let some = |test: fn(i16) -> bool| operands().any(|(x, nz)| *nz && x.is_some_and(test));
        cov.event("negative operand", some(|x| x < 0));
        cov.event("operand equal to a threshold of 127 or more", {
            threshold >= 127 && outputs.x.contains(&Some(i16::from(threshold)))
        });
        cov.event("operand above 127", some(|x| x > 127));
        cov.event(
            "operand held",
            operands().any(|(x, nz)| !*nz && x.is_some()),
        );
        before = slot;
    }
    cov.event("mask reads", total.mask_reads > 0);
    cov.event("zero operands", total.zero_operands > 0);
    Ok(())
}

/// A machine at rest: the host reads and writes, no waves.
fn random_host(bench: &mut StateBench, rng: &mut ChaCha8Rng, cov: &mut Coverage) -> Checked {
    let words = (bench.shape.banks * bench.shape.words_per_bank) as u16;
    for _ in 0..bench.rows + 8 {
        let idle = bench.idle();
        bench.step(&idle)?;
    }
    let mut last_write = None;
    for cycle in 0..1500 {
        let mut inputs = bench.idle();
        if rng.random_bool(0.8) {
            let word = if rng.random_bool(0.5) {
                rng.random_range(0..3)
            } else {
                rng.random_range(0..words)
            };
            inputs.host = HostRequest {
                valid: true,
                write: rng.random(),
                partition: rng.random_range(0..bench.rows as u8 + 1),
                word,
                data: random_word(rng),
            };
            let place = (inputs.host.partition, word, cycle);
            cov.event("host reads what it wrote a cycle ago", {
                !inputs.host.write && last_write == Some((place.0, place.1, cycle - 1))
            });
            cov.event("host access beyond the last row", {
                usize::from(inputs.host.partition) == bench.rows
            });
            if inputs.host.write {
                last_write = Some(place);
            }
        }
        if rng.random_bool(0.1) && inputs.host.write {
            // A drain word in the same cycle and bank of row 0 wins.
            let bank = bench.bank(inputs.host.word);
            inputs.drain[0] = Some(DrainWord {
                word: bench.random_word_address(bank, rng),
                data: random_word(rng),
            });
            cov.event("drain wins over the host", inputs.host.partition == 0);
        }
        let outputs = bench.step(&inputs)?;
        cov.event("host answer", outputs.answer.is_some());
    }
    for _ in 0..bench.rows + 8 {
        let idle = bench.idle();
        bench.step(&idle)?;
    }
    Ok(())
}

fn random_state(
    sources: &Sources,
    rows: usize,
    shape: PartitionShape,
    seed: u64,
) -> Checked<Coverage> {
    let mut bench = StateBench::new(sources, rows, shape, seed)?;
    let mut rng = bench.dut.rng();
    let mut coverage = Coverage::default();
    random_waves(&mut bench, &mut rng, &mut coverage)?;
    random_host(&mut bench, &mut rng, &mut coverage)?;
    random_waves(&mut bench, &mut rng, &mut coverage)?;
    Ok(coverage)
}

#[test]
fn one_partition_follows_its_model() {
    run_seeds(|seed| random_state(&PARTITION, 1, shape_1(), seed));
}

/// Raw and packed rows, no mask slice.
fn shape_hybrid() -> PartitionShape {
    PartitionShape {
        layout: Layout::new(16, [5, 3]).with_mask(MaskPlace::Hybrid),
        ..shape(2, 4)
    }
}

/// Three slices of half bytes, written exactly, packed to the right.
fn shape_halves() -> PartitionShape {
    let layout = Layout {
        unit_bits: 4,
        exact: true,
        right: true,
        access_threshold: 1,
        ..Layout::new(16, [3, 5, 8])
    };
    PartitionShape {
        layout,
        ..shape(2, 4)
    }
}

/// Layouts that differ in everything that a partition sees: mask, number of slices, units.
#[test]
fn spm_45_partitions_of_other_layouts_follow_their_models() {
    for shape in [shape_hybrid(), shape_halves()] {
        let sources = partition(&shape);
        run_seeds(|seed| random_state(&sources, 1, shape.clone(), seed));
    }
}

#[test]
fn spm_45_faults_of_other_layouts_are_noticed() {
    let mutants = [
        (
            "heddle_sliced_bank",
            "half_rmask_o[2*i] | half_rmask_o[2*i+1]",
            "half_rmask_o[2*i]",
        ),
        (
            "heddle_banks",
            "(bank_nz_o[n] & op_arrives_q[0])",
            "bank_nz_o[n]",
        ),
        (
            "heddle_partition",
            "ev_slice_read_i[10*i+:10]",
            "ev_slice_read_i[0+:10]",
        ),
    ];
    check_mutants(&partition(&shape_halves()), &mutants, |sources, seed| {
        random_state(sources, 1, shape_halves(), seed)
    });
}

#[test]
fn chain_of_partitions_follows_its_model() {
    run_seeds(|seed| random_state(&STATE_3, 3, shape_3(), seed));
}

#[test]
fn faults_are_noticed() {
    let mutants = [
        (
            "heddle_result_column",
            "is_last_q <= last_store",
            "is_last_q <= valid_q",
        ),
        (
            "heddle_result_column",
            "store_q <= last_store",
            "store_q <= valid_q",
        ),
    ];
    check_mutants(&RESULTS_4, &mutants, |sources, seed| {
        random_results(sources, 4, seed)
    });
    let mutants = [
        ("heddle_operand_reader", "& !kept_is_written", "& 1'b1"),
        ("heddle_operand_reader", "& !fresh_i", "& 1'b1"),
        ("heddle_operand_reader", "> thr_q", ">= thr_q"),
        (
            "heddle_operand_reader",
            "zero_q <= valid_q[2] & !is_nz",
            "zero_q <= !is_nz",
        ),
        (
            "heddle_operand_reader",
            "if (valid_q[2] & is_nz) x_q",
            "if (valid_q[2]) x_q",
        ),
        ("heddle_operand_reader", "kept_mask_q[3]", "kept_mask_q[2]"),
        ("heddle_partition", "op_rows_i - 9'd1", "op_rows_i"),
    ];
    check_mutants(&PARTITION, &mutants, |sources, seed| {
        random_state(sources, 1, shape_1(), seed)
    });
}
