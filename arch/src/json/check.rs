//! Checks a value against the part of JSON schema that the types of this crate use.

use std::ops::RangeInclusive;

use serde_json::Value;

use super::FAULTS_MAX;
use crate::fault::Fault;

/// Adds a fault for every violation of `schema` by `value` at `path`, until there are [`FAULTS_MAX`].
pub(crate) fn check(value: &Value, schema: &Value, path: &str, faults: &mut Vec<Fault>) {
    if faults.len() >= FAULTS_MAX {
        return;
    }
    if has_kinds(schema) {
        return check_kind(value, schema, path, faults);
    }
    if schema.get("enum").is_some() || schema.get("oneOf").is_some() {
        return check_choice(value, schema, path, faults);
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => check_object(value, schema, path, faults),
        Some("array") => check_array(value, schema, path, faults),
        Some("integer") => check_integer(value, schema, path, faults),
        Some("number") if !value.is_number() => faults.push(wrong(value, path, "a number")),
        Some("boolean") if !value.is_boolean() => faults.push(wrong(value, path, "true or false")),
        Some("string") => check_string(value, schema, path, faults),
        _ => {}
    }
}

fn check_object(value: &Value, schema: &Value, path: &str, faults: &mut Vec<Fault>) {
    check_fields(value, schema, path, None, faults);
}

/// Whether it is of objects whose field `kind` says which of several schemas holds.
fn has_kinds(schema: &Value) -> bool {
    schema.pointer("/oneOf/0/properties/kind/const").is_some()
}

fn check_kind(value: &Value, schema: &Value, path: &str, faults: &mut Vec<Fault>) {
    let kinds = schema["oneOf"].as_array().map_or(&[][..], Vec::as_slice);
    let name = |of: &Value| of.pointer("/properties/kind/const").cloned();
    let kind = value.get("kind");
    if let Some(own) = kinds.iter().find(|own| name(own).as_ref() == kind) {
        let kind = kind.and_then(Value::as_str).unwrap_or_default();
        return check_fields(value, own, path, Some((kind, kinds)), faults);
    }
    let names: Vec<Value> = kinds.iter().filter_map(name).collect();
    let allowed = describe(&serde_json::json!({ "enum": names }));
    let place = join(path, "kind");
    faults.push(match kind {
        _ if !value.is_object() => wrong(value, path, "an object"),
        Some(kind) => wrong(kind, &place, &allowed),
        None => fault(&place, format!("is missing, expected {allowed}")),
    });
}

/// The fields of an object, of this kind among several if there are such.
fn check_fields(
    value: &Value,
    schema: &Value,
    path: &str,
    kind: Option<(&str, &[Value])>,
    faults: &mut Vec<Fault>,
) {
    let Some(object) = value.as_object() else {
        return faults.push(wrong(value, path, "an object"));
    };
    let no_fields = serde_json::Map::new();
    let fields = schema
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&no_fields);
    for (key, item) in object {
        match fields.get(key) {
            Some(field) => check(item, field, &join(path, key), faults),
            None if faults.len() >= FAULTS_MAX => break,
            None => {
                let has = |other: &Value| other["properties"].get(key).is_some();
                let message = match kind {
                    Some((kind, kinds)) if kinds.iter().any(has) => {
                        format!("is not a field of {kind}")
                    }
                    _ => {
                        let names: Vec<&str> = fields.keys().map(String::as_str).collect();
                        format!("is unknown, expected one of {}", names.join(", "))
                    }
                };
                faults.push(Fault {
                    line: None,
                    field: join(path, key),
                    message: format!("{} {message}", join(path, &shorten(key))),
                });
            }
        }
    }
    let required = schema.get("required").and_then(Value::as_array);
    for key in required.into_iter().flatten().filter_map(Value::as_str) {
        if !object.contains_key(key) {
            let needed = match kind {
                Some((kind, _)) => format!("required for {kind}"),
                None => format!(
                    "expected {}",
                    fields.get(key).map_or(String::new(), describe)
                ),
            };
            faults.push(fault(&join(path, key), format!("is missing, {needed}")));
        }
    }
}

