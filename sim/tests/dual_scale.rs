//! Sums of two parts, worked out by hand: one of each of two inputs, with a factor each.

use crate::machine::{params, programmed};
use heddle_arch::host::Counter;
use heddle_arch::isa::ErrorCode;
use heddle_arch::params::{Params, PartialSums};
use heddle_arch::requantise::{DualScale, Scale};
use heddle_sim::buffer::{ResultColumnModel, ResultInputs, ResultSlot};
use heddle_sim::machine::{Counters, Machine, MachineError};

fn dual(partial_sums: PartialSums) -> Params {
    let mut params = params();
    params.array.partial_sums = partial_sums;
    params.post.dual_scale = true;
    params
}

/// So many products of two K tiles, one for each input, with identity matrices as weights; results in word 8.
fn run(params: &Params, matmul: &str, drain: &str) -> (Machine, Result<Counters, MachineError>) {
    let text = format!(
        "load_weights rows=2 level=0 [row 0 base 128: 0..8 step 8, 0..16 step 8]
         drain columns=2 tile=0 lo=-128 hi=127 {drain} [row 0 base 64: 0..4 step 1]
         matmul rows=2 first last bank=0 level=0 threshold=127 macs=4 {matmul} [row 0 base 0] \
         [row 1 base 0: 0..4 step 1, 0..16 step 8]
         halt"
    );
    let (mut machine, _) = programmed(params, &text);
    let scales = [([1 << 15, 1 << 16], 17), ([1 << 9, 1 << 9], 17)];
    for ((column, (factors, shift)), bias) in (0..).zip(scales).zip([3, -2]) {
        machine.write_bias(column, 0, bias);
        let scale = DualScale::new(factors, shift).unwrap();
        machine.write_scale(column, 0, scale);
    }
    let bytes = |values: [i32; 4]| std::array::from_fn(|k| *values.get(k).unwrap_or(&0) as u8);
    for (word, values) in [
        (0, [[1, 2, 3, 4], [-128, 127, 0, 1]]),
        (1, [[10, -20, 30, -40], [127, -128, 1, 0]]),
        // Weights of the first and of the second input.
        (16, [[5, 0, 0, 0], [0, 64, 0, 0]]),
        (17, [[-7, 0, 0, 0], [0, -128, 0, 0]]),
    ] {
        for (partition, values) in (0..).zip(values) {
            machine.write_word(partition, word, bytes(values));
        }
    }
    let end = machine.run(0, 10_000);
    (machine, end)
}

#[test]
fn both_inputs_are_scaled_by_their_factors_and_rounded_once() {
    for partial_sums in [PartialSums::Foot, PartialSums::Top] {
        let params = dual(partial_sums);
        let (machine, end) = run(&params, "raised", "single dual");
        let (_, plain) = run(&params, "", "single");
        let cycles = [end, plain].map(|end| end.unwrap().get(Counter::Cycles));
        assert_eq!(cycles[0], cycles[1]);
        let results = [0, 1].map(|partition| machine.read_word(partition, 8).map(|b| b as i8));
        // (8, 13, 18, 23) / 4 + (-70, 140, -210, 280) / 2.
        assert_eq!(results[0], [-33, 73, -100, 127, 0, 0, 0, 0]);
        // (-8194 - 16256, 8126 + 16384, -2 - 128, 62) / 256.
        assert_eq!(results[1], [-96, 96, -1, 0, 0, 0, 0, 0]);
    }
}

#[test]
fn only_sums_that_start_from_the_bias_are_raised() {
    // All bits of one sum count: 2^17 times the first part, 2^16, and the second part.
    let sum = (8 << 17) + (1 << 16) - 70;
    let (mut machine, _) = run(&dual(PartialSums::Foot), "raised", "");
    machine.write_scale(0, 0, Scale::new(1 << 30, -14).unwrap());
    machine.run(0, 10_000).unwrap();
    assert_eq!(
        i64::from(machine.read_word(0, 8)[0]),
        (sum + (1 << 14)) >> 15
    );
}

#[test]
fn a_machine_without_dual_scales_refuses_both_flags() {
    for (matmul, drain) in [("raised", ""), ("", "dual")] {
        let (_, end) = run(&params(), matmul, drain);
        let Err(MachineError::Stopped { code, .. }) = end else {
            panic!("{end:?}");
        };
        assert_eq!(code, ErrorCode::BadField);
    }
}

#[test]
fn a_raised_sum_leaves_room_for_those_that_follow_at_once() {
    let slot = |add, raised| ResultSlot {
        valid: true,
        add,
        sum_enable: true,
        write: true,
        raised,
        ..ResultSlot::default()
    };
    let slots = [slot(false, true), slot(true, false), slot(true, true)];
    let sums = [-16384, -65536, 16384];
    let mut column = ResultColumnModel::new(4);
    let mut seen = Vec::new();
    for t in 0..6 {
        let outputs = column.step(&ResultInputs {
            slot: slots.get(t).copied().unwrap_or_default(),
            // The sum of slot t - 2.
            sum: *t.checked_sub(2).and_then(|i| sums.get(i)).unwrap_or(&0),
        });
        seen.extend(outputs.acc);
    }
    // The parts -2^14 and 0, -2^14 and -2^16; the third slot adds 2^31 and 2^16.
    assert_eq!(seen, [i32::MIN + 65536, i32::MIN, 65536]);
}
