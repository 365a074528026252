//! Small programs whose results, counters and errors are worked out by hand.

use heddle_arch::host::Counter;
use heddle_arch::isa::{Instruction, assemble};
use heddle_arch::params::Params;
use heddle_arch::requantise::Scale;
use heddle_sim::machine::{Machine, MachineError};

/// First word of the second bank, and of the results.
const WEIGHTS: u32 = 16;
const RESULTS: u32 = 8;
/// Heads of instructions. The threshold makes operands -27..=228.
const LOAD: &str = "load_weights rows=2 level=0 [row 0 base 128";
const DRAIN: &str = "drain columns=2 tile=1 lo=-100 hi=100 [row 0 base 64";
const MATMUL: &str = "matmul rows=2 bank=0 level=0 threshold=228 macs=4";

/// Two rows and columns, two banks of 16 words.
pub fn params() -> Params {
    let text = r#"{"name": "test", "array": {"rows": 2, "cols": 2},
        "traversal": {"rows": 3, "loops": 3, "offset_bits": 16, "address_bits": 24},
        "state_buffer": {"banks": 2, "words_per_bank": 16,
          "slices": {"word_bytes": 8, "widths": [3, 5]}},
        "results_buffer": {"depth": 16}, "column_tiles": 2, "program": {"words": 64}}"#;
    Params::from_json(text).unwrap()
}

