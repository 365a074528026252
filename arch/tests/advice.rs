//! What messages say is expected: the field accepts it, and who follows all of it comes to a legal configuration.

use std::cell::RefCell;
use std::collections::BTreeMap;

use heddle_arch::{Fault, Params, json, params};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use serde_json::{Map, Value, json as value};

const GOOD: &str = include_str!("../../configs/tiny.json");

/// Values for fields: legal ones, those that relations refuse, and those out of range.
const FIELDS: &[(&str, &[&str])] = &[
    ("array.rows", &["1", "4", "5", "8", "64", "100", "256", "0"]),
    ("array.cols", &["1", "4", "5", "6", "8", "32", "64", "300"]),
    ("column_tiles", &["1", "16", "128", "512", "1024", "3"]),
    ("traversal.rows", &["1", "3", "8", "9"]),
    ("traversal.loops", &["1", "4", "8"]),
    ("traversal.offset_bits", &["16", "24", "32", "20"]),
    ("traversal.address_bits", &["16", "24", "32"]),
    (
        "traversal.units",
        &[
            r#"{ "weights": [2, 1], "stream": [0, 5, 1], "drain": [3] }"#,
            r#"{ "weights": [0, 0], "stream": [8, 1], "drain": [1, 1, 1, 1, 1, 1] }"#,
        ],
    ),
    ("traversal.unit.sum_stages", &["1", "4", "7"]),
    ("state_buffer.banks", &["2", "4", "8", "3"]),
    ("state_buffer.bank_per_client", &["true", "false", "1"]),
    ("state_buffer.input_banks", &["0", "1", "2", "5", "6", "9"]),
    (
        "state_buffer.words_per_bank",
        &["16", "256", "1024", "4096"],
    ),
    (
        "program.memory",
        &[r#""banks""#, r#""separate""#, r#""flash""#],
    ),
    ("program.words", &["64", "1024", "16384", "65536", "100"]),
    ("post.columns_per_multiplier", &["1", "2", "4", "3"]),
    ("post.pooling", &["true", "false"]),
    ("post.product", &["true", "false"]),
    ("post.median", &["0", "9", "40"]),
    ("sparse.engine", &["true", "true", "true", "false"]),
    ("sparse.channels", &["1", "4", "8", "32", "5"]),
    ("sparse.load_lanes", &["1", "4", "64", "65"]),
    ("sparse.tiles", &["16", "64", "256", "512"]),
    ("sparse.units", &["1", "8", "64", "0"]),
    ("sparse.memories", &["1", "8", "64"]),
    ("sparse.memory_network", &[r#""benes""#, r#""switch""#]),
    ("offsets.banks", &["0", "4", "3"]),
    ("offsets.spread", &[r#""broadcast""#, r#""skew""#]),
    ("offsets.rows", &["1", "17", "200"]),
    ("offsets.results", &["16", "64", "100"]),
    ("offsets.store_each", &["true", "false"]),
    ("reset.style", &[r#""async""#, r#""none""#]),
];

/// The same for the fields of slices, of a bank and of the stand-alone memory.
const SLICES: &[(&str, &[&str])] = &[
    ("word_bytes", &["4", "8", "32", "16", "5"]),
    ("unit_bits", &["4", "8", "16", "32", "6"]),
    (
        "widths",
        &[
            "[4, 4]",
            "[1, 1]",
            "[1, 7]",
            "[6, 2]",
            "[2, 3, 3]",
            "[1, 1, 1]",
            "[1, 15]",
            "[]",
            "[4, 70]",
        ],
    ),
    (
        "mask",
        &[r#""slice""#, r#""field""#, r#""hybrid""#, r#""row""#],
    ),
    (
        "network",
        &[r#""full""#, r#""half""#, r#""split""#, r#""none""#],
    ),
    ("write", &[r#""exact""#, r#""fill""#]),
    ("write_threshold", &["0", "2", "9", "63"]),
    ("read_threshold", &["0", "2", "3"]),
    ("access_threshold", &["1", "5", "60"]),
    ("read_order", &[r#""in_turn""#]),
    ("latency", &["1", "3", "7"]),
];

/// What is said of fields that do not fit together.
const RELATIONS: &[&str] = &[
    "array.cols is , expected , , , ,  or  with sparse.engine",
    "array.rows is , expected at most  with sparse.engine",
    "column_tiles is , expected at most  with sparse.engine",
    "sparse.channels is , expected array.cols",
    "sparse.load_lanes is , expected array.rows",
    "sparse.tiles is , expected at least column_tiles",
    "sparse.memories is , expected at least the  units",
    "sparse.memories is , expected the  units: more of them",
    "post.columns_per_multiplier is , expected  with sparse.engine",
    "post.columns_per_multiplier is , expected : a divisor",
    "post.product is true, expected false",
    "post.median is , expected  without",
    "state_buffer.banks is , expected at least  with \"bank_per_client\"",
    "state_buffer.input_banks is , expected at most  with",
    "state_buffer.words_per_bank is , expected at most  with",
    "program.memory is \"banks\", expected \"separate\"",
    "program.words is , expected at most  with",
    "traversal.offset_bits is , expected at most traversal.address_bits",
    "traversal.units.stream is",
    "offsets.banks is , expected  with spread",
    "offsets.results is , expected at least  with \"store_each\"",
    "slices.unit_bits is , expected at most",
    "slices.widths is ",
    "slices.mask is \"hybrid\", expected \"slice\"",
    "slices.widths",
    "slices.network is \"half\", expected \"full\"",
    "slices.network is \"split\", expected \"full\"",
    "slices.write is \"exact\", expected \"fill\"",
    "slices.write_threshold is , expected  to",
    "slices.read_threshold is , expected at most write_threshold",
    "slices.access_threshold is , expected at most",
    "slices.read_order is \"in_turn\"",
];

/// All fields with their values.
fn fields() -> Vec<(String, &'static [&'static str])> {
    let own = FIELDS
        .iter()
        .map(|(name, values)| (name.to_string(), *values));
    let slices = ["state_buffer.slices", "sliced.slices"]
        .into_iter()
        .flat_map(|section| {
            let names = SLICES.iter();
            names.map(move |(name, values)| (format!("{section}.{name}"), *values))
        });
    own.chain(slices).collect()
}

/// Sets a field, with the sections that it lies in.
fn set(document: &mut Value, path: &str, value: Value) {
    let mut place = document;
    for name in path.split('.') {
        let (name, index) = match name.split_once('[') {
            Some((name, index)) => (name, index.trim_end_matches(']').parse::<usize>().ok()),
            None => (name, None),
        };
        let section = place.as_object_mut().expect("a section");
        place = section
            .entry(name)
            .or_insert_with(|| Value::Object(Map::new()));
        if let Some(index) = index {
            place = &mut place[index];
        }
    }
    *place = value;
}

fn faults(document: &Value) -> Vec<Fault> {
    match Params::from_json(&document.to_string()) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.faults().to_vec(),
    }
}

/// How often a field is complained of: by the schema, and in all.
fn complaints(document: &Value, field: &str, schema: &Value) -> [usize; 2] {
    let mut of_schema = Vec::new();
    json::check_at(document, schema, "", &mut of_schema);
    let own = |found: &[Fault]| found.iter().filter(|fault| fault.field == field).count();
    [own(&of_schema), own(&faults(document))]
}

/// The numbers of a text, in order.
fn numbers(text: &str) -> Vec<u64> {
    let parts = text.split(|c: char| !c.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}

/// Follows a message: the values that it says are expected, in the document.
fn follow(document: &Value, fault: &Fault) -> Vec<Value> {
    let changed = |path: &str, value: Value| {
        let mut document = document.clone();
        set(&mut document, path, value);
        document
    };
    let field = &fault.field[..];
    let (said, expected) = fault
        .message
        .split_once(", expected ")
        .expect("what is expected");
    let expected = expected.split(" (and ").next().expect("a text");
    // What stands behind is why, and under which condition.
    let allowed = expected.split(": ").next().expect("a text");
    let allowed = match allowed.starts_with("a row with") {
        true => allowed,
        false => allowed.split(" with").next().expect("a text"),
    };
    let found = numbers(allowed);
    let list = |values: Vec<u64>| vec![changed(field, value!(values))];
    let pointer = format!("/{}", field.replace('.', "/"));
    let now = || -> Vec<u64> {
        let now = document.pointer(&pointer).and_then(Value::as_array);
        let now = now.expect("a list").iter();
        now.map(|value| value.as_u64().expect("a number")).collect()
    };
    if said.ends_with("has length 0") || allowed.ends_with("2 to 8") && said.contains("has length")
    {
        return list(vec![4; found[0] as usize]);
    }
    if allowed.starts_with("a sum of") {
        return list(vec![found[0] / 2, found[0] - found[0] / 2]);
    }
    if allowed.contains(" rows, traversal.rows") {
        return list(vec![1; found[0] as usize]);
    }
    if allowed.contains(" loops in a row") {
        return list(now().into_iter().map(|loops| loops.min(found[0])).collect());
    }
    if allowed.starts_with("a row with at least") {
        return list(vec![found[0]; now().len()]);
    }
    if let Some(list) = field
        .strip_suffix("widths[0]")
        .filter(|_| allowed.starts_with("at least"))
    {
        // The others share what is left.
        let path = format!("{list}widths");
        let now = document.pointer(&format!("/{}", path.replace('.', "/")));
        let mut widths: Vec<u64> =
            serde_json::from_value(now.expect("a list").clone()).expect("numbers");
        let mut more = found[0] - widths[0];
        widths[0] = found[0];
        for width in &mut widths[1..] {
            let less = more.min(*width - 1);
            (*width, more) = (*width - less, more - less);
        }
        assert_eq!(more, 0, "{}: the others have no room", fault.message);
        return vec![changed(&path, value!(widths))];
    }
    if allowed == "true or false" {
        return [true, false]
            .map(|value| changed(field, value!(value)))
            .to_vec();
    }
    if allowed == "false" {
        return vec![changed(field, value!(false))];
    }
    if allowed.contains('"') {
        let names = allowed.split('"').skip(1).step_by(2);
        return names.map(|name| changed(field, value!(name))).collect();
    }
    let range = allowed.contains(" to ").then(|| found[0]..=found[1]);
    let values = match range {
        Some(range) if allowed.starts_with("a power of two") => {
            range.filter(|value| value.is_power_of_two()).collect()
        }
        Some(range) => [
            *range.start(),
            range.start().midpoint(*range.end()),
            *range.end(),
        ]
        .to_vec(),
        None => found,
    };
    assert!(!values.is_empty(), "{}: nothing to follow", fault.message);
    values
        .into_iter()
        .map(|value| changed(field, value!(value)))
        .collect()
}

/// The message without its values: one of a kind.
fn kind(fault: &Fault) -> String {
    let plain: String = fault
        .message
        .chars()
        .filter(|c| !c.is_ascii_digit())
        .collect();
    let values = plain.split('[').next().unwrap_or_default().len();
    format!(
        "{}{}",
        &plain[..values.min(plain.len())],
        if plain.contains(" with ") {
            " with"
        } else {
            ""
        }
    )
}

/// What has been followed: values, and how often messages of each kind.
#[derive(Default)]
struct Followed {
    values: usize,
    kinds: BTreeMap<String, usize>,
}

impl Followed {
    /// Follows the first message, and then the next one, until the configuration is legal.
    fn follow_all(&mut self, mut document: Value, schema: &Value) -> Result<(), String> {
        for step in 0..40 {
            let faults_now = faults(&document);
            let Some(fault) = faults_now.first() else {
                return Ok(());
            };
            let ways = follow(&document, fault);
            let before = complaints(&document, &fault.field, schema);
            for way in &ways {
                let [of_schema, all] = complaints(way, &fault.field, schema);
                // Rules look at fields that the schema allows.
                if of_schema > 0 || before[0] == 0 && all >= before[1] {
                    return Err(format!("{}, then {:?}", fault.message, faults(way)));
                }
            }
            self.values += ways.len();
            *self.kinds.entry(kind(fault)).or_default() += 1;
            document = ways[step % ways.len()].clone();
        }
        Err(format!("a circle at {:?}", faults(&document)))
    }
}

/// The preset with changed fields.
fn changed<'a>(changes: impl IntoIterator<Item = (&'a str, &'a str)>) -> Value {
    let mut document: Value = serde_json::from_str(GOOD).expect("a preset");
    for (path, value) in changes {
        if path.starts_with("sliced") && document.get("sliced").is_none() {
            let section = value!({ "words": 64, "slices": { "widths": [4, 4] } });
            set(&mut document, "sliced", section);
        }
        set(
            &mut document,
            path,
            serde_json::from_str(value).expect("a value"),
        );
    }
    document
}

/// Fields that seldom come together by chance.
const SELDOM: &[&[(&str, &str)]] = &[
    &[
        ("state_buffer.slices.widths", "[3, 5]"),
        ("state_buffer.slices.network", r#""half""#),
    ],
    &[
        ("sliced.slices.widths", "[6, 2]"),
        ("sliced.slices.network", r#""split""#),
    ],
    &[
        ("state_buffer.slices.unit_bits", "32"),
        ("state_buffer.slices.widths", "[1, 1]"),
        ("state_buffer.slices.mask", r#""hybrid""#),
    ],
    &[
        ("sliced.slices.word_bytes", "4"),
        ("sliced.slices.unit_bits", "32"),
    ],
    &[("array.cols", "5"), ("sparse.engine", "true")],
    &[
        ("array.cols", "5"),
        ("sparse.engine", "true"),
        ("sparse.channels", "8"),
    ],
    &[
        ("column_tiles", "128"),
        ("sparse.engine", "true"),
        ("sparse.tiles", "64"),
    ],
    &[
        ("state_buffer.banks", "4"),
        ("program.memory", r#""banks""#),
        ("program.words", "65536"),
    ],
    &[
        ("state_buffer.bank_per_client", "true"),
        ("state_buffer.banks", "8"),
        ("program.memory", r#""banks""#),
        ("program.words", "16384"),
    ],
    &[
        ("array.rows", "1"),
        ("state_buffer.banks", "4"),
        ("state_buffer.input_banks", "1"),
        ("state_buffer.words_per_bank", "16"),
        ("program.memory", r#""banks""#),
    ],
];

#[test]
fn a_field_accepts_what_is_expected_and_advice_leads_to_a_legal_configuration() {
    let (fields, schema) = (fields(), params::schema());
    let followed = RefCell::new(Followed::default());
    for changes in SELDOM {
        let document = changed(changes.iter().copied());
        let end = followed.borrow_mut().follow_all(document, &schema);
        end.unwrap_or_else(|message| panic!("{changes:?}: {message}"));
    }
    // Most changes of a case are of fields that have to do with each other.
    let groups = [
        &["array", "column_tiles", "sparse", "post.columns"][..],
        &[
            "array.rows",
            "state_buffer.bank",
            "state_buffer.input",
            "state_buffer.words",
            "program",
        ],
        &["traversal"],
        &["post", "array"],
        &["offsets", "array.rows"],
        &["state_buffer.slices"],
        &["sliced"],
        &[""],
    ];
    let groups = groups.map(|names| -> Vec<_> {
        let is_of = |(field, _): &&(String, _)| names.iter().any(|name| field.starts_with(name));
        fields.iter().filter(is_of).collect()
    });
    let change = (any::<prop::sample::Index>(), any::<prop::sample::Index>());
    let changes = (0..groups.len(), prop::collection::vec(change, 1..8));
    let config = Config {
        failure_persistence: None,
        max_shrink_iters: 100,
        ..Config::with_cases(700)
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let tested = TestRunner::new_with_rng(config, rng).run(&changes, |(group, changes)| {
        let group = &groups[group];
        let document = changed(changes.iter().map(|(field, value)| {
            let (path, values) = group[field.index(group.len())];
            (&path[..], values[value.index(values.len())])
        }));
        let end = followed.borrow_mut().follow_all(document, &schema);
        end.map_err(TestCaseError::fail)
    });
    tested.expect("all advice can be followed");
    let Followed { values, kinds } = followed.into_inner();
    println!("{values} values of {} kinds of messages", kinds.len());
    assert!(values >= 1_900, "{values} values");
    let is_followed = |relation: &&&str| kinds.keys().any(|kind| kind.contains(**relation));
    let missing: Vec<_> = RELATIONS.iter().filter(|one| !is_followed(one)).collect();
    assert!(
        missing.is_empty(),
        "{missing:#?} never followed: {kinds:#?}"
    );
}
