//! The figures of the transpose, on the emitted array and results buffer: which sum leaves in which
//! clock, and where it is kept.
//!
//! The specification counts processing cycles: the sum of vector t and column c belongs to cycle
//! t + c + 1. Vector t enters row 0 in clock t; its sum is on the output of column c in clock
//! t + c + R + 1, two clocks later than with one register for each cell: product and sum have one
//! each. So processing cycle k is clock k + R.

use crate::rtl::{Checked, Dut, emitted, emitted_as, mutated};
use heddle_gen::TextStyle;
use heddle_hdl::array::PeArray;
use heddle_hdl::buffer::ResultsBuffer;
use heddle_tb::verilate::Sources;

/// A sum that was expected in this processing cycle, at this column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Sum {
    cycle: usize,
    column: usize,
    value: i64,
}

/// Loads a block as weights and streams vectors; gives what each column shows in each processing
/// cycle, and the products that are not zero for each of them.
struct Array {
    dut: Dut,
    rows: usize,
    cols: usize,
}

impl Array {
    fn new(sources: &Sources, rows: usize, cols: usize) -> Self {
        let mut array = Self {
            dut: Dut::new(sources, 1),
            rows,
            cols,
        };
        array.load(&vec![vec![0; cols]; rows]);
        array
    }

    /// One clock: operands of the rows, rows that swap, weight words.
    fn clock(&mut self, x: &[i8], swap: &[bool], words: Option<&[u64]>) -> Vec<i64> {
        let dut = &mut self.dut;
        dut.set_all("x_i", x.iter().map(|x| *x as u64 & 0x1ff));
        dut.set_all("nz_i", x.iter().map(|x| u64::from(*x != 0)));
        dut.set_all("swap_i", swap.iter().map(|s| u64::from(*s)));
        let shift = u64::from(words.is_some());
        dut.set_all("shift_i", (0..self.rows).map(|_| shift));
        let none = vec![0; self.rows];
        dut.set_all("w_i", words.unwrap_or(&none).iter().copied());
        dut.set_all("psum_i", (0..self.cols).map(|_| 0));
        dut.settle();
        let psum = dut.id("psum_o");
        let model = dut.model();
        let sums = (0..self.cols)
            .map(|c| i64::from(model.get_bits(psum, 32 * c as u32, 32) as u32 as i32));
        let sums = sums.collect();
        dut.clock();
        sums
    }

    /// A block becomes the active weights: row r takes its words, the last columns first.
    fn load(&mut self, block: &[Vec<i8>]) {
        let (rows, cols) = (self.rows, self.cols);
        let (still, idle) = (vec![0; rows], vec![false; rows]);
        for group in (0..cols.div_ceil(8)).rev() {
            let words = block.iter().map(|row| {
                let bytes = row[8 * group..].iter().take(8).zip(0..);
                bytes.fold(0, |word, (w, k)| word | u64::from(*w as u8) << (8 * k))
            });
            let words: Vec<u64> = words.collect();
            self.clock(&still, &idle, Some(&words));
        }
        for t in 0..rows + cols + 2 {
            let swap: Vec<bool> = (0..rows).map(|r| r == t).collect();
            self.clock(&still, &swap, None);
        }
    }

    /// Streams vectors; entry k - 1 of the result has the sums of all columns in processing cycle k.
    fn stream(&mut self, vectors: &[Vec<i8>]) -> Vec<Vec<i64>> {
        let (rows, cols) = (self.rows, self.cols);
        let mut cycles = Vec::new();
        for clock in 0..vectors.len() + rows + cols + 1 {
            let operand = |r: usize| {
                let vector = clock.checked_sub(r).and_then(|t| vectors.get(t));
                vector.map_or(0, |vector| vector[r])
            };
            let x: Vec<i8> = (0..rows).map(operand).collect();
            let sums = self.clock(&x, &vec![false; rows], None);
            if clock > rows {
                cycles.push(sums);
            }
        }
        cycles
    }
}

/// The identity, vector by vector: vector t has its 1 in row t.
fn identity(rows: usize) -> Vec<Vec<i8>> {
    let vector = |t| (0..rows).map(|r| i8::from(r == t)).collect();
    (0..rows).map(vector).collect()
}

