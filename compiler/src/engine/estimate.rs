//! Cycles that a plan takes, by the share of values that are not zero. The golden machine has the exact ones: they depend on the values.

use crate::sparse::{Fold, Pass, Plan, Stream};

/// From the begin of a run to its first product, and from its last product to the next run.
const RUN: f64 = 14.0;
/// From a product to the next one of the same sum.
const SUM: f64 = 4.0;
/// Cycles of an instruction beside its words.
const INSTRUCTION: f64 = 6.0;

/// Loads, runs and drains of the folds overlap: the longest one of each step counts, and what comes before the first and behind the last.
pub(super) fn estimate(plan: &Plan, density: f64) -> u64 {
    let steps: Vec<[f64; 4]> = plan
        .passes
        .iter()
        .flat_map(|pass| {
            plan.folds
                .iter()
                .map(move |fold| step(plan, pass, fold, density))
        })
        .collect();
    let longest = |step: &[f64; 4]| {
        let [load, run, drain, issue] = *step;
        match plan.sums.overlap {
            true => load.max(run).max(drain).max(issue),
            false => load.max(run).max(issue) + drain,
        }
    };
    let ends = steps
        .first()
        .map_or(0.0, |step| step[0].min(step[1]) + step[3]);
    let last = steps
        .last()
        .map_or(0.0, |step| if plan.sums.overlap { step[2] } else { 0.0 });
    (steps.iter().map(longest).sum::<f64>() + ends + last) as u64
}

/// Cycles of a fold of a pass: its loads, its runs, its drain and its instructions.
fn step(plan: &Plan, pass: &Pass, fold: &Fold, density: f64) -> [f64; 4] {
    let [rows, cols] = &fold.sides;
    let streams = plan.streams(pass);
    let positions = (rows.loads.len() * cols.loads.len()) as f64;
    let slots = |stream: &Stream| {
        let lanes = (stream.channels.len() as u32).min(plan.lanes).into();
        f64::from(plan.chunks(stream))
            * positions
            * slot(lanes, density, plan.load_entries().into())
    };
    let load: f64 = streams.iter().map(slots).sum();
    let taken = |side: usize| {
        (0..fold.sides[side].cells.len()).map(move |cell| plan.taken_of(fold, side, cell))
    };
    let [most_rows, most_cols] = [0, 1].map(|side| taken(side).max().unwrap_or(0));
    // A product waits for the one before it that has the same sum.
    let kept = |side: usize| {
        fold.sides[side]
            .cells
            .iter()
            .map(|cell| cell.keeps.len())
            .max()
    };
    let sums = [0, 1]
        .map(|side| kept(side).unwrap_or(1).max(1))
        .iter()
        .product::<usize>();
    let pace = (SUM / (sums as f64 * f64::from(plan.sums.each))).max(1.0);
    let products = |stream: &Stream| {
        let values = f64::from(most_rows * most_cols) * stream.channels.len() as f64;
        values * density * plan.words_each(pass) * pace + RUN * f64::from(plan.chunks(stream))
    };
    let run = streams.iter().map(products).fold(0.0, f64::max);
    let results = rows.results.len() * cols.results.len() * pass.groups.len();
    let drain = results as f64 + RUN + f64::from(plan.units());
    // Registers of each unit, and the instructions of loads, runs and drains.
    let commands = 2.0 * f64::from(plan.units()) + 4.0 * streams.len() as f64;
    [load, run, drain, commands * (4.0 + INSTRUCTION)]
}

/// Cycles of a slot of so many lanes, of which each is not zero with this share, if so many are written in a cycle.
fn slot(lanes: f64, density: f64, entries: f64) -> f64 {
    let mean = lanes * density / entries;
    // The last cycle of a slot is not full, and a slot without values takes one.
    let rest = 0.5 * (entries - 1.0) / entries * (1.0 - (1.0 - density).powf(lanes));
    (mean + rest).max(1.0)
}
