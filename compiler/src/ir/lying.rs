//! As which matrices layers read and make tensors.

use heddle_network::{Layer, LayerKind, Matmul, Matrices, Network, Permutation};

/// The matrices that a layer wants to read a tensor as, bytes as columns.
pub(super) fn wants(network: &Network, layer: &Layer, tensor: usize) -> Matrices {
    let shape = network.tensor(tensor).0;
    match layer.kind {
        LayerKind::Transpose(permutation) => bytes(permutation.matrices(shape), permutation),
        _ => Matrices::of(shape),
    }
}

/// Whether a layer can read a tensor that lies as these matrices.
pub(super) fn takes(network: &Network, layer: &Layer, tensor: usize, found: Matrices) -> bool {
    let wanted = wants(network, layer, tensor);
    match layer.kind {
        // With stored weights only the columns matter.
        LayerKind::Matmul(Matmul { transposed, .. }) if layer.inputs.len() == 1 => {
            found == wanted || (!transposed[0] && found.cols == wanted.cols)
        }
        _ => found == wanted,
    }
}

/// The matrices that a layer makes if its first input lies as these.
pub(super) fn makes(layer: &Layer, first: Matrices) -> Matrices {
    match layer.kind {
        LayerKind::Transpose(permutation) => {
            let elements = permutation.matrices(layer.input).transposed();
            bytes(elements, permutation)
        }
        LayerKind::Matmul(matmul) => Matrices {
            rows: match matmul.transposed[0] {
                true => first.cols,
                false => first.rows,
            },
            cols: layer.output.width,
            ..first
        },
        _ => unreachable!("other layers make planes"),
    }
}

/// The same with bytes instead of elements.
fn bytes(matrices: Matrices, permutation: Permutation) -> Matrices {
    Matrices {
        cols: matrices.cols * permutation.element_bytes,
        ..matrices
    }
}
