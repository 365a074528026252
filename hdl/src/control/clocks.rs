//! Clocks between events of the machine, beside those that rows, columns and options take: what the counters here wait for, and what
//! the headers say.

/// Behind HALT and behind an error, besides rows, columns and options: whatever is on its way arrives.
pub const QUIET: usize = 36;
/// From a request for the state buffer that is taken to its answer, besides rows.
pub const ANSWER: usize = 8;
/// From the last drain address that is taken to its word being in the state buffer, besides columns and options.
pub const SETTLE: usize = 13;
/// Behind a vector whose sum is stored, besides rows: slots that start from it must wait.
pub const STORED: usize = 2;
/// From the operand wave of row 0 to the results wave of column 0, besides rows; one more with sums at the top.
pub const RESULTS: usize = 8;
/// From the operand wave of row 0 to the post wave of column 0, besides rows.
pub const POST: usize = 11;
/// From the operand wave of row 0 to the last drain word of its slot, besides rows, columns and options.
pub const DRAIN_WORD: usize = 20;
/// From a start to the first pair of words of a program in banks being asked for.
pub const FIRST_PAIR: usize = 2;
