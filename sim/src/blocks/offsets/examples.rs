//! The worked examples of the specification: tables, addresses and results as literal data.

use super::state::{RegisterKind, Write};
pub use heddle_arch::offsets::examples::*;

/// Tables of one example with their mask bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lists {
    /// Bases: value, filter rows and filter columns inside the image.
    pub bases: Vec<(i32, u16, u16)>,
    /// Offsets or steps: value, one-hot filter row and column.
    pub offsets: Vec<(i32, u16, u16)>,
}

impl Lists {
    /// Tables without masks.
    pub fn plain(bases: &[i32], offsets: &[i32]) -> Self {
        let entry = |value: &i32| (*value, 0, 0);
        Self {
            bases: bases.iter().map(entry).collect(),
            offsets: offsets.iter().map(entry).collect(),
        }
    }

    /// The offsets as steps.
    pub fn steps(&self) -> Self {
        let mut last = 0;
        let mut lists = self.clone();
        for offset in &mut lists.offsets {
            let absolute = offset.0;
            offset.0 -= last;
            last = absolute;
        }
        lists
    }

    /// Writes of all entries; the lists begin at the given entries of their tables.
    pub fn writes(&self, base_ptr: u16, offset_ptr: u16) -> Vec<Write> {
        let bases = (base_ptr..).zip(&self.bases);
        let offsets = (offset_ptr..).zip(&self.offsets);
        let write = |kind, (index, entry): (u16, &(i32, u16, u16))| Write {
            kind,
            index,
            data: entry.0 as u32,
            row: entry.1,
            col: entry.2,
        };
        bases
            .map(|pair| write(RegisterKind::Base, pair))
            .chain(offsets.map(|pair| write(RegisterKind::Offset, pair)))
            .collect()
    }
}

/// 5.1: four threads, 4 x 4 input, 3 x 3 filter.
pub fn small() -> Lists {
    Lists::plain(&SMALL_BASES, &SMALL_OFFSETS)
}

/// 5.1.2: of each k the addresses of threads 0 to 3.
pub const SMALL_ADDRESSES: [[u32; 4]; 9] = [
    [0, 1, 4, 5],
    [1, 2, 5, 6],
    [2, 3, 6, 7],
    [4, 5, 8, 9],
    [5, 6, 9, 10],
    [6, 7, 10, 11],
    [8, 9, 12, 13],
    [9, 10, 13, 14],
    [10, 11, 14, 15],
];

/// 5.1.2: values that each thread reads.
pub const SMALL_VALUES: [[i8; 9]; 4] = [
    [1, 3, 2, 5, 0, 4, 8, 2, 1],
    [3, 2, 7, 0, 4, 6, 2, 1, 3],
    [5, 0, 4, 8, 2, 1, 9, 7, 5],
    [0, 4, 6, 2, 1, 3, 7, 5, 2],
];

/// 5.1.4: the steps of 5.1, and what thread 0 reads if the offsets are taken for steps.
pub const SMALL_STEPS: [i32; 9] = [0, 1, 1, 2, 1, 1, 2, 1, 1];

/// 5.1.4: addresses of thread 0 with offsets taken for steps.
pub const SMALL_MIXED: [u32; 9] = [0, 1, 3, 7, 12, 18, 26, 35, 45];

/// 5.3: batch 2, 2 channels, 2 filters, 2-byte elements.
pub fn asymmetric() -> Lists {
    Lists::plain(&ASYMMETRIC_BASES, &ASYMMETRIC_OFFSETS)
}

/// 5.3: the steps.
pub const ASYMMETRIC_STEPS: [i32; 12] = [0, 2, 2, 24, 2, 2, 52, 2, 2, 24, 2, 2];

/// 5.3: addresses of thread 17.
pub const ASYMMETRIC_17: [u32; 12] = [190, 192, 194, 218, 220, 222, 274, 276, 278, 302, 304, 306];

/// 5.5: padding by mask.
pub fn padded() -> Lists {
    Lists {
        bases: PADDED_BASES.to_vec(),
        offsets: (0..9).map(padded_tap).collect(),
    }
}

