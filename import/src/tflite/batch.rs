//! A batch of images: the network computes each of them by itself, one after another.

use super::constants::Sources;
use crate::fold::place;
use crate::model::{Element, Kind, Model, Operator, Tensor};

/// Operators that compute each image by itself, wherever the batch is their first dimension.
const APART: &str = "ABS ADD AVERAGE_POOL_2D CONV_2D DEPTHWISE_CONV_2D DEQUANTIZE ELU EXP GELU HARD_SWISH LEAKY_RELU LOG LOGISTIC \
    MAXIMUM MAX_POOL_2D MINIMUM MUL NEG PRELU QUANTIZE RELU RELU6 RELU_0_TO_1 RELU_N1_TO_1 RESHAPE RESIZE_BILINEAR RSQRT SOFTMAX \
    SQRT SQUARED_DIFFERENCE SUB TANH TRANSPOSE_CONV";

/// Makes of a network for a batch the one for an image, and gives the size of the batch. An operator that would mix images cannot run.
/// The batch is the first of three or four dimensions of every input.
pub fn divide(model: &mut Model<'_>, sources: &mut Sources) -> u32 {
    let sizes = model.inputs.iter().map(|&input| {
        let shape = &model.tensors[input].shape;
        if (3..=4).contains(&shape.len()) {
            shape[0]
        } else {
            1
        }
    });
    let batch = sizes.clone().max().unwrap_or(1);
    // Variables keep the images of a batch apart, which one after another would share them.
    if batch <= 1 || sizes.min() != Some(batch) || !model.states.is_empty() {
        return 1;
    }
    for index in 0..model.operators.len() {
        if let Some(reason) = mixes(model, &model.operators[index], batch) {
            let operator = &mut model.operators[index];
            operator.kind = Kind::Refused(reason);
            sources.retain(|output, _| !operator.outputs.contains(output));
        }
        divide_list(model, index, batch);
    }
    let places = model
        .operators
        .iter()
        .filter(|operator| matches!(operator.kind, Kind::ArgMax));
    let places: Vec<usize> = places
        .flat_map(|operator| operator.outputs.clone())
        .collect();
    for (index, tensor) in model.tensors.iter_mut().enumerate() {
        let is_result = tensor.data.is_none() && carries(&tensor.shape, batch) && !is_list(tensor);
        if is_result || places.contains(&index) {
            tensor.shape[0] /= batch;
        }
    }
    batch
}

/// The shape of its output that an operator reads, as one image has it.
fn divide_list(model: &mut Model<'_>, index: usize, batch: u32) {
    let operator = &model.operators[index];
    let place = match operator.kind {
        Kind::Reshape => 1,
        Kind::TransposeConvolution(_) => 3,
        _ => return,
    };
    let Some(list) = operator.inputs.get(place).copied().flatten() else {
        return;
    };
    let Some(mut sizes) = model.tensors[list].int32() else {
        return;
    };
    if let Some(first) = sizes
        .first_mut()
        .filter(|first| **first % batch as i32 == 0)
    {
        *first /= batch as i32;
    }
    let mut tensor = model.tensors[list].clone();
    tensor.data = Some(sizes.iter().flat_map(|size| size.to_le_bytes()).collect());
    model.operators[index].inputs[place] = Some(model.tensors.len());
    model.tensors.push(tensor);
}

/// Whether a tensor has sizes of others.
fn is_list(tensor: &Tensor) -> bool {
    matches!(tensor.element, Element::Int32 | Element::Other("int64"))
}

/// Whether the images of a tensor lie one behind the other.
fn carries(shape: &[u32], batch: u32) -> bool {
    shape.len() >= 2 && shape[0] % batch == 0
}

/// Why an operator does not compute each image by itself, as far as this can be seen.
fn mixes(model: &Model<'_>, operator: &Operator, batch: u32) -> Option<String> {
    let refused = |what: &str| {
        Some(format!(
            "{what} of a batch of {batch}, expected images that do not depend on each other: convert the network with a batch of 1"
        ))
    };
    let results = || {
        let read = operator.inputs.iter().flatten();
        let read = read.filter(|&&index| model.tensors[index].data.is_none());
        let all = read
            .chain(&operator.outputs)
            .map(|&index| &model.tensors[index]);
        all.filter(|tensor| !is_list(tensor))
            .map(|tensor| &tensor.shape[..])
    };
    let rank = results().next().map(<[u32]>::len)?;
    let list = |number: usize| {
        let index = operator.inputs.get(number).copied().flatten()?;
        model.tensors[index].integers()
    };
    let is_batch = |axis: i32| place(axis.into(), rank) == Ok(0);
    let word = operator.name.split(' ').next().unwrap_or_default();
    let joins = match word {
        _ if APART.split(' ').any(|name| name == word) => false,
        // Weights that are a result have no batch.
        "FULLY_CONNECTED" => operator
            .inputs
            .iter()
            .skip(1)
            .flatten()
            .any(|&index| model.tensors[index].data.is_none()),
        "BATCH_MATMUL" => rank < 3,
        "ARG_MAX" | "MEAN" | "REDUCE_MAX" | "REDUCE_MIN" => {
            list(1).is_none_or(|axes| axes.into_iter().any(is_batch))
        }
        "PAD" | "PADV2" => {
            list(1).is_none_or(|amounts| amounts.iter().take(2).any(|&amount| amount != 0))
        }
        "TRANSPOSE" => list(1).is_none_or(|order| order.first() != Some(&0)),
        "CONCATENATION" => match operator.kind {
            Kind::Concat(axis) => is_batch(axis),
            _ => true,
        },
        _ => true,
    };
    if joins {
        return refused("mixes images");
    }
    let is_view = matches!(operator.kind, Kind::Reshape);
    if !results().all(|shape| carries(shape, batch)) {
        return refused("reads or makes a tensor that has not the images");
    }
    let changes = !is_view && word != "FULLY_CONNECTED" && !operator.kind.leaves_out();
    (changes && results().any(|shape| shape.len() != rank))
        .then(|| refused("reads tensors of several numbers of dimensions"))
        .flatten()
}
