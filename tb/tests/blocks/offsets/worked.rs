//! The worked examples of the specification: literal addresses, clocks and counts at the pins.

use super::bench::Bench;
use super::driven::{Driven, Op};
use super::variants::VARIANTS;
use super::{MASKS, STEPS, WEIGHTS, program, registers};
use heddle_sim::blocks::offsets::Write;
use heddle_sim::blocks::offsets::examples::{self, Lists};

/// Addresses that a row shows with its steps, in their order; -1 is a step without a read.
fn steps(unit: &Driven, row: usize) -> Vec<i64> {
    let shown = unit.trace.clocks.iter().filter_map(|clock| clock.rows[row]);
    shown
        .map(|step| step.address.map_or(-1, i64::from))
        .collect()
}

/// Reads of all rows.
fn reads(unit: &Driven) -> usize {
    let rows = unit.trace.clocks.iter().flat_map(|clock| &clock.rows);
    rows.flatten().filter(|step| step.address.is_some()).count()
}

/// Weight words asked for.
fn words(unit: &Driven) -> Vec<u16> {
    let words = unit.trace.clocks.iter().filter_map(|clock| clock.word);
    words.map(|word| word.0).collect()
}

/// What the rows read, clock by clock, from the first read to the last; -1 is no read.
fn clocks(unit: &Driven) -> Vec<Vec<i32>> {
    let read = |clock: &super::pins::Outputs| -> Vec<i32> {
        let rows = clock.rows.iter();
        rows.map(|row| row.and_then(|step| step.address).map_or(-1, |a| a as i32))
            .collect()
    };
    let all: Vec<_> = unit.trace.clocks.iter().map(read).collect();
    let idle = |clock: &Vec<i32>| clock.iter().all(|address| *address < 0);
    let first = all.iter().position(|clock| !idle(clock)).unwrap_or(0);
    let last = all.iter().rposition(|clock| !idle(clock)).unwrap_or(0);
    all[first..=last].to_vec()
}

fn bench() -> Bench {
    Bench::new(&VARIANTS, 1)
}

/// Column `thread` of 5.1.2.
fn small_addresses(thread: usize) -> Vec<i64> {
    let all = examples::SMALL_ADDRESSES.iter();
    all.map(|step| step[thread].into()).collect()
}

#[proves("SGCR-10", "SGCR-09")]
#[test]
fn addresses_are_those_of_5_1_2_with_any_number_of_rows() {
    let mut bench = bench();
    for name in [
        "plain",
        "plain_all",
        "steps",
        "steps_all",
        "expand",
        "many",
        "widest",
    ] {
        let unit = bench.run_one(name, program(&examples::small(), 1, 0));
        let rows = unit.options.rows;
        for thread in 0..4 {
            let tile: Vec<_> = steps(unit, thread % rows);
            let found = tile.chunks(9).nth(thread / rows).unwrap_or_default();
            assert_eq!(found, small_addresses(thread), "{name}, thread {thread}");
        }
        // K offsets for each tile, whatever the number of rows.
        let tiles = 4_usize.div_ceil(rows);
        assert_eq!(unit.trace.offset_reads.len(), 9 * tiles, "{name}");
        assert_eq!(reads(unit), 36, "{name}");
    }
}

#[proves("SGCR-10", "SGCR-35")]
#[test]
fn two_rows_take_18_steps_as_in_5_8_1() {
    let mut bench = bench();
    let unit = bench.run_one("steps_all", program(&examples::small(), 1, 0));
    let mut expected = Vec::new();
    for tile in [0, 2] {
        for step in examples::SMALL_ADDRESSES {
            expected.push([step[tile] as i32, step[tile + 1] as i32].to_vec());
        }
        if tile == 0 {
            // The load slots of the second tile.
            expected.extend([vec![-1, -1], vec![-1, -1]]);
        }
    }
    assert_eq!(clocks(unit), expected);
    assert_eq!(words(unit), [0, 1, 2, 3, 4, 5, 6, 7, 8].repeat(2));
    assert_eq!((reads(unit), unit.trace.offset_reads.len()), (36, 18));
}

