//! Kinds of layers that have scales of their own, not one for each channel.

use super::file::LayerFile;
use super::shapes::scales;
use super::{Axis, Constant, LayerKind, Mean, Product, Shape, Softmax, Sum};
use crate::fault::{Fault, push};
use crate::requantise::Scale;

/// Whether a kind has them.
pub(super) fn has_own(kind: LayerKind) -> bool {
    matches!(kind, LayerKind::Add(_)) || kind.is_for_host() && !kind.moves()
}

/// The kind with all that belongs to it.
pub(super) fn kind(
    kind: LayerKind,
    file: &LayerFile,
    at: &str,
    faults: &mut Vec<Fault>,
) -> LayerKind {
    let constant = file.constant.as_ref().map(|constant| Constant {
        shape: Shape::of(constant.shape),
        zero_point: constant.zero_point,
        first: constant.first,
    });
    match kind {
        LayerKind::Add(_) => LayerKind::Add(Sum {
            constant,
            ..sum(file, at, -31..=0, faults)
        }),
        LayerKind::SquaredDifference(_) => LayerKind::SquaredDifference(Sum {
            constant,
            ..sum(file, at, -31..=30, faults)
        }),
        LayerKind::Mul(usual) => LayerKind::Mul(Product {
            constant,
            output: one_scale(file, at, -31..=30, faults).unwrap_or(usual.output),
        }),
        LayerKind::Mean(usual) => {
            let axes = file.axes.as_deref().unwrap_or_default();
            LayerKind::Mean(Mean {
                over: [Axis::Channels, Axis::Height, Axis::Width].map(|axis| axes.contains(&axis)),
                scale: one_scale(file, at, -31..=30, faults).unwrap_or(usual.scale),
            })
        }
        LayerKind::Softmax(usual) => LayerKind::Softmax(Softmax {
            axis: file.axis.unwrap_or(usual.axis),
            scale: one_scale(file, at, 0..=30, faults).unwrap_or(usual.scale),
        }),
        kind => kind,
    }
}

/// The scales of a sum of two tensors.
fn sum(
    file: &LayerFile,
    at: &str,
    shifts: std::ops::RangeInclusive<i32>,
    faults: &mut Vec<Fault>,
) -> Sum {
    let (multiplier, shift) = (file.input_multiplier, file.input_shift);
    let inputs = scales(
        &multiplier.unwrap_or_default(),
        &shift.unwrap_or_default(),
        &format!("{at}.input_"),
        faults,
    );
    let output = one_scale(file, at, shifts, faults);
    match (&inputs[..], output) {
        (&[first, second], Some(output)) => Sum {
            inputs: [first, second],
            output,
            subtracts: file.subtract.unwrap_or(false),
            constant: None,
        },
        _ => Sum::default(),
    }
}

/// The scale of all outputs, with a shift of those that are allowed.
fn one_scale(
    file: &LayerFile,
    at: &str,
    shifts: std::ops::RangeInclusive<i32>,
    faults: &mut Vec<Fault>,
) -> Option<Scale> {
    let mut one = |field: &str, list: &Option<Vec<i32>>| match list.as_deref() {
        Some(&[value]) => Some(value),
        found => {
            let found = found.map_or(0, <[i32]>::len);
            let message = format!("has length {found}, expected 1: one for all outputs");
            push(faults, &format!("{at}.{field}"), message);
            None
        }
    };
    let multiplier = one("multiplier", &file.multiplier);
    let shift = one("shift", &file.shift);
    if let Some(shift) = shift.filter(|shift| !shifts.contains(shift)) {
        let (least, most) = shifts.into_inner();
        let message = format!("is {shift}, expected {least} to {most}");
        push(faults, &format!("{at}.shift[0]"), message);
    }
    let found = scales(&[multiplier?], &[shift?], &format!("{at}."), faults);
    found.first().copied()
}
