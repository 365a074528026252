//! Shapes of a layer.

use super::file::LayerFile;
use super::{LayerKind, Matmul, Network, Padding, Permutation, Shape, host_geometry};
use heddle_arch::fault::{Fault, push};

/// Everything about a layer but its values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Geometry {
    pub output: Shape,
    pub kernel: [u32; 2],
    pub stride: [u32; 2],
    pub dilation: [u32; 2],
    pub groups: u32,
    pub padding: Padding,
}

impl Geometry {
    pub(super) fn plain(output: Shape) -> Self {
        Self {
            output,
            kernel: [1, 1],
            stride: [1, 1],
            dilation: [1, 1],
            groups: 1,
            padding: Padding::default(),
        }
    }
}

/// The shapes of a layer whose required fields are there; none if they do not fit.
pub(super) fn geometry(
    file: &LayerFile,
    at: &str,
    inputs: &[Shape],
    faults: &mut Vec<Fault>,
) -> Option<Geometry> {
    let input = inputs[0];
    match kind(file) {
        LayerKind::Matmul(matmul) => {
            let output = product(file, matmul, at, inputs, faults)?;
            Some(Geometry::plain(output))
        }
        LayerKind::Transpose(permutation) => {
            let output = transpose(permutation, at, input, faults)?;
            Some(Geometry::plain(output))
        }
        LayerKind::FullyConnected => {
            let output = Shape {
                channels: file.output_features?,
                height: 1,
                width: 1,
            };
            Some(Geometry {
                kernel: [input.height, input.width],
                ..Geometry::plain(output)
            })
        }
        LayerKind::Add(_) => Some(Geometry {
            groups: input.channels,
            ..Geometry::plain(host_geometry::broadcast(file, at, inputs, faults)?)
        }),
        LayerKind::WeightedSum | LayerKind::Table => Some(Geometry {
            groups: input.channels,
            ..Geometry::plain(input)
        }),
        LayerKind::Conv2d => {
            let groups = file.groups.unwrap_or(1);
            let channels = file.output_channels?;
            let divides = check_groups(groups, channels, input.channels, at, faults);
            let moved = windows(file, at, input, channels, [1, 1], faults)?;
            divides.then_some(Geometry { groups, ..moved })
        }
        LayerKind::AveragePool2d | LayerKind::MaxPool2d => {
            let kernel = file.kernel?;
            let moved = windows(file, at, input, input.channels, kernel, faults)?;
            Some(Geometry {
                groups: input.channels,
                ..moved
            })
        }
        kind => {
            let output = host_geometry::output(kind, file, at, inputs, faults)?;
            Some(Geometry {
                stride: file.stride.unwrap_or([1, 1]),
                ..Geometry::plain(output)
            })
        }
    }
}

/// The kind of a layer with all that belongs to it.
pub(super) fn kind(file: &LayerFile) -> LayerKind {
    match LayerKind::from(file.kind) {
        LayerKind::Matmul(_) => LayerKind::Matmul(Matmul {
            transposed: file.transposed.unwrap_or_default(),
        }),
        LayerKind::Transpose(usual) => LayerKind::Transpose(Permutation {
            batch: file.batch.unwrap_or(usual.batch),
            axes: file.permutation.unwrap_or(usual.axes),
            element_bytes: file.element_bytes.unwrap_or(usual.element_bytes),
        }),
        LayerKind::ArgMax(usual) => LayerKind::ArgMax(file.axis.unwrap_or(usual)),
        LayerKind::Concat(usual) => LayerKind::Concat(file.axis.unwrap_or(usual)),
        LayerKind::Slice(usual) => LayerKind::Slice(file.start.unwrap_or(usual)),
        LayerKind::Pad(usual) => LayerKind::Pad(file.start.unwrap_or(usual)),
        LayerKind::Resize(usual) => LayerKind::Resize(file.scale_factor.unwrap_or(usual)),
        LayerKind::ResizeBilinear(usual) => {
            LayerKind::ResizeBilinear(file.alignment.unwrap_or(usual))
        }
        LayerKind::Reshape(usual) => LayerKind::Reshape(file.order.unwrap_or(usual)),
        kind => kind,
    }
}

