//! From a network file to a network: the graph, its names and its images. What is said of one layer, [`ops`](crate::ops) checks.

use std::collections::BTreeSet;

use heddle_arch::fault::{Fault, push};

use crate::draft::Draft;
use crate::file::{FurtherInputFile, LayerFile, NetworkFile};
use crate::name::{INPUT_NAME, NAME, is_name};
use crate::{Input, Layer, Network, Shape, Table, state};

/// A tensor that layers can read.
struct Tensor {
    name: String,
    /// None if the layer that makes it is faulty.
    shape: Option<(Shape, i8)>,
    /// The kind that makes it, if its elements are places, which no layer reads.
    places: Option<&'static str>,
    /// A layer reads it.
    read: bool,
}

impl Tensor {
    fn new(name: String, made: Option<&Layer>, places: Option<&'static str>) -> Tensor {
        Tensor {
            name,
            shape: made.map(|layer| (layer.output, layer.output_zero_point)),
            places,
            read: false,
        }
    }
}

/// Builds the network, or lists its faults. What reads the output of a layer without a shape is not
/// looked at.
pub(super) fn build(file: NetworkFile) -> Result<Network, Vec<Fault>> {
    let mut faults = Vec::new();
    check_name(&file.name, "name", &mut faults);
    let (input, zero_point) = (file.input.shape(), file.input.zero_point);
    check_elements(input, "input", &mut faults);
    let mut names = BTreeSet::from([INPUT_NAME.to_string()]);
    let mut tensors = vec![Tensor {
        name: INPUT_NAME.to_string(),
        shape: Some((input, zero_point)),
        places: None,
        read: false,
    }];
    let mut layers: Vec<Layer> = Vec::new();
    let mut new_name = |name: &str, at: &str, faults: &mut Vec<Fault>| {
        check_name(name, at, faults);
        if !names.insert(name.to_string()) {
            let message = format!("is {name:?}, expected another name than all others");
            push(faults, at, message);
        }
    };
    let further = file.further_inputs.len();
    let scales = state::scales(&file);
    for (i, input) in file.further_inputs.into_iter().enumerate() {
        let at = format!("further_inputs[{i}].name");
        new_name(&input.name, &at, &mut faults);
        check_elements(
            input.input.shape(),
            &format!("further_inputs[{i}]"),
            &mut faults,
        );
        let layer = further_input(input);
        tensors.push(Tensor::new(layer.name.clone(), Some(&layer), None));
        layers.push(layer);
    }
    for (i, layer) in file.layers.into_iter().enumerate() {
        let at = format!("layers[{i}]");
        let (name, places) = (layer.name.clone(), layer.kind.makes_places());
        new_name(&name, &format!("{at}.name"), &mut faults);
        let made = build_layer(layer, &at, &mut tensors, &mut faults);
        tensors.push(Tensor::new(name, made.as_ref(), places));
        layers.extend(made);
    }
    let output = tensors.last().and_then(|tensor| tensor.shape);
    let mut outputs = outputs(file.outputs, &mut tensors, &mut faults);
    let known = tensors.iter().zip(scales);
    let known = known.map(|(tensor, scale)| (tensor.name.clone(), tensor.shape, scale));
    let known: Vec<_> = known.collect();
    let wanted = file.states.len();
    let states = state::build(file.states, &known, further, &outputs, &mut faults);
    for state in &states {
        tensors[state.output].read = true;
        if !outputs.contains(&state.output) {
            outputs.push(state.output);
        }
    }
    check_all_read(&tensors, further, outputs.is_empty(), &mut faults);
    let network = Network {
        name: file.name,
        input,
        input_zero_point: zero_point,
        layers,
        outputs,
        states,
        images: file.test.images.into_iter().map(|image| image.0).collect(),
        labels: file.test.labels,
    };
    // Without all states it is not known what an image has.
    if network.states.len() == wanted {
        check_images(&network, output.map(|(shape, _)| shape), &mut faults);
    }
    match faults.is_empty() {
        true => Ok(network),
        false => Err(faults),
    }
}

fn check_name(name: &str, at: &str, faults: &mut Vec<Fault>) {
    if !is_name(name) {
        push(faults, at, format!("is {name:?}, expected {NAME}"));
    }
}

/// A further input, as a layer that reads nothing.
fn further_input(file: FurtherInputFile) -> Layer {
    let shape = file.input.shape();
    Layer {
        groups: shape.channels,
        output_zero_point: file.input.zero_point,
        ..Layer::plain(file.name, Vec::new(), shape)
    }
}

