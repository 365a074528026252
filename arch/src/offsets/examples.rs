//! Worked examples of the specification as literal data, for the tests of all who use tables.

/// 5.1: bases of four threads, 4 x 4 input, 3 x 3 filter.
pub const SMALL_BASES: [i32; 4] = [0, 1, 4, 5];

/// 5.1: offsets.
pub const SMALL_OFFSETS: [i32; 9] = [0, 1, 2, 4, 5, 6, 8, 9, 10];

/// The input of 5.1.
pub const SMALL_A: [i8; 16] = [1, 3, 2, 7, 5, 0, 4, 6, 8, 2, 1, 3, 9, 7, 5, 2];

/// The filter of 5.1.
pub const SMALL_B: [i8; 9] = [0, 1, 2, 10, 11, 12, 20, 21, 22];

/// 5.1.3: accumulators of threads 0 to 3 after step k.
pub const SMALL_SUMS: [[i32; 4]; 9] = [
    [0, 0, 0, 0],
    [3, 2, 0, 4],
    [7, 16, 8, 16],
    [57, 16, 88, 36],
    [57, 60, 110, 47],
    [105, 132, 122, 83],
    [265, 172, 302, 223],
    [307, 193, 449, 328],
    [329, 259, 559, 372],
];

/// 5.3: bases; batch 2, 2 channels, 2 filters, 2-byte elements.
pub const ASYMMETRIC_BASES: [i32; 24] = [
    0, 4, 8, 14, 18, 22, 28, 32, 36, 42, 46, 50, 168, 172, 176, 182, 186, 190, 196, 200, 204, 210,
    214, 218,
];

/// 5.3: offsets.
pub const ASYMMETRIC_OFFSETS: [i32; 12] = [0, 2, 4, 28, 30, 32, 84, 86, 88, 112, 114, 116];

/// 5.3: element i of the input.
pub fn asymmetric_a(i: i32) -> i8 {
    ((7 * i * i + 13 * i + 5) % 97 - 48) as i8
}

/// 5.3: weight j, j = channel * 12 + k.
pub fn asymmetric_b(j: i32) -> i8 {
    ((29 * j + 7) % 17 - 8) as i8
}

/// 5.3: both output channels of each thread.
pub const ASYMMETRIC_C: [[i32; 2]; 24] = [
    [630, -936],
    [440, -756],
    [-56, 25],
    [-428, -526],
    [-622, -231],
    [430, -305],
    [-433, -441],
    [242, -128],
    [-359, -87],
    [33, 95],
    [-848, -253],
    [-95, 291],
    [-574, 188],
    [-133, 584],
    [196, 223],
    [528, 93],
    [-878, 410],
    [-1426, 746],
    [-518, 546],
    [-764, 1075],
    [-152, 168],
    [750, -5],
    [-858, 930],
    [-347, 41],
];

/// 5.5: bases with their masks of filter rows and columns; 3 x 3 input 1 to 9, 3 x 3 filter 1 to 9,
/// padding 1 on every side. In the masks of the document the leftmost digit is filter row or column 0.
pub const PADDED_BASES: [(i32, u16, u16); 9] = [
    (-4, 0b110, 0b110),
    (-3, 0b110, 0b111),
    (-2, 0b110, 0b011),
    (-1, 0b111, 0b110),
    (0, 0b111, 0b111),
    (1, 0b111, 0b011),
    (2, 0b011, 0b110),
    (3, 0b011, 0b111),
    (4, 0b011, 0b011),
];

/// 5.5: tap k, its filter row and column one-hot.
pub fn padded_tap(k: i32) -> (i32, u16, u16) {
    (k, 1 << (k / 3), 1 << (k % 3))
}

/// 5.5: results.
pub const PADDED_C: [i32; 9] = [94, 154, 106, 186, 285, 186, 106, 154, 94];
