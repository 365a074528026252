//! Streamed weights: words come one in each clock, and each serves several tiles.
//!
//! A swap and the words move through the columns at different speeds. Byte j of group g of a tile is taken from the word that comes
//! 7 g + j + 1 clocks after the tile's first one, so that of most words few bytes are taken. Tiles therefore begin fewer
//! words apart in memory than in time: a word is read several times, and other bytes of it are taken each time.

use heddle_arch::params::Params;
use heddle_arch::word::COLUMNS_PER_WORD;

/// When the words of streamed weights come, and where they lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Streaming {
    /// Clocks from the first word of a K tile to that of the next one.
    pub period: u32,
    /// Words of memory between them.
    pub step: u32,
    /// Words behind the last K tile.
    pub tail: u32,
}

impl Streaming {
    /// For K tiles of `groups` words and so many vectors, whose sums leave the array every `pace` clocks: the bias of the next column tile takes
    /// a clock too, and no byte of a word belongs to two tiles.
    pub fn of(groups: u32, vectors: u32, pace: u32) -> Self {
        let slots = (pace * vectors).max(pace * (vectors - 1) + 2);
        let clashes =
            |period: u32| (1..groups).any(|group| (COLUMNS_PER_WORD - 1) * group % period == 0);
        let period = (groups.max(slots)..)
            .find(|&period| !clashes(period))
            .expect("a period above 7 times the groups has no clash");
        let step = (groups..=period).find(|&step| is_free(groups, period, step));
        Self {
            period,
            step: step.expect("without a clash the period is one"),
            tail: (COLUMNS_PER_WORD * groups + 1).saturating_sub(period),
        }
    }

    /// For K tiles of so many vectors, if they come faster than loaded weights and no sum is asked for, `distance` slots behind, before it has
    /// left the array: streamed weights do not wait.
    pub fn in_time(vectors: u32, distance: u32, params: &Params) -> Option<Self> {
        let words = params.weight_words();
        let streaming = Self::of(words, vectors, params.post.columns_per_multiplier);
        let is_faster = streaming.period < params.array.cols + words;
        (is_faster && distance <= streaming.period).then_some(streaming)
    }

    /// Words in front of the tail.
    pub fn main_words(&self, tiles: u64) -> u64 {
        match tiles {
            0 => 0,
            _ => (tiles - 1) * u64::from(self.step) + u64::from(self.period),
        }
    }

    /// All words.
    pub fn words(&self, tiles: u64) -> u64 {
        self.main_words(tiles) + u64::from(self.tail)
    }

    /// The word that has a byte of a K tile.
    pub fn word(&self, tiles: u64, tile: u64, group: u32, lane: u32) -> u64 {
        let period = u64::from(self.period);
        let clock = tile * period + u64::from(clock(group, lane));
        match clock / period {
            turn if turn < tiles => turn * u64::from(self.step) + clock % period,
            _ => self.main_words(tiles) + clock - tiles * period,
        }
    }
}

/// Clocks from a K tile of so many vectors to the next one of the same product.
pub(crate) fn tile_clocks(vectors: u32, params: &Params) -> u32 {
    let distance = params.sum_distance();
    let loaded = params.array.cols + params.weight_words();
    let streaming = Streaming::in_time(vectors, distance, params);
    streaming.map_or(loaded.max(vectors).max(distance), |streaming| {
        streaming.period
    })
}

/// When a word comes, counted from the first one of its tile, of which a byte is taken for a group.
fn clock(group: u32, lane: u32) -> u32 {
    (COLUMNS_PER_WORD - 1) * group + lane + 1
}

/// No two tiles take the same byte of a word if their words begin `step` apart: their groups would have to be an equal number of steps apart.
fn is_free(groups: u32, period: u32, step: u32) -> bool {
    let place = |group: u32, lane: u32| {
        let clock = clock(group, lane);
        clock / period * step + clock % period
    };
    let pairs = || (0..groups).flat_map(|one| (0..one).map(move |other| (one, other)));
    (0..COLUMNS_PER_WORD).all(|lane| {
        pairs().all(|(one, other)| place(one, lane).abs_diff(place(other, lane)) % step != 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_byte_of_a_streamed_word_belongs_to_two_tiles() {
        for groups in 1..=32u32 {
            for vectors in 1..=40 {
                let streaming = Streaming::of(groups, vectors, 1);
                let bytes = (0..60).flat_map(|tile| {
                    let groups =
                        (0..groups).flat_map(|group| (0..8).map(move |lane| (group, lane)));
                    groups.map(move |(group, lane)| (streaming.word(60, tile, group, lane), lane))
                });
                let mut unique: Vec<(u64, u32)> = bytes.collect();
                let all = unique.len();
                unique.sort_unstable();
                assert!(unique[all - 1].0 < streaming.words(60));
                unique.dedup();
                assert_eq!(unique.len(), all, "{groups} groups, {vectors} vectors");
            }
        }
    }

    #[test]
    fn most_tiles_take_no_more_words_than_they_have() {
        let of = |groups, vectors, pace| {
            let Streaming { period, step, tail } = Streaming::of(groups, vectors, pace);
            (period, step, tail)
        };
        let single = [1, 2, 3, 7, 14].map(|groups| of(groups, 1, 1));
        let expected = [(2, 1, 7), (2, 2, 15), (3, 3, 22), (8, 8, 49), (15, 15, 98)];
        assert_eq!(single, expected);
        assert_eq!([of(1, 9, 1), of(2, 9, 1)], [(10, 1, 0), (10, 2, 7)]);
        assert_eq!(
            [of(1, 1, 4), of(1, 3, 2), of(2, 4, 2)],
            [(4, 1, 5), (6, 1, 3), (8, 2, 9)]
        );
    }
}