/// Sums of a stream of `count` vectors in the order in which they leave.
fn leaving(cycles: &[Vec<i64>], count: usize, cols: usize) -> Vec<Sum> {
    let mut sums: Vec<Sum> = (0..count)
        .flat_map(|t| {
            (0..cols).map(move |column| Sum {
                cycle: t + column + 1,
                column,
                value: 0,
            })
        })
        .collect();
    sums.sort();
    for sum in &mut sums {
        sum.value = cycles[sum.cycle - 1][sum.column];
    }
    sums
}

/// The table of 5.1: processing cycle, column, sum.
const FIGURE_3: [(usize, usize, i64); 16] = [
    (1, 0, 1),
    (2, 0, 5),
    (2, 1, 2),
    (3, 0, 9),
    (3, 1, 6),
    (3, 2, 3),
    (4, 0, 13),
    (4, 1, 10),
    (4, 2, 7),
    (4, 3, 4),
    (5, 1, 14),
    (5, 2, 11),
    (5, 3, 8),
    (6, 2, 15),
    (6, 3, 12),
    (7, 3, 16),
];

#[test]
fn pet_10_pet_11_pet_13_sums_of_figure_3_cycle_by_cycle() {
    for sources in [
        emitted(PeArray::new(4, 4)),
        emitted_as(&PeArray::new(4, 4), TextStyle::Loops),
    ] {
        let mut array = Array::new(&sources, 4, 4);
        let block: Vec<Vec<i8>> = (0..4)
            .map(|r| (0..4).map(|c| 4 * r + c + 1).collect())
            .collect();
        array.load(&block);
        let cycles = array.stream(&identity(4));
        let sums = leaving(&cycles, 4, 4);
        let found: Vec<_> = sums.iter().map(|s| (s.cycle, s.column, s.value)).collect();
        assert_eq!(found, FIGURE_3);
        // Outside these cycles a column shows no sum: 16 products of a column with a vector.
        let others = cycles.iter().flatten().filter(|sum| **sum != 0).count();
        assert_eq!(others, 16);
    }
}

#[test]
fn a_fault_in_a_cell_shows_in_figure_3() {
    let sound = emitted(PeArray::new(4, 4));
    for (from, to) in [
        ("psum_q <= psum_i +", "psum_q <="),
        ("if (swap_i) active_q", "if (shift_i) active_q"),
        ("if (nz_i) product_q", "if (!nz_i) product_q"),
    ] {
        let mut array = Array::new(&mutated(&sound, "heddle_pe.v", from, to), 4, 4);
        let block: Vec<Vec<i8>> = (0..4)
            .map(|r| (0..4).map(|c| 4 * r + c + 1).collect())
            .collect();
        array.load(&block);
        let sums = leaving(&array.stream(&identity(4)), 4, 4);
        let found: Vec<_> = sums.iter().map(|s| (s.cycle, s.column, s.value)).collect();
        assert_ne!(found, FIGURE_3, "{to}");
    }
}

#[test]
fn pet_14_the_order_of_5_6_does_not_occur_with_the_right_identity() {
    let sources = emitted(PeArray::new(4, 4));
    let mut array = Array::new(&sources, 4, 4);
    let block: Vec<Vec<i8>> = (0..4)
        .map(|r| (0..4).map(|c| 4 * r + c + 1).collect())
        .collect();
    array.load(&block);
    let rows = |cycles: &[Vec<i64>]| -> Vec<Vec<i64>> {
        let row = |t: usize| (0..4).map(|c| cycles[t + c][c]).collect();
        (0..4).map(row).collect()
    };
    let reversed: Vec<Vec<i8>> = identity(4).into_iter().rev().collect();
    let wrong = [
        [13, 14, 15, 16],
        [9, 10, 11, 12],
        [5, 6, 7, 8],
        [1, 2, 3, 4],
    ];
    assert_eq!(rows(&array.stream(&reversed)), wrong);
    let right = [
        [1, 2, 3, 4],
        [5, 6, 7, 8],
        [9, 10, 11, 12],
        [13, 14, 15, 16],
    ];
    assert_eq!(rows(&array.stream(&identity(4))), right);
}

