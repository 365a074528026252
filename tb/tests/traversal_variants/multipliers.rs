//! A generator that multiplies indices by strides, in place of adders.

use heddle_arch::Loop;
use heddle_arch::traverse::{EndTest, Row, Run};
use heddle_sim::traversal::{UnitRow, UnitWalk};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::{pulse, quiet};
use crate::rtl::{Checked, Coverage, Dut, run_seeds};

/// The generator with multipliers, of the given rows, loops and bits.
fn multipliers(rows: usize, loops: usize, bits: u32) -> Sources {
    let file = |name: &str| {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../benches/traversal/");
        let mut text = std::fs::read_to_string(format!("{root}{name}")).expect("a peer");
        let sizes = [
            ("Rows = 1,", format!("Rows = {rows},")),
            ("Loops = 4,", format!("Loops = {loops},")),
            ("W = 32 ", format!("W = {bits} ")),
        ];
        for (from, to) in sizes {
            assert!(text.contains(from), "{name} has no {from}");
            text = text.replace(from, &to);
        }
        (name.to_string(), text)
    };
    Sources {
        top: "multiplier_unit".into(),
        files: vec![file("multiplier_generator.v"), file("multiplier_unit.v")],
        ports: Vec::new(),
    }
}

/// Random rows; loops of the row count their iterations, begin anywhere and step anywhere, or, with
/// `ends`, begin and step so that they reach an end without a wrap of their bits.
fn random_rows(rng: &mut ChaCha8Rng, rows: usize, loops: usize, bits: u32, ends: bool) -> Vec<Row> {
    let most = ((1_u64 << bits) - 1) as u32;
    (0..rows)
        .map(|number| {
            let depth = rng.random_range(1..=loops);
            let mut room = 60;
            let nest = (0..depth).map(|_| {
                let trips = rng.random_range(1..=room.min(5));
                room /= trips;
                let (initial, step) = match ends {
                    true => (
                        rng.random_range(1..=most / 2),
                        rng.random_range(1..=most / 16),
                    ),
                    false => (rng.random_range(1..=most), rng.random_range(0..=most)),
                };
                let end = if ends { initial + trips * step } else { trips };
                Loop { initial, step, end }
            });
            let loops = nest.collect();
            Row {
                row: number as u8,
                test: if ends {
                    EndTest::AtLeast
                } else {
                    EndTest::Trips
                },
                loops,
                base: rng.random_range(0..=most),
                ..Row::default()
            }
        })
        .collect()
}

/// Fills the generator with multipliers, which has no initial offsets: they are part of the base.
fn fill_multipliers(dut: &mut Dut, rows: &[Row], loops: usize, bits: u32) {
    let mask = (1_u64 << bits) - 1;
    dut.set("cfg_valid_i", true);
    for row in rows {
        dut.set("cfg_row_i", row.row);
        let initial: u64 = row.loops.iter().map(|l| u64::from(l.initial)).sum();
        let base = (u64::from(row.base) + initial) & mask;
        let mut words = vec![(3, 0, rows.len() as u64 - 1), (2, 0, base)];
        for column in 0..loops {
            let (trips, stride) = match row.loops.get(column) {
                Some(l) if row.test == EndTest::Trips => (l.end, l.step),
                Some(l) => ((l.end - l.initial).div_ceil(l.step), l.step),
                None => (1, 0),
            };
            words.push((0, column, u64::from(trips - 1)));
            words.push((1, column, stride.into()));
        }
        for (select, column, value) in words {
            dut.set("cfg_sel_i", select as u64);
            dut.set("cfg_col_i", column as u64);
            dut.set("cfg_data_i", value);
            dut.clock();
        }
    }
    dut.set("cfg_valid_i", false);
}

/// Walks random rows with multipliers: every address with its row and its flags, under random
/// stalls.
fn random_products(sources: &Sources, seed: u64, shape: (usize, usize, u32)) -> Checked<Coverage> {
    let (rows, loops, bits) = shape;
    let mut dut = quiet(sources, seed, "cfg_valid_i start_i ready_i");
    let mut coverage = Coverage::default();
    let mut rng = dut.rng();
    println!("{shape:?}: seed {seed}");
    for _ in 0..60 {
        let count = rng.random_range(1..=rows);
        let ends = rng.random();
        let nest = random_rows(&mut rng, count, loops, bits, ends);
        fill_multipliers(&mut dut, &nest, loops, bits);
        let unit_rows = nest.iter().map(|row| UnitRow::of(row, loops)).collect();
        let expected: Vec<_> = UnitWalk::new(unit_rows, Run::default(), bits, bits).collect();
        pulse(&mut dut, "start_i");
        let mut taken = 0;
        for _ in 0..10 * (expected.len() + 10) {
            let ready = rng.random_ratio(2, 3);
            dut.set("ready_i", ready);
            dut.settle();
            if dut.get("valid_o") == 1 {
                let element = expected.get(taken);
                let element = element.ok_or_else(|| dut.message("an address too many"))?;
                dut.check("addr_o", element.address)?;
                dut.check("row_o", element.row as u64)?;
                dut.check("last_o", element.last)?;
                dut.check("end_o", element.end)?;
                taken += usize::from(ready);
            }
            dut.clock();
        }
        dut.check("busy_o", false)?;
        if taken != expected.len() {
            return Err(dut.message(&format!("{taken} of {} addresses", expected.len())));
        }
        coverage.event("all rows", count == rows);
        coverage.event("all loops", nest.iter().any(|row| row.loops.len() == loops));
        coverage.event("end", ends);
        let negative = |l: &Loop| l.step >> (bits - 1) == 1 && l.end > 1;
        let counted = |row: &&Row| row.test == EndTest::Trips;
        let mut counting = nest.iter().filter(counted).flat_map(|row| &row.loops);
        coverage.event("negative step", counting.any(negative));
    }
    Ok(coverage)
}

#[test]
fn multipliers_give_the_same_sequences_at_every_size() {
    for shape in [(1, 4, 32), (3, 4, 16), (2, 8, 24), (4, 1, 12)] {
        let sources = multipliers(shape.0, shape.1, shape.2);
        run_seeds(|seed| random_products(&sources, seed, shape));
    }
}