#[proves("SGCR-44")]
#[test]
fn nine_offset_reads_serve_36_operand_reads() {
    let mut bench = bench();
    // 5.8.1 with four rows: all at once.
    let unit = bench.run_one("every_all", program(&examples::small(), 1, 0));
    let expected = examples::SMALL_ADDRESSES.map(|step| step.map(|address| address as i32));
    assert_eq!(clocks(unit), expected);
    assert_eq!((reads(unit), unit.trace.offset_reads.len()), (36, 9));
    assert_eq!(words(unit).len(), 9);
    // 5.8.2: a row later each.
    let unit = bench.run_one("plain", program(&examples::small(), 1, 0));
    assert_eq!(clocks(unit), examples::SKEW);
    assert_eq!((reads(unit), unit.trace.offset_reads.len()), (36, 9));
}

#[proves("SGCR-54", "SGCR-55")]
#[test]
fn held_offsets_and_streaming_bases_as_in_5_8_4() {
    let mut bench = bench();
    let unit = bench.run_one("masks", program(&examples::small(), 1, WEIGHTS));
    let all = clocks(unit);
    // Tiles of four steps, with four load slots between them.
    assert_eq!(all[8..15], examples::STATIONARY_TILE_1.map(Vec::from));
    let last = examples::STATIONARY_TILE_2.map(|address| vec![address as i32, -1, -1, -1]);
    assert_eq!(all[16..], last);
    let trace = &unit.trace;
    assert_eq!((trace.base_reads.len(), trace.offset_reads.len()), (12, 9));
    assert_eq!(trace.base_reads, [0, 1, 2, 3].repeat(3));
    assert_eq!(reads(unit), 36);
    // The pointer only increments; each word is for the row that is loaded.
    let words: Vec<_> = trace.clocks.iter().filter_map(|clock| clock.word).collect();
    let expected: Vec<_> = (0..12).map(|word| (word, word % 4)).collect();
    assert_eq!(words, expected);
    // Flags of the K tiles.
    let passes: Vec<_> = trace.clocks.iter().filter_map(|clock| clock.pass).collect();
    let pass = |held, first, last| [(held, 0, first, last); 4];
    let expected = [
        pass(0, true, false),
        pass(4, false, false),
        pass(8, false, true),
    ];
    assert_eq!(passes, expected.concat());
}

#[proves("SGCR-11")]
#[test]
fn steps_give_the_trace_of_offsets_and_begin_again_with_each_pass() {
    let mut bench = bench();
    for name in ["steps", "steps_all", "every", "every_all", "many"] {
        for mode in [0, WEIGHTS] {
            let lists = examples::small();
            let outputs = 2 * bench.side(name).options.cols as u32;
            let offsets = bench.run_one(name, program(&lists, outputs, mode));
            let (rows, offsets) = (offsets.options.rows, offsets.trace.clocks.clone());
            let unit = bench.run_one(name, program(&lists.steps(), outputs, mode | STEPS));
            assert_eq!(unit.trace.clocks, offsets, "{name}, mode {mode}");
            // The second column tile repeats the addresses of the first.
            let of_tile = |tile: u16| -> Vec<Vec<_>> {
                let cols = tile * unit.options.cols as u16;
                let clocks = offsets.iter();
                let in_tile = clocks.filter(|clock| clock.pass.is_some_and(|pass| pass.1 == cols));
                in_tile
                    .map(|clock| vec![clock.rows[0]; rows.min(1)])
                    .collect()
            };
            assert_eq!(of_tile(0), of_tile(1), "{name}, mode {mode}");
            assert!(!of_tile(0).is_empty());
        }
    }
    // 5.1.4: offsets taken for steps lead out of the tensor.
    let unit = bench.run_one("every", program(&examples::small(), 1, STEPS));
    let found = steps(unit, 0);
    assert_eq!(found, examples::SMALL_MIXED.map(i64::from));
}

