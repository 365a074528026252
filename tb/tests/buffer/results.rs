//! The results buffer, its stored sums at the foot of the array or at its top.

use std::sync::LazyLock;

use heddle_hdl::buffer::ResultsBuffer;
use heddle_sim::buffer::{PsumBufferModel, ResultSlot, ResultsBufferModel, SumSlot};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds, unchecked};

const COLS: usize = 4;
const DEPTH: usize = 16;

fn design(at_top: bool, raises: bool) -> Sources {
    emitted(ResultsBuffer::new(COLS, DEPTH, at_top, raises))
}

// Sums come back sooner than any program lets them.
static PSUMS_4: LazyLock<Sources> = LazyLock::new(|| unchecked(design(true, false)));
static RESULTS_4: LazyLock<Sources> = LazyLock::new(|| design(false, false));
static RAISED_PSUMS_4: LazyLock<Sources> = LazyLock::new(|| unchecked(design(true, true)));
static RAISED_RESULTS_4: LazyLock<Sources> = LazyLock::new(|| design(false, true));

/// Random slots on few addresses; the first ones fill the memory. If the design can raise sums, it raises some.
fn random_slot(rng: &mut ChaCha8Rng, cycle: usize, raises: bool) -> ResultSlot {
    if cycle < 2 * DEPTH {
        return ResultSlot {
            valid: true,
            bank: cycle % 2 == 1,
            address: (cycle / 2) as u16,
            add: false,
            sum_enable: true,
            write: true,
            raised: raises && cycle % 3 == 0,
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
        raised: raises && rng.random_bool(0.4),
    }
}

/// Drives a slot and sums of every column at once, which it gives.
fn drive(dut: &mut Dut, slot: &ResultSlot, raises: bool, rng: &mut ChaCha8Rng) -> Vec<i32> {
    let sums: Vec<i32> = (0..COLS).map(|_| rng.random()).collect();
    if raises {
        dut.set("raised_i", slot.raised);
    }
    dut.set("valid_i", slot.valid);
    dut.set("bank_i", slot.bank);
    dut.set("addr_i", slot.address);
    dut.set("sum_en_i", slot.sum_enable);
    dut.set("write_i", slot.write);
    dut.set_all("sum_i", sums.iter().map(|s| *s as u64));
    sums
}

fn random_results(sources: &Sources, raises: bool, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut model = ResultsBufferModel::new(COLS, DEPTH);
    let mut rng = dut.rng();
    let mut coverage = Coverage::default();
    // Slots of the last cycles that store, newest first.
    let mut stores: [Option<(bool, u16)>; 4] = [None; 4];
    for cycle in 0..6000 {
        let slot = random_slot(&mut rng, cycle, raises);
        let sums = drive(&mut dut, &slot, raises, &mut rng);
        dut.set("add_i", slot.add);
        dut.settle();
        for (c, acc) in model.step(&slot, &sums).into_iter().enumerate() {
            if let Some(acc) = acc {
                dut.check_element("acc_o", c, COLS, acc as u64)?;
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
        if raises {
            let raised = slot.valid && slot.raised;
            coverage.event("sum raised above a stored one", raised && adds);
            coverage.event("flag without a sum", raised && !slot.sum_enable);
        }
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
    run_seeds(|seed| random_results(&RESULTS_4, false, seed));
    run_seeds(|seed| random_results(&RAISED_RESULTS_4, true, seed));
}

#[test]
fn faults_of_the_results_are_noticed() {
    let mutants = r"
        heddle_result_column: valid_q & write_q & (slot_addr => valid_q & (slot_addr
        heddle_result_column: store = sums_q & sums_write_q => store = sums_q
        heddle_result_column: is_last_q[1] => is_last_q[0]";
    check_mutants(&RESULTS_4, &faults(mutants), |sources, seed| {
        random_results(sources, false, seed)
    });
}

#[test]
fn faults_of_raised_sums_are_noticed() {
    let mutants = r"
        heddle_result_column: if (sums_sum_en_q & sums_raised_q) => if (sums_raised_q)
        heddle_result_column: 17'h10000 => 17'h00000
        heddle_result_column: sums_raised_q <= raised_q => sums_raised_q <= raised_i";
    check_mutants(&RAISED_RESULTS_4, &faults(mutants), |sources, seed| {
        random_results(sources, true, seed)
    });
    let mutants = r"
        heddle_psum_column: 17'h10000 => 17'h00000
        heddle_psum_column: raised_q <= raised_i => raised_q <= write_i";
    check_mutants(&RAISED_PSUMS_4, &faults(mutants), |sources, seed| {
        random_psums(sources, true, seed)
    });
}

/// Random slots on few addresses, at the top and at the foot; sums of every column at once.
fn random_psums(sources: &Sources, raises: bool, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut model = PsumBufferModel::new(COLS, DEPTH);
    let mut rng = dut.rng();
    let mut coverage = Coverage::default();
    // What the foot has stored in the cycles before, newest first.
    let mut stores: [Option<(bool, u16)>; 4] = [None; 4];
    for cycle in 0..6000 {
        let foot = random_slot(&mut rng, cycle, raises);
        let top = SumSlot {
            read: cycle >= 2 * DEPTH && rng.random_bool(0.7),
            bank: rng.random(),
            address: rng.random_range(0..3),
        };
        let sums = drive(&mut dut, &foot, raises, &mut rng);
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
                dut.check_element("psum_o", c, COLS, psum as u64)?;
            }
            if let Some(acc) = acc {
                dut.check_element("acc_o", c, COLS, acc as u64)?;
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

#[proves("PET-57")]
#[test]
fn a_results_buffer_with_sums_at_the_top_follows_its_model() {
    run_seeds(|seed| random_psums(&PSUMS_4, false, seed));
    run_seeds(|seed| random_psums(&RAISED_PSUMS_4, true, seed));
}

#[proves("PET-57")]
#[test]
fn faults_of_sums_at_the_top_are_noticed() {
    let mutants = r"
        // A slot that does not read takes the sum that was read last.
        heddle_psum_column: if (read_valid_q) psum_q <= ram_rdata; => psum_q <= ram_rdata;
        // A slot for post overwrites what is stored.
        heddle_psum_column: valid_q & write_q => valid_q
        // The bank at the top is that at the foot, in the next column.
        heddle_psum_column: read_bank_q <= read_bank_i => read_bank_q <= bank_i";
    check_mutants(&PSUMS_4, &faults(mutants), |sources, seed| {
        random_psums(sources, false, seed)
    });
}
