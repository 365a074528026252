//! Faulty layers of matrices: every message names the field, its value and what is allowed.

use heddle_network::Network;
use heddle_network::{LayerKind, Matrices, Shape};
use serde_json::{Value, json};

/// A network of these layers, whose input has 2 channels of 3 x 4.
fn text(layers: &Value) -> String {
    let input = json!({"channels": 2, "height": 3, "width": 4, "zero_point": 0, "scale": 1.0});
    json!({"format": "heddle-network-1", "name": "n", "input": input, "layers": layers}).to_string()
}

/// Asserts that layers are refused; a row is the kind of a single layer, its other fields and the message.
#[track_caller]
pub fn refused(rows: &[&str]) {
    for row in rows {
        let (layer, message) = row.split_once(" -> ").expect("a layer and a message");
        let (kind, fields) = layer.split_once(' ').expect("a kind and fields");
        let mut layer: Value = serde_json::from_str(fields).expect("JSON");
        layer["kind"] = json!(kind);
        layer["name"] = json!("t");
        refused_layers(&json!([layer]), message);
    }
}

#[track_caller]
pub fn refused_layers(layers: &Value, message: &str) {
    let errors = Network::from_json(&text(layers)).expect_err("refused");
    assert!(errors.to_string().contains(message), "{errors}");
}

#[proves("PET-X4")]
#[test]
fn what_is_no_permutation_is_refused() {
    for axes in [[0, 0, 0, 0], [1, 2, 3, 3]] {
        refused(&[&format!(
            "transpose {{\"permutation\": {axes:?}}} -> layers[0].permutation is {axes:?}, expected"
        )]);
    }
    refused(&[
        r#"transpose {"permutation": [0, 1, 3]} -> layers[0].permutation"#,
        r#"transpose {"batch": 3} -> layers[0].batch is 3, expected a divisor of the 2 channels"#,
        r#"transpose {"element_bytes": 3} -> layers[0].element_bytes is 3, expected a divisor of the 4 bytes of a row"#,
        r#"transpose {"element_bytes": 9} -> layers[0].element_bytes is 9, expected"#,
        r#"transpose {"bias": [0]} -> layers[0].bias is not a field of transpose"#,
    ]);
}

#[test]
fn factors_that_do_not_belong_together_are_refused() {
    refused(&[
        r#"matmul {} -> layers[0].inputs has length 1, expected 2 for matmul without weights"#,
        r#"matmul {"inputs": ["input", "input"]} -> layers[0].inputs[1] has 3 rows, expected 4: the first factor is 3 x 4"#,
        r#"matmul {"inputs": ["input", "input"], "transposed": [true, true]} -> layers[0].inputs[1] has 4 rows when transposed, expected 3: the first factor is 4 x 3"#,
        r#"matmul {"inputs": ["input", "input"], "transposed": [false, true], "output_features": 3} -> layers[0].output_features is not a field of matmul without weights"#,
        r#"matmul {"weights": [1, 2, 3, 4]} -> layers[0].output_features is missing, required for matmul with weights"#,
        r#"matmul {"weights": [1, 2, 3], "output_features": 1} -> layers[0].weights has length 3, expected 4: 4 rows of 1 columns"#,
        r#"matmul {"weights": [1, 2, 3, 4], "output_features": 1, "inputs": ["input", "input"]} -> layers[0].inputs has length 2, expected 1 for matmul with weights"#,
        r#"matmul {"weights": [1, 2, 3, 4], "output_features": 1, "bias": [1, 2]} -> layers[0].bias has length 2, expected 1: one for the matrix, or one for each column"#,
        r#"matmul {"weights": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], "output_features": 3, "bias": [1, 2]} -> layers[0].bias has length 2, expected 3: one for the matrix, or one for each column"#,
        r#"matmul {"weights": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], "output_features": 3, "multiplier": [0, 0, 0], "shift": [0]} -> layers[0].shift has length 1, expected 3"#,
        r#"matmul {"weights": [1, 2, 3, 4], "output_features": 1, "shift": [0]} -> layers[0].multiplier is missing, required with shift"#,
        r#"matmul {"weights": [1, 2, 3, 4], "output_features": 1, "bias": [2147400000]} -> layers[0].bias[0] of layer "t" is 2147400000: |bias| + 4 * 255 * 128 is 2147530560, expected less than 2147483648"#,
        r#"matmul {"weights": [1, 2, 3, 4], "output_features": 1, "kernel": [1, 1]} -> layers[0].kernel is not a field of matmul"#,
    ]);
    // Matrices of other channels.
    let fewer = json!([
        {"kind": "transpose", "name": "a", "permutation": [1, 2, 3, 0], "batch": 2},
        {"kind": "matmul", "name": "b", "inputs": ["a", "input"]},
    ]);
    let message = "layers[1].inputs[1] has 2 channels, expected 3 as the first input has";
    refused_layers(&fewer, message);
}

#[test]
fn what_is_not_said_of_a_product_is_0_or_1() {
    let layers = json!([
        {"kind": "matmul", "name": "square", "inputs": ["input", "input"], "transposed": [false, true]},
        {"kind": "transpose", "name": "turned", "permutation": [0, 3, 1, 2]},
    ]);
    let network = Network::from_json(&text(&layers)).expect("legal");
    let [square, turned] = &network.layers[..] else {
        panic!("two layers");
    };
    assert_eq!((square.taps(), square.macs()), (4, 2 * 3 * 3 * 4));
    assert_eq!((&square.bias[..], square.scales.len()), (&[0][..], 1));
    assert_eq!(
        (square.min, square.max, square.output_zero_point),
        (-128, 127, 0)
    );
    let LayerKind::Transpose(permutation) = turned.kind else {
        panic!("a transpose");
    };
    let matrices = Matrices {
        count: 1,
        rows: 6,
        cols: 3,
    };
    assert_eq!(permutation.matrices(turned.input), matrices);
    assert_eq!(turned.macs(), 0);
    let shape = Shape {
        channels: 3,
        height: 2,
        width: 3,
    };
    assert_eq!(turned.output, shape);
}
