//! How a layer is cut so that it fits a cluster.

use heddle_arch::params::{Params, Sparse};

use super::axis::{ENTRIES, Span, Stretch, cut};
use super::balance::Goal;
use super::cells::{Counted, cells};
use super::error::{PlanError, check};
use super::fit::Search;
use super::fold::Fold;
use super::layer::Shape;
use super::portions::Portions;
use super::split::Split;
use super::sums::Sums;

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
    /// The cell of each unit, units counted modulo the cells.
    pub(super) places: Vec<u32>,
    pub(super) left_shift: bool,
    pub(super) section: Sparse,
    /// Input channels that belong together: those of a plane of the machine.
    pub(super) plane: u32,
    /// What is taken before its weights, if they stay.
    pub(super) resident: Option<Resident>,
}

/// A cluster, and how it is used.
struct Cluster {
    section: Sparse,
    left_shift: bool,
    /// It is an engine of the machine: what of it is taken.
    resident: Option<Resident>,
}

impl Cluster {
    /// It stands alone.
    fn alone(params: &Params) -> Self {
        Self {
            section: params.sparse_cluster(),
            left_shift: params.post.left_shift,
            resident: None,
        }
    }

    /// Input channels that belong together.
    fn plane(&self) -> u32 {
        match self.resident {
            Some(_) => self.section.load_lanes.unwrap_or(1),
            None => 1,
        }
    }
}

/// What of the lists and of the weight words of all units is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Resident {
    /// Lists.
    pub lists: u32,
    /// Words.
    pub words: u32,
}

impl Plan {
    /// The plan of a layer that is split like this.
    ///
    /// # Errors
    /// A field of the layer or of the split is out of range, or a memory is too small; the message says for what.
    pub fn new(shape: &Shape, split: Split, params: &Params) -> Result<Self, PlanError> {
        Self::cut(shape, split, &Cluster::alone(params), None)
    }

    /// The plan for the cluster as an engine of the machine: it loads planes of the state buffer, and its weights stay behind those that are there.
    ///
    /// # Errors
    /// As for [`new`](Self::new); a memory is too small too if it does not hold all weights.
    pub fn resident(
        shape: &Shape,
        split: Split,
        params: &Params,
        taken: Resident,
    ) -> Result<Self, PlanError> {
        let section = params.sparse_cluster().as_engine();
        let left = Sparse {
            lists: section.lists.saturating_sub(taken.lists),
            weight_words: section.weight_words.saturating_sub(taken.words),
            ..section
        };
        let cluster = Cluster {
            section: left,
            left_shift: false,
            resident: Some(taken),
        };
        let plan = Self::cut(shape, split, &cluster, None)?;
        plan.stays_resident()?;
        Ok(plan)
    }

    /// What it and the layers before take, if its weights stay.
    #[must_use]
    pub fn taken(&self) -> Resident {
        let before = self.resident.unwrap_or_default();
        let passes = self.passes.len() as u32;
        Resident {
            lists: before.lists + passes * self.portions.lists,
            words: before.words + passes * self.portions.words,
        }
    }

    /// Each pass has weights of its own, which stay.
    fn stays_resident(&self) -> Result<(), PlanError> {
        let (section, portions) = (&self.section, &self.portions);
        if u64::from(portions.held) == self.passes.len() as u64 && portions.parts == 1 {
            return Ok(());
        }
        let needed =
            |each: u32| u64::from(each) * self.passes.len() as u64 * u64::from(portions.parts);
        let (field, found, each) = match needed(portions.lists) > section.lists.into() {
            true => ("lists", section.lists, portions.lists),
            false => ("weight_words", section.weight_words, portions.words),
        };
        Err(PlanError::TooSmall {
            field,
            found: found.into(),
            what: "those that stay in a unit are",
            needed: needed(each),
            way: "fewer sparse layers",
        })
    }

    /// The plan of a layer whose cells have nearly the same of what counts: `counts` has how many values of each position of the input are
    /// not zero, row by row. Each fold is cut by [`balance`](super::balance()).
    ///
    /// # Errors
    /// As for [`new`](Self::new), or there is not one count for each position, or more values than channels.
    pub fn balanced(
        shape: &Shape,
        split: Split,
        params: &Params,
        counts: &[u32],
        goal: Goal,
    ) -> Result<Self, PlanError> {
        shape.check()?;
        let counted = Counted::new(counts, goal, shape)?;
        Self::cut(shape, split, &Cluster::alone(params), Some(&counted))
    }

    /// The plan, of cells of equal size or with equal amounts of what is counted.
    fn cut(
        shape: &Shape,
        split: Split,
        cluster: &Cluster,
        counted: Option<&Counted>,
    ) -> Result<Self, PlanError> {
        let section = &cluster.section;
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
        let folds = folds(shape, &split, counted)?;
        let found = Search {
            shape,
            split: &split,
            section,
            folds: &folds,
            groups,
            plane: cluster.plane(),
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
            places: (0..split.cells()).collect(),
            left_shift: cluster.left_shift,
            section: section.clone(),
            plane: cluster.plane(),
            resident: cluster.resident,
        })
    }

    /// The input channels that units take in a pass.
    pub fn streams(&self, pass: &Pass) -> Vec<Stream> {
        let split = &self.split;
        if !self.shape.depthwise {
            let inputs = self.shape.inputs;
            let planes = cut(0..inputs.div_ceil(self.plane), split.inputs);
            let stream = |(share, planes): (u32, Span)| Stream {
                units: split.units(0..split.outputs, share..share + 1),
                share: None,
                channels: planes.start * self.plane..(planes.end * self.plane).min(inputs),
            };
            return (0..).zip(planes).map(stream).collect();
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

    /// Units that it may use.
    pub(crate) fn units(&self) -> u32 {
        self.section.units
    }

    /// Values of a position that are written in a cycle.
    pub(crate) fn load_entries(&self) -> u32 {
        self.section.load_entries
    }

    /// Weight words that a value meets in a pass, on average over the phases of the stride.
    pub(crate) fn words_each(&self, pass: &Pass) -> f64 {
        let groups = match self.shape.depthwise {
            true => 1,
            false => self.groups(pass, 0).len() as u32,
        };
        let [rows, cols] = self.shape.kernel;
        f64::from(groups * (rows * cols).max(self.shape.phases())) / f64::from(self.shape.phases())
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
fn folds(shape: &Shape, split: &Split, counted: Option<&Counted>) -> Result<Vec<Fold>, PlanError> {
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
            let stretch = axis.stretch(outputs);
            let most = ENTRIES.into();
            // The end of a window has nine bits.
            let fits = check(entries, axis.entries(&stretch.loads).end, 0..=most)
                .and_then(|()| check(results, stretch.results.end, 0..=511));
            fits.map_err(|error| error.or("more split.folds"))?;
            sides[side].push(stretch);
        }
    }
    let [rows, cols] = sides;
    let fold = |sides: [Stretch; 2]| {
        let cells = cells(shape, split, &sides, counted)?;
        Ok(Fold { sides, cells })
    };
    let sides = rows.iter();
    let sides = sides.flat_map(|row| cols.iter().map(move |col| [row.clone(), col.clone()]));
    sides.map(fold).collect()
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
