//! Sizes of tables: the first table of 5.9.

use heddle_blocks::offsets::size::{Sizes, sizes};
use heddle_blocks::offsets::{Convolution, Pad, Request};

use super::{asymmetric, convolution, figure13, request, sides, tables};

#[track_caller]
fn check(wanted: &Request, numbers: [u64; 5], growth: f64, bits: [u32; 2], distinct_steps: usize) {
    let found = sizes(wanted, &tables(wanted));
    let [rows, taps, entries, matrix_entries, tensor_elements] = numbers;
    let expected = Sizes {
        rows,
        taps,
        entries,
        matrix_entries,
        tensor_elements,
        growth: found.growth,
        base_bits: bits[0],
        offset_bits: bits[1],
        distinct_steps,
    };
    assert_eq!(found, expected);
    assert!((found.growth - growth).abs() < 0.005, "{}", found.growth);
    let running = Request {
        running: true,
        ..wanted.clone()
    };
    assert_eq!(sizes(&running, &tables(&running)), expected);
}

#[proves("SGCR-02")]
#[test]
fn tables_of_5_9_and_what_they_replace() {
    check(&request(figure13()), [4, 9, 13, 36, 16], 2.25, [3, 4], 2);
    check(&asymmetric(), [24, 12, 36, 288, 168], 1.71, [8, 7], 3);
    let bordered = Convolution {
        channels: 64,
        outputs: 64,
        padding: sides(1),
        pad: Pad::Border,
        ..convolution(56, 56, [3, 3])
    };
    let bordered = request(bordered);
    check(
        &bordered,
        [3136, 576, 3712, 1_806_336, 215_296],
        8.39,
        [12, 18],
        3,
    );
    let running = Request {
        running: true,
        ..bordered
    };
    let mut steps = tables(&running).offsets[1..].to_vec();
    steps.sort_unstable();
    steps.dedup();
    assert_eq!(steps, [1, 56, 3246]);
    let strided = Convolution {
        channels: 3,
        outputs: 96,
        stride: [4, 4],
        ..convolution(227, 227, [11, 11])
    };
    check(
        &request(strided),
        [3025, 363, 3388, 1_098_075, 154_587],
        7.10,
        [16, 17],
        3,
    );
    let pointwise = Convolution {
        channels: 256,
        ..convolution(14, 14, [1, 1])
    };
    check(
        &request(pointwise),
        [196, 256, 452, 50_176, 50_176],
        1.00,
        [8, 16],
        1,
    );
}

#[test]
fn negative_bases_take_a_bit_for_the_sign() {
    let masked = Convolution {
        padding: sides(1),
        pad: Pad::Mask,
        ..convolution(3, 3, [3, 3])
    };
    // Bases -4 to 4.
    let masked = request(masked);
    let found = sizes(&masked, &tables(&masked));
    assert_eq!((found.base_bits, found.offset_bits), (4, 4));
}