/// `None` when the layer has no output shape; all other faults leave the layer in place so that
/// later layers are checked too.
fn build_layer(
    mut file: LayerFile,
    at: &str,
    tensors: &mut [Tensor],
    faults: &mut Vec<Fault>,
) -> Option<Layer> {
    let names = match file.inputs.take() {
        Some(names) => names,
        None => vec![tensors.last()?.name.clone()],
    };
    let (inputs, shapes) = inputs(&file, &names, at, tensors, faults)?;
    let first = inputs[0].zero_point;
    let mut draft = Draft {
        at,
        names,
        layer: Layer::plain(file.name, inputs, shapes[0]),
        shapes,
        faults,
    };
    let kind = file.kind.read(&mut draft)?;
    let mut layer = Layer {
        kind,
        ..draft.layer
    };
    check_elements(layer.output, at, faults)?;
    if let Some(zero_point) = file.output_zero_point {
        layer.output_zero_point = zero_point;
    }
    layer.table = file.table.map(|values| Table {
        zero_point: file.table_zero_point.unwrap_or(first),
        values,
    });
    if layer.min > layer.max {
        let (min, max) = (layer.min, layer.max);
        let message = format!("is {min}, expected at most activation_max, {max}");
        push(faults, &format!("{at}.activation_min"), message);
    }
    Some(layer)
}

/// None if a tensor has too many elements.
fn check_elements(shape: Shape, at: &str, faults: &mut Vec<Fault>) -> Option<()> {
    let most = Network::ELEMENTS_MAX;
    if shape.elements() > most {
        let message = format!("makes {shape}, expected at most {most} elements");
        push(faults, at, message);
        return None;
    }
    Some(())
}

/// Finds the inputs of a layer and their shapes. None if there is a fault, here or in a layer before.
fn inputs(
    file: &LayerFile,
    names: &[String],
    at: &str,
    tensors: &mut [Tensor],
    faults: &mut Vec<Fault>,
) -> Option<(Vec<Input>, Vec<Shape>)> {
    let mut found = Vec::new();
    let mut complete = true;
    for (i, name) in names.iter().enumerate() {
        let at = format!("{at}.inputs[{i}]");
        let Some(index) = tensors.iter().rposition(|tensor| tensor.name == *name) else {
            let message =
                format!("is {name:?}, expected {INPUT_NAME:?} or the name of a layer before");
            push(faults, &at, message);
            complete = false;
            continue;
        };
        tensors[index].read = true;
        if let Some(kind) = tensors[index].places {
            let message = format!(
                "is {name:?}, which is of {kind}: no layer reads it, it can only be an output of the network"
            );
            push(faults, &at, message);
            complete = false;
        }
        match tensors[index].shape {
            Some((shape, zero_point)) => found.push((
                Input {
                    tensor: index,
                    zero_point,
                },
                shape,
            )),
            None => complete = false,
        }
    }
    let reads = file.kind.reads();
    if !reads.count.contains(&names.len()) {
        let (least, most) = (reads.count.start(), reads.count.end());
        let expected = match least == most {
            true => least.to_string(),
            false => format!("{least} to {most}"),
        };
        let (found, kind, case) = (names.len(), file.kind.name(), reads.case);
        let message = format!("has length {found}, expected {expected} for {kind}{case}");
        push(faults, &format!("{at}.inputs"), message);
        return None;
    }
    complete.then(|| found.into_iter().unzip())
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

/// Each tensor has a reader; the first of them are inputs of the network.
fn check_all_read(tensors: &[Tensor], further: usize, no_outputs: bool, faults: &mut Vec<Fault>) {
    let unread = tensors.iter().enumerate();
    for (i, tensor) in unread.filter(|(_, tensor)| !tensor.read) {
        let (field, what) = match i.checked_sub(1) {
            None => ("input".to_string(), "input"),
            Some(input) if input < further => (format!("further_inputs[{input}]"), "input"),
            Some(layer) => (format!("layers[{}]", layer - further), "output"),
        };
        let way_out = match i <= further || no_outputs {
            true => "",
            false => ", and it is not among the outputs",
        };
        let message = format!("{:?}: no layer reads this {what}{way_out}", tensor.name);
        push(faults, &field, message);
    }
}

fn check_images(network: &Network, output: Option<Shape>, faults: &mut Vec<Fault>) {
    let (images, labels) = (&network.images, &network.labels);
    let expected = network.own_elements();
    if let Some((i, image)) = images.iter().enumerate().find(|(_, m)| m.len() != expected) {
        let parts = network
            .own_inputs()
            .map(|input| network.tensor(input).0.to_string());
        let parts: Vec<String> = parts.collect();
        let (found, parts) = (image.len(), parts.join(", then "));
        let message = format!("has length {found}, expected {expected}: {parts}");
        push(faults, &format!("test.images[{i}]"), message);
    }
    if !labels.is_empty() && labels.len() != images.len() {
        let (found, images) = (labels.len(), images.len());
        let message = format!("has length {found}, expected {images}, one for each image, or 0");
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
