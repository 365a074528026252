//! The first difference of two table files.

use std::fmt::Display;
use std::path::Path;

use heddle_arch::offsets::{Masks, Tables};

use super::{counts, read};
use crate::failure::Failure;
use crate::output;

/// Runs the command; false when the files differ.
pub(super) fn run(first: &Path, second: &Path) -> Result<bool, Failure> {
    let (a, b) = (read(first)?, read(second)?);
    let Some(difference) = difference(&a, &b) else {
        output::print(&format!("equal: {}\n", counts(&a)))?;
        return Ok(true);
    };
    output::print(&format!(
        "{} is {} in {} and {} in {}\n",
        difference.field,
        difference.first,
        first.display(),
        difference.second,
        second.display()
    ))?;
    Ok(false)
}

/// A field and its two values.
#[derive(Debug, PartialEq)]
struct Difference {
    field: String,
    first: String,
    second: String,
}

fn differ<T: PartialEq + Display>(field: &str, a: T, b: T) -> Option<Difference> {
    (a != b).then(|| Difference {
        field: field.to_string(),
        first: a.to_string(),
        second: b.to_string(),
    })
}

/// The first difference in the order of the file.
fn difference(a: &Tables, b: &Tables) -> Option<Difference> {
    let form = |tables: &Tables| match tables.running {
        true => "steps",
        false => "distances",
    };
    let masked = |tables: &Tables| match tables.masks {
        Some(_) => "by mask",
        None => "none",
    };
    let weight_base = |tables: &Tables| match tables.weight_base {
        Some(base) => base.to_string(),
        None => "none".to_string(),
    };
    differ("the table of offsets", form(a), form(b))
        .or_else(|| differ("the padding", masked(a), masked(b)))
        .or_else(|| differ("the unit shift", a.unit_shift, b.unit_shift))
        .or_else(|| differ("the number of bases", a.bases.len(), b.bases.len()))
        .or_else(|| differ("the number of offsets", a.offsets.len(), b.offsets.len()))
        .or_else(|| differ("the number of pixels", a.pixels, b.pixels))
        .or_else(|| differ("the number of outputs", a.outputs, b.outputs))
        .or_else(|| differ("the weight base", weight_base(a), weight_base(b)))
        .or_else(|| lists("bases", &a.bases, &b.bases, i32::to_string))
        .or_else(|| lists("offsets", &a.offsets, &b.offsets, i32::to_string))
        .or_else(|| masks(a.masks.as_ref()?, b.masks.as_ref()?))
}

fn masks(a: &Masks, b: &Masks) -> Option<Difference> {
    let mask = |mask: &u16| format!("{mask:#b}");
    let tap = |(v, u): &(u8, u8)| format!("row {v}, column {u}");
    lists("masks.rows", &a.rows, &b.rows, mask)
        .or_else(|| lists("masks.cols", &a.cols, &b.cols, mask))
        .or_else(|| lists("masks.taps", &a.taps, &b.taps, tap))
}

/// The first difference of two lists of the same length.
fn lists<T: PartialEq>(
    field: &str,
    a: &[T],
    b: &[T],
    shown: impl Fn(&T) -> String,
) -> Option<Difference> {
    let at = a.iter().zip(b).position(|(a, b)| a != b)?;
    Some(Difference {
        field: format!("{field}[{at}]"),
        first: shown(&a[at]),
        second: shown(&b[at]),
    })
}
