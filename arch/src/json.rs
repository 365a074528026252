//! JSON documents, checked against the schema of the type they are read into, all faults at once.

mod check;
mod scan;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::fault::{ConfigErrors, Fault};

/// Faults beyond this number are counted, not listed.
const LISTED_FAULTS: usize = 20;
/// With so many faults the search ends: a file of millions would fill the memory with them.
const FAULTS_MAX: usize = 1000;

/// All violations of a schema by a value.
pub fn faults_of(value: &impl Serialize, schema: &Value) -> Vec<Fault> {
    let mut faults = Vec::new();
    match serde_json::to_value(value) {
        Ok(value) => check::check(&value, schema, "", &mut faults),
        Err(error) => faults.push(document_fault(None, error.to_string())),
    }
    faults
}

/// All violations of a schema by a part of a document.
pub fn check_at(value: &Value, schema: &Value, path: &str, faults: &mut Vec<Fault>) {
    check::check(value, schema, path, faults);
}

/// A JSON text that could be parsed, and its values.
pub struct Document<'a> {
    text: &'a str,
    /// The values.
    pub value: Value,
}

impl<'a> Document<'a> {
    /// Parses a text; syntax errors and repeated fields are reported with their lines.
    pub fn parse(text: &'a str) -> Result<Document<'a>, ConfigErrors> {
        if text.trim().is_empty() {
            let message = "the document is empty, expected a JSON object".to_string();
            return Err(ConfigErrors(vec![document_fault(None, message)]));
        }
        let value: Value = serde_json::from_str(text).map_err(|error| {
            let line = Some(error.line()).filter(|line| *line > 0);
            ConfigErrors(vec![document_fault(line, syntax_message(&error))])
        })?;
        let repeated = scan::repeated_fields(text);
        if !repeated.is_empty() {
            return Err(shortened(text, repeated));
        }
        Ok(Document { text, value })
    }

    /// All violations of the schema.
    pub fn check(&self, schema: &Value) -> Vec<Fault> {
        let mut faults = Vec::new();
        check::check(&self.value, schema, "", &mut faults);
        faults
    }

    /// The document as a value of the type whose schema it was checked against, or the faults.
    pub fn read<T: DeserializeOwned>(&self, faults: Vec<Fault>) -> Result<T, ConfigErrors> {
        if !faults.is_empty() {
            return Err(self.errors(faults));
        }
        T::deserialize(&self.value)
            .map_err(|error| ConfigErrors(vec![document_fault(None, error.to_string())]))
    }

    /// Adds the lines to the faults, sorts them by these and shortens a long list.
    pub fn errors(&self, faults: Vec<Fault>) -> ConfigErrors {
        shortened(self.text, faults)
    }
}

/// The first faults with their lines, sorted by these, and the number of all others.
fn shortened(text: &str, mut faults: Vec<Fault>) -> ConfigErrors {
    let least = if faults.len() < FAULTS_MAX {
        ""
    } else {
        "at least "
    };
    let more = faults.len().saturating_sub(LISTED_FAULTS);
    faults.truncate(LISTED_FAULTS);
    scan::set_places(text, &mut faults);
    faults.sort_by_key(|fault| fault.line);
    if more > 0 {
        faults.push(document_fault(None, format!("{least}{more} more faults")));
    }
    ConfigErrors(faults)
}

/// The JSON schema of a type, without references. A field that may be left out is never null, and numbers have bounds.
pub fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().into();
    bound(&mut schema);
    schema
}

fn bound(schema: &mut Value) {
    if let Some(types) = schema.get_mut("type").filter(|types| types.is_array()) {
        *types = types[0].take();
    }
    if schema.pointer("/anyOf/1/type") == Some(&json!("null")) {
        let other = schema["anyOf"][0].take();
        let fields = schema.as_object_mut().zip(other.as_object());
        if let Some((schema, other)) = fields {
            schema.remove("anyOf");
            for (key, value) in other {
                schema.entry(key).or_insert_with(|| value.clone());
            }
        }
    }
    if schema.get("format") == Some(&json!("int32")) && schema.get("minimum").is_none() {
        (schema["minimum"], schema["maximum"]) = (json!(i32::MIN), json!(i32::MAX));
    }
    match schema {
        Value::Object(fields) => fields.values_mut().for_each(bound),
        Value::Array(items) => items.iter_mut().for_each(bound),
        _ => {}
    }
}

fn document_fault(line: Option<usize>, message: String) -> Fault {
    Fault {
        line,
        field: String::new(),
        message,
    }
}

/// serde_json ends its messages with the position, which a fault carries separately.
fn syntax_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    let cause = text.strip_suffix(&position).unwrap_or(&text);
    format!("not JSON: {cause} (column {})", error.column())
}
