//! The results buffer, its stored sums at the foot of the array or at its top.

use std::sync::LazyLock;

use heddle_hdl::buffer::ResultsBuffer;
use heddle_sim::buffer::{PsumBufferModel, ResultSlot, ResultsBufferModel, SumSlot};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

const DEPTH: usize = 16;

static PSUMS_4: LazyLock<Sources> = LazyLock::new(|| emitted(ResultsBuffer::new(4, DEPTH, true)));
static RESULTS_4: LazyLock<Sources> =
    LazyLock::new(|| emitted(ResultsBuffer::new(4, DEPTH, false)));

/// Random slots on few addresses; the first ones fill the memory.
fn random_slot(rng: &mut ChaCha8Rng, cycle: usize) -> ResultSlot {
    if cycle < 2 * DEPTH {
        return ResultSlot {
            valid: true,
            bank: cycle % 2 == 1,
            address: (cycle / 2) as u16,
            add: false,
            sum_enable: true,
            write: true,
        };
    }
    ResultSlot {
        valid: rng.random_bool(0.8),
        bank: rng.random(),
        address: match rng.random_bool(0.9) {
            true => rng.random_range(0..3),
            false => rng.random_range(0..DEPTH as u16),
        },
        add: rng.random_bool(0.7),
        sum_enable: rng.random_bool(0.8),
        write: rng.random_bool(0.7),
    }
}

/// Drives a slot and sums of every column at once, which it gives.
fn drive(dut: &mut Dut, slot: &ResultSlot, cols: usize, rng: &mut ChaCha8Rng) -> Vec<i32> {
    let sums: Vec<i32> = (0..cols).map(|_| rng.random()).collect();
    dut.set("valid_i", slot.valid);
    dut.set("bank_i", slot.bank);
    dut.set("addr_i", slot.address);
    dut.set("sum_en_i", slot.sum_enable);
    dut.set("write_i", slot.write);
    dut.set_all("sum_i", sums.iter().map(|s| *s as u64));
    sums
}

fn random_results(sources: &Sources, cols: usize, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut model = ResultsBufferModel::new(cols, DEPTH);
    let mut rng = dut.rng();
    let mut coverage = Coverage::default();
    // Slots of the last cycles that store, newest first.
    let mut stores: [Option<(bool, u16)>; 4] = [None; 4];
    for cycle in 0..6000 {
        let slot = random_slot(&mut rng, cycle);
        let sums = drive(&mut dut, &slot, cols, &mut rng);
        dut.set("add_i", slot.add);
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
fn results_buffer_follows_its_model() {
    run_seeds(|seed| random_results(&RESULTS_4, 4, seed));
}

#[test]
fn faults_of_the_results_are_noticed() {
    let mutants = r"
        heddle_result_column: valid_q & write_q & (slot_addr => valid_q & (slot_addr
        heddle_result_column: store = sums_q & sums_write_q => store = sums_q
        heddle_result_column: is_last_q[1] => is_last_q[0]";
    check_mutants(&RESULTS_4, &faults(mutants), |sources, seed| {
        random_results(sources, 4, seed)
    });
}

/// Random slots on few addresses, at the top and at the foot; sums of every column at once.
fn random_psums(sources: &Sources, cols: usize, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut model = PsumBufferModel::new(cols, DEPTH);
    let mut rng = dut.rng();
    let mut coverage = Coverage::default();
    // What the foot has stored in the cycles before, newest first.
    let mut stores: [Option<(bool, u16)>; 4] = [None; 4];
    for cycle in 0..6000 {
        let foot = random_slot(&mut rng, cycle);
        let top = SumSlot {
            read: cycle >= 2 * DEPTH && rng.random_bool(0.7),
            bank: rng.random(),
            address: rng.random_range(0..3),
        };
        let sums = drive(&mut dut, &foot, cols, &mut rng);
        dut.set("add_i", top.read);
        dut.set("add_bank_i", top.bank);
        dut.set("add_addr_i", top.address);
        dut.settle();
        let taken = ResultSlot {
            valid: foot.valid && foot.sum_enable,
            ..foot
        };
        let (psums, results) = model.step(&top, &taken, &sums);
        for (c, (psum, acc)) in psums.into_iter().zip(results).enumerate() {
            if let Some(psum) = psum {
                dut.check_element("psum_o", c, cols, psum as u64)?;
            }
            if let Some(acc) = acc {
                dut.check_element("acc_o", c, cols, acc as u64)?;
            }
        }
        dut.clock();

        let place = Some((top.bank, top.address)).filter(|_| top.read);
        let stored = |distance: usize| place.is_some() && stores[distance - 1] == place;
        coverage.event("sum read while it is written", stored(1));
        coverage.event("sum read in the cycle behind", stored(2) && !stored(1));
        coverage.event("sum of the other bank written meanwhile", {
            top.read && stores[0] == Some((!top.bank, top.address))
        });
        coverage.event("slot that stores nothing", taken.valid && !foot.write);
        coverage.event("slot without a sum", foot.valid && !foot.sum_enable);
        coverage.event("read behind a slot that does not", top.read && !foot.valid);
        stores.rotate_right(1);
        stores[0] = (taken.valid && foot.write).then_some((foot.bank, foot.address));
    }
    Ok(coverage)
}

#[test]
fn pet_57_a_results_buffer_with_sums_at_the_top_follows_its_model() {
    run_seeds(|seed| random_psums(&PSUMS_4, 4, seed));
}

#[test]
fn pet_57_faults_of_sums_at_the_top_are_noticed() {
    let mutants = r"
        // A slot that does not read takes the sum that was read last.
        heddle_psum_column: if (read_valid_q) psum_q <= ram_rdata; => psum_q <= ram_rdata;
        // A slot for post overwrites what is stored.
        heddle_psum_column: valid_q & write_q => valid_q
        // The bank at the top is that at the foot, in the next column.
        heddle_psum_column: read_bank_q <= read_bank_i => read_bank_q <= bank_i";
    check_mutants(&PSUMS_4, &faults(mutants), |sources, seed| {
        random_psums(sources, 4, seed)
    });
}
