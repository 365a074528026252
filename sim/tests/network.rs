//! The golden networks: requantisation against Python integers, layers against sums by hand.

use heddle_arch::requantise::{Rounding, Scale, quantise_output};
use heddle_network::Network;
use heddle_sim::network::requantise::output_value;
use heddle_sim::network::{NetworkError, class_of, run};
use heddle_sim::post;
use serde_json::Value;

fn read(path: &str) -> String {
    let path = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn requantisation_agrees_with_python_integers() {
    let vectors: Vec<Value> =
        serde_json::from_str(&read("arch/tests/data/requantise.json")).unwrap();
    assert!(vectors.len() > 2000);
    for vector in &vectors {
        let int = |name: &str| {
            let value = vector[name]
                .as_i64()
                .unwrap_or_else(|| panic!("{name} of {vector}"));
            i32::try_from(value).unwrap()
        };
        let byte = |name: &str| i8::try_from(int(name)).unwrap();
        let rounding = match vector["rounding"].as_str() {
            Some("double") => Rounding::Double,
            _ => Rounding::Single,
        };
        let found = output_value(
            int("acc"),
            Scale::new(int("multiplier"), int("shift")).unwrap(),
            rounding,
            byte("zero_point"),
            byte("min"),
            byte("max"),
        );
        assert_eq!(found, byte("expected"), "{vector}");
    }
}

/// Every layer and scaling that `models/litert_vectors.py` has recorded from the reference kernels.
#[test]
fn layers_give_what_the_reference_kernels_gave() {
    let file: Value = serde_json::from_str(&read("arch/tests/data/litert.json")).unwrap();
    assert_eq!(file["resolver"], "BUILTIN_REF");
    let bytes = |value: &Value| -> Vec<i8> { serde_json::from_value(value.clone()).unwrap() };
    let mut ran = std::collections::BTreeMap::new();
    for case in file["cases"].as_array().unwrap() {
        let network = Network::from_json(&case["network"].to_string()).unwrap();
        let layer = &case["network"]["layers"][0];
        let (name, expected) = (layer["name"].as_str().unwrap(), bytes(&case["expected"]));
        let outputs = run(&network, &bytes(&case["image"])).unwrap();
        let differ = |found: &[i8]| found.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(outputs[0].values.len(), expected.len(), "{name}");
        assert_eq!(differ(&outputs[0].values), None, "{name}");
        *ran.entry(name.split('_').next().unwrap()).or_insert(0) += expected.len();
        if !name.starts_with("requantise") {
            continue;
        }
        // The sums of these are their biases: the other two forms of the scaling, too.
        let single = layer["rounding"] == "single";
        let rounding = [Rounding::Double, Rounding::Single][usize::from(single)];
        let byte = |key: &str| layer[key].as_i64().unwrap() as i8;
        let (zero_point, low) = (byte("output_zero_point"), byte("activation_min"));
        for (at, &expected) in expected.iter().enumerate() {
            let int = |key: &str| layer[key][at].as_i64().unwrap() as i32;
            let (acc, multiplier, shift) = (int("bias"), int("multiplier"), int("shift"));
            let text = format!("{acc} * {multiplier} * 2^({shift} - 31), {rounding:?}");
            let scale = Scale::new(multiplier, shift).unwrap();
            let found = quantise_output(acc, scale, rounding, zero_point, low, i8::MAX);
            assert_eq!(found, expected, "arch: {text}");
            let scaled = post::requantise(acc, post::Scale { multiplier, shift }, single);
            let found = (scaled + i64::from(zero_point)).clamp(low.into(), 127);
            assert_eq!(found, i64::from(expected), "post: {text}");
        }
    }
    assert!(ran["requantise"] > 3000 && ran["fully"] > 30, "{ran:?}");
    assert!(
        ran["convolution"] > 200 && ran["depthwise"] > 140,
        "{ran:?}"
    );
}

/// One 2 x 3 input channel with zero point 1, a 2 x 2 kernel padded on the left and below, stride
/// (1, 2), then a fully connected layer.
const NETWORK: &str = r#"{
  "format": "heddle-network-1", "name": "hand",
  "input": {"channels": 1, "height": 2, "width": 3, "zero_point": 1, "scale": 1.0},
  "layers": [
    {"kind": "conv2d", "name": "conv", "output_channels": 1, "kernel": [2, 2], "stride": [1, 2],
     "padding": {"top": 0, "bottom": 1, "left": 1, "right": 0},
     "weights": [1, 10, -1, 2], "bias": [3], "multiplier": [1073741824], "shift": [1],
     "rounding": "double", "output_zero_point": -2, "activation_min": -20, "activation_max": 100,
     "output_scale": 1.0},
    {"kind": "fully_connected", "name": "fc", "output_features": 2,
     "weights": [1, 0, 0, 0, 1, 2, 3, 4], "bias": [0, 0],
     "multiplier": [1073741824, 1073741824], "shift": [1, 0],
     "rounding": "single", "output_zero_point": 0, "activation_min": -128, "activation_max": 127,
     "output_scale": 1.0}
  ]
}"#;

