//! The tables of 5.9 on the golden model: what is loaded, what is read in its place, cache lines.

use super::{loaded, options, program};
use heddle_sim::offsets::examples::{self, Lists};
use heddle_sim::offsets::{Kind, OffsetState, Run, UnitOptions};
use std::collections::BTreeSet;

/// A convolution of one image, square, stored by planes, one byte for each element.
#[derive(Clone, Copy)]
struct Plane {
    size: i32,
    channels: i32,
    filter: i32,
    stride: i32,
}

impl Plane {
    fn outputs(&self) -> i32 {
        (self.size - self.filter) / self.stride + 1
    }

    /// Figures 9 and 10.
    fn lists(&self) -> Lists {
        let out = self.outputs();
        let base = |m: i32| m / out * self.stride * self.size + m % out * self.stride;
        let square = self.filter * self.filter;
        let offset = |k: i32| {
            let (c, v, u) = (k / square, k / self.filter % self.filter, k % self.filter);
            c * self.size * self.size + v * self.size + u
        };
        let bases: Vec<i32> = (0..out * out).map(base).collect();
        let offsets: Vec<i32> = (0..self.channels * square).map(offset).collect();
        Lists::plain(&bases, &offsets)
    }
}

/// A unit with room for the lists.
fn unit(rows: usize, broadcast: bool) -> UnitOptions {
    UnitOptions {
        address_bits: 24,
        bases: 4096,
        offsets: 1024,
        broadcast,
        ..options(rows, 1)
    }
}

fn start(options: &UnitOptions, lists: &Lists) -> Run {
    let run = loaded(options, lists, 1, 0).start();
    run.expect("the run is legal")
}

fn bits(list: &[(i32, u16, u16)]) -> u32 {
    let most = list.iter().map(|entry| entry.0).max().unwrap_or(0);
    32 - most.leading_zeros()
}

#[test]
fn sgcr_02_a_run_reads_what_the_tables_of_5_9_stand_for() {
    let plane = |size, channels, filter, stride| {
        Plane {
            size,
            channels,
            filter,
            stride,
        }
        .lists()
    };
    // T, K, entries, reads in place of an im2col matrix, elements of A, growth, bits of a base and
    // an offset, different steps.
    for (lists, element_bytes, [t, k, entries, matrix, elements], growth, widths, steps) in [
        (plane(4, 1, 3, 1), 1, [4, 9, 13, 36, 16], 2.25, (3, 4), 2),
        (
            examples::asymmetric(),
            2,
            [24, 12, 36, 288, 168],
            1.71,
            (8, 7),
            3,
        ),
        (
            plane(58, 64, 3, 1),
            1,
            [3136, 576, 3712, 1_806_336, 215_296],
            8.39,
            (12, 18),
            3,
        ),
        (
            plane(227, 3, 11, 4),
            1,
            [3025, 363, 3388, 1_098_075, 154_587],
            7.10,
            (16, 17),
            3,
        ),
        (
            plane(14, 256, 1, 1),
            1,
            [196, 256, 452, 50_176, 50_176],
            1.00,
            (8, 16),
            1,
        ),
    ] {
        let options = unit(64, true);
        let mut state = OffsetState::new(&options);
        for write in program(&lists, 1, 0) {
            state.write(&write, false);
        }
        let is_entry = |kind: Kind| matches!(kind, Kind::Base | Kind::Offset);
        let writes = program(&lists, 1, 0).into_iter();
        assert_eq!(writes.filter(|write| is_entry(write.kind)).count(), entries);
        let bases = state.bases.iter().flatten().count();
        let offsets = state.offsets.iter().flatten().count();
        assert_eq!([bases, offsets, bases + offsets], [t, k, entries]);
        let run = state.start().expect("the run is legal");
        assert_eq!(run.reads(), matrix);
        // Every address lies in A; the last element is the last operand.
        let reads = run.slots.iter().flat_map(|slot| &slot.rows).flatten();
        let last = reads.max().map(|address| *address as usize / element_bytes);
        assert_eq!(last.map(|last| last + 1), Some(elements));
        assert!((matrix as f64 / elements as f64 - growth).abs() < 0.005);
        assert_eq!((bits(&lists.bases), bits(&lists.offsets)), widths);
        let running = lists.steps();
        let different: BTreeSet<i32> = running.offsets[1..].iter().map(|entry| entry.0).collect();
        assert_eq!(different.len(), steps, "{different:?}");
        if k == 576 {
            assert_eq!(different, BTreeSet::from([1, 56, 3246]));
        }
    }
}

#[test]
fn sgcr_11_steps_of_5_9_run_as_the_offsets_do() {
    let plane = Plane {
        size: 58,
        channels: 64,
        filter: 3,
        stride: 1,
    };
    let options = unit(64, true);
    let lists = plane.lists();
    let absolute = start(&options, &lists);
    let running = loaded(&options, &lists.steps(), 1, super::STEPS).start();
    assert_eq!(running.expect("the run is legal").slots, absolute.slots);
}

/// Misses of a fully associative cache that drops the line used longest ago.
fn fills(addresses: &[u32], line: u32, capacity: usize) -> usize {
    let mut lines: Vec<u32> = Vec::new();
    let mut fills = 0;
    for address in addresses {
        let wanted = address / line;
        match lines.iter().position(|held| *held == wanted) {
            Some(place) => {
                lines.remove(place);
            }
            None => {
                fills += 1;
                if lines.len() == capacity {
                    lines.remove(0);
                }
            }
        }
        lines.push(wanted);
    }
    fills
}

/// Reads with all rows of a tile at one tap, and with one row after the other.
fn orders(lists: &Lists, rows: usize) -> [Run; 2] {
    [
        start(&unit(rows, true), lists),
        start(&unit(1, true), lists),
    ]
}

fn reads(run: &Run) -> Vec<u32> {
    let rows = run.slots.iter().flat_map(|slot| &slot.rows);
    rows.flatten().copied().collect()
}

/// Line reads when the rows of a step share them.
fn merged(run: &Run, line: u32) -> usize {
    let steps = run.slots.iter().filter(|slot| slot.load.is_none());
    let lines = steps.map(|slot| {
        let lines: BTreeSet<u32> = slot.rows.iter().flatten().map(|a| a / line).collect();
        lines.len()
    });
    lines.sum()
}

#[test]
fn sgcr_36_reads_of_a_run_fill_the_cache_lines_of_5_9() {
    let [together, apart] = orders(&examples::small(), 4);
    for (capacity, expected) in [(1, (16, 12)), (2, (4, 10)), (3, (4, 4))] {
        let found = [&together, &apart].map(|run| fills(&reads(run), 4, capacity));
        assert_eq!((found[0], found[1]), expected, "{capacity} lines");
    }
    assert_eq!((merged(&together, 4), together.reads()), (18, 36));
    let plane = Plane {
        size: 34,
        channels: 8,
        filter: 3,
        stride: 1,
    };
    let [together, apart] = orders(&plane.lists(), 16);
    for (capacity, expected) in [
        (4, (3072, 27648)),
        (16, (3072, 27648)),
        (32, (3072, 1652)),
        (64, (584, 584)),
    ] {
        let found = [&together, &apart].map(|run| fills(&reads(run), 16, capacity));
        assert_eq!((found[0], found[1]), expected, "{capacity} lines");
    }
    assert_eq!((merged(&together, 16), together.reads()), (8832, 73_728));
    assert_eq!(fills(&reads(&together), 16, 1000), 578);
}
