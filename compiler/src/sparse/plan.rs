//! How a layer is cut so that it fits a cluster.

use heddle_arch::params::{Params, Sparse};

use super::axis::{Span, Stretch, cut};
use super::error::{PlanError, check};
use super::layer::Shape;
use super::portions::{Portions, Sizes};
use super::split::{Halo, Split};
use super::sums::{Sums, Work};

/// A part of the map that is computed at once: its rows and its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// Rows, columns.
    pub sides: [Stretch; 2],
}

impl Fold {
    /// It is made of padding alone.
    pub(super) fn is_padding(&self) -> bool {
        self.sides.iter().any(|side| side.loads.is_empty())
    }
}

/// Groups of output channels whose sums are kept at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// The groups.
    pub groups: Span,
    /// Number of the first one in the memory of sums.
    pub number: u32,
}

/// Units that take the same input channels, and these channels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    /// The units.
    pub units: u64,
    /// Their share of the output channels, if they have only one.
    pub share: Option<u32>,
    /// The channels.
    pub channels: Span,
}

/// How a layer is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The layer.
    pub shape: Shape,
    /// What the user chose.
    pub split: Split,
    /// Parts of the map, row by row.
    pub folds: Vec<Fold>,
    /// Groups of output channels.
    pub passes: Vec<Pass>,
    /// Input channels of a chunk.
    pub lanes: u32,
    /// Where sums lie.
    pub sums: Sums,
    /// Which weights a unit holds at once.
    pub portions: Portions,
    pub(super) params: Params,
    pub(super) section: Sparse,
}

impl Plan {
    /// The plan of a layer that is split like this.
    ///
    /// # Errors
    /// A field of the layer or of the split is out of range, or a memory is too small; the message says for what.
    pub fn new(shape: &Shape, split: Split, params: &Params) -> Result<Self, PlanError> {
        let section = params.sparse_cluster();
        shape.check()?;
        let groups = shape.outputs.div_ceil(section.channels);
        split.check(shape, groups, section.units)?;
        if section.post && groups > section.tiles {
            return Err(PlanError::TooSmall {
                field: "tiles",
                found: section.tiles.into(),
                what: "the groups of output channels are",
                needed: groups.into(),
                way: "fewer output channels",
            });
        }
        let folds = folds(shape, &split)?;
        let found = Search {
            shape,
            split: &split,
            section: &section,
            folds: &folds,
            positions: positions(shape, &folds),
            groups,
        }
        .find()?;
        Ok(Self {
            shape: shape.clone(),
            split,
            passes: passes(groups, found.sums.each, split.outputs),
            folds,
            lanes: found.lanes,
            sums: found.sums,
            portions: found.portions,
            params: params.clone(),
            section,
        })
    }

    /// The input channels that units take in a pass.
    pub fn streams(&self, pass: &Pass) -> Vec<Stream> {
        let split = &self.split;
        if !self.shape.depthwise {
            let shares = (0..).zip(cut(0..self.shape.inputs, split.inputs));
            let stream = |(share, channels)| Stream {
                units: split.units(0..split.outputs, share..share + 1),
                share: None,
                channels,
            };
            return shares.map(stream).collect();
        }
        let stream = |share: u32| {
            let groups = self.groups(pass, share);
            let channels = [groups.start, groups.end].map(|group| group * self.section.channels);
            Stream {
                units: split.units(share..share + 1, 0..1),
                share: Some(share),
                channels: channels[0]..channels[1].min(self.shape.outputs),
            }
        };
        let streams = (0..split.outputs).map(stream);
        streams
            .filter(|stream| !stream.channels.is_empty())
            .collect()
    }

    /// Groups of a share in a pass.
    pub fn groups(&self, pass: &Pass, share: u32) -> Span {
        let at = |share: u32| (pass.groups.start + share * self.sums.each).min(pass.groups.end);
        at(share)..at(share + 1)
    }

