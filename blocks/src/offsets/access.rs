//! What the rows of an array read in each step, and what this costs: bank conflicts and cache
//! lines.

use std::collections::{BTreeMap, BTreeSet};

use heddle_arch::offsets::Tables;
use heddle_arch::params::Spread;

/// Which list the rows hold; the other one streams by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapping {
    /// A row holds a base: it makes the results of one GEMM row.
    OutputStationary,
    /// A row holds an offset: it is one tap.
    WeightStationary,
}

/// Rows that make addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    /// How many.
    pub rows: usize,
    /// What they hold.
    pub mapping: Mapping,
    /// When an entry reaches them.
    pub spread: Spread,
}

/// Byte addresses of all rows in one clock, `None` where a row does not read.
pub type Step = Vec<Option<i64>>;

impl Rows {
    /// The reads of all tiles of the held list, each with one pass of the streamed one; further
    /// column tiles repeat them. `tables` pass [`Tables::check`].
    ///
    /// # Panics
    /// If there are no rows.
    pub fn steps<'a>(&'a self, tables: &'a Tables) -> impl Iterator<Item = Step> + 'a {
        let distances = tables.distances();
        let (bases, taps) = (tables.bases.len(), tables.offsets.len());
        let (held, streamed) = match self.mapping {
            Mapping::OutputStationary => (bases, taps),
            Mapping::WeightStationary => (taps, bases),
        };
        let delay = match self.spread {
            Spread::Skew => 1,
            Spread::Broadcast => 0,
        };
        let clocks = streamed + delay * (self.rows - 1);
        let slots = (0..held.div_ceil(self.rows))
            .flat_map(move |tile| (0..clocks).map(move |clock| (tile * self.rows, clock)));
        slots.map(move |(first, clock)| {
            let read = |row: usize| {
                let held = Some(first + row).filter(|entry| *entry < held)?;
                let passed = clock.checked_sub(row * delay)?;
                let streamed = Some(passed).filter(|entry| *entry < streamed)?;
                match self.mapping {
                    Mapping::OutputStationary => tables.address(&distances, held, streamed),
                    Mapping::WeightStationary => tables.address(&distances, streamed, held),
                }
            };
            (0..self.rows).map(read).collect()
        })
    }
}

/// Banks of an operand memory: element e lies in bank e mod `count`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Banks {
    /// How many.
    pub count: u32,
    /// Bytes of an element.
    pub element_bytes: u32,
    /// Rows that want the same element are served together.
    pub merge: bool,
}

impl Banks {
    /// Reads of the bank with the most of them; 0 if there is none.
    ///
    /// # Panics
    /// If there are no banks, or elements have no bytes.
    #[must_use]
    pub fn conflict_degree(&self, addresses: &[i64]) -> u32 {
        let elements = addresses.iter();
        let elements = elements.map(|address| address.div_euclid(self.element_bytes.into()));
        let mut banks: BTreeMap<i64, u32> = BTreeMap::new();
        let mut count = |element: i64| {
            *banks
                .entry(element.rem_euclid(self.count.into()))
                .or_default() += 1;
        };
        match self.merge {
            true => elements
                .collect::<BTreeSet<_>>()
                .into_iter()
                .for_each(count),
            false => elements.for_each(&mut count),
        }
        banks.into_values().max().unwrap_or(0)
    }

    /// Clocks of the steps: a step takes as many as its conflict degree, and one without reads.
    pub fn clocks(&self, steps: impl Iterator<Item = Step>) -> u64 {
        let clocks = |step: Step| {
            let reads: Vec<i64> = step.into_iter().flatten().collect();
            u64::from(self.conflict_degree(&reads).max(1))
        };
        steps.map(clocks).sum()
    }
}

/// Lines of `line` bytes that a cache of `lines` lines loads for these reads: fully associative,
/// the line that was not used for the longest time goes first.
///
/// # Panics
/// If lines have no bytes.
pub fn line_fills(addresses: impl IntoIterator<Item = i64>, line: u32, lines: usize) -> u64 {
    let mut cache: Vec<i64> = Vec::new();
    let mut fills = 0;
    for address in addresses {
        let wanted = address.div_euclid(line.into());
        match cache.iter().rposition(|line| *line == wanted) {
            Some(at) => drop(cache.remove(at)),
            None => {
                fills += 1;
                if cache.len() >= lines.max(1) {
                    cache.remove(0);
                }
            }
        }
        cache.push(wanted);
    }
    fills
}

/// Line reads if the reads of one step of the same line are one (SGCR-36).
///
/// # Panics
/// If lines have no bytes.
pub fn line_reads(steps: impl Iterator<Item = Step>, line: u32) -> u64 {
    let lines = |step: Step| {
        let lines = step
            .into_iter()
            .flatten()
            .map(|a| a.div_euclid(line.into()));
        lines.collect::<BTreeSet<i64>>().len() as u64
    };
    steps.map(lines).sum()
}
