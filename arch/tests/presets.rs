//! The presets, and the schema of configurations.

use heddle_arch::ConfigErrors;
use heddle_arch::params::{
    Arrangement, CounterSet, Params, PartialSums, Post, RegisterBus, ResetLevel, ResetStyle,
    TraversalUnit, schema,
};
use serde_json::Value;

const PRESETS: [(&str, &str); 10] = [
    ("tiny", include_str!("../../configs/tiny.json")),
    ("edge", include_str!("../../configs/edge.json")),
    ("edge_axi", include_str!("../../configs/edge_axi.json")),
    ("edge_dma", include_str!("../../configs/edge_dma.json")),
    ("mobile", include_str!("../../configs/mobile.json")),
    ("tflite", include_str!("../../configs/tflite.json")),
    ("tflite_axi", include_str!("../../configs/tflite_axi.json")),
    ("default", include_str!("../../configs/default.json")),
    ("large", include_str!("../../configs/large.json")),
    ("huge", include_str!("../../configs/huge.json")),
];

/// The tiny preset with some of its text replaced.
fn changed(from: &str, to: &str) -> Result<Params, ConfigErrors> {
    let text = PRESETS[0].1;
    assert!(text.contains(from), "{from}");
    Params::from_json(&text.replacen(from, to, 1))
}

/// Field and message of the only fault.
#[track_caller]
fn fault(result: Result<Params, ConfigErrors>) -> (String, String) {
    let errors = result.expect_err("a fault");
    assert_eq!(errors.faults().len(), 1, "{errors}");
    let fault = &errors.faults()[0];
    (fault.field.clone(), fault.message.clone())
}

/// A preset of this name.
pub fn preset(name: &str) -> Params {
    let found = PRESETS.iter().find(|(n, _)| *n == name);
    Params::from_json(found.expect("a preset").1).expect("presets are valid")
}

