//! What options of post-processing ask of the control half, in rust-hdl's own simulator.

use heddle_hdl::control::{InstructionCheck, Phase, SequencerShape, Unit};
use heddle_hdl::post::PostOptions;
use heddle_hdl::traversal::TraversalShape;
use heddle_kernel::prelude::*;

const ALL: PostOptions = PostOptions {
    pooling: true,
    product: true,
    median: 9,
    activations: 3,
    left_shift: false,
    dual_scale: true,
    columns_per_multiplier: 1,
    announces: false,
};

fn shape(post: PostOptions) -> SequencerShape {
    SequencerShape {
        rows: 4,
        cols: 4,
        record_rows: 3,
        loops: 2,
        offset_bits: 16,
        address_bits: 16,
        tiles: 16,
        program_words: 64,
        banked: false,
        row_offsets: 16,
        post,
        cluster: false,
        moves: false,
        units: [TraversalShape::of_machine(&[2; 3]); 3],
    }
}

/// Is this word of a drain refused? `pool` says that it is the one of pooling.
fn is_bad(options: PostOptions, pool: bool, word: u32) -> bool {
    is_bad_of(Unit::Drain, options, pool, word)
}

fn is_bad_of(unit: Unit, options: PostOptions, pool: bool, word: u32) -> bool {
    let mut u = InstructionCheck::new(shape(options));
    u.unit_i.next = unit;
    u.phase_i.next = match pool {
        true => Phase::ThirdParam,
        false => Phase::Param,
    };
    for port in &mut u.is_pool_i {
        port.next = pool;
    }
    u.word_i.next = u64::from(word).into();
    settle(&mut u);
    u.bad_field_o.val()
}

#[proves("PET-58", "PET-59")]
#[test]
fn drains_ask_for_what_is_there() {
    let only = |activations, pooling| PostOptions {
        activations,
        pooling,
        ..PostOptions::NONE
    };
    for tables in 0..=8usize {
        for pooling in [false, true] {
            let options = only(tables, pooling);
            for table in 0..16 {
                let bad = is_bad(options, false, 1 | table << 11);
                assert_eq!(bad, table as usize > tables, "table {table} of {tables}");
            }
            let bad = is_bad(options, false, 1 | 1 << 15);
            assert_eq!(bad, !pooling, "windows with {options:?}");
        }
    }
}

#[test]
fn dual_scales_and_raised_sums_are_asked_for_where_they_are_there() {
    for options in [ALL, PostOptions::NONE] {
        for (unit, flag) in [(Unit::Drain, 30), (Unit::Stream, 25)] {
            for bit in flag..32 {
                let legal = options.dual_scale && bit == flag;
                let bad = is_bad_of(unit, options, false, 1 | 1 << bit);
                assert_eq!(bad, !legal, "bit {bit} with {options:?}");
            }
        }
    }
}

#[proves("PET-59")]
#[test]
fn words_of_pooling_are_checked() {
    for (product, median) in [(false, 0), (true, 0), (false, 9), (true, 32)] {
        let options = PostOptions {
            product,
            median,
            ..ALL
        };
        for reduction in 0..8 {
            for window in [1, 2, 9, 10, 32, 33, 256] {
                let expected = match reduction {
                    0..=2 => true,
                    3 => product,
                    4 => window as usize <= median,
                    _ => false,
                };
                let bad = is_bad(options, true, reduction | (window - 1) << 8);
                assert_eq!(bad, !expected, "{reduction} of {window} with {options:?}");
            }
        }
        for bit in (3..8).chain(16..32) {
            assert!(is_bad(options, true, 1 << bit), "bit {bit} is reserved");
        }
    }
}
