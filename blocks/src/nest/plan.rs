//! From a nest to rows: checks, ranges and the result.

use heddle_arch::traverse::{Row, RowKind, UnitShape};

use super::expand::{self, Column};
use super::fault::{NestError, Refusal};
use super::layout::{self, ArrayPlan};
use super::program::{For, NUMBER_MAX, Nest, Use};
use super::recognise::{self, Walked};

/// A compiled nest.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Rows in the order of the record, with what they walk.
    pub rows: Vec<RowPlan>,
    /// Arrays with their places, in the order of their declarations or first uses.
    pub arrays: Vec<ArrayPlan>,
}

/// A row and what it walks.
#[derive(Debug, Clone)]
pub struct RowPlan {
    /// The row.
    pub row: Row,
    /// Its loops as written, innermost first.
    pub loops: Vec<LoopPlan>,
    /// The use, with its place in the text.
    pub(crate) used: Use,
    /// Base, and initial offset, step and iterations of each loop before they became registers.
    pub(crate) base: i128,
    pub(crate) columns: Vec<Column>,
}

/// A loop of a row as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopPlan {
    /// Name of the index.
    pub index: String,
    /// First value of the index.
    pub start: i64,
    /// Distance of its values.
    pub step: i64,
    /// Iterations, at least 1.
    pub trips: u64,
}

impl Plan {
    /// The rows of the record in its order.
    #[must_use]
    pub fn record(&self) -> Vec<Row> {
        self.rows.iter().map(|plan| plan.row.clone()).collect()
    }

    /// Addresses of every row in the whole traversal, attached rows as often as they run; `None`
    /// beyond 2^128 - 1.
    #[must_use]
    pub fn addresses(&self) -> Vec<Option<u128>> {
        let tensor = self.rows.iter().find(|r| r.row.kind == RowKind::Tensor);
        let tensor = tensor.map_or(&[][..], |tensor| &tensor.loops);
        let count = |plan: &RowPlan| {
            let attach = plan.row.attach.map_or(tensor.len(), usize::from);
            let around = tensor.iter().skip(attach + 1);
            let mut trips = around.map(|outer| u128::from(outer.trips));
            trips.try_fold(plan.addresses()?, u128::checked_mul)
        };
        self.rows.iter().map(count).collect()
    }
}

impl RowPlan {
    /// What the row walks, such as `V2[i][j][k]`.
    #[must_use]
    pub fn walks(&self) -> String {
        self.used.to_string()
    }

    /// Name of the array.
    #[must_use]
    pub fn array(&self) -> &str {
        &self.used.array
    }

    /// Addresses of one run of the row: the product of the iterations; `None` beyond 2^128 - 1.
    #[must_use]
    pub fn addresses(&self) -> Option<u128> {
        let trips = self.loops.iter().map(|l| u128::from(l.trips));
        trips.into_iter().try_fold(1, u128::checked_mul)
    }
}

/// Smallest and largest value of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub low: i128,
    pub high: i128,
}

/// Compiles a nest for a unit.
pub(crate) fn compile(nest: &Nest, unit: &UnitShape) -> Result<Plan, NestError> {
    let walked = recognise::recognise(nest)?;
    let mut loops = Vec::new();
    let mut uses = Vec::new();
    for walk in &walked {
        // Outermost first, so that the first fault of the text is the one that is told.
        let counts = walk.loops.iter().rev().map(|outer| count(outer));
        let mut plans = counts.collect::<Result<Vec<_>, _>>()?;
        plans.reverse();
        check_names(walk)?;
        uses.push((walk.used, ranges(walk, &plans)));
        loops.push(plans);
    }
    let arrays = layout::place(nest, &uses, unit.address_bits)?;
    check_capacity(&walked, unit)?;

    let mut rows = Vec::new();
    for (number, (walk, loops)) in walked.iter().zip(loops).enumerate() {
        let array = arrays.iter().find(|array| array.name == walk.used.array);
        let array = array.expect("every use was checked against an array");
        let expanded = expand::expand(walk, &loops, array, unit)?;
        let row = Row {
            row: number as u8,
            kind: walk.kind,
            attach: walk.attach.map(|attach| attach as u8),
            ..expanded.row
        };
        rows.push(RowPlan {
            row,
            loops,
            used: walk.used.clone(),
            base: expanded.base,
            columns: expanded.columns,
        });
    }
    Ok(Plan { rows, arrays })
}

