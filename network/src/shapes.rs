//! Lengths, values and sums of a network file.

use std::collections::BTreeSet;

use super::file::{FurtherInputFile, LayerFile, NetworkFile, RoundingFile};
use super::geometry::{Geometry, geometry, kind};
use super::graph::{Tensor, inputs};
use super::{
    INPUT_NAME, Input, Layer, LayerKind, NAME, Network, Padding, Shape, Table, fields, host_values,
    is_name,
};
use heddle_arch::fault::{Fault, push};
use heddle_arch::requantise::{Rounding, Scale};

/// Builds the network, or lists its faults. What reads the output of a layer without a shape is not
/// looked at.
pub(super) fn build(file: NetworkFile) -> Result<Network, Vec<Fault>> {
    let mut faults = Vec::new();
    let input = Shape {
        channels: file.input.channels,
        height: file.input.height,
        width: file.input.width,
    };
    if !is_name(&file.name) {
        push(&mut faults, "name", bad_name(&file.name));
    }
    let mut names = BTreeSet::from([INPUT_NAME.to_string()]);
    let mut layers: Vec<Layer> = Vec::new();
    let mut tensors = vec![Tensor {
        name: INPUT_NAME.to_string(),
        shape: Some((input, file.input.zero_point)),
        places: false,
        read: false,
    }];
    let further = file.further_inputs.len();
    for (i, input) in file.further_inputs.into_iter().enumerate() {
        let at = format!("further_inputs[{i}].name");
        if !is_name(&input.name) {
            push(&mut faults, &at, bad_name(&input.name));
        }
        if !names.insert(input.name.clone()) {
            let message = format!("is {:?}, expected another name than all others", input.name);
            push(&mut faults, &at, message);
        }
        let layer = further_input(input);
        tensors.push(Tensor {
            name: layer.name.clone(),
            shape: Some((layer.output, layer.output_zero_point)),
            places: false,
            read: false,
        });
        layers.push(layer);
    }
    for (i, layer) in file.layers.into_iter().enumerate() {
        let at = format!("layers[{i}]");
        let name = layer.name.clone();
        let places = LayerKind::from(layer.kind).places().is_some();
        if !is_name(&name) {
            push(&mut faults, &format!("{at}.name"), bad_name(&name));
        }
        if !names.insert(name.clone()) {
            let message = format!("is {name:?}, expected another name than all others");
            push(&mut faults, &format!("{at}.name"), message);
        }
        let built = build_layer(layer, &at, &mut tensors, &mut faults);
        tensors.push(Tensor {
            name,
            shape: built.as_ref().map(|l| (l.output, l.output_zero_point)),
            places,
            read: false,
        });
        layers.extend(built);
    }
    let output = tensors.last().and_then(|tensor| tensor.shape);
    let outputs = outputs(file.outputs, &mut tensors, &mut faults);
    for (i, tensor) in tensors
        .iter()
        .enumerate()
        .filter(|(_, tensor)| !tensor.read)
    {
        let (field, what) = match i.checked_sub(1) {
            None => ("input".to_string(), "input"),
            Some(input) if input < further => (format!("further_inputs[{input}]"), "input"),
            Some(layer) => (format!("layers[{}]", layer - further), "output"),
        };
        let way_out = match (i, outputs.is_empty()) {
            (i, empty) if i <= further || empty => "",
            _ => ", and it is not among the outputs",
        };
        let message = format!("{:?}: no layer reads this {what}{way_out}", tensor.name);
        push(&mut faults, &field, message);
    }
    let images: Vec<Vec<i8>> = file.test.images.into_iter().map(|image| image.0).collect();
    let output = output.map(|(shape, _)| shape);
    let network = Network {
        name: file.name,
        input,
        input_zero_point: file.input.zero_point,
        layers,
        outputs,
        images,
        labels: file.test.labels,
    };
    check_images(&network, output, &mut faults);
    match faults.is_empty() {
        true => Ok(network),
        false => Err(faults),
    }
}

