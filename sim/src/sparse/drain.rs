//! A clocked link of the drain chain.

use super::map::Part;
use crate::delay::DelayLine;

/// A position whose sums are drained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Row of the result.
    pub row: i32,
    /// Its column.
    pub col: i32,
    /// Whose output channels: the units with this share have its sums.
    pub share: usize,
    /// Region of the sums.
    pub region: bool,
    /// Its word of sums.
    pub word: usize,
    /// Its sums stay as they are.
    pub keep: bool,
}

/// Outputs in one clock cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkOutputs {
    /// A word of this unit is drained, and may keep its sums.
    pub drain: Option<(usize, bool)>,
    /// Sums of the position of five cycles ago.
    pub sums: Vec<i32>,
}

/// The link of a unit.
#[derive(Debug, Clone)]
pub struct LinkModel {
    /// Results of which the unit has sums, by region.
    pub windows: [Part; 2],
    /// Whose output channels it has.
    pub share: usize,
    drain: Option<(usize, bool)>,
    has: DelayLine<bool>,
    added: DelayLine<Vec<i32>>,
    sums: DelayLine<Vec<i32>>,
}

impl LinkModel {
    /// Of a unit with sums of the results of these windows, of a share of the output channels.
    pub fn new(windows: [Part; 2], share: usize) -> Self {
        Self {
            windows,
            share,
            drain: None,
            has: DelayLine::new(3),
            added: DelayLine::new(1),
            sums: DelayLine::new(1),
        }
    }

    /// The word of this unit that is drained in this cycle, and whether it keeps its sums.
    pub fn drain(&self) -> Option<(usize, bool)> {
        self.drain
    }

    /// The sums that it gives in this cycle.
    pub fn sums(&self) -> &[i32] {
        self.sums.front()
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge. `stored` is the word of two cycles ago,
    /// `sums` those of the position of four cycles ago.
    pub fn step(
        &mut self,
        position: Option<Position>,
        stored: &[i32],
        sums: &[i32],
    ) -> LinkOutputs {
        let own = |position: &Position| {
            let window = &self.windows[usize::from(position.region)];
            position.share == self.share && window.contains(position.row, position.col)
        };
        let drain = position.filter(own);
        let drain = drain.map(|position| (position.word, position.keep));
        let added = match self.has.shift(drain.is_some()) {
            true => stored.to_vec(),
            false => vec![0; stored.len()],
        };
        let added = self.added.shift(added);
        let sums = sums
            .iter()
            .zip(added)
            .map(|(sum, added)| sum.wrapping_add(added));
        LinkOutputs {
            drain: std::mem::replace(&mut self.drain, drain),
            sums: self.sums.shift(sums.collect()),
        }
    }
}