fn check_array(value: &Value, schema: &Value, path: &str, faults: &mut Vec<Fault>) {
    let Some(items) = value.as_array() else {
        return faults.push(wrong(value, path, "a list"));
    };
    let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
    let low = bound("minItems").unwrap_or(0);
    let high = bound("maxItems").unwrap_or(u64::MAX);
    let length = items.len() as u64;
    if length < low || length > high {
        let allowed = describe_length(low, high);
        faults.push(fault(
            path,
            format!("has length {length}, expected {allowed}"),
        ));
    }
    let Some(item_schema) = schema.get("items") else {
        return;
    };
    let before = faults.len();
    let mut more = 0;
    let objects = item_schema.get("properties").is_some() || has_kinds(item_schema);
    let whole = item_schema.get("type").and_then(Value::as_str) == Some("integer");
    let range = range(item_schema).filter(|_| whole);
    for (i, item) in items.iter().enumerate() {
        let good = |range: &RangeInclusive<i128>| integer(item).is_some_and(|n| range.contains(&n));
        match range.as_ref().map(good) {
            Some(true) => continue,
            Some(false) if faults.len() > before => {
                more += 1;
                continue;
            }
            _ => {}
        }
        // One fault stands for all of a list: a list of weights has a hundred thousand elements.
        let first = faults.len() == before;
        let kept = faults.len();
        check(item, item_schema, &format!("{path}[{i}]"), faults);
        if !first && !objects && faults.len() > kept {
            faults.truncate(kept);
            more += 1;
        }
    }
    if let Some(first) = faults.get_mut(before).filter(|_| more > 0) {
        first.message += &format!(" (and {more} more in this list)");
    }
}

fn check_integer(value: &Value, schema: &Value, path: &str, faults: &mut Vec<Fault>) {
    let inside = |n: i128| range(schema).is_none_or(|range| range.contains(&n));
    if !integer(value).is_some_and(inside) {
        faults.push(wrong(value, path, &describe(schema)));
    }
}

/// The numbers that a schema allows; none if it has no bounds.
fn range(schema: &Value) -> Option<RangeInclusive<i128>> {
    let bound = |key: &str| schema.get(key).and_then(integer);
    Some(bound("minimum")?..=bound("maximum")?)
}

fn check_string(value: &Value, schema: &Value, path: &str, faults: &mut Vec<Fault>) {
    let Some(text) = value.as_str() else {
        return faults.push(wrong(value, path, "a string"));
    };
    let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
    let (low, high) = (
        bound("minLength").unwrap_or(0),
        bound("maxLength").unwrap_or(u64::MAX),
    );
    let length = text.chars().count() as u64;
    if length < low || length > high {
        let allowed = format!("expected {low} to {high} characters");
        faults.push(fault(path, format!("has {length} characters, {allowed}")));
    }
}

fn check_choice(value: &Value, schema: &Value, path: &str, faults: &mut Vec<Fault>) {
    if !choices(schema).contains(&value) {
        faults.push(wrong(value, path, &describe(schema)));
    }
}

fn choices(schema: &Value) -> Vec<&Value> {
    if let Some(list) = schema.get("enum").and_then(Value::as_array) {
        return list.iter().collect();
    }
    let variants = schema.get("oneOf").and_then(Value::as_array);
    let variants = variants.into_iter().flatten();
    variants
        .filter_map(|variant| variant.get("const"))
        .collect()
}

/// What a schema allows, as the end of "expected ...".
fn describe(schema: &Value) -> String {
    if let Some(text) = schema.get("x-allowed").and_then(Value::as_str) {
        return text.to_string();
    }
    let list: Vec<String> = choices(schema).into_iter().map(Value::to_string).collect();
    if let Some((last, others)) = list.split_last() {
        return match others {
            [] => last.clone(),
            _ => format!("{} or {last}", others.join(", ")),
        };
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("integer") => match range(schema) {
            Some(range) => format!("a whole number from {} to {}", range.start(), range.end()),
            None => "a whole number".to_string(),
        },
        Some("object") => "an object".to_string(),
        Some("array") => "a list".to_string(),
        Some("string") => "a string".to_string(),
        Some("boolean") => "true or false".to_string(),
        _ => "a number".to_string(),
    }
}

fn describe_length(low: u64, high: u64) -> String {
    if low == high {
        low.to_string()
    } else if high == u64::MAX {
        format!("at least {low}")
    } else {
        format!("{low} to {high}")
    }
}

fn integer(value: &Value) -> Option<i128> {
    value
        .as_i64()
        .map(i128::from)
        .or_else(|| value.as_u64().map(i128::from))
}

fn wrong(value: &Value, path: &str, allowed: &str) -> Fault {
    fault(path, format!("is {}, expected {allowed}", show(value)))
}

fn fault(path: &str, message: String) -> Fault {
    let subject = if path.is_empty() {
        "the document"
    } else {
        path
    };
    Fault {
        line: None,
        field: path.to_string(),
        message: format!("{subject} {message}"),
    }
}

fn show(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_string(),
        Value::Array(list) => format!("a list of length {}", list.len()),
        other => shorten(&other.to_string()),
    }
}

/// A text of the user in a message: one line, not too long.
pub(super) fn shorten(text: &str) -> String {
    let visible: String = text.escape_debug().to_string().replace("\\\"", "\"");
    if visible.chars().count() <= 40 {
        return visible;
    }
    let start: String = visible.chars().take(40).collect();
    format!("{start}...")
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_string()
    } else {
        format!("{path}.{key}")
    }
}
