//! Which tensors a layer reads.

use super::file::LayerFile;
use super::{INPUT_NAME, Input, LayerKind, Shape};
use heddle_arch::fault::{Fault, push};

/// A tensor that layers can read.
#[derive(Debug, Clone)]
pub(super) struct Tensor {
    pub name: String,
    /// None if the layer that makes it is faulty.
    pub shape: Option<(Shape, i8)>,
    /// Its elements are places, which no layer reads.
    pub places: bool,
    /// A layer reads it.
    pub read: bool,
}

/// Finds the inputs of a layer and their shapes. None if there is a fault, here or in a layer before.
pub(super) fn inputs(
    file: &LayerFile,
    at: &str,
    tensors: &mut [Tensor],
    faults: &mut Vec<Fault>,
) -> Option<(Vec<Input>, Vec<Shape>)> {
    let kind = LayerKind::from(file.kind);
    let previous = tensors.last().map(|tensor| tensor.name.clone())?;
    let names = file.inputs.clone().unwrap_or_else(|| vec![previous]);
    let mut found = Vec::new();
    let mut complete = true;
    for (i, name) in names.iter().enumerate() {
        let Some(index) = tensors.iter().rposition(|tensor| tensor.name == *name) else {
            let message =
                format!("is {name:?}, expected {INPUT_NAME:?} or the name of a layer before");
            push(faults, &format!("{at}.inputs[{i}]"), message);
            complete = false;
            continue;
        };
        tensors[index].read = true;
        if tensors[index].places {
            let message = format!(
                "is {name:?}, which is of arg_max: no layer reads it, it can only be an output of the network"
            );
            push(faults, &format!("{at}.inputs[{i}]"), message);
            complete = false;
        }
        match tensors[index].shape {
            Some((shape, zero_point)) => found.push((index, shape, zero_point)),
            None => complete = false,
        }
    }
    let (allowed, expected, with) = match kind {
        LayerKind::Add(_) | LayerKind::Mul(_) | LayerKind::SquaredDifference(_) => {
            match file.constant.is_some() {
                true => (1..=1, "1", " with a constant"),
                false => (2..=2, "2", ""),
            }
        }
        LayerKind::WeightedSum | LayerKind::Concat(_) => (2..=8, "2 to 8", ""),
        LayerKind::Matmul(_) if file.weights.is_some() => (1..=1, "1", " with weights"),
        LayerKind::Matmul(_) => (2..=2, "2", " without weights"),
        _ => (1..=1, "1", ""),
    };
    if !allowed.contains(&names.len()) {
        let message = format!(
            "has length {}, expected {expected} for {}{with}",
            names.len(),
            kind.name()
        );
        push(faults, &format!("{at}.inputs"), message);
        return None;
    }
    let &(_, shape, _) = found.first().filter(|_| complete)?;
    for (i, &(_, other, _)) in found.iter().enumerate() {
        if other != shape && kind == LayerKind::WeightedSum {
            let text = |s: Shape| format!("{} channels of {} x {}", s.channels, s.height, s.width);
            let message = format!(
                "is {:?} with {}, expected {} as the first input has",
                names[i],
                text(other),
                text(shape)
            );
            push(faults, &format!("{at}.inputs[{i}]"), message);
            complete = false;
        }
    }
    let shapes = found.iter().map(|&(_, shape, _)| shape).collect();
    let inputs = found
        .iter()
        .map(|&(tensor, _, zero_point)| Input { tensor, zero_point });
    complete.then(|| (inputs.collect(), shapes))
}
