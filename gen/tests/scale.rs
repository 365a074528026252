//! Large arrays: the text does not grow with them, and printing them is quick.

use crate::common::cells::Row;
use crate::common::{options, print};
use heddle_gen::emit;
use heddle_kernel::prelude::*;
use std::time::{Duration, Instant};

/// Rows of cells.
#[module]
pub struct Rows {
    /// Stores the weights of a row.
    pub load_i: [Signal<In, Bit>; rows],
    /// One weight per column.
    pub weight_i: [Signal<In, Signed<8>>; cols],
    /// Operands by row.
    pub x_i: [Signal<In, Signed<8>>; rows],
    /// Sums by row.
    pub sum_o: [Signal<Out, Signed<24>>; rows],
    #[new(Row::new(cols))]
    row: [Row; rows],
    /// Rows.
    _rows: Param<'r'>,
    /// Cells of a row.
    _cols: Param<'c'>,
}

#[kernel]
impl Rows {
    fn update(&mut self) {
        for r in 0..self._rows {
            self.row[r].load_i = self.load_i[r];
            self.row[r].weight_i.follow(&self.weight_i);
            self.row[r].x_i = self.x_i[r];
            self.sum_o[r] = self.row[r].sum_o;
        }
    }
}

#[test]
fn number_and_size_of_modules_do_not_depend_on_the_array() {
    let (small, large) = (print(&Rows::new(4, 4)), print(&Rows::new(32, 32)));
    assert_eq!(small.modules.len(), large.modules.len());
    let bytes = |d: &heddle_gen::Design| d.modules.iter().map(|m| m.text.len()).sum::<usize>();
    assert!(
        bytes(&large) < bytes(&small) + 200,
        "{} {}",
        bytes(&small),
        bytes(&large)
    );
}

#[test]
fn array_of_128_by_128_is_printed_within_ten_seconds() {
    let start = Instant::now();
    let design = emit(&Rows::new(128, 128), &options()).expect("legal");
    let time = start.elapsed();
    println!("128 x 128: {time:?}");
    assert_eq!(design.modules.len(), 3);
    // Unoptimised builds are slower; the limit is for optimised ones.
    let limit = if cfg!(debug_assertions) { 60 } else { 10 };
    assert!(time < Duration::from_secs(limit), "took {time:?}");
}
