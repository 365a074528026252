//! Transposes through the results buffer: what is stored where, and when it is read.

use heddle_compiler::matrix::DrainForm;

use super::bench::{Bench, Matrix, places};
use super::probe::{self, Trace};
use crate::machines::Machine;
use crate::rtl::{Checked, check_mutants, faults};

/// More rows than columns, as many, fewer.
const SHAPES: [(u32, u32); 3] = [(8, 4), (4, 4), (3, 5)];
const STORED: [DrainForm; 3] = [DrainForm::Row, DrainForm::Part, DrainForm::All];

/// A block without a zero.
pub fn block(rows: u32, cols: u32) -> Matrix {
    Matrix::new(rows, cols, |(row, col)| (cols * row + col + 1) as i8)
}

/// The largest sub-block: it has no more columns than there are partitions.
pub fn sub_block(rows: u32, cols: u32) -> Matrix {
    block(rows, rows.min(cols))
}

/// The transpose of a block in a form, watched.
pub fn transposed(bench: &mut Bench, form: DrainForm, matrix: &Matrix) -> Checked<Trace> {
    let mut transpose = bench.transpose(matrix);
    transpose.form = form;
    let program = transpose.instructions(bench.params());
    let program = program.map_err(|e| e.to_string())?;
    let trace = probe::run(bench, program)?;
    bench.check(&transpose.destination, &matrix.transposed())?;
    Ok(trace)
}

/// Each column stores its own sums, row after row, and keeps the block.
fn check_stored(trace: &Trace, matrix: &Matrix) -> Checked {
    let rows = trace.rows;
    let width = matrix.shape.cols as usize;
    for column in 0..width {
        let stores = trace.stores(column);
        if stores.len() != rows {
            return Err(format!("column {column} stores {} sums", stores.len()));
        }
        for (row, (clock, store)) in (0..).zip(&stores) {
            let own = trace.clocks[*clock].sums[column];
            let element = i32::from(matrix.at(row, column as u32));
            if (store.bank, store.row) != (0, row) || store.sum != own || own != element {
                return Err(format!("column {column}: {store:?}, array has {own}"));
            }
        }
    }
    let kept = &trace.clocks.last().expect("clocks").results;
    let kept = kept.chunks(trace.cols).flat_map(|row| &row[..width]);
    let block = matrix.elements.iter().map(|element| i32::from(*element));
    match kept.copied().eq(block) {
        true => Ok(()),
        false => Err("the results buffer does not hold the block".to_string()),
    }
}

/// Clocks of stores and reads by row and column. A sum is there in the clock after its store.
struct Times {
    stored: Vec<Vec<usize>>,
    read: Vec<Vec<usize>>,
}

impl Times {
    fn new(trace: &Trace) -> Checked<Self> {
        let table = |clocks: Vec<Vec<(usize, u32)>>| -> Checked<Vec<Vec<usize>>> {
            let mut table = vec![vec![usize::MAX; trace.cols]; trace.rows];
            for (column, clocks) in clocks.into_iter().enumerate() {
                if clocks.len() != trace.rows {
                    return Err(format!("column {column} has {} sums", clocks.len()));
                }
                for (clock, row) in clocks {
                    table[row as usize][column] = clock;
                }
            }
            Ok(table)
        };
        let stores = |c| trace.stores(c).into_iter();
        let stores = |c| stores(c).map(|(clock, store)| (clock, store.row)).collect();
        let times = Self {
            stored: table((0..trace.cols).map(stores).collect())?,
            read: table((0..trace.cols).map(|c| trace.reads(c)).collect())?,
        };
        // Sum (t, c) belongs to processing cycle t + c + 1.
        for (row, clocks) in times.stored.iter().enumerate() {
            for (column, clock) in clocks.iter().enumerate() {
                assert_eq!(*clock, times.stored[0][0] + row + column);
            }
        }
        Ok(times)
    }

    fn all_stored(&self) -> usize {
        *self.stored.iter().flatten().max().expect("rows")
    }

