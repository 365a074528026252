//! Windows and activation tables in small programs, worked out by hand.

use heddle_arch::host::Counter;
use heddle_arch::isa::ErrorCode;
use heddle_arch::params::Post;
use heddle_arch::requantise::Scale;
use heddle_sim::machine::{Counters, Machine, MachineError};

use crate::machine::{params, programmed};

const OPTIONS: Post = Post {
    pooling: true,
    product: false,
    median: 0,
    activations: 1,
    left_shift: false,
    dual_scale: false,
    columns_per_multiplier: 1,
};

/// Address of the drain.
const AT: u32 = 4;

/// Weights 1 and 2, then a drain of so many results, then so many vectors 1, 2, 3 and so on in row 0; a table adds 100.
fn run(
    post: Post,
    drain: &str,
    results: u32,
    vectors: u32,
) -> (Machine, Result<Counters, MachineError>) {
    let mut params = params();
    params.post = post;
    let text = format!(
        "load_weights rows=2 level=0 [row 0 base 128]
         drain columns=2 tile=0 lo=-128 hi=127 {drain} [row 0 base 64: 0..{results} step 1]
         matmul rows=2 first last bank=0 level=0 threshold=127 macs=4 [row 0 base 0] [row 1 base 0: 0..{vectors} step 1]
         halt"
    );
    let (mut machine, places) = programmed(&params, &text);
    assert_eq!(places[1], AT);
    for column in 0..2 {
        machine.write_scale(column, 0, Scale::reciprocal(1));
    }
    for table in 0..post.activations {
        for byte in 0..=u8::MAX {
            machine.write_activation(table, byte, byte.wrapping_add(100));
        }
    }
    machine.write_word(0, 0, [1, 2, 3, 4, 5, 6, 7, 8]);
    machine.write_word(0, 16, [1, 2, 0, 0, 0, 0, 0, 0]);
    let end = machine.run(0, 10_000);
    (machine, end)
}

const PAIRS: &str = "pool=sum window=2";

#[proves("PET-58", "PET-59")]
#[test]
fn sums_of_pairs_go_through_a_table_in_the_promised_cycles() {
    let (machine, end) = run(OPTIONS, "activation=1 pool=sum window=2", 2, 4);
    // 1 + 2, 3 + 4, and twice as much in the second column.
    let results = [0, 1].map(|row| machine.read_word(row, 8));
    assert_eq!(results[0], [103, 107, 0, 0, 0, 0, 0, 0]);
    assert_eq!(results[1], [106, 114, 0, 0, 0, 0, 0, 0]);
    // LOAD_WEIGHTS 4 words: START in 6. DRAIN 9 words: START in 17. MATMUL 10 words: START in 29,
    // prologue accepted in 33, the last of four vectors in 37, its drain address taken in
    // 37 + 1 + 12 = 50. HALT goes on in 50 + 2 + 13 + 3 = 68.
    assert_eq!(end.unwrap().get(Counter::Cycles), 69);
}

#[proves("PET-58")]
#[test]
fn a_drain_without_table_and_windows_only_takes_longer() {
    let cycles = [Post::default(), OPTIONS].map(|post| {
        let (_, end) = run(post, "", 4, 4);
        end.unwrap().get(Counter::Cycles)
    });
    assert_eq!(cycles[0] + 3, cycles[1]);
}

#[proves("PET-58", "PET-59")]
#[test]
fn windows_that_do_not_match_and_missing_options_are_errors() {
    let only = |pooling, activations| Post {
        pooling,
        activations,
        ..Post::default()
    };
    let stuck = AT + 9 + 10;
    for (post, drain, results, vectors, expected) in [
        // One sum too many finds no address.
        (OPTIONS, PAIRS, 2, 5, (ErrorCode::DrainUnderflow, AT)),
        (OPTIONS, PAIRS, 1, 4, (ErrorCode::DrainUnderflow, AT)),
        // The last window is not complete: HALT waits for ever.
        (OPTIONS, PAIRS, 2, 3, (ErrorCode::Stuck, stuck)),
        (OPTIONS, PAIRS, 3, 4, (ErrorCode::Stuck, stuck)),
        (
            only(false, 2),
            "activation=3",
            2,
            4,
            (ErrorCode::BadField, AT),
        ),
        (
            only(true, 0),
            "activation=1",
            2,
            4,
            (ErrorCode::BadField, AT),
        ),
        (only(false, 8), PAIRS, 2, 4, (ErrorCode::BadField, AT)),
        (
            only(true, 0),
            "pool=median window=2",
            2,
            4,
            (ErrorCode::BadField, AT),
        ),
    ] {
        let (_, end) = run(post, drain, results, vectors);
        let Err(MachineError::Stopped { code, pc, .. }) = end else {
            panic!("{drain}: {end:?}");
        };
        assert_eq!((code, pc), expected, "{drain}, {results} of {vectors}");
    }
}