#[test]
fn presets_are_valid_and_carry_their_names() {
    for (name, text) in PRESETS {
        let params = Params::from_json(text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(params.name, name);
        params.validate().expect("still valid");
        let again = Params::from_json(&params.to_json()).expect("own output is valid");
        assert_eq!(again, params);
    }
}

#[test]
fn sizes_follow_from_the_fields() {
    let edge = preset("edge");
    assert_eq!(edge.bank_bytes(), 4096);
    assert_eq!(edge.partition_bytes(), 8192);
    assert_eq!(edge.partition_words(), 1024);
    assert_eq!((edge.lanes(), edge.weight_words()), (8, 1));
    assert_eq!(edge.first_slice(), 4);
    let mut odd = edge;
    (odd.array.rows, odd.array.cols) = (5, 17);
    assert_eq!((odd.lanes(), odd.weight_words()), (5, 3));
}

#[test]
fn reset_is_optional() {
    let params = preset("tiny");
    assert_eq!(params.reset.style, ResetStyle::Sync);
    assert_eq!(params.reset.level, ResetLevel::Low);
    let reset = r#"{ "reset": { "style": "async", "level": "high" },"#;
    let params = changed("{", reset).expect("valid");
    assert_eq!(params.reset.style, ResetStyle::Async);
    assert_eq!(params.reset.level, ResetLevel::High);
}

#[test]
fn the_traversal_unit_is_optional_and_so_are_its_fields() {
    let unit = preset("tiny").traversal.unit;
    assert_eq!(unit, TraversalUnit::default());
    let with = |unit: &str| {
        let field = format!("\"traversal\": {{ \"unit\": {unit},");
        changed("\"traversal\": {", &field)
    };
    let params = with(r#"{ "arrangement": "mirrored", "sum_stages": 4 }"#).expect("valid");
    let changed = TraversalUnit {
        arrangement: Arrangement::Mirrored,
        sum_stages: 4,
        ..unit
    };
    assert_eq!(params.traversal.unit, changed);
    for (unit, field) in [
        (r#"{ "sum_stages": 5 }"#, "sum_stages"),
        (r#"{ "arrangement": "flat" }"#, "arrangement"),
        (r#"{ "trip": true }"#, "trip"),
    ] {
        let field = format!("traversal.unit.{field}");
        assert_eq!(with(unit).expect_err(unit).faults()[0].field, field);
    }
}

#[test]
fn options_of_post_processing_are_optional_and_belong_together() {
    let plain = preset("edge");
    assert_eq!(plain.post, Post::default());
    assert!(!plain.to_json().contains("\"post\""));
    let edge = PRESETS[1].1;
    let with =
        |post: &str| Params::from_json(&edge.replacen('{', &format!("{{ \"post\": {post},"), 1));
    let text = "{ \"pooling\": true, \"product\": true, \"median\": 9, \"activations\": 8, \
                \"left_shift\": true, \"dual_scale\": true, \"columns_per_multiplier\": 4 }";
    let params = with(text).expect("valid");
    assert_eq!((params.post.median, params.post.activations), (9, 8));
    assert_eq!(params.post.extra_cycles(), 7);
    assert_eq!(Params::from_json(&params.to_json()), Ok(params));
    for (post, field) in [
        ("{ \"activations\": 9 }", "post.activations"),
        ("{ \"pooling\": true, \"median\": 33 }", "post.median"),
        ("{ \"median\": 3 }", "post.median"),
        ("{ \"pooling\": false, \"product\": true }", "post.product"),
        ("{ \"pooling\": 1, \"product\": true }", "post.pooling"),
        ("{ \"pool\": true }", "post.pool"),
        (
            "{ \"columns_per_multiplier\": 3 }",
            "post.columns_per_multiplier",
        ),
    ] {
        assert_eq!(fault(with(post)).0, field, "{post}");
    }
    let six = edge.replacen("\"cols\": 8", "\"cols\": 6", 1);
    let shared = "{ \"post\": { \"columns_per_multiplier\": 4 },";
    let (field, message) = fault(Params::from_json(&six.replacen('{', shared, 1)));
    assert_eq!(field, "post.columns_per_multiplier");
    assert_eq!(
        message,
        "post.columns_per_multiplier is 4, expected 1 or 2: a divisor of array.cols, which is 6"
    );
}

#[proves("PET-51")]
#[test]
fn a_configuration_can_ask_for_as_many_banks_as_clients() {
    let with =
        |banks: u32, asks: &str| changed("\"banks\": 2", &format!("\"banks\": {banks}{asks}"));
    let asked = ", \"bank_per_client\": true";
    for banks in [4, 8] {
        let params = with(banks, asked).expect("enough banks");
        assert!(params.state_buffer.banks >= Params::PARTITION_CLIENTS);
        assert_eq!(Params::from_json(&params.to_json()), Ok(params));
    }
    let (field, message) = fault(with(2, asked));
    assert_eq!(field, "state_buffer.banks");
    assert!(message.contains("is 2, expected at least 4"), "{message}");
    // Who does not ask may have fewer.
    let params = with(2, "").expect("valid");
    assert_eq!(with(2, ", \"bank_per_client\": false"), Ok(params.clone()));
    assert!(!params.to_json().contains("bank_per_client"));
    // By hand as well.
    let mut params = params;
    params.state_buffer.bank_per_client = true;
    params.validate().expect_err("two banks for three clients");
    params.state_buffer.banks = 4;
    params.validate().expect("enough banks");
}

#[proves("PET-61")]
#[test]
fn input_banks_leave_two_others() {
    let with = |banks: u32, input: &str| {
        let fields = format!("\"banks\": {banks}, \"input_banks\": {input}");
        changed("\"banks\": 2", &fields)
    };
    for (banks, most) in [(2, 0), (4, 2), (8, 6)] {
        for input in 0..=most {
            let params = with(banks, &input.to_string()).expect("two banks are left");
            let bytes = params.bank_bytes();
            assert_eq!(params.work_bytes(), (banks - input) * bytes);
            assert_eq!(params.work_banks(), banks - input);
            assert_eq!(params.partition_bytes(), banks * bytes);
            assert_eq!(params.to_json().contains("input_banks"), input > 0);
            assert_eq!(Params::from_json(&params.to_json()), Ok(params));
        }
        // Above 6 it is no longer the number of banks that counts.
        let (field, message) = fault(with(banks, &(most + 1).to_string()));
        assert_eq!(field, "state_buffer.input_banks");
        let expected = match most {
            6 => "is 7, expected a whole number from 0 to 6".to_string(),
            _ => format!(
                "is {}, expected at most {most} with {banks} banks: 2 others hold weights and results",
                most + 1
            ),
        };
        assert!(message.contains(&expected), "{message}");
    }
    for input in ["-1", "1.5", "true", "\"1\""] {
        assert_eq!(fault(with(4, input)).0, "state_buffer.input_banks");
    }
    // A number of banks that is wrong itself is the only fault.
    assert_eq!(fault(with(5, "4")).0, "state_buffer.banks");
    // Who does not ask has none.
    let plain = preset(PRESETS[0].0);
    assert_eq!(plain.state_buffer.input_banks, 0);
    assert_eq!(plain.work_bytes(), plain.partition_bytes());
}

#[proves("PET-57")]
#[test]
fn a_configuration_says_where_partial_sums_are_added() {
    let with = |field: &str| {
        let text = preset("tiny").to_json();
        let cols = "\"cols\": 4";
        assert!(text.contains(cols));
        Params::from_json(&text.replace(cols, &format!("{cols}{field}")))
    };
    let plain = with("").expect("valid");
    assert_eq!(plain.array.partial_sums, PartialSums::Foot);
    assert_eq!(plain.sum_distance(), 0);
    assert!(!plain.to_json().contains("partial_sums"));
    assert_eq!(with(", \"partial_sums\": \"foot\""), Ok(plain));
    let top = with(", \"partial_sums\": \"top\"").expect("valid");
    assert_eq!(top.array.partial_sums, PartialSums::Top);
    assert_eq!(top.sum_distance(), 7);
    assert!(top.to_json().contains("\"partial_sums\": \"top\""));
    assert_eq!(Params::from_json(&top.to_json()), Ok(top));
    for value in ["\"bottom\"", "1", "true"] {
        let (field, message) = fault(with(&format!(", \"partial_sums\": {value}")));
        assert_eq!(field, "array.partial_sums");
        let both = message.contains("foot") && message.contains("top");
        assert!(both, "{message}");
    }
}

#[test]
fn a_configuration_may_ask_for_the_system_around_the_engine() {
    let plain = preset("edge");
    assert_eq!(plain.system, None);
    assert!(!plain.to_json().contains("system"));
    let mut axi = preset("edge_axi");
    let system = axi.system.take().expect("a section");
    assert_eq!(system.registers, RegisterBus::Axil);
    axi.name = plain.name.clone();
    assert_eq!(axi, plain, "nothing else differs");
    for reset in ["sync", "async"] {
        let sections = format!(
            "{{ \"system\": {{ \"registers\": \"wishbone\" }}, \"reset\": {{ \"style\": \"{reset}\" }},"
        );
        let params = changed("{", &sections).expect("valid");
        let bus = params.system.as_ref().map(|system| system.registers);
        assert_eq!(bus, Some(RegisterBus::Wishbone));
        assert_eq!(Params::from_json(&params.to_json()), Ok(params));
    }
}

#[test]
fn a_configuration_says_which_counters_there_are() {
    let with = |field: &str| {
        let text = preset("tiny").to_json();
        Params::from_json(&text.replacen('{', &format!("{{{field}"), 1))
    };
    let full = with("").expect("valid");
    assert_eq!(full.counters, CounterSet::Full);
    assert!(!full.to_json().contains("counters"));
    assert_eq!(with("\"counters\": \"full\","), Ok(full));
    for set in [CounterSet::Basic, CounterSet::None] {
        let field = format!("\"counters\": \"{}\"", set.name());
        let found = with(&format!("{field},")).expect("valid");
        assert_eq!(found.counters, set);
        assert!(found.to_json().contains(&field));
        assert_eq!(Params::from_json(&found.to_json()), Ok(found));
    }
}

#[test]
fn parameters_built_by_hand_are_checked() {
    let mut params = preset("tiny");
    params.array.rows = 300;
    params.state_buffer.slices.widths = vec![8];
    let errors = params.validate().expect_err("two faults");
    let fields: Vec<&str> = errors.faults().iter().map(|f| f.field.as_str()).collect();
    assert_eq!(fields, ["array.rows", "state_buffer.slices.widths"]);
}

#[test]
fn every_field_of_the_schema_is_explained() {
    let mut fields = Vec::new();
    collect(&schema(), "", &mut fields);
    let wanted = "array.rows array.partial_sums traversal.unit.trips state_buffer.row_offsets \
                  state_buffer.input_banks program.memory state_buffer.slices.access_threshold \
                  sliced.slices.mask offsets.taps post.activations reset.level table_memory \
                  counters system.registers system.dma.max_burst";
    for wanted in wanted.split(' ') {
        assert!(fields.iter().any(|f| f == wanted), "{wanted} in {fields:?}");
    }
    assert_eq!(fields.len(), 131, "{fields:?}");
}

/// Lists the fields of a schema and asserts that each has a text and that objects are closed.
fn collect(schema: &Value, path: &str, fields: &mut Vec<String>) {
    let Some(properties) = schema["properties"].as_object() else {
        return;
    };
    assert_eq!(schema["additionalProperties"], Value::Bool(false), "{path}");
    for (key, field) in properties {
        let name = if path.is_empty() {
            key.clone()
        } else {
            format!("{path}.{key}")
        };
        let text = field["description"].as_str().unwrap_or_default();
        assert!(text.len() > 8, "{name} has no description: {field}");
        fields.push(name.clone());
        collect(field, &name, fields);
    }
}

#[test]
fn the_schema_and_the_reader_agree() {
    // Every bound of the schema is a bound of the reader, and the values inside are accepted.
    let rows = &schema()["properties"]["array"]["properties"]["rows"];
    assert_eq!(
        (&rows["minimum"], &rows["maximum"]),
        (&1.into(), &256.into())
    );
    for (value, good) in [(0, false), (1, true), (256, true), (257, false)] {
        let params = changed("\"rows\": 4", &format!("\"rows\": {value}"));
        assert_eq!(params.is_ok(), good, "{value}");
    }
}
