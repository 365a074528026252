//! A drain over the word from which operands are read.

use heddle_arch::isa::Instruction;
use heddle_arch::requantise::Scale;

use crate::machines::build;
use crate::machines::pair::{HALT, row};
use crate::machines::{self, Machine};

/// Eight operands of one word, of which the first result word of the same product takes the place while they
/// are read: so many are the old ones. A kept word that outlives the write would give old ones to the end.
#[test]
fn a_drain_into_the_word_that_is_being_read_is_seen_from_its_clock_on() {
    // Without a bypass the read in the clock of the write is undefined.
    let machine = Machine::new(machines::with_bypass(machines::tiny()));
    let mut pair = machine.pair(1);
    let params = pair.params();
    let (array, bank) = (&params.array, params.bank_bytes());
    pair.set_zero(0);
    for row in 0..array.rows {
        let mut weights = [0; 8];
        weights[row as usize] = 1;
        pair.write_word(row, 0, weights);
    }
    for column in 0..array.cols {
        let one = Scale::reciprocal(1);
        pair.write_column(column, 0, 1, one);
    }
    // Vectors in front of those of the word: their zeros become the ones that are written to it.
    let words = bank / 8..bank / 8 + 20;
    let at = 8 * (words.start + 10);
    let mut olds = Vec::new();
    for before in 8..=params.results_buffer.depth - 8 {
        for row in 0..array.rows {
            for word in words.clone() {
                let byte = if 8 * word == at { 5 } else { 0 };
                pair.write_word(row, word, [byte; 8]);
            }
        }
        let vectors = before + 8;
        let operands = vec![row(0, 0, &[]), row(1, at - before, &[(vectors, 1)])];
        let program = [
            Instruction::LoadWeights(build::load(array.rows, 0, &[(params.weight_words(), 8)])),
            Instruction::Drain(build::drain(array.cols, at, &[(vectors, 1)])),
            Instruction::Matmul(build::matmul(array.rows, operands)),
            HALT,
        ];
        let program: Vec<u32> = program.iter().flat_map(Instruction::encode).collect();
        pair.write_program(0, &program);
        assert!(pair.run_hardware(0, 10_000), "{before} vectors before");
        let status = pair.host.status().unwrap();
        assert!(status.done && !status.error, "{before}: {status:?}");
        for partition in 0..array.rows {
            let read = [at, at + before, at + before + 7].map(|byte| (partition, byte / 8));
            let found = pair.host.read_words(&read).unwrap();
            assert_eq!(found[0], [1; 8]);
            let results = (0..8).map(|index| {
                let byte = before % 8 + index;
                found[1 + (byte / 8) as usize][(byte % 8) as usize]
            });
            let results: Vec<u8> = results.collect();
            let old = results.iter().take_while(|result| **result == 6).count();
            // Then 1 + 1
            assert!(
                results[old..].iter().all(|result| *result == 2),
                "{before}: {results:?}"
            );
            if partition == 0 {
                olds.push(old);
            } else {
                assert_eq!(
                    olds.last(),
                    Some(&old),
                    "all partitions write and read alike"
                );
            }
        }
    }
    // One vector more before the word, one old operand less.
    let first = olds.iter().position(|old| *old < 8).expect("some are new");
    let expected: Vec<usize> = (0..olds.len())
        .map(|at| (7 + first).saturating_sub(at).min(8))
        .collect();
    assert_eq!(olds, expected);
    assert!(first > 0 && olds.contains(&0), "{olds:?}");
}
