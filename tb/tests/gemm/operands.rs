//! What the memories of the cores are read for in the worked examples: every address with the byte
//! that it gives, row by row and step by step, and every weight word.

use super::bench::Bench;
use super::examples::{asymmetric, bench, bordered, connected, layout, names, padded, small};
use super::layer::{Layer, MASKS, WEIGHTS};
use super::loops::walk;
use super::reads::Read;
use super::sides::{Side, design};
use super::variants::options;
use heddle_compiler::offsets::access::line_fills;
use heddle_sim::offsets::examples::{self, Lists};
use std::collections::BTreeSet;

/// Operand of row m and tap k: its byte address and its value; `None` is a tap that is not read.
type Operands = Vec<Vec<Option<Read>>>;

/// Columns of 5.1.2 and of the blocks of figure 14.
fn small_operands() -> Operands {
    let of_row = |m: usize| {
        let steps = examples::SMALL_ADDRESSES
            .iter()
            .zip(examples::SMALL_VALUES[m]);
        steps.map(|(step, value)| Some((step[m], value))).collect()
    };
    (0..4).map(of_row).collect()
}

/// Bases and offsets of 5.3 with the formula of its elements.
fn asymmetric_operands() -> Operands {
    let operand = |base: i32, offset: &i32| {
        let address = base + offset;
        Some((address as u32, examples::asymmetric_a(address / 2)))
    };
    let offsets = examples::ASYMMETRIC_OFFSETS;
    let bases = examples::ASYMMETRIC_BASES.into_iter();
    bases
        .map(|base| offsets.iter().map(|k| operand(base, k)).collect())
        .collect()
}

/// The table of 5.5: the byte at address a is a + 1.
fn padded_operands() -> Operands {
    let operand = |address: &i32| {
        let address = u32::try_from(*address).ok()?;
        Some((address, address as i8 + 1))
    };
    let rows = examples::PADDED_ADDRESSES.iter();
    rows.map(|row| row.iter().map(operand).collect()).collect()
}

/// 5.5 with a border: 3 x 3 windows of a plane of 5 x 5 with 1 to 9 in its middle.
fn bordered_operands() -> Operands {
    let operand = |y: u32, x: u32| {
        let inside = (1..4).contains(&y) && (1..4).contains(&x);
        let value = if inside { 3 * (y - 1) + x } else { 0 };
        Some((5 * y + x, value as i8))
    };
    let row = |m: u32| {
        let taps = (0..9).map(|k| operand(m / 3 + k / 3, m % 3 + k % 3));
        taps.collect()
    };
    (0..9).map(row).collect()
}

