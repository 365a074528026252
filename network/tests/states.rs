//! Tensors that a network keeps from one image to the next.

use heddle_network::Network;
use serde_json::{Value, json};

/// A running sum of two channels, and a copy of the input that nothing but the next image reads.
fn counter() -> Value {
    let sides = json!({ "channels": 2, "height": 1, "width": 1, "zero_point": 3, "scale": 0.5 });
    let further = |name: &str| {
        let mut input = sides.clone();
        input["name"] = json!(name);
        input
    };
    let sum = |name: &str, inputs: [&str; 2]| {
        json!({
            "kind": "weighted_sum", "name": name, "inputs": inputs, "factors": [1, 1], "output_zero_point": 3,
            "output_scale": 0.5, "rounding": "double", "multiplier": [1 << 30, 1 << 30], "shift": [1, 1], "activation_min": -128, "activation_max": 127,
        })
    };
    json!({
        "format": "heddle-network-2", "name": "counter", "input": sides,
        "further_inputs": [further("sum"), further("last")],
        "layers": [
            sum("next", ["input", "sum"]), sum("output", ["next", "last"]),
            { "kind": "reshape", "name": "copy", "inputs": ["input"], "output_shape": [2, 1, 1] },
        ],
        "outputs": ["output"],
        "states": [{ "input": "sum", "output": "next", "initial": [4, 5] }, { "input": "last", "output": "copy" }],
        "test": { "images": [[5, 6], [1, 2]], "labels": [] },
    })
}

#[test]
fn images_find_what_the_ones_before_have_left() {
    let network = Network::from_json(&counter().to_string()).expect("a network");
    assert_eq!((network.image_elements(), network.own_elements()), (6, 2));
    assert_eq!(network.own_outputs().collect::<Vec<_>>(), [4]);
    assert_eq!(network.outputs, [4, 3, 5]);
    let mut states = network.initial_states();
    assert_eq!(states, [[4, 5], [3, 3]]);
    let outputs = network.images.iter().map(|image| {
        let made = network.run(&network.with_states(image, &states));
        let made = made.expect("values");
        states = network.kept(&made);
        made[3].values.clone()
    });
    assert_eq!(outputs.collect::<Vec<_>>(), [[6, 8], [6, 10]]);
    assert_eq!(states, [[4, 7], [1, 2]]);
}

#[test]
fn every_fault_of_a_state_is_explained() {
    let cases = [
        ("/states/0/input", json!("input")),
        ("/states/0/input", json!("next")),
        ("/states/0/input", json!("last")),
        ("/states/0/output", json!("sum")),
        ("/states/0/output", json!("none")),
        ("/states/0/initial", json!([1])),
        ("/states/0/initial", json!([1, 200])),
        ("/states/0/name", json!("sum")),
        ("/states", json!({})),
        ("/further_inputs/0/zero_point", json!(2)),
        ("/further_inputs/0/scale", json!(0.25)),
        ("/further_inputs/0/channels", json!(1)),
        ("/test/images/0", json!([1, 2, 3, 4, 5, 6])),
    ];
    let reports = cases.map(|(pointer, value)| {
        let mut network = counter();
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        match network.pointer_mut(parent).expect("a place") {
            Value::Object(fields) => drop(fields.insert(key.to_string(), value.clone())),
            list => list[key.parse::<usize>().expect("an index")] = value.clone(),
        }
        let found = Network::from_json(&network.to_string());
        let text = found.map_or_else(|errors| errors.to_string(), |_| "accepted".to_string());
        format!("{pointer} = {value}\n{text}\n")
    });
    insta::assert_snapshot!(reports.join("\n"));
}

#[test]
fn states_are_no_larger_than_a_machine_needs() {
    let mut network = counter();
    for sides in ["/input", "/further_inputs/0", "/further_inputs/1"] {
        let sides = network.pointer_mut(sides).expect("an input");
        (sides["height"], sides["width"]) = (json!(4096), json!(4096));
    }
    network["layers"][2]["output_shape"] = json!([2, 4096, 4096]);
    network["test"]["images"] = json!([]);
    network["states"][0] = json!({ "input": "sum", "output": "next" });
    let errors = Network::from_json(&network.to_string()).expect_err("too large");
    assert!(
        errors
            .to_string()
            .contains("expected at most 16777216 elements of all states"),
        "{errors}"
    );
}
