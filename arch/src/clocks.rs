//! Clocks of the machine: distances that are fixed by its registers, as `docs/isa.md` has them.
//!
//! The compiler's formulas and the golden machine count with them, each in its own way. The hardware has them in its registers.

use crate::params::Params;

/// Distances of events in clock cycles.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clocks {
    /// From START to the first address of the unit: the start pulse is in a register, and the traversal takes two cycles.
    pub first_address: u64,
    /// From an operand address that is accepted to the drain address of its sum being taken: the way down the rows, and the word's own.
    pub drain_address: u64,
    /// From an operand address that is accepted to its sum with a row offset being known to lie beyond the memory.
    pub fault: u64,
    /// From the last drain address that is taken to the drain unit being idle: the results cross the columns, are scaled and written.
    pub drain_idle: u64,
    /// From an operand, weight or copy address that is accepted to the first row reading its bank; each row behind it reads one cycle later.
    pub read: u64,
    /// From a drain address that makes a word leave to the word of column 0 being written; each column behind it one cycle later.
    pub word: u64,
    /// From a swap of weights to the first weight word that may be accepted: the swap crosses the columns.
    pub swap: u64,
    /// From the read of a word to be copied to its being written, and from its address to the first one that reads the copy.
    pub copy: u64,
    /// From the last address of a copy that is accepted to the weight unit being idle: the last row has written.
    pub copy_idle: u64,
    /// From a vector that stores its sum to a slot that may start from it.
    pub sums: u64,
    /// From a slot for post that is accepted to the next one: columns take turns at a multiplier.
    pub post: u64,
    /// From ISSUE of HALT to done, besides the cycle of ISSUE: whatever is on its way arrives.
    pub quiet: u64,
    /// From a pair of words of a program in banks being asked for to its first word being read: the way of the host.
    pub first_word: u64,
    /// The same for its second word, which is also when PRIME goes on.
    pub second_word: u64,
}

impl Clocks {
    /// Those of a machine.
    pub fn of(params: &Params) -> Clocks {
        let [rows, cols, extra, post] = [
            params.array.rows,
            params.array.cols,
            params.post.extra_cycles(),
            params.post.columns_per_multiplier,
        ]
        .map(u64::from);
        Clocks {
            first_address: 4,
            drain_address: rows + 11,
            fault: rows + 2,
            drain_idle: cols + 13 + extra,
            read: 3,
            word: 9 + extra,
            swap: cols,
            copy: 6,
            copy_idle: rows + 9,
            sums: params.sum_distance().into(),
            post,
            quiet: rows + cols + 36 + extra,
            first_word: rows + 8,
            second_word: rows + 9,
        }
    }
}
