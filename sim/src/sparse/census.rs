//! How many results of each position are not zero.

use crate::delay::DelayLine;

/// Results of a position that are counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counted {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// They are the last ones of a group.
    pub group_last: bool,
    /// They are the last ones of their command.
    pub last: bool,
}

/// The counts.
#[derive(Debug, Clone)]
pub struct CensusModel {
    /// None until written.
    counts: Vec<Option<u32>>,
    /// Number of the position whose results come next.
    position: usize,
    adds: bool,
    /// Position, whether its count stays, and what is added to it.
    written: DelayLine<Option<(usize, bool, u32)>>,
}

impl CensusModel {
    /// So many counts.
    pub fn new(positions: usize) -> Self {
        Self {
            counts: vec![None; positions],
            position: 0,
            adds: false,
            written: DelayLine::new(3),
        }
    }

    /// The count of a position, if it has been written.
    pub fn count(&self, position: usize) -> Option<u32> {
        self.counts[position % self.counts.len()]
    }

    /// One clock cycle: returns the count of a position in this cycle if it has been written, then takes the clock edge.
    pub fn step(&mut self, counted: Option<&Counted>, asked: Option<usize>) -> Option<u32> {
        let count = asked.and_then(|position| self.count(position));
        let comes = counted.map(|counted| {
            let number = counted.bytes.iter().filter(|byte| **byte != 0).count();
            (self.position, self.adds, number as u32)
        });
        if let Some(counted) = counted {
            self.position += 1;
            if counted.group_last {
                self.position = 0;
                self.adds = !counted.last;
            }
        }
        if let Some((position, adds, number)) = self.written.shift(comes) {
            let places = self.counts.len();
            let count = &mut self.counts[position % places];
            *count = match adds {
                true => count.map(|count| (count + number) % 4096),
                false => Some(number),
            };
        }
        count
    }
}
