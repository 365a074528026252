//! Faulty networks: every message names line, field, value and what is allowed.

use std::collections::BTreeSet;

use heddle_network::file::NetworkFile;
use heddle_network::{LayerKind, Network, Shape, schema};
use serde_json::{Value, json};

fn tiny() -> Value {
    let text = include_str!("../../models/tiny.json");
    let mut network: Value = serde_json::from_str(text).expect("JSON");
    network["format"] = json!("heddle-network-2");
    network
}

/// Replaces (or with `null` removes) the field at a pointer of the tiny network.
fn changed(pointer: &str, value: &Value) -> String {
    let mut network = tiny();
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let parent = network.pointer_mut(parent).expect("a place in the network");
    match parent {
        Value::Object(fields) if value.is_null() => {
            fields.remove(key).expect("a field to remove");
        }
        Value::Object(fields) => {
            fields.insert(key.to_string(), value.clone());
        }
        list => list[key.parse::<usize>().expect("an index")] = value.clone(),
    }
    serde_json::to_string(&network).expect("JSON")
}

fn report(text: &str) -> String {
    match Network::from_json(text) {
        Ok(_) => "accepted".to_string(),
        Err(errors) => errors.to_string(),
    }
}

#[test]
fn every_fault_is_explained() {
    let cases = [
        ("/format", json!("heddle-network-3")),
        ("/format", json!(null)),
        ("/name", json!("")),
        ("/name", json!("tiny\u{1b}[31m")),
        ("/names", json!("tiny")),
        ("/input/channels", json!(0)),
        ("/input/channels", json!(3)),
        ("/input/height", json!(5000)),
        ("/input/zero_point", json!(128)),
        ("/input/zero_point", json!("0")),
        ("/input/scale", json!("0.1")),
        ("/layers", json!([])),
        ("/layers", json!(null)),
        ("/layers/0", json!(7)),
        ("/layers/0/kind", json!("conv3d")),
        ("/layers/0/name", json!("conv2")),
        ("/layers/0/name", json!("conv1\nhalt")),
        ("/layers/0/name", json!("conv\u{202e}1")),
        ("/layers/0/output_channels", json!(null)),
        ("/layers/0/output_channels", json!(6)),
        ("/layers/0/output_channels", json!(9223372036854775808u64)),
        ("/layers/0/output_features", json!(5)),
        ("/layers/0/kernel", json!(null)),
        ("/layers/0/kernel", json!([3])),
        ("/layers/0/kernel", json!([0, 3])),
        ("/layers/0/kernel", json!([9, 9])),
        ("/layers/0/stride", json!([0, 1])),
        ("/layers/0/stride", json!(1)),
        ("/layers/0/padding/top", json!(3)),
        ("/layers/0/padding/top", json!(-1)),
        ("/layers/0/padding/top", json!(null)),
        ("/layers/0/weights", json!(null)),
        ("/layers/0/weights", json!([])),
        ("/layers/0/weights", json!("AAAA")),
        ("/layers/0/weights/7", json!(128)),
        ("/layers/0/weights/7", json!(-129)),
        ("/layers/0/weights/7", json!(0.5)),
        ("/layers/0/bias", json!([1, 2, 3, 4])),
        ("/layers/0/bias/2", json!(2147483648u64)),
        ("/layers/0/bias/2", json!(2147483647)),
        ("/layers/0/bias/2", json!(-2147483648i64)),
        ("/layers/0/multiplier/0", json!(-1)),
        ("/layers/0/multiplier", json!([])),
        ("/layers/0/shift/0", json!(31)),
        ("/layers/0/shift/0", json!(-32)),
        ("/layers/0/shift", json!([0])),
        ("/layers/0/rounding", json!("half_even")),
        ("/layers/0/output_zero_point", json!(-129)),
        ("/layers/0/activation_min", json!(120)),
        ("/layers/0/activation_max", json!(200)),
        ("/layers/2/output_features", json!(null)),
        ("/layers/2/kernel", json!([1, 1])),
        ("/test/images/1", json!([1, 2, 3])),
        ("/test/images/1/0", json!(-200)),
        ("/test/labels", json!([0])),
        ("/test/labels/0", json!(3)),
        ("/test/labels/0", json!(-1)),
    ];
    let mut table = String::new();
    for (pointer, value) in &cases {
        let found = report(&changed(pointer, value));
        assert!(found != "accepted", "{pointer} = {value} is accepted");
        table += &format!(
            "{pointer} = {value}\n    {}\n",
            found.replace('\n', "\n    ")
        );
    }
    insta::assert_snapshot!(table);
}

