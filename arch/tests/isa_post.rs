//! Drains with pooling and activation functions: words that are none, machines that lack them.

use crate::isa::refused;
use heddle_arch::isa::{Drain, DrainPlace, Instruction, Pooling, Record, Reduction};
use heddle_arch::params::{Params, Post};

fn drain(activation: u8, pooling: Option<Pooling>) -> Instruction {
    Instruction::Drain(Drain {
        columns: 4,
        activation,
        pooling,
        record: Record::default(),
        ..Drain::default()
    })
}

fn windows(reduction: Reduction, window: u32) -> Option<Pooling> {
    Some(Pooling { reduction, window })
}

#[proves("PET-59")]
#[test]
fn words_of_pooling_that_are_none_are_refused() {
    refused(&[
        "0x304 0x8001 0 -> BAD_LENGTH: DRAIN that pools ends in front of the word for it",
        "0x404 0x8401 0 0 -> BAD_LENGTH: DRAIN that pools ends in front of the word for it",
        "0x404 0x8001 0 0x10000 -> BAD_FIELD: DRAIN word of pooling is 0x00010000, bits outside 0x0000ff07 set",
        "0x404 0x8001 0 5 -> BAD_FIELD: reduction is 5, expected 0 to 4",
        "0x304 0x4801 0 -> BAD_FIELD: activation is 9, expected 0 to 8",
    ]);
}

#[proves("PET-59")]
#[test]
fn the_word_of_pooling_stands_behind_the_one_of_the_columns() {
    let words = [0x504, 0x8404, 0, 0x0001_0002, 0x0703];
    let (instruction, length) = Instruction::decode(&words).expect("legal");
    let Instruction::Drain(Drain { place, pooling, .. }) = instruction else {
        panic!("not a drain");
    };
    let expected = DrainPlace {
        first_column: 2,
        rotate: 1,
    };
    assert_eq!(place, Some(expected));
    assert_eq!(pooling, windows(Reduction::Product, 8));
    assert_eq!(length, 5);
}

#[test]
fn windows_that_do_not_fit_are_not_encoded() {
    for window in [0, 257] {
        let error = drain(0, windows(Reduction::Max, window))
            .check()
            .expect_err("no window");
        let message = format!("BAD_FIELD: window is {window}, expected 1 to 256");
        assert_eq!(error.to_string(), message);
    }
}

#[proves("PET-58", "PET-59")]
#[test]
fn machines_refuse_options_that_they_lack() {
    let text = include_str!("../../configs/tiny.json");
    let mut params = Params::from_json(text).expect("the preset is valid");
    let missing = "BAD_FIELD: reduction is 0, this machine does not have it";
    let of = |reduction, window| drain(0, windows(reduction, window));
    let refused = |params: &Params, instruction: Instruction| {
        let error = instruction.check_machine(params).expect_err("lacks it");
        error.to_string()
    };
    assert_eq!(refused(&params, of(Reduction::Max, 1)), missing);
    let message = "BAD_FIELD: activation is 1, this machine has at most 0";
    assert_eq!(refused(&params, drain(1, None)), message);
    let dual = Instruction::Drain(Drain {
        dual: true,
        ..Drain::default()
    });
    let message = "BAD_FIELD: dual is set, this machine does not have post.dual_scale";
    assert_eq!(refused(&params, dual.clone()), message);
    params.post.dual_scale = true;
    dual.check_machine(&params).expect("fits");
    params.post = Post {
        pooling: true,
        product: false,
        median: 0,
        activations: 2,
        ..Post::default()
    };
    drain(2, windows(Reduction::Sum, 256))
        .check_machine(&params)
        .expect("fits");
    let message = "BAD_FIELD: activation is 3, this machine has at most 2";
    assert_eq!(refused(&params, drain(3, None)), message);
    for (reduction, number) in [(Reduction::Product, 3), (Reduction::Median, 4)] {
        let message = format!("BAD_FIELD: reduction is {number}, this machine does not have it");
        assert_eq!(refused(&params, of(reduction, 2)), message);
    }
    params.post.median = 9;
    of(Reduction::Median, 9)
        .check_machine(&params)
        .expect("fits");
    let message = "BAD_FIELD: window is 10, the median of this machine has at most 9";
    assert_eq!(refused(&params, of(Reduction::Median, 10)), message);
}
