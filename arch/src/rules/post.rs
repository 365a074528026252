//! Rules between the options of post-processing.

use serde_json::Value;

use super::fault;
use crate::fault::Fault;

/// Adds the violations of all rules whose fields are free of faults.
pub(super) fn check(value: &Value, faults: &mut Vec<Fault>) {
    let Some(section) = value.get("post") else {
        return;
    };
    let faulty = |field: &str| {
        let field = format!("post.{field}");
        faults.iter().any(|fault| fault.field == field)
    };
    if faulty("pooling") || section.get("pooling").and_then(Value::as_bool) == Some(true) {
        return;
    }
    let product = section.get("product").and_then(Value::as_bool);
    let median = section.get("median").and_then(Value::as_u64).unwrap_or(0);
    let mut found = Vec::new();
    if product == Some(true) && !faulty("product") {
        let message = "is true, expected false without \"pooling\"".to_string();
        found.push(fault("post.product", message));
    }
    if median > 0 && !faulty("median") {
        let message = format!("is {median}, expected 0 without \"pooling\"");
        found.push(fault("post.median", message));
    }
    faults.append(&mut found);
}
