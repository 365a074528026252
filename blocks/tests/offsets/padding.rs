//! Example 5.5: padding by mask and by a stored border.

use heddle_blocks::offsets::{Convolution, Layout, Pad, Request, Sides, Tables, generate};
use heddle_sim::blocks::offsets::examples::{PADDED_ADDRESSES, PADDED_BASES, PADDED_C};

use super::{convolution, request, run, sides, tables};

fn padded(pad: Pad) -> Convolution {
    Convolution {
        padding: sides(1),
        pad,
        ..convolution(3, 3, [3, 3])
    }
}

fn filter() -> Vec<i64> {
    (1..10).collect()
}

/// C of 5.5.
fn c() -> Vec<i64> {
    PADDED_C.map(i64::from).to_vec()
}

#[proves("SGCR-47")]
#[test]
fn table_5_5_has_49_reads_of_81() {
    let tables = tables(&request(padded(Pad::Mask)));
    assert_eq!(tables.offsets, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    let masks = tables.masks.as_ref().expect("masks");
    let taps: Vec<_> = (0..9).map(|tap| (tap / 3, tap % 3)).collect();
    assert_eq!(masks.taps, taps);
    let distances = tables.distances();
    let mut reads = 0;
    for (row, (base, rows, cols)) in PADDED_BASES.into_iter().enumerate() {
        let found = (tables.bases[row], masks.rows[row], masks.cols[row]);
        assert_eq!(found, (base, rows, cols), "row {row}");
        let addresses = (0..9).map(|tap| tables.address(&distances, row, tap));
        let addresses: Vec<_> = addresses.collect();
        reads += addresses.iter().flatten().count();
        let expected = PADDED_ADDRESSES[row].map(|at| (at >= 0).then_some(i64::from(at)));
        assert_eq!(addresses, expected, "row {row}");
    }
    assert_eq!(reads, 49);
    assert_eq!(run(&request(padded(Pad::Mask)), &filter(), &filter()), c());
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

#[proves("SGCR-48")]
#[test]
fn a_stored_border_gives_the_same_results() {
    let request = request(padded(Pad::Border));
    let tables = tables(&request);
    assert_eq!(tables.bases, [0, 1, 2, 5, 6, 7, 10, 11, 12]);
    assert_eq!(tables.offsets, [0, 1, 2, 5, 6, 7, 10, 11, 12]);
    assert_eq!(tables.masks, None);
    let mut memory = vec![0; 25];
    for place in 0..9 {
        memory[(place / 3 + 1) * 5 + place % 3 + 1] = place as i64 + 1;
    }
    assert_eq!(run(&request, &memory, &filter()), c());
}

#[proves("SGCR-03")]
#[test]
fn masked_rows_may_have_equal_bases() {
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
            ..Sides::default()
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
