//! Shapes, lengths and sums of a network file.

use std::collections::BTreeSet;

use super::file::{KindFile, LayerFile, NetworkFile, RoundingFile};
use super::{Layer, LayerKind, Network, Padding, Shape};
use crate::fault::Fault;
use crate::requantise::{Rounding, Scale};

/// Builds the network, or lists its faults. A layer without a shape ends the search, because the
/// layers behind it have no input.
pub(super) fn build(file: NetworkFile) -> Result<Network, Vec<Fault>> {
    let mut faults = Vec::new();
    let input = Shape {
        channels: file.input.channels,
        height: file.input.height,
        width: file.input.width,
    };
    let mut names = BTreeSet::new();
    let mut layers: Vec<Layer> = Vec::new();
    let mut tensor = Some((input, file.input.zero_point));
    for (i, layer) in file.layers.into_iter().enumerate() {
        let at = format!("layers[{i}]");
        if !names.insert(layer.name.clone()) {
            let message = format!("is {:?}, expected another name than all others", layer.name);
            push(&mut faults, &format!("{at}.name"), message);
        }
        let Some((shape, zero_point)) = tensor else {
            continue;
        };
        let built = build_layer(layer, &at, shape, zero_point, &mut faults);
        tensor = built.as_ref().map(|l| (l.output, l.output_zero_point));
        layers.extend(built);
    }
    let images: Vec<Vec<i8>> = file.test.images.into_iter().map(|image| image.0).collect();
    check_images(
        &images,
        &file.test.labels,
        input,
        tensor.map(|t| t.0),
        &mut faults,
    );
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(Network {
        name: file.name,
        input,
        input_zero_point: file.input.zero_point,
        layers,
        images,
        labels: file.test.labels,
    })
}

/// `None` when the layer has no output shape; all other faults leave the layer in place so that
/// later layers are checked too.
fn build_layer(
    file: LayerFile,
    at: &str,
    input: Shape,
    input_zero_point: i8,
    faults: &mut Vec<Fault>,
) -> Option<Layer> {
    let geometry = geometry(&file, at, input, faults)?;
    let outputs = geometry.output.channels as usize;
    let per_output =
        input.channels as usize * geometry.kernel[0] as usize * geometry.kernel[1] as usize;
    let mut length = |field: &str, found: usize, expected: usize, meaning: &str| {
        if found != expected {
            let message = format!("has length {found}, expected {expected}: {meaning}");
            push(faults, &format!("{at}.{field}"), message);
        }
    };
    let product = format!("{outputs} outputs of {per_output} weights");
    length(
        "weights",
        file.weights.len(),
        outputs * per_output,
        &product,
    );
    length("bias", file.bias.len(), outputs, "one for each output");
    length(
        "multiplier",
        file.multiplier.len(),
        outputs,
        "one for each output",
    );
    length("shift", file.shift.len(), outputs, "one for each output");
    if file.activation_min > file.activation_max {
        let message = format!(
            "is {}, expected at most activation_max, {}",
            file.activation_min, file.activation_max
        );
        push(faults, &format!("{at}.activation_min"), message);
    }
    let scales = scales(&file, at, faults);
    check_sums(&file, at, per_output, faults);
    Some(Layer {
        name: file.name,
        kind: geometry.kind,
        input,
        output: geometry.output,
        kernel: geometry.kernel,
        stride: geometry.stride,
        padding: geometry.padding,
        weights: file.weights,
        bias: file.bias,
        scales,
        rounding: match file.rounding {
            RoundingFile::Double => Rounding::Double,
            RoundingFile::Single => Rounding::Single,
        },
        input_zero_point,
        output_zero_point: file.output_zero_point,
        min: file.activation_min,
        max: file.activation_max,
    })
}

struct Geometry {
    kind: LayerKind,
    output: Shape,
    kernel: [u32; 2],
    stride: [u32; 2],
    padding: Padding,
}