/// A further input, as a layer that reads nothing.
fn further_input(file: FurtherInputFile) -> Layer {
    let shape = Shape {
        channels: file.channels,
        height: file.height,
        width: file.width,
    };
    Layer {
        name: file.name,
        kind: LayerKind::Input,
        inputs: Vec::new(),
        input: shape,
        output: shape,
        kernel: [1, 1],
        stride: [1, 1],
        dilation: [1, 1],
        groups: file.channels,
        padding: Padding::default(),
        weights: Vec::new(),
        bias: Vec::new(),
        scales: Vec::new(),
        rounding: Rounding::Single,
        output_zero_point: file.zero_point,
        min: i8::MIN,
        max: i8::MAX,
        table: None,
    }
}

/// The tensors that the host reads: those that are named, or the last one.
fn outputs(
    names: Option<Vec<String>>,
    tensors: &mut [Tensor],
    faults: &mut Vec<Fault>,
) -> Vec<usize> {
    let last = tensors.len() - 1;
    let Some(names) = names else {
        tensors[last].read = true;
        return vec![last];
    };
    let mut found = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let index = tensors.iter().rposition(|tensor| tensor.name == *name);
        match index.filter(|index| *index > 0 && !found.contains(index)) {
            Some(index) => {
                tensors[index].read = true;
                found.push(index);
            }
            None => {
                let message = format!("is {name:?}, expected the name of a layer, each once");
                push(faults, &format!("outputs[{i}]"), message);
            }
        }
    }
    found
}

fn bad_name(found: &str) -> String {
    format!("is {found:?}, expected {NAME}")
}

/// `None` when the layer has no output shape; all other faults leave the layer in place so that
/// later layers are checked too.
fn build_layer(
    file: LayerFile,
    at: &str,
    tensors: &mut [Tensor],
    faults: &mut Vec<Fault>,
) -> Option<Layer> {
    let complete = fields::check(&file, at, faults);
    let found = inputs(&file, at, tensors, faults);
    let (inputs, shapes) = found.filter(|_| complete)?;
    let geometry = geometry(&file, at, &shapes, faults)?;
    let layer = fill(file, at, inputs, shapes[0], geometry, faults);
    check_sums(&layer, at, faults);
    Some(layer)
}