    /// Chunks of a stream.
    pub fn chunks(&self, stream: &Stream) -> u32 {
        (stream.channels.len() as u32).div_ceil(self.lanes)
    }

    /// The entries stay in their sets from pass to pass.
    ///
    /// An entry has the number of its list from its load, so they may if each pass has its weights in the same lists.
    pub fn keeps_entries(&self) -> bool {
        let sets = self.section.map_sets;
        !self.shape.depthwise
            && self.folds.len() == 1
            && self.portions.parts == 1
            && self.portions.held == 1
            && self.portions.chunks <= sets
    }
}

/// The map in parts.
fn folds(shape: &Shape, split: &Split) -> Result<Vec<Fold>, PlanError> {
    let names = [
        ("rows of entries of a fold", "rows of results of a fold"),
        (
            "columns of entries of a fold",
            "columns of results of a fold",
        ),
    ];
    let mut sides = [Vec::new(), Vec::new()];
    for (side, (entries, results)) in names.into_iter().enumerate() {
        let axis = shape.axis(side);
        for outputs in cut(0..shape.output[side], split.folds[side]) {
            let halo = split.halo == Halo::Input;
            let stretch = axis.stretch(outputs, split.grid[side], halo);
            // An entry has eight bits for its row, and the end of a window nine.
            check(entries, axis.entries(&stretch.loads).end, 0..=256)?;
            check(results, stretch.results.end, 0..=511)?;
            sides[side].push(stretch);
        }
    }
    let [rows, cols] = sides;
    let fold = |row: &Stretch, col: &Stretch| Fold {
        sides: [row.clone(), col.clone()],
    };
    let folds = rows
        .iter()
        .flat_map(|row| cols.iter().map(move |col| fold(row, col)));
    Ok(folds.collect())
}

/// Positions of the input that a unit takes of a fold at most.
fn positions(shape: &Shape, folds: &[Fold]) -> u32 {
    let longest = |fold: &Fold, side: usize| {
        let stretch = &fold.sides[side];
        let taken = stretch.cells.iter();
        let taken = taken.map(|cell| shape.axis(side).taken(&stretch.loads, cell));
        taken.max().unwrap_or(0)
    };
    let positions = folds.iter().map(|fold| longest(fold, 0) * longest(fold, 1));
    positions.max().unwrap_or(0)
}

/// All groups of output channels, so many of a share at once.
fn passes(groups: u32, each: u32, shares: u32) -> Vec<Pass> {
    let step = (each * shares) as usize;
    let pass = |(first, number): (u32, u32)| Pass {
        groups: first..(first + each * shares).min(groups),
        number: number * each % 16,
    };
    (0..groups).step_by(step).zip(0..).map(pass).collect()
}

/// What is looked for, and what it depends on.
struct Search<'a> {
    shape: &'a Shape,
    split: &'a Split,
    section: &'a Sparse,
    folds: &'a [Fold],
    /// Positions that a unit takes at most.
    positions: u32,
    /// Groups of output channels.
    groups: u32,
}

struct Found {
    lanes: u32,
    sums: Sums,
    portions: Portions,
}

impl Search<'_> {
    /// As many groups at once as fit, if possible with the sums of two steps.
    fn find(&self) -> Result<Found, PlanError> {
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
            false => self.shape.inputs.div_ceil(self.split.inputs),
        }
    }

    /// Input channels of a chunk: as many as a set holds if no value is zero, and as few as the same number of chunks needs.
    fn lanes(&self, each: u32) -> Result<u32, PlanError> {
        let entries = self.section.map_entries;
        let fit = entries / self.positions.max(1);
        if fit == 0 {
            return Err(PlanError::TooSmall {
                field: "map_entries",
                found: entries.into(),
                what: "the input positions that a unit takes of a fold are",
                needed: self.positions.into(),
                way: "more folds or cells",
            });
        }
        let channels = self.channels(each);
        let most = fit.min(self.section.load_lanes.unwrap_or(1)).min(channels);
        Ok(channels.div_ceil(channels.div_ceil(most)))
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