fn geometry(file: &LayerFile, at: &str, input: Shape, faults: &mut Vec<Fault>) -> Option<Geometry> {
    let kind = match file.kind {
        KindFile::Conv2d => LayerKind::Conv2d,
        KindFile::FullyConnected => LayerKind::FullyConnected,
    };
    let convolution = kind == LayerKind::Conv2d;
    let name = if convolution {
        "conv2d"
    } else {
        "fully_connected"
    };
    let fields = [
        (
            "output_channels",
            convolution,
            file.output_channels.is_some(),
        ),
        (
            "output_features",
            !convolution,
            file.output_features.is_some(),
        ),
        ("kernel", convolution, file.kernel.is_some()),
        ("stride", convolution, file.stride.is_some()),
        ("padding", convolution, file.padding.is_some()),
    ];
    for (field, belongs, present) in fields {
        if present && !belongs {
            push(
                faults,
                &format!("{at}.{field}"),
                format!("is not a field of {name}"),
            );
        }
    }
    let required = |field: &str, faults: &mut Vec<Fault>| {
        let message = format!("is missing, required for {name}");
        push(faults, &format!("{at}.{field}"), message);
    };
    if !convolution {
        let Some(features) = file.output_features else {
            required("output_features", faults);
            return None;
        };
        return Some(Geometry {
            kind,
            output: Shape {
                channels: features,
                height: 1,
                width: 1,
            },
            kernel: [input.height, input.width],
            stride: [1, 1],
            padding: Padding::default(),
        });
    }
    if file.output_channels.is_none() {
        required("output_channels", faults);
    }
    if file.kernel.is_none() {
        required("kernel", faults);
    }
    let (channels, kernel) = (file.output_channels?, file.kernel?);
    let stride = file.stride.unwrap_or([1, 1]);
    let pad = file.padding.unwrap_or_default();
    let padding = Padding {
        top: pad.top,
        bottom: pad.bottom,
        left: pad.left,
        right: pad.right,
    };
    let sides = [
        ("top", pad.top, kernel[0]),
        ("bottom", pad.bottom, kernel[0]),
        ("left", pad.left, kernel[1]),
        ("right", pad.right, kernel[1]),
    ];
    for (side, found, limit) in sides {
        if found >= limit {
            let message = format!("is {found}, expected less than the kernel, {limit}");
            push(faults, &format!("{at}.padding.{side}"), message);
        }
    }
    let height = input.height + pad.top + pad.bottom;
    let width = input.width + pad.left + pad.right;
    let mut fits = true;
    for (i, side) in [height, width].into_iter().enumerate() {
        if kernel[i] > side {
            let message = format!(
                "is {}, expected at most the padded input, {side}",
                kernel[i]
            );
            push(faults, &format!("{at}.kernel[{i}]"), message);
            fits = false;
        }
    }
    fits.then(|| Geometry {
        kind,
        output: Shape {
            channels,
            height: (height - kernel[0]) / stride[0] + 1,
            width: (width - kernel[1]) / stride[1] + 1,
        },
        kernel,
        stride,
        padding,
    })
}

/// The scales of all channels that have both a multiplier and a shift.
fn scales(file: &LayerFile, at: &str, faults: &mut Vec<Fault>) -> Vec<Scale> {
    let mut scales = Vec::new();
    for (i, (multiplier, shift)) in file.multiplier.iter().zip(&file.shift).enumerate() {
        match Scale::new(*multiplier, *shift) {
            Ok(scale) => scales.push(scale),
            Err(fault) => faults.push(Fault {
                line: None,
                field: format!("{at}.{}[{i}]", fault.field),
                message: fault.message.replacen(
                    &fault.field,
                    &format!("{at}.{}[{i}]", fault.field),
                    1,
                ),
            }),
        }
    }
    scales
}

/// No sum may leave 32 bits: |bias| + 255 * sum of |w| < 2^31, because an operand is x - z.
fn check_sums(file: &LayerFile, at: &str, per_output: usize, faults: &mut Vec<Fault>) {
    let rows = file.weights.chunks_exact(per_output);
    for (channel, (weights, bias)) in rows.zip(&file.bias).enumerate() {
        let sum: i64 = weights.iter().map(|w| i64::from(w.unsigned_abs())).sum();
        let bound = i64::from(bias.unsigned_abs()) + 255 * sum;
        if bound >= 1 << 31 {
            let message = format!(
                "of layer {:?} is {bias}: |bias| + 255 * sum of |weights| is {bound}, expected \
                 less than 2147483648",
                file.name
            );
            push(faults, &format!("{at}.bias[{channel}]"), message);
        }
    }
}

fn check_images(
    images: &[Vec<i8>],
    labels: &[u32],
    input: Shape,
    output: Option<Shape>,
    faults: &mut Vec<Fault>,
) {
    let expected = input.elements();
    if let Some((i, image)) = images.iter().enumerate().find(|(_, m)| m.len() != expected) {
        let message = format!(
            "has length {}, expected {expected}: {} channels of {} x {}",
            image.len(),
            input.channels,
            input.height,
            input.width
        );
        push(faults, &format!("test.images[{i}]"), message);
    }
    if labels.len() != images.len() {
        let message = format!(
            "has length {}, expected {}: one for each image",
            labels.len(),
            images.len()
        );
        push(faults, "test.labels", message);
    }
    let Some(classes) = output.map(Shape::elements) else {
        return;
    };
    let wrong = |label: &u32| *label as usize >= classes;
    if let Some(i) = labels.iter().position(wrong) {
        let message = format!("is {}, expected 0 to {}", labels[i], classes - 1);
        push(faults, &format!("test.labels[{i}]"), message);
    }
}

fn push(faults: &mut Vec<Fault>, field: &str, message: String) {
    faults.push(Fault {
        line: None,
        field: field.to_string(),
        message: format!("{field} {message}"),
    });
}
