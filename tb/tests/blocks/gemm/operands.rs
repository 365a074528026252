//! What the memories of the cores are read for in the worked examples: every address with the byte
//! that it gives, row by row and step by step.

use super::bench::Bench;
use super::examples::{
    Operands, asymmetric, bench, bordered, connected, layout, layout_operands, names, padded, small,
};
use super::layer::{Layer, MASKS, WEIGHTS};
use super::loops::walk;
use super::reads::Read;
use heddle_sim::blocks::offsets::examples;

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

#[proves("SGCR-10", "SGCR-25")]
#[test]
fn rows_read_the_bytes_at_the_addresses_of_5_1_2() {
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

#[proves("SGCR-25")]
#[test]
fn rows_read_the_elements_of_5_3_thread_17_among_them() {
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

#[proves("SGCR-25", "SGCR-47", "SGCR-48")]
#[test]
fn rows_read_5_5_by_mask_and_with_a_border() {
    let mut bench = bench();
    for name in names() {
        let layer = padded().with_mode(MASKS);
        check(&mut bench, &name, &layer, &padded_operands());
        check(&mut bench, &name, &bordered(), &bordered_operands());
    }
}

#[proves("SGCR-11", "SGCR-25")]
#[test]
fn rows_read_every_layout_of_5_6_and_a_fully_connected_layer() {
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
