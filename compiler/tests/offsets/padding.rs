//! Example 5.5: padding by mask and by a stored border.

use heddle_compiler::offsets::{Convolution, Layout, Pad, Request, Sides, Tables, generate};

use super::{convolution, request, run, tables};

fn padded(pad: Pad) -> Convolution {
    Convolution {
        padding: Sides {
            top: 1,
            bottom: 1,
            left: 1,
            right: 1,
        },
        pad,
        ..convolution(3, 3, [3, 3])
    }
}

fn filter() -> Vec<i64> {
    (1..10).collect()
}

const C: [i64; 9] = [94, 154, 106, 186, 285, 186, 106, 154, 94];

/// A mask as the table prints it: bit 0 on the left.
fn mask(text: &str) -> u16 {
    let bits = text.chars().enumerate();
    bits.filter(|(_, bit)| *bit == '1')
        .map(|(at, _)| 1 << at)
        .sum()
}

#[test]
fn sgcr_47_table_5_5_has_49_reads_of_81() {
    let rows = [
        (-4, "011", "011", "- - - - 0 1 - 3 4"),
        (-3, "011", "111", "- - - 0 1 2 3 4 5"),
        (-2, "011", "110", "- - - 1 2 - 4 5 -"),
        (-1, "111", "011", "- 0 1 - 3 4 - 6 7"),
        (0, "111", "111", "0 1 2 3 4 5 6 7 8"),
        (1, "111", "110", "1 2 - 4 5 - 7 8 -"),
        (2, "110", "011", "- 3 4 - 6 7 - - -"),
        (3, "110", "111", "3 4 5 6 7 8 - - -"),
        (4, "110", "110", "4 5 - 7 8 - - - -"),
    ];
    let tables = tables(&request(padded(Pad::Mask)));
    assert_eq!(tables.offsets, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    let masks = tables.masks.as_ref().expect("masks");
    let taps = [
        (0, 0),
        (0, 1),
        (0, 2),
        (1, 0),
        (1, 1),
        (1, 2),
        (2, 0),
        (2, 1),
        (2, 2),
    ];
    assert_eq!(masks.taps, taps);
    let distances = tables.distances();
    let mut reads = 0;
    for (row, (base, v, u, addresses)) in rows.into_iter().enumerate() {
        assert_eq!(tables.bases[row], base, "row {row}");
        assert_eq!(
            (masks.rows[row], masks.cols[row]),
            (mask(v), mask(u)),
            "row {row}"
        );
        let shown = |tap| match tables.address(&distances, row, tap) {
            Some(address) => {
                reads += 1;
                address.to_string()
            }
            None => "-".to_string(),
        };
        let found: Vec<String> = (0..9).map(shown).collect();
        assert_eq!(found.join(" "), addresses, "row {row}");
    }
    assert_eq!(reads, 49);
    assert_eq!(run(&request(padded(Pad::Mask)), &filter(), &filter()), C);
    tables.check_in(9).expect("no read leaves the tensor");
}

#[test]
fn a_check_of_the_range_alone_gives_the_wrong_results_of_5_5() {
    let tables = tables(&request(padded(Pad::Mask)));
    let distances = tables.distances();
    let wrong = |row: usize| -> i64 {
        let read = |tap: usize| {
            let address = i64::from(tables.bases[row]) + distances[tap];
            let inside = (0..9).contains(&address);
            if inside {
                (address + 1) * (tap as i64 + 1)
            } else {
                0
            }
        };
        (0..9).map(read).sum()
    };
    let found: Vec<i64> = (0..9).map(wrong).collect();
    assert_eq!(found, [115, 154, 196, 240, 285, 240, 196, 154, 115]);
}

#[test]
fn sgcr_48_a_stored_border_gives_the_same_results() {
    let request = request(padded(Pad::Border));
    let tables = tables(&request);
    assert_eq!(tables.bases, [0, 1, 2, 5, 6, 7, 10, 11, 12]);
    assert_eq!(tables.offsets, [0, 1, 2, 5, 6, 7, 10, 11, 12]);
    assert_eq!(tables.masks, None);
    let mut memory = vec![0; 25];
    for place in 0..9 {
        memory[(place / 3 + 1) * 5 + place % 3 + 1] = place as i64 + 1;
    }
    assert_eq!(run(&request, &memory, &filter()), C);
}

#[test]
fn sgcr_03_masked_rows_may_have_equal_bases() {
    let small = Convolution {
        height: 2,
        width: 2,
        kernel: [2, 2],
        ..padded(Pad::Mask)
    };
    let tables = tables(&request(small));
    assert_eq!(tables.bases, [-3, -2, -1, -1, 0, 1, 1, 2, 3]);
    let masks = tables.masks.clone().expect("masks");
    assert_ne!(
        (masks.rows[2], masks.cols[2]),
        (masks.rows[3], masks.cols[3])
    );
    let unmasked = Tables {
        masks: None,
        ..tables
    };
    let errors = unmasked.check().expect_err("equal bases").to_string();
    let expected = "bases[3] is -1, expected a base that differs from bases[2] (no masks)\n\
                    bases[6] is 1, expected a base that differs from bases[5] (no masks)";
    assert_eq!(errors, expected);
}

#[test]
fn a_row_that_lies_in_the_padding_alone_is_zero() {
    let far = Convolution {
        padding: Sides {
            top: 5,
            left: 0,
            bottom: 0,
            right: 0,
        },
        ..padded(Pad::Mask)
    };
    let request = request(far);
    assert_eq!(run(&request, &filter(), &filter())[..2], [0, 0]);
}

#[test]
fn entries_that_leave_32_bits_are_refused() {
    let far = Convolution {
        channels: 65535,
        height: 1,
        width: 4,
        kernel: [1, 1],
        stride: [4095, 1],
        layout: Layout::Nhwc,
        padding: Sides {
            top: 4095,
            ..Sides::default()
        },
        ..padded(Pad::Mask)
    };
    let wide = Request {
        element_bytes: 8,
        ..request(far)
    };
    let errors = generate(&wide)
        .expect_err("a base below 32 bits")
        .to_string();
    let expected = "bases[0] is -8587706400, expected -2147483648 to 2147483647";
    assert_eq!(errors, expected);
}