/// Shape of a product, if its factors belong together.
fn product(
    file: &LayerFile,
    matmul: Matmul,
    at: &str,
    inputs: &[Shape],
    faults: &mut Vec<Fault>,
) -> Option<Shape> {
    let sides = |shape: Shape, turned: bool| match turned {
        true => (shape.width, shape.height),
        false => (shape.height, shape.width),
    };
    let [first, second] = matmul.transposed;
    let (rows, terms) = sides(inputs[0], first);
    let cols = match inputs.get(1) {
        Some(&other) => {
            let (found, cols) = sides(other, second);
            if other.channels != inputs[0].channels {
                let message = format!(
                    "has {} channels, expected {} as the first input has",
                    other.channels, inputs[0].channels
                );
                push(faults, &format!("{at}.inputs[1]"), message);
                return None;
            }
            if found != terms {
                let message = format!(
                    "has {found} rows{}, expected {terms}: the first factor is {rows} x {terms}",
                    if second { " when transposed" } else { "" }
                );
                push(faults, &format!("{at}.inputs[1]"), message);
                return None;
            }
            if file.output_features.is_some() {
                let message = "is not a field of matmul without weights".to_string();
                push(faults, &format!("{at}.output_features"), message);
                return None;
            }
            cols
        }
        None if file.output_features.is_none() => {
            let message = "is missing, required for matmul with weights".to_string();
            push(faults, &format!("{at}.output_features"), message);
            return None;
        }
        None => file.output_features?,
    };
    Some(Shape {
        channels: inputs[0].channels,
        height: rows,
        width: cols,
    })
}

/// Shape of the output of a transpose.
fn transpose(
    permutation: Permutation,
    at: &str,
    input: Shape,
    faults: &mut Vec<Fault>,
) -> Option<Shape> {
    let before = faults.len();
    let Permutation {
        batch,
        axes,
        element_bytes,
    } = permutation;
    for (field, found, size, what) in [
        ("batch", batch, input.channels, "channels"),
        (
            "element_bytes",
            element_bytes,
            input.width,
            "bytes of a row",
        ),
    ] {
        if size % found != 0 {
            let message = format!("is {found}, expected a divisor of the {size} {what}");
            push(faults, &format!("{at}.{field}"), message);
        }
    }
    if !(0..4).all(|axis| axes.contains(&axis)) {
        let message = format!("is {axes:?}, expected each of 0 to 3 once");
        push(faults, &format!("{at}.permutation"), message);
    }
    if faults.len() > before {
        return None;
    }
    let sides = permutation.output(input).sides().map(u64::from);
    bounded(sides, &format!("{at}.permutation"), faults)
}

/// A shape none of whose sides is too large.
pub(super) fn bounded(sides: [u64; 3], field: &str, faults: &mut Vec<Fault>) -> Option<Shape> {
    let most = Network::SIZE_MAX;
    if sides.into_iter().all(|side| side <= most.into()) {
        return Some(Shape::of(sides.map(|side| side as u32)));
    }
    let [channels, height, width] = sides;
    let message =
        format!("gives {channels} channels of {height} x {width}, expected at most {most} each");
    push(faults, field, message);
    None
}

fn check_groups(groups: u32, outputs: u32, inputs: u32, at: &str, faults: &mut Vec<Fault>) -> bool {
    let mut divides = true;
    for (what, channels) in [("input", inputs), ("output", outputs)] {
        if channels % groups != 0 {
            let message =
                format!("is {groups}, expected a divisor of the {channels} {what} channels");
            push(faults, &format!("{at}.groups"), message);
            divides = false;
        }
    }
    divides
}

/// A kernel that moves over the input.
fn windows(
    file: &LayerFile,
    at: &str,
    input: Shape,
    channels: u32,
    stride: [u32; 2],
    faults: &mut Vec<Fault>,
) -> Option<Geometry> {
    let kernel = file.kernel?;
    let dilation = file.dilation.unwrap_or([1, 1]);
    let stride = file.stride.unwrap_or(stride);
    let pad = file.padding.unwrap_or_default();
    let padding = Padding {
        top: pad.top,
        bottom: pad.bottom,
        left: pad.left,
        right: pad.right,
    };
    let extent = |axis: usize| (kernel[axis] - 1) * dilation[axis] + 1;
    let sides = [
        ("top", pad.top, 0),
        ("bottom", pad.bottom, 0),
        ("left", pad.left, 1),
        ("right", pad.right, 1),
    ];
    for (side, found, axis) in sides {
        let limit = extent(axis);
        if found >= limit {
            let what = if dilation[axis] == 1 {
                "kernel"
            } else {
                "dilated kernel"
            };
            let message = format!("is {found}, expected less than the {what}, {limit}");
            push(faults, &format!("{at}.padding.{side}"), message);
        }
    }
    let height = input.height + pad.top + pad.bottom;
    let width = input.width + pad.left + pad.right;
    let mut fits = true;
    for (i, side) in [height, width].into_iter().enumerate() {
        if extent(i) > side {
            let dilated = match dilation[i] {
                1 => String::new(),
                _ => format!(", {} places when dilated", extent(i)),
            };
            let message = format!(
                "is {}{dilated}, expected at most the padded input, {side}",
                kernel[i]
            );
            push(faults, &format!("{at}.kernel[{i}]"), message);
            fits = false;
        }
    }
    fits.then(|| Geometry {
        output: Shape {
            channels,
            height: (height - extent(0)) / stride[0] + 1,
            width: (width - extent(1)) / stride[1] + 1,
        },
        kernel,
        stride,
        dilation,
        groups: 1,
        padding,
    })
}