#[proves("SGCR-12", "SGCR-14", "SGCR-15")]
#[test]
fn each_offset_once_in_a_pass_beside_its_weight() {
    let mut bench = bench();
    for name in ["plain", "plain_all", "steps", "wide", "widest"] {
        let outputs = 2 * bench.side(name).options.cols as u32 + 1;
        let lists = examples::asymmetric();
        let lists = Lists {
            bases: lists.bases[..16].to_vec(),
            ..lists
        };
        let unit = bench.run_one(name, program(&lists, outputs, 0));
        let tiles = 16_usize.div_ceil(unit.options.rows);
        let once: Vec<u16> = (0..12).collect();
        assert_eq!(unit.trace.offset_reads, once.repeat(3 * tiles), "{name}");
        // Word and tap have one number.
        let tap = |address: u32, base: i32| {
            let offset = address as i32 - base;
            lists.offsets.iter().position(|entry| entry.0 == offset)
        };
        for clock in &unit.trace.clocks {
            let (Some(step), Some(pass)) = (clock.rows[0], clock.pass) else {
                continue;
            };
            let base = lists.bases[usize::from(pass.0)].0;
            let k = step.address.and_then(|address| tap(address, base));
            let word = clock.word.map(|word| usize::from(word.0) % 12);
            assert_eq!(k, word, "{name}");
        }
    }
}

#[proves("SGCR-24")]
#[test]
fn each_base_is_read_once_and_before_the_steps_that_use_it() {
    let mut bench = bench();
    for name in ["plain", "plain_all", "many", "wide"] {
        let cols = bench.side(name).options.cols as u32;
        let unit = bench.run_one(name, program(&examples::small(), 3 * cols, 0));
        assert_eq!(unit.trace.base_reads, [0, 1, 2, 3], "{name}");
        // One tile: all bases were read before the first operand.
        if unit.options.rows >= 4 {
            assert_eq!(unit.trace.bases_before_operand, Some(4), "{name}");
        }
    }
}

#[proves("SGCR-45")]
#[test]
fn rows_beyond_the_list_do_not_read() {
    let mut bench = bench();
    // 5.4: 36 reads, not 54.
    let unit = bench.run_one("plain_all", program(&examples::small(), 1, 0));
    assert_eq!(unit.options.rows, 3);
    assert_eq!(reads(unit), 36);
    assert_eq!(steps(unit, 1)[9..], [-1; 9]);
    assert_eq!(steps(unit, 2)[9..], [-1; 9]);
    // 5.4: tiles of 16 and 8 threads.
    let unit = bench.run_one("many", program(&examples::asymmetric(), 2, 0));
    assert_eq!(reads(unit), 288);
    let row = steps(unit, 0).len();
    assert_eq!((row, unit.trace.offset_reads.len()), (24, 24));
    assert_eq!(steps(unit, 1)[12..], examples::ASYMMETRIC_17.map(i64::from));
}

#[proves("SGCR-46")]
#[test]
fn without_padding_no_address_lies_outside_the_tensor() {
    let mut bench = bench();
    for name in ["plain", "plain_all", "expand", "many"] {
        let mut writes = program(&examples::asymmetric(), 1, 0);
        writes.push(Write::register(0, 0x4000));
        let unit = bench.run_one(name, writes);
        let rows = 0..unit.options.rows;
        let all: Vec<i64> = rows
            .flat_map(|row| steps(unit, row))
            .filter(|address| *address >= 0)
            .collect();
        assert_eq!(all.len(), 288);
        assert!(
            all.iter()
                .all(|address| (0x4000..0x4000 + 336).contains(address))
        );
        assert_eq!(all.iter().max(), Some(&(0x4000 + 334)));
    }
}

