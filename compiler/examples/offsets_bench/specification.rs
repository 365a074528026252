//! The cases of 5.9 of the specification, measured by what measures the layers.

use heddle_compiler::offsets::size::{Sizes, sizes};
use heddle_compiler::offsets::{Convolution, Request, generate};
use serde::Serialize;

use crate::lines::{Sweep, sweep};
use crate::workload::bytes;

/// Sizes of one case.
#[derive(Debug, Serialize)]
pub struct Case {
    pub name: &'static str,
    pub rows: u64,
    pub taps: u64,
    pub entries: u64,
    pub matrix_entries: u64,
    pub tensor_elements: u64,
    pub growth: f64,
    pub base_bits: u32,
    pub offset_bits: u32,
    pub distinct_steps: usize,
}

/// A convolution of `[channels, height, width]` with `outputs` filters of `kernel`.
fn convolution(input: [u32; 3], kernel: [u32; 2], outputs: u32, stride: [u32; 2]) -> Convolution {
    let [channels, height, width] = input;
    Convolution {
        channels,
        height,
        width,
        outputs,
        images: 1,
        kernel,
        stride,
        dilation: [1, 1],
        groups: 1,
        padding: Default::default(),
        pad: Default::default(),
        layout: Default::default(),
        vector: 1,
    }
}

/// The first table.
///
/// # Panics
/// If a case has no tables.
pub fn cases() -> Vec<Case> {
    let asymmetric = Convolution {
        images: 2,
        dilation: [2, 1],
        ..convolution([2, 6, 7], [2, 3], 2, [1, 2])
    };
    let asymmetric = Request {
        element_bytes: 2,
        ..bytes(asymmetric)
    };
    let ones = [1, 1];
    let requests = [
        ("5.1", bytes(convolution([1, 4, 4], [3, 3], 1, ones))),
        ("5.3", asymmetric),
        (
            "58x58x64, 3x3",
            bytes(convolution([64, 58, 58], [3, 3], 64, ones)),
        ),
        (
            "227x227x3, 11x11, stride 4",
            bytes(convolution([3, 227, 227], [11, 11], 96, [4, 4])),
        ),
        (
            "14x14x256, 1x1",
            bytes(convolution([256, 14, 14], [1, 1], 1, ones)),
        ),
    ];
    requests
        .iter()
        .map(|(name, request)| {
            let tables = generate(request).expect("the cases of the specification are legal");
            case(name, &sizes(request, &tables))
        })
        .collect()
}

fn case(name: &'static str, sizes: &Sizes) -> Case {
    Case {
        name,
        rows: sizes.rows,
        taps: sizes.taps,
        entries: sizes.entries,
        matrix_entries: sizes.matrix_entries,
        tensor_elements: sizes.tensor_elements,
        growth: sizes.growth,
        base_bits: sizes.base_bits,
        offset_bits: sizes.offset_bits,
        distinct_steps: sizes.distinct_steps,
    }
}

/// The second table and what lies between its capacities.
///
/// # Panics
/// As [`cases`].
pub fn sweeps() -> Vec<Sweep> {
    let shapes = [
        ("5.1", [1, 4, 4], 4, 4),
        ("34x34x8, 3x3", [8, 34, 34], 16, 16),
    ];
    let sweep = |(name, input, rows, line): (&str, [u32; 3], usize, u32)| {
        let request = bytes(convolution(input, [3, 3], 1, [1, 1]));
        let tables = generate(&request).expect("the cases of the specification are legal");
        sweep(name, &tables, request.tensor_bytes(), rows, line)
    };
    shapes.map(sweep).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sizes_are_those_of_5_9() {
        let found: Vec<_> = cases()
            .iter()
            .map(|case| {
                (
                    [case.rows, case.taps, case.entries, case.matrix_entries],
                    case.tensor_elements,
                    format!("{:.2}", case.growth),
                    [case.base_bits, case.offset_bits],
                    case.distinct_steps,
                )
            })
            .collect();
        let expected = [
            ([4, 9, 13, 36], 16, "2.25", [3, 4], 2),
            ([24, 12, 36, 288], 168, "1.71", [8, 7], 3),
            ([3136, 576, 3712, 1_806_336], 215_296, "8.39", [12, 18], 3),
            ([3025, 363, 3388, 1_098_075], 154_587, "7.10", [16, 17], 3),
            ([196, 256, 452, 50_176], 50_176, "1.00", [8, 16], 1),
        ];
        let expected = expected.map(|(counts, elements, growth, bits, steps)| {
            (counts, elements, growth.to_string(), bits, steps)
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn sgcr_36_fills_and_merged_reads_are_those_of_5_9() {
        let sweeps = sweeps();
        let check = |sweep: &Sweep, expected: &[(usize, u64, u64)]| {
            for (lines, together, apart) in expected {
                let point = sweep.points.iter().find(|point| point.lines == *lines);
                let point = point.expect("the capacity is part of the sweep");
                let found = (point.together.fills, point.apart.fills);
                assert_eq!(found, (*together, *apart), "{}, {lines} lines", sweep.name);
            }
        };
        check(&sweeps[0], &[(1, 16, 12), (2, 4, 10), (3, 4, 4)]);
        check(
            &sweeps[1],
            &[
                (4, 3072, 27648),
                (16, 3072, 27648),
                (32, 3072, 1652),
                (64, 584, 584),
            ],
        );
        assert_eq!((sweeps[0].reads, sweeps[0].merged[0]), (36, 18));
        assert_eq!((sweeps[1].reads, sweeps[1].merged[0]), (73_728, 8_832));
        assert_eq!((sweeps[0].tensor_lines, sweeps[1].tensor_lines), (4, 578));
    }

    #[test]
    fn used_counts_each_byte_once_for_each_fill() {
        use crate::lines::fills;
        // Line 0 is loaded twice: bytes 0 and 1, then byte 0; line 1 once: byte 4.
        let found = fills(&[0, 1, 1, 4, 0], 4, 1);
        assert_eq!((found.fills, found.used), (3, 4.0 / 12.0));
        let found = fills(&[0, 1, 1, 4, 0], 4, 2);
        assert_eq!((found.fills, found.used), (2, 3.0 / 8.0));
        // The line that was read last stays: 0 and not 1 is there at the end.
        assert_eq!(fills(&[0, 4, 0, 8, 0], 4, 2).fills, 3);
    }
}
