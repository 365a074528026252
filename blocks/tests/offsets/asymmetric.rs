//! Example 5.3, in which no two sizes can be taken for each other.

use heddle_blocks::offsets::order::weight_order;
use heddle_blocks::offsets::{Convolution, GemmRow, Request, Tables, rows};
use heddle_sim::blocks::offsets::examples::{
    ASYMMETRIC_BASES, ASYMMETRIC_C, ASYMMETRIC_OFFSETS, ASYMMETRIC_STEPS,
};

use super::{asymmetric, asymmetric_a, asymmetric_b, convolve, gemm, run, tables};

/// C in the order image, output, pixel.
pub fn c() -> Vec<i64> {
    let place = |i: usize| ASYMMETRIC_C[i / 24 * 12 + i % 12][i / 12 % 2].into();
    (0..48).map(place).collect()
}

fn shape() -> Convolution {
    asymmetric().convolution.expect("a convolution")
}

#[test]
fn data_are_those_of_the_specification() {
    assert_eq!(asymmetric_a()[..8], [-43, -23, 11, -38, 24, 3, -4, 3]);
    let b = [
        -1, -6, 6, 1, -4, 8, 3, -2, -7, 5, 0, -5, 7, 2, -3, -8, 4, -1, -6, 6, 1, -4, 8, 3,
    ];
    assert_eq!(asymmetric_b(), b);
    let mut different = c();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), 48);
    let a = asymmetric_a();
    let at = |n: u32, c: u32, y: u32, x: u32| a[(((n * 2 + c) * 6 + y) * 7 + x) as usize];
    assert_eq!(convolve(&shape(), at, &b), c());
}

#[proves("SGCR-04", "SGCR-05", "SGCR-07")]
#[test]
fn bases_and_offsets_of_5_3() {
    let tables = tables(&asymmetric());
    assert_eq!(
        (&tables.bases[..], &tables.offsets[..]),
        (&ASYMMETRIC_BASES[..], &ASYMMETRIC_OFFSETS[..])
    );
    assert_eq!((tables.pixels, tables.outputs), (12, 2));
    // Images of 4 x 3 pixels.
    let row = |thread: u32| GemmRow {
        image: thread / 12,
        pixel: thread % 12,
        y: thread % 12 / 3,
        x: thread % 3,
    };
    assert_eq!(rows(&shape()), (0..24).map(row).collect::<Vec<_>>());
    assert_eq!(tables.check_in(336), Ok(()));
    // The last element begins at byte 334.
    tables.check_in(334).expect_err("too small");
}

#[proves("SGCR-32")]
#[test]
fn all_48_results_of_5_3() {
    assert_eq!(run(&asymmetric(), &asymmetric_a(), &asymmetric_b()), c());
}

#[test]
fn row_17_of_5_3_in_full() {
    let steps = [
        (190, -41, 41, -287),
        (192, 48, -247, -191),
        (194, -43, -505, -62),
        (218, -43, -548, 282),
        (220, 48, -740, 474),
        (222, -41, -1068, 515),
        (274, 37, -957, 293),
        (276, 35, -1027, 503),
        (278, 47, -1356, 550),
        (302, 22, -1246, 462),
        (304, 22, -1246, 638),
        (306, 36, -1426, 746),
    ];
    let tables = tables(&asymmetric());
    let distances = tables.distances();
    let (a, b) = (asymmetric_a(), asymmetric_b());
    let mut sums = [0, 0];
    for (tap, (address, value, first, second)) in steps.into_iter().enumerate() {
        assert_eq!(
            tables.address(&distances, 17, tap),
            Some(address),
            "tap {tap}"
        );
        assert_eq!(a[address as usize / 2], value, "tap {tap}");
        sums = [sums[0] + value * b[tap], sums[1] + value * b[12 + tap]];
        assert_eq!(sums, [first, second], "tap {tap}");
    }
}

#[test]
fn steps_of_5_3() {
    let running = Request {
        running: true,
        ..asymmetric()
    };
    assert_eq!(tables(&running).offsets, ASYMMETRIC_STEPS);
    assert_eq!(run(&running, &asymmetric_a(), &asymmetric_b()), c());
}

#[proves("SGCR-21")]
#[test]
fn tables_read_back_from_a_file_give_the_same_results() {
    let wanted = Request {
        weight_base: Some(77),
        running: true,
        ..asymmetric()
    };
    let bytes = tables(&wanted).to_bytes().expect("sound tables");
    let read = Tables::from_bytes(&bytes).expect("a table file");
    let order = weight_order(&wanted);
    let found = gemm(&read, 2, &order, &asymmetric_a(), &asymmetric_b());
    assert_eq!(found, Ok(c()));
    assert_eq!(read.weight_base, Some(77));
}

#[proves("SGCR-19")]
#[test]
fn without_a_weight_base_tables_are_equal_for_all_weight_places() {
    let with = |weight_base| {
        let wanted = Request {
            weight_base,
            ..asymmetric()
        };
        tables(&wanted)
    };
    let (none, some) = (with(None), with(Some(5)));
    assert_eq!((&none.bases, &none.offsets), (&some.bases, &some.offsets));
    // Nothing in the file knows where B is.
    assert_eq!(none.weight_base, None);
    let words = (8 + 24 + 12 + 1) * 4;
    assert_eq!(none.to_bytes().expect("sound tables").len(), words);
}