#[proves("SGCR-47", "SGCR-56", "SGCR-58")]
#[test]
fn padded_taps_are_not_read() {
    let mut bench = bench();
    for name in [
        "masks_all",
        "masks",
        "every",
        "widest",
        "many",
        "ahead_all",
        "ahead_wide",
    ] {
        for mode in [MASKS, MASKS | WEIGHTS] {
            let unit = bench.run_one(name, program(&examples::padded(), 1, mode));
            assert_eq!(reads(unit), 49, "{name}, mode {mode}");
            let rows = unit.options.rows;
            for thread in (0..9).filter(|_| mode & WEIGHTS == 0) {
                let tile = steps(unit, thread % rows);
                let found = tile.chunks(9).nth(thread / rows).unwrap_or_default();
                let expected = examples::PADDED_ADDRESSES[thread].map(i64::from);
                assert_eq!(found, expected, "{name}, thread {thread}");
            }
        }
        // Without the mode bit the masks mean nothing.
        let unit = bench.run_one(name, program(&examples::padded(), 1, 0));
        assert_eq!(reads(unit), 81, "{name}");
    }
}

#[proves("SGCR-42")]
#[test]
fn moving_the_origin_shifts_every_address() {
    let mut bench = bench();
    let unit = bench.run_one("plain", program(&examples::small(), 1, 0));
    let before: Vec<i64> = (0..4).flat_map(|row| steps(unit, row)).collect();
    for origin in [1, 0x100, 0x7ff0, 0xfff0] {
        let unit = bench.run_one("plain", vec![Write::register(0, origin)]);
        let moved: Vec<i64> = (0..4).flat_map(|row| steps(unit, row)).collect();
        let expected: Vec<i64> = before
            .iter()
            .map(|address| (address + i64::from(origin)) & 0xffff)
            .collect();
        assert_eq!(moved, expected);
    }
    // Entries are shifted, the origin is not; the sum is taken modulo 2^16.
    let mut writes = program(&Lists::plain(&[0, 100], &[0, 3]), 1, 0);
    writes.extend([Write::register(0, 0xff00), Write::register(7, 2)]);
    let unit = bench.run_one("every", writes);
    assert_eq!(
        [steps(unit, 0), steps(unit, 1)],
        [[0xff00, 0xff0c], [0x0090, 0x009c]]
    );
}

#[proves("SGCR-43")]
#[test]
fn runs_follow_each_other_with_one_load_of_the_tables() {
    let mut bench = bench();
    for name in ["plain", "plain_all", "every", "every_all"] {
        let writes = program(&examples::small(), 5, 0);
        let unit = bench.run_one(name, writes);
        let (first, written) = (unit.trace.clocks.clone(), unit.trace.written);
        for mode in [0, WEIGHTS, 0] {
            let registers = registers(4, 9, 5, mode);
            let unit = bench.run_one(name, registers);
            assert_eq!(unit.trace.written, written, "{name}");
            if mode == 0 {
                assert_eq!(unit.trace.clocks, first, "{name}");
            }
        }
        let runs = [Op::Start, Op::Start, Op::Start, Op::Wait];
        let before = bench.side(name).tally.runs;
        let unit = bench.play(name, runs);
        assert_eq!(unit.tally.runs, before + 3, "{name}");
        assert_eq!(unit.trace.clocks, first, "{name}");
    }
}

#[test]
fn lists_begin_at_their_pointers_and_entries_are_shifted() {
    let mut bench = bench();
    for (name, bits) in [("plain", 16), ("wide", 24), ("widest", 32)] {
        let lists = Lists::plain(&[-3, 5, 1 << 20], &[7, -9]);
        let (bases, offsets) = (bench.side(name).options.bases, 9);
        let pointers = [bases as u16 - 3, offsets];
        let mut writes = lists.writes(pointers[0], pointers[1]);
        writes.extend(registers(3, 2, 1, 0));
        for (register, value) in [
            (0, 0x0012_3456),
            (5, pointers[0].into()),
            (6, pointers[1].into()),
            (7, 3),
        ] {
            writes.push(Write::register(register, value));
        }
        let unit = bench.run_one(name, writes);
        let rows = unit.options.rows;
        let mask = (1_i64 << bits) - 1;
        for (thread, base) in [-3, 5, 1 << 20].into_iter().enumerate() {
            let tile = steps(unit, thread % rows);
            let found = tile.chunks(2).nth(thread / rows).unwrap_or_default();
            let expected = [7, -9].map(|offset| (0x0012_3456 + 8 * (base + offset)) & mask);
            assert_eq!(found, expected, "{name}, thread {thread}");
        }
    }
}
