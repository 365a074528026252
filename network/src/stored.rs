//! Weights that lie in another file: `"weights": {"file": "net.safetensors", "tensor": "conv1.w"}`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::file::NetworkFile;
use super::{Network, build, form};
use heddle_arch::fault::{ConfigErrors, Fault, push};
use heddle_arch::json::{self, Document};

/// Where the weights of a layer lie.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoredFile {
    /// Name of a .safetensors file in the folder of the network file.
    #[schemars(length(min = 1, max = 255))]
    pub file: String,
    /// Name of a tensor in it: int8, in the shape that the weights of the layer have.
    #[schemars(length(min = 1, max = 255))]
    pub tensor: String,
}

/// A tensor of int8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTensor {
    /// Sizes, the last of which moves fastest.
    pub shape: Vec<usize>,
    /// As many elements.
    pub values: Vec<i8>,
}

/// What reads a tensor, or says why it cannot be had.
pub type ReadStored<'a> = &'a mut dyn FnMut(&StoredFile) -> Result<StoredTensor, String>;

/// Reads a network, whose weights may lie in other files.
pub(super) fn read(text: &str, read: ReadStored<'_>) -> Result<Network, ConfigErrors> {
    let mut document = Document::parse(text)?;
    let mut faults = Vec::new();
    form::update(&mut document.value);
    let stored = take(&mut document.value, &mut faults);
    faults.extend(document.check(form::schema()));
    let mut file: NetworkFile = document.read(faults)?;
    let (mut faults, mut found) = (Vec::new(), Vec::new());
    for (layer, stored) in stored {
        match read(&stored) {
            Ok(tensor) => {
                if let Some(weights) = file.layers[layer].kind.weights_mut() {
                    *weights = tensor.values;
                }
                found.push((layer, stored, tensor.shape));
            }
            Err(message) => push(&mut faults, &field(layer), message),
        }
    }
    if !faults.is_empty() {
        return Err(document.errors(faults));
    }
    let inputs = file.further_inputs.len();
    let network = build::build(file).map_err(|faults| document.errors(faults))?;
    for (layer, StoredFile { file, tensor }, shape) in found {
        let expected = network.layers[inputs + layer].weight_shape();
        if shape != expected {
            let message = format!(
                "is {tensor:?} of {file:?}, whose shape is {shape:?}, expected {expected:?}"
            );
            push(&mut faults, &field(layer), message);
        }
    }
    match faults.is_empty() {
        true => Ok(network),
        false => Err(document.errors(faults)),
    }
}

/// The text of a network file: weights of layers that have a place in another file are named there.
///
/// # Errors
/// If the network cannot be written as JSON.
pub fn write(network: &NetworkFile, stored: &[Option<StoredFile>]) -> serde_json::Result<String> {
    if stored.iter().all(Option::is_none) {
        return serde_json::to_string(network);
    }
    let mut network = network.clone();
    for (layer, _) in network
        .layers
        .iter_mut()
        .zip(stored)
        .filter(|(_, stored)| stored.is_some())
    {
        layer.kind.weights_mut().map(std::mem::take);
    }
    let mut value = serde_json::to_value(&network)?;
    for (layer, stored) in stored.iter().enumerate() {
        if let Some(stored) = stored {
            value["layers"][layer]["weights"] = json!(stored);
        }
    }
    serde_json::to_string(&value)
}

/// The schema of network files, whose weights are a list or lie in another file.
pub(super) fn schema() -> Value {
    let mut schema = form::schema().clone();
    let kinds = schema.pointer_mut("/properties/layers/items/oneOf");
    for kind in kinds.and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(weights) = kind.pointer_mut("/properties/weights") else {
            continue;
        };
        let mut list = weights.take();
        let description = list["description"].take();
        *weights = json!({
            "description": description,
            "anyOf": [list, json::schema_of::<StoredFile>()],
        });
    }
    schema
}

/// Takes the places of weights out of a document: an empty list remains.
fn take(document: &mut Value, faults: &mut Vec<Fault>) -> Vec<(usize, StoredFile)> {
    let schema = json::schema_of::<StoredFile>();
    let layers = document.get_mut("layers").and_then(Value::as_array_mut);
    let mut found = Vec::new();
    for (number, layer) in layers.into_iter().flatten().enumerate() {
        let weights = layer
            .get_mut("weights")
            .filter(|weights| weights.is_object());
        let Some(weights) = weights else { continue };
        let weights = std::mem::replace(weights, json!([]));
        let before = faults.len();
        json::check_at(&weights, &schema, &field(number), faults);
        if let (true, Ok(stored)) = (faults.len() == before, serde_json::from_value(weights)) {
            found.push((number, stored));
        }
    }
    found
}

fn field(layer: usize) -> String {
    format!("layers[{layer}].weights")
}
