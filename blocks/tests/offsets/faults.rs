//! Deliberate errors of a generator: example 5.3 shows each of them.

use heddle_blocks::offsets::order::weight_order;
use heddle_blocks::offsets::{Convolution, Request, Tables};

use super::asymmetric::c;
use super::{asymmetric, asymmetric_a, asymmetric_b, convolve, gemm, tables};

/// The formulas of the specification for 5.3, x before y; a fault changes something.
struct Formulas {
    /// Width of a line, outputs in x and y.
    line: i32,
    out: [i32; 2],
    filter: [i32; 2],
    /// Strides of the bases and of the offsets, dilations of both.
    stride: [i32; 2],
    offset_stride: [i32; 2],
    dilation: [i32; 2],
    base_dilation: [i32; 2],
    /// Elements of an image and of a channel, and a line of the filter's rows.
    image: i32,
    channel: i32,
    row: i32,
    /// Bytes of an element, in bases and in offsets.
    size: [i32; 2],
    /// Column by column instead of row by row.
    by_column: bool,
    /// Order of the taps by channel, row and column.
    order: fn(i32, i32, i32) -> (i32, i32, i32),
    running: bool,
}

impl Formulas {
    fn tables(&self) -> Tables {
        let [wo, ho] = self.out;
        let base = |thread: i32| {
            let (pixel, image) = (thread % (wo * ho), thread / (wo * ho));
            let (y, x) = match self.by_column {
                true => (pixel % ho, pixel / ho),
                false => (pixel / wo, pixel % wo),
            };
            let [x, y] =
                [0, 1].map(|axis| [x, y][axis] * self.stride[axis] * self.base_dilation[axis]);
            (image * self.image + y * self.line + x) * self.size[0]
        };
        let [r, s] = self.filter;
        let mut taps: Vec<_> = (0..2 * r * s)
            .map(|k| (k / (r * s), k / r % s, k % r))
            .collect();
        taps.sort_by_key(|(c, v, u)| (self.order)(*c, *v, *u));
        let offset = |(c, v, u): (i32, i32, i32)| {
            let [u, v] =
                [0, 1].map(|axis| [u, v][axis] * self.dilation[axis] * self.offset_stride[axis]);
            (c * self.channel + v * self.row + u) * self.size[1]
        };
        Tables {
            bases: (0..24).map(base).collect(),
            offsets: taps.into_iter().map(offset).collect(),
            running: self.running,
            ..tables(&asymmetric())
        }
    }
}

/// The tables with what `change` makes of the formulas.
fn faulty(change: impl Fn(&mut Formulas)) -> Tables {
    let mut formulas = Formulas {
        line: 7,
        out: [3, 4],
        filter: [3, 2],
        stride: [2, 1],
        offset_stride: [1, 1],
        dilation: [1, 2],
        base_dilation: [1, 1],
        image: 84,
        channel: 42,
        row: 7,
        size: [2, 2],
        by_column: false,
        order: |c, v, u| (c, v, u),
        running: false,
    };
    change(&mut formulas);
    formulas.tables()
}

/// A way to get the formulas of 4.3 and 4.4 wrong.
type Fault = (&'static str, fn(&mut Formulas));

const FAULTS: [Fault; 23] = [
    ("sides of the filter swapped", |f| f.filter = [2, 3]),
    ("sides of the input swapped", |f| (f.line, f.row) = (6, 6)),
    ("sides of the output swapped", |f| f.out = [4, 3]),
    ("strides swapped", |f| f.stride = [1, 2]),
    ("dilations swapped", |f| f.dilation = [2, 1]),
    ("no image", |f| f.image = 0),
    ("an image of one plane", |f| f.image = 42),
    ("no element size", |f| f.size = [1, 1]),
    ("no element size on bases", |f| f.size = [1, 2]),
    ("no element size on offsets", |f| f.size = [2, 1]),
    ("element size twice", |f| f.size = [4, 4]),
    ("a channel of one row", |f| f.channel = 7),
    ("a channel of an output plane", |f| f.channel = 12),
    ("channel and row swapped", |f| (f.channel, f.row) = (7, 42)),
    ("counters swapped", |f| f.order = |c, v, u| (c, u, v)),
    ("channel fastest", |f| f.order = |c, v, u| (v, u, c)),
    ("dilation on bases", |f| f.base_dilation = [1, 2]),
    ("stride on offsets", |f| f.offset_stride = [2, 1]),
    ("no stride", |f| f.stride = [1, 1]),
    ("no dilation", |f| f.dilation = [1, 1]),
    ("row and column swapped", |f| f.by_column = true),
    ("output width as the line", |f| f.line = 3),
    ("offsets taken for steps", |f| f.running = true),
];

fn results(tables: &Tables) -> Result<Vec<i64>, String> {
    let order = weight_order(&asymmetric());
    gemm(tables, 2, &order, &asymmetric_a(), &asymmetric_b())
}

#[test]
fn formulas_without_a_fault_are_the_generated_tables() {
    assert_eq!(faulty(|_| ()), tables(&asymmetric()));
    assert_eq!(results(&faulty(|_| ())), Ok(c()));
}

#[test]
fn example_5_3_shows_every_error_of_a_generator() {
    let mut outside = 0;
    for (fault, change) in FAULTS {
        match results(&faulty(change)) {
            Ok(found) => assert_ne!(found, c(), "{fault} is not shown"),
            Err(_) => outside += 1,
        }
    }
    // Both kinds of evidence occur.
    assert!((1..FAULTS.len()).contains(&outside), "{outside}");
}

#[test]
fn two_groups_show_an_image_pitch_of_one_group() {
    let shape = Convolution {
        groups: 2,
        ..asymmetric().convolution.expect("a convolution")
    };
    let wanted = Request {
        convolution: Some(shape.clone()),
        ..asymmetric()
    };
    let a = asymmetric_a();
    let at = |n: u32, c: u32, y: u32, x: u32| a[(((n * 2 + c) * 6 + y) * 7 + x) as usize];
    let weights = &asymmetric_b()[..12];
    let expected = convolve(&shape, at, weights);
    let run = |tables: &Tables, group: usize| {
        let memory = &a[group * 42..];
        let weights = &weights[group * 6..][..6];
        gemm(tables, 2, &weight_order(&wanted), memory, weights)
    };
    let sound = tables(&wanted);
    let mut faulty = sound.clone();
    for base in &mut faulty.bases[12..] {
        *base -= 84;
    }
    for group in 0..2 {
        let images = [0, 1].map(|image| &expected[(image * 2 + group) * 12..][..12]);
        assert_eq!(run(&sound, group), Ok(images.concat()));
        assert_ne!(run(&faulty, group), Ok(images.concat()));
    }
}