/// A network of an add and a table.
fn sums() -> Value {
    json!({
        "format": "heddle-network-2",
        "name": "sums",
        "input": { "channels": 1, "height": 2, "width": 2, "zero_point": 3, "scale": 1.0 },
        "layers": [
            { "kind": "table", "name": "table", "table": (-128..128).collect::<Vec<i32>>(), "output_zero_point": 3, "output_scale": 1.0 },
            { "kind": "add", "name": "sum", "inputs": ["input", "table"], "input_multiplier": [1 << 30, 1 << 30],
              "input_shift": [0, 0], "multiplier": [1 << 30], "shift": [-18], "output_zero_point": 0,
              "activation_min": -128, "activation_max": 127, "output_scale": 1.0 },
        ],
    })
}

#[test]
fn every_fault_of_sums_and_tables_is_explained() {
    let cases = [
        ("0/table", json!([1, 2])),
        ("0/table/9", json!(128)),
        ("0/table_zero_point", json!(128)),
        ("0/multiplier", json!([1])),
        ("1/inputs", json!(["input"])),
        ("1/inputs", json!(["input", "table", "input"])),
        ("1/input_multiplier", json!([1])),
        ("1/input_multiplier/0", json!(-1)),
        ("1/input_shift/1", json!(1)),
        ("1/input_shift/1", json!(-32)),
        ("1/multiplier", json!([1, 1])),
        ("1/shift/0", json!(1)),
        ("1/rounding", json!("single")),
        ("1/factors", json!([1, 1])),
        ("1/subtract", json!(1)),
    ];
    assert_eq!(report(&sums().to_string()), "accepted");
    let mut table = String::new();
    for (place, value) in &cases {
        let mut network = sums();
        let (parent, field) = place.rsplit_once('/').expect("a pointer");
        let parent = network.pointer_mut(&format!("/layers/{parent}"));
        match parent.expect("a place in the network") {
            Value::Array(list) => list[field.parse::<usize>().expect("an index")] = value.clone(),
            fields => fields[field] = value.clone(),
        }
        let found = report(&network.to_string());
        assert!(found != "accepted", "{place} = {value} is accepted");
        table += &format!("{place} = {value}\n    {}\n", found.replace('\n', "\n    "));
    }
    insta::assert_snapshot!(table);
}

#[test]
fn an_add_of_version_1_is_a_weighted_sum() {
    let mut network = sums();
    network["format"] = json!("heddle-network-1");
    network["layers"][1] = json!({ "kind": "add", "name": "sum", "inputs": ["input", "table"], "factors": [1, -2],
        "multiplier": [1 << 30], "shift": [-18], "rounding": "single", "output_zero_point": 0,
        "activation_min": -128, "activation_max": 127, "output_scale": 1.0 });
    let read = Network::from_json(&network.to_string()).expect("valid");
    assert_eq!(
        (read.layers[1].kind, &read.layers[1].weights[..]),
        (LayerKind::WeightedSum, &[1, -2][..])
    );
    network["format"] = json!("heddle-network-2");
    assert!(report(&network.to_string()).contains("factors is not a field of add"));
}