/// Iterations of a loop.
fn count(outer: &For) -> Result<LoopPlan, NestError> {
    let For {
        index,
        start,
        bound,
        step,
        ..
    } = outer;
    let refuse = |refusal, message: String| Err(NestError::new(outer.place, refusal, message));
    for (what, value) in [("start", start), ("bound", bound), ("step", step)] {
        if value.unsigned_abs() > NUMBER_MAX {
            let message = format!(
                "loop {index}: {what} is {value}, expected at most {NUMBER_MAX} in magnitude"
            );
            return refuse(Refusal::Number, message);
        }
    }
    let span = bound - start;
    if span == 0 {
        let message = format!("loop {index} has no iteration: {start}..{bound} is empty");
        return refuse(Refusal::NoIteration, message);
    }
    if *step == 0 {
        let message = format!("loop {index} never ends: step is 0");
        return refuse(Refusal::Endless, message);
    }
    if (span > 0) != (*step > 0) {
        let direction = if span > 0 { "positive" } else { "negative" };
        let message = format!(
            "loop {index} never ends: its step from {start} to {bound} is {step}, expected a \
             {direction} one"
        );
        return refuse(Refusal::Endless, message);
    }
    Ok(LoopPlan {
        index: index.clone(),
        start: *start,
        step: *step,
        trips: span.unsigned_abs().div_ceil(step.unsigned_abs()),
    })
}

/// Checks indices and coefficients of a use.
fn check_names(walk: &Walked<'_>) -> Result<(), NestError> {
    let used = walk.used;
    let all: Vec<&For> = walk
        .around
        .iter()
        .copied()
        .chain(walk.loops.iter().rev().copied())
        .collect();
    for (position, inner) in all.iter().enumerate() {
        if all[..position]
            .iter()
            .any(|outer| outer.index == inner.index)
        {
            let message = format!("loop {0} lies inside another loop {0}", inner.index);
            return Err(NestError::new(inner.place, Refusal::Structure, message));
        }
    }
    for subscript in &used.subscripts {
        for (index, &factor) in &subscript.terms {
            if walk.around.iter().any(|outer| outer.index == *index) {
                let message = format!(
                    "{used} depends on {index}: a row attached to a loop of the main nest walks \
                     the same addresses each time"
                );
                return Err(NestError::new(used.place, Refusal::Dependent, message));
            }
            if !walk.loops.iter().any(|outer| outer.index == *index) {
                let names: Vec<&str> = all.iter().map(|outer| outer.index.as_str()).collect();
                let around = match names.len() {
                    0 => "there is no loop around it".to_string(),
                    _ => format!("the loops around it are {}", names.join(", ")),
                };
                let message = format!("unknown index {index} in {used}, {around}");
                return Err(NestError::new(used.place, Refusal::UnknownIndex, message));
            }
            check_number(used, factor)?;
        }
        check_number(used, subscript.constant)?;
    }
    Ok(())
}

fn check_number(used: &Use, value: i64) -> Result<(), NestError> {
    if value.unsigned_abs() <= NUMBER_MAX {
        return Ok(());
    }
    let message = format!("{used} has a number beyond {NUMBER_MAX} in magnitude");
    Err(NestError::new(used.place, Refusal::Number, message))
}

/// The values of the subscripts of a use.
fn ranges(walk: &Walked<'_>, loops: &[LoopPlan]) -> Vec<Range> {
    let range = |subscript: &super::Affine| {
        let constant = i128::from(subscript.constant);
        let mut range = Range {
            low: constant,
            high: constant,
        };
        for plan in loops {
            let factor = i128::from(subscript.coefficient(&plan.index));
            let first = factor * i128::from(plan.start);
            let last = first + factor * i128::from(plan.step) * i128::from(plan.trips - 1);
            range.low += first.min(last);
            range.high += first.max(last);
        }
        range
    };
    walk.used.subscripts.iter().map(range).collect()
}

fn check_capacity(walked: &[Walked<'_>], unit: &UnitShape) -> Result<(), NestError> {
    let refuse = |walk: &Walked<'_>, message: String| {
        let place = walk
            .loops
            .last()
            .map_or(walk.used.place, |outer| outer.place);
        Err(NestError::new(place, Refusal::Capacity, message))
    };
    if let Some(first) = walked.get(unit.rows as usize) {
        let message = format!(
            "nest needs {} rows, the unit has {}",
            walked.len(),
            unit.rows
        );
        return refuse(first, message);
    }
    for walk in walked {
        let depth = walk.loops.len();
        if depth > unit.loops as usize {
            let array = &walk.used.array;
            let message = format!(
                "{array} is walked by {depth} loops, the unit has {}",
                unit.loops
            );
            return refuse(walk, message);
        }
        if walk.attach.is_some() && !unit.attach {
            let message = format!(
                "{} belongs to a loop of the main nest, the unit has no attached rows \
                 (traversal.unit.attach)",
                walk.used.array
            );
            return refuse(walk, message);
        }
    }
    Ok(())
}
