//! Banks whose outputs several users share.

use heddle_tb::verilate::Sources;

use super::bench::{STATE_3, StateBench, operand, shape_3, weight};
use super::clients::{FILLED, contents};
use crate::rtl::{Checked, check_mutants, faults};

const CLOCKS: usize = 60;

/// In every clock each row reads an operand from one bank and a weight word from the other; in the next clock
/// the banks change. Both users of a row get what the bank of their address holds.
fn two_banks_for_each_user(sources: &Sources) -> Checked {
    let mut bench = StateBench::new(sources, 3, shape_3(), 1)?;
    let bank = bench.shape.words_per_bank;
    let words = 2 * bank;
    let memory = contents(&mut bench)?;
    // Of the operand and the weights of a clock.
    let place = |clock: usize| (clock % 2 * bank + clock / 2 % bank, (clock + 1) % 2 * bank);
    let mut from_banks = [[false; 2]; 2];
    for clock in 0..CLOCKS {
        let (read, loaded) = place(clock);
        let mut inputs = bench.idle();
        inputs.operand = operand((8 * read + clock % 8) as u16, 3);
        inputs.weight = weight(8 * loaded as u16, 3);
        // The bench compares these with the outputs of the hardware.
        let outputs = bench.step(&inputs)?;
        let reads = outputs.events.mask_reads;
        if clock >= FILLED as usize && reads != 6 {
            return Err(format!("clock {clock}: {reads} reads of three rows"));
        }
        for row in 0..3 {
            if let Some(slot) = clock.checked_sub(9 + row) {
                let (word, _) = place(slot);
                let byte = memory[row * words + word].to_le_bytes()[slot % 8];
                let operand = i16::from(byte as i8);
                let found = outputs.nz[row].then(|| outputs.x[row]).flatten();
                if found != (operand != 0).then_some(operand) {
                    return Err(format!("clock {clock}, row {row}: operand {found:?}"));
                }
                from_banks[0][word / bank] |= operand != 0;
            }
            if let Some(slot) = clock.checked_sub(6 + row) {
                let (_, word) = place(slot);
                let expected = memory[row * words + word];
                if outputs.w[row] != Some(expected) {
                    return Err(format!("clock {clock}, row {row}: {:?}", outputs.w[row]));
                }
                from_banks[1][word / bank] |= expected != 0;
            }
        }
    }
    match from_banks {
        [[true, true], [true, true]] => Ok(()),
        _ => Err(format!("a bank has given nothing: {from_banks:?}")),
    }
}

#[proves("PET-49", "PET-52", "PET-53")]
#[test]
fn every_user_of_a_partition_gets_the_outputs_of_both_banks() {
    two_banks_for_each_user(&STATE_3).unwrap();
    let list = r"
        // Users see the first bank alone; the bank is chosen by the slot behind.
        heddle_word_mux_b2_: select_i[1] ? word_i[127:64] => 1'b0 ? word_i[127:64]
        heddle_banks: {op_read_q[9], op_read_q[4]} => {op_read_q[8], op_read_q[3]}";
    check_mutants(&STATE_3, &faults(list), |sources, _| {
        two_banks_for_each_user(sources)
    });
}
