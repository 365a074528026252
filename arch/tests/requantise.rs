//! Requantisation against vectors computed with Python integers (`models/requant_vectors.py`).

use heddle_arch::requantise::{Rounding, Scale, quantise_output};
use serde_json::Value;

#[test]
fn all_vectors_agree() {
    let vectors: Vec<Value> =
        serde_json::from_str(include_str!("data/requantise.json")).expect("vectors are JSON");
    assert!(vectors.len() > 2000, "{} vectors", vectors.len());
    for vector in &vectors {
        let number = |key: &str| vector[key].as_i64().expect("a number");
        let small = |key: &str| i8::try_from(number(key)).expect("an int8");
        let rounding = match vector["rounding"].as_str() {
            Some("double") => Rounding::Double,
            Some("single") => Rounding::Single,
            other => panic!("rounding {other:?}"),
        };
        let scale = Scale::new(number("multiplier") as i32, number("shift") as i32);
        let found = quantise_output(
            i32::try_from(number("acc")).expect("an int32"),
            scale.expect("a legal scale"),
            rounding,
            small("zero_point"),
            small("min"),
            small("max"),
        );
        assert_eq!(found, small("expected"), "{vector}");
    }
}
