//! Large arrays: the text does not grow with them, and printing them is quick.

mod common;

use common::cells::Row;
use common::{options, print};
use heddle_gen::emit;
use heddle_hdl::prelude::*;
use std::time::{Duration, Instant};

/// Rows of cells.
#[derive(LogicBlock)]
pub struct Rows {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// Stores the weights of a row.
    pub load_i: Vec<Signal<In, Bit>>,
    /// One weight per column.
    pub weight_i: Vec<Signal<In, Signed<8>>>,
    /// Operands by row.
    pub x_i: Vec<Signal<In, Signed<8>>>,
    /// Sums by row.
    pub sum_o: Vec<Signal<Out, Signed<24>>>,
    row: Vec<Row>,
    _rows: usize,
    _cols: usize,
}

impl Rows {
    fn new(rows: usize, cols: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            load_i: v(rows),
            weight_i: v(cols),
            x_i: v(rows),
            sum_o: v(rows),
            row: (0..rows).map(|_| Row::new(cols)).collect(),
            _rows: rows,
            _cols: cols,
        }
    }
}

impl Logic for Rows {
    #[hdl_gen]
    fn update(&mut self) {
        for r in 0..self._rows {
            self.row[r].clk.next = self.clk.val();
            self.row[r].rst_n.next = self.rst_n.val();
            self.row[r].load_i.next = self.load_i[r].val();
            for c in 0..self._cols {
                self.row[r].weight_i[c].next = self.weight_i[c].val();
            }
            self.row[r].x_i.next = self.x_i[r].val();
            self.sum_o[r].next = self.row[r].sum_o.val();
        }
    }
    module!(|this| Meta::module("rows")
        .param("rows", "r", this._rows, "rows")
        .param("cols", "c", this._cols, "cells of a row"));
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