/// 128 x 64: loop style, the structural text takes minutes to build.
#[test]
fn pet_11_pet_13_sums_of_figure_4_cycle_by_cycle() {
    let (rows, cols) = (128, 64);
    let sources = emitted_as(&PeArray::new(rows, cols), TextStyle::Loops);
    let mut array = Array::new(&sources, rows, cols);
    // 64 r + c as in 5.2 needs 13 bits; here no two rows of a column are alike.
    let element = |r: usize, c: usize| (r + 3 * c) as u8 as i8;
    let block: Vec<Vec<i8>> = (0..rows)
        .map(|r| (0..cols).map(|c| element(r, c)).collect())
        .collect();
    array.load(&block);
    let cycles = array.stream(&identity(rows));
    for (row, column, cycle) in [
        (0, 0, 1),
        (0, 1, 2),
        (1, 0, 2),
        (0, 63, 64),
        (127, 0, 128),
        (20, 10, 31),
        (127, 63, 191),
    ] {
        assert_eq!(cycle, row + column + 1);
        let expected = i64::from(element(row, column));
        assert_eq!(cycles[cycle - 1][column], expected, "P{column} row {row}");
    }
    for sum in leaving(&cycles, rows, cols) {
        let row = sum.cycle - 1 - sum.column;
        assert_eq!(sum.value, i64::from(element(row, sum.column)));
    }
    // The last sum leaves in cycle 191, clock 317 with one register for each cell: 318 clocks.
    assert_eq!(cycles.len(), rows + cols);
    assert!(cycles[191].iter().all(|sum| *sum == 0));
}

/// Sums of the array go to the results buffer slot by slot; then the rows are read.
fn through_results(rows: usize, cols: usize) -> Checked {
    let block: Vec<Vec<i8>> = (0..rows)
        .map(|r| {
            (0..cols)
                .map(|c| (17 * r + 5 * c + 3) as u8 as i8)
                .collect()
        })
        .collect();
    let mut array = Array::new(&emitted(PeArray::new(rows, cols)), rows, cols);
    array.load(&block);
    let cycles = array.stream(&identity(rows));
    let depth = rows.next_power_of_two().max(8);
    let mut results = Dut::new(&emitted(ResultsBuffer::new(cols, depth)), 1);
    let mut checked = 0;
    // Slot t enters column 0 two clocks before its sum; sum (t, c) is there in clock t + c + 1.
    for clock in 0..2 * rows + cols + 5 {
        let stores = clock < rows;
        let reads = clock > rows && clock <= 2 * rows;
        let address = if stores {
            clock
        } else {
            clock.wrapping_sub(rows + 1)
        };
        results.set("valid_i", stores || reads);
        results.set("bank_i", 0u8);
        results.set("addr_i", (address % depth) as u64);
        results.set("add_i", reads);
        results.set("sum_en_i", stores);
        results.set("write_i", stores);
        let sum = |c: usize| match clock.checked_sub(2).and_then(|cycle| cycles.get(cycle)) {
            Some(sums) => sums[c] as u64,
            None => 0,
        };
        results.set_all("sum_i", (0..cols).map(sum));
        results.settle();
        // Row t is read from column c in clock t + rows + 1 + c, shown three clocks later.
        let shown = block.iter().enumerate().flat_map(|(t, row)| {
            let places = row.iter().enumerate();
            places.filter_map(move |(c, w)| (clock == t + rows + 4 + c).then_some((c, *w)))
        });
        for (c, value) in shown {
            results.check_element("acc_o", c, cols, i64::from(value) as u64)?;
            checked += 1;
        }
        results.clock();
    }
    assert_eq!(checked, rows * cols);
    Ok(())
}

#[test]
fn the_results_buffer_keeps_the_block_column_by_column() {
    for (rows, cols) in [(4, 4), (3, 5), (6, 2), (1, 1)] {
        through_results(rows, cols).unwrap_or_else(|error| panic!("{rows} x {cols}: {error}"));
    }
}
