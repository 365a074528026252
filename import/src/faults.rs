//! Faults of a network in the words of the file that it was made of: an operator has them, not a field of a layer.

use std::collections::BTreeMap;

use heddle_arch::fault::Fault;
use heddle_network::file::{KindFile, LayerFile};

use crate::report::{Import, Runs};

/// Puts each fault where it belongs: to the operator whose layer has it, or to the network as a whole.
pub fn place(found: &mut Import, faults: &[Fault]) {
    let mut of_layers: BTreeMap<usize, Vec<&Fault>> = BTreeMap::new();
    for fault in faults {
        match layer(&fault.field) {
            Some(number) => of_layers.entry(number).or_default().push(fault),
            None => found.faults.push(fault.message.clone()),
        }
    }
    for (number, faults) in of_layers {
        let network = found.network.as_ref();
        let Some(layer) = network.and_then(|network| network.layers.get(number)) else {
            found
                .faults
                .extend(faults.iter().map(|fault| fault.message.clone()));
            continue;
        };
        let reason = reason(layer, number, &faults);
        let name = layer.name.clone();
        let mut rows = found.rows.iter_mut();
        match rows.find(|row| row.layer.as_ref() == Some(&name)) {
            Some(row) => row.runs = Runs::Refused(reason),
            None => found.faults.push(format!("layer {name:?}: {reason}")),
        }
    }
}

/// The number of the layer that a field belongs to.
fn layer(field: &str) -> Option<usize> {
    let rest = field.strip_prefix("layers[")?;
    rest.split_once(']')?.0.parse().ok()
}

fn reason(layer: &LayerFile, number: usize, faults: &[&Fault]) -> String {
    let is_padding = |fault: &&&Fault| fault.field.contains("].padding.");
    let mut reasons = Vec::new();
    if faults.iter().any(|fault| is_padding(&fault)) {
        reasons.push(padding(layer));
    }
    let of_layer = format!(" of layer {:?}", layer.name);
    let before = format!("layers[{number}].");
    let others = faults.iter().filter(|fault| !is_padding(fault));
    reasons.extend(others.map(|fault| {
        let message = fault.message.replace(&of_layer, "");
        message
            .strip_prefix(&before)
            .unwrap_or(&message)
            .to_string()
    }));
    reasons.join("; ")
}

fn padding(layer: &LayerFile) -> String {
    let (window, dilation) = match &layer.kind {
        KindFile::Conv2d(file) => (&file.window, file.dilation),
        KindFile::AveragePool2d(file) => (&file.window, None),
        KindFile::MaxPool2d(file) => (&file.window, None),
        _ => return "pads by more than its kernel covers".to_string(),
    };
    let pads = window.padding.unwrap_or_default();
    let [height, width] = window.kernel;
    let dilated = match dilation {
        None | Some([1, 1]) => String::new(),
        Some([y, x]) => format!(" with dilation {y}, {x}"),
    };
    format!(
        "pads by {} above, {} below, {} left and {} right, expected less than its kernel of {height} x {width}{dilated} covers: \
         put the zeros into a pad operator in front of it",
        pads.top, pads.bottom, pads.left, pads.right
    )
}