#[test]
fn layers_agree_with_sums_by_hand() {
    let network = Network::from_json(NETWORK).unwrap();
    // Operands x - 1:   2 3 -1
    //                   0 4  5
    let outputs = run(&network, &[3, 4, 0, 1, 5, 6]).unwrap();
    // Row 0: 3 + 10*2 + 2*0 = 23; 3 + 1*3 - 10*1 - 1*4 + 2*5 = 2. Row 1 (padded below): 3 + 10*0 = 3;
    // 3 + 1*4 + 10*5 = 57. Minus 2 each for the zero point.
    assert_eq!(outputs[0].values, [21, 0, 1, 55]);
    // Operands 23, 2, 3, 57: 23; (23 + 4 + 9 + 228) / 2 = 132, clamped.
    assert_eq!(outputs[1].values, [23, 127]);
    assert_eq!(class_of(&outputs[1].values), Some(1));
    let error = run(&network, &[0; 5]).unwrap_err();
    assert_eq!(
        error,
        NetworkError::ImageLength {
            found: 5,
            expected: 6
        }
    );
}

#[test]
fn the_first_of_equal_outputs_is_the_class() {
    assert_eq!(class_of(&[3, 7, 7, -1]), Some(1));
    assert_eq!(class_of(&[]), None);
}

/// Products and transposes of an input of one matrix, 2 x 3, with zero point 1.
fn matrices(layers: &Value) -> Vec<Vec<i8>> {
    let network = serde_json::json!({
        "format": "heddle-network-1", "name": "hand",
        "input": {"channels": 1, "height": 2, "width": 3, "zero_point": 1, "scale": 1.0},
        "layers": layers,
    });
    let network = Network::from_json(&network.to_string()).unwrap();
    let outputs = run(&network, &[2, 3, 4, 5, 6, 8]).unwrap();
    outputs.into_iter().map(|tensor| tensor.values).collect()
}

#[test]
fn products_by_hand() {
    let layers = serde_json::json!([
        // 1 2 3 and 4 5 7 times 1 -1, 0 2, 3 1, plus 10, plus the zero point 5.
        {"kind": "matmul", "name": "stored", "inputs": ["input"], "output_features": 2,
         "weights": [1, -1, 0, 2, 3, 1], "bias": [10], "output_zero_point": 5},
        // 20 16 and 35 23 transposed times 1 2 3 and 4 5 7.
        {"kind": "matmul", "name": "both", "inputs": ["stored", "input"], "transposed": [true, false],
         "multiplier": [1_073_741_824], "shift": [0]},
    ]);
    let found = matrices(&layers);
    assert_eq!(found[0], [25, 21, 40, 28]);
    assert_eq!(found[1], [80, 108, 127, 54, 74, 105]);

    // The same weights, as they lie when they are taken transposed; and the input times itself.
    let layers = serde_json::json!([
        {"kind": "matmul", "name": "stored", "inputs": ["input"], "output_features": 2,
         "transposed": [false, true], "weights": [1, 0, 3, -1, 2, 1]},
        {"kind": "matmul", "name": "square", "inputs": ["input", "input"], "transposed": [false, true],
         "activation_max": 60},
        {"kind": "matmul", "name": "all", "inputs": ["stored", "square"]},
    ]);
    let found = matrices(&layers);
    assert_eq!(found[0], [10, 6, 25, 13]);
    assert_eq!(found[1], [14, 35, 35, 60]);
    assert_eq!(found[2], [127, 127, 127, 127]);

    // A bias and a scale for each column, or one of them for both.
    let layers = serde_json::json!([
        {"kind": "matmul", "name": "columns", "inputs": ["input"], "output_features": 2,
         "weights": [1, -1, 0, 2, 3, 1], "bias": [10, -6],
         "multiplier": [1_073_741_824, 1_073_741_824], "shift": [1, 0]},
        {"kind": "matmul", "name": "bias", "inputs": ["input"], "output_features": 2,
         "weights": [1, -1, 0, 2, 3, 1], "bias": [1, 2]},
        {"kind": "matmul", "name": "both", "inputs": ["columns", "bias"], "transposed": [false, true],
         "multiplier": [1_073_741_824], "shift": [-3]},
    ]);
    let found = matrices(&layers);
    // Sums 10 6 and 25 13 of the weights alone; a half is rounded up.
    assert_eq!(found[0], [20, 0, 35, 4]);
    assert_eq!(found[1], [11, 8, 26, 15]);
    // 220, 520 and 417, 970 sixteenths.
    assert_eq!(found[2], [14, 33, 26, 61]);
}

#[test]
fn transposes_by_hand() {
    let layers = serde_json::json!([
        {"kind": "transpose", "name": "turned"},
        {"kind": "transpose", "name": "back", "permutation": [0, 1, 3, 2]},
        {"kind": "transpose", "name": "wide", "element_bytes": 3},
    ]);
    let found = matrices(&layers);
    assert_eq!(found[0], [2, 5, 3, 6, 4, 8]);
    assert_eq!(found[1], [2, 3, 4, 5, 6, 8]);
    // One column of two elements of three bytes becomes one row.
    assert_eq!(found[2], [2, 3, 4, 5, 6, 8]);
    let layers = serde_json::json!([
        {"kind": "transpose", "name": "front", "permutation": [3, 0, 1, 2]},
    ]);
    assert_eq!(matrices(&layers)[0], [2, 5, 3, 6, 4, 8]);
}
