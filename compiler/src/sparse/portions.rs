//! Which weights a unit holds at once.

use heddle_arch::params::Sparse;

use super::layer::Shape;

/// The weights that a unit is given at once: those of a pass for some chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Portions {
    /// Chunks of input channels of a portion.
    pub chunks: u32,
    /// Parts: portions of a pass.
    pub parts: u32,
    /// Lists from chunk to chunk.
    pub step: u32,
    /// Lists of a portion.
    pub lists: u32,
    /// Words of a portion at most: as many as if no weight were zero.
    pub words: u32,
    /// Portions that a unit holds at once.
    pub held: u32,
}

/// What lists and words depend on.
pub(super) struct Sizes<'a> {
    pub(super) shape: &'a Shape,
    pub(super) section: &'a Sparse,
    /// Input channels of a chunk.
    pub(super) lanes: u32,
    /// Groups of output channels that a list has words for.
    pub(super) groups: u32,
}

impl Sizes<'_> {
    /// The fewest parts of so many chunks and passes for which a unit holds two portions, or all there are; else those for which it holds one.
    pub(super) fn portions(&self, chunks: u32, passes: u32) -> Option<Portions> {
        let mut tried = (1..=chunks).filter_map(|parts| {
            let each = chunks.div_ceil(parts);
            let needless = parts > 1 && chunks.div_ceil(parts - 1) == each;
            (!needless).then(|| self.of(each, chunks.div_ceil(each), passes))
        });
        let fitting = tried.by_ref().find(|portions| portions.held > 0)?;
        let twice = |portions: &Portions| portions.held >= 2.min(passes * portions.parts);
        if twice(&fitting) {
            return Some(fitting);
        }
        Some(tried.find(twice).unwrap_or(fitting))
    }

    /// Portions of so many chunks.
    pub(super) fn of(&self, chunks: u32, parts: u32, passes: u32) -> Portions {
        let lanes = self.section.load_lanes.unwrap_or(self.lanes);
        // Lists of a phase begin `lanes` behind those of the phase before.
        let (step, own) = match self.shape.phases() {
            1 => (self.lanes, self.lanes),
            phases => (lanes * phases, lanes * (phases - 1) + self.lanes),
        };
        let lists = u64::from(chunks - 1) * u64::from(step) + u64::from(own);
        let channels = u64::from(chunks) * u64::from(self.lanes);
        let unused = lists - channels * u64::from(self.shape.phases());
        let words = unused + channels * self.words_of_channel();
        let limits = [
            u64::from(self.section.lists) / lists,
            u64::from(self.section.weight_words.min(65535)) / words,
            // What a field holds.
            if chunks > 256 || chunks > 1 && step > 511 {
                0
            } else {
                u64::MAX
            },
        ];
        let held = limits
            .into_iter()
            .fold(u64::from(passes) * u64::from(parts), u64::min);
        Portions {
            chunks,
            parts,
            step,
            lists: lists.min(u32::MAX.into()) as u32,
            words: words.min(u32::MAX.into()) as u32,
            held: held as u32,
        }
    }

    /// Words of all lists of an input channel; a list without weights has one.
    fn words_of_channel(&self) -> u64 {
        let phases = 0..self.shape.stride;
        let places =
            |side: usize, phase: u32| self.shape.axis(side).places_of(phase).count() as u64;
        let words = phases.clone().flat_map(|row| {
            let rows = places(0, row);
            phases.clone().map(move |col| (rows, col))
        });
        let words = words.map(|(rows, col)| rows * places(1, col) * u64::from(self.groups));
        words.map(|words| words.max(1)).sum()
    }
}