#[test]
fn lines_are_those_of_the_file() {
    let text = include_str!("../../models/tiny.json");
    let from = "\"kernel\": [3,3]";
    let line = 1 + text.lines().position(|l| l.contains(from)).expect("a line");
    let found = report(&text.replacen(from, "\"kernel\": [3,99]", 1));
    let expected = "layers[0].kernel[1] is 99, expected at most the padded input, 8";
    assert_eq!(found, format!("line {line}: {expected}"));
}

#[test]
fn a_long_list_of_faults_is_shortened() {
    let layers: Vec<Value> = (0..50).map(|_| json!({})).collect();
    let found = report(&changed("/layers", &json!(layers)));
    assert_eq!(found.lines().count(), 21);
    assert!(found.ends_with("more faults"), "{found}");
}

/// A network of one pooling layer whose tensors are as large as the schema allows.
fn pooled(kernel: u32) -> String {
    let network = json!({
        "format": "heddle-network-1",
        "name": "pooled",
        "input": { "channels": 16, "height": 4096, "width": 4096, "zero_point": 0, "scale": 1.0 },
        "layers": [{ "kind": "average_pool2d", "name": "mean", "kernel": [kernel, kernel] }],
    });
    network.to_string()
}

#[test]
fn a_mean_holds_no_weights_and_its_window_is_limited() {
    let network = Network::from_json(&pooled(2048)).expect("valid");
    let mean = &network.layers[0];
    assert_eq!(mean.taps(), 2048 * 2048);
    assert_eq!((mean.weights.len(), mean.weight(7, 0, 5, 9)), (0, 1));
    let many = "makes 17 channels of 4096 x 4096, expected at most 268435456 elements";
    let text = pooled(2048).replace("\"channels\":16", "\"channels\":17");
    assert_eq!(report(&text), format!("line 1: input {many}"));
    assert_eq!(
        report(&pooled(4096)),
        "line 1: layers[0].kernel is 4096 x 4096, expected at most 8421504 places: their sum has 32 bits"
    );
}

#[test]
fn a_hundred_thousand_faults_are_not_collected() {
    let many = |item: &str| vec![item; 100_000].join(",");
    for text in [
        format!("{{\"layers\":[{}]}}", many("{}")),
        format!("{{{}}}", many("\"k\":0")),
    ] {
        let found = report(&text);
        assert_eq!(found.lines().count(), 21);
        let last = found.lines().last().expect("a line");
        assert!(last.starts_with("at least 9"), "{found}");
    }
}

#[test]
fn networks_are_read() {
    let network = Network::from_json(&tiny().to_string()).expect("valid");
    let shape = |channels, height, width| Shape {
        channels,
        height,
        width,
    };
    assert_eq!(network.input, shape(2, 5, 6));
    let [conv1, conv2, fc] = &network.layers[..] else {
        panic!("three layers");
    };
    assert_eq!(conv1.output, shape(5, 5, 6));
    assert_eq!(conv2.output, shape(6, 3, 5));
    assert_eq!(conv2.inputs[0].zero_point, conv1.output_zero_point);
    assert_eq!((fc.kind, fc.kernel), (LayerKind::FullyConnected, [3, 5]));
    assert_eq!(network.output(), shape(3, 1, 1));
    assert_eq!(conv1.weight(1, 0, 2, 1), conv1.weights[18 + 7]);
    assert_eq!(conv1.macs(), 5 * 30 * 18);
    assert_eq!(network.images.len(), network.labels.len());
}

#[test]
fn sums_at_the_edge_of_32_bits() {
    let sum: i64 = tiny()["layers"][0]["weights"].as_array().expect("weights")[..18]
        .iter()
        .map(|w| w.as_i64().expect("a number").abs())
        .sum();
    let largest = (1i64 << 31) - 1 - 255 * sum;
    for sign in [1, -1] {
        let good = changed("/layers/0/bias/0", &json!(sign * largest));
        assert_eq!(report(&good), "accepted");
        let bad = changed("/layers/0/bias/0", &json!(sign * (largest + 1)));
        assert!(report(&bad).contains("expected less than 2147483648"));
    }
}