    /// No element of row t is read before all columns have stored row t; row 0 is read before the end.
    fn by_row(&self) -> bool {
        let complete =
            |(stored, read): (&Vec<usize>, &Vec<usize>)| read.iter().min() > stored.iter().max();
        let rows = self.stored.iter().zip(&self.read);
        let first = self.read[0].iter().min().expect("columns");
        rows.into_iter().all(complete) && *first <= self.all_stored()
    }

    /// No column is read before it is full; column 0 is read before the last one is full.
    fn by_column(&self) -> bool {
        let column = |table: &[Vec<usize>], c: usize| -> Vec<usize> {
            table.iter().map(|row| row[c]).collect()
        };
        let cols = self.stored[0].len();
        let full = |c| column(&self.read, c).iter().min() > column(&self.stored, c).iter().max();
        let first = *column(&self.read, 0).iter().min().expect("rows");
        let last = *column(&self.stored, cols - 1).iter().max().expect("rows");
        (0..cols).all(full) && first <= last
    }

    /// Nothing is read before all is stored.
    fn at_the_end(&self) -> bool {
        self.read.iter().flatten().min() > Some(&self.all_stored())
    }

    /// Clocks between the last vector and the first sum that is read, at one column.
    fn pause(&self) -> usize {
        // The slot of a vector is two clocks before its store.
        self.read[0][0] + 1 - self.stored[self.stored.len() - 1][0]
    }
}

#[proves("PET-17", "PET-18", "PET-19")]
#[test]
fn the_results_buffer_holds_the_block() {
    for (rows, cols) in SHAPES {
        let machine = probe::machine(rows, cols);
        let mut bench = Bench::new(&machine, 1).unwrap();
        let matrix = sub_block(rows, cols);
        for form in STORED {
            let trace = transposed(&mut bench, form, &matrix).unwrap();
            check_stored(&trace, &matrix).unwrap_or_else(|e| panic!("{rows} x {cols}: {e}"));
        }
        let trace = transposed(&mut bench, DrainForm::Direct, &matrix).unwrap();
        check_stored(&trace, &matrix).expect_err("direct sums are not stored");
        let turned = matrix.elements.iter().rev().copied().collect();
        let turned = Matrix {
            elements: turned,
            shape: matrix.shape,
        };
        let trace = transposed(&mut bench, DrainForm::All, &matrix).unwrap();
        check_stored(&trace, &turned).expect_err("another block");
    }
}

#[proves("PET-26", "PET-27", "PET-28")]
#[test]
fn when_a_drain_reads_the_sums() {
    // Rows and columns of the array, form, clocks of the pause; read by row, by column, at the end.
    let table = [
        ((8, 4), DrainForm::Row, 0, [true, false, false]),
        ((8, 4), DrainForm::Part, 2, [true, true, false]),
        ((8, 4), DrainForm::All, 12, [false, false, true]),
        ((4, 4), DrainForm::Row, 2, [true, true, false]),
        ((4, 4), DrainForm::Part, 2, [true, true, false]),
        ((4, 4), DrainForm::All, 12, [false, false, true]),
        ((3, 5), DrainForm::Row, 4, [true, true, false]),
        ((3, 5), DrainForm::Part, 2, [false, true, false]),
        ((3, 5), DrainForm::All, 12, [false, false, true]),
    ];
    for (rows, cols) in SHAPES {
        let machine = probe::machine(rows, cols);
        let mut bench = Bench::new(&machine, 1).unwrap();
        let matrix = sub_block(rows, cols);
        // Cycles of one sub-block, and of each further one.
        let mut watched = |form| {
            let trace = transposed(&mut bench, form, &matrix).unwrap();
            let more = block(3 * rows, rows.min(cols));
            let three = transposed(&mut bench, form, &more).unwrap();
            let each = (three.cycles - trace.cycles) / 2;
            let costs = format!("{} | {each} |", trace.cycles);
            (trace, costs)
        };
        let (direct, costs) = watched(DrainForm::Direct);
        assert!(Times::new(&direct).is_err(), "direct sums are not stored");
        check_line(&format!("| {rows} x {cols} | Direct | | | | | {costs}"));
        for (_, form, pause, kinds) in table.iter().filter(|row| row.0 == (rows, cols)) {
            let (trace, costs) = watched(*form);
            let times = Times::new(&trace).unwrap();
            let at = format!("{rows} x {cols} | {form:?}");
            assert_eq!(times.pause(), *pause, "{at}");
            let found = [times.by_row(), times.by_column(), times.at_the_end()];
            assert_eq!(found, *kinds, "{at}");
            // No word reaches the state buffer before its sums were read.
            let written = trace.when(|clock| clock.writes.iter().any(Option::is_some));
            assert!(written[0] > times.read[0][0], "{at}");
            if *form == DrainForm::All {
                assert!(written[0] > times.all_stored(), "{at}");
            }
            let [row, column, end] = found.map(|kind| if kind { "yes" } else { "no" });
            check_line(&format!(
                "| {at} | {pause} | {row} | {column} | {end} | {costs}"
            ));
        }
    }
}

