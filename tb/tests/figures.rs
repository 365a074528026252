//! The figures of the transpose on the emitted array: which sum leaves in which clock.
//!
//! The specification counts processing cycles: the sum of vector t and column c belongs to cycle
//! t + c + 1. Vector t enters row 0 in clock t; its sum is on the output of column c in clock
//! t + c + R + 1, two clocks later than with one register for each cell: product and sum have one
//! each. So processing cycle k is clock k + R.

use crate::rtl::{Checked, Dut, check_mutants, emitted, emitted_as, faults};
use heddle_gen::TextStyle;
use heddle_hdl::array::PeArray;
use heddle_tb::verilate::Sources;

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

/// Elements row by row.
fn block(rows: usize, cols: usize, element: impl Fn(usize, usize) -> i8) -> Vec<Vec<i8>> {
    let row = |r| (0..cols).map(|c| element(r, c)).collect();
    (0..rows).map(row).collect()
}

/// The identity, vector by vector: vector t has its 1 in row t.
fn identity(rows: usize) -> Vec<Vec<i8>> {
    block(rows, rows, |t, r| i8::from(r == t))
}

/// The table of 5.1: the sums of all columns in each processing cycle, and in the one after the last. Where it has
/// no sum there is none.
const FIGURE_3: [[i64; 4]; 8] = [
    [1, 0, 0, 0],
    [5, 2, 0, 0],
    [9, 6, 3, 0],
    [13, 10, 7, 4],
    [0, 14, 11, 8],
    [0, 0, 15, 12],
    [0, 0, 0, 16],
    [0; 4],
];

/// The sums of figure 3 leave in their cycles.
fn figure_3(sources: &Sources) -> Checked {
    let mut array = Array::new(sources, 4, 4);
    array.load(&block(4, 4, |r, c| (4 * r + c + 1) as i8));
    let cycles = array.stream(&identity(4));
    match cycles == FIGURE_3 {
        true => Ok(()),
        false => Err(format!("{cycles:?}")),
    }
}

#[proves("PET-10", "PET-11", "PET-13")]
#[test]
fn sums_of_figure_3_cycle_by_cycle() {
    for style in [TextStyle::Structural, TextStyle::Loops] {
        let sources = emitted_as(&PeArray::new(4, 4), style);
        assert_eq!(figure_3(&sources), Ok(()));
    }
}

#[test]
fn a_fault_in_a_cell_shows_in_figure_3() {
    let list = r"
        heddle_pe.v: psum_q <= psum_i + => psum_q <=
        heddle_pe.v: if (swap_i) active_q => if (shift_i) active_q
        heddle_pe.v: if (nz_i) product_q => if (!nz_i) product_q";
    let sound = emitted(PeArray::new(4, 4));
    check_mutants(&sound, &faults(list), |sources, _| figure_3(sources));
}

/// 128 x 64: loop style, the structural text takes minutes to build.
#[proves("PET-11", "PET-13")]
#[test]
fn sums_of_figure_4_cycle_by_cycle() {
    let (rows, cols) = (128, 64);
    let sources = emitted_as(&PeArray::new(rows, cols), TextStyle::Loops);
    let mut array = Array::new(&sources, rows, cols);
    // 64 r + c as in 5.2 needs 13 bits; here no two rows of a column are alike.
    let element = |r: usize, c: usize| (r + 3 * c) as u8 as i8;
    array.load(&block(rows, cols, element));
    let cycles = array.stream(&identity(rows));
    for (cycle, sums) in cycles.iter().enumerate() {
        for (column, sum) in sums.iter().enumerate() {
            let row = cycle.checked_sub(column).filter(|row| *row < rows);
            let expected = row.map_or(0, |row| i64::from(element(row, column)));
            assert_eq!(*sum, expected, "cycle {}, column {column}", cycle + 1);
        }
    }
    // The last sum leaves in cycle 191, clock 317 with one register for each cell: 318 clocks.
    assert_eq!(cycles.len(), rows + cols);
}
