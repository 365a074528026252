//! Shapes of the layers that no machine has.

use super::file::LayerFile;
use super::geometry::bounded;
use super::shapes::WINDOW_MAX;
use super::{LayerKind, PLACE_BYTES, Shape};
use heddle_arch::fault::{Fault, push};

/// Shape of the output, if those of the inputs fit.
pub(super) fn output(
    kind: LayerKind,
    file: &LayerFile,
    at: &str,
    inputs: &[Shape],
    faults: &mut Vec<Fault>,
) -> Option<Shape> {
    let input = inputs[0];
    match kind {
        LayerKind::Mean(_) => {
            let mut sides = input.sides();
            for axis in file.axes.as_deref()? {
                sides[axis.index()] = 1;
            }
            let output = Shape::of(sides);
            let count = input.elements() / output.elements();
            if count > WINDOW_MAX {
                let message = format!(
                    "are of {count} elements, expected at most {WINDOW_MAX}: their sum has 32 bits"
                );
                push(faults, &format!("{at}.axes"), message);
            }
            Some(output)
        }
        LayerKind::ArgMax(axis) => {
            let mut sides = input.sides();
            sides[axis.index()] = PLACE_BYTES;
            Some(Shape::of(sides))
        }
        LayerKind::Concat(axis) => concat(axis.index(), at, inputs, faults),
        LayerKind::Slice(start) => {
            let output = Shape::of(file.output_shape?);
            slice(start, output, at, input, faults).then_some(output)
        }
        LayerKind::Pad(start) => {
            let output = Shape::of(file.output_shape?);
            let [down, across] = file.stride.unwrap_or([1, 1]);
            pad(start, [1, down, across], output, at, input, faults).then_some(output)
        }
        LayerKind::Resize(times) => {
            let [channels, height, width] = input.sides().map(u64::from);
            let [down, across] = times.map(u64::from);
            let sides = [channels, height * down, width * across];
            bounded(sides, &format!("{at}.scale_factor"), faults)
        }
        LayerKind::ResizeBilinear(_) => {
            let output = Shape::of(file.output_shape?);
            let same = output.channels == input.channels;
            if !same {
                let (found, expected) = (output.channels, input.channels);
                let message = format!("is {found}, expected {expected} as the input has");
                push(faults, &format!("{at}.output_shape[0]"), message);
            }
            same.then_some(output)
        }
        LayerKind::Reshape(_) => {
            let output = Shape::of(file.output_shape?);
            let (found, expected) = (output.elements(), input.elements());
            if found != expected {
                let message = format!(
                    "has {found} elements, expected {expected}, those of {}",
                    shown(input)
                );
                push(faults, &format!("{at}.output_shape"), message);
            }
            (found == expected).then_some(output)
        }
        LayerKind::Mul(_) | LayerKind::Prelu(_) | LayerKind::SquaredDifference(_) => {
            broadcast(file, at, inputs, faults)
        }
        _ => Some(input),
    }
}

/// Shape of what is made of two tensors, element by element.
pub(super) fn broadcast(
    file: &LayerFile,
    at: &str,
    inputs: &[Shape],
    faults: &mut Vec<Fault>,
) -> Option<Shape> {
    let (second, field) = match (&file.constant, inputs) {
        (Some(constant), _) => (Shape::of(constant.shape), "constant.shape"),
        (None, &[_, second, ..]) => (second, "inputs[1]"),
        (None, _) => return None,
    };
    let found = inputs[0].broadcast(second);
    if found.is_none() {
        let message = format!(
            "has {}, expected {} as the first input has, or 1 in place of a side",
            shown(second),
            shown(inputs[0])
        );
        push(faults, &format!("{at}.{field}"), message);
    }
    found
}

fn concat(axis: usize, at: &str, inputs: &[Shape], faults: &mut Vec<Fault>) -> Option<Shape> {
    let mut sides = inputs[0].sides().map(u64::from);
    let mut fits = true;
    for (i, other) in inputs.iter().enumerate().skip(1) {
        let mut expected = inputs[0].sides();
        expected[axis] = other.sides()[axis];
        if other.sides() != expected {
            let (other, expected) = (shown(*other), shown(Shape::of(expected)));
            let message = format!("has {other}, expected {expected} beside the first input");
            push(faults, &format!("{at}.inputs[{i}]"), message);
            fits = false;
        }
        sides[axis] += u64::from(other.sides()[axis]);
    }
    let output = bounded(sides, &format!("{at}.inputs"), faults);
    output.filter(|_| fits)
}

fn slice(start: [u32; 3], output: Shape, at: &str, input: Shape, faults: &mut Vec<Fault>) -> bool {
    let mut fits = true;
    for (i, (start, (size, has))) in start
        .into_iter()
        .zip(output.sides().into_iter().zip(input.sides()))
        .enumerate()
    {
        if start + size > has {
            let message = format!("is {size} from {start} on, expected to end within {has}");
            push(faults, &format!("{at}.output_shape[{i}]"), message);
            fits = false;
        }
    }
    fits
}

/// All elements must lie within what a pad makes.
fn pad(
    start: [u32; 3],
    steps: [u32; 3],
    output: Shape,
    at: &str,
    input: Shape,
    faults: &mut Vec<Fault>,
) -> bool {
    let mut fits = true;
    for (i, (side, found)) in input.sides().into_iter().zip(output.sides()).enumerate() {
        let needed = u64::from(start[i]) + u64::from(side - 1) * u64::from(steps[i]) + 1;
        if u64::from(found) < needed {
            let (start, step) = (start[i], steps[i]);
            let message = format!(
                "is {found}, expected at least {needed}: {side} from {start} on in steps of {step}"
            );
            push(faults, &format!("{at}.output_shape[{i}]"), message);
            fits = false;
        }
    }
    fits
}

fn shown(shape: Shape) -> String {
    let Shape {
        channels,
        height,
        width,
    } = shape;
    format!("{channels} channels of {height} x {width}")
}
