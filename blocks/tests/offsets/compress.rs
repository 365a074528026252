//! Compressed tables.

use heddle_blocks::offsets::compress::{
    bases_by_counters, bases_by_image, compress, offsets_by_channel, offsets_by_counters,
};
use heddle_blocks::offsets::{Convolution, Fill, Filled, Nest, Pad, Repeat, Request, Table};

use super::{asymmetric, convolution, request, sides, tables};

fn only(fill: Fill) -> Filled {
    Filled {
        written: Vec::new(),
        fills: vec![fill],
    }
}

fn repeat([entry, block, blocks]: [u32; 3], step: i32) -> Fill {
    Fill::Repeat(Repeat {
        entry,
        block,
        blocks,
        step,
    })
}

fn nest(value: i32, counts: [u32; 3], steps: [i32; 3]) -> Fill {
    Fill::Nest(Nest {
        entry: 0,
        value,
        counts,
        steps,
    })
}

#[proves("SGCR-49")]
#[test]
fn the_12_bases_of_an_image_and_a_step_of_168_bytes_are_24_bases() {
    let filled = bases_by_image(&asymmetric()).expect("a batch");
    let repeat = repeat([12, 12, 1], 168);
    assert_eq!(filled.fills, [repeat]);
    assert_eq!(filled.written, tables(&asymmetric()).bases[..12]);
    assert_eq!(filled.expand(), tables(&asymmetric()).bases);
    assert_eq!(filled.words(), 15);
}

#[proves("SGCR-50")]
#[test]
fn increments_of_5_3_reproduce_both_lists() {
    let bases = bases_by_counters(&asymmetric()).expect("counters");
    assert_eq!(bases, only(nest(0, [3, 4, 2], [4, 6, 118])));
    assert_eq!(bases.expand(), tables(&asymmetric()).bases);
    let offsets = offsets_by_counters(&asymmetric()).expect("counters");
    assert_eq!(offsets, only(nest(0, [3, 2, 2], [2, 24, 52])));
    assert_eq!(offsets.expand(), tables(&asymmetric()).offsets);
    let channels = offsets_by_channel(&asymmetric()).expect("channels");
    assert_eq!(channels.written, [0, 2, 4, 28, 30, 32]);
    let repeat = repeat([6, 6, 1], 84);
    assert_eq!(channels.fills, [repeat]);
    assert_eq!(channels.expand(), tables(&asymmetric()).offsets);
}

#[test]
fn fills_are_writes_of_registers() {
    let nest = nest(-3, [3, 2, 1], [2, -24, 52]);
    let expected = [2, 100, -3, 3, 2, 2, -24, 1, 52, 0].map(|value: i32| value as u32);
    let expected: Vec<_> = (16..).zip(expected).collect();
    assert_eq!(nest.registers(Table::Offsets, 100), expected);
    let repeat = repeat([12, 6, 5], -1);
    let writes = repeat.registers(Table::Bases, 100);
    for write in [
        (16, 1),
        (17, 112),
        (19, 6),
        (20, u32::MAX),
        (21, 5),
        (25, 1),
    ] {
        assert!(writes.contains(&write), "{write:?} in {writes:?}");
    }
}

#[test]
fn lists_without_a_nest_are_named_so() {
    let list = |offsets: &[i32]| {
        let mut tables = tables(&asymmetric());
        tables.offsets = offsets.to_vec();
        compress(&tables).offsets
    };
    assert_eq!(list(&[0, 1, 3, 7, 15, 31]), None);
    assert_eq!(list(&[0, 1, 2, 3, 4, 6]), None);
    assert_eq!(list(&[5]), Some(only(nest(5, [1, 1, 1], [0, 0, 0]))));
    assert_eq!(list(&[5, 2]), Some(only(nest(5, [2, 1, 1], [-3, 0, 0]))));
    // A block without a nest that is repeated.
    let found = list(&[0, 5, 1, 2, 100, 105, 101, 102]).expect("a copy");
    assert_eq!(found.written, [0, 5, 1, 2]);
    assert_eq!(found.fills.len(), 1);
    assert_eq!(found.expand(), [0, 5, 1, 2, 100, 105, 101, 102]);
    // Four counters: a nest of three and copies.
    let mut four = Vec::new();
    for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
        for (c, d) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            four.push(a * 1000 - b * 300 + c * 17 + d * 5);
        }
    }
    let found = list(&four).expect("four counters");
    assert_eq!((found.written.len(), found.fills.len()), (0, 2));
    assert_eq!(found.expand(), four);
    // Steps of an NCHW list have no constant distance.
    let running = Request {
        running: true,
        ..asymmetric()
    };
    assert_eq!(compress(&tables(&running)).offsets, None);
    assert_eq!(offsets_by_counters(&running), None);
}

#[test]
fn masked_entries_are_copied_with_their_masks() {
    let padded = |images| {
        let shape = Convolution {
            channels: 3,
            images,
            pad: Pad::Mask,
            padding: sides(1),
            ..convolution(4, 5, [3, 3])
        };
        tables(&request(shape))
    };
    let tables = padded(2);
    let found = compress(&tables);
    let bases = found.bases.expect("images");
    assert_eq!((bases.written.len(), bases.fills.len()), (20, 1));
    assert_eq!(bases.expand(), tables.bases);
    let offsets = found.offsets.expect("channels");
    assert_eq!((offsets.written.len(), offsets.fills.len()), (9, 1));
    assert_eq!(offsets.expand(), tables.offsets);
    // The bases of one image are a nest, but each needs mask bits of its own.
    assert_eq!(compress(&padded(1)).bases, None);
}
