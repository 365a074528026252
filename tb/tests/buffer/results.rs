//! The results buffer.

use std::sync::LazyLock;

use heddle_hdl::buffer::ResultsBuffer;
use heddle_sim::buffer::{ResultSlot, ResultsBufferModel};
use heddle_tb::verilate::Sources;
use rand::Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

const DEPTH: usize = 16;

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
            address: match rng.random_bool(0.9) {
                true => rng.random_range(0..3),
                false => rng.random_range(0..DEPTH as u16),
            },
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
