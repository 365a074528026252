//! Cycles that a plan takes, by the share of values that are not zero. The golden machine has the exact ones: they depend on the values.

use crate::sparse::{Fold, Pass, Plan, Stream};

/// From the begin of a run to its first product, and from its last product to the next run.
const RUN: f64 = 14.0;
/// From a product to the next one of the same sum.
const SUM: f64 = 4.0;
/// What products near each other cost that meet by chance, if there were a single sum.
const CHANCE: f64 = 2.2;
/// Cycles of an instruction beside its words, and how many of a first fold's are not beside other work.
const INSTRUCTION: f64 = 6.0;
const AHEAD: f64 = 0.65;
/// How much more the densities of channels differ than those of random values would.
const CHANNELS: f64 = 0.6;

/// Loads, runs and drains of the folds overlap: the longest one of each step counts, and what comes before the first and behind the last.
pub(super) fn estimate(plan: &Plan, density: f64) -> u64 {
    let of_pass = |pass| {
        let folds = plan.folds.iter();
        folds.map(move |fold| Step::of(plan, pass, fold, density))
    };
    let steps: Vec<Step> = plan.passes.iter().flat_map(of_pass).collect();
    let longest = |step: &Step| {
        let longest = step.load.max(step.run).max(step.issue);
        match plan.sums.overlap {
            true => longest.max(step.drain),
            false => longest + step.drain,
        }
    };
    let first = steps.first().map_or(0.0, |step| {
        (step.load / step.chunks).min(step.run) + AHEAD * step.issue
    });
    let last = match steps.last() {
        Some(step) if plan.sums.overlap => step.drain,
        _ => 0.0,
    };
    (steps.iter().map(longest).sum::<f64>() + first + last) as u64
}

/// Cycles of a fold of a pass.
struct Step {
    load: f64,
    run: f64,
    drain: f64,
    /// Instructions.
    issue: f64,
    /// Parts of the load; runs wait for the first one.
    chunks: f64,
}

impl Step {
    fn of(plan: &Plan, pass: &Pass, fold: &Fold, density: f64) -> Self {
        let [rows, cols] = &fold.sides;
        let streams = plan.streams(pass);
        let positions = (rows.loads.len() * cols.loads.len()) as f64;
        let chunks = |stream: &Stream| f64::from(plan.chunks(stream));
        let slots = |stream: &Stream| {
            let lanes = (stream.channels.len() as u32).min(plan.lanes).into();
            chunks(stream) * positions * slot(lanes, density, plan.load_entries().into())
        };
        let results = rows.results.len() * cols.results.len() * pass.groups.len();
        // Registers of each unit, and the instructions of loads, runs and drains.
        let units = f64::from(plan.units());
        let commands = 2.0 * units + 4.0 * streams.len() as f64;
        Self {
            load: streams.iter().map(slots).sum(),
            run: run(plan, pass, fold, density),
            drain: results as f64 + RUN + units,
            issue: commands * (4.0 + INSTRUCTION),
            chunks: streams.iter().map(chunks).fold(1.0, f64::max),
        }
    }
}

/// Cycles of the runs of the unit that has most.
fn run(plan: &Plan, pass: &Pass, fold: &Fold, density: f64) -> f64 {
    let positions = f64::from(fold.most_taken(&plan.shape));
    let streams = plan.streams(pass);
    let cells = fold.cells.len();
    let pace = pace(plan, fold);
    let products = |stream: &Stream| {
        let channels = stream.channels.len() as f64;
        let uneven = most_of(streams.len(), channels / (CHANNELS * CHANNELS))
            + most_of(cells, positions * channels);
        let fullest = 1.0 + uneven * ((1.0 - density) / density.max(0.01)).sqrt();
        let values = positions * channels * density * fullest;
        values * plan.words_each(pass) * pace + RUN * f64::from(plan.chunks(stream))
    };
    streams.iter().map(products).fold(0.0, f64::max)
}

/// How much more than the mean the largest of some samples is, of so many values each.
fn most_of(samples: usize, values: f64) -> f64 {
    (samples.max(1) as f64).log2() / 2.0 / values.max(1.0).sqrt()
}

/// Cycles of a product: it waits for those before it that have the same sum.
fn pace(plan: &Plan, fold: &Fold) -> f64 {
    let kept = |side: usize| {
        let cells = fold.cells.iter();
        let kept = cells.map(|cell| cell[side].keeps.len()).max();
        kept.unwrap_or(1).max(1) as f64
    };
    let sums = kept(0) * kept(1) * f64::from(plan.sums.each);
    (SUM / sums).max(1.0 + CHANCE / sums)
}

/// Cycles of a slot of so many lanes, of which each is not zero with this share, if so many are written in a cycle.
fn slot(lanes: f64, density: f64, entries: f64) -> f64 {
    let mean = lanes * density / entries;
    // The last cycle of a slot is not full, and a slot without values takes one.
    let rest = 0.5 * (entries - 1.0) / entries * (1.0 - (1.0 - density).powf(lanes));
    (mean + rest).max(1.0)
}