/// The layer with its values; lengths and bounds are checked.
fn fill(
    file: LayerFile,
    at: &str,
    inputs: Vec<Input>,
    input: Shape,
    geometry: Geometry,
    faults: &mut Vec<Fault>,
) -> Layer {
    let kind = kind(&file);
    let first_zero_point = inputs[0].zero_point;
    let count = inputs.len();
    let window = geometry.kernel[0] * geometry.kernel[1];
    let kind = match kind {
        kind if host_values::has_own(kind) => host_values::kind(kind, &file, at, faults),
        kind => kind,
    };
    let outputs = match kind {
        LayerKind::Matmul(_) => matmul_scales(&file, geometry.output.width as usize),
        kind if host_values::has_own(kind) || kind.moves() => 0,
        _ => geometry.output.channels as usize,
    };
    let mut layer = Layer {
        name: file.name,
        kind,
        inputs,
        input,
        output: geometry.output,
        kernel: geometry.kernel,
        stride: geometry.stride,
        dilation: geometry.dilation,
        groups: geometry.groups,
        padding: geometry.padding,
        weights: (file.constant.map(|constant| constant.values))
            .or(file.weights)
            .or(file.factors)
            .unwrap_or_default(),
        bias: file.bias.unwrap_or_else(|| vec![0; outputs]),
        scales: Vec::new(),
        rounding: match file.rounding {
            Some(RoundingFile::Double) => Rounding::Double,
            None if matches!(kind, LayerKind::Mul(_)) => Rounding::Double,
            Some(RoundingFile::Single) | None => Rounding::Single,
        },
        output_zero_point: file.output_zero_point.unwrap_or(match kind {
            LayerKind::Matmul(_) | LayerKind::ArgMax(_) => 0,
            LayerKind::Softmax(_) => i8::MIN,
            _ => first_zero_point,
        }),
        min: file.activation_min.unwrap_or(i8::MIN),
        max: file.activation_max.unwrap_or(i8::MAX),
        table: file.table.map(|values| Table {
            zero_point: file.table_zero_point.unwrap_or(first_zero_point),
            values,
        }),
    };
    let taps = layer.taps();
    if file.multiplier.is_some() != file.shift.is_some() && matches!(kind, LayerKind::Matmul(_)) {
        let (found, missing) = match file.shift {
            Some(_) => ("shift", "multiplier"),
            None => ("multiplier", "shift"),
        };
        let message = format!("is missing, required with {found}");
        push(faults, &format!("{at}.{missing}"), message);
    }
    let mut length = |field: &str, found: usize, expected: usize, meaning: &str| {
        if found != expected {
            let message = format!("has length {found}, expected {expected}: {meaning}");
            push(faults, &format!("{at}.{field}"), message);
        }
    };
    let each = match kind {
        LayerKind::Matmul(_) => "one for the matrix, or one for each column",
        _ => "one for each output",
    };
    match kind {
        LayerKind::MaxPool2d | LayerKind::Table => {
            layer.scales = vec![Scale::reciprocal(1); outputs];
        }
        kind if host_values::has_own(kind) || kind.moves() => {
            if let Some(constant) = kind.constant() {
                let (found, expected) = (layer.weights.len(), constant.shape.elements());
                length("constant.values", found, expected, "those of its shape");
            }
        }
        LayerKind::Matmul(_) => {
            let cols = layer.output.width as usize;
            let factor = format!("{taps} rows of {cols} columns");
            if count == 1 {
                length("weights", layer.weights.len(), taps * cols, &factor);
            }
            // One value for all columns stands for as many as the others have.
            if layer.bias.len() == 1 {
                layer.bias = vec![layer.bias[0]; outputs];
            }
            length("bias", layer.bias.len(), outputs, each);
            layer.scales = vec![Scale::reciprocal(1); outputs];
        }
        LayerKind::AveragePool2d => {
            layer.scales = vec![Scale::reciprocal(window); outputs];
        }
        LayerKind::WeightedSum => {
            length("factors", layer.weights.len(), count, "one for each input");
        }
        LayerKind::Conv2d | LayerKind::FullyConnected => {
            let product = format!("{outputs} outputs of {taps} weights");
            length("weights", layer.weights.len(), outputs * taps, &product);
            length("bias", layer.bias.len(), outputs, each);
        }
        _ => {}
    }
    let lists = file.multiplier.as_ref().zip(file.shift.as_ref());
    if let Some((multipliers, shifts)) = lists.filter(|_| !host_values::has_own(kind)) {
        let one =
            matches!(kind, LayerKind::Matmul(_)) && multipliers.len() == 1 && shifts.len() == 1;
        let expected = if one { 1 } else { outputs };
        length("multiplier", multipliers.len(), expected, each);
        length("shift", shifts.len(), expected, each);
        layer.scales = scales(multipliers, shifts, &format!("{at}."), faults);
        if let (true, &[scale]) = (one, &layer.scales[..]) {
            layer.scales = vec![scale; outputs];
        }
    }
    if layer.min > layer.max {
        let message = format!(
            "is {}, expected at most activation_max, {}",
            layer.min, layer.max
        );
        push(faults, &format!("{at}.activation_min"), message);
    }
    layer
}

/// Biases and scales of a product: one, or as many as the result has columns.
fn matmul_scales(file: &LayerFile, columns: usize) -> usize {
    let lists = [
        file.bias.as_ref().map_or(1, Vec::len),
        file.multiplier.as_ref().map_or(1, Vec::len),
        file.shift.as_ref().map_or(1, Vec::len),
    ];
    match lists {
        [1, 1, 1] => 1,
        _ => columns,
    }
}

/// The scales of all channels that have both a multiplier and a shift.
pub(super) fn scales(
    multipliers: &[i32],
    shifts: &[i32],
    at: &str,
    faults: &mut Vec<Fault>,
) -> Vec<Scale> {
    let mut scales = Vec::new();
    for (i, (multiplier, shift)) in multipliers.iter().zip(shifts).enumerate() {
        match Scale::new(*multiplier, *shift) {
            Ok(scale) => scales.push(scale),
            Err(fault) => faults.push(Fault {
                line: None,
                field: format!("{at}{}[{i}]", fault.field),
                message: fault.message.replacen(
                    &fault.field,
                    &format!("{at}{}[{i}]", fault.field),
                    1,
                ),
            }),
        }
    }
    scales
}

