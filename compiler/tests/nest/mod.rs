//! Units for nests, and the addresses that rows give.
#![allow(dead_code)] // not every test file uses all of it

use heddle_arch::traverse::{EndTest, Row, RowKind, UnitShape};

/// 8 rows of 8 loops, 32 bits, all options.
pub fn unit() -> UnitShape {
    UnitShape {
        rows: 8,
        loops: 8,
        offset_bits: 32,
        address_bits: 32,
        equality: true,
        trips: true,
        attach: true,
        group_setup: false,
    }
}

/// (row, address) of a record in their order, as `docs/traversal.md` defines them.
pub fn addresses(rows: &[Row], unit: &UnitShape) -> Vec<(u8, u64)> {
    let mut list = Vec::new();
    let attached = |kind, wraps: usize| {
        let due = move |row: &&Row| {
            row.kind == kind && row.attach.is_some_and(|loop_| usize::from(loop_) < wraps)
        };
        rows.iter().filter(due)
    };
    for row in rows.iter().filter(|row| row.attach.is_none()) {
        if row.kind != RowKind::Tensor {
            sweep(row, unit, |address, _| list.push((row.row, address)));
            continue;
        }
        for inner in attached(RowKind::Prologue, usize::MAX) {
            sweep(inner, unit, |address, _| list.push((inner.row, address)));
        }
        sweep(row, unit, |address, wraps| {
            list.push((row.row, address));
            for inner in attached(RowKind::Epilogue, wraps) {
                sweep(inner, unit, |address, _| list.push((inner.row, address)));
            }
            if wraps < row.loops.len() {
                for inner in attached(RowKind::Prologue, wraps) {
                    sweep(inner, unit, |address, _| list.push((inner.row, address)));
                }
            }
        });
    }
    list
}

/// Calls with every address of a row and the number of loops that wrap behind it.
fn sweep(row: &Row, unit: &UnitShape, mut call: impl FnMut(u64, usize)) {
    let mask = u64::MAX >> (64 - unit.offset_bits);
    let mut offsets: Vec<u64> = row.loops.iter().map(|l| l.initial.into()).collect();
    let mut turns = vec![1; offsets.len()];
    loop {
        let sum = u64::from(row.base) + offsets.iter().sum::<u64>();
        let mut wraps = 0;
        for (column, values) in row.loops.iter().enumerate() {
            let next = offsets[column] + u64::from(values.step);
            let done = match row.test {
                EndTest::AtLeast => next >= values.end.into(),
                EndTest::Equal => next & mask == u64::from(values.end),
                EndTest::Trips => turns[column] == values.end,
            };
            if !done {
                offsets[column] = next & mask;
                turns[column] += 1;
                break;
            }
            offsets[column] = values.initial.into();
            turns[column] = 1;
            wraps += 1;
        }
        call(sum & (u64::MAX >> (64 - unit.address_bits)), wraps);
        if wraps == row.loops.len() {
            return;
        }
    }
}
