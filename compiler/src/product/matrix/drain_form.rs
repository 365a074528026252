//! When the sums of a transpose leave the results buffer.
//!
//! A slot of the stream unit reaches column c of the results buffer c clocks later. Vector t is stored two
//! clocks after its slot; a slot that reads an address sees what was stored in earlier clocks. So what is
//! read when depends on one number: the clocks between the last vector and the first sum that is read.
//! Where stored sums enter the array at the top they are read as many clocks earlier as the array has rows, their
//! *way*, and the machine itself waits until the last sum of a column is stored.

use std::ops::RangeInclusive;

use heddle_arch::isa::RowBlock;

use crate::loops::Count;

/// How the sums of a sub-block become rows of its transpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DrainForm {
    /// They go from the array to post and never enter the results buffer.
    #[default]
    Direct,
    /// They are stored; a row is read when all columns have stored it, and the first one before all rows
    /// are stored.
    Row,
    /// They are stored; a column is read when it is full, and the first one before all columns are full.
    Part,
    /// They are stored; none is read before all are stored.
    All,
}

/// Words of an instruction that reads stored sums, with one loop.
const READ_WORDS: u32 = 8;
/// Clocks between two MATMULs, besides the words of the second: ISSUE, START and the first address.
const START_CLOCKS: u32 = 4;
/// Longest instruction.
const MAX_WORDS: u32 = heddle_arch::isa::MAX_WORDS as u32;

/// What stands between the last vector and the first sum that is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pause {
    /// So many prologue slots in the same instruction, as loops of step 1.
    Slots(Vec<Count>),
    /// An instruction of its own; words of its record are written again to make it this much longer.
    Words(u32),
}

impl DrainForm {
    /// Clocks that may lie between the last of `vectors` and the first sum that is read, on an array of
    /// `cols` columns whose stored sums have this way; none if the sums are not stored.
    pub(super) fn clocks(self, vectors: u32, cols: u32, way: u32) -> Option<RangeInclusive<u32>> {
        let row = (way + cols + 2).saturating_sub(vectors).max(wait(way));
        match self {
            DrainForm::Direct => None,
            // With one row nothing is left to be stored when the first one is complete.
            DrainForm::Row if vectors == 1 => Some(row..=row),
            DrainForm::Row => Some(row..=way + cols),
            DrainForm::Part => Some(way + 2..=way + cols.max(2)),
            DrainForm::All => Some(way + cols + 1..=MAX_WORDS + START_CLOCKS),
        }
    }

    /// The shortest pause of this form. Column tiles up to `tile` and so many loops of a record can be
    /// used for it.
    pub(super) fn pause(
        self,
        vectors: u32,
        cols: u32,
        way: u32,
        tile: u16,
        loops: u32,
    ) -> Option<Pause> {
        let clocks = self.clocks(vectors, cols, way)?;
        if way > 0 && self != DrainForm::All && clocks.contains(&wait(way)) {
            return Some(Pause::Slots(Vec::new()));
        }
        let slots = |count| slots(count, tile.into(), loops as usize).map(Pause::Slots);
        let words = |count: u32| {
            let more = count.checked_sub(READ_WORDS + START_CLOCKS)?;
            let fits = READ_WORDS + more <= MAX_WORDS;
            // A block of the record that is written again has two words, or five with its loop.
            (fits && ![1, 3].contains(&more)).then_some(Pause::Words(more))
        };
        // DRAIN-ALL is an instruction of its own.
        let mut choices = clocks.clone().map(|count| match self {
            DrainForm::All => None,
            _ => slots(count),
        });
        let found = choices.find_map(|choice| choice);
        found.or_else(|| clocks.clone().find_map(words))
    }
}

impl Pause {
    /// Clocks between the last vector and the first sum that is read.
    #[cfg(test)]
    pub fn clocks(&self) -> u32 {
        match self {
            Pause::Slots(loops) if loops.is_empty() => 0,
            Pause::Slots(loops) => loops.iter().map(|count| count.trips).product(),
            Pause::Words(more) => READ_WORDS + more + START_CLOCKS,
        }
    }

    /// A record with words that say the same again.
    pub fn lengthen(more: u32, block: RowBlock) -> Vec<RowBlock> {
        let bare = RowBlock {
            loops: Vec::new(),
            ..block.clone()
        };
        let odd = more % 2;
        let mut rows = vec![block.clone()];
        rows.extend((0..odd).map(|_| block.clone()));
        rows.extend((0..(more - 5 * odd) / 2).map(|_| bare.clone()));
        rows
    }
}

/// Clocks that the machine itself lets pass between the last vector and the first sum that is read.
fn wait(way: u32) -> u32 {
    match way {
        0 => 0,
        _ => way + 2,
    }
}