/// The schema of each kind of layer.
fn kinds(schema: &Value) -> &Vec<Value> {
    let kinds = schema["properties"]["layers"]["items"]["oneOf"].as_array();
    kinds.expect("a schema for each kind")
}

#[test]
fn the_schema_explains_every_field() {
    let schema = schema();
    let objects = [&schema, &schema["properties"]["input"]];
    for object in kinds(&schema).iter().chain(objects) {
        assert!(object["description"].is_string(), "{object}");
        for (key, field) in object["properties"].as_object().expect("fields") {
            assert!(field["description"].is_string(), "{key}: {field}");
        }
    }
}

#[test]
fn the_schema_knows_the_patterns_of_names_and_the_fields_of_each_kind() {
    let schema = schema();
    let all = kinds(&schema);
    assert_eq!(all.len(), 25);
    let names = all.iter().map(|kind| &kind["properties"]["name"]);
    for name in names.chain([&schema["properties"]["name"]]) {
        let pattern = name["pattern"].as_str().expect("a pattern");
        assert!(pattern.starts_with(r"^[^\u0000-\u001f\u007f-\u009f") && pattern.is_ascii());
    }
    let fields = |kind: &Value| kind["properties"].as_object().expect("fields").clone();
    let foreign = |kind: &Value| {
        let others = all.iter().flat_map(fields);
        let others = others.filter(|(field, _)| kind["properties"].get(field).is_none());
        others.map(|(field, _)| field).collect::<BTreeSet<String>>()
    };
    for kind in all {
        assert_eq!(kind["additionalProperties"], false);
        let name = kind["properties"]["kind"]["const"]
            .as_str()
            .expect("a name");
        let layer = json!({ "kind": name });
        let mut strange = layer.clone();
        for field in foreign(kind) {
            strange[field] = json!(1);
        }
        let fields = |layer: &Value, end: &str| {
            let found = report(&changed("/layers/0", layer));
            let lines = found.lines().filter_map(|line| line.strip_suffix(end));
            let names = lines.filter_map(|line| line.rsplit('.').next());
            names.map(str::to_string).collect::<BTreeSet<String>>()
        };
        let strangers = fields(&strange, &format!(" is not a field of {name}"));
        let listed = foreign(kind).into_iter().take(20).collect();
        assert_eq!(strangers, listed, "{name}");
        let missing = fields(&layer, &format!(" is missing, required for {name}"));
        let required = kind["required"].as_array().expect("required fields");
        let required = required.iter().filter_map(Value::as_str).skip(1);
        assert_eq!(missing, required.map(str::to_string).collect(), "{name}");
    }
}

/// Nothing gets past the types of a file, whoever reads it.
#[test]
fn fields_of_other_kinds_are_refused_by_the_types_too() {
    let mut network = tiny();
    assert!(serde_json::from_value::<NetworkFile>(network.clone()).is_ok());
    network["layers"][0]["factors"] = json!([1, 1]);
    let refused = serde_json::from_value::<NetworkFile>(network).expect_err("refused");
    assert!(
        refused.to_string().contains("unknown field `factors`"),
        "{refused}"
    );
}

/// What is written is read as the same.
#[test]
fn a_network_file_is_written_as_it_was_read() {
    for text in [include_str!("../../models/tiny.json"), &sums().to_string()] {
        let read: NetworkFile = serde_json::from_str(text).expect("valid");
        let written = serde_json::to_value(&read).expect("JSON");
        let value: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(written["layers"], value["layers"]);
    }
}

#[test]
fn the_digits_network_is_valid() {
    let network = Network::from_json(include_str!("../../models/digits.json"));
    assert!(network.expect("valid").images.len() >= 250);
}
