//! The worked examples of the specification as layers, and their results.

use super::bench::Bench;
use super::layer::{Layer, MASKS, STEPS};
use super::loops::convolve;
use super::reads::Read;
use super::variants::VARIANTS;
use heddle_sim::blocks::offsets::examples::{self, Lists};

/// Operand of row m and tap k: its byte address and its value; `None` is a tap that is not read.
pub type Operands = Vec<Vec<Option<Read>>>;

/// 5.1.
pub fn small() -> Layer {
    Layer::new(examples::small(), &examples::SMALL_A, &examples::SMALL_B, 0)
}

/// Results of 5.1.
pub const SMALL_C: [i32; 4] = [329, 259, 559, 372];

/// 5.3.
pub fn asymmetric() -> Layer {
    let weights: Vec<i8> = (0..24).map(examples::asymmetric_b).collect();
    let mut layer = Layer::new(examples::asymmetric(), &[], &weights, 0);
    let operand = |i: i32| (2 * i as u32, examples::asymmetric_a(i));
    layer.operands = (0..168).map(operand).collect();
    layer
}

/// Results of 5.3, channel by channel.
pub fn asymmetric_c() -> Vec<i32> {
    let channel = |n: usize| examples::ASYMMETRIC_C.iter().map(move |sums| sums[n]);
    channel(0).chain(channel(1)).collect()
}

/// 5.5 by mask.
pub fn padded() -> Layer {
    let weights: Vec<i8> = (1..10).collect();
    Layer::new(examples::padded(), &weights, &weights, MASKS)
}

/// 5.5 with a border in memory.
pub fn bordered() -> Layer {
    let mut operands = [0; 25];
    for y in 0..3 {
        for x in 0..3 {
            operands[5 * (y + 1) + x + 1] = (3 * y + x + 1) as i8;
        }
    }
    let weights: Vec<i8> = (1..10).collect();
    Layer::new(examples::bordered(), &operands, &weights, 0)
}

/// 5.6 in one of its layouts.
pub fn layout(number: usize, running: bool) -> Layer {
    let lists = &examples::LAYOUTS[number];
    let offsets = if running { lists.steps } else { lists.offsets };
    let lists = Lists::plain(&lists.bases, &offsets);
    let mut operands = [0; 48];
    for place in 0..48 {
        let [n, c, y, x] = [place / 24, place / 6 % 4, place / 3 % 2, place % 3];
        let value = (37 * place + 11) % 251;
        operands[examples::layout_place(number, [n, c, y, x])] = value as u8 as i8;
    }
    let weights: Vec<i8> = (0..24).map(|j| (j * 41 + 3) as u8 as i8).collect();
    let mode = if running { STEPS } else { 0 };
    Layer::new(lists, &operands, &weights, mode)
}

/// 5.6: loops over the logical tensor, three channels, 2 x 2 pixels of 2 images; an element lies where the layout puts it.
pub fn layout_operands(number: usize) -> Operands {
    let operand = |n: usize, c: usize, y: usize, x: usize| {
        let logical = ((n * 4 + c) * 2 + y) * 3 + x;
        let place = examples::layout_place(number, [n, c, y, x]);
        Some((place as u32, ((37 * logical + 11) % 251) as u8 as i8))
    };
    let row = |m: usize| {
        let taps = (0..8).map(|k| operand(m / 4, k / 2, m / 2 % 2, m % 2 + k % 2));
        taps.collect()
    };
    (0..8).map(row).collect()
}

/// Results of 5.6.
pub fn layout_c() -> Vec<i32> {
    let values = |row: &Vec<Option<Read>>| row.iter().map(|read| read.map(|read| read.1)).collect();
    let operands: Vec<Vec<_>> = layout_operands(0).iter().map(values).collect();
    convolve(&operands, &layout(0, false).weights)
}

/// The numeric instance of 5.2: two threads, three offsets.
pub fn two_threads() -> Layer {
    let lists = Lists::plain(&[100, 200], &[0, 3, 7]);
    let mut layer = Layer::new(lists, &[], &[1, 10, 100], 0);
    let places = [100, 103, 107, 200, 203, 207];
    layer.operands = places.into_iter().zip([1, 2, 3, 4, 5, 6]).collect();
    layer
}

/// 5.7: 50 rows, 12 taps, one filter.
pub fn figure_15() -> (Layer, Vec<i32>) {
    let element = |at: usize| (at as u8).wrapping_mul(53) as i8;
    let operands: Vec<i8> = (0..168).map(element).collect();
    let weights: Vec<i8> = (1..=12).collect();
    let image = |n: i32| (0..5).flat_map(move |h| (0..5).map(move |w| n * 84 + h * 7 + w));
    let bases: Vec<i32> = image(0).chain(image(1)).collect();
    let offsets = [0, 1, 2, 7, 8, 9, 42, 43, 44, 49, 50, 51];
    let sum = |n: usize, h: usize, w: usize| -> i32 {
        let taps = (0..2).flat_map(|c| (0..2).flat_map(move |s| (0..3).map(move |r| (c, s, r))));
        let products = taps.zip(&weights).map(|((c, s, r), weight)| {
            let at = ((n * 2 + c) * 6 + h + s) * 7 + w + r;
            i32::from(element(at)) * i32::from(*weight)
        });
        products.sum()
    };
    let pixels = (0..2).flat_map(|n| (0..25).map(move |p| (n, p / 5, p % 5)));
    let expected = pixels.map(|(n, h, w)| sum(n, h, w)).collect();
    let layer = Layer::new(Lists::plain(&bases, &offsets), &operands, &weights, 0);
    (layer, expected)
}

/// A fully connected layer of 3 images, 7 inputs, 5 outputs.
pub fn connected() -> Layer {
    let operands: Vec<i8> = (0..21).map(|i| (i * 29 + 5) as u8 as i8).collect();
    let weights: Vec<i8> = (0..35).map(|i| (i * 53 + 9) as u8 as i8).collect();
    let lists = Lists::plain(&[0, 7, 14], &[0, 1, 2, 3, 4, 5, 6]);
    Layer::new(lists, &operands, &weights, 0)
}

/// The matrix product of a fully connected layer.
pub fn product(layer: &Layer, inputs: usize) -> Vec<i32> {
    let operands: Vec<_> = layer.operands.iter().map(|pair| Some(pair.1)).collect();
    let images: Vec<_> = operands.chunks(inputs).map(<[_]>::to_vec).collect();
    convolve(&images, &layer.weights)
}

pub fn bench() -> Bench {
    Bench::new(&VARIANTS, 1)
}

/// All cores.
pub fn names() -> Vec<String> {
    VARIANTS
        .sides
        .iter()
        .map(|side| side.name.clone())
        .collect()
}
