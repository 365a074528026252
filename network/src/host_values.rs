//! Kinds of layers that have scales of their own, not one for each channel.

use super::file::LayerFile;
use super::shapes::scales;
use super::{Axis, Constant, LayerKind, Mean, Prelu, Product, Shape, Softmax, Sum};
use heddle_arch::fault::{Fault, push};
use heddle_arch::requantise::Scale;

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
        LayerKind::Prelu(usual) => {
            if constant.is_some_and(|constant| constant.first) {
                let message = "is true, expected false: slopes are the second tensor".to_string();
                push(faults, &format!("{at}.constant.first"), message);
            }
            let meaning = "one from zero on and one below";
            LayerKind::Prelu(Prelu {
                constant,
                outputs: own_scales(file, at, -31..=30, meaning, faults).unwrap_or(usual.outputs),
            })
        }
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
    own_scales(file, at, shifts, "one for all outputs", faults).map(|[scale]| scale)
}

/// As many scales as a kind has, with shifts of those that are allowed.
fn own_scales<const N: usize>(
    file: &LayerFile,
    at: &str,
    shifts: std::ops::RangeInclusive<i32>,
    meaning: &str,
    faults: &mut Vec<Fault>,
) -> Option<[Scale; N]> {
    let mut all = |field: &str, list: &Option<Vec<i32>>| {
        let list = list.as_deref().unwrap_or_default();
        if list.len() != N {
            let message = format!("has length {}, expected {N}: {meaning}", list.len());
            push(faults, &format!("{at}.{field}"), message);
        }
        <[i32; N]>::try_from(list).ok()
    };
    let multipliers = all("multiplier", &file.multiplier);
    let found = all("shift", &file.shift);
    for (i, shift) in found.iter().flatten().enumerate() {
        if !shifts.contains(shift) {
            let (least, most) = (shifts.start(), shifts.end());
            let message = format!("is {shift}, expected {least} to {most}");
            push(faults, &format!("{at}.shift[{i}]"), message);
        }
    }
    scales(&multipliers?, &found?, &format!("{at}."), faults)
        .try_into()
        .ok()
}
