//! Cache lines that the operand reads of a layer load, for three orders of the reads.

use std::collections::BTreeMap;

use heddle_arch::params::Spread;
use heddle_blocks::offsets::Tables;
use heddle_blocks::offsets::access::{Mapping, Rows, Step, line_reads};
use serde::Serialize;

/// Capacities of the sweep, in lines.
pub const CAPACITIES: [usize; 11] = [1, 2, 3, 4, 8, 16, 24, 32, 48, 64, 128];

/// One shape, all orders and capacities.
#[derive(Debug, Serialize)]
pub struct Sweep {
    pub name: String,
    pub line_bytes: u32,
    pub rows: usize,
    /// Reads of single operands.
    pub reads: u64,
    /// Reads of lines, if the rows of one step share them; of the first and the last order.
    pub merged: [u64; 2],
    /// Lines that the tensor spans.
    pub tensor_lines: u64,
    pub points: Vec<Point>,
}

/// One capacity.
#[derive(Debug, Serialize)]
pub struct Point {
    pub lines: usize,
    /// All rows of a tile at one tap after the other: output stationary.
    pub together: Fills,
    /// One GEMM row after the other.
    pub apart: Fills,
    /// All rows of a tile of taps at one pixel after the other: weight stationary.
    pub taps: Fills,
}

/// What a cache loads.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Fills {
    pub fills: u64,
    /// Bytes that are read while their line is there, of those that are loaded.
    pub used: f64,
}

/// Fills of all orders and capacities, for tiles of `rows` and elements of one byte.
pub fn sweep(name: &str, tables: &Tables, bytes: u64, rows: usize, line: u32) -> Sweep {
    let of = |mapping| Rows {
        rows,
        mapping,
        spread: Spread::Broadcast,
    };
    let (output, weight) = (of(Mapping::OutputStationary), of(Mapping::WeightStationary));
    let flat =
        |steps: &mut dyn Iterator<Item = Step>| -> Vec<i64> { steps.flatten().flatten().collect() };
    let together = flat(&mut output.steps(tables));
    let taps = flat(&mut weight.steps(tables));
    let distances = tables.distances();
    let mut apart = Vec::with_capacity(together.len());
    for row in 0..tables.bases.len() {
        apart.extend((0..distances.len()).filter_map(|tap| tables.address(&distances, row, tap)));
    }
    let points = CAPACITIES.map(|lines| Point {
        lines,
        together: fills(&together, line, lines),
        apart: fills(&apart, line, lines),
        taps: fills(&taps, line, lines),
    });
    Sweep {
        name: name.to_string(),
        line_bytes: line,
        rows,
        reads: together.len() as u64,
        merged: [
            line_reads(output.steps(tables), line),
            line_reads(weight.steps(tables), line),
        ],
        tensor_lines: bytes.div_ceil(line.into()),
        points: points.into(),
    }
}

/// A fully associative cache that gives up the line that was not read for the longest time.
pub fn fills(addresses: &[i64], line: u32, lines: usize) -> Fills {
    // By line: time of the last read and the bytes that were read. By time: the line.
    let mut held: BTreeMap<i64, (usize, u128)> = BTreeMap::new();
    let mut by_time: BTreeMap<usize, i64> = BTreeMap::new();
    let (mut fills, mut used) = (0, 0);
    assert!(line <= u128::BITS, "a mask has a bit for each byte");
    for (now, address) in addresses.iter().enumerate() {
        let (at, byte) = (
            address.div_euclid(line.into()),
            address.rem_euclid(line.into()),
        );
        let bytes = match held.remove(&at) {
            Some((before, bytes)) => {
                by_time.remove(&before);
                bytes
            }
            None => {
                fills += 1;
                if held.len() == lines {
                    let (_, oldest) = by_time.pop_first().expect("each held line has a time");
                    let (_, bytes) = held.remove(&oldest).expect("each time has a held line");
                    used += bytes.count_ones();
                }
                0
            }
        };
        held.insert(at, (now, bytes | 1 << byte));
        by_time.insert(now, at);
    }
    used += held
        .values()
        .map(|(_, bytes)| bytes.count_ones())
        .sum::<u32>();
    Fills {
        fills,
        used: f64::from(used) / (fills * u64::from(line)) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_blocks::offsets::access::line_fills;

    #[test]
    fn used_counts_each_byte_once_for_each_fill() {
        // Line 0 is loaded twice: bytes 0 and 1, then byte 0; line 1 once: byte 4.
        for (addresses, lines, loads, used) in [
            ([0, 1, 1, 4, 0], 1, 3, 4.0 / 12.0),
            ([0, 1, 1, 4, 0], 2, 2, 3.0 / 8.0),
            // The line that was read last stays: 0 and not 1 is there at the end.
            ([0, 4, 0, 8, 0], 2, 3, 3.0 / 12.0),
        ] {
            let found = fills(&addresses, 4, lines);
            assert_eq!((found.fills, found.used), (loads, used));
            assert_eq!(line_fills(addresses, 4, lines), loads);
        }
    }
}
