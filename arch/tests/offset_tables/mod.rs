//! Tables: what is checked, the table file, and what tables are asked for.

mod check;
mod file;
mod request;

use heddle_arch::offsets::{Masks, Tables};
use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;

/// Example 5.1.
pub fn example() -> Tables {
    Tables {
        bases: vec![0, 1, 4, 5],
        offsets: vec![0, 1, 2, 4, 5, 6, 8, 9, 10],
        running: false,
        unit_shift: 0,
        masks: None,
        pixels: 4,
        outputs: 1,
        weight_base: None,
    }
}

/// Example 5.5, padding by mask.
pub fn padded() -> Tables {
    let mask = |at: usize| [0b110, 0b111, 0b011][at];
    Tables {
        bases: (-4..5).collect(),
        offsets: (0..9).collect(),
        masks: Some(Masks {
            rows: (0..9).map(|row| mask(row / 3)).collect(),
            cols: (0..9).map(|row| mask(row % 3)).collect(),
            taps: (0..9).map(|tap| (tap / 3, tap % 3)).collect(),
        }),
        pixels: 9,
        ..example()
    }
}

/// Tables of any size that pass the check.
pub fn any_tables() -> impl Strategy<Value = Tables> {
    let sizes = (1usize..40, 1usize..6, 1usize..40);
    let tables = sizes.prop_flat_map(|(pixels, images, taps)| {
        let rows = pixels * images;
        let masks = (
            vec(any::<u16>(), rows),
            vec(any::<u16>(), rows),
            vec((0u8..16, 0u8..16), taps),
        );
        (
            btree_set(any::<i32>(), rows),
            vec(-50_000_000i32..50_000_000, taps),
            any::<bool>(),
            0u32..4,
            option::of(masks),
            Just(pixels as u32),
            1u32..65536,
            option::of(0u32..65536),
        )
    });
    tables.prop_map(
        |(bases, offsets, running, unit_shift, masks, pixels, outputs, weight_base)| Tables {
            bases: bases.into_iter().rev().collect(),
            offsets,
            running,
            unit_shift,
            masks: masks.map(|(rows, cols, taps)| Masks { rows, cols, taps }),
            pixels,
            outputs,
            weight_base,
        },
    )
}
