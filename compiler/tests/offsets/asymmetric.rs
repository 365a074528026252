//! Example 5.3, in which no two sizes can be taken for each other.

use heddle_compiler::offsets::order::weight_order;
use heddle_compiler::offsets::{Convolution, Request, Tables, rows};

use super::{asymmetric, asymmetric_a, asymmetric_b, convolve, gemm, run, tables};

/// Image, pixel, row, column, base and the results of both outputs.
type Line = (u32, u32, u32, u32, i32, i64, i64);

#[rustfmt::skip]
const ROWS: [Line; 24] = [
    (0, 0, 0, 0, 0, 630, -936), (0, 1, 0, 1, 4, 440, -756), (0, 2, 0, 2, 8, -56, 25),
    (0, 3, 1, 0, 14, -428, -526), (0, 4, 1, 1, 18, -622, -231), (0, 5, 1, 2, 22, 430, -305),
    (0, 6, 2, 0, 28, -433, -441), (0, 7, 2, 1, 32, 242, -128), (0, 8, 2, 2, 36, -359, -87),
    (0, 9, 3, 0, 42, 33, 95), (0, 10, 3, 1, 46, -848, -253), (0, 11, 3, 2, 50, -95, 291),
    (1, 0, 0, 0, 168, -574, 188), (1, 1, 0, 1, 172, -133, 584), (1, 2, 0, 2, 176, 196, 223),
    (1, 3, 1, 0, 182, 528, 93), (1, 4, 1, 1, 186, -878, 410), (1, 5, 1, 2, 190, -1426, 746),
    (1, 6, 2, 0, 196, -518, 546), (1, 7, 2, 1, 200, -764, 1075), (1, 8, 2, 2, 204, -152, 168),
    (1, 9, 3, 0, 210, 750, -5), (1, 10, 3, 1, 214, -858, 930), (1, 11, 3, 2, 218, -347, 41),
];

const OFFSETS: [i32; 12] = [0, 2, 4, 28, 30, 32, 84, 86, 88, 112, 114, 116];

/// C in the order image, output, pixel.
pub const C: [i64; 48] = [
    630, 440, -56, -428, -622, 430, -433, 242, -359, 33, -848, -95, -936, -756, 25, -526, -231,
    -305, -441, -128, -87, 95, -253, 291, -574, -133, 196, 528, -878, -1426, -518, -764, -152, 750,
    -858, -347, 188, 584, 223, 93, 410, 746, 546, 1075, 168, -5, 930, 41,
];

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
    let mut different = C.to_vec();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), 48);
    let a = asymmetric_a();
    let at = |n: u32, c: u32, y: u32, x: u32| a[(((n * 2 + c) * 6 + y) * 7 + x) as usize];
    assert_eq!(convolve(&shape(), at, &b), C);
}

#[test]
fn sgcr_04_sgcr_05_sgcr_07_tables_of_5_3() {
    let tables = tables(&asymmetric());
    assert_eq!(tables.offsets, OFFSETS);
    assert_eq!((tables.pixels, tables.outputs), (12, 2));
    let rows = rows(&shape());
    assert_eq!(rows.len(), 24);
    for (index, (row, base)) in rows.iter().zip(&tables.bases).enumerate() {
        let (image, pixel, y, x, expected, _, _) = ROWS[index];
        assert_eq!(
            (row.image, row.pixel, row.y, row.x),
            (image, pixel, y, x),
            "row {index}"
        );
        assert_eq!(*base, expected, "row {index}");
    }
    assert_eq!(tables.check_in(336), Ok(()));
    // The last element begins at byte 334.
    tables.check_in(334).expect_err("too small");
}

#[test]
fn sgcr_32_all_48_results_of_5_3() {
    let c = run(&asymmetric(), &asymmetric_a(), &asymmetric_b());
    assert_eq!(c, C);
    for (index, (image, pixel, _, _, _, first, second)) in ROWS.into_iter().enumerate() {
        let at = |output: u32| c[((image * 2 + output) * 12 + pixel) as usize];
        assert_eq!((at(0), at(1)), (first, second), "row {index}");
    }
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
    let steps = [0, 2, 2, 24, 2, 2, 52, 2, 2, 24, 2, 2];
    assert_eq!(tables(&running).offsets, steps);
    assert_eq!(run(&running, &asymmetric_a(), &asymmetric_b()), C);
}

#[test]
fn sgcr_21_tables_read_back_from_a_file_give_the_same_results() {
    let wanted = Request {
        weight_base: Some(77),
        running: true,
        ..asymmetric()
    };
    let bytes = tables(&wanted).to_bytes().expect("sound tables");
    let read = Tables::from_bytes(&bytes).expect("a table file");
    let order = weight_order(&wanted);
    let c = gemm(&read, 2, &order, &asymmetric_a(), &asymmetric_b());
    assert_eq!(c, Ok(C.to_vec()));
    assert_eq!(read.weight_base, Some(77));
}

#[test]
fn sgcr_19_tables_without_a_weight_base_are_the_same_for_all_places_of_the_weights() {
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
