//! The cores under test: both spreads, memories for each row and banks, every option.

use super::sides::{Design, Side, design};
use heddle_sim::blocks::gemm::GemmOptions;
use heddle_sim::blocks::offsets::{Stepping, UnitOptions};
use std::sync::LazyLock;

/// A core with small memories and changed options.
pub fn options(rows: usize, cols: usize, change: impl Fn(&mut GemmOptions)) -> GemmOptions {
    let mut options = GemmOptions {
        unit: UnitOptions {
            bases: 64,
            offsets: 64,
            taps: 4,
            running: true,
            ..UnitOptions::new(rows, cols)
        },
        banks: 0,
        merge: true,
        operand_bytes: 1024,
        weight_words: 2048,
        results: 32,
        store_each: false,
    };
    change(&mut options);
    options
}

fn banks(banks: usize, merge: bool) -> impl Fn(&mut GemmOptions) {
    move |options| {
        options.unit.broadcast = true;
        (options.banks, options.merge) = (banks, merge);
    }
}

/// The same, and each iteration may be stored.
fn each(change: impl Fn(&mut GemmOptions)) -> impl Fn(&mut GemmOptions) {
    move |options| {
        options.store_each = true;
        change(options);
    }
}

/// The same, and rows keep their bases, with the index stepped before a read.
fn ahead(change: impl Fn(&mut GemmOptions)) -> impl Fn(&mut GemmOptions) {
    move |options| {
        options.unit.prefetch = true;
        options.unit.stepping = Stepping::BeforeRead;
        change(options);
    }
}

/// All cores side by side. Each has another name, that of its ports.
pub static VARIANTS: LazyLock<Design> = LazyLock::new(|| {
    design(vec![
        Side::new("four", options(4, 1, |_| {})),
        Side::new("square", options(4, 4, each(|o| o.unit.expand = true))),
        Side::new("single", options(1, 1, each(|_| {}))),
        Side::new("pair", options(2, 3, each(|_| {}))),
        Side::new("tall", options(5, 2, |_| {})),
        Side::new("flat", options(3, 5, each(|o| o.unit.address_bits = 24))),
        Side::new("broad", options(4, 3, each(|o| o.unit.broadcast = true))),
        Side::new("two", options(4, 1, banks(2, false))),
        Side::new("two_merged", options(4, 2, each(banks(2, true)))),
        Side::new("four_banks", options(4, 1, banks(4, false))),
        Side::new("eight", options(4, 1, banks(8, false))),
        Side::new("four_merged", options(5, 3, each(banks(4, true)))),
        Side::new("ahead", options(4, 2, ahead(|_| {}))),
        Side::new("ahead_banks", options(3, 2, ahead(each(banks(4, true))))),
    ])
});
