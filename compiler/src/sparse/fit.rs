//! What of a layer fits the memories of a unit at once.

use heddle_arch::params::Sparse;

use super::error::PlanError;
use super::fold::Fold;
use super::layer::Shape;
use super::portions::{Portions, Sizes};
use super::split::Split;
use super::sums::{Sums, Work};

/// What is looked for, and what it depends on.
pub(super) struct Search<'a> {
    pub(super) shape: &'a Shape,
    pub(super) split: &'a Split,
    pub(super) section: &'a Sparse,
    pub(super) folds: &'a [Fold],
    /// Groups of output channels.
    pub(super) groups: u32,
    /// Input channels that belong together.
    pub(super) plane: u32,
}

/// What fits.
pub(super) struct Found {
    /// Input channels of a chunk.
    pub(super) lanes: u32,
    pub(super) sums: Sums,
    pub(super) portions: Portions,
}

impl Search<'_> {
    /// As many groups at once as fit, if possible with the sums of two steps.
    pub(super) fn find(&self) -> Result<Found, PlanError> {
        for overlap in [true, false] {
            let mut before = None;
            for each in (1..=self.most()).rev() {
                // No more groups than as many passes need.
                let passes = self.groups.div_ceil(each * self.split.outputs);
                let each = self.groups.div_ceil(passes * self.split.outputs);
                if before.replace(each) == Some(each) {
                    continue;
                }
                if let Some(found) = self.with(each, passes, overlap)? {
                    return Ok(found);
                }
            }
        }
        Err(self.shortage())
    }

    /// Groups of a share that may be kept at once: they have four bits in an index, and those of all shares eight in a command.
    fn most(&self) -> u32 {
        let shares = self.split.outputs;
        self.groups.div_ceil(shares).min(16).min(255 / shares)
    }

    fn with(&self, each: u32, passes: u32, overlap: bool) -> Result<Option<Found>, PlanError> {
        let work = Work {
            folds: self.folds,
            passes,
        };
        let Some(sums) = Sums::of(each, overlap, &work, self.section.sums) else {
            return Ok(None);
        };
        let lanes = self.lanes(each)?;
        let sizes = self.sizes(each, lanes);
        let portions = sizes.portions(self.channels(each).div_ceil(lanes), passes);
        Ok(portions.map(|portions| Found {
            lanes,
            sums,
            portions,
        }))
    }

    fn sizes(&self, each: u32, lanes: u32) -> Sizes<'_> {
        Sizes {
            shape: self.shape,
            section: self.section,
            lanes,
            groups: if self.shape.depthwise { 1 } else { each },
        }
    }

    /// Input channels that a unit takes at most.
    fn channels(&self, each: u32) -> u32 {
        match self.shape.depthwise {
            true => (each * self.section.channels).min(self.shape.inputs),
            false => {
                let planes = self.shape.inputs.div_ceil(self.plane);
                let channels = planes.div_ceil(self.split.inputs) * self.plane;
                channels.min(self.shape.inputs)
            }
        }
    }

    /// Input channels of a chunk: as many as a set holds if no value is zero, and as few as the same number of chunks needs.
    fn lanes(&self, each: u32) -> Result<u32, PlanError> {
        let entries = self.section.map_entries;
        let fit = entries / self.positions().max(1);
        let channels = self.channels(each);
        let plane = self.plane.min(channels);
        if fit < plane {
            return Err(PlanError::TooSmall {
                field: "map_entries",
                found: entries.into(),
                what: match plane {
                    1 => "the input positions that a unit takes of a fold are",
                    _ => "the values of a plane that a unit takes of a fold are",
                },
                needed: u64::from(self.positions()) * u64::from(plane),
                way: "more folds or cells",
            });
        }
        if plane > 1 {
            return Ok(plane);
        }
        let most = fit.min(self.section.load_lanes.unwrap_or(1)).min(channels);
        Ok(channels.div_ceil(channels.div_ceil(most)))
    }

    /// Positions of the input that a unit takes of a fold at most.
    fn positions(&self) -> u32 {
        let folds = self.folds.iter();
        let most = folds.map(|fold| fold.most_taken(self.shape));
        most.max().unwrap_or(0)
    }

    /// What a single group at once lacks.
    fn shortage(&self) -> PlanError {
        let least = Sums::least(self.folds);
        if least > u64::from(self.section.sums.min(1 << 15)) {
            return PlanError::TooSmall {
                field: "sums",
                found: self.section.sums.into(),
                what: "the words of a group of the results that a unit keeps of a fold are",
                needed: least,
                way: "more folds or cells",
            };
        }
        let lanes = self.lanes(1).unwrap_or(1);
        let portion = self.sizes(1, lanes).of(1, 1, 1);
        let (field, found, needed) = match portion.lists > self.section.lists {
            true => ("lists", self.section.lists, portion.lists),
            false => ("weight_words", self.section.weight_words, portion.words),
        };
        PlanError::TooSmall {
            field,
            found: found.into(),
            what: "those of a chunk of input channels are",
            needed: needed.into(),
            way: "fewer load_lanes",
        }
    }
}
