//! Shapes of a layer.

use super::file::LayerFile;
use super::{LayerKind, Padding, Shape};
use crate::fault::{Fault, push};

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
    fn plain(output: Shape) -> Self {
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
    input: Shape,
    faults: &mut Vec<Fault>,
) -> Option<Geometry> {
    match LayerKind::from(file.kind) {
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
        LayerKind::Add => Some(Geometry {
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
    }
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