/// Largest window of a mean: 255 times as much is less than 2^31.
pub(super) const WINDOW_MAX: usize = (i32::MAX / 255) as usize;

/// No sum may leave 32 bits: |bias| + 255 * sum of |w| < 2^31, because an operand is x - z.
fn check_sums(layer: &Layer, at: &str, faults: &mut Vec<Fault>) {
    let taps = layer.taps();
    for (channel, bias) in layer.bias.iter().enumerate() {
        let (field, weights) = match layer.kind {
            LayerKind::MaxPool2d | LayerKind::Table => return,
            LayerKind::AveragePool2d => return check_window(layer, at, faults),
            LayerKind::Matmul(_) => return check_product(layer, at, faults),
            LayerKind::WeightedSum => ("factors", Some(&layer.weights[..])),
            _ => ("weights", layer.weights.chunks_exact(taps).nth(channel)),
        };
        let weights = weights.unwrap_or_default();
        let sum: i64 = weights.iter().map(|w| i64::from(w.unsigned_abs())).sum();
        let bound = i64::from(bias.unsigned_abs()) + 255 * sum;
        if bound >= 1 << 31 {
            let message = format!(
                "of layer {:?} is {bias}: |bias| + 255 * sum of |{field}| is {bound}, expected \
                 less than 2147483648",
                layer.name
            );
            push(faults, &format!("{at}.bias[{channel}]"), message);
        }
    }
}

/// No sum of a window may leave 32 bits.
fn check_window(layer: &Layer, at: &str, faults: &mut Vec<Fault>) {
    let [height, width] = layer.kernel;
    if layer.taps() > WINDOW_MAX {
        let message = format!(
            "is {height} x {width}, expected at most {WINDOW_MAX} places: their sum has 32 bits"
        );
        push(faults, &format!("{at}.kernel"), message);
    }
}

/// No sum of a product may leave 32 bits: a factor less its zero point is at most 255, a weight at most 128.
fn check_product(layer: &Layer, at: &str, faults: &mut Vec<Fault>) {
    let terms = layer.taps() as i64;
    let second = if layer.inputs.len() > 1 { 255 } else { 128 };
    for (column, bias) in layer.bias.iter().enumerate() {
        let bound = i64::from(bias.unsigned_abs()) + terms * 255 * second;
        if bound >= 1 << 31 {
            let message = format!(
                "of layer {:?} is {bias}: |bias| + {terms} * 255 * {second} is {bound}, expected less than \
                 2147483648",
                layer.name
            );
            push(faults, &format!("{at}.bias[{column}]"), message);
        }
    }
}

fn check_images(network: &Network, output: Option<Shape>, faults: &mut Vec<Fault>) {
    let (images, labels) = (&network.images, &network.labels);
    let expected = network.image_elements();
    if let Some((i, image)) = images.iter().enumerate().find(|(_, m)| m.len() != expected) {
        let parts = network.inputs().map(|input| {
            let (shape, _) = network.tensor(input);
            format!(
                "{} channels of {} x {}",
                shape.channels, shape.height, shape.width
            )
        });
        let parts: Vec<String> = parts.collect();
        let message = format!(
            "has length {}, expected {expected}: {}",
            image.len(),
            parts.join(", then ")
        );
        push(faults, &format!("test.images[{i}]"), message);
    }
    if !labels.is_empty() && labels.len() != images.len() {
        let message = format!(
            "has length {}, expected {}, one for each image, or 0",
            labels.len(),
            images.len()
        );
        push(faults, "test.labels", message);
    }
    let last = network.layers.last();
    let classes = match last.and_then(|layer| Some((layer, layer.kind.places()?))) {
        Some((layer, axis)) => Some(layer.input.sides()[axis.index()] as usize),
        None => output.map(Shape::elements),
    };
    let Some(classes) = classes else {
        return;
    };
    let wrong = |label: &u32| *label as usize >= classes;
    if let Some(i) = labels.iter().position(wrong) {
        let message = format!("is {}, expected 0 to {}", labels[i], classes - 1);
        push(faults, &format!("test.labels[{i}]"), message);
    }
}
