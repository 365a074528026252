//! Files whose weights and activations are not int8.

use crate::model::{Kind, Model, Operator};

/// Whether weights and activations are int8, as far as the first layer with weights tells.
///
/// # Errors
/// What they are, and the way to int8.
pub fn check_quantised(model: &Model<'_>) -> Result<(), String> {
    let weighted = |operator: &&Operator| {
        matches!(
            operator.kind,
            Kind::Convolution(_) | Kind::Depthwise(_) | Kind::FullyConnected
        )
    };
    let Some(operator) = model.operators.iter().find(weighted) else {
        return Ok(());
    };
    let element = |tensor: Option<&usize>| {
        tensor.map_or("int8", |&tensor| model.tensors[tensor].element.name())
    };
    let weights = element(operator.inputs.get(1).and_then(Option::as_ref));
    let activations = element(operator.outputs.first());
    let found = match (weights, activations) {
        ("int8", "int8") => return Ok(()),
        ("float32" | "float16", _) => format!("has weights of {weights}"),
        (_, "float32") => {
            format!("has weights of {weights}, but activations of float32 (dynamic range)")
        }
        _ => format!("has weights of {weights} and activations of {activations}"),
    };
    let name = operator.outputs.first();
    let name = name.map_or("", |&output| model.tensors[output].name);
    Err(format!(
        "{} ({name:?}): {found}, expected int8 for both: convert it with optimizations, a representative_dataset, \
         supported_ops = [TFLITE_BUILTINS_INT8] and inference_input_type = int8",
        operator.name
    ))
}
