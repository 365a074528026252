//! The results buffer whose stored sums enter the array at the top.

use std::collections::VecDeque;
use std::sync::LazyLock;

use heddle_hdl::buffer::ResultsBuffer;
use heddle_sim::buffer::{PsumBufferModel, ResultSlot, SumSlot};
use heddle_tb::verilate::Sources;
use rand::Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

const DEPTH: usize = 16;

static PSUMS_4: LazyLock<Sources> =
    LazyLock::new(|| emitted(ResultsBuffer::new(4, DEPTH).with_sums_at_top()));

/// Random slots on few addresses, at the top and at the foot; sums of every column at once.
fn random_psums(sources: &Sources, cols: usize, seed: u64) -> Checked<Coverage> {
    let mut dut = Dut::new(sources, seed);
    let mut model = PsumBufferModel::new(cols, DEPTH);
    let mut rng = dut.rng();
    let mut coverage = Coverage::default();
    // What the foot has stored in the cycles before, newest first.
    let mut stores: VecDeque<Option<(bool, u16)>> = VecDeque::from([None; 4]);
    for cycle in 0..6000 {
        let fill = cycle < 2 * DEPTH;
        let mut foot = ResultSlot {
            valid: rng.random_bool(0.8),
            bank: rng.random(),
            address: rng.random_range(0..3),
            add: false,
            sum_enable: rng.random_bool(0.9),
            write: rng.random_bool(0.7),
        };
        let mut top = SumSlot {
            read: rng.random_bool(0.7),
            bank: rng.random(),
            address: rng.random_range(0..3),
        };
        if fill {
            foot.bank = cycle % 2 == 1;
            foot.address = (cycle / 2) as u16;
            (foot.valid, foot.sum_enable, foot.write) = (true, true, true);
            top.read = false;
        }
        let sums: Vec<i32> = (0..cols).map(|_| rng.random()).collect();
        dut.set("add_i", top.read);
        dut.set("add_bank_i", top.bank);
        dut.set("add_addr_i", top.address);
        dut.set("valid_i", foot.valid);
        dut.set("bank_i", foot.bank);
        dut.set("addr_i", foot.address);
        dut.set("sum_en_i", foot.sum_enable);
        dut.set("write_i", foot.write);
        dut.set_all("sum_i", sums.iter().map(|s| *s as u64));
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
        stores.pop_back();
        stores.push_front((taken.valid && foot.write).then_some((foot.bank, foot.address)));
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
        heddle_psum_column: if (read_q) psum_q <= ram_rdata; => psum_q <= ram_rdata;
        // A slot for post overwrites what is stored.
        heddle_psum_column: valid_q & write_q => valid_q
        // The bank at the top is that at the foot, in the next column.
        heddle_psum_column: read_bank_q <= read_bank_i => read_bank_q <= bank_i";
    check_mutants(&PSUMS_4, &faults(mutants), |sources, seed| {
        random_psums(sources, 4, seed)
    });
}
