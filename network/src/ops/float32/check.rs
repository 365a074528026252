//! What is wrong with a layer, before anything of it is computed.

use super::array::elements;
use super::{ELEMENTS_MAX, Float32File, Over, Step, TERMS_MAX};
use crate::draft::Draft;

/// Most dimensions.
const RANK_MAX: usize = 6;

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
            let message = format!("gives {found} elements, expected {expected}: those of the input");
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
                    return Err(format!("makes {found} {what} with what is before, expected at most {most} in a layer"));
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
    let (found, expected) = (shapes.last().map(|last| elements(last)), elements(&file.output_shape));
    if found != Some(expected) {
        let found = found.unwrap_or(0);
        let message = format!("gives {expected} elements, expected {found}: those of the last step");
        draft.fault("output_shape", message);
        return None;
    }
    Some(())
}

impl Step {
    /// The shape that it makes of tensors of these shapes.
    ///
    /// # Errors
    /// What does not fit.
    pub fn shape(&self, of: &[&[u32]]) -> Result<Vec<u32>, String> {
        let first = *of.first().ok_or("reads nothing")?;
        let mut shape = first.to_vec();
        match self {
            Step::Function { numbers, .. } => {
                if numbers.iter().any(|number| !number.is_finite()) {
                    return Err(format!("has numbers {numbers:?}, expected those that float32 has"));
                }
            }
            Step::Pair { .. } => return common(first, of[1]),
            Step::Reduce { axes, .. } => {
                for &axis in axes {
                    *side(&mut shape, axis)? = 1;
                }
            }
            Step::Pool { .. } => self.windows(&mut shape)?,
            Step::Gather { sources, .. } => {
                let largest = |list: &Vec<u32>| u64::from(list.iter().copied().max().unwrap_or(0));
                let (last, has) = (sources.iter().map(largest).sum::<u64>(), elements(first));
                if last >= has || sources.len() > RANK_MAX {
                    return Err(format!(
                        "has sources of {} dimensions that reach element {last}, expected at most {RANK_MAX} and less than {has}",
                        sources.len()
                    ));
                }
                shape = sources.iter().map(|list| list.len() as u32).collect();
            }
            Step::Reshape { shape: to, .. } => {
                if elements(to) != elements(first) || to.len() > RANK_MAX {
                    return Err(format!(
                        "has shape {to:?} for elements of {first:?}, expected as many, in at most {RANK_MAX} dimensions"
                    ));
                }
                shape.clone_from(to);
            }
            Step::Concat { axis, .. } => {
                for other in &of[1..] {
                    let mut other = other.to_vec();
                    let more = std::mem::replace(side(&mut other, *axis)?, *side(&mut shape, *axis)?);
                    if other != shape {
                        return Err(format!("joins {of:?} along {axis}, expected other sides to be equal"));
                    }
                    let side = side(&mut shape, *axis)?;
                    *side = side.checked_add(more).ok_or("joins too many places")?;
                }
                side(&mut shape, *axis)?;
            }
            Step::Matmul { .. } => return product(first, of[1]),
        }
        Ok(shape)
    }

    /// How many terms it adds or compares to make such a shape.
    fn terms(&self, of: &[&[u32]], shape: &[u32]) -> u64 {
        let each = match self {
            Step::Reduce { .. } => return elements(of[0]),
            Step::Pool { kernel, .. } => elements(kernel),
            Step::Matmul { .. } => of[0].last().map_or(1, |&terms| terms.into()),
            _ => 1,
        };
        elements(shape).saturating_mul(each)
    }

    /// Height and width of windows, each of which has a place inside the input.
    fn windows(&self, shape: &mut [u32]) -> Result<(), String> {
        let Step::Pool { over, kernel, stride, dilation, padding, output, .. } = self else {
            return Ok(());
        };
        if !matches!(over, Over::Mean | Over::Max) {
            return Err(format!("has over {over:?}, expected mean or max"));
        }
        let sizes = shape.last_chunk_mut::<2>();
        let sizes = sizes.ok_or("reads fewer than two dimensions, expected height and width last")?;
        for axis in 0..2 {
            let (size, step) = (i64::from(sizes[axis]), i64::from(dilation[axis]));
            let [before, _] = padding[axis].map(i64::from);
            let is_empty = |at: u32| {
                let start = i64::from(at) * i64::from(stride[axis]) - before;
                let first = if start < 0 { (-start + step - 1) / step } else { 0 };
                first >= kernel[axis].into() || start + first * step >= size
            };
            if let Some(at) = (0..output[axis]).find(|&at| is_empty(at)) {
                return Err(format!("has a window {at} along {axis} beside the input, expected a place of it in each"));
            }
            sizes[axis] = output[axis];
        }
        Ok(())
    }
}

/// A dimension that there is.
fn side(shape: &mut [u32], axis: u32) -> Result<&mut u32, String> {
    let rank = shape.len();
    let found = shape.get_mut(axis as usize);
    found.ok_or_else(|| format!("has axis {axis}, expected one of {rank} dimensions"))
}

/// The sides that two shapes have in common, the last ones beside each other.
fn common(one: &[u32], other: &[u32]) -> Result<Vec<u32>, String> {
    let (long, short) = if one.len() < other.len() { (other, one) } else { (one, other) };
    let mut shape = long.to_vec();
    let more = long.len() - short.len();
    for (side, &size) in shape[more..].iter_mut().zip(short) {
        match (*side, size) {
            (found, size) if found == size => {}
            (1, size) => *side = size,
            (_, 1) => {}
            _ => return Err(format!("reads {one:?} and {other:?}, expected sides that are equal or 1")),
        }
    }
    Ok(shape)
}

/// The shape of products of matrices.
fn product(one: &[u32], other: &[u32]) -> Result<Vec<u32>, String> {
    match (one, other) {
        ([batches @ .., rows, terms], [others @ .., inner, columns]) if terms == inner => {
            Ok([&common(batches, others)?[..], &[*rows, *columns]].concat())
        }
        _ => Err(format!("multiplies {one:?} and {other:?}, expected matrices that fit")),
    }
}