/// Nested loops of step 1 with `count` slots, whose addresses end at `tile`; no loop for no slot.
fn slots(count: u32, tile: u32, loops: usize) -> Option<Vec<Count>> {
    let mut factors = Vec::new();
    let mut rest = count;
    let mut factor = 2;
    while rest > 1 {
        while rest % factor == 0 {
            factors.push(factor);
            rest /= factor;
        }
        factor += 1;
    }
    if count == 1 {
        factors.push(1);
    }
    while factors.len() > loops {
        factors.sort_unstable_by(|a, b| b.cmp(a));
        let (last, before) = (factors.pop()?, factors.pop()?);
        factors.push(last * before);
    }
    let reach: u32 = factors.iter().map(|trips| trips - 1).sum();
    let loops = factors.into_iter().map(|trips| Count::new(trips, 1));
    (reach <= tile).then(|| loops.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORED: [DrainForm; 3] = [DrainForm::Row, DrainForm::Part, DrainForm::All];

    #[test]
    fn a_pause_lies_between_its_bounds() {
        for form in STORED {
            for cols in 1..=64 {
                for vectors in 1..=64 {
                    for tile in [0, 1, 5, 15] {
                        let clocks = form.clocks(vectors, cols, 0).expect("stored");
                        if let Some(pause) = form.pause(vectors, cols, 0, tile, 3) {
                            assert!(
                                clocks.contains(&pause.clocks()),
                                "{form:?} {vectors} {cols}"
                            );
                            let own = matches!(pause, Pause::Words(_));
                            assert!(own || form != DrainForm::All);
                        } else {
                            assert!(tile < 15 || form == DrainForm::Row, "{form:?} {cols}");
                        }
                    }
                }
            }
        }
        assert_eq!(DrainForm::Direct.pause(4, 4, 0, 1, 3), None);
    }

    #[test]
    fn the_shortest_pauses() {
        let clocks = |form: DrainForm, vectors, cols| {
            let pause = form.pause(vectors, cols, 0, 1, 5);
            pause.map(|pause| pause.clocks())
        };
        assert_eq!(clocks(DrainForm::Row, 8, 4), Some(0));
        assert_eq!(clocks(DrainForm::Row, 6, 4), Some(0));
        assert_eq!(clocks(DrainForm::Row, 5, 4), Some(1));
        assert_eq!(clocks(DrainForm::Row, 4, 4), Some(2));
        // Five slots need another column tile, and an instruction of its own comes too late.
        assert_eq!(clocks(DrainForm::Row, 3, 5), None);
        assert_eq!(clocks(DrainForm::Row, 60, 64), Some(12));
        assert_eq!(clocks(DrainForm::Part, 4, 4), Some(2));
        assert_eq!(clocks(DrainForm::All, 4, 4), Some(12));
        assert_eq!(clocks(DrainForm::All, 4, 12), Some(14));
        assert_eq!(clocks(DrainForm::All, 4, 64), Some(65));
        assert_eq!(clocks(DrainForm::All, 256, 240), Some(241));
        assert_eq!(clocks(DrainForm::All, 256, 256), Some(257));
    }

    #[proves("PET-57")]
    #[test]
    fn with_sums_at_the_top_all_is_later_by_the_rows_of_the_array() {
        for (cols, vectors) in [(1, 3), (4, 1), (4, 4), (4, 9), (9, 2)] {
            for form in STORED {
                let foot = form.clocks(vectors, cols, 0).expect("stored");
                let top = form.clocks(vectors, cols, 5).expect("stored");
                let end = match form {
                    DrainForm::All => *foot.end(),
                    _ => foot.end() + 5,
                };
                assert_eq!(
                    top,
                    (foot.start() + 5).max(7)..=end,
                    "{form:?} {cols} {vectors}"
                );
            }
        }
        let pause = |form: DrainForm, vectors, cols| form.pause(vectors, cols, 5, 15, 5);
        let none = Some(Pause::Slots(Vec::new()));
        assert_eq!(pause(DrainForm::Part, 4, 4), none);
        assert_eq!(pause(DrainForm::Row, 4, 4), none);
        // The machine does not wait long enough: 5 + 9 + 2 - 2 clocks.
        let slots = pause(DrainForm::Row, 2, 9).expect("slots");
        assert_eq!(slots.clocks(), 14);
        assert_eq!(pause(DrainForm::Row, 3, 1), None);
        assert_eq!(
            pause(DrainForm::All, 4, 12).map(|pause| pause.clocks()),
            Some(18)
        );
    }

    #[test]
    fn a_record_becomes_longer_by_words_that_say_the_same() {
        let block = RowBlock {
            row: 2,
            base: 0,
            loops: vec![Count::new(4, 1).registers(16)],
        };
        for more in (0..40).filter(|more| ![1, 3].contains(more)) {
            let rows = Pause::lengthen(more, block.clone());
            let words: usize = rows.iter().map(|b| 2 + 3 * b.loops.len()).sum();
            assert_eq!(words as u32, 5 + more);
            assert!(rows.iter().all(|b| (b.row, b.base) == (2, 0)));
            assert_eq!(rows[0], block);
        }
    }

    #[test]
    fn slots_end_at_the_tile() {
        assert_eq!(slots(0, 0, 3), Some(vec![]));
        assert_eq!(slots(1, 0, 3), Some(vec![Count::new(1, 1)]));
        assert_eq!(slots(2, 0, 3), None);
        assert_eq!(slots(2, 1, 3), Some(vec![Count::new(2, 1)]));
        assert_eq!(slots(9, 3, 3), None);
        assert_eq!(slots(9, 4, 3).map(|loops| loops.len()), Some(2));
        assert_eq!(slots(16, 15, 3).map(|loops| loops.len()), Some(3));
        assert_eq!(slots(16, 15, 1), Some(vec![Count::new(16, 1)]));
    }
}
