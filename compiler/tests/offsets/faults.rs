//! Deliberate errors of a generator: example 5.3 shows each of them.

use heddle_compiler::offsets::order::weight_order;
use heddle_compiler::offsets::{Convolution, Request, Tables};

use super::asymmetric::C;
use super::{asymmetric, asymmetric_a, asymmetric_b, convolve, gemm, tables};

/// One way to get the formulas of 4.3 and 4.4 wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    FilterSidesSwapped,
    InputSidesSwapped,
    OutputSidesSwapped,
    StridesSwapped,
    DilationsSwapped,
    NoImage,
    ImageOfOnePlane,
    NoElementSize,
    NoElementSizeOnBases,
    NoElementSizeOnOffsets,
    ElementSizeTwice,
    ChannelOfOneRow,
    ChannelOfOutputPlane,
    ChannelAndRowSwapped,
    CountersSwapped,
    ChannelFastest,
    DilationOnBases,
    StrideOnOffsets,
    NoStride,
    NoDilation,
    RowAndColumnSwapped,
    OutputWidthAsPitch,
    OffsetsAsSteps,
}

const FAULTS: [Fault; 23] = [
    Fault::FilterSidesSwapped,
    Fault::InputSidesSwapped,
    Fault::OutputSidesSwapped,
    Fault::StridesSwapped,
    Fault::DilationsSwapped,
    Fault::NoImage,
    Fault::ImageOfOnePlane,
    Fault::NoElementSize,
    Fault::NoElementSizeOnBases,
    Fault::NoElementSizeOnOffsets,
    Fault::ElementSizeTwice,
    Fault::ChannelOfOneRow,
    Fault::ChannelOfOutputPlane,
    Fault::ChannelAndRowSwapped,
    Fault::CountersSwapped,
    Fault::ChannelFastest,
    Fault::DilationOnBases,
    Fault::StrideOnOffsets,
    Fault::NoStride,
    Fault::NoDilation,
    Fault::RowAndColumnSwapped,
    Fault::OutputWidthAsPitch,
    Fault::OffsetsAsSteps,
];

/// The formulas of the specification for 5.3, with a fault.
fn faulty(fault: Fault) -> Tables {
    let is = |wanted| fault == wanted;
    let swap = |(a, b): (i32, i32), fault| if is(fault) { (b, a) } else { (a, b) };
    let (wi, hi) = swap((7, 6), Fault::InputSidesSwapped);
    let (r, s) = swap((3, 2), Fault::FilterSidesSwapped);
    let (wo, ho) = swap((3, 4), Fault::OutputSidesSwapped);
    let (mut su, mut sv) = swap((2, 1), Fault::StridesSwapped);
    let (mut du, mut dv) = swap((1, 2), Fault::DilationsSwapped);
    let (offset_su, offset_sv) = if is(Fault::StrideOnOffsets) {
        (su, sv)
    } else {
        (1, 1)
    };
    if is(Fault::NoStride) {
        (su, sv) = (1, 1);
    }
    if is(Fault::DilationOnBases) {
        (su, sv) = (su * du, sv * dv);
    }
    if is(Fault::NoDilation) {
        (du, dv) = (1, 1);
    }
    let size = |missing| match fault {
        Fault::NoElementSize => 1,
        Fault::ElementSizeTwice => 4,
        _ if is(missing) => 1,
        _ => 2,
    };
    let pitch = if is(Fault::OutputWidthAsPitch) {
        wo
    } else {
        wi
    };
    let image = match fault {
        Fault::NoImage => 0,
        Fault::ImageOfOnePlane => hi * wi,
        _ => 2 * hi * wi,
    };
    let mut bases = Vec::new();
    for tid in 0..24 {
        let (pix, ibs) = (tid % (wo * ho), tid / (wo * ho));
        let (y, x) = match fault {
            Fault::RowAndColumnSwapped => (pix % ho, pix / ho),
            _ => (pix / wo, pix % wo),
        };
        let base = ibs * image + y * sv * pitch + x * su;
        bases.push(base * size(Fault::NoElementSizeOnBases));
    }
    let (channel, row) = match fault {
        Fault::ChannelOfOneRow => (wi, wi),
        Fault::ChannelOfOutputPlane => (ho * wo, wi),
        Fault::ChannelAndRowSwapped => (wi, hi * wi),
        _ => (hi * wi, wi),
    };
    let mut taps = Vec::new();
    for c in 0..2 {
        match fault {
            Fault::CountersSwapped => {
                taps.extend((0..r).flat_map(|u| (0..s).map(move |v| (c, v, u))));
            }
            _ => taps.extend((0..s).flat_map(|v| (0..r).map(move |u| (c, v, u)))),
        }
    }
    if is(Fault::ChannelFastest) {
        taps.sort_by_key(|(c, v, u)| (*v, *u, *c));
    }
    let offset = |(c, v, u): (i32, i32, i32)| {
        let element = c * channel + v * dv * offset_sv * row + u * du * offset_su;
        element * size(Fault::NoElementSizeOnOffsets)
    };
    Tables {
        bases,
        offsets: taps.into_iter().map(offset).collect(),
        running: is(Fault::OffsetsAsSteps),
        ..tables(&asymmetric())
    }
}

fn results(tables: &Tables) -> Result<Vec<i64>, String> {
    let order = weight_order(&asymmetric());
    gemm(tables, 2, &order, &asymmetric_a(), &asymmetric_b())
}

#[test]
fn formulas_without_a_fault_are_the_generated_tables() {
    assert_eq!(faulty(Fault::None), tables(&asymmetric()));
    assert_eq!(results(&faulty(Fault::None)), Ok(C.to_vec()));
}

#[test]
fn example_5_3_shows_every_error_of_a_generator() {
    let mut outside = 0;
    for fault in FAULTS {
        let tables = faulty(fault);
        match results(&tables) {
            Ok(c) => assert_ne!(c, C, "{fault:?} is not shown"),
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