/// 5.6: loops over the logical tensor; its element lies where the layout puts it.
fn layout_operands(number: usize) -> Operands {
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

/// The matrix of the fully connected layer.
fn connected_operands() -> Operands {
    let operand = |at: u32| Some((at, (at * 29 + 5) as u8 as i8));
    let row = |m: u32| (0..7).map(|k| operand(7 * m + k)).collect();
    (0..3).map(row).collect()
}

/// Runs the layer on a core in both mappings: every read is that of the list.
#[track_caller]
fn check(bench: &mut Bench, name: &str, layer: &Layer, operands: &Operands) {
    for stationary in [false, true] {
        let mode = layer.mode | if stationary { WEIGHTS } else { 0 };
        let run = bench.run_one(name, &layer.with_mode(mode));
        let options = &bench.side(name).options;
        let tiles = layer.outputs.div_ceil(options.unit.cols);
        let expected = walk(operands, options.unit.rows, tiles, stationary);
        let values = |row: &Vec<Read>| row.iter().map(|read| read.1).collect::<Vec<_>>();
        let values: Vec<_> = expected.iter().map(values).collect();
        assert_eq!(run.reads.rows, values, "{name}, mode {mode}");
        if options.banks == 0 {
            assert_eq!(run.reads.memories, expected, "{name}, mode {mode}");
            continue;
        }
        // Which row is served first is for the model to say; what is read is not.
        let banks = run.reads.memories.iter().enumerate();
        let mut found: Vec<Read> = banks
            .flat_map(|(bank, reads)| {
                let address = move |at: u32| at * options.banks as u32 + bank as u32;
                reads.iter().map(move |(at, byte)| (address(*at), *byte))
            })
            .collect();
        let mut expected = expected.concat();
        found.sort_unstable();
        expected.sort_unstable();
        if options.merge {
            found.dedup();
            expected.dedup();
        }
        assert_eq!(found, expected, "{name}, mode {mode}");
    }
}

#[test]
fn sgcr_10_sgcr_25_rows_read_the_bytes_at_the_addresses_of_5_1_2() {
    let mut bench = bench();
    let run = bench.run_one("four", &small());
    // Row 0 reads 1, 3, 2, 5, .. at 0, 1, 2, 4, ..
    let literal = [
        (0, 1),
        (1, 3),
        (2, 2),
        (4, 5),
        (5, 0),
        (6, 4),
        (8, 8),
        (9, 2),
        (10, 1),
    ];
    assert_eq!(run.reads.memories[0], literal);
    for name in names() {
        check(&mut bench, &name, &small(), &small_operands());
    }
}

#[test]
fn sgcr_25_rows_read_the_elements_of_5_3_thread_17_among_them() {
    let operands = asymmetric_operands();
    let thread = operands[17].iter().flatten().map(|read| read.0);
    assert!(thread.eq(examples::ASYMMETRIC_17));
    let values = [-41, 48, -43, -43, 48, -41, 37, 35, 47, 22, 22, 36];
    assert!(operands[17].iter().flatten().map(|read| read.1).eq(values));
    let mut bench = bench();
    for name in names() {
        check(&mut bench, &name, &asymmetric(), &operands);
    }
}

#[test]
fn sgcr_25_sgcr_47_sgcr_48_rows_read_5_5_by_mask_and_with_a_border() {
    let mut bench = bench();
    for name in names() {
        let layer = padded().with_mode(MASKS);
        check(&mut bench, &name, &layer, &padded_operands());
        check(&mut bench, &name, &bordered(), &bordered_operands());
    }
}

#[test]
fn sgcr_11_sgcr_25_rows_read_every_layout_of_5_6_and_a_fully_connected_layer() {
    let mut bench = bench();
    for name in names() {
        for number in 0..5 {
            let operands = layout_operands(number);
            check(&mut bench, &name, &layout(number, false), &operands);
            check(&mut bench, &name, &layout(number, true), &operands);
        }
        check(&mut bench, &name, &connected(), &connected_operands());
    }
}

/// Misses of a cache of lines of 4 bytes that drops the one used longest ago.
fn fills(addresses: &[u32], capacity: usize) -> u64 {
    line_fills(addresses.iter().copied().map(i64::from), 4, capacity)
}

#[test]
fn sgcr_36_reads_of_the_memories_fill_the_cache_lines_of_5_9() {
    let mut bench = bench();
    // Four rows that read at once, and one row that has one thread after the other.
    let together = bench.run_one("broad", &small()).reads.memories;
    let steps: Vec<Vec<u32>> = (0..9)
        .map(|step| together.iter().map(|reads| reads[step].0).collect())
        .collect();
    let apart = bench.run_one("single", &small()).reads.memories;
    let apart: Vec<u32> = apart[0].iter().map(|read| read.0).collect();
    for (capacity, all_rows, row_by_row) in [(1, 16, 12), (2, 4, 10), (3, 4, 4)] {
        assert_eq!(
            fills(&steps.concat(), capacity),
            all_rows,
            "{capacity} lines"
        );
        assert_eq!(fills(&apart, capacity), row_by_row, "{capacity} lines");
    }
    // 36 reads are 18 of lines if the rows of a step share them.
    let lines = |step: &Vec<u32>| step.iter().map(|at| at / 4).collect::<BTreeSet<_>>().len();
    assert_eq!(steps.iter().map(lines).sum::<usize>(), 18);
}

#[test]
fn sgcr_25_rows_that_read_for_each_other_are_noticed_where_all_operands_are_equal() {
    let broadcast = options(4, 1, |options| options.unit.broadcast = true);
    let mut side = Side::new("turned", broadcast);
    // Results, counts and sums of all addresses stay as they are.
    side.mutant = Some((
        "heddle_operand_rows_r4".into(),
        "(addr_i[16*i+:16])",
        "(addr_i[16*(3-i)+:16])",
    ));
    let mut bench = Bench::new(&design(vec![side]), 1);
    let layer = Layer::new(examples::small(), &[3; 16], &examples::SMALL_B, 0);
    bench.side("turned").load(&layer);
    bench.side("turned").ops.push_back(super::driven::Op::Run);
    bench.run();
    let failures = bench.failures();
    assert!(
        failures[0].1.contains("read 0 is (5, 3), model has (0, 3)"),
        "{failures:?}"
    );
}

#[test]
fn sgcr_15_sgcr_16_sgcr_53_sgcr_55_the_weight_address_only_grows_by_a_word_of_q_weights() {
    let mut bench = bench();
    for name in names() {
        let unit = bench.side(&name).options.unit;
        let (rows, cols) = (unit.rows, unit.cols);
        // Three full column tiles and one of a single channel, two row tiles or more.
        let outputs = 3 * cols + 1;
        let weights: Vec<i8> = (0..9 * outputs).map(|i| (i * 31 + 7) as u8 as i8).collect();
        let lists = Lists::plain(&[0, 1, 4, 5, 0, 1, 4], &examples::SMALL_OFFSETS);
        let mut layer = Layer::new(lists, &examples::SMALL_A, &weights, 0);
        layer.b_origin = 11;
        let dot = |m: usize, channel: usize| -> i32 {
            let values = examples::SMALL_VALUES[m % 4].iter();
            let taps = values.zip(&weights[9 * channel..]);
            taps.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
        };
        let sums: Vec<i32> = (0..outputs)
            .flat_map(|channel| (0..7).map(move |m| dot(m, channel)))
            .collect();
        for (mode, taps, walks) in [
            (0, 9, 7_usize.div_ceil(rows)),
            (WEIGHTS, 9_usize.next_multiple_of(rows), 1),
        ] {
            let run = bench.run_one(&name, &layer.with_mode(mode));
            assert_eq!(run.sums(), sums, "{name}, mode {mode}");
            for (col, reads) in run.reads.weights.iter().enumerate() {
                let element = |read: &Read| read.0 as usize * cols + col;
                let elements: Vec<usize> = reads.iter().map(element).collect();
                assert_eq!(elements.len(), walks * 4 * taps, "{name}, mode {mode}");
                for walk in elements.chunks(4 * taps) {
                    assert_eq!(walk[0], 11 * cols + col, "{name}, mode {mode}");
                    assert!(walk.windows(2).all(|pair| pair[1] == pair[0] + cols));
                }
                // Step k of a pass meets weight k of this column's channel.
                for (place, read) in reads.iter().enumerate() {
                    let (tile, k) = (place / taps % 4, place % taps);
                    let channel = tile * cols + col;
                    let exists = channel < outputs && k < 9;
                    let weight = if exists { weights[9 * channel + k] } else { 0 };
                    assert_eq!(read.1, weight, "{name}, mode {mode}, read {place}");
                }
            }
        }
    }
}