/// 5.5: addresses that each thread reads for k = 0 to 8; -1 is no read.
pub const PADDED_ADDRESSES: [[i32; 9]; 9] = [
    [-1, -1, -1, -1, 0, 1, -1, 3, 4],
    [-1, -1, -1, 0, 1, 2, 3, 4, 5],
    [-1, -1, -1, 1, 2, -1, 4, 5, -1],
    [-1, 0, 1, -1, 3, 4, -1, 6, 7],
    [0, 1, 2, 3, 4, 5, 6, 7, 8],
    [1, 2, -1, 4, 5, -1, 7, 8, -1],
    [-1, 3, 4, -1, 6, 7, -1, -1, -1],
    [3, 4, 5, 6, 7, 8, -1, -1, -1],
    [4, 5, -1, 7, 8, -1, -1, -1, -1],
];

/// 5.5 with a border of zeros in memory.
pub fn bordered() -> Lists {
    let list = [0, 1, 2, 5, 6, 7, 10, 11, 12];
    Lists::plain(&list, &list)
}

/// 5.6: a layout of the tensor.
#[derive(Debug, Clone, Copy)]
pub struct LayoutLists {
    /// Name.
    pub name: &'static str,
    /// Bases.
    pub bases: [i32; 8],
    /// Offsets.
    pub offsets: [i32; 8],
    /// The offsets as steps.
    pub steps: [i32; 8],
}

/// 5.6: one logical tensor in five layouts.
pub const LAYOUTS: [LayoutLists; 5] = [
    LayoutLists {
        name: "NCHW",
        bases: [0, 1, 3, 4, 24, 25, 27, 28],
        offsets: [0, 1, 6, 7, 12, 13, 18, 19],
        steps: [0, 1, 5, 1, 5, 1, 5, 1],
    },
    LayoutLists {
        name: "CNHW",
        bases: [0, 1, 3, 4, 6, 7, 9, 10],
        offsets: [0, 1, 12, 13, 24, 25, 36, 37],
        steps: [0, 1, 11, 1, 11, 1, 11, 1],
    },
    LayoutLists {
        name: "NHWC",
        bases: [0, 4, 12, 16, 24, 28, 36, 40],
        offsets: [0, 4, 1, 5, 2, 6, 3, 7],
        steps: [0, 4, -3, 4, -3, 4, -3, 4],
    },
    LayoutLists {
        name: "NCHW vector 2",
        bases: [0, 2, 6, 8, 24, 26, 30, 32],
        offsets: [0, 2, 1, 3, 12, 14, 13, 15],
        steps: [0, 2, -1, 2, 9, 2, -1, 2],
    },
    LayoutLists {
        name: "NCHW vector 4",
        bases: [0, 4, 12, 16, 24, 28, 36, 40],
        offsets: [0, 4, 1, 5, 2, 6, 3, 7],
        steps: [0, 4, -3, 4, -3, 4, -3, 4],
    },
];

/// 5.6: place of element (image, channel, row, column) of 2 x 4 x 2 x 3 in a layout.
pub fn layout_place(layout: usize, [n, c, y, x]: [usize; 4]) -> usize {
    let (nb, inc, hi, wi) = (2, 4, 2, 3);
    let vector =
        |size: usize| (((n * (inc / size) + c / size) * hi + y) * wi + x) * size + c % size;
    match layout {
        0 => ((n * inc + c) * hi + y) * wi + x,
        1 => ((c * nb + n) * hi + y) * wi + x,
        2 => ((n * hi + y) * wi + x) * inc + c,
        3 => vector(2),
        _ => vector(4),
    }
}

/// 5.8.2: with four rows a row later each, in clocks 0 to 11; -1 is no step.
pub const SKEW: [[i32; 4]; 12] = [
    [0, -1, -1, -1],
    [1, 1, -1, -1],
    [2, 2, 4, -1],
    [4, 3, 5, 5],
    [5, 5, 6, 6],
    [6, 6, 8, 7],
    [8, 7, 9, 9],
    [9, 9, 10, 10],
    [10, 10, 12, 11],
    [-1, 11, 13, 13],
    [-1, -1, 14, 14],
    [-1, -1, -1, 15],
];

/// 5.8.4: weight stationary, four rows, K tile 1, in clocks 0 to 6.
pub const STATIONARY_TILE_1: [[i32; 4]; 7] = [
    [5, -1, -1, -1],
    [6, 6, -1, -1],
    [9, 7, 8, -1],
    [10, 10, 9, 9],
    [-1, 11, 12, 10],
    [-1, -1, 13, 13],
    [-1, -1, -1, 14],
];

/// 5.8.4: K tile 2, row 0; the other rows stay silent.
pub const STATIONARY_TILE_2: [u32; 4] = [10, 11, 14, 15];
