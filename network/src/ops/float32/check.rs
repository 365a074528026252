//! What is wrong with a layer, before anything of it is computed.

use super::array::elements;
use super::{ELEMENTS_MAX, Float32File, TERMS_MAX};
use crate::draft::Draft;

/// Notes what is wrong; none if there is something.
pub(super) fn check(file: &Float32File, draft: &mut Draft<'_>) -> Option<()> {
    let before = draft.faults.len();
    check_scale(file.scale, "scale", draft);
    let (found, expected) = (file.operands.len(), draft.shapes.len());
    draft.check_length("operands", found, expected, "one for each input");
    let mut shapes: Vec<&[u32]> = Vec::new();
    for (i, (operand, shape)) in file.operands.iter().zip(draft.shapes.clone()).enumerate() {
        check_scale(operand.scale, &format!("operands[{i}].scale"), draft);
        let (found, expected) = (elements(&operand.shape), shape.elements() as u64);
        if found != expected {
            let message =
                format!("gives {found} elements, expected {expected}: those of the input");
            draft.fault(&format!("operands[{i}].shape"), message);
        }
        shapes.push(&operand.shape);
    }
    for (i, stored) in file.constants.iter().enumerate() {
        let (found, expected) = (stored.values.len(), elements(&stored.shape));
        if found as u64 != expected {
            let message = format!("has length {found}, expected {expected}: those of its shape");
            draft.fault(&format!("constants[{i}].values"), message);
        }
        if let Some(at) = stored.values.iter().position(|value| !value.is_finite()) {
            let message = "is no number that float32 has, expected less than 3.4e38".to_string();
            draft.fault(&format!("constants[{i}].values[{at}]"), message);
        }
        shapes.push(&stored.shape);
    }
    (draft.faults.len() == before).then_some(())?;
    check_steps(file, shapes, draft)
}

fn check_scale(scale: f32, field: &str, draft: &mut Draft<'_>) {
    if !(scale.is_finite() && scale > 0.0) {
        let message = format!("is {scale}, expected a number above 0 that float32 has");
        draft.fault(field, message);
    }
}

/// The shape of each step, none of which is made yet.
fn check_steps(file: &Float32File, shapes: Vec<&[u32]>, draft: &mut Draft<'_>) -> Option<()> {
    let mut shapes: Vec<Vec<u32>> = shapes.into_iter().map(<[u32]>::to_vec).collect();
    let mut all: u64 = shapes.iter().map(|shape| elements(shape)).sum();
    let mut terms = 0u64;
    for (i, step) in file.steps.iter().enumerate() {
        let field = format!("steps[{i}]");
        let count = shapes.len();
        if let Some(of) = step.of().iter().find(|&&of| of as usize >= count) {
            let message = format!("is {of}, expected 0 to {}: what is made before", count - 1);
            draft.fault(&format!("{field}.of"), message);
            return None;
        }
        let of = step.of().iter().map(|&of| &shapes[of as usize][..]);
        let found = step.shape(&of.clone().collect::<Vec<_>>()).and_then(|shape| {
            terms = terms.saturating_add(step.terms(&of.collect::<Vec<_>>(), &shape));
            all = all.saturating_add(elements(&shape));
            for (what, found, most) in [("elements", all, ELEMENTS_MAX), ("terms", terms, TERMS_MAX)] {
                if found > most {
                    return Err(format!(
                        "makes {found} {what} with what is before, expected at most {most} in a layer"
                    ));
                }
            }
            Ok(shape)
        });
        match found {
            Ok(shape) => shapes.push(shape),
            Err(message) => {
                draft.fault(&field, message);
                return None;
            }
        }
    }
    let (found, expected) = (
        shapes.last().map(|last| elements(last)),
        elements(&file.output_shape),
    );
    if found != Some(expected) {
        let found = found.unwrap_or(0);
        let message =
            format!("gives {expected} elements, expected {found}: those of the last step");
        draft.fault("output_shape", message);
        return None;
    }
    Some(())
}
