//! The cells of a fold.

use super::axis::{Cell, Span, Stretch, cut};
use super::balance::{Goal, balance};
use super::counts::Counts;
use super::error::{PlanError, check};
use super::layer::Shape;
use super::split::{Halo, Split};

/// What of the input is not zero, and how equally it is to be cut.
pub(super) struct Counted<'a> {
    counts: &'a [u32],
    goal: Goal,
}

impl<'a> Counted<'a> {
    /// # Errors
    /// There is not one count for each position of the input, or one is larger than its channels.
    pub(super) fn new(counts: &'a [u32], goal: Goal, shape: &Shape) -> Result<Self, PlanError> {
        let [rows, cols] = shape.input.map(i64::from);
        let found = i64::try_from(counts.len()).unwrap_or(i64::MAX);
        check("counts", found, rows * cols..=rows * cols)?;
        for count in counts {
            check("count of a position", *count, 0..=shape.inputs.into())?;
        }
        Ok(Self { counts, goal })
    }
}

/// The cells of a fold, row by row, each with its rows and its columns: of equal size, or with equal amounts of what is counted. Cells that
/// have nothing to do are empty.
///
/// # Errors
/// There are too many cells.
pub(super) fn cells(
    shape: &Shape,
    split: &Split,
    sides: &[Stretch; 2],
    counted: Option<&Counted>,
) -> Result<Vec<[Cell; 2]>, PlanError> {
    let input_halo = split.halo == Halo::Input;
    let wholes = [0, 1].map(|side| shape.axis(side).whole(&sides[side], input_halo));
    let counted = counted.filter(|_| wholes.iter().all(|whole| !whole.is_empty()));
    let parts = match counted {
        Some(counted) => balanced(shape, split, sides, &wholes, counted)?,
        None => equal(split.grid, &wholes),
    };
    let cell = |side: usize, part: Span| shape.axis(side).cell(&sides[side], part, input_halo);
    let cells = parts.into_iter();
    Ok(cells
        .map(|[rows, cols]| [cell(0, rows), cell(1, cols)])
        .collect())
}

fn equal(grid: [u32; 2], [rows, cols]: &[Span; 2]) -> Vec<[Span; 2]> {
    let cols = |row: Span| cut(cols.clone(), grid[1]).map(move |col| [row.clone(), col]);
    cut(rows.clone(), grid[0]).flat_map(cols).collect()
}

/// Entries lie where their results are, so that both are cut alike.
fn balanced(
    shape: &Shape,
    split: &Split,
    sides: &[Stretch; 2],
    wholes: &[Span; 2],
    counted: &Counted,
) -> Result<Vec<[Span; 2]>, PlanError> {
    let inputs = [0, 1].map(|side| {
        let axis = shape.axis(side);
        let inputs = wholes[side].clone();
        let inputs = inputs.map(|place| axis.input_of(&sides[side], place));
        inputs.collect::<Vec<Span>>()
    });
    let width = shape.input[1];
    let sum = |rows: &Span, cols: &Span| {
        let places = rows
            .clone()
            .flat_map(|row| cols.clone().map(move |col| (row, col)));
        let counts = places.map(|(row, col)| counted.counts[(row * width + col) as usize]);
        counts.sum::<u32>()
    };
    let rows = inputs[0].iter();
    let counts = rows.flat_map(|rows| inputs[1].iter().map(move |cols| (rows, cols)));
    let counts: Vec<u32> = counts.map(|(rows, cols)| sum(rows, cols)).collect();
    let map = Counts {
        size: [0, 1].map(|side| wholes[side].len() as u32),
        values: shape.inputs * shape.phases(),
        counts: &counts,
    };
    let goal = Goal {
        positions: counted.goal.positions / shape.phases(),
        ..counted.goal
    };
    let found = balance(&map, split.grid, goal)?;
    let [row, col] = [0, 1].map(|side| wholes[side].start);
    let from = |span: Span, start: u32| span.start + start..span.end + start;
    let cells = found.cells.into_iter();
    Ok(cells
        .map(|[rows, cols]| [from(rows, row), from(cols, col)])
        .collect())
}