/// The documentation has this line.
fn check_line(line: &str) {
    let text = include_str!("../../../docs/matrices.md");
    assert!(text.contains(line), "docs/matrices.md lacks \"{line}\"");
}

#[proves("PET-15", "PET-16")]
#[test]
fn a_partition_for_each_column_and_a_row_for_each_row() {
    for (rows, cols) in SHAPES {
        let params = probe::params(rows, cols);
        assert!(params.results_buffer.depth >= params.array.rows);
        // One partition for each column of the array: their memories, with two banks.
        let sources = probe::sources(&params);
        let text = |prefix: &str| {
            let mut files = sources.files.iter();
            let found = files.find(|(name, _)| name.starts_with(prefix));
            found.expect("a module").1.as_str()
        };
        let partitions = format!("for (i = 0; i < {cols}; i = i + 1) begin : gen_column");
        assert!(text("heddle_results_buffer").contains(&partitions));
        let depth = 2 * params.results_buffer.depth;
        let memory = format!(".Depth   ({depth}),");
        assert!(text("heddle_result_column").contains(&memory));
        // All of them are used, up to the last row.
        let machine = probe::machine(rows, cols);
        let mut bench = Bench::new(&machine, 1).unwrap();
        let matrix = sub_block(rows, cols);
        let trace = transposed(&mut bench, DrainForm::All, &matrix).unwrap();
        for column in 0..trace.cols {
            let last = trace.stores(column).last().map(|(_, store)| store.row);
            assert_eq!(last, Some(rows - 1));
        }
    }
    // A machine whose results buffer is too small for that is refused.
    let mut shallow = probe::params(8, 4);
    shallow.results_buffer.depth = 4;
    let shape = block(8, 8).shape;
    let identity = heddle_compiler::matrix::MatrixPlace::streamed(shape, 512, &shallow);
    let mut transpose = places(block(8, 4).shape, identity, &shallow);
    transpose.form = DrainForm::All;
    let error = transpose.instructions(&shallow).expect_err("refused");
    assert!(error.to_string().starts_with("results_buffer.depth is 4, "));
}

#[test]
fn faults_of_the_results_buffer_are_found() {
    let params = probe::params(4, 4);
    let matrix = block(4, 4);
    let sound = probe::sources(&params);
    // The store of the column before; rows from 1 on.
    let list = r"
        heddle_result_column: array_sum = sums_sum_en_q ? sum_i => array_sum = sums_sum_en_q ? ~sum_i
        heddle_drain_issue: vector_q + 12'd1 => vector_q + 12'd2";
    check_mutants(&sound, &faults(list), |sources, _| {
        let machine = Machine::from_verilog(params.clone(), sources);
        let mut bench = Bench::new(&machine, 1)?;
        check_stored(&transposed(&mut bench, DrainForm::All, &matrix)?, &matrix)
    });
}
