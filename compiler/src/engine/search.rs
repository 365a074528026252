//! The split of a layer over the units.

use heddle_arch::params::Params;

use super::estimate::estimate;
use crate::sparse::{Halo, Plan, PlanError, Resident, Shape, Split};

/// What counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prefer {
    /// Few cycles.
    Cycles,
    /// Few lists and weight words, for the sake of other layers.
    Room,
}

/// The best plan behind what is taken, and its cycles.
///
/// # Errors
/// Why the plan fails that needs least.
pub(super) fn search(
    shapes: &[Shape],
    params: &Params,
    (taken, prefer): (Resident, Prefer),
    density: f64,
) -> Result<(Plan, u64), PlanError> {
    let mut best: Option<(u64, u64, Plan)> = None;
    let mut failed = None;
    let each = |shape| {
        splits(shape, params)
            .into_iter()
            .map(move |split| (shape, split))
    };
    for (shape, split) in shapes.iter().flat_map(each) {
        match Plan::resident(shape, split, params, taken) {
            Ok(plan) => {
                let cycles = estimate(&plan, density);
                let room = room(&plan, taken, params);
                let key = match prefer {
                    Prefer::Cycles => (cycles, room),
                    Prefer::Room => (room, cycles),
                };
                if best
                    .as_ref()
                    .is_none_or(|(first, second, _)| key < (*first, *second))
                {
                    best = Some((key.0, key.1, plan));
                }
            }
            Err(error) => {
                if failed
                    .as_ref()
                    .is_none_or(|other| needs(&error) < needs(other))
                {
                    failed = Some(error);
                }
            }
        }
    }
    match best {
        Some((first, second, plan)) => Ok((
            plan,
            if prefer == Prefer::Cycles {
                first
            } else {
                second
            },
        )),
        None => Err(failed.expect("there is a split")),
    }
}

/// What a memory lacks.
fn needs(error: &PlanError) -> u64 {
    match error {
        PlanError::TooSmall { needed, .. } => *needed,
        PlanError::OutOfRange { .. } => u64::MAX,
    }
}

/// Thousandths of the lists and of the words that a plan takes.
fn room(plan: &Plan, before: Resident, params: &Params) -> u64 {
    let section = params.sparse_cluster();
    let Resident { lists, words } = plan.taken();
    let share = |used: u32, all: u32| u64::from(used) * 1000 / u64::from(all);
    share(lists - before.lists, section.lists) + share(words - before.words, section.weight_words)
}

/// Powers of two up to a number, and the number.
fn steps(most: u32) -> impl Iterator<Item = u32> + Clone {
    let powers = (0..most.ilog2() + 1).map(|log2| 1 << log2);
    powers.chain((!most.is_power_of_two()).then_some(most))
}

/// Splits that are worth a look: shares of channels, rows and columns of cells, folds of rows. Rows of results begin at whole words, so
/// columns are never folded.
fn splits(shape: &Shape, params: &Params) -> Vec<Split> {
    let section = params.sparse_cluster();
    let groups = shape.outputs.div_ceil(section.channels);
    let planes = match shape.depthwise {
        true => 1,
        false => shape.inputs.div_ceil(section.load_lanes.unwrap_or(1)),
    };
    let mut splits = Vec::new();
    for outputs in steps(groups.min(section.units)) {
        for inputs in steps(planes.min(section.units / outputs)) {
            let cells = section.units / outputs / inputs;
            for rows in steps(cells.min(shape.output[0])) {
                let cols = (cells / rows).min(shape.output[1]);
                for folds in steps(shape.output[0]).chain([3, 6, 12]) {
                    if folds > shape.output[0] || folds * rows > 2 * shape.output[0] {
                        continue;
                    }
                    for halo in [Halo::Input, Halo::Results] {
                        splits.push(Split {
                            grid: [rows, cols],
                            outputs,
                            inputs,
                            folds: [folds, 1],
                            halo,
                        });
                    }
                }
            }
        }
    }
    splits
}
