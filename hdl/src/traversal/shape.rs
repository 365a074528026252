//! Sizes and options.

use super::{AddressSum, Arrangement};
use heddle_kernel::prelude::*;

/// Sizes and options of a traversal unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TraversalShape {
    /// Rows, 1 to 8.
    pub rows: usize,
    /// Loops in a row, 1 to 8.
    pub loops: usize,
    /// Loops that a row has less than that.
    pub lacking: [usize; 8],
    /// Two sets of registers: the next traversal is written while one runs.
    pub double: bool,
    /// The end test may be equality.
    pub equality: bool,
    /// A row may give the number of iterations instead of an end.
    pub trips: bool,
    /// Rows may be attached to a loop of the tensor.
    pub attach: bool,
    /// Register stages of the address sum, at most the levels of its tree.
    pub stages: usize,
    /// Values of all loops may be written group by group.
    pub group: bool,
    /// Loops that never end are found when they are written.
    pub check: bool,
    /// A traversal may run several times, each time with other bases; only with one set of registers.
    pub repeat: bool,
    /// An address that is not taken at once is kept beside the stages: they move on by a register, not by `ready_i`.
    pub kept: bool,
    /// Which register holds a loop.
    pub arrangement: Arrangement,
}

impl TraversalShape {
    /// A unit of the machine: the loops of its rows, and a way from `ready_i` that ends at once.
    pub fn of_machine(rows: &[u32]) -> Self {
        let most = rows.iter().max().map_or(0, |most| *most as usize);
        let mut lacking = [0; 8];
        for (lacks, loops) in lacking.iter_mut().zip(rows) {
            *lacks = most - *loops as usize;
        }
        Self {
            lacking,
            kept: true,
            ..Self::plain(rows.len(), most)
        }
    }

    /// Nothing but rows and loops.
    pub fn plain(rows: usize, loops: usize) -> Self {
        Self {
            rows,
            loops,
            stages: 1,
            ..Self::default()
        }
    }

    /// Loops of a row.
    pub fn loops_of(&self, row: usize) -> usize {
        self.loops - self.lacking[row]
    }

    /// Place of the first loop of a row among the loops of all rows.
    pub fn first(&self, row: usize) -> usize {
        (0..row).map(|r| self.loops_of(r)).sum()
    }

    /// The rows that have loops.
    pub fn looped(&self) -> Vec<usize> {
        let rows = 0..self.rows;
        rows.filter(|row| self.loops_of(*row) > 0).collect()
    }

    /// Place of a row among those that have loops.
    pub fn place(&self, row: usize) -> usize {
        (0..row).filter(|r| self.loops_of(*r) > 0).count()
    }

    /// For module names: the number of rows, then the loops of each, as digits; 0 for `rows` rows of `loops` loops.
    pub fn digits(&self, rows: usize, loops: usize) -> usize {
        match (self.rows, self.loops, self.lacking) == (rows, loops, [0; 8]) {
            true => 0,
            false => (0..self.rows).fold(self.rows, |n, row| 10 * n + self.loops_of(row)),
        }
    }

    /// Cycles from the cycle after a start to its first address.
    pub fn latency(&self) -> usize {
        1 + AddressSum::<16>::stages_of(self.loops + 1, self.stages)
    }

    /// A module of the unit: `name`, the sizes, and of the options those that make a difference to it,
    /// given by their letters in module names.
    pub(super) fn describe(&self, meta: Meta, w: usize, a: usize, letters: &str) -> Meta {
        let mut meta = meta
            .param("rows", "m", self.rows, "rows")
            .param("loops", "n", self.loops, "loops in a row")
            .param("W", "w", w, "bits of an offset")
            .param("A", "a", a, "bits of an address");
        if letters.contains('s') {
            let stages = self.latency() - 1;
            meta = meta.param(
                "sum_stages",
                "s",
                stages,
                "register stages of the address sum",
            );
        }
        let mirrored = self.arrangement == Arrangement::Mirrored;
        let transposed = self.arrangement == Arrangement::Transposed;
        for (name, letter, on, doc) in [
            ("double", "x", self.double, "1: two sets of registers"),
            (
                "equality",
                "q",
                self.equality,
                "1: the end test may be equality",
            ),
            ("trips", "t", self.trips, "1: a row may count iterations"),
            (
                "attach",
                "i",
                self.attach,
                "1: rows may be attached to a loop",
            ),
            (
                "group",
                "g",
                self.group,
                "1: values may come group by group",
            ),
            ("check", "e", self.check, "1: endless loops are found"),
            (
                "repeat",
                "y",
                self.repeat,
                "1: a traversal may run several times",
            ),
            (
                "kept",
                "k",
                self.kept,
                "1: an address that waits is kept beside the stages",
            ),
            (
                "mirrored",
                "l",
                mirrored,
                "1: the leftmost register is the innermost loop",
            ),
            (
                "transposed",
                "v",
                transposed,
                "1: registers are stored by columns",
            ),
        ] {
            if letters.contains(letter) {
                meta = meta.option(name, letter, on.into(), doc);
            }
        }
        let doc = "number of rows, then the loops of each: the ports have these alone";
        meta.feature("row_loops", "r", self.digits(self.rows, self.loops), doc)
    }
}