/// A machine with this program, and the address of each instruction.
pub fn programmed(params: &Params, text: &str) -> (Machine, Vec<u32>) {
    let program = assemble(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let mut machine = Machine::new(params);
    let (mut words, mut places) = (Vec::new(), Vec::new());
    for instruction in &program {
        places.push(words.len() as u32);
        words.extend(Instruction::encode(instruction));
    }
    machine.write_program(0, &words);
    (machine, places)
}

/// The same with bias 5 and -7, scale 1 and 1/2 in column tile 1.
fn machine(text: &str) -> Machine {
    let (mut machine, _) = programmed(&params(), text);
    for (column, bias, n) in [(0, 5, 1), (1, -7, 2)] {
        machine.write_bias(column, 1, bias);
        machine.write_scale(column, 1, Scale::reciprocal(n));
    }
    machine
}

#[test]
fn one_vector_takes_the_promised_cycles() {
    let mut machine = machine(&format!(
        "{LOAD}]\n{DRAIN}]\n{MATMUL} first last [row 0 base 1] [row 1 base 3]\nhalt"
    ));
    // Operands 10 and -20, weights (2, 3) and (-1, 4): sums 5 + 20 + 20 and -7 + 30 - 80.
    machine.write_word(0, 0, [0, 0, 0, 10, 0, 0, 0, 0]);
    machine.write_word(1, 0, [1, 2, 3, 236, 0, 0, 0, 0]);
    machine.write_word(0, WEIGHTS, [2, 3, 0, 0, 0, 0, 0, 0]);
    machine.write_word(1, WEIGHTS, [255, 4, 0, 0, 0, 0, 0, 0]);
    let counters = machine.run(0, 1000).unwrap();
    // Scale 1 keeps 45; half of -57 is rounded upwards.
    assert_eq!(machine.read_word(0, RESULTS), [45, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(machine.read_word(1, RESULTS)[0] as i8, -28);

    // LOAD_WEIGHTS 4 words: START in 6. DRAIN 5 words: START in 13. MATMUL 7 words: START in 22,
    // prologue accepted in 26, vector in 27, drain address taken in 27 + 1 + 12 = 40. HALT is in
    // HEAD from 24 on and goes on in 40 + 2 + 13 = 55. Neither operand is zero.
    let expected = [0, 56, 1, 4, 0, 31, 4, 4, 2, 4, 2, 1, 0];
    for ((counter, found), expected) in counters.iter().zip(expected) {
        assert_eq!(found, expected, "{}", counter.name());
    }
}

#[test]
fn weights_of_one_word_for_one_vector_stall_the_stream() {
    // Three K tiles of one vector each on one operand word: bytes 0, 1, 2.
    let mut machine = machine(&format!(
        "{LOAD}: 0..8 step 8, 0..24 step 8]\n{DRAIN}]
         {MATMUL} first last [row 0 base 1] [row 1 base 0: 0..1 step 1, 0..3 step 1]\nhalt"
    ));
    machine.write_word(0, 0, [1, 2, 3, 0, 0, 0, 0, 0]);
    for (tile, weight) in [(0, 1), (1, 10), (2, 20)] {
        machine.write_word(0, WEIGHTS + tile, [weight, 0, 0, 0, 0, 0, 0, 0]);
    }
    let counters = machine.run(0, 1000).unwrap();
    assert_eq!(machine.read_word(0, RESULTS)[0], 5 + 1 + 20 + 60);
    assert_eq!(counters.get(Counter::Vectors), 3);
    // Tile 1 is swapped in with vector 0 in cycle d; the next word is accepted in d + 2, swapped
    // in d + 3, used in d + 4: vector 2 stalls in d + 2 and d + 3.
    assert_eq!(counters.get(Counter::StallWeights), 2);
    // Both rows read operand word 0 once and three weight words; row 1 holds zeros only.
    assert_eq!(counters.get(Counter::MaskReads), 2 + 6);
    assert_eq!(counters.get(Counter::SliceReads(0)), 1 + 3);
}

#[proves("SGCR-54", "SGCR-55")]
#[test]
fn each_row_adds_the_offset_of_its_k_tile() {
    // Three taps on two rows: two K tiles of two vectors; row 1 has nothing in the second.
    let mut machine = machine(&format!(
        "{LOAD}: 0..8 step 8, 0..16 step 8]\n{DRAIN}: 0..2 step 1]
         {MATMUL} first last entry=3 last_macs=1 [row 0 base 1] [row 1 base 0: 0..2 step 1, 0..2 step 1]
         halt"
    ));
    for partition in 0..2 {
        machine.write_word(partition, 0, [1, 2, 3, 4, 5, 6, 7, 8]);
        let weight = 1 + partition as u8;
        machine.write_word(partition, WEIGHTS, [weight, 0, 0, 0, 0, 0, 0, 0]);
        machine.write_word(partition, WEIGHTS + 1, [10, 0, 0, 0, 0, 0, 0, 0]);
    }
    // The loop over the K tiles adds 1 itself.
    for (row, entry, offset) in [
        (0, 3, Some(0)),
        (1, 3, Some(2)),
        (0, 4, Some(4)),
        (1, 4, None),
    ] {
        machine.write_row_offset(row, entry, offset);
    }
    let counters = machine.run(0, 1000).unwrap();
    let result = machine.read_word(0, RESULTS);
    let expected = [5 + 1 + 2 * 3 + 10 * 6, 5 + 2 + 2 * 4 + 10 * 7];
    assert_eq!(result[..2], expected);
    assert_eq!(counters.get(Counter::Macs), 2 * 4 + 2);
    assert_eq!(counters.get(Counter::ZeroOperands), 0);
    // One operand word in each row, two weight words in each.
    assert_eq!(counters.get(Counter::MaskReads), 2 + 4);
    // Another pass with the same tables.
    for partition in 0..2 {
        machine.write_word(partition, 0, [11, 12, 13, 14, 15, 16, 17, 18]);
    }
    machine.run(0, 1000).unwrap();
    let result = machine.read_word(0, RESULTS);
    assert_eq!(result[0], 100, "the clamp of 5 + 11 + 2 * 13 + 10 * 16");
}

#[test]
fn sums_wait_in_the_results_buffer_and_epilogues_read_them() {
    // Two vectors of one K tile are stored; a second MATMUL adds a tile and stores again; the
    // epilogue sends both to post in the opposite order.
    let mut machine = machine(&format!(
        "{LOAD}: 0..8 step 8, 0..16 step 8]
         {MATMUL} first [row 0 base 1] [row 1 base 0: 0..2 step 1]
         {MATMUL} [row 1 base 2: 0..2 step 1]\n{DRAIN}: 0..2 step 1]
         {MATMUL} [row 2 base 1]\n{MATMUL} [row 2 base 0]\nhalt"
    ));
    machine.write_word(0, 0, [1, 2, 3, 4, 0, 0, 0, 0]);
    machine.write_word(0, WEIGHTS, [1, 0, 0, 0, 0, 0, 0, 0]);
    machine.write_word(0, WEIGHTS + 1, [10, 0, 0, 0, 0, 0, 0, 0]);
    let counters = machine.run(0, 1000).unwrap();
    let result = machine.read_word(0, RESULTS);
    assert_eq!(result[..2], [5 + 2 + 40, 5 + 1 + 30]);
    assert_eq!(counters.get(Counter::Vectors), 4);
}

#[test]
fn errors_are_told_in_words() {
    let sum = "the sum of operand address and row offset lies beyond the memory";
    let (mut machine, places) = programmed(
        &params(),
        &format!("{LOAD}]\n{MATMUL} entry=0 last_macs=1 [row 1 base 4]\nhalt"),
    );
    machine.write_row_offset(0, 0, Some(252));
    let error = machine.run(0, 1000).unwrap_err();
    let at = places[1];
    assert_eq!(
        error.to_string(),
        format!("ADDRESS at program word {at}: {sum}")
    );
    for (copy, expected) in [
        ("8 [row 0 base 256]", "weight address is 256"),
        ("256 [row 0 base 0]", "destination of a copy is 256"),
    ] {
        let (mut machine, _) = programmed(&params(), &format!("copy rows=2 distance={copy}\nhalt"));
        let expected = format!("ADDRESS at program word 0: {expected}, expected at most 255");
        assert_eq!(machine.run(0, 1000).unwrap_err().to_string(), expected);
    }
    let (mut machine, _) = programmed(&params(), &["sync"; 64].join("\n"));
    let error = machine.run(60, 1000).unwrap_err();
    let expected = "PROGRAM_END at program word 64: no word left";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_program_that_runs_too_long_is_given_up() {
    let mut machine = machine(&format!("{LOAD}]\nhalt"));
    let error = machine.run(0, 5).unwrap_err();
    assert_eq!(error, MachineError::StillRunning { cycles: 5 });
}

#[test]
fn operands_and_what_else_is_read_of_one_bank_are_refused() {
    // Weights, or words to be copied, of bank 0 while 16 operands of bank 0 are streamed.
    for (other, base) in [
        ("load_weights rows=2 level=0 [row 0 base", 0),
        ("copy rows=2 distance=64 [row 0 base", 0),
        ("copy rows=2 distance=65472 [row 0 base", 128),
    ] {
        let (mut machine, places) = programmed(
            &params(),
            &format!(
                "{LOAD}]\n{MATMUL} first [row 1 base 0: 0..128 step 8]\n{other} {base}: 0..72 step 8]
                 halt"
            ),
        );
        let end = machine.run(0, 1000);
        if base == 0 {
            let pc = places[2];
            let expected = Err(MachineError::BankConflict { pc, bank: 0 });
            assert_eq!(end, expected, "{other}");
        } else {
            assert_eq!(end.unwrap().get(Counter::Vectors), 16);
        }
    }
}

#[test]
fn host_bytes_pass_the_zero_codec() {
    let mut machine = Machine::new(&params());
    machine.set_host_zero(-128);
    let bytes = [128, 127, 0, 255, 128, 128, 128, 129];
    machine.write_word(1, 3, bytes);
    assert_eq!(machine.read_word(1, 3), bytes);
    machine.set_host_zero(0);
    assert_eq!(machine.read_word(1, 3), [0, 255, 128, 127, 0, 0, 0, 1]);
}
