//! Where results have their sums.

use super::axis::Span;
use super::fold::Fold;

/// Words of sums: results have theirs at (group << `area`) + (row << `pitch`) + column, the group modulo 16 and all modulo the words of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sums {
    /// Groups of a share that are kept at once.
    pub each: u32,
    /// log2 of the words of a row.
    pub pitch: u32,
    /// log2 of the words of a group.
    pub area: u32,
    /// The sums of two steps are kept at once: those of one are drained while the next one is computed.
    pub overlap: bool,
}

/// The folds of a pass, and the passes.
pub(super) struct Work<'a> {
    pub(super) folds: &'a [Fold],
    pub(super) passes: u32,
}

impl Sums {
    /// The least words in which all results of a unit have their own, if there are so many.
    pub(super) fn of(each: u32, overlap: bool, work: &Work, words: u32) -> Option<Self> {
        let [rows, cols] = [0, 1].map(|side| log2(longest(work.folds, side)));
        let areas = (rows + cols..=15).take_while(|area| u64::from(each) << area <= words.into());
        // Folds beside each other have room in rows of twice their columns.
        let mut sums = areas.flat_map(|area| {
            let pitches = cols..=(cols + 1).min(area - rows);
            pitches.map(move |pitch| Sums {
                each,
                pitch,
                area,
                overlap,
            })
        });
        sums.find(|sums| !overlap || sums.are_distinct(work, words))
    }

    /// Words that one group needs.
    pub(super) fn least(folds: &[Fold]) -> u64 {
        1 << (log2(longest(folds, 0)) + log2(longest(folds, 1)))
    }

    /// Whether no result of a step has the words of one of the step before.
    fn are_distinct(&self, work: &Work, words: u32) -> bool {
        let Some((first, last)) = work.folds.first().zip(work.folds.last()) else {
            return true;
        };
        let passes_differ = match work.folds.len() {
            // Each pass has the groups behind those of the pass before.
            1 => 2 * self.each <= 16.min(words >> self.area),
            _ => self.folds_differ(last, first),
        };
        let mut pairs = work.folds.windows(2);
        pairs.all(|pair| self.folds_differ(&pair[0], &pair[1]))
            && (work.passes == 1 || passes_differ)
    }

    /// Whether no unit has the words of a result of one fold for one of the other.
    fn folds_differ(&self, one: &Fold, other: &Fold) -> bool {
        let mut pairs = one.cells.iter().zip(&other.cells);
        pairs.all(|(one, other)| {
            let [[above, a], [below, b]] =
                [one, other].map(|cell| [0, 1].map(|side| &cell[side].keeps));
            let (above, below) = match a == b {
                true => (above.clone(), below.clone()),
                false => (self.rows(above, a), self.rows(below, b)),
            };
            are_apart(a, b, self.pitch) || are_apart(&above, &below, self.area - self.pitch)
        })
    }

    /// Rows of words of some results: a column beyond those of a row lies in the next one.
    fn rows(&self, rows: &Span, cols: &Span) -> Span {
        match rows.is_empty() || cols.is_empty() {
            true => 0..0,
            false => {
                let (first, last) = (cols.start >> self.pitch, (cols.end - 1) >> self.pitch);
                rows.start + first..rows.end + last
            }
        }
    }
}

/// Whether no number of one span is one of another, modulo a power of two.
fn are_apart(a: &Span, b: &Span, modulus_log2: u32) -> bool {
    let modulus = 1 << modulus_log2;
    let distance = b.start.wrapping_sub(a.start) % modulus;
    let [length, other] = [a, b].map(|span| span.len() as u32);
    length == 0 || other == 0 || distance >= length && distance + other <= modulus
}

/// The most rows (0) or columns (1) of results that a unit keeps.
fn longest(folds: &[Fold], side: usize) -> u32 {
    let cells = folds.iter().flat_map(|fold| &fold.cells);
    cells.map(|cell| cell[side].keeps.len()).max().unwrap_or(0) as u32
}

/// Bits of numbers below a count.
fn log2(count: u32) -> u32 {
    count.max(1).next_power_of_two().ilog2()
}
