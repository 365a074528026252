//! Initial value, step and end of the loops of a row (TTU-012, TTU-013, TTU-018 to TTU-020).

use heddle_arch::Loop;
use heddle_arch::traverse::{EndTest, Row, UnitShape};

use super::fault::{NestError, Refusal};
use super::layout::ArrayPlan;
use super::plan::LoopPlan;
use super::recognise::Walked;

/// Offsets of a loop before they become registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Column {
    /// First offset.
    pub initial: i128,
    /// Distance of offsets; negative or zero steps too.
    pub step: i128,
    /// Iterations.
    pub trips: u64,
}

impl Column {
    fn last(&self) -> i128 {
        self.initial + self.step * i128::from(self.trips - 1)
    }

    fn low(&self) -> i128 {
        self.initial.min(self.last())
    }

    fn high(&self) -> i128 {
        self.initial.max(self.last())
    }
}

/// A row whose number and kind are still to be set, and what its registers stand for.
pub(crate) struct Expanded {
    pub row: Row,
    pub base: i128,
    pub columns: Vec<Column>,
}

/// Computes the registers of a row.
pub(crate) fn expand(
    walk: &Walked<'_>,
    loops: &[LoopPlan],
    array: &ArrayPlan,
    unit: &UnitShape,
) -> Result<Expanded, NestError> {
    let subscripts = &walk.used.subscripts;
    let dimensions = || subscripts.iter().zip(&array.pitches);
    let mut columns: Vec<Column> = loops
        .iter()
        .map(|plan| {
            let bytes = |(subscript, &pitch): (&super::Affine, &u64)| {
                i128::from(subscript.coefficient(&plan.index)) * i128::from(pitch)
            };
            let pitch: i128 = dimensions().map(bytes).sum();
            Column {
                initial: i128::from(plan.start) * pitch,
                step: i128::from(plan.step) * pitch,
                trips: plan.trips,
            }
        })
        .collect();
    let constant: i128 = dimensions()
        .map(|(subscript, &pitch)| i128::from(subscript.constant) * i128::from(pitch))
        .sum();
    let displacement = constant + i128::from(array.displacement);
    let mut base = i128::from(array.base);
    let largest = (1i128 << unit.offset_bits) - 1;
    displace(&mut columns, &mut base, displacement, largest);

    for (column, plan) in columns.iter().zip(loops) {
        if column.high() > largest {
            let message = format!(
                "offset of loop {} over {} reaches {}, offsets have {} bits",
                plan.index,
                array.name,
                column.high(),
                unit.offset_bits
            );
            return Err(NestError::new(walk.used.place, Refusal::Width, message));
        }
    }
    let (test, registers) = end_test(&columns, unit).ok_or_else(|| {
        let mut refused = columns.iter().zip(loops);
        let refused = refused.find(|(column, _)| at_least(column, unit).is_none());
        let (column, plan) = refused.expect("at least does not take every loop");
        let message = format!(
            "loop {} over {} has step {} and end {}: end test at least takes positive steps and \
             ends up to {largest}, and no other end test of the unit takes the row",
            plan.index,
            array.name,
            column.step,
            column.last() + column.step,
        );
        NestError::new(walk.used.place, Refusal::Capacity, message)
    })?;
    let row = Row {
        test,
        base: u32::try_from(base).expect("the array lies inside the address space"),
        loops: registers,
        ..Row::default()
    };
    Ok(Expanded { row, base, columns })
}

/// Adds the displacement: to the innermost loop, as far as all offsets stay between 0 and
/// `largest`; offsets enter the address without a sign.
fn displace(columns: &mut [Column], base: &mut i128, displacement: i128, largest: i128) {
    let Some(innermost) = columns.first_mut() else {
        *base += displacement;
        return;
    };
    innermost.initial += displacement;

    // Offsets below 0 borrow from loops whose offsets all lie above it, the innermost first. The
    // sum of the smallest offsets is an offset inside the array, so it is enough for all of them.
    let mut owed: i128 = 0;
    for column in columns.iter_mut() {
        let missing = (-column.low()).max(0);
        column.initial += missing;
        owed += missing;
    }
    for column in columns.iter_mut() {
        let spare = column.low().min(owed);
        column.initial -= spare;
        owed -= spare;
    }
    debug_assert_eq!(owed, 0, "the use stays inside the array");

    // Where offset or end would be too large, the smallest offset goes into the base.
    for column in columns.iter_mut() {
        if column.high() + column.step.max(0) > largest {
            *base += column.low();
            column.initial -= column.low();
        }
    }
}

/// The first end test that all loops can have, with their registers.
fn end_test(columns: &[Column], unit: &UnitShape) -> Option<(EndTest, Vec<Loop>)> {
    type Registers = fn(&Column, &UnitShape) -> Option<Loop>;
    let tests: [(EndTest, bool, Registers); 3] = [
        (EndTest::AtLeast, true, at_least),
        (EndTest::Trips, unit.trips, trips),
        (EndTest::Equal, unit.equality, equal),
    ];
    tests
        .into_iter()
        .filter(|(_, built, _)| *built)
        .find_map(|(test, _, registers)| {
            let loops = columns.iter().map(|column| registers(column, unit));
            Some((test, loops.collect::<Option<_>>()?))
        })
}

fn modulo(value: i128, unit: &UnitShape) -> u32 {
    value.rem_euclid(1 << unit.offset_bits) as u32
}

/// End = V + trips * X. A loop of one iteration whose step is not positive or too large gets step 0
/// and end V, which ends at once.
fn at_least(column: &Column, unit: &UnitShape) -> Option<Loop> {
    let largest = (1i128 << unit.offset_bits) - 1;
    let initial = modulo(column.initial, unit);
    let end = column.last() + column.step;
    let (step, end) = match column.trips {
        1 if column.step <= 0 || end > largest => (0, column.initial),
        _ if column.step <= 0 => return None,
        // Any end above the last offset stops there.
        _ if end > largest && column.last() < largest => (column.step, largest),
        _ if end > largest => return None,
        _ => (column.step, end),
    };
    Some(Loop {
        initial,
        step: modulo(step, unit),
        end: modulo(end, unit),
    })
}

/// End = number of iterations.
fn trips(column: &Column, unit: &UnitShape) -> Option<Loop> {
    Some(Loop {
        initial: modulo(column.initial, unit),
        step: modulo(column.step, unit),
        end: u32::try_from(column.trips)
            .ok()
            .filter(|trips| u64::from(*trips) >> unit.offset_bits == 0)?,
    })
}

/// End = V + trips * X modulo 2^W. The offsets of a loop differ, so the end comes once, unless the
/// step is 0.
fn equal(column: &Column, unit: &UnitShape) -> Option<Loop> {
    if column.step == 0 && column.trips > 1 {
        return None;
    }
    let step = if column.trips == 1 { 0 } else { column.step };
    Some(Loop {
        initial: modulo(column.initial, unit),
        step: modulo(step, unit),
        end: modulo(column.initial + step * i128::from(column.trips), unit),
    })
}
