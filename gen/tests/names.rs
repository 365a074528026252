//! A name stands for one text, whatever the configuration.

use std::collections::{BTreeMap, BTreeSet};

use heddle_arch::Params;
use heddle_arch::params::{ResetLevel, ResetStyle, schema};
use heddle_gen::{EmitOptions, Reset, TextStyle, emit};
use heddle_hdl::catalog;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

const CONFIGURATIONS: usize = 300;
const PRESETS: [&str; 3] = [
    include_str!("../../configs/tiny.json"),
    include_str!("../../configs/edge.json"),
    include_str!("../../configs/mobile.json"),
];

/// Fields of a configuration that are no objects: where they are, and what they may be.
fn fields(schema: &Value, path: &str, found: &mut Vec<(String, Value)>) {
    let choices = schema.get("anyOf").and_then(Value::as_array);
    let object = choices.and_then(|all| all.iter().find(|one| one.get("properties").is_some()));
    let schema = object.unwrap_or(schema);
    match schema.get("properties").and_then(Value::as_object) {
        Some(properties) => {
            for (name, schema) in properties.iter().filter(|(name, _)| *name != "name") {
                fields(schema, &format!("{path}/{name}"), found);
            }
        }
        None => found.push((path.to_string(), schema.clone())),
    }
}

/// A value of a field; none if it is a list.
fn value(rng: &mut ChaCha8Rng, schema: &Value) -> Option<Value> {
    let list = |name: &str| schema.get(name).and_then(Value::as_array);
    let any = list("anyOf").and_then(|all| all.iter().find(|one| one["type"] != "null"));
    if let Some(one) = any {
        return value(rng, one);
    }
    if let Some(all) = list("enum") {
        return Some(all[rng.random_range(0..all.len())].clone());
    }
    if let Some(all) = list("oneOf") {
        let one = rng.random_range(0..all.len());
        return value(rng, &all[one]);
    }
    if let Some(one) = schema.get("const") {
        return Some(one.clone());
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds[0].as_str(),
        kind => kind.as_str(),
    };
    match kind? {
        "boolean" => Some(json!(rng.random::<bool>())),
        "integer" => {
            let least = schema["minimum"].as_u64().unwrap_or(0);
            let most = schema["maximum"].as_u64().unwrap_or(least + 16);
            let most = most.min(least + 12);
            Some(json!(rng.random_range(least..=most)))
        }
        _ => None,
    }
}

/// A legal configuration that differs from a preset in some fields, and which.
fn random_configuration(rng: &mut ChaCha8Rng, fields: &[(String, Value)]) -> (Params, Vec<String>) {
    loop {
        let preset = PRESETS[rng.random_range(0..PRESETS.len())];
        let mut config: Value = serde_json::from_str(preset).expect("JSON");
        config["array"]["rows"] = json!(rng.random_range(1..=6));
        config["array"]["cols"] = json!(rng.random_range(1..=6));
        let mut changed = Vec::new();
        for _ in 0..rng.random_range(1..=4) {
            let (path, schema) = &fields[rng.random_range(0..fields.len())];
            let Some(value) = value(rng, schema) else {
                continue;
            };
            let mut place = &mut config;
            for part in path.split('/').skip(1) {
                place = &mut place[part];
            }
            *place = value;
            changed.push(path.clone());
        }
        if let Ok(params) = Params::from_json(&config.to_string()) {
            return (params, changed);
        }
    }
}

/// A text without its comments.
fn bare(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default().trim_end());
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

#[test]
fn modules_of_one_name_have_one_text_in_random_configurations() {
    let mut all = Vec::new();
    fields(&schema(), "", &mut all);
    let (mut texts, mut changed) = (BTreeMap::new(), BTreeSet::new());
    let (mut several, mut tops) = (0, BTreeSet::new());
    for seed in 0..CONFIGURATIONS as u64 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (params, fields) = random_configuration(&mut rng, &all);
        changed.extend(fields);
        let module = &catalog::MODULES[rng.random_range(0..catalog::MODULES.len())];
        let top = match seed % 3 {
            0 => "top",
            _ => module.name,
        };
        let block = catalog::build(top, &params).expect("it is in the list");
        let options = EmitOptions {
            configuration: format!("{}_{seed}", params.name),
            reset: match params.reset.style {
                ResetStyle::Sync => Reset::Sync,
                ResetStyle::Async => Reset::Async,
            },
            reset_level: match params.reset.level {
                ResetLevel::Low => heddle_gen::ResetLevel::Low,
                ResetLevel::High => heddle_gen::ResetLevel::High,
            },
            style: match rng.random_bool(0.2) {
                true => TextStyle::Loops,
                false => TextStyle::Structural,
            },
            ..EmitOptions::default()
        };
        let design = emit(block.as_ref(), &options);
        let design = design.unwrap_or_else(|error| panic!("seed {seed}, {top}: {error}"));
        tops.insert(top);
        // Machines are called by the names of their configurations.
        let is_machine = |name: &str| {
            let begins = ["heddle_top_", "heddle_system_"];
            begins.iter().any(|begin| name.starts_with(begin))
        };
        let modules = design.modules.iter();
        for module in modules.filter(|module| !is_machine(&module.name)) {
            assert!(module.name.len() <= 40, "{}", module.name);
            let text = bare(&module.text);
            let other = texts.insert(module.name.clone(), text.clone());
            several += usize::from(other.is_some());
            assert!(
                other.is_none_or(|other| other == text),
                "seed {seed}: {}",
                module.name
            );
        }
    }
    println!(
        "{} names, {several} seen again, {} fields, {} tops",
        texts.len(),
        changed.len(),
        tops.len()
    );
    assert!(
        texts.len() > 1000 && several > 1000,
        "{} and {several}",
        texts.len()
    );
    assert!(
        changed.len() > all.len() / 2,
        "{} of {}",
        changed.len(),
        all.len()
    );
    assert!(tops.len() > catalog::MODULES.len() / 2);
}
