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
    /// The unit of the machine: rows and loops, and a way from `ready_i` that ends at once.
    pub fn of_machine(rows: usize, loops: usize) -> Self {
        Self {
            kept: true,
            ..Self::plain(rows, loops)
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
        meta
    }
}
