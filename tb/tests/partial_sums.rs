//! Sums of the K tiles before that enter the array at the top, on emitted machines: the clocks that products wait for
//! them, and what comes out.

use heddle_arch::host::Counter;
use heddle_arch::isa::{Drain, Instruction, Matmul, RowBlock};

use crate::machines::build;
use crate::machines::pair::{End, HALT, Pair, row};
use crate::machines::{Machine, tall, with_sums_at_top};
use crate::rtl::Checked;

fn load(pair: &Pair, tiles: u32) -> Instruction {
    let (rows, words) = (pair.params().array.rows, pair.params().weight_words());
    Instruction::LoadWeights(build::load(rows, 0, &[(words, 8), (tiles, 8 * words)]))
}

/// A product of all rows on operands of the second bank.
fn matmul(pair: &Pair, ends: (bool, bool), bank: bool, rows: Vec<RowBlock>) -> Instruction {
    let array = &pair.params().array;
    Instruction::Matmul(Matmul {
        first: ends.0,
        last: ends.1,
        bank,
        macs: array.rows * array.cols,
        ..build::matmul(array.rows, rows)
    })
}

/// Operands of so many vectors and K tiles.
fn tensor(pair: &Pair, vectors: u32, tiles: u32) -> RowBlock {
    row(1, pair.params().bank_bytes(), &[(vectors, 1), (tiles, 1)])
}

fn drain(pair: &Pair, results: u32) -> Instruction {
    let params = pair.params();
    Instruction::Drain(Drain {
        tile: 1,
        ..build::drain(params.lanes(), params.bank_bytes() / 2, &[(results, 1)])
    })
}

/// Two rounds of K tiles, the first one from the bias, the second one on what it has stored, then the stored sums.
fn rounds(pair: &Pair, vectors: u32, bank: bool) -> Vec<Instruction> {
    let prologue = row(0, 1, &[]);
    let first = vec![prologue, tensor(pair, vectors, 2)];
    let second = vec![tensor(pair, vectors, 2), row(2, 0, &[(vectors, 1)])];
    vec![
        load(pair, 4),
        matmul(pair, (true, false), bank, first),
        drain(pair, vectors),
        matmul(pair, (false, false), bank, second),
        HALT,
    ]
}

/// Counters of a run that ends with HALT as predicted, all words being those of the golden machine.
fn run(pair: &mut Pair, program: &[Instruction]) -> Checked<impl Fn(Counter) -> u32 + use<>> {
    let end = pair.run_instructions(program)?;
    pair.compare()?;
    match end {
        End::Halt(counters) => Ok(move |counter| counters.get(counter)),
        end => Err(pair.message(format!("ends with {end:?}, expected HALT"))),
    }
}

#[proves("PET-57")]
#[test]
fn rounds_start_from_the_sums_of_the_round_before() {
    let machine = Machine::new(with_sums_at_top(tall()));
    let distance = machine.params.array.rows + 3;
    let mut pair = machine.pair(57);
    for vectors in 1..=distance + 3 {
        for bank in [false, true] {
            let program = rounds(&pair, vectors, bank);
            let counter = run(&mut pair, &program)
                .unwrap_or_else(|message| panic!("{vectors} vectors: {message}"));
            // The second tile of each round waits until its first vector is so far behind that of the tile before,
            // the epilogue until it is so far behind the last vector. The second round takes longer to start.
            let tile = distance.saturating_sub(vectors);
            let waits = 2 * tile + distance - 1;
            assert_eq!(counter(Counter::StallSums), waits, "{vectors} vectors");
            assert_eq!(counter(Counter::Vectors), 4 * vectors);
        }
    }
}
