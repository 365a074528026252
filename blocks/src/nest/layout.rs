//! Where the arrays lie: pitches, bases, and places for arrays without an address.

use std::collections::BTreeMap;

use super::fault::{NestError, Refusal};
use super::plan::Range;
use super::program::{Array, ArrayLayout, NUMBER_MAX, Nest, Use};

/// An array with its place in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayPlan {
    /// Name.
    pub name: String,
    /// Elements along each dimension.
    pub sizes: Vec<u64>,
    /// Size of an element in bytes.
    pub element_bytes: u64,
    /// Base address.
    pub base: u64,
    /// Distance of the first element from the base, bytes.
    pub displacement: u64,
    /// Distance of neighbours along each dimension, bytes.
    pub pitches: Vec<u64>,
    /// Address behind the last element.
    pub end: u64,
}

/// A use with the values that its subscripts take.
pub(crate) type RangedUse<'a> = (&'a Use, Vec<Range>);

/// Gives every array its place and checks that every subscript stays inside; in the order of their
/// declarations or first uses.
pub(crate) fn place(
    nest: &Nest,
    uses: &[RangedUse<'_>],
    address_bits: u32,
) -> Result<Vec<ArrayPlan>, NestError> {
    let inferred;
    let arrays = if nest.arrays.is_empty() {
        inferred = infer(uses);
        &inferred
    } else {
        &nest.arrays
    };
    let mut sized = Vec::new();
    let mut known: BTreeMap<&str, &Array> = BTreeMap::new();
    for array in arrays {
        if known.insert(&array.name, array).is_some() {
            return Err(faulty(array, "is declared twice"));
        }
        sized.push((array, size(array)?));
    }
    for (used, ranges) in uses {
        check_use(&known, used, ranges)?;
    }

    let space = 1u64 << address_bits;
    let fixed = |(array, plan): &(&Array, ArrayPlan)| array.base.map(|_| plan.end);
    let mut free = sized.iter().filter_map(fixed).max().unwrap_or(0);
    let mut plans = Vec::new();
    for (array, mut plan) in sized {
        if array.base.is_none() {
            plan.base = free.next_multiple_of(plan.element_bytes);
            plan.end += plan.base;
            free = plan.end;
        }
        if plan.end > space {
            let ArrayPlan { name, base, .. } = &plan;
            let message = format!(
                "{name} lies from {base} to {}, addresses have {address_bits} bits",
                plan.end - 1
            );
            return Err(NestError::new(array.place, Refusal::Width, message));
        }
        plans.push(plan);
    }
    Ok(plans)
}

fn faulty(array: &Array, message: &str) -> NestError {
    let message = format!("array {} {message}", array.name);
    NestError::new(array.place, Refusal::Declaration, message)
}

/// Checks a declaration and computes its pitches; the end counts from base 0 if there is none.
fn size(array: &Array) -> Result<ArrayPlan, NestError> {
    let dimensions = array.sizes.len();
    if dimensions == 0 {
        return Err(faulty(array, "has no dimension, expected at least one"));
    }
    let limits = [
        ("an element of", 1, &vec![array.element_bytes]),
        ("a dimension of", 1, &array.sizes),
        ("base", 0, &vec![array.base.unwrap_or(0)]),
        ("displacement", 0, &vec![array.displacement]),
    ];
    for (what, low, values) in limits {
        if let Some(value) = values.iter().find(|v| !(low..=NUMBER_MAX).contains(*v)) {
            let message = format!("has {what} {value}, expected {low} to {NUMBER_MAX}");
            return Err(faulty(array, &message));
        }
    }
    let too_large = || {
        let message = format!("array {} has more than {NUMBER_MAX} bytes", array.name);
        NestError::new(array.place, Refusal::Width, message)
    };
    let fits = |bytes: Option<u64>| bytes.filter(|b| *b <= NUMBER_MAX).ok_or_else(too_large);
    let pitches = match &array.layout {
        ArrayLayout::Order(order) => {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            if !sorted.into_iter().eq(0..dimensions) {
                let message = "has an order that is not each of its dimensions once";
                return Err(faulty(array, message));
            }
            let mut pitches = vec![0; dimensions];
            let mut bytes = array.element_bytes;
            for &dimension in order.iter().rev() {
                pitches[dimension] = bytes;
                bytes = fits(bytes.checked_mul(array.sizes[dimension]))?;
            }
            pitches
        }
        ArrayLayout::Pitches(pitches) => {
            let count = pitches.len();
            if count != dimensions {
                let message = format!("has {count} pitches, expected {dimensions}");
                return Err(faulty(array, &message));
            }
            pitches.clone()
        }
    };
    let mut bytes = array.element_bytes;
    for (size, &pitch) in array.sizes.iter().zip(&pitches) {
        let pitch = fits(Some(pitch))?;
        let span = pitch.checked_mul(size - 1);
        bytes = fits(span.and_then(|span| span.checked_add(bytes)))?;
    }
    Ok(ArrayPlan {
        name: array.name.clone(),
        sizes: array.sizes.clone(),
        element_bytes: array.element_bytes,
        base: array.base.unwrap_or(0),
        displacement: array.displacement,
        pitches,
        end: array.base.unwrap_or(0) + array.displacement + bytes,
    })
}

fn check_use(
    known: &BTreeMap<&str, &Array>,
    used: &Use,
    ranges: &[Range],
) -> Result<(), NestError> {
    let name = used.array.as_str();
    let Some(array) = known.get(name) else {
        let names: Vec<&str> = known.keys().copied().collect();
        let message = format!("unknown array {name}, declared are {}", names.join(", "));
        return Err(NestError::new(used.place, Refusal::UnknownArray, message));
    };
    let (found, expected) = (ranges.len(), array.sizes.len());
    if found != expected {
        let message = format!("{name} has {found} subscripts, expected {expected}");
        return Err(NestError::new(used.place, Refusal::Subscripts, message));
    }
    for (dimension, (range, &size)) in ranges.iter().zip(&array.sizes).enumerate() {
        if range.low < 0 || range.high >= i128::from(size) {
            let subscript = &used.subscripts[dimension];
            let message = format!(
                "subscript {subscript} of {name} takes the values {} to {}, expected 0 to {}",
                range.low,
                range.high,
                size - 1
            );
            return Err(NestError::new(used.place, Refusal::OutOfBounds, message));
        }
    }
    Ok(())
}

/// Arrays just large enough for their uses.
fn infer(uses: &[RangedUse<'_>]) -> Vec<Array> {
    let mut arrays: Vec<Array> = Vec::new();
    for (used, ranges) in uses {
        let needed = ranges.iter().map(|range| {
            // What is negative or too large is found when the use is checked against the array.
            u64::try_from(range.high).map_or(1, |high| high.saturating_add(1).min(NUMBER_MAX))
        });
        let known = arrays.iter_mut().find(|array| array.name == used.array);
        match known {
            None => {
                let mut array = Array::new(&used.array, needed);
                array.place = used.place;
                arrays.push(array);
            }
            Some(array) => {
                for (size, needed) in array.sizes.iter_mut().zip(needed) {
                    *size = needed.max(*size);
                }
            }
        }
    }
    arrays
}
